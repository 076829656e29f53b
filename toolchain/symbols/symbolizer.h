// Prints the locations of a profile as demangled function+offset.
//
// A module's file is found and its symbol table built on first use, then kept. Host code, one thread.
#ifndef SOFTLBR_TOOLCHAIN_SYMBOLS_SYMBOLIZER_H_
#define SOFTLBR_TOOLCHAIN_SYMBOLS_SYMBOLIZER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "toolchain/binary/module_files.h"
#include "toolchain/profile/profile.h"
#include "toolchain/symbols/symbols.h"

namespace softlbr::toolchain {

// A unique label for each module: its base name ("libx.so"), with the module's index if several share it ("libx.so#3").
std::vector<std::string> ModuleLabels(const Profile& profile);

class Symbolizer {
 public:
  // Both arguments must outlive the object.
  Symbolizer(const Profile& profile, const ModuleFiles& files);

  // nullptr when the module's file was not found.
  const ElfImagePtr& File(uint32_t module);
  const SymbolTable& Symbols(uint32_t module);
  // The function's demangled name, or nothing if no symbol covers the location.
  std::optional<std::string> FunctionName(const Location& location);
  // The function's symbol, or nullptr. A function that only the unwind table has is named by its address:
  // "[libx.so+0x1139]".
  const FunctionSymbol* Function(const Location& location);
  // The source file of a local function, by its base name; "" for a global one, or if the symbols do not tell.
  std::string SourceOfLocal(const Location& location);
  // "main+0x1f", "libx.so+0x1139" without a symbol, "(outside)" for code in no module. Safe for a terminal.
  std::string Describe(const Location& location);
  const std::string& ModuleLabel(uint32_t module) const;

 private:
  struct Entry {
    bool is_loaded = false;
    ElfImagePtr file;
    SymbolTable symbols;
    std::map<uint64_t, FunctionSymbol> unnamed;  // functions of the unwind table alone, by start
    std::map<uint64_t, std::string> demangled;   // by function start
  };
  Entry& Load(uint32_t module);

  const Profile& profile_;
  const ModuleFiles& files_;
  std::vector<std::string> labels_;
  std::vector<Entry> entries_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_SYMBOLS_SYMBOLIZER_H_

// The functions of an ELF image, by link-time address.
//
// Built once from .symtab (the image's or its separate debug file's), .dynsym and the PLT; a look-up is a binary
// search.
// Memory: one entry per function symbol. Names are stored mangled; Demangle() is up to the caller.
#ifndef SOFTLBR_TOOLCHAIN_SYMBOLS_SYMBOLS_H_
#define SOFTLBR_TOOLCHAIN_SYMBOLS_SYMBOLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "toolchain/binary/elf_image.h"
#include "toolchain/symbols/frame_table.h"

namespace softlbr::toolchain {

struct FunctionSymbol {
  std::string name;  // as linked (mangled)
  uint64_t start = 0;
  uint64_t end =
      // exclusive; for a symbol without size at most the start of the next symbol, or of the next function of the
      // unwind table
      0;
  bool has_exact_size = false;  // the symbol table gave the size
  bool is_stub = false;         // a PLT entry, named after its target
  // of a local symbol: the object file that has it (SymbolTable::FileName); 0: global, or not known
  uint32_t file = 0;
};

class SymbolTable {
 public:
  SymbolTable() = default;
  // `debug` (may be null) is the separate debug file of the same build. The image must outlive the object.
  SymbolTable(const ElfImage& image, const ElfImage* debug);

  bool empty() const { return functions_.empty(); }
  bool has_ada() const { return has_ada_; }  // code written in Ada (demangle.h)
  // The innermost function that contains `address`, or nullptr.
  const FunctionSymbol* Find(uint64_t address) const;
  const std::vector<FunctionSymbol>& functions() const { return functions_; }
  // The base name of the source that FunctionSymbol::file was compiled from, as the symbol table has it. Several files
  // may have one name.
  const std::string& FileName(uint32_t file) const { return files_[file]; }
  // The image's unwind table, which has functions without symbols, too.
  const FrameTable& frames() const { return frames_; }

 private:
  // `source`: the file that the symbols are from, whose sections they name.
  void AddSymbols(const ElfImage& image, const ElfImage& source, const std::vector<ElfSymbol>& symbols);
  void AddPlt(const ElfImage& image, const std::vector<ElfSymbol>& dynamic, const std::vector<ElfSymbol>& symbols);
  void Finish(const ElfImage& image);

  std::vector<FunctionSymbol> functions_;  // sorted by start; one per start
  FrameTable frames_;
  bool has_ada_ = false;
  std::vector<std::string> files_ = {""};
  std::vector<uint64_t> reach_;  // reach_[i]: largest end of functions_[0..i]; stops a backward search early
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_SYMBOLS_SYMBOLS_H_

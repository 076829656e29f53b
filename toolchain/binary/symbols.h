// Functions of one ELF image, by link-time address.
//
// Built once from .symtab (or the separate debug file's), .dynsym and the PLT; then look-ups are a binary search.
// Memory: one entry per function symbol. Names are demangled only when asked for.
#ifndef SOFTLBR_TOOLCHAIN_BINARY_SYMBOLS_H_
#define SOFTLBR_TOOLCHAIN_BINARY_SYMBOLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "toolchain/binary/elf_image.h"

namespace softlbr::toolchain {

struct FunctionSymbol {
  std::string name;  // as linked (mangled)
  uint64_t start = 0;
  uint64_t end = 0;             // exclusive; equal to the next symbol's start where the symbol has no size
  bool has_exact_size = false;  // the symbol table gave the size
  bool is_stub = false;         // a PLT entry, named after its target
};

class SymbolTable {
 public:
  SymbolTable() = default;
  // `debug` (may be null) is the separate debug file of the same build.
  SymbolTable(const ElfImage& image, const ElfImage* debug);

  bool empty() const { return functions_.empty(); }
  // The innermost function that holds `address`, or nullptr.
  const FunctionSymbol* Find(uint64_t address) const;
  // True if symbols say that [first, last] lies in more than one function: some sized function holds `first` and none
  // of those holds `last`. False when symbols say nothing.
  bool CrossesFunctions(uint64_t first, uint64_t last) const;
  const std::vector<FunctionSymbol>& functions() const { return functions_; }

 private:
  void AddSymbols(const ElfImage& image, const std::vector<ElfSymbol>& symbols);
  void AddPlt(const ElfImage& image);
  void Finish(const ElfImage& image);

  std::vector<FunctionSymbol> functions_;  // sorted by start; one per start
  std::vector<uint64_t> reach_;            // reach_[i]: largest end of functions_[0..i], to stop a backward search
};

// Demangled if it is a C++ (or old Rust) name, else as it is.
std::string Demangle(const std::string& name);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BINARY_SYMBOLS_H_

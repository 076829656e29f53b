#include "toolchain/symbols.h"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <unordered_map>

namespace softlbr::toolchain {
namespace {

constexpr size_t kMaxDemangledInput = 4096;
// Overlapping symbols looked at behind an address; more overlap than that is a damaged symbol table.
constexpr int kMaxOverlap = 512;

// Higher is better, among symbols at one address.
int Preference(const FunctionSymbol& symbol, uint8_t binding) {
  int preference = symbol.has_exact_size ? 4 : 0;
  if (binding == STB_GLOBAL) preference += 2;
  if (binding == STB_WEAK) preference += 1;
  return preference;
}

}  // namespace

SymbolTable::SymbolTable(const ElfImage& image, const ElfImage* debug) {
  std::vector<ElfSymbol> symbols = image.Symbols(false);
  if (symbols.empty() && debug != nullptr) symbols = debug->Symbols(false);
  AddSymbols(image, symbols);
  AddSymbols(image, image.Symbols(true));
  AddPlt(image);
  Finish(image);
}

void SymbolTable::AddSymbols(const ElfImage& image, const std::vector<ElfSymbol>& symbols) {
  struct Candidate {
    FunctionSymbol symbol;
    int preference;
  };
  std::vector<Candidate> candidates;
  for (const ElfSymbol& symbol : symbols) {
    const bool is_function = symbol.type == STT_FUNC || symbol.type == STT_GNU_IFUNC;
    // Assembly labels without a type; mapping symbols ($x, $d) and local labels (.L) are no functions.
    const bool is_label = symbol.type == STT_NOTYPE && !symbol.name.empty() && symbol.name[0] != '$' &&
                          !symbol.name.starts_with(".L");
    if ((!is_function && !is_label) || symbol.section == SHN_UNDEF || symbol.section == SHN_ABS || symbol.name.empty()) {
      continue;
    }
    if (FindExecutableSegment(image.segments(), symbol.value) == nullptr) continue;
    FunctionSymbol function;
    function.name = symbol.name;
    function.start = symbol.value;
    function.has_exact_size = is_function && symbol.bytes > 0 && symbol.bytes <= UINT64_MAX - symbol.value;
    function.end = symbol.value + (function.has_exact_size ? symbol.bytes : 0);
    const int preference = Preference(function, symbol.binding) + (is_function ? 8 : 0);
    candidates.push_back({std::move(function), preference});
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    if (a.symbol.start != b.symbol.start) return a.symbol.start < b.symbol.start;
    return a.preference > b.preference;
  });
  for (Candidate& candidate : candidates) functions_.push_back(std::move(candidate.symbol));
}

// The linker's stubs have no symbols; entry i of the stub section belongs to relocation i of .rela.plt.
void SymbolTable::AddPlt(const ElfImage& image) {
  const bool is_arm = image.machine() == EM_AARCH64;
  const ElfSection* stubs = image.FindSection(".plt.sec");
  uint64_t header_bytes = 0;
  if (stubs == nullptr) {
    stubs = image.FindSection(".plt");
    header_bytes = is_arm ? 32 : 16;
  } else if (const ElfSection* lazy = image.FindSection(".plt")) {
    functions_.push_back({"[.plt]", lazy->vaddr, lazy->vaddr + lazy->bytes, lazy->bytes <= UINT64_MAX - lazy->vaddr, true});
  }
  if (const ElfSection* got = image.FindSection(".plt.got"); got != nullptr && got->bytes <= UINT64_MAX - got->vaddr) {
    functions_.push_back({"[.plt.got]", got->vaddr, got->vaddr + got->bytes, true, true});
  }
  const ElfSection* relocations = image.FindSection(".rela.plt");
  if (stubs == nullptr || relocations == nullptr || stubs->vaddr == 0) return;
  if (image.machine() != EM_X86_64 && !is_arm) return;
  const std::span<const uint8_t> table = image.SectionBytes(*relocations);
  const size_t count = table.size() / sizeof(Elf64_Rela);
  constexpr uint64_t kEntryBytes = 16;
  // A layout we do not know (other sizes, more stubs than relocations) gets one name for all.
  const bool is_known = count > 0 && stubs->bytes >= header_bytes &&
                        (stubs->bytes - header_bytes) / kEntryBytes == count && stubs->bytes <= UINT64_MAX - stubs->vaddr;
  if (!is_known) {
    if (stubs->bytes <= UINT64_MAX - stubs->vaddr) {
      functions_.push_back({"[" + std::string(stubs->name) + "]", stubs->vaddr, stubs->vaddr + stubs->bytes, true, true});
    }
    return;
  }
  const std::vector<ElfSymbol> symbols = image.Symbols(true);
  // A library's stubs of its own indirect functions (memcpy in libc) name the resolver's address instead of a symbol.
  std::unordered_map<uint64_t, std::string_view> resolvers;
  for (const ElfSymbol& symbol : symbols) {
    if (symbol.type == STT_GNU_IFUNC && !symbol.name.empty()) resolvers.try_emplace(symbol.value, symbol.name);
  }
  for (size_t i = 0; i < count; ++i) {
    Elf64_Rela relocation;
    std::memcpy(&relocation, table.data() + i * sizeof relocation, sizeof relocation);
    const uint64_t index = ELF64_R_SYM(relocation.r_info);
    std::string_view target;
    if (index != 0 && index < symbols.size()) target = symbols[index].name;
    if (index == 0) {
      const auto resolver = resolvers.find(static_cast<uint64_t>(relocation.r_addend));
      if (resolver != resolvers.end()) target = resolver->second;
    }
    std::string name =
        target.empty() ? "[" + std::string(stubs->name) + "]" : std::string(target) + "@plt";
    const uint64_t start = stubs->vaddr + header_bytes + i * kEntryBytes;
    functions_.push_back({std::move(name), start, start + kEntryBytes, true, true});
  }
}

void SymbolTable::Finish(const ElfImage& image) {
  std::stable_sort(functions_.begin(), functions_.end(),
                   [](const FunctionSymbol& a, const FunctionSymbol& b) { return a.start < b.start; });
  functions_.erase(std::unique(functions_.begin(), functions_.end(),
                               [](const FunctionSymbol& a, const FunctionSymbol& b) { return a.start == b.start; }),
                   functions_.end());
  uint64_t reach = 0;
  for (size_t i = 0; i < functions_.size(); ++i) {
    FunctionSymbol& function = functions_[i];
    if (!function.has_exact_size) {
      // An unsized label ends where the next symbol, its section or its segment does.
      const Segment* segment = FindExecutableSegment(image.segments(), function.start);
      uint64_t end = segment != nullptr ? segment->vaddr + segment->memory_bytes : function.start + 1;
      for (const ElfSection& section : image.sections()) {
        if ((section.flags & SHF_EXECINSTR) != 0 && function.start >= section.vaddr &&
            function.start - section.vaddr < section.bytes) {
          end = std::min(end, section.vaddr + section.bytes);
        }
      }
      if (i + 1 < functions_.size()) end = std::min(end, functions_[i + 1].start);
      function.end = end;
    }
    reach = std::max(reach, function.end);
    reach_.push_back(reach);
  }
}

const FunctionSymbol* SymbolTable::Find(uint64_t address) const {
  auto it = std::upper_bound(functions_.begin(), functions_.end(), address,
                             [](uint64_t value, const FunctionSymbol& function) { return value < function.start; });
  for (int step = 0; it != functions_.begin() && step < kMaxOverlap; ++step) {
    --it;
    if (address < it->end) return &*it;
    if (reach_[static_cast<size_t>(it - functions_.begin())] <= address) return nullptr;
  }
  return nullptr;
}

bool SymbolTable::CrossesFunctions(uint64_t first, uint64_t last) const {
  auto it = std::upper_bound(functions_.begin(), functions_.end(), first,
                             [](uint64_t value, const FunctionSymbol& function) { return value < function.start; });
  bool is_in_sized_function = false;
  for (int step = 0; it != functions_.begin() && step < kMaxOverlap; ++step) {
    --it;
    if (it->has_exact_size && first < it->end) {
      if (last < it->end) return false;
      is_in_sized_function = true;
    }
    if (reach_[static_cast<size_t>(it - functions_.begin())] <= first) break;
  }
  return is_in_sized_function;
}

std::string Demangle(const std::string& name) {
  if (name.size() > kMaxDemangledInput || !name.starts_with("_Z")) return name;
  // The suffix of split or cloned functions (.cold, .constprop.0, .llvm.123) and of PLT stubs is put back.
  const size_t suffix = name.find_first_of(".@");
  const std::string core = name.substr(0, suffix);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(core.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || demangled == nullptr) return name;
  return std::string(demangled.get()) + (suffix == std::string::npos ? "" : name.substr(suffix));
}

}  // namespace softlbr::toolchain

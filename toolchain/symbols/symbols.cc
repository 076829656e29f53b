#include "toolchain/symbols/symbols.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "platform/base/elf_machine.h"
#include "toolchain/base/text.h"
#include "toolchain/symbols/demangle.h"

namespace softlbr::toolchain {
namespace {

// Overlapping symbols examined for one address; only a damaged symbol table has more.
constexpr int kMaxOverlap = 512;

// Ranks symbols at the same address; the highest is kept.
int Preference(const FunctionSymbol& symbol, uint8_t binding) {
  int preference = symbol.has_exact_size ? 4 : 0;
  if (binding == STB_GLOBAL) preference += 2;
  if (binding == STB_WEAK) preference += 1;
  return preference;
}

// For each slot of the global offset table: the name of what the loader will put there, if a relocation tells. symbols:
// those that are not dynamic.
std::unordered_map<uint64_t, std::string> SlotTargets(const ElfImage& image, const std::vector<ElfSymbol>& dynamic,
                                                      const std::vector<ElfSymbol>& symbols) {
  const bool is_arm = image.machine() == kMachineAarch64;
  const uint32_t jump_slot = is_arm ? R_AARCH64_JUMP_SLOT : R_X86_64_JUMP_SLOT;
  const uint32_t global_data = is_arm ? R_AARCH64_GLOB_DAT : R_X86_64_GLOB_DAT;
  const uint32_t indirect = is_arm ? R_AARCH64_IRELATIVE : R_X86_64_IRELATIVE;
  std::unordered_map<uint64_t, std::string> targets;
  // Slots for a file's own indirect functions (memcpy in libc) are relocated with the resolver's address, not a symbol.
  std::vector<std::pair<uint64_t, uint64_t>> indirect_slots;  // slot, resolver
  for (const ElfSection& section : image.sections()) {
    if (section.type != SHT_RELA || (section.flags & SHF_ALLOC) == 0) continue;
    const std::span<const uint8_t> table = image.SectionBytes(section);
    for (size_t at = 0; table.size() - at >= sizeof(Elf64_Rela); at += sizeof(Elf64_Rela)) {
      Elf64_Rela relocation;
      std::memcpy(&relocation, table.data() + at, sizeof relocation);
      const uint64_t type = ELF64_R_TYPE(relocation.r_info);
      const uint64_t index = ELF64_R_SYM(relocation.r_info);
      if ((type == jump_slot || type == global_data) && index != 0 && index < dynamic.size() &&
          !dynamic[index].name.empty()) {
        targets.try_emplace(relocation.r_offset, dynamic[index].name);
      } else if (type == indirect) {
        indirect_slots.emplace_back(relocation.r_offset, static_cast<uint64_t>(relocation.r_addend));
      }
    }
  }
  if (indirect_slots.empty()) return targets;
  std::unordered_map<uint64_t, std::string_view> resolvers;
  for (const std::vector<ElfSymbol>* table : {&dynamic, &symbols}) {
    for (const ElfSymbol& symbol : *table) {
      if (symbol.type == STT_GNU_IFUNC && !symbol.name.empty()) resolvers.try_emplace(symbol.value, symbol.name);
    }
  }
  for (const auto& [slot, resolver] : indirect_slots) {
    const auto named = resolvers.find(resolver);
    targets.try_emplace(slot,
                        // as objdump has it
                        named != resolvers.end() ? std::string(named->second) : "*ABS*+" + Hex(resolver));
  }
  return targets;
}

// The slot that the PLT stub at `address` jumps through, or nothing if the instructions are not a known stub.
std::optional<uint64_t> SlotOfStub(uint16_t machine, std::span<const uint8_t> code, uint64_t address) {
  if (machine == kMachineX86_64) {
    constexpr size_t kJumpBytes = 6;  // ff 25 disp32: jmp *disp(%rip); endbr64 or bnd may precede it
    for (size_t at = 0; at + kJumpBytes <= code.size(); ++at) {
      if (code[at] != 0xff || code[at + 1] != 0x25) continue;
      int32_t displacement;
      std::memcpy(&displacement, code.data() + at + 2, sizeof displacement);
      return address + at + kJumpBytes + static_cast<uint64_t>(static_cast<int64_t>(displacement));
    }
    return std::nullopt;
  }
  if (machine != kMachineAarch64) return std::nullopt;
  // adrp x16, page; ldr x17, [x16, #offset]; bti may precede them
  for (size_t at = 0; at + 8 <= code.size(); at += 4) {
    uint32_t adrp;
    uint32_t load;
    std::memcpy(&adrp, code.data() + at, sizeof adrp);
    std::memcpy(&load, code.data() + at + 4, sizeof load);
    if ((adrp & 0x9f00001fu) != 0x90000010u || (load & 0xffc003ffu) != 0xf9400211u) continue;
    const uint32_t pages = (((adrp >> 5) & 0x7ffffu) << 2) | ((adrp >> 29) & 3u);
    // sign of 21 bits, times 4096
    const int64_t page_offset = static_cast<int64_t>(static_cast<uint64_t>(pages) << 43) >> 31;
    const uint64_t page = ((address + at) & ~uint64_t{0xfff}) + static_cast<uint64_t>(page_offset);
    return page + ((load >> 10) & 0xfffu) * 8;
  }
  return std::nullopt;
}

bool IsCode(const ElfSection& section) {
  constexpr uint64_t kCode = SHF_ALLOC | SHF_EXECINSTR;
  return (section.flags & kCode) == kCode;
}

// Whether the symbol's section is code. A symbol of another section need not have an address for its value: with -flto,
// gcc leaves hidden symbols of .debug_info behind whose values are offsets there, which look like addresses of code.
bool IsInCode(const ElfImage& source, const ElfSymbol& symbol) {
  const std::vector<ElfSection>& sections = source.sections();
  if (symbol.section == SHN_XINDEX) {  // the number of the section stands elsewhere
    return std::any_of(sections.begin(), sections.end(), [&symbol](const ElfSection& section) {
      return IsCode(section) && symbol.value >= section.vaddr && symbol.value - section.vaddr < section.bytes;
    });
  }
  return symbol.section < sections.size() && IsCode(sections[symbol.section]);
}

}  // namespace

SymbolTable::SymbolTable(const ElfImage& image, const ElfImage* debug) : frames_(image) {
  std::vector<ElfSymbol> symbols = image.Symbols(false);
  const bool is_separate = symbols.empty() && debug != nullptr;
  if (is_separate) symbols = debug->Symbols(false);
  const std::vector<ElfSymbol> dynamic = image.Symbols(true);
  AddSymbols(image, is_separate ? *debug : image, symbols);
  AddSymbols(image, image, dynamic);
  AddPlt(image, dynamic, symbols);
  Finish(image);
}

void SymbolTable::AddSymbols(const ElfImage& image, const ElfImage& source, const std::vector<ElfSymbol>& symbols) {
  struct Candidate {
    FunctionSymbol symbol;
    int preference;
  };
  std::vector<Candidate> candidates;
  uint32_t file = 0;
  for (const ElfSymbol& symbol : symbols) {
    // The local symbols of an object file follow the symbol of its name. One without a name ends those of the last
    // file.
    if (symbol.type == STT_FILE) {
      file = symbol.name.empty() ? 0 : static_cast<uint32_t>(files_.size());
      if (file != 0) files_.emplace_back(symbol.name);
    }
    has_ada_ |= IsSignOfAda(symbol.name);
    const bool is_function = symbol.type == STT_FUNC || symbol.type == STT_GNU_IFUNC;
    // Assembly labels have no type. Mapping symbols ($x, $d) and local labels (.L) are not functions.
    const bool is_label =
        symbol.type == STT_NOTYPE && !symbol.name.empty() && symbol.name[0] != '$' && !symbol.name.starts_with(".L");
    if ((!is_function && !is_label) || symbol.section == SHN_UNDEF || symbol.section == SHN_ABS ||
        symbol.name.empty()) {
      continue;
    }
    if (FindExecutableSegment(image.segments(), symbol.value) == nullptr) continue;
    if (is_label && !IsInCode(source, symbol)) continue;
    FunctionSymbol function;
    function.name = symbol.name;
    function.start = symbol.value;
    function.file = symbol.binding == STB_LOCAL ? file : 0;
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

// PLT stubs have no symbols. Each jumps through a slot, and the relocation of that slot names the target. Stubs are not
// matched by position: libc orders the stubs of its own indirect functions differently from their relocations.
void SymbolTable::AddPlt(const ElfImage& image, const std::vector<ElfSymbol>& dynamic,
                         const std::vector<ElfSymbol>& symbols) {
  const std::unordered_map<uint64_t, std::string> targets = SlotTargets(image, dynamic, symbols);
  for (const char* name : {".plt", ".plt.sec", ".plt.got", ".iplt"}) {
    const ElfSection* section = image.FindSection(name);
    if (section == nullptr || section->vaddr == 0 || section->bytes > UINT64_MAX - section->vaddr) continue;
    const std::span<const uint8_t> code = image.SectionBytes(*section);
    const size_t entry_bytes = section->entry_bytes == 8 ? 8 : 16;
    for (size_t at = 0; at + entry_bytes <= code.size(); at += entry_bytes) {
      const uint64_t start = section->vaddr + at;
      const std::optional<uint64_t> slot = SlotOfStub(image.machine(), code.subspan(at, entry_bytes), start);
      const auto target = slot.has_value() ? targets.find(*slot) : targets.end();
      functions_.push_back({target != targets.end() ? target->second + "@plt" : "[" + std::string(name) + "]", start,
                            start + entry_bytes, true, true});
    }
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
      // A label without size ends at the next symbol or function, or at the end of its section or segment.
      const Segment* segment = FindExecutableSegment(image.segments(), function.start);
      uint64_t end = segment != nullptr ? segment->vaddr + segment->memory_bytes : function.start + 1;
      for (const ElfSection& section : image.sections()) {
        if ((section.flags & SHF_EXECINSTR) != 0 && function.start >= section.vaddr &&
            function.start - section.vaddr < section.bytes) {
          end = std::min(end, section.vaddr + section.bytes);
        }
      }
      if (i + 1 < functions_.size()) end = std::min(end, functions_[i + 1].start);
      if (const std::optional<uint64_t> next = frames_.NextStart(function.start)) end = std::min(end, *next);
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

}  // namespace softlbr::toolchain

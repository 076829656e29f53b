// Measures how much of real programs the decoder lifts with full semantics, and which instructions are missing most.
//
//   oracle_coverage [--top N] FILE...          every instruction of the files' executable sections, once (static)
//
// An instruction counts as modelled if none of its uops makes anything UNKNOWN. Some do so by design (atomics, cpuid,
// rdtsc). Names come from Capstone; an instruction that it cannot name is shown by its first opcode bytes. The sweep is
// linear, so data between functions is counted as the instructions that it decodes to.
#include <capstone/capstone.h>
#include <dlfcn.h>
#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "decoders/api/plugin.h"

namespace {

struct Section {
  uint64_t address;
  uint64_t offset;
  uint64_t size;
};

struct Counts {
  uint64_t instructions = 0;
  uint64_t modelled = 0;
  uint64_t undecodable_bytes = 0;
  std::map<std::string, uint64_t> missing;
};

std::vector<uint8_t> ReadFile(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Executable sections with contents; empty if the file is not an x86-64 ELF file or is damaged.
std::vector<Section> ExecutableSections(const std::vector<uint8_t>& file) {
  std::vector<Section> sections;
  Elf64_Ehdr header;
  if (file.size() < sizeof(header)) return sections;
  std::memcpy(&header, file.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_machine != EM_X86_64) return sections;
  for (uint32_t i = 0; i < header.e_shnum; ++i) {
    const uint64_t at = header.e_shoff + uint64_t{i} * header.e_shentsize;
    Elf64_Shdr section;
    if (at > file.size() || file.size() - at < sizeof(section)) break;
    std::memcpy(&section, file.data() + at, sizeof(section));
    if ((section.sh_flags & SHF_EXECINSTR) == 0 || section.sh_type != SHT_PROGBITS) continue;
    if (section.sh_offset > file.size() || file.size() - section.sh_offset < section.sh_size) continue;
    sections.push_back({section.sh_addr, section.sh_offset, section.sh_size});
  }
  return sections;
}

bool Forgets(const softlbr_uop& uop) {
  switch (uop.op) {
    case SOFTLBR_OP_UNKNOWN:
    case SOFTLBR_OP_STORE_UNKNOWN:
    case SOFTLBR_OP_CLOBBER_MEMORY:
    case SOFTLBR_OP_CLOBBER_FLAGS: return true;
    default: return false;
  }
}

class Sweep {
 public:
  explicit Sweep(const softlbr_decoder_plugin* plugin) : arena_(plugin->arena_bytes + 64), plugin_(plugin) {
    uint8_t* arena = arena_.data() + (64 - reinterpret_cast<uintptr_t>(arena_.data()) % 64) % 64;
    is_open_ =
        plugin_->open(arena, plugin_->arena_bytes, SOFTLBR_DECODER_VARIANT_HOST, &decoder_) == SOFTLBR_DECODER_OK;
  }
  bool is_open() const { return is_open_; }

  void Run(const uint8_t* code, uint64_t size, uint64_t address, Counts* counts) {
    uint64_t at = 0;
    while (at < size) {
      if (plugin_->lift(decoder_, code + at, size - at, address + at, &block_) != SOFTLBR_DECODER_OK) return;
      uint32_t uop = 0;
      for (uint32_t i = 0; i < block_.instruction_count; ++i) {
        bool is_modelled = true;
        for (uint32_t j = 0; j < block_.uops_of[i]; ++j) is_modelled &= !Forgets(block_.uops[uop + j]);
        uop += block_.uops_of[i];
        ++counts->instructions;
        if (is_modelled) {
          ++counts->modelled;
        } else {
          missing_.push_back({code + at, block_.length[i]});
        }
        at += block_.length[i];
      }
      if (block_.instruction_count == 0 ||
          (block_.end.kind == SOFTLBR_END_UNDECODABLE && (block_.end.flags & SOFTLBR_END_FLAG_CUT_BY_WINDOW) == 0)) {
        ++counts->undecodable_bytes;
        missing_.push_back({code + at, 0});
        ++at;
      }
    }
  }

  // Looks up names for what Run() found missing.
  void Name(Counts* counts) {
    csh handle = 0;
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK) return;
    cs_insn* insn = cs_malloc(handle);
    for (const Missing& missing : missing_) {
      if (missing.size == 0) {
        ++counts->missing["(undecodable)"];
        continue;
      }
      const uint8_t* at = missing.code;
      size_t size = missing.size;
      uint64_t address = 0;
      std::string name;
      if (cs_disasm_iter(handle, &at, &size, &address, insn) && size == 0) {
        name = insn->mnemonic;
      } else {
        char text[8];
        for (uint32_t i = 0; i < missing.size && i < 6; ++i) {
          std::snprintf(text, sizeof(text), "%02x ", missing.code[i]);
          name += text;
        }
      }
      ++counts->missing[name];
    }
    missing_.clear();
    cs_free(insn, 1);
    cs_close(&handle);
  }

 private:
  struct Missing {
    const uint8_t* code;
    uint32_t size;
  };
  std::vector<uint8_t> arena_;
  const softlbr_decoder_plugin* plugin_;
  softlbr_decoder* decoder_ = nullptr;
  bool is_open_ = false;
  softlbr_block block_;
  std::vector<Missing> missing_;
};

void Print(const char* name, const Counts& counts, size_t top) {
  const double share = counts.instructions != 0
                           ? 100.0 * static_cast<double>(counts.modelled) / static_cast<double>(counts.instructions)
                           : 0.0;
  std::printf("%-40s %10llu instructions  %6.2f %% modelled  %llu undecodable bytes\n", name,
              static_cast<unsigned long long>(counts.instructions), share,
              static_cast<unsigned long long>(counts.undecodable_bytes));
  std::vector<std::pair<uint64_t, std::string>> order;
  for (const auto& [mnemonic, count] : counts.missing) order.emplace_back(count, mnemonic);
  std::sort(order.rbegin(), order.rend());
  for (size_t i = 0; i < order.size() && i < top; ++i) {
    std::printf("    %8llu %s\n", static_cast<unsigned long long>(order[i].first), order[i].second.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  size_t top = 12;
  std::vector<const char*> paths;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--top") == 0 && i + 1 < argc) {
      top = std::strtoul(argv[++i], nullptr, 10);
    } else {
      paths.push_back(argv[i]);
    }
  }
  if (paths.empty()) {
    std::fputs("usage: oracle_coverage [--top N] FILE...\n", stderr);
    return 2;
  }
  // Uses the plugin as apps load it: the shared object has a private Capstone, while this tool uses another copy for
  // names.
  void* library = dlopen(SOFTLBR_PLUGIN_PATH, RTLD_NOW | RTLD_LOCAL);
  const auto entry =
      library != nullptr
          ? reinterpret_cast<softlbr_decoder_plugin_function>(dlsym(library, SOFTLBR_DECODER_PLUGIN_SYMBOL))
          : nullptr;
  if (entry == nullptr) {
    std::fprintf(stderr, "the decoder plugin does not load: %s\n", dlerror());
    return 1;
  }
  Sweep sweep(entry());
  if (!sweep.is_open()) return 1;
  Counts all;
  bool is_any_bad = false;
  for (const char* path : paths) {
    const std::vector<uint8_t> file = ReadFile(path);
    const std::vector<Section> sections = ExecutableSections(file);
    if (sections.empty()) {
      std::fprintf(stderr, "%s: no executable x86-64 section\n", path);
      is_any_bad = true;
      continue;
    }
    Counts counts;
    for (const Section& section : sections)
      sweep.Run(file.data() + section.offset, section.size, section.address, &counts);
    sweep.Name(&counts);
    Print(path, counts, top);
    all.instructions += counts.instructions;
    all.modelled += counts.modelled;
    all.undecodable_bytes += counts.undecodable_bytes;
    for (const auto& [mnemonic, count] : counts.missing) all.missing[mnemonic] += count;
  }
  if (paths.size() > 1) Print("all", all, top);
  return is_any_bad ? 1 : 0;
}

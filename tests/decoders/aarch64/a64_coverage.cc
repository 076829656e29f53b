// Measures what stays UNKNOWN in real programs: lifts every word of the text sections of AArch64 files separately.
//
//   a64_coverage FILE...
//
// Prints the instructions that make something UNKNOWN, by name, most frequent first, with their share of all
// instructions. Words that are not instructions (literals, padding) are counted separately. decoders/aarch64/README.md
// has a table of the results.
#include <capstone/capstone.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "decoders/aarch64/plugin_aarch64.h"
#include "tests/decoders/elf_text.h"

namespace softlbr {
namespace {

bool LeavesUnknown(const softlbr_block& block) {
  if (block.end.kind == SOFTLBR_END_SYSCALL) return false;  // cannot be known
  for (uint32_t i = 0; i < block.uop_count; ++i) {
    switch (block.uops[i].op) {
      case SOFTLBR_OP_UNKNOWN:
      case SOFTLBR_OP_STORE_UNKNOWN:
      case SOFTLBR_OP_CLOBBER_MEMORY:
      case SOFTLBR_OP_CLOBBER_FLAGS: return true;
      default: break;
    }
  }
  return false;
}

int Main(int count, char** files) {
  const softlbr_decoder_plugin* plugin = softlbr_decoder_plugin_aarch64();
  void* arena = std::aligned_alloc(64, (plugin->arena_bytes + 63) / 64 * 64);
  softlbr_decoder* decoder = nullptr;
  csh names;
  if (plugin->open(arena, plugin->arena_bytes, SOFTLBR_DECODER_VARIANT_HOST, &decoder) != SOFTLBR_DECODER_OK ||
      cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &names) != CS_ERR_OK) {
    return 1;
  }
  std::map<std::string, uint64_t> unknown;
  uint64_t all = 0, nothing = 0, unknown_all = 0;
  auto block = std::make_unique<softlbr_block>();
  for (int i = 1; i < count; ++i) {
    const std::vector<uint8_t> text = test::ReadText(files[i], EM_AARCH64).bytes;
    if (text.empty()) std::fprintf(stderr, "%s: no text\n", files[i]);
    for (size_t at = 0; at + 4 <= text.size(); at += 4) {
      plugin->lift(decoder, text.data() + at, 4, 0x400000 + at, block.get());
      if (block->instruction_count == 0) {
        ++nothing;
        continue;
      }
      ++all;
      if (!LeavesUnknown(*block)) continue;
      ++unknown_all;
      cs_insn* instruction = nullptr;
      std::string name = "?";
      if (cs_disasm(names, text.data() + at, 4, 0x400000 + at, 1, &instruction) == 1) {
        name = instruction->mnemonic;
        cs_free(instruction, 1);
      }
      ++unknown[name];
    }
  }
  cs_close(&names);
  plugin->close(decoder);
  std::free(arena);
  std::vector<std::pair<uint64_t, std::string>> sorted;
  for (const auto& [name, times] : unknown) sorted.emplace_back(times, name);
  std::sort(sorted.rbegin(), sorted.rend());
  const double total = static_cast<double>(std::max<uint64_t>(all, 1));
  std::printf("%lu instructions, %lu words that are none; %lu leave something UNKNOWN (%.4f %%)\n", all, nothing,
              unknown_all, 100 * static_cast<double>(unknown_all) / total);
  for (const auto& [times, name] : sorted)
    std::printf("%10lu %8.4f %% %s\n", times, 100 * static_cast<double>(times) / total, name.c_str());
  return all == 0 ? 1 : 0;
}

}  // namespace
}  // namespace softlbr

int main(int count, char** files) { return softlbr::Main(count, files); }

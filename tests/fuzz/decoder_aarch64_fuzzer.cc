// Fuzzes the AArch64 decoder: for any code bytes it must return well-formed blocks and read nothing beyond the window.
//
// The first byte selects the program counter, including addresses near the top of the address space and unaligned ones.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "decoders/aarch64/plugin_aarch64.h"
#include "runtime/lookahead/uop_check.h"
#include "tests/fuzz/guarded_window.h"

namespace softlbr {
namespace {

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "requirement failed: %s\n", what);
  std::abort();
}

struct Plugin {
  alignas(64) uint8_t arena[4096];
  const softlbr_decoder_plugin* table;
  softlbr_decoder* decoder;

  Plugin() : table(softlbr_decoder_plugin_aarch64()), decoder(nullptr) {
    Require(table->open(arena, sizeof(arena), SOFTLBR_DECODER_VARIANT_HOST, &decoder) == SOFTLBR_DECODER_OK,
            "the plugin opens");
  }
};

constexpr uint64_t kPcs[] = {0x1000, 0x7ffffffffffc, 0xfffffffffffffff0, 0, 0xffffff8000000ffc, 0x1002};

bool IsCut(const softlbr_block& block) { return (block.end.flags & SOFTLBR_END_FLAG_CUT_BY_WINDOW) != 0; }

// Lifts and checks one block, from a copy of the window that ends before an unreadable page.
void CheckBlock(Plugin* plugin, const uint8_t* code, size_t size, uint64_t pc, softlbr_block* block) {
  const testing::GuardedWindow window(code, size);
  Require(plugin->table->lift(plugin->decoder, window.data(), size, pc, block) == SOFTLBR_DECODER_OK, "lift answers");
  Require(block->pc == pc, "the block starts at the given pc");
  Require(block->instruction_count <= SOFTLBR_BLOCK_MAX_INSTRUCTIONS, "instructions fit");
  Require(block->uop_count <= SOFTLBR_BLOCK_MAX_UOPS, "uops fit");
  Require(block->byte_length <= size, "the block is within the window");
  Require(block->byte_length == 4u * block->instruction_count, "every instruction has four bytes");
  uint32_t uops = 0;
  for (uint32_t i = 0; i < block->instruction_count; ++i) {
    Require(block->length[i] == 4, "lengths are 4");
    const uint32_t length =
        plugin->table->instruction_length(plugin->decoder, window.data() + 4 * i, size - 4 * i, pc + 4 * i);
    Require(length == 4, "instruction_length agrees with lift");
    uops += block->uops_of[i];
  }
  Require(uops == block->uop_count, "sums agree");
  Require(IsTerminatorWellFormed(block->end), "the terminator is well-formed");
  for (uint32_t i = 0; i < block->uop_count; ++i) Require(IsUopWellFormed(block->uops[i]), "uops are well-formed");
  const bool has_terminator = block->end.kind != SOFTLBR_END_FALLTHROUGH && block->end.kind != SOFTLBR_END_UNDECODABLE;
  const uint32_t last_uops = block->instruction_count == 0 ? 0 : block->uops_of[block->instruction_count - 1];
  Require(block->end.after_uops <= (has_terminator ? last_uops : 0), "after-uops belong to the terminator");
  Require(!IsCut(*block) || size - block->byte_length < 4, "four bytes are never too few");
  if (block->end.kind == SOFTLBR_END_UNDECODABLE && !IsCut(*block)) {
    const uint32_t at = block->byte_length;
    Require(plugin->table->instruction_length(plugin->decoder, window.data() + at, size - at, pc + at) == 0,
            "an undecodable instruction has no length");
  }
}

}  // namespace
}  // namespace softlbr

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static softlbr::Plugin plugin;
  static softlbr_block block;
  if (size == 0) return 0;
  constexpr size_t kMostBytes = 1024;
  const uint64_t pc = softlbr::kPcs[data[0] % (sizeof(softlbr::kPcs) / sizeof(softlbr::kPcs[0]))];
  ++data;
  --size;
  if (size > kMostBytes) size = kMostBytes;
  for (size_t at = 0; at < size;) {
    softlbr::CheckBlock(&plugin, data + at, size - at, pc + at, &block);
    at += block.byte_length != 0 ? block.byte_length : 4;
  }
  return 0;
}

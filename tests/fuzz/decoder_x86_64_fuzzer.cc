// Fuzzes the x86-64 decoder: for any code bytes it must return well-formed blocks and read nothing beyond the window.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "decoders/x86_64/decode/instruction.h"
#include "decoders/x86_64/plugin_x86_64.h"
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
  alignas(64) uint8_t arena[65536];
  const softlbr_decoder_plugin* table;
  softlbr_decoder* decoder;
  uint8_t cpu;

  Plugin(uint32_t variant, uint8_t cpu_bits) : table(softlbr_decoder_plugin_x86_64()), decoder(nullptr), cpu(cpu_bits) {
    Require(table->open(arena, sizeof(arena), variant, &decoder) == SOFTLBR_DECODER_OK, "the plugin opens");
  }
};

// Lifts and checks one block, from a copy of the window that ends before an unreadable page.
void CheckBlock(Plugin* plugin, const uint8_t* code, size_t size, softlbr_block* block) {
  const testing::GuardedWindow window(code, size);
  Require(plugin->table->lift(plugin->decoder, window.data(), size, 0x1000, block) == SOFTLBR_DECODER_OK,
          "lift answers");
  Require(block->instruction_count <= SOFTLBR_BLOCK_MAX_INSTRUCTIONS, "instructions fit");
  Require(block->uop_count <= SOFTLBR_BLOCK_MAX_UOPS, "uops fit");
  Require(block->byte_length <= size, "the block is within the window");
  uint32_t bytes = 0;
  uint32_t uops = 0;
  for (uint32_t i = 0; i < block->instruction_count; ++i) {
    Require(block->length[i] >= 1 && block->length[i] <= x86::kMaxInstructionBytes, "lengths are 1 to 15");
    const uint32_t length = plugin->table->instruction_length(plugin->decoder, window.data() + bytes, size - bytes, 0);
    Require(length == block->length[i], "instruction_length agrees with lift");
    bytes += block->length[i];
    uops += block->uops_of[i];
  }
  Require(bytes == block->byte_length && uops == block->uop_count, "sums agree");
  Require(IsTerminatorWellFormed(block->end), "the terminator is well-formed");
  for (uint32_t i = 0; i < block->uop_count; ++i) Require(IsUopWellFormed(block->uops[i]), "uops are well-formed");
  const bool is_cut = (block->end.flags & SOFTLBR_END_FLAG_CUT_BY_WINDOW) != 0;
  Require(!is_cut || size - block->byte_length < x86::kMaxInstructionBytes, "15 bytes are never too few");
}

// Decoding from a long window and from one of kMaxInstructionBytes uses different code (decode.cc); both must agree.
void CheckDecode(const uint8_t* code, size_t size, uint8_t cpu) {
  uint8_t window[32] = {};
  std::memcpy(window, code, size < sizeof(window) ? size : sizeof(window));
  x86::Instruction with_long;
  x86::Instruction with_short;
  const x86::DecodeResult result = x86::Decode(window, sizeof(window), cpu, &with_long);
  Require(result == x86::Decode(window, x86::kMaxInstructionBytes, cpu, &with_short), "results agree");
  Require(result != x86::DecodeResult::kTruncated, "32 bytes are enough");
  if (result == x86::DecodeResult::kOk)
    Require(std::memcmp(&with_long, &with_short, sizeof(with_long)) == 0, "fields agree");
}

}  // namespace
}  // namespace softlbr

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static softlbr::Plugin plugins[] = {softlbr::Plugin(SOFTLBR_X86_64_TODAYS_INTEL, softlbr::x86::kIntel),
                                      softlbr::Plugin(SOFTLBR_X86_64_TODAYS_AMD, softlbr::x86::kAmd),
                                      softlbr::Plugin(SOFTLBR_DECODER_VARIANT_UNKNOWN, softlbr::x86::kUnknownCpu)};
  static softlbr_block block;
  constexpr size_t kMostBytes = 1024;
  if (size > kMostBytes) size = kMostBytes;
  for (softlbr::Plugin& plugin : plugins) {
    size_t at = 0;
    while (at < size) {
      softlbr::CheckDecode(data + at, size - at, plugin.cpu);
      softlbr::CheckBlock(&plugin, data + at, size - at, &block);
      at += block.byte_length != 0 ? block.byte_length : 1;
    }
  }
  return 0;
}

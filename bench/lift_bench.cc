// Cost of lifting: ns per instruction through the plugin, over the code of real binaries in link order.
// A session pays this once for each block.
#include <benchmark/benchmark.h>
#include <elf.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "decoders/api/plugin.h"

extern "C" const softlbr_decoder_plugin* softlbr_decoder_plugin_x86_64(void);
extern "C" const softlbr_decoder_plugin* softlbr_decoder_plugin_aarch64(void);

namespace {

// The bytes of an ELF64 file's .text section; empty if there are none.
std::vector<uint8_t> TextOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (bytes.size() < sizeof(Elf64_Ehdr)) return {};
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), bytes.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  const char* names = bytes.data() + sections[header.e_shstrndx].sh_offset;
  for (const Elf64_Shdr& section : sections) {
    if (std::strcmp(names + section.sh_name, ".text") != 0) continue;
    const char* begin = bytes.data() + section.sh_offset;
    return std::vector<uint8_t>(begin, begin + section.sh_size);
  }
  return {};
}

struct Decoder {
  explicit Decoder(const softlbr_decoder_plugin* p)
      : plugin(p), arena(std::aligned_alloc(64, (plugin->arena_bytes + 63) & ~63u)) {
    plugin->open(arena, plugin->arena_bytes, SOFTLBR_DECODER_VARIANT_HOST, &handle);
  }
  ~Decoder() {
    plugin->close(handle);
    std::free(arena);
  }
  const softlbr_decoder_plugin* plugin;
  void* arena;
  softlbr_decoder* handle = nullptr;
};

void BM_LiftInstruction(benchmark::State& state, softlbr_decoder_plugin_function plugin, const char* path) {
  const std::vector<uint8_t> text = TextOf(path);
  if (text.empty()) {
    state.SkipWithError("no such binary");
    return;
  }
  Decoder decoder(plugin());
  auto block = std::make_unique<softlbr_block>();
  uint64_t instructions = 0;
  uint64_t blocks = 0;
  size_t at = 0;
  constexpr size_t kWindow = 256;
  for (auto _ : state) {
    if (at + kWindow > text.size()) at = 0;
    decoder.plugin->lift(decoder.handle, text.data() + at, kWindow, 0x400000 + at, block.get());
    benchmark::DoNotOptimize(block->uop_count);
    instructions += block->instruction_count;
    ++blocks;
    at += block->byte_length != 0 ? block->byte_length : decoder.plugin->instruction_alignment;
  }
  state.counters["ns_per_instruction"] = benchmark::Counter(static_cast<double>(instructions) * 1e-9,
                                                            benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["instructions_per_block"] = static_cast<double>(instructions) / static_cast<double>(blocks);
}

BENCHMARK_CAPTURE(BM_LiftInstruction, libc, softlbr_decoder_plugin_x86_64, "/lib/x86_64-linux-gnu/libc.so.6");
BENCHMARK_CAPTURE(BM_LiftInstruction, perl, softlbr_decoder_plugin_x86_64, "/usr/bin/perl");
BENCHMARK_CAPTURE(BM_LiftInstruction, cc1, softlbr_decoder_plugin_x86_64, "/usr/lib/gcc/x86_64-linux-gnu/12/cc1");
// From Debian's libc6-arm64-cross and libstdc++6-arm64-cross.
BENCHMARK_CAPTURE(BM_LiftInstruction, aarch64_libc, softlbr_decoder_plugin_aarch64,
                  "/usr/aarch64-linux-gnu/lib/libc.so.6");
BENCHMARK_CAPTURE(BM_LiftInstruction, aarch64_libstdcxx, softlbr_decoder_plugin_aarch64,
                  "/usr/aarch64-linux-gnu/lib/libstdc++.so.6");

}  // namespace

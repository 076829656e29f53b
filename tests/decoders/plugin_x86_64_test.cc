// The plugin as a whole: table, memory, stack, windows, threads, static and dlopen-ed forms.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "platform/base/elf_machine.h"
#include "tests/decoders/allocation_counter.h"
#include "tests/decoders/elf_text.h"
#include "tests/decoders/forms/forms.h"
#include "tests/decoders/plugin_fixture.h"

namespace softlbr {
namespace {

constexpr size_t kWindowBytes = 256;
constexpr char kLibc[] = "/lib/x86_64-linux-gnu/libc.so.6";

class PluginX8664 : public test::PluginTest {};

struct LiftSummary {
  uint64_t instructions = 0;
  uint64_t blocks = 0;
  uint64_t undecodable = 0;
  uint64_t hash = 14695981039346656037u;
  void Mix(uint64_t value) { hash = (hash ^ value) * 1099511628211u; }
};

// Lifts a whole section block by block, through windows as the runtime uses them.
LiftSummary LiftAll(const softlbr_decoder_plugin& plugin, softlbr_decoder* decoder, const test::CodeSection& text,
                    softlbr_block* block) {
  LiftSummary summary;
  size_t at = 0;
  while (at < text.bytes.size()) {
    const size_t size = std::min(kWindowBytes, text.bytes.size() - at);
    if (plugin.lift(decoder, text.bytes.data() + at, size, text.address + at, block) != SOFTLBR_DECODER_OK) break;
    ++summary.blocks;
    summary.instructions += block->instruction_count;
    summary.Mix(block->byte_length);
    summary.Mix(block->end.kind);
    summary.Mix(static_cast<uint64_t>(block->end.disp));
    for (uint32_t i = 0; i < block->uop_count; ++i) {
      uint64_t words[2];
      std::memcpy(words, &block->uops[i], sizeof(words));
      summary.Mix(words[0]);
      summary.Mix(words[1]);
    }
    if (block->end.kind == SOFTLBR_END_UNDECODABLE) {
      ++summary.undecodable;
      at += 1;  // step over a byte that starts no instruction
    }
    at += block->byte_length;
  }
  return summary;
}

TEST_F(PluginX8664, TableIsWellFormed) {
  EXPECT_EQ(plugin_.abi_version, SOFTLBR_DECODER_ABI_VERSION);
  EXPECT_EQ(plugin_.struct_size, sizeof(softlbr_decoder_plugin));
  EXPECT_EQ(plugin_.arch, kMachineX86_64);
  EXPECT_EQ(plugin_.stack_pointer_slot, SOFTLBR_X86_RSP);
  EXPECT_STREQ(plugin_.name, "x86_64");
  EXPECT_EQ(plugin_.max_instruction_bytes, 15u);
  EXPECT_LE(plugin_.arena_bytes, 65536u);
}

TEST_F(PluginX8664, OpenRejectsBadArenas) {
  alignas(64) static uint8_t arena[65536];
  softlbr_decoder* decoder = nullptr;
  EXPECT_EQ(plugin_.open(nullptr, sizeof(arena), SOFTLBR_DECODER_VARIANT_HOST, &decoder), SOFTLBR_DECODER_BAD_ARGUMENT);
  EXPECT_EQ(plugin_.open(arena, plugin_.arena_bytes - 1, SOFTLBR_DECODER_VARIANT_HOST, &decoder),
            SOFTLBR_DECODER_BAD_ARGUMENT);
  EXPECT_EQ(plugin_.open(arena + 8, plugin_.arena_bytes, SOFTLBR_DECODER_VARIANT_HOST, &decoder),
            SOFTLBR_DECODER_BAD_ARGUMENT);
  EXPECT_EQ(plugin_.open(arena, plugin_.arena_bytes, SOFTLBR_DECODER_VARIANT_HOST, nullptr),
            SOFTLBR_DECODER_BAD_ARGUMENT);
  EXPECT_EQ(decoder, nullptr);
}

TEST_F(PluginX8664, ArenaIsLargeEnoughAndNotOverrun) {
  static uint8_t memory[65536 + 64];
  uint8_t* arena = memory + (64 - reinterpret_cast<uintptr_t>(memory) % 64) % 64;
  std::memset(arena, 0xa5, 65536);
  softlbr_decoder* decoder = nullptr;
  ASSERT_EQ(plugin_.open(arena, plugin_.arena_bytes, SOFTLBR_DECODER_VARIANT_HOST, &decoder), SOFTLBR_DECODER_OK);
  for (size_t i = plugin_.arena_bytes; i < 65536; ++i) ASSERT_EQ(arena[i], 0xa5) << i;
  plugin_.close(decoder);
}

TEST_F(PluginX8664, LiftRejectsBadArguments) {
  EXPECT_EQ(plugin_.lift(nullptr, nullptr, 0, 0, &block_), SOFTLBR_DECODER_BAD_ARGUMENT);
  EXPECT_EQ(plugin_.lift(decoder_, nullptr, 1, 0, &block_), SOFTLBR_DECODER_BAD_ARGUMENT);
  EXPECT_EQ(plugin_.lift(decoder_, nullptr, 0, 0, nullptr), SOFTLBR_DECODER_BAD_ARGUMENT);
}

TEST_F(PluginX8664, CutWindowsAreMarked) {
  // An empty window, and one that ends within the first instruction: no instruction, but more bytes may help.
  EXPECT_EQ(Lift({}).end.kind, SOFTLBR_END_UNDECODABLE);
  EXPECT_EQ(block_.end.flags, SOFTLBR_END_FLAG_CUT_BY_WINDOW);
  EXPECT_EQ(Lift({0x48, 0x89}).end.kind, SOFTLBR_END_UNDECODABLE);
  EXPECT_EQ(block_.end.flags, SOFTLBR_END_FLAG_CUT_BY_WINDOW);
  EXPECT_EQ(block_.instruction_count, 0);
  // After complete instructions, a cut window is a fall-through.
  EXPECT_EQ(Lift({0x90, 0x90, 0x48, 0x89}).end.kind, SOFTLBR_END_FALLTHROUGH);
  EXPECT_EQ(block_.end.flags, SOFTLBR_END_FLAG_CUT_BY_WINDOW);
  EXPECT_EQ(block_.byte_length, 2u);
  // Bytes that are no instruction do not set the flag.
  EXPECT_EQ(Lift({0x90, 0x06, 0x90}).end.kind, SOFTLBR_END_UNDECODABLE);
  EXPECT_EQ(block_.end.flags, 0);
  EXPECT_EQ(block_.byte_length, 1u);
  // It is not known what privileged instructions write: the block ends before them.
  EXPECT_EQ(Lift({0x90, 0xfa, 0xc3}).end.kind, SOFTLBR_END_UNDECODABLE);
  EXPECT_EQ(block_.instruction_count, 1);
  EXPECT_EQ(plugin_.instruction_length(decoder_, reinterpret_cast<const uint8_t*>("\xfa"), 1, 0), 1u);
}

TEST_F(PluginX8664, FullBlocksFallThrough) {
  std::vector<uint8_t> nops(100, 0x90);
  Lift(nops);
  EXPECT_EQ(block_.instruction_count, SOFTLBR_BLOCK_MAX_INSTRUCTIONS);
  EXPECT_EQ(block_.end.kind, SOFTLBR_END_FALLTHROUGH);
  EXPECT_EQ(block_.end.flags, 0);
  // Many uops per instruction: the block ends before the first that does not fit.
  std::vector<uint8_t> wide;
  for (int i = 0; i < 64; ++i) wide.insert(wide.end(), {0x0f, 0xa2, 0xc9});  // cpuid; leave
  wide.insert(wide.end(), {0xc3});
  Lift(wide);
  EXPECT_EQ(block_.end.kind, SOFTLBR_END_FALLTHROUGH);
  EXPECT_LE(block_.uop_count, SOFTLBR_BLOCK_MAX_UOPS);
  uint32_t uops = 0;
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < block_.instruction_count; ++i) {
    uops += block_.uops_of[i];
    bytes += block_.length[i];
  }
  EXPECT_EQ(uops, block_.uop_count);
  EXPECT_EQ(bytes, block_.byte_length);
}

TEST_F(PluginX8664, WholeLibcIsLiftedWithoutAllocating) {
  const test::CodeSection text = test::ReadText(kLibc);
  if (text.bytes.empty()) GTEST_SKIP() << "missing file: " << kLibc;
  test::StartCountingAllocations();
  void* volatile pointer = malloc(1);  // volatile: compilers remove unused allocations
  free(pointer);
  EXPECT_EQ(test::StopCountingAllocations(), 1u) << "the counter works";
  test::StartCountingAllocations();
  const LiftSummary summary = LiftAll(plugin_, decoder_, text, &block_);
  EXPECT_EQ(test::StopCountingAllocations(), 0u);
  EXPECT_GT(summary.instructions, 100000u);
  EXPECT_LT(summary.undecodable, 20u);  // privileged instructions and padding
}

TEST_F(PluginX8664, FourThreadsShareOneHandle) {
  const test::CodeSection text = test::ReadText(kLibc);
  if (text.bytes.empty()) GTEST_SKIP() << "missing file: " << kLibc;
  const LiftSummary expected = LiftAll(plugin_, decoder_, text, &block_);
  std::vector<std::thread> threads;
  std::atomic<int> equal{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      auto block = std::make_unique<softlbr_block>();
      if (LiftAll(plugin_, decoder_, text, block.get()).hash == expected.hash) ++equal;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal.load(), 4);
}

// Runs lift() over libc and every listed form on a painted stack, and measures how much paint was overwritten. Then
// over a form for which Capstone, the deepest callee, is called if it is there.
struct StackProbe {
  const softlbr_decoder_plugin* plugin;
  softlbr_decoder* decoder;
  const test::CodeSection* text;
  softlbr_block* block;
  uint8_t* stack;
  size_t stack_bytes;
  size_t used;
};

void* ProbeStack(void* argument) {
  auto* probe = static_cast<StackProbe*>(argument);
  uint8_t* here = static_cast<uint8_t*>(__builtin_frame_address(0));
  constexpr size_t kOwnFrame = 256;
  std::memset(probe->stack, 0x5a, static_cast<size_t>(here - probe->stack) - kOwnFrame);
  LiftAll(*probe->plugin, probe->decoder, *probe->text, probe->block);
  for (const test::Form& form : test::AllForms()) {
    probe->plugin->lift(probe->decoder, form.code, form.length, 0, probe->block);
  }
  static constexpr uint8_t kMovapsWithF3[] = {0xf3, 0x0f, 0x29, 0x07};
  probe->plugin->lift(probe->decoder, kMovapsWithF3, sizeof(kMovapsWithF3), 0, probe->block);
  size_t untouched = 0;
  while (untouched < probe->stack_bytes && probe->stack[untouched] == 0x5a) ++untouched;
  probe->used = static_cast<size_t>(here - probe->stack) - untouched;
  return nullptr;
}

TEST_F(PluginX8664, StackStaysWithinTheTablesBound) {
  if (test::kIsUnderAddressSanitizer) GTEST_SKIP() << "AddressSanitizer forbids painting the stack";
  const test::CodeSection text = test::ReadText(kLibc);
  if (text.bytes.empty()) GTEST_SKIP() << "missing file: " << kLibc;
  constexpr size_t kStack = 262144;
  void* stack = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(stack, MAP_FAILED);
  StackProbe probe = {&plugin_, decoder_, &text, &block_, static_cast<uint8_t*>(stack), kStack, 0};
  pthread_attr_t attributes;
  pthread_t thread;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstack(&attributes, stack, kStack), 0);
  ASSERT_EQ(pthread_create(&thread, &attributes, ProbeStack, &probe), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  munmap(stack, kStack);
  EXPECT_GT(probe.used, 512u);
  EXPECT_LE(probe.used, plugin_.stack_bytes) << "raise kStackBytes in plugin_x86_64.cc";
  RecordProperty("stack_bytes_used", static_cast<int>(probe.used));
  printf("stack used: %zu of %u bytes\n", probe.used, plugin_.stack_bytes);
}

TEST_F(PluginX8664, SharedObjectGivesTheSameBlocks) {
  const test::CodeSection text = test::ReadText(kLibc);
  if (text.bytes.empty()) GTEST_SKIP() << "missing file: " << kLibc;
  void* library = dlopen(SOFTLBR_PLUGIN_PATH, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto entry = reinterpret_cast<softlbr_decoder_plugin_function>(dlsym(library, SOFTLBR_DECODER_PLUGIN_SYMBOL));
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(dlsym(library, "cs_open"), nullptr) << "Capstone must not be exported";
  const softlbr_decoder_plugin* shared = entry();
  ASSERT_NE(shared, &plugin_);
  alignas(64) static uint8_t arena[65536];
  softlbr_decoder* decoder = nullptr;
  ASSERT_EQ(shared->open(arena, shared->arena_bytes, SOFTLBR_X86_64_TODAYS_INTEL, &decoder), SOFTLBR_DECODER_OK);
  test::StartCountingAllocations();
  const uint64_t hash = LiftAll(*shared, decoder, text, &block_).hash;
  EXPECT_EQ(test::StopCountingAllocations(), 0u);
  EXPECT_EQ(hash, LiftAll(plugin_, decoder_, text, &block_).hash);
  shared->close(decoder);
  dlclose(library);
}

}  // namespace
}  // namespace softlbr

// The plugin as a whole: table, memory, stack, windows, threads, static and dlopen-ed forms.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "platform/base/elf_machine.h"
#include "tests/decoders/aarch64/a64_forms.h"
#include "tests/decoders/aarch64/a64_plugin_fixture.h"
#include "tests/decoders/allocation_counter.h"
#include "tests/decoders/elf_text.h"

namespace softlbr {
namespace {

constexpr size_t kWindowBytes = 256;
constexpr uint32_t kWordsOfForms = 40;

class PluginAarch64 : public test::A64PluginTest {
 protected:
  // Code with every form, including those that a real library does not contain; available on every machine.
  static const std::vector<uint32_t>& Words() {
    static const std::vector<uint32_t> words = [] {
      std::vector<uint32_t> all;
      oracle::Random random(11);
      for (const oracle::A64Form& form : oracle::A64Forms()) {
        const oracle::A64Pattern pattern = oracle::ParsePattern(form.pattern);
        for (uint32_t i = 0; i < kWordsOfForms; ++i) all.push_back(oracle::FillPattern(pattern, &random));
      }
      return all;
    }();
    return words;
  }
};

struct LiftSummary {
  uint64_t instructions = 0;
  uint64_t undecodable = 0;
  uint64_t hash = 14695981039346656037u;
  void Mix(uint64_t value) { hash = (hash ^ value) * 1099511628211u; }
};

LiftSummary LiftAll(const softlbr_decoder_plugin& plugin, softlbr_decoder* decoder, const uint8_t* code, size_t bytes,
                    softlbr_block* block) {
  LiftSummary summary;
  size_t at = 0;
  while (at + 4 <= bytes) {
    const size_t size = std::min(kWindowBytes, bytes - at);
    if (plugin.lift(decoder, code + at, size, 0x10000 + at, block) != SOFTLBR_DECODER_OK) break;
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
      at += 4;
    }
    at += block->byte_length;
  }
  return summary;
}
LiftSummary LiftAll(const softlbr_decoder_plugin& plugin, softlbr_decoder* decoder, const std::vector<uint32_t>& words,
                    softlbr_block* block) {
  return LiftAll(plugin, decoder, reinterpret_cast<const uint8_t*>(words.data()), 4 * words.size(), block);
}

// The trampoline that returns from a signal handler: mov x8, #139; svc #0.
TEST_F(PluginAarch64, ReturnFromASignalHandlerIsFar) {
  EXPECT_EQ(Lift({0xd2801168, 0xd4000001}).end.kind, SOFTLBR_END_FAR);
  EXPECT_EQ(Lift({0x52801168, 0xd4000001}).end.kind, SOFTLBR_END_FAR) << "mov w8";
  EXPECT_EQ(Lift({0xd2801168, 0xd503201f, 0xd4000001}).end.kind, SOFTLBR_END_FAR) << "with a nop between";
  EXPECT_EQ(Lift({0xd2801148, 0xd4000001}).end.kind, SOFTLBR_END_SYSCALL) << "rt_sigqueueinfo";
  EXPECT_EQ(Lift({0xd2801167, 0xd4000001}).end.kind, SOFTLBR_END_SYSCALL) << "another register";
  EXPECT_EQ(Lift({0xd2801168, 0xaa0103e8, 0xd4000001}).end.kind, SOFTLBR_END_SYSCALL) << "mov x8, x1 between";
}

// A block that begins at the call cannot tell; the evaluator, which knows the registers, can.
TEST_F(PluginAarch64, SystemCallNamesTheNumberThatReturnsElsewhere) {
  Lift({0xd4000001});
  EXPECT_EQ(block_.end.cond_reg, SOFTLBR_A64_X0 + 8);
  EXPECT_EQ(block_.end.disp, 139);
}

TEST_F(PluginAarch64, TableIsWellFormed) {
  EXPECT_EQ(plugin_.abi_version, SOFTLBR_DECODER_ABI_VERSION);
  EXPECT_EQ(plugin_.struct_size, sizeof(softlbr_decoder_plugin));
  EXPECT_EQ(plugin_.arch, kMachineAarch64);
  EXPECT_EQ(plugin_.stack_pointer_slot, SOFTLBR_A64_SP);
  EXPECT_STREQ(plugin_.name, "aarch64");
  EXPECT_EQ(plugin_.max_instruction_bytes, 4u);
  EXPECT_EQ(plugin_.instruction_alignment, 4u);
}

TEST_F(PluginAarch64, OpenRejectsBadArenas) {
  alignas(64) static uint8_t arena[4096];
  softlbr_decoder* decoder = nullptr;
  EXPECT_EQ(plugin_.open(nullptr, sizeof(arena), SOFTLBR_DECODER_VARIANT_HOST, &decoder), SOFTLBR_DECODER_BAD_ARGUMENT);
  EXPECT_EQ(plugin_.open(arena, plugin_.arena_bytes - 1, SOFTLBR_DECODER_VARIANT_HOST, &decoder),
            SOFTLBR_DECODER_BAD_ARGUMENT);
  EXPECT_EQ(plugin_.open(arena + 8, plugin_.arena_bytes, SOFTLBR_DECODER_VARIANT_HOST, &decoder),
            SOFTLBR_DECODER_BAD_ARGUMENT);
  EXPECT_EQ(plugin_.open(arena, plugin_.arena_bytes, SOFTLBR_DECODER_VARIANT_HOST, nullptr),
            SOFTLBR_DECODER_BAD_ARGUMENT);
  EXPECT_EQ(plugin_.open(arena, plugin_.arena_bytes, SOFTLBR_DECODER_VARIANT_FIRST_OWN, &decoder),
            SOFTLBR_DECODER_BAD_ARGUMENT);
  EXPECT_EQ(decoder, nullptr);
}

TEST_F(PluginAarch64, LiftRejectsBadArguments) {
  EXPECT_EQ(plugin_.lift(nullptr, nullptr, 0, 0, &block_), SOFTLBR_DECODER_BAD_ARGUMENT);
  EXPECT_EQ(plugin_.lift(decoder_, nullptr, 4, 0, &block_), SOFTLBR_DECODER_BAD_ARGUMENT);
  EXPECT_EQ(plugin_.lift(decoder_, nullptr, 0, 0, nullptr), SOFTLBR_DECODER_BAD_ARGUMENT);
}

TEST_F(PluginAarch64, CutWindowsAreMarked) {
  constexpr uint8_t kNops[] = {0x1f, 0x20, 0x03, 0xd5, 0x1f, 0x20, 0x03, 0xd5};
  for (size_t size = 0; size < 4; ++size) {
    EXPECT_EQ(plugin_.lift(decoder_, kNops, size, test::kA64Pc, &block_), SOFTLBR_DECODER_OK);
    EXPECT_EQ(block_.end.kind, SOFTLBR_END_UNDECODABLE);
    EXPECT_EQ(block_.end.flags, SOFTLBR_END_FLAG_CUT_BY_WINDOW);
    EXPECT_EQ(block_.instruction_count, 0);
  }
  for (size_t size = 4; size < 8; ++size) {
    EXPECT_EQ(plugin_.lift(decoder_, kNops, size, test::kA64Pc, &block_), SOFTLBR_DECODER_OK);
    EXPECT_EQ(block_.end.kind, SOFTLBR_END_FALLTHROUGH);
    EXPECT_EQ(block_.end.flags, SOFTLBR_END_FLAG_CUT_BY_WINDOW);
    EXPECT_EQ(block_.byte_length, 4u);
  }
  // Bytes that are no instruction do not set the flag: more bytes would not help.
  Lift({0xd503201f, 0x03000000, 0xd503201f});
  EXPECT_EQ(block_.end.kind, SOFTLBR_END_UNDECODABLE);
  EXPECT_EQ(block_.end.flags, 0);
  EXPECT_EQ(block_.byte_length, 4u);
}

TEST_F(PluginAarch64, MisalignedCodeIsUndecodable) {
  for (uint64_t pc : {test::kA64Pc + 1, test::kA64Pc + 2, test::kA64Pc + 3}) {
    EXPECT_EQ(Lift({0xd503201f, 0xd65f03c0}, pc).end.kind, SOFTLBR_END_UNDECODABLE);
    EXPECT_EQ(block_.instruction_count, 0);
    EXPECT_EQ(block_.end.flags, 0);
    const uint32_t nop = 0xd503201f;
    EXPECT_EQ(plugin_.instruction_length(decoder_, reinterpret_cast<const uint8_t*>(&nop), 4, pc), 0u);
  }
}

TEST_F(PluginAarch64, LengthIsFourOrZero) {
  uint64_t known = 0;
  for (uint32_t word : Words()) {
    const auto* code = reinterpret_cast<const uint8_t*>(&word);
    const uint32_t length = plugin_.instruction_length(decoder_, code, 4, 0);
    Lift({word});
    EXPECT_EQ(length, block_.instruction_count * 4u) << std::hex << word;
    EXPECT_EQ(plugin_.instruction_length(decoder_, code, 3, 0), 0u);
    known += length != 0;
  }
  EXPECT_GT(known, Words().size() / 2);
  EXPECT_LT(known, Words().size());
}

TEST_F(PluginAarch64, FullBlocksFallThrough) {
  Lift(std::vector<uint32_t>(100, 0xd503201f));
  EXPECT_EQ(block_.instruction_count, SOFTLBR_BLOCK_MAX_INSTRUCTIONS);
  EXPECT_EQ(block_.end.kind, SOFTLBR_END_FALLTHROUGH);
  EXPECT_EQ(block_.end.flags, 0);
  // Many uops per instruction: the block ends before the first that does not fit, even if that is the terminator.
  for (uint32_t before = 1; before < 12; ++before) {
    std::vector<uint32_t> wide(before, 0x4e036000);  // tbl v0.16b, {v0.16b - v3.16b}, v3.16b
    wide.push_back(0x94000010);                      // bl
    Lift(wide);
    EXPECT_LE(block_.uop_count, SOFTLBR_BLOCK_MAX_UOPS);
    const bool is_whole = block_.instruction_count == wide.size();
    EXPECT_EQ(block_.end.kind, is_whole ? SOFTLBR_END_CALL : SOFTLBR_END_FALLTHROUGH);
    uint32_t uops = 0;
    for (uint32_t i = 0; i < block_.instruction_count; ++i) uops += block_.uops_of[i];
    EXPECT_EQ(uops, block_.uop_count);
    EXPECT_EQ(block_.byte_length, 4u * block_.instruction_count);
    EXPECT_TRUE(before < 11 || !is_whole) << "the words do not fill a block";
  }
}

TEST_F(PluginAarch64, NothingIsAllocated) {
  const std::vector<uint32_t>& words = Words();
  test::StartCountingAllocations();
  void* volatile pointer = malloc(1);  // volatile: compilers remove unused allocations
  free(pointer);
  EXPECT_EQ(test::StopCountingAllocations(), 1u) << "the counter works";
  test::StartCountingAllocations();
  const LiftSummary summary = LiftAll(plugin_, decoder_, words, &block_);
  EXPECT_EQ(test::StopCountingAllocations(), 0u);
  EXPECT_GT(summary.instructions, words.size() / 2);
}

TEST_F(PluginAarch64, AllCodeOfALibraryIsDecodable) {
  const test::CodeSection text = test::ReadText(test::kA64Libc, kMachineAarch64);
  if (text.bytes.empty()) GTEST_SKIP() << "missing file: " << test::kA64Libc << " (libc6-arm64-cross)";
  const LiftSummary summary = LiftAll(plugin_, decoder_, text.bytes.data(), text.bytes.size(), &block_);
  EXPECT_GT(summary.instructions, 200000u);
  EXPECT_LT(summary.undecodable, 20u);  // literals between functions
  printf("%llu instructions, %llu words that are none\n", static_cast<unsigned long long>(summary.instructions),
         static_cast<unsigned long long>(summary.undecodable));
}

TEST_F(PluginAarch64, FourThreadsShareOneHandle) {
  const uint64_t expected = LiftAll(plugin_, decoder_, Words(), &block_).hash;
  std::vector<std::thread> threads;
  std::atomic<int> equal{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      auto block = std::make_unique<softlbr_block>();
      if (LiftAll(plugin_, decoder_, Words(), block.get()).hash == expected) ++equal;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal.load(), 4);
}

// Runs lift() over every form on a painted stack, and measures how much paint was overwritten.
struct StackProbe {
  const softlbr_decoder_plugin* plugin;
  softlbr_decoder* decoder;
  const std::vector<uint32_t>* words;
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
  for (const uint32_t& word : *probe->words) {
    const auto* code = reinterpret_cast<const uint8_t*>(&word);
    probe->plugin->lift(probe->decoder, code, 4, 0x1000, probe->block);
    probe->plugin->instruction_length(probe->decoder, code, 4, 0x1000);
  }
  size_t untouched = 0;
  while (untouched < probe->stack_bytes && probe->stack[untouched] == 0x5a) ++untouched;
  probe->used = static_cast<size_t>(here - probe->stack) - untouched;
  return nullptr;
}

TEST_F(PluginAarch64, StackStaysWithinTheTablesBound) {
  if (test::kIsUnderAddressSanitizer) GTEST_SKIP() << "AddressSanitizer forbids painting the stack";
  constexpr size_t kStack = 262144;
  void* stack = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(stack, MAP_FAILED);
  StackProbe probe = {&plugin_, decoder_, &Words(), &block_, static_cast<uint8_t*>(stack), kStack, 0};
  pthread_attr_t attributes;
  pthread_t thread;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstack(&attributes, stack, kStack), 0);
  ASSERT_EQ(pthread_create(&thread, &attributes, ProbeStack, &probe), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  munmap(stack, kStack);
  EXPECT_GT(probe.used, 256u);
  EXPECT_LE(probe.used, plugin_.stack_bytes) << "raise kStackBytes in plugin_aarch64.cc";
  printf("stack used: %zu of %u bytes\n", probe.used, plugin_.stack_bytes);
}

TEST_F(PluginAarch64, SharedObjectGivesTheSameBlocks) {
  void* library = dlopen(SOFTLBR_PLUGIN_PATH, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto entry = reinterpret_cast<softlbr_decoder_plugin_function>(dlsym(library, SOFTLBR_DECODER_PLUGIN_SYMBOL));
  ASSERT_NE(entry, nullptr);
  const softlbr_decoder_plugin* shared = entry();
  ASSERT_NE(shared, &plugin_);
  alignas(64) static uint8_t arena[4096];
  softlbr_decoder* decoder = nullptr;
  ASSERT_EQ(shared->open(arena, sizeof(arena), SOFTLBR_DECODER_VARIANT_HOST, &decoder), SOFTLBR_DECODER_OK);
  EXPECT_EQ(LiftAll(*shared, decoder, Words(), &block_).hash, LiftAll(plugin_, decoder_, Words(), &block_).hash);
  shared->close(decoder);
  dlclose(library);
}

}  // namespace
}  // namespace softlbr

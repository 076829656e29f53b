#include "toolchain/plugin/lift_parts.h"

#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "runtime/blocks/block_check.h"
#include "toolchain/plugin/forbidden_calls.h"

namespace softlbr::toolchain {
namespace {

constexpr size_t kWindowBytes = 256;
constexpr uint32_t kRandomWindows = 20000;
constexpr uint64_t kRandomPc = 0x401000;
constexpr uint32_t kMostBlocks = 200000;  // of real code
constexpr size_t kArenaAlignment = 64;

using Plugin = softlbr_decoder_plugin;

// A decoder in an arena between pages that cannot be accessed.
softlbr_decoder* Open(Trial* trial, const Plugin& plugin) {
  uint8_t* arena = trial->MapGuarded(plugin.arena_bytes, kArenaAlignment, "accesses memory before its arena",
                                     "accesses memory behind its arena of arena_bytes");
  softlbr_decoder* decoder = nullptr;
  const softlbr_decoder_result result = plugin.open(arena, plugin.arena_bytes, SOFTLBR_DECODER_VARIANT_HOST, &decoder);
  if (result != SOFTLBR_DECODER_OK || decoder == nullptr) trial->Fail("open() answers %d for a valid arena", result);
  return decoder;
}

// visit(code, pc) for each window: real code, block after block, and random bytes.
template <typename Visit>
void ForEachWindow(const std::vector<CodeRun>& code, const Plugin& plugin, Visit visit) {
  uint32_t blocks = 0;
  for (const CodeRun& run : code) {
    for (size_t at = 0; at < run.bytes.size() && blocks < kMostBlocks; ++blocks) {
      const std::span<const uint8_t> window =
          std::span(run.bytes).subspan(at, std::min(kWindowBytes, run.bytes.size() - at));
      const uint32_t length = visit(window, run.pc + at);
      const size_t step = std::max<size_t>(length, plugin.instruction_alignment);
      at += (step + plugin.instruction_alignment - 1) / plugin.instruction_alignment * plugin.instruction_alignment;
    }
  }
  std::mt19937_64 random(1);
  uint8_t window[64];
  for (uint32_t i = 0; i < kRandomWindows; ++i) {
    for (uint8_t& byte : window) byte = static_cast<uint8_t>(random());
    const size_t size = i % 8 == 0 ? i / 8 % (sizeof window + 1) : sizeof window;  // short ones, too
    (void)visit(std::span<const uint8_t>(window, size), kRandomPc);
  }
}

uint32_t Lift(Trial* trial, const Plugin& plugin, softlbr_decoder* decoder, std::span<const uint8_t> code, uint64_t pc,
              softlbr_block* block) {
  trial->Begin("lift()", code, pc);
  const softlbr_decoder_result result = plugin.lift(decoder, code.data(), code.size(), pc, block);
  if (result != SOFTLBR_DECODER_OK) trial->Fail("answers %d for a valid window", result);
  return block->byte_length;
}

bool IsComplete(const softlbr_block& block, size_t window) {
  return block.instruction_count <= SOFTLBR_BLOCK_MAX_INSTRUCTIONS && block.uop_count <= SOFTLBR_BLOCK_MAX_UOPS &&
         block.byte_length <= window;
}

// Compares the meaningful parts of two blocks; entries beyond their counts may hold anything.
bool AreSame(const softlbr_block& a, const softlbr_block& b) {
  if (a.byte_length != b.byte_length || a.instruction_count != b.instruction_count || a.uop_count != b.uop_count)
    return false;
  return memcmp(&a.end, &b.end, sizeof a.end) == 0 && memcmp(a.length, b.length, a.instruction_count) == 0 &&
         memcmp(a.uops_of, b.uops_of, a.instruction_count) == 0 &&
         memcmp(a.uops, b.uops, a.uop_count * sizeof a.uops[0]) == 0;
}

void TryOpen(Trial* trial, const Plugin& plugin, const std::vector<CodeRun>&) {
  uint8_t* arena = trial->MapGuarded(plugin.arena_bytes + 2 * kArenaAlignment, kArenaAlignment,
                                     "accesses memory before its arena", "accesses memory behind its arena");
  softlbr_decoder* decoder = nullptr;
  constexpr uint32_t kHost = SOFTLBR_DECODER_VARIANT_HOST;
  const auto refuse = [&](const char* what, void* at, size_t bytes, uint32_t variant, softlbr_decoder** out) {
    trial->Begin(what, {}, 0);
    const softlbr_decoder_result result = plugin.open(at, bytes, variant, out);
    if (result != SOFTLBR_DECODER_BAD_ARGUMENT)
      trial->Fail("answers %d instead of SOFTLBR_DECODER_BAD_ARGUMENT", result);
  };
  refuse("open() without an arena", nullptr, plugin.arena_bytes, kHost, &decoder);
  refuse("open() with an arena that is too small", arena, plugin.arena_bytes - 1, kHost, &decoder);
  refuse("open() with a misaligned arena", arena + 8, plugin.arena_bytes, kHost, &decoder);
  refuse("open() without a place for the handle", arena, plugin.arena_bytes, kHost, nullptr);
  refuse("open() for a variant that nobody defines", arena, plugin.arena_bytes, SOFTLBR_DECODER_VARIANT_FIRST_OWN - 1,
         &decoder);
  for (const uint32_t variant : {uint32_t{SOFTLBR_DECODER_VARIANT_UNKNOWN}, kHost}) {
    trial->Begin("open() and close()", {}, 0);
    softlbr_decoder* const opened = Open(trial, plugin);
    plugin.close(opened);
    memset(arena, 0xa5, plugin.arena_bytes + kArenaAlignment);
    if (plugin.open(arena, plugin.arena_bytes, variant, &decoder) != SOFTLBR_DECODER_OK) {
      trial->Fail("answer no SOFTLBR_DECODER_OK for variant %u", variant);
    }
    for (size_t i = 0; i < kArenaAlignment; ++i) {
      if (arena[plugin.arena_bytes + i] != 0xa5) trial->Fail("write behind the arena of arena_bytes");
    }
    plugin.close(decoder);
  }
}

void TryMemory(Trial* trial, const Plugin& plugin, const std::vector<CodeRun>& code) {
  softlbr_decoder* decoder = Open(trial, plugin);
  uint8_t* memory = trial->MapGuarded(kWindowBytes, 1, "reads a byte before [code, code + size)",
                                      "reads a byte behind [code, code + size)");
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  auto* first = reinterpret_cast<uint8_t*>(reinterpret_cast<uintptr_t>(memory) / page * page);
  softlbr_block block;
  ForEachWindow(code, plugin, [&](std::span<const uint8_t> window, uint64_t pc) {
    memcpy(first, window.data(), window.size());
    (void)Lift(trial, plugin, decoder, {first, window.size()}, pc, &block);
    uint8_t* last = memory + kWindowBytes - window.size();
    memcpy(last, window.data(), window.size());
    const uint32_t length = Lift(trial, plugin, decoder, {last, window.size()}, pc, &block);
    if (!window.empty()) {
      trial->Begin("instruction_length()", window, pc);
      (void)plugin.instruction_length(decoder, last, window.size(), pc);
    }
    return length;
  });
}

// One lift on a stack of its own.
struct StackProbe {
  const Plugin* plugin;
  softlbr_decoder* decoder;
  std::span<const uint8_t> code;
  uint64_t pc;
  softlbr_block block;
  bool is_lifting;
  ucontext_t inner;
  ucontext_t outer;
};
StackProbe g_probe;

void RunProbe() {
  for (;;) {
    if (g_probe.is_lifting) {
      g_probe.plugin->lift(g_probe.decoder, g_probe.code.data(), g_probe.code.size(), g_probe.pc, &g_probe.block);
    }
    swapcontext(&g_probe.inner, &g_probe.outer);
  }
}

void TryStack(Trial* trial, const Plugin& plugin, const std::vector<CodeRun>& code) {
  constexpr size_t kStackBytes = 262144;
  constexpr uint8_t kPaint = 0xa5;
  uint8_t* stack = trial->MapGuarded(kStackBytes, 16, "uses more than 250 KB of stack", "writes above its stack");
  memset(stack, kPaint, kStackBytes);
  const auto used = [&] {
    return kStackBytes -
           static_cast<size_t>(std::find_if(stack, stack + kStackBytes, [](uint8_t byte) { return byte != kPaint; }) -
                               stack);
  };
  g_probe.plugin = &plugin;
  g_probe.decoder = Open(trial, plugin);
  getcontext(&g_probe.inner);
  g_probe.inner.uc_stack.ss_sp = stack;
  g_probe.inner.uc_stack.ss_size = kStackBytes;
  makecontext(&g_probe.inner, RunProbe, 0);
  swapcontext(&g_probe.outer, &g_probe.inner);
  const size_t without = used();
  g_probe.is_lifting = true;
  // The painted stack is read rarely, because it shows the largest use so far.
  uint32_t lifted = 0;
  const auto check = [&] {
    const size_t bytes = used() - without;
    if (bytes > plugin.stack_bytes)
      trial->Fail("uses %zu bytes of stack; stack_bytes is %u", bytes, plugin.stack_bytes);
  };
  ForEachWindow(code, plugin, [&](std::span<const uint8_t> window, uint64_t pc) {
    trial->Begin("lift()", window, pc);
    g_probe.code = window;
    g_probe.pc = pc;
    swapcontext(&g_probe.outer, &g_probe.inner);
    if (++lifted % 1024 == 1) check();
    return g_probe.block.byte_length;
  });
  check();
}

Trial* g_trial = nullptr;
void OnForbiddenCall(const char* name) { g_trial->Fail("calls %s(), which no handler may", name); }

void TryCalls(Trial* trial, const Plugin& plugin, const std::vector<CodeRun>& code) {
  softlbr_decoder* decoder = Open(trial, plugin);
  g_trial = trial;
  static softlbr_block block;
  // Loads what is resolved at the first call.
  const uint8_t none = 0;
  (void)plugin.lift(decoder, &none, 0, kRandomPc, &block);
  if (!ReplaceForbiddenImports(reinterpret_cast<const void*>(plugin.lift), OnForbiddenCall)) {
    trial->Fail("cannot be watched: its table of imported functions was not found; link it as a usual shared object");
  }
  if (!trial->ForbidSystemCalls())
    trial->Fail("cannot be watched: this kernel has no seccomp; check the plugin on another");
  ForEachWindow(code, plugin, [&](auto window, uint64_t pc) {
    if (!window.empty()) {
      trial->Begin("instruction_length()", window, pc);
      (void)plugin.instruction_length(decoder, window.data(), window.size(), pc);
    }
    return Lift(trial, plugin, decoder, window, pc, &block);
  });
}

// Rules of a block beyond those that the runtime checks for its own safety.
const char* BrokenRule(const softlbr_block& block, const Plugin& plugin, size_t window) {
  const softlbr_terminator& end = block.end;
  const bool is_cut = (end.flags & SOFTLBR_END_FLAG_CUT_BY_WINDOW) != 0;
  const bool is_ended = end.kind != SOFTLBR_END_FALLTHROUGH && end.kind != SOFTLBR_END_UNDECODABLE;
  if (block.instruction_count == 0 && end.kind != SOFTLBR_END_UNDECODABLE)
    return "a block without instructions must end UNDECODABLE";
  if (is_ended && is_cut) return "CUT_BY_WINDOW is set, but the block ends with a terminator";
  if (end.kind == SOFTLBR_END_FALLTHROUGH && block.byte_length == window && !is_cut &&
      block.instruction_count < SOFTLBR_BLOCK_MAX_INSTRUCTIONS && block.uop_count < SOFTLBR_BLOCK_MAX_UOPS / 2) {
    return "the window ended the block, but CUT_BY_WINDOW is not set";
  }
  for (uint32_t i = 0; i < block.instruction_count; ++i) {
    if (block.length[i] > plugin.max_instruction_bytes) return "an instruction is longer than max_instruction_bytes";
    if (block.length[i] % plugin.instruction_alignment != 0) return "a length is no multiple of instruction_alignment";
  }
  const bool is_direct =
      end.kind == SOFTLBR_END_CONDITIONAL || end.kind == SOFTLBR_END_JUMP || end.kind == SOFTLBR_END_CALL;
  const bool is_computed = end.base >= SOFTLBR_REG_TEMP && end.base < SOFTLBR_REG_TEMP + SOFTLBR_TEMP_SLOTS;
  if (is_direct &&
      ((end.base != SOFTLBR_REG_BLOCK && !is_computed) || end.index != SOFTLBR_REG_ZERO || end.load_bytes != 0)) {
    return "a direct branch must have SOFTLBR_REG_BLOCK or a temporary as base, no index and no load";
  }
  if (end.kind != SOFTLBR_END_CONDITIONAL && end.condition != SOFTLBR_COND_ALWAYS)
    return "a condition without a conditional branch";
  if (end.reserved != 0 || end.reserved2 != 0) return "a reserved field of the terminator is not 0";
  return nullptr;
}

void TryBlocks(Trial* trial, const Plugin& plugin, const std::vector<CodeRun>& code) {
  softlbr_decoder* decoder = Open(trial, plugin);
  softlbr_block block;
  ForEachWindow(code, plugin, [&](std::span<const uint8_t> window, uint64_t pc) {
    memset(static_cast<void*>(&block), 0xa5, sizeof block);
    const uint32_t length = Lift(trial, plugin, decoder, window, pc, &block);
    if (!IsBlockWellFormed(block, pc, static_cast<uint32_t>(window.size()))) {
      trial->Fail(
          "makes a block that the runtime refuses: a count, a length, a register slot or a width is out of range "
          "(ir.h)");
    }
    if (const char* rule = BrokenRule(block, plugin, window.size())) trial->Fail("breaks a rule of ir.h: %s", rule);
    return length;
  });
}

void TryLengths(Trial* trial, const Plugin& plugin, const std::vector<CodeRun>& code) {
  softlbr_decoder* decoder = Open(trial, plugin);
  softlbr_block block;
  ForEachWindow(code, plugin, [&](std::span<const uint8_t> window, uint64_t pc) {
    const uint32_t length = Lift(trial, plugin, decoder, window, pc, &block);
    if (!IsComplete(block, window.size())) return uint32_t{0};  // TryBlocks tells
    size_t at = 0;
    for (uint32_t i = 0; i < block.instruction_count; ++i) {
      trial->Begin("instruction_length()", window.subspan(at), pc + at);
      const uint32_t alone = plugin.instruction_length(decoder, window.data() + at, window.size() - at, pc + at);
      if (alone != block.length[i]) trial->Fail("says %u bytes, and lift() says %u", alone, block.length[i]);
      at += block.length[i];
    }
    return length;
  });
}

// The first block of every 16th window, cut within and behind each of its instructions.
void TryCuts(Trial* trial, const Plugin& plugin, const std::vector<CodeRun>& code) {
  softlbr_decoder* decoder = Open(trial, plugin);
  softlbr_block whole;
  softlbr_block cut;
  uint32_t windows = 0;
  ForEachWindow(code, plugin, [&](std::span<const uint8_t> window, uint64_t pc) {
    const uint32_t length = Lift(trial, plugin, decoder, window, pc, &whole);
    if (++windows % 16 != 0 || !IsComplete(whole, window.size())) return length;
    size_t begin = 0;
    for (uint32_t i = 0; i < whole.instruction_count; begin += whole.length[i++]) {
      const size_t size = begin + whole.length[i] - 1;  // the last byte of instruction i is missing
      (void)Lift(trial, plugin, decoder, window.first(size), pc, &cut);
      if (cut.byte_length > size) trial->Fail("makes a block that is longer than its window");
      if (cut.instruction_count > i || memcmp(cut.length, whole.length, cut.instruction_count) != 0) {
        trial->Fail("finds other instructions in the same bytes when the window is shorter");
      }
      const bool is_cut = (cut.end.flags & SOFTLBR_END_FLAG_CUT_BY_WINDOW) != 0;
      if (cut.instruction_count == i && cut.uop_count < SOFTLBR_BLOCK_MAX_UOPS / 2 && !is_cut) {
        trial->Fail("does not set CUT_BY_WINDOW though the window ends within an instruction");
      }
    }
    return length;
  });
}

// The same code again: later, with another decoder, into a block of other content.
void TryRepeats(Trial* trial, const Plugin& plugin, const std::vector<CodeRun>& code) {
  softlbr_decoder* first = Open(trial, plugin);
  softlbr_decoder* second = Open(trial, plugin);
  struct Earlier {
    std::vector<uint8_t> code;
    uint64_t pc;
    softlbr_block block;
  };
  std::vector<Earlier> earlier;
  uint32_t windows = 0;
  softlbr_block block;
  softlbr_block again;
  ForEachWindow(code, plugin, [&](std::span<const uint8_t> window, uint64_t pc) {
    memset(static_cast<void*>(&block), 0xa5, sizeof block);
    memset(static_cast<void*>(&again), 0x5a, sizeof again);
    const uint32_t length = Lift(trial, plugin, first, window, pc, &block);
    if (!IsComplete(block, window.size())) return uint32_t{0};
    (void)Lift(trial, plugin, second, window, pc, &again);
    if (!AreSame(block, again))
      trial->Fail("makes another block of the same code with a second decoder, or leaves parts of it unset");
    if (++windows % 64 == 0 && earlier.size() < 256) earlier.push_back({{window.begin(), window.end()}, pc, block});
    return length;
  });
  for (const Earlier& one : earlier) {
    (void)Lift(trial, plugin, first, one.code, one.pc, &again);
    if (!AreSame(one.block, again))
      trial->Fail("makes another block of the same code later: lift() must keep no state");
  }
}

constexpr LiftPart kParts[] = {
    {"open", "bad arguments are refused, and the arena is not exceeded", TryOpen},
    {"memory", "no byte outside the window and the arena is accessed", TryMemory},
    {"stack", "at most stack_bytes are used", TryStack},
    {"calls", "no system call, no heap, no lock", TryCalls},
    {"blocks", "the rules of ir.h are kept", TryBlocks},
    {"lengths", "instruction_length() agrees with lift()", TryLengths},
    {"cuts", "shorter windows give the same instructions, marked as cut", TryCuts},
    {"repeats", "the same code gives the same block, with every decoder and at any time", TryRepeats},
};

}  // namespace

const std::span<const LiftPart> kLiftParts = kParts;

}  // namespace softlbr::toolchain

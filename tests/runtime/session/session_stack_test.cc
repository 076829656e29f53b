// The handler's stack in a real session: how much it uses, and threads with little stack left.
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "platform/base/limits.h"
#include "tests/runtime/session/session_fixture.h"

namespace softlbr {
namespace {

using std::chrono::milliseconds;

constexpr uint8_t kPaint = 0xa5;

class SessionStack : public SessionTest {
 protected:
  static uint64_t Samples() {
    softlbr_counters counters = {};
    counters.struct_size = sizeof counters;
    return softlbr_get_counters(&counters) == SOFTLBR_OK ? counters.samples : 0;
  }
  static uint64_t Lost(const Profile& profile) {
    return profile.counters.lost[static_cast<uint32_t>(LossReason::kSmallStack)];
  }
};

// Painted memory as the calling thread's alternate stack, and 64 KiB of painted memory below it.
class PaintedStack {
 public:
  explicit PaintedStack(size_t bytes) : bytes_(bytes), memory_(kBelow + bytes, kPaint) {
    stack_t stack = {};
    stack.ss_sp = memory_.data() + kBelow;
    stack.ss_size = bytes;
    is_set_ = sigaltstack(&stack, nullptr) == 0;  // the kernel refuses a stack that cannot hold its own frame
  }
  ~PaintedStack() {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
  bool is_set() const { return is_set_; }
  const uint8_t* top() const { return memory_.data() + kBelow + bytes_; }
  // Bytes from the top down to the lowest one touched.
  size_t Used() const {
    size_t at = kBelow;
    while (at < memory_.size() && memory_[at] == kPaint) ++at;
    return memory_.size() - at;
  }
  bool IsBelowUntouched() const {
    for (size_t i = 0; i < kBelow; ++i) {
      if (memory_[i] != kPaint) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kBelow = 65536;
  size_t bytes_;
  std::vector<uint8_t> memory_;
  bool is_set_ = false;
};

const uint8_t* g_frame;
void NoteFrame(int, siginfo_t*, void* ucontext) { g_frame = static_cast<const uint8_t*>(ucontext) - sizeof(void*); }

// Size of the signal frame that the kernel puts on `stack`, the calling thread's alternate one. AT_MINSIGSTKSZ may be
// three times as much: it counts registers that no thread has used.
size_t FrameBytesOn(const PaintedStack& stack) {
  struct sigaction note = {};
  note.sa_sigaction = NoteFrame;
  note.sa_flags = SA_SIGINFO | SA_ONSTACK;
  struct sigaction before = {};
  sigaction(SIGUSR2, &note, &before);
  raise(SIGUSR2);
  sigaction(SIGUSR2, &before, nullptr);
  return static_cast<size_t>(stack.top() - g_frame);
}

size_t FrameBytes() {
#if defined(__aarch64__)
  // scalable registers are in a frame only if the thread used them
  return std::max<size_t>(getauxval(AT_MINSIGSTKSZ), 4096);
#else
  size_t bytes = 0;
  std::thread([&] {
    const PaintedStack stack(65536);
    bytes = FrameBytesOn(stack);
  }).join();
  return bytes;
#endif
}

#if defined(__x86_64__)
// movaps with a prefix that no manual defines: only the second decoder (Capstone, with its 4.7 KiB of stack) decodes
// it, and the CPU refuses it.
#define RARE_INSTRUCTION asm volatile(".byte 0xf3, 0x0f, 0x29, 0xc8" ::: "xmm0")
void StepOver(int, siginfo_t*, void* ucontext) { static_cast<ucontext_t*>(ucontext)->uc_mcontext.gregs[REG_RIP] += 4; }

void FloatingPointOfThisCpu(int i) {
  long double x = i;
  asm volatile("fsin; fxtract; fstp %%st(1); fyl2x" : "+t"(x) : : "st(1)", "st(2)");
  asm volatile("fnclex; emms; sfence; lfence" ::: "memory");
}
#else
// Not an instruction.
#define RARE_INSTRUCTION asm volatile(".inst 0")
void StepOver(int, siginfo_t*, void* ucontext) { static_cast<ucontext_t*>(ucontext)->uc_mcontext.pc += 4; }

void FloatingPointOfThisCpu(int i) {
  static long slot;
  static const uint8_t tables[64] = {1, 2, 3};
  double x = i;
  long loaded;
  int status;
  asm volatile("fmadd %d0, %d0, %d0, %d0; fcvtzs x9, %d0; scvtf d16, w9; fcvt h17, d16; fdiv d16, d16, %d0"
               : "+w"(x)
               :
               : "x9", "v16", "v17");
  asm volatile("ld4 {v16.4s-v19.4s}, [%0]; tbl v16.16b, {v16.16b-v19.16b}, v17.16b; addv s16, v16.4s" ::"r"(tables)
               : "v16", "v17", "v18", "v19");
  asm volatile("0: ldaxr %0, [%2]; add %0, %0, #1; stlxr %w1, %0, [%2]; cbnz %w1, 0b; dmb ish"
               : "=&r"(loaded), "=&r"(status)
               : "r"(&slot)
               : "memory");
}
#endif

// All kinds of code: integer, vectors, floating point with libm, and an instruction that only the second decoder knows.
void MixedWork() {
  volatile double sink = 0;
  for (int i = 1; i < 300; ++i) {
    sink = sink + std::sin(i) * std::sqrt(static_cast<double>(i)) + std::pow(1.0001, i);
    FloatingPointOfThisCpu(i);
    char text[64];
    std::snprintf(text, sizeof text, "%d %f", i, sink);
    (void)Work(20);
    RARE_INSTRUCTION;
  }
}

TEST_F(SessionStack, HandlerStaysWithinItsBudget) {
  struct sigaction step = {};
  step.sa_sigaction = StepOver;
  step.sa_flags = SA_SIGINFO;
  struct sigaction before_step = {};
  ASSERT_EQ(sigaction(SIGILL, &step, &before_step), 0);
  uint64_t most = 0;
  uint64_t samples = 0;
  for (const uint32_t resolve : {1u + SOFTLBR_RESOLVE_STATIC, 1u + SOFTLBR_RESOLVE_LOOKAHEAD}) {
    sink_.bytes.clear();
    options_.resolve_plus_one = resolve;
    options_.period = 50021;
    options_.verify_every = 3;
    START_OR_SKIP();
    std::thread thread([&] {
      constexpr size_t kRoomy = 65536;
      PaintedStack stack(kRoomy);
      ASSERT_TRUE(stack.is_set());
      for (int i = 0; i < 150 && Samples() < 2000; ++i) MixedWork();
      const size_t used = stack.Used();
      const size_t kernel = FrameBytesOn(stack);
      ASSERT_GT(used, kernel) << "no handler ran there";
      if (used - kernel > most) most = used - kernel;
    });
    thread.join();
    ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
    samples += Read().counters.samples;
  }
  sigaction(SIGILL, &before_step, nullptr);
  EXPECT_GT(samples, 500u);
  EXPECT_LE(most, static_cast<uint64_t>(kHandlerStackBytes));
  RecordProperty("handler_stack_bytes", static_cast<int>(most));
}

// The handler moves to a stack of the session. A trap is dropped only while all of those are taken.
TEST_F(SessionStack, SmallAlternateStacksAreNotOverrun) {
  int tried = 0;
  for (const size_t bytes : {size_t{4096}, size_t{6144}, size_t{8192}, size_t{12288}}) {
    SCOPED_TRACE(bytes);
    sink_.bytes.clear();
    START_OR_SKIP();
    bool is_set = false;
    bool is_untouched = false;
    std::thread thread([&] {
      PaintedStack stack(bytes);
      is_set = stack.is_set();
      WorkForCpu(milliseconds(100));
      is_untouched = stack.IsBelowUntouched();
    });
    thread.join();
    ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
    if (!is_set) continue;  // too small for the kernel's own frame
    ++tried;
    EXPECT_TRUE(is_untouched);
    const Profile profile = Read();
    EXPECT_GT(profile.counters.traces_complete, 50u) << "the thread is sampled all the same";
    EXPECT_LT(Lost(profile), profile.counters.traces_complete / 4);
  }
  if (tried == 0) GTEST_SKIP() << "needs a CPU whose signal frames fit into 12 KiB";
}

// 16 KiB, plus what the kernel's frame on this CPU takes beyond 4 KiB: on a stack too small for the frame any signal
// kills.
size_t StackBytes() {
  constexpr size_t kFrameOfMost = 4096;
  const size_t frame = std::max<size_t>(getauxval(AT_MINSIGSTKSZ), kFrameOfMost);
  return 16384 - kFrameOfMost + (frame + 4095) / 4096 * 4096;
}

// Down to where the kernel's frame still fits, but not our handler.
constexpr size_t kToTheEdge = SIZE_MAX;

struct Depth {
  const uint8_t* lowest;  // address of the stack
  size_t bytes;           // of stack to use, or kToTheEdge
  size_t frame_bytes;     // size of the kernel's frame
};

// Uses that much stack, then works.
__attribute__((noinline)) void WorkDeep(const Depth& depth) {
  size_t bytes = depth.bytes;
  if (bytes == kToTheEdge) {
    constexpr size_t kOwnCalls = 2048;  // for calls of the work, and of the handler before it changes stacks
    const auto left = static_cast<size_t>(static_cast<uint8_t*>(__builtin_frame_address(0)) - depth.lowest);
    bytes = left - depth.frame_bytes - kOwnCalls;
  }
  auto* frame = static_cast<volatile uint8_t*>(__builtin_alloca(bytes));
  for (size_t i = 0; i < bytes; i += 64) frame[i] = 1;
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  for (const long end = now.tv_nsec + 60000000; now.tv_sec == 0 && now.tv_nsec < end;
       clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)) {
    (void)Work(500);
    RARE_INSTRUCTION;  // for the second decoder, which needs the most stack
  }
  asm volatile("" ::"r"(frame) : "memory");
}

// A coroutine may run on a stack that the libc refuses for a thread.
struct Coroutine {
  Depth depth;
  ucontext_t caller;
  ucontext_t own;
};
thread_local Coroutine* t_coroutine;
void RunCoroutine() { WorkDeep(t_coroutine->depth); }

TEST_F(SessionStack, ThreadsAndCoroutinesWithASmallStackSurvive) {
  const size_t stack_bytes = StackBytes();
  const size_t frame_bytes = FrameBytes();
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  struct sigaction step = {};
  step.sa_sigaction = StepOver;
  step.sa_flags = SA_SIGINFO;
  sigfillset(&step.sa_mask);  // the frame of a second signal would not fit
  struct sigaction before_step = {};
  START_OR_SKIP();
  ASSERT_EQ(sigaction(SIGILL, &step, &before_step), 0);
  for (const bool is_coroutine : {false, true}) {
    // kToTheEdge first: later the code is in the block cache, and the handler needs less stack.
    for (const size_t deep : {kToTheEdge, size_t{0}, size_t{1024}, size_t{3072}, size_t{5120}, size_t{7168}}) {
      // Above a guard page; with large pages there is a gap between them.
      const size_t room = page + (stack_bytes + page - 1) / page * page;
      auto* memory =
          static_cast<uint8_t*>(mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
      ASSERT_NE(memory, MAP_FAILED);
      ASSERT_EQ(mprotect(memory, page, PROT_NONE), 0);
      uint8_t* stack = memory + room - stack_bytes;
      if (is_coroutine) {
        std::thread thread([&] {
          Coroutine coroutine{{stack, deep, frame_bytes}, {}, {}};
          t_coroutine = &coroutine;
          getcontext(&coroutine.own);
          coroutine.own.uc_stack.ss_sp = stack;
          coroutine.own.uc_stack.ss_size = stack_bytes;
          coroutine.own.uc_link = &coroutine.caller;
          makecontext(&coroutine.own, RunCoroutine, 0);
          swapcontext(&coroutine.caller, &coroutine.own);
        });
        thread.join();
      } else {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        // The libc may refuse a stack this small (on AArch64 it wants 128 KiB).
        if (pthread_attr_setstack(&attributes, stack, stack_bytes) == 0) {
          pthread_t thread;
          const auto run = [](void* depth) -> void* {
            WorkDeep(*static_cast<const Depth*>(depth));
            return nullptr;
          };
          Depth depth{stack, deep, frame_bytes};
          ASSERT_EQ(pthread_create(&thread, &attributes, run, &depth), 0);
          pthread_join(thread, nullptr);
        }
        pthread_attr_destroy(&attributes);
      }
      munmap(memory, room);
    }
  }
  sigaction(SIGILL, &before_step, nullptr);
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  const Profile profile = Read();
  EXPECT_GT(profile.counters.traces_complete, 100u) << "of at least six threads or coroutines";
  EXPECT_LT(Lost(profile), profile.counters.traces_complete / 4);
}

// Branches on memory 1 KiB below the stack pointer, where the kernel puts the signal frame. The handler must not take
// its content as known: the next signal frame changes it before the program reads it.
void BranchOnDeadStack(uint64_t rounds) {
#if defined(__x86_64__)
  asm volatile(
      "1: movq -1024(%%rsp), %%rax\n"
      "testb $1, %%al\n"
      "jz 2f\n"
      "nop\n"
      "2: decq %0\n"
      "jnz 1b\n"
      : "+r"(rounds)
      :
      : "rax", "cc", "memory");
#else
  asm volatile(
      "1: sub x9, sp, #1024\n"
      "ldr x9, [x9]\n"
      "tbz x9, #0, 2f\n"
      "nop\n"
      "2: subs %0, %0, #1\n"
      "b.ne 1b\n"
      : "+r"(rounds)
      :
      : "x9", "cc", "memory");
#endif
}

// So little stack is left that the handler moves to a stack of the session. There its own stack pointer does not tell
// where the program's stack is.
TEST_F(SessionStack, DeadStackIsUnknownAlsoFromAnotherStack) {
  constexpr size_t kStack = 262144;  // AArch64's libc gives no thread less than 128 KiB
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  // The kernel's frame fits, our handler beside it does not.
  static size_t left;
  left = FrameBytes() + kHandlerStackBytes / 2;
  options_.branches_per_trace = 16;
  auto* memory =
      static_cast<uint8_t*>(mmap(nullptr, kStack + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(mprotect(memory, page, PROT_NONE), 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstack(&attributes, memory + page, kStack), 0);
  START_OR_SKIP();
  pthread_t thread;
  const auto run = [](void* lowest) -> void* {
    const auto here = reinterpret_cast<uint8_t*>(__builtin_frame_address(0));
    auto* room = static_cast<volatile uint8_t*>(
        __builtin_alloca(static_cast<size_t>(here - static_cast<uint8_t*>(lowest)) - left));
    room[0] = 0;
    stack_t given = {};  // AddressSanitizer gives each thread an alternate stack; the handler would run there
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, &given);
    timespec now = {};
    do {
      BranchOnDeadStack(100000);
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (now.tv_nsec < 300000000);
    if ((given.ss_flags & SS_DISABLE) == 0) sigaltstack(&given, nullptr);
    asm volatile("" ::"r"(room) : "memory");
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, memory + page), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  munmap(memory, kStack + page);
  const Profile profile = Read();
  EXPECT_GT(profile.counters.samples, 50u);
  EXPECT_LT(profile.counters.traces_without_hit, profile.counters.samples / 4)
      << "a branch on dead memory was predicted";
  RecordProperty("samples", static_cast<int>(profile.counters.samples));
  RecordProperty("without_hit", static_cast<int>(profile.counters.traces_without_hit));
}

}  // namespace
}  // namespace softlbr

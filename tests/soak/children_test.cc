// Children of every kind, created while their parent is sampled at a high rate (hazards 13, 16, 24), and threads that
// no libc created (27).
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

#include "tests/soak/soak_session.h"

extern char** environ;

namespace softlbr {
namespace {

using std::chrono::milliseconds;

class Children : public SoakSession {
 protected:
  static double ForkSeconds(int times) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) {
      const pid_t child = fork();
      if (child == 0) _exit(0);
      int status = 0;
      EXPECT_EQ(waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / times;
  }
};

// The kernel abandons a fork and restarts it when a signal arrives in the middle. At a high rate, a fork that takes
// longer than the period never ends (a monotonic timer at 10 kHz does that to the JVM). Our samples come only while
// user code runs.
TEST_F(Children, ForkOfAGibibyteEndsAtAHighRate) {
  constexpr uint64_t kBytes = 1ull << 30;
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, kBytes, MADV_NOHUGEPAGE);  // every fork must copy a page table entry for each page
  for (uint64_t at = 0; at < kBytes; at += page) static_cast<volatile char*>(memory)[at] = 1;
  ASSERT_GT(StatusKb("VmRSS:"), kBytes / 1024);
  const double plain = ForkSeconds(5);
  ASSERT_GT(plain, 0.0005) << "a fork shorter than several periods proves nothing";
  options_.period = 20011;  // 50 kHz
  START_OR_SKIP();
  // How soon the thread is sampled depends on the machine; the forks must come after that.
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
       Counters().samples <= 100 && std::chrono::steady_clock::now() < end;) {
    WorkForCpu(milliseconds(5));
  }
  ASSERT_GT(Counters().samples, 100u);
  const double sampled = ForkSeconds(5);
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  munmap(memory, kBytes);
  RecordProperty("fork_us_plain", static_cast<int>(plain * 1e6));
  RecordProperty("fork_us_sampled", static_cast<int>(sampled * 1e6));
  EXPECT_LT(sampled, plain * 10 + 0.5);
  ExpectEverySampleAccounted(Read().counters);
}

// A vforked child runs in its parent's memory, with its parent's handler and slot, but has no events.
TEST_F(Children, VforkedChildIsNotSampledAndItsParentIs) {
  options_.period = 50021;  // 20 kHz
  START_OR_SKIP();
  static volatile uint64_t child_work = 0;
  uint64_t samples = 0;
  uint64_t children = 0;
  for (const auto end = std::chrono::steady_clock::now() + milliseconds(1500);
       std::chrono::steady_clock::now() < end;) {
    (void)Work(20000);
    const uint64_t before = Counters().samples;
    const pid_t child = vfork();
    if (child == 0) {
      child_work = child_work + Work(20000) + 1;  // 50 to 100 us
      _exit(3);
    }
    samples += Counters().samples - before;  // only of the parent's few instructions around the call
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), 3);
    ++children;
  }
  EXPECT_GT(children, 100u);
  EXPECT_GE(child_work, children) << "the child ran in our memory";
  EXPECT_LT(samples, children / 5) << "if the children were sampled, there would be more than one each";
  EXPECT_GT(Counters().samples, 100u);
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  const Profile profile = Read();
  ExpectEverySampleAccounted(profile.counters);
  EXPECT_GT(profile.counters.traces_complete, 100u);
  EXPECT_EQ(profile.counters.verify_mismatches, 0u);
}

TEST_F(Children, SpawnedAndForkedChildrenRunUndisturbed) {
  options_.period = 50021;
  START_OR_SKIP();
  char shell[] = "sh";
  char flag[] = "-c";
  char script[] = "exit 6";
  char* arguments[] = {shell, flag, script, nullptr};
  uint64_t wrong = 0;
  for (int round = 0; round < 60; ++round) {
    (void)Work(100000);
    pid_t child = -1;
    int status = 0;
    if (posix_spawnp(&child, "sh", nullptr, nullptr, arguments, environ) != 0) ++wrong;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 6) ++wrong;
    child = fork();
    if (child == 0) {
      (void)Work(50000);
      _exit(softlbr_is_running() != 0 ? 1 : 7);
    }
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7) ++wrong;
    child = fork();
    if (child == 0) {
      raise(SIGKILL);
      _exit(1);
    }
    if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) ++wrong;
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(Counters().samples, 20u);
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  ExpectEverySampleAccounted(Read().counters);
}

// A thread by clone alone, without thread-local storage, stack guard and libc state. It runs nothing that needs them.
struct RawThread {
  std::atomic<uint32_t> tid;  // cleared by the kernel when the thread ends
  std::atomic<uint64_t> result;
  std::atomic<int32_t> own_tid;
};

__attribute__((noinline)) uint64_t RawWork(uint64_t rounds) {
  uint64_t state = 88172645463325252ull;
  uint64_t odd = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    if ((state & 3) != 0) odd += state % 7;
  }
  return odd;
}

#if defined(__x86_64__)
long RawCall(long number, long a, long b) {
  long result = number;
  asm volatile("syscall" : "+a"(result) : "D"(a), "S"(b) : "rcx", "r11", "memory");
  return result;
}
// From here on an access to thread-local storage faults.
void DropThreadPointer() { RawCall(SYS_arch_prctl, 0x1002 /* ARCH_SET_FS */, 0); }
#else
long RawCall(long number, long a, long b) {
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  asm volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
  return x0;
}
void DropThreadPointer() { asm volatile("msr tpidr_el0, xzr" ::: "memory"); }
#endif

constexpr uint64_t kRawRounds = 60000000;

__attribute__((noinline)) int RunRawThread(void* argument) {
  auto* thread = static_cast<RawThread*>(argument);
  DropThreadPointer();
  thread->own_tid.store(static_cast<int32_t>(RawCall(SYS_gettid, 0, 0)));
  thread->result.store(RawWork(kRawRounds));
  for (;;) RawCall(SYS_exit, 0, 0);
}

TEST_F(Children, ThreadWithoutThreadLocalStorageIsSampled) {
  options_.flags = SOFTLBR_KEEP_TRACES;
  options_.branches_per_trace = 16;
  START_OR_SKIP();
  constexpr size_t kStack = 262144;
  char* stack =
      static_cast<char*>(mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0));
  ASSERT_NE(stack, MAP_FAILED);
  static RawThread thread;
  thread.tid = 1;
  constexpr int kFlags =
      CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
  ASSERT_GT(clone(RunRawThread, stack + kStack, kFlags, &thread, nullptr, nullptr, &thread.tid), 0);
  while (thread.tid.load() != 0) usleep(1000);
  EXPECT_EQ(thread.result.load(), RawWork(kRawRounds));
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  munmap(stack, kStack);
  const Profile profile = Read();
  uint64_t traces = 0;
  for (const auto& trace : profile.traces) {
    if (trace.thread == static_cast<uint32_t>(thread.own_tid.load()) && trace.branches.size() == 16) ++traces;
  }
  RecordProperty("traces", static_cast<int>(traces));
  EXPECT_GT(traces, 100u);
  ExpectEverySampleAccounted(profile.counters);
}

}  // namespace
}  // namespace softlbr

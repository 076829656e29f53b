// Leaves each function that waits for signals by cancellation, by pthread_exit in a signal handler and by an exception
// from one, and a SIGTRAP handler in the same ways. Counts what was destroyed on the way.
#include <execinfo.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kRounds = 3;

std::atomic<int> g_destroyed{0};
std::atomic<bool> g_is_ready{false};
int g_epoll = -1;

struct Guard {
  ~Guard() { ++g_destroyed; }
};

const timespec kLong = {20, 0};

struct Wait {
  const char* name;
  void (*begin)(const sigset_t* none, const sigset_t* trap);
};
const Wait kWaits[] = {
    {"ppoll", [](const sigset_t* none, const sigset_t*) { (void)ppoll(nullptr, 0, &kLong, none); }},
    {"pselect",
     [](const sigset_t* none, const sigset_t*) { (void)pselect(0, nullptr, nullptr, nullptr, &kLong, none); }},
    {"epoll_pwait",
     [](const sigset_t* none, const sigset_t*) {
       epoll_event event;
       (void)epoll_pwait(g_epoll, &event, 1, 20000, none);
     }},
    {"sigsuspend", [](const sigset_t* none, const sigset_t*) { (void)sigsuspend(none); }},
    {"sigwaitinfo", [](const sigset_t*, const sigset_t* trap) { (void)sigwaitinfo(trap, nullptr); }},
    {"sigtimedwait", [](const sigset_t*, const sigset_t* trap) { (void)sigtimedwait(trap, nullptr, &kLong); }},
    {"system", [](const sigset_t*, const sigset_t*) { (void)!system("sleep 0.1"); }},
};

void BeginWait(const Wait& wait) {
  sigset_t none;
  sigset_t trap;
  sigemptyset(&none);
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  g_is_ready = true;
  wait.begin(&none, &trap);
}

void* WaitInThread(void* wait) {
  const Guard guard;
  BeginWait(*static_cast<const Wait*>(wait));
  return nullptr;
}

void* CatchInThread(void* wait) {
  try {
    const Guard guard;
    BeginWait(*static_cast<const Wait*>(wait));
  } catch (int thrown) {
    return reinterpret_cast<void*>(static_cast<long>(thrown));
  }
  return nullptr;
}

void Exit(int) { pthread_exit(reinterpret_cast<void*>(7l)); }
void Throw(int) { throw 5; }
void Trace(int) {
  void* frames[64];
  std::printf("frames above the handler: %d\n", backtrace(frames, 64));
}

// Runs a thread and does `end` to it while it waits. Prints how often it ended with `result`.
template <typename End>
void Try(const char* way, const Wait& wait, void* (*run)(void*), long result, End end) {
  int ended = 0;
  g_destroyed = 0;
  for (int round = 0; round < kRounds; ++round) {
    g_is_ready = false;
    pthread_t thread;
    if (pthread_create(&thread, nullptr, run, const_cast<Wait*>(&wait)) != 0) std::abort();
    while (!g_is_ready) usleep(100);
    usleep(2000);
    end(thread);
    void* got = nullptr;
    pthread_join(thread, &got);
    ended += got == reinterpret_cast<void*>(result);
  }
  std::printf("%s in %s: %d, destroyed %d\n", way, wait.name, ended, g_destroyed.load());
  std::fflush(stdout);
}

void Handle(int number, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_NODEFER;
  sigaction(number, &action, nullptr);
}

// Through a pointer, as the libc's own declaration says that it throws nothing.
int (*volatile g_raise)(int) = raise;

void TryTraps() {
  Handle(SIGTRAP, Trace);
  g_raise(SIGTRAP);
  Handle(SIGTRAP, Throw);
  int caught = 0;
  g_destroyed = 0;
  for (int round = 0; round < kRounds; ++round) {
    try {
      const Guard guard;
      g_raise(SIGTRAP);
    } catch (int) {
      ++caught;
    }
  }
  std::printf("thrown by a trap: %d, destroyed %d\n", caught, g_destroyed.load());
  Handle(SIGTRAP, Exit);
  const Wait trap = {"a trap's handler", [](const sigset_t*, const sigset_t*) { g_raise(SIGTRAP); }};
  Try("exit", trap, WaitInThread, 7, [](pthread_t) {});
}

}  // namespace

int main() {
  g_epoll = epoll_create1(0);
  const long kCancelled = reinterpret_cast<long>(PTHREAD_CANCELED);
  Handle(SIGUSR1, Throw);
  Handle(SIGUSR2, Exit);
  for (const Wait& wait : kWaits) {
    Try("cancel", wait, WaitInThread, kCancelled, [](pthread_t thread) { pthread_cancel(thread); });
    if (wait.name[0] == 's' && wait.name[1] == 'y') continue;  // system() is left by no handler of this thread
    Try("exit", wait, WaitInThread, 7, [](pthread_t thread) { pthread_kill(thread, SIGUSR2); });
    Try("throw", wait, CatchInThread, 5, [](pthread_t thread) { pthread_kill(thread, SIGUSR1); });
  }
  TryTraps();

  // syscall() is no cancellation point, whatever the system call.
  const Wait raw = {"syscall", [](const sigset_t*, const sigset_t*) {
                      const uint64_t trap = 1ull << (SIGTRAP - 1);
                      const timespec soon = {0, 50000000};
                      (void)syscall(SYS_rt_sigtimedwait, &trap, nullptr, &soon, sizeof trap);
                    }};
  Try("cancel", raw, WaitInThread, 0, [](pthread_t thread) { pthread_cancel(thread); });
  return 0;
}

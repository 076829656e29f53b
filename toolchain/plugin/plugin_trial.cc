#include "toolchain/plugin/plugin_trial.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "toolchain/base/failure.h"

namespace softlbr::toolchain {
namespace {

constexpr int kSecondsWithoutProgress = 2;  // of CPU time; a lift takes microseconds
constexpr size_t kMostTrapPages = 16;
constexpr size_t kShownCodeBytes = 16;

// Shared by the child and its parent.
struct TrialState {
  std::atomic<uint64_t> begun;  // calls of Begin
  std::atomic<uint32_t> is_done;
  char fault[512];
  char what[64];
  uint8_t code[kShownCodeBytes];
  size_t code_bytes;
  uint64_t pc;
  TrapPage trap_pages[kMostTrapPages];
  size_t trap_page_count;
};

TrialState* g_state = nullptr;  // in the child

[[noreturn]] void End() {
  for (;;) syscall(SYS_exit_group, 0);
}

void SetFault(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(g_state->fault, sizeof g_state->fault, format, arguments);
  va_end(arguments);
}

// After a crash the plugin's state is undefined, but not the memory that these handlers use: they write a text, and end
// the process.
void OnFault(int signal, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  for (size_t i = 0; i < g_state->trap_page_count; ++i) {
    const TrapPage& page = g_state->trap_pages[i];
    if (address - page.begin >= page.bytes) continue;
    SetFault("%s", page.meaning);
    End();
  }
  SetFault("crashes: signal %d at address 0x%lx", signal, static_cast<unsigned long>(address));
  End();
}

void OnSystemCall(int, siginfo_t* info, void*) {
  SetFault("makes system call %d", info->si_syscall);
  End();
}

void OnTick(int) {
  static uint64_t seen = 0;
  static int quiet_seconds = 0;
  const uint64_t begun = g_state->begun.load(std::memory_order_relaxed);
  quiet_seconds = begun == seen ? quiet_seconds + 1 : 0;
  seen = begun;
  if (quiet_seconds < kSecondsWithoutProgress) return;
  SetFault("does not return within %d s of CPU time", kSecondsWithoutProgress);
  End();
}

void PrepareChild() {
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  static uint8_t signal_stack[65536];
  const stack_t stack = {.ss_sp = signal_stack, .ss_flags = 0, .ss_size = sizeof signal_stack};
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_flags = SA_ONSTACK | SA_SIGINFO;
  action.sa_sigaction = OnFault;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP}) sigaction(signal, &action, nullptr);
  action.sa_sigaction = OnSystemCall;
  sigaction(SIGSYS, &action, nullptr);
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  action.sa_handler = OnTick;
  sigaction(SIGVTALRM, &action, nullptr);
  const itimerval second = {.it_interval = {1, 0}, .it_value = {1, 0}};
  setitimer(ITIMER_VIRTUAL, &second, nullptr);
}

std::string CodeText(const TrialState& state) {
  std::string text;
  char part[32];
  for (size_t i = 0; i < state.code_bytes && i < kShownCodeBytes; ++i) {
    snprintf(part, sizeof part, i == 0 ? "%02x" : " %02x", state.code[i]);
    text += part;
  }
  if (state.code_bytes > kShownCodeBytes) text += " ...";
  snprintf(part, sizeof part, " at 0x%llx", static_cast<unsigned long long>(state.pc));
  return (text.empty() ? "an empty window" : text) + part;
}

}  // namespace

void Trial::Begin(const char* what, std::span<const uint8_t> code, uint64_t pc) {
  snprintf(g_state->what, sizeof g_state->what, "%s", what);
  g_state->code_bytes = code.size();
  if (!code.empty()) memcpy(g_state->code, code.data(), code.size() < kShownCodeBytes ? code.size() : kShownCodeBytes);
  g_state->pc = pc;
  g_state->begun.fetch_add(1, std::memory_order_relaxed);
}

void Trial::Fail(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(g_state->fault, sizeof g_state->fault, format, arguments);
  va_end(arguments);
  End();
}

void Trial::Succeed() {
  g_state->is_done.store(1, std::memory_order_release);
  End();
}

void Trial::AddTrapPage(const TrapPage& page) {
  if (g_state->trap_page_count < kMostTrapPages) g_state->trap_pages[g_state->trap_page_count++] = page;
}

uint8_t* Trial::MapGuarded(size_t bytes, size_t alignment, const char* before, const char* behind) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t aligned = (bytes + alignment - 1) / alignment * alignment;
  const size_t inner = (aligned + page - 1) / page * page;
  void* mapping = mmap(nullptr, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) Fail("this process has no memory left for the check: %s", strerror(errno));
  const auto begin = reinterpret_cast<uintptr_t>(mapping);
  mprotect(reinterpret_cast<void*>(begin + page), inner, PROT_READ | PROT_WRITE);
  AddTrapPage({begin, page, before});
  AddTrapPage({begin + page + inner, page, behind});
  return reinterpret_cast<uint8_t*>(begin + page + inner - aligned);
}

bool Trial::ForbidSystemCalls() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
      // Ours: code under AddressSanitizer asks for the stack before it calls a function that does not return.
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sigaltstack, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
  };
  const sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TrialResult RunTrial(const std::function<void(Trial*)>& run) {
  void* memory = mmap(nullptr, sizeof(TrialState), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw StatedFailure("no memory for the check; free some");
  auto* state = static_cast<TrialState*>(memory);
  const pid_t child = fork();
  if (child < 0) {
    munmap(memory, sizeof(TrialState));
    throw StatedFailure(std::string("no process for the check: ") + strerror(errno) +
                        "; allow more processes (ulimit -u)");
  }
  if (child == 0) {
    g_state = state;
    PrepareChild();
    Trial trial;
    run(&trial);
    trial.Succeed();
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  TrialResult result;
  result.is_kept = state->is_done.load(std::memory_order_acquire) != 0 && state->fault[0] == '\0';
  if (!result.is_kept) {
    state->fault[sizeof state->fault - 1] = '\0';
    state->what[sizeof state->what - 1] = '\0';
    result.fault = state->fault;
    if (result.fault.empty()) {
      result.fault =
          WIFSIGNALED(status) ? "is ended by signal " + std::to_string(WTERMSIG(status)) : "ends the process";
    }
    if (state->begun.load(std::memory_order_relaxed) != 0) {
      result.fault = std::string(state->what) + " " + result.fault;
      const bool has_code = state->code_bytes != 0 || state->pc != 0;
      if (has_code) result.fault += " (code: " + CodeText(*state) + ")";
    }
  }
  munmap(memory, sizeof(TrialState));
  return result;
}

}  // namespace softlbr::toolchain

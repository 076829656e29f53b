// Contract: traced_program.h.
#include "tests/paths/traced_program.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/reg.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "platform/base/registers_x86_64.h"
#include "platform/cpu_context.h"
#include "platform/linux/signals/signal_frame.h"
#include "platform/linux/x86_64/signal_frame_x86_64.h"
#include "tests/paths/mirrored_memory.h"

namespace softlbr::paths {
namespace {

constexpr size_t kMaxInstructionLength = 15;
constexpr uint64_t kMaxStepMicroseconds = 2000000;
constexpr uint64_t kPollMicroseconds = 200;

uint64_t NowMicroseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000 + static_cast<uint64_t>(now.tv_nsec) / 1000;
}

void SleepMicroseconds(uint64_t microseconds) {
  const timespec time = {static_cast<time_t>(microseconds / 1000000), static_cast<long>(microseconds % 1000000 * 1000)};
  nanosleep(&time, nullptr);
}

uint64_t CpuNs(pid_t pid, pid_t thread) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/task/" + std::to_string(thread) + "/schedstat");
  uint64_t ns = 0;
  in >> ns;
  return ns;
}

[[noreturn]] void BecomeShell(const std::string& command) {
  personality(ADDR_NO_RANDOMIZE);
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(125);
  execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  _exit(127);
}

}  // namespace

std::unique_ptr<TracedProgram> TracedProgram::Start(const std::string& command, const std::string& folder,
                                                    std::string* error) {
  platform::InitCpuContext();
  const pid_t pid = fork();
  if (pid == 0) BecomeShell("cd '" + folder + "' && exec " + command + " >/dev/null 2>/dev/null </dev/null");
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status)) {
    *error = std::string("cannot trace: ") + std::strerror(errno);
    return nullptr;
  }
  std::unique_ptr<TracedProgram> program(new TracedProgram(pid));
  ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC);
  // The shell is at its first instruction; the program begins at the next exec.
  for (int signal = 0;;) {
    ptrace(PTRACE_CONT, pid, nullptr, static_cast<long>(signal));
    if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status)) {
      program->has_ended_ = true;
      *error = "the command did not become the program";
      return nullptr;
    }
    if (status >> 16 == PTRACE_EVENT_EXEC) break;
    signal = WSTOPSIG(status);
  }
  program->threads_[pid].is_stopped = true;
  program->picked_ = pid;
  return program;
}

TracedProgram::~TracedProgram() {
  if (has_ended_) return;
  kill(pid_, SIGKILL);
  // The threads must be reaped before the process.
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, __WALL)) > 0 && (pid != pid_ || WIFSTOPPED(status));) {
  }
}

void TracedProgram::Resume(pid_t thread, int signal) const {
  ptrace(PTRACE_CONT, thread, nullptr, static_cast<long>(signal));
}

bool TracedProgram::HandleEvent(pid_t thread, int status) {
  if (!WIFSTOPPED(status)) {
    threads_.erase(thread);
    if (thread != pid_) return true;
    has_ended_ = true;
    return false;
  }
  Thread& stopped = threads_[thread];
  stopped.is_stopped = true;
  const int signal = WSTOPSIG(status);
  // SIGSTOP is ours, or the start of a new thread; ptrace events carry SIGTRAP.
  if (status >> 16 == 0 && signal != SIGSTOP && signal != SIGTRAP) stopped.pending_signal = signal;
  return true;
}

bool TracedProgram::RunFor(uint64_t microseconds) {
  if (has_ended_) return false;
  instructions_.clear();
  has_stepped_ = false;
  auto go_on = [this](pid_t thread, Thread* state) {
    state->is_stopped = false;
    const int signal = state->pending_signal;
    state->pending_signal = 0;
    Resume(thread, signal);
  };
  for (auto& [thread, state] : threads_) {
    state.cpu_ns = CpuNs(pid_, thread);
    if (state.is_stopped) go_on(thread, &state);
  }
  const uint64_t end = NowMicroseconds() + microseconds;
  for (uint64_t now = NowMicroseconds(); now < end; now = NowMicroseconds()) {
    int status = 0;
    const pid_t thread = waitpid(-1, &status, __WALL | WNOHANG);
    if (thread < 0) return !(has_ended_ = true);
    if (thread == 0) {
      SleepMicroseconds(end - now < kPollMicroseconds ? end - now : kPollMicroseconds);
      continue;
    }
    if (!HandleEvent(thread, status)) return false;
    const auto entry = threads_.find(thread);
    if (entry != threads_.end()) go_on(thread, &entry->second);
  }
  return StopAll();
}

bool TracedProgram::StopAll() {
  for (const auto& [thread, state] : threads_) {
    if (!state.is_stopped) syscall(SYS_tgkill, pid_, thread, SIGSTOP);
  }
  for (;;) {
    bool are_all_stopped = true;
    for (const auto& [thread, state] : threads_) are_all_stopped = are_all_stopped && state.is_stopped;
    if (are_all_stopped) break;
    int status = 0;
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0) return !(has_ended_ = true);
    if (!HandleEvent(thread, status)) return false;
    // Not the stop that was asked for: the SIGSTOP is still to come.
    const bool is_ours = WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP;
    const auto entry = threads_.find(thread);
    if (entry == threads_.end() || is_ours) continue;
    entry->second.is_stopped = false;
    const int signal = entry->second.pending_signal;
    entry->second.pending_signal = 0;
    Resume(thread, signal);
  }
  uint64_t most = 0;
  picked_ = pid_;
  for (const auto& [thread, state] : threads_) {
    const uint64_t used = CpuNs(pid_, thread) - state.cpu_ns;
    if (used <= most) continue;
    most = used;
    picked_ = thread;
  }
  return true;
}

uint64_t TracedProgram::pc() const {
  return static_cast<uint64_t>(ptrace(PTRACE_PEEKUSER, picked_, static_cast<long>(RIP) * 8, nullptr));
}

truth::StepClass TracedProgram::InstructionAt(uint64_t pc) {
  const auto known = instructions_.find(pc);
  if (known != instructions_.end()) return known->second;
  uint8_t bytes[kMaxInstructionLength];
  size_t got = sizeof bytes;
  while (got > 0 && !ReadMemory(pc, bytes, got)) --got;
  return instructions_.emplace(pc, truth::ClassifyStep(bytes, got)).first->second;
}

StepOutcome TracedProgram::Step(Branch* branch) {
  user_regs_struct before;
  if (has_ended_ || ptrace(PTRACE_GETREGS, picked_, nullptr, &before) != 0) return StepOutcome::kEnded;
  const truth::StepClass step = InstructionAt(before.rip);
  Thread& state = threads_[picked_];
  const int signal = state.pending_signal;
  state.pending_signal = 0;
  ptrace(PTRACE_SINGLESTEP, picked_, nullptr, static_cast<long>(signal));
  state.is_stopped = false;
  int status = 0;
  // Only a system call can take long: this one, or one that the stop interrupted and the step restarts.
  const bool may_block = step.kind == truth::StepKind::kSystemCall || !has_stepped_;
  has_stepped_ = true;
  if (may_block) {
    const uint64_t end = NowMicroseconds() + kMaxStepMicroseconds;
    pid_t got = 0;
    while ((got = waitpid(picked_, &status, __WALL | WNOHANG)) == 0 && NowMicroseconds() < end) SleepMicroseconds(20);
    if (got == 0) return StepOutcome::kBlocked;
  } else if (waitpid(picked_, &status, __WALL) != picked_) {
    has_ended_ = true;
    return StepOutcome::kEnded;
  }
  if (!HandleEvent(picked_, status)) return StepOutcome::kEnded;
  if (!WIFSTOPPED(status)) return StepOutcome::kBlocked;  // this thread ended, the program did not
  const uint64_t next = pc();
  if (signal != 0 || WSTOPSIG(status) != SIGTRAP || status >> 16 == PTRACE_EVENT_EXEC) return StepOutcome::kMoved;
  switch (step.kind) {
    case truth::StepKind::kConditional: {
      const uint64_t fall_through = before.rip + step.length;
      const uint64_t target = fall_through + static_cast<uint64_t>(static_cast<int64_t>(step.displacement));
      if (next != fall_through && next != target) return StepOutcome::kMoved;
      const bool is_taken =
          target == fall_through ? truth::IsConditionTrue(step, before.eflags, before.rcx) : next == target;
      if (!is_taken) return StepOutcome::kStepped;
      break;
    }
    case truth::StepKind::kUnconditional: break;
    case truth::StepKind::kFar: return StepOutcome::kMoved;
    case truth::StepKind::kSystemCall:
    case truth::StepKind::kOther:
      return next - before.rip <= kMaxInstructionLength ? StepOutcome::kStepped : StepOutcome::kMoved;
  }
  *branch = Branch{before.rip, next};
  return StepOutcome::kBranchTaken;
}

bool TracedProgram::ReadMemory(uint64_t address, void* out, uint64_t bytes) const {
  // Unlike /proc/<pid>/mem this respects the mappings' own protection.
  const iovec here = {out, bytes};
  const iovec there = {reinterpret_cast<void*>(address), bytes};
  return process_vm_readv(pid_, &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
}

void TracedProgram::ReadSpecialRanges(SpecialRanges* ranges) const { ReadSpecialRangesOf(pid_, ranges); }

bool TracedProgram::LoadContext(MachineContext* context) const {
  user_regs_struct regs;
  if (ptrace(PTRACE_GETREGS, picked_, nullptr, &regs) != 0) return false;
  alignas(64) uint8_t image[16384] = {};
  iovec area = {image, sizeof image - 8};
  if (ptrace(PTRACE_GETREGSET, picked_, reinterpret_cast<void*>(NT_X86_XSTATE), &area) != 0) return false;
  // Adds what the kernel adds to the image when it writes a signal frame.
  auto* state = reinterpret_cast<platform::X86FloatState*>(image);
  uint64_t enabled = 0;
  std::memcpy(&enabled, image + offsetof(platform::X86FloatState, magic1), sizeof enabled);  // a regset has XCR0 there
  state->magic1 = platform::kXstateMagic1;
  state->features = enabled;
  state->xstate_bytes = static_cast<uint32_t>(area.iov_len);
  state->extended_bytes = state->xstate_bytes + 4;
  std::memcpy(image + area.iov_len, &platform::kXstateMagic2, 4);
  platform::X86SignalFrame frame = {};
  const uint64_t r8_to_r15[8] = {regs.r8, regs.r9, regs.r10, regs.r11, regs.r12, regs.r13, regs.r14, regs.r15};
  std::memcpy(frame.r8_to_r15, r8_to_r15, sizeof r8_to_r15);
  frame.rdi = regs.rdi;
  frame.rsi = regs.rsi;
  frame.rbp = regs.rbp;
  frame.rbx = regs.rbx;
  frame.rdx = regs.rdx;
  frame.rax = regs.rax;
  frame.rcx = regs.rcx;
  frame.rsp = regs.rsp;
  frame.rip = regs.rip;
  frame.eflags = regs.eflags;
  frame.float_state = state;
  platform::LoadMachineContext(&frame, context);
  context->regs[SOFTLBR_X86_FS_BASE] = regs.fs_base;  // LoadMachineContext asked this thread's own
  context->regs[SOFTLBR_X86_GS_BASE] = regs.gs_base;
  return true;
}

std::string TracedProgram::Describe(uint64_t pc) const { return DescribeAddressOf(pid_, pc); }

}  // namespace softlbr::paths

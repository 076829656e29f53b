#include "tests/truth/true_path.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <unordered_map>

#include "tests/truth/step/step_cpu.h"

namespace softlbr::truth {
namespace {

std::string SystemError(const std::string& what) { return what + ": " + std::strerror(errno); }

// One flow of control: the program's, or a signal handler's on top of it.
struct Flow {
  size_t chunk;
  uint64_t sp_when_interrupted;
};

class Stepper {
 public:
  Stepper(pid_t pid, std::vector<std::string> unstepped, TruePath* path)
      : pid_(pid), unstepped_(std::move(unstepped)), path_(*path) {}

  std::string Run(uint64_t max_steps) {
    memory_ = open(("/proc/" + std::to_string(pid_) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
    if (memory_ < 0) return SystemError("cannot read the program's memory");
    ForgetCode();
    flows_.push_back({NewPiece(ReadPc(pid_)), 0});
    const std::string error = Loop(max_steps);
    close(memory_);
    return error;
  }

 private:
  bool Wait(int* status) const { return waitpid(pid_, status, __WALL) == pid_; }
  bool HasEnded(int status) {
    if (WIFSTOPPED(status)) return false;
    path_.exit_status = status;
    return true;
  }

  size_t NewPiece(uint64_t pc) {
    path_.chunks.emplace_back();
    path_.run_steps.emplace_back();
    path_.piece_starts.push_back(path_.modules.Translate(pc));
    return path_.chunks.size() - 1;
  }

  void ForgetCode() {
    instructions_.clear();
    numbers_here_.clear();
    path_.modules.Refresh(pid_);
  }

  struct Instruction {
    StepClass step;
    TrappedRun run;
    uint8_t bytes[kTrappedRunBytes] = {};
  };
  const Instruction& InstructionAt(uint64_t pc) {
    const auto known = instructions_.find(pc);
    if (known != instructions_.end()) return known->second;
    Instruction instruction;
    const ssize_t got = pread(memory_, instruction.bytes, sizeof instruction.bytes, static_cast<off_t>(pc));
    if (got > 0) {
      instruction.step =
          ClassifyInstruction(instruction.bytes, std::min(static_cast<size_t>(got), kMaxInstructionLength));
      instruction.run = FindTrappedRun(instruction.bytes, static_cast<size_t>(got));
      if (!instruction.run.is_required && !IsTheThreadsAlone(pc)) instruction.run.ends.clear();
    }
    return instructions_.emplace(pc, instruction).first->second;
  }

  // Whether nobody else executes the code at pc, who would die of a trap there. The runtime's own process shares the
  // program's memory once the first call into the runtime has returned, and may use libc.
  bool IsTheThreadsAlone(uint64_t pc) const {
    const CodeAddress place = path_.modules.Translate(pc);
    if (place.module == kNoTruthModule) return false;
    const std::string& path = path_.modules.modules()[place.module].path;
    if (!path.starts_with('/')) return false;  // the vdso
    if (path_.behind_unstepped_calls.empty()) return true;
    const std::string name = BaseName(path);
    const auto begins_name = [&](const std::string& prefix) { return name.starts_with(prefix); };
    return !begins_name("libc.") && !begins_name("ld-") &&
           std::none_of(unstepped_.begin(), unstepped_.end(), begins_name);
  }

  BranchNumber NumberOf(uint64_t from, uint64_t to) {
    const auto key = std::make_pair(from, to);
    const auto here = numbers_here_.find(key);
    if (here != numbers_here_.end()) return here->second;
    const TakenBranch branch{path_.modules.Translate(from), path_.modules.Translate(to)};
    const auto [entry, is_new] = numbers_.emplace(branch, static_cast<BranchNumber>(path_.branches.size()));
    if (is_new) path_.branches.push_back(branch);
    numbers_here_.emplace(key, entry->second);
    return entry->second;
  }

  void Take(uint64_t from, uint64_t to) {
    const size_t chunk = flows_.back().chunk;
    path_.chunks[chunk].push_back(NumberOf(from, to));
    path_.run_steps[chunk].push_back(static_cast<uint32_t>(path_.steps - steps_at_last_branch_));
    steps_at_last_branch_ = path_.steps;
  }

  // The thread is at an address that the stepped instruction cannot lead to.
  void MovedTo(uint64_t pc) {
    ++path_.kernel_moves;
    flows_.back().chunk = NewPiece(pc);
  }

  // After rt_sigreturn: the flow that was interrupted is the topmost one with this stack pointer.
  void ReturnFromSignal(uint64_t pc) {
    const uint64_t sp = ReadSp(pid_);
    for (size_t level = flows_.size() - 1; level > 0; --level) {
      if (flows_[level - 1].sp_when_interrupted != sp) continue;
      flows_.resize(level);
      return;
    }
    MovedTo(pc);
  }

  // `step` at `pc` has run and left the thread at `next`.
  void Account(uint64_t pc, const StepClass& step, uint64_t next, bool is_condition_true) {
    switch (step.kind) {
      case StepKind::kConditional: {
        const uint64_t end = pc + step.length;
        const uint64_t target = end + static_cast<uint64_t>(static_cast<int64_t>(step.displacement));
        if (next != end && next != target) return MovedTo(next);
        if (target == end ? is_condition_true : next == target) Take(pc, next);
        return;
      }
      case StepKind::kUnconditional: return Take(pc, next);
      case StepKind::kFar: return MovedTo(next);
      case StepKind::kSystemCall:
      case StepKind::kOther:
        if (next < pc || next > pc + kMaxInstructionLength) MovedTo(next);
        return;
    }
  }

  std::string Loop(uint64_t max_steps) {
    uint64_t pc = ReadPc(pid_);
    int signal_to_deliver = 0;
    for (;;) {
      const Instruction& instruction = InstructionAt(pc);
      if (!instruction.run.ends.empty() && signal_to_deliver == 0) {
        bool has_ended = false;
        const std::string error = RunThrough(instruction.run, &pc, &signal_to_deliver, &has_ended);
        if (!error.empty() || has_ended) return error;
        if (path_.steps > max_steps) return TooManySteps(max_steps);
        continue;
      }
      const StepClass step = instruction.step;
      const bool is_ambiguous = step.kind == StepKind::kConditional && step.displacement == 0;
      const bool is_condition_true = is_ambiguous && IsBranchTaken(pid_, step, instruction.bytes);
      const bool is_system_call = step.kind == StepKind::kSystemCall;
      const uint64_t call_number = is_system_call ? ReadCallNumber(pid_) : 0;
      const uint64_t sp_before = signal_to_deliver != 0 ? ReadSp(pid_) : 0;

      if (ptrace(PTRACE_SINGLESTEP, pid_, nullptr, static_cast<long>(signal_to_deliver)) != 0)
        return SystemError("PTRACE_SINGLESTEP");
      int status;
      if (!Wait(&status)) return SystemError("waitpid");
      if (HasEnded(status)) return "";
      const int stop = WSTOPSIG(status);
      const uint64_t next = ReadPc(pid_);
      const siginfo_t info = stop == SIGTRAP ? StopInfo() : siginfo_t{};
      if (stop != SIGTRAP || !IsEndOfStep(info)) {
        // A signal is about to be delivered. A changed pc shows that the instruction ran first.
        if (next != pc) {
          ++path_.steps;
          Account(pc, step, next, is_condition_true);
        }
        signal_to_deliver = stop;
        pc = next;
        continue;
      }
      if (signal_to_deliver != 0 && info.si_code == SIGTRAP) {
        ++path_.signals;
        flows_.back().sp_when_interrupted = sp_before;
        flows_.push_back({NewPiece(next), 0});
      } else if (is_system_call && call_number == SYS_rt_sigreturn) {
        ReturnFromSignal(next);
        ++path_.steps;
      } else {
        ++path_.steps;
        Account(pc, step, next, is_condition_true);
        if (is_system_call && ChangesMappings(call_number)) ForgetCode();
      }
      signal_to_deliver = 0;
      pc = next;
      if (step.kind == StepKind::kUnconditional && !unstepped_.empty() && IsUnstepped(pc)) {
        bool has_ended = false;
        const std::string error = RunUntilReturn(&pc, &has_ended);
        if (!error.empty() || has_ended) return error;
      }
      if (path_.steps > max_steps) return TooManySteps(max_steps);
    }
  }

  std::string TooManySteps(uint64_t max_steps) const {
    int status;
    kill(pid_, SIGKILL);
    waitpid(pid_, &status, __WALL);
    return "the program needs more than " + std::to_string(max_steps) + " steps";
  }

  static bool ChangesMappings(uint64_t call_number) {
    return call_number == SYS_mmap || call_number == SYS_munmap || call_number == SYS_mprotect ||
           call_number == SYS_mremap;
  }

  siginfo_t StopInfo() const {
    siginfo_t info{};
    ptrace(PTRACE_GETSIGINFO, pid_, nullptr, &info);
    return info;
  }
  bool IsUnstepped(uint64_t pc) {
    const CodeAddress place = path_.modules.Translate(pc);
    if (place.module == kNoTruthModule) return false;
    const std::string& path = path_.modules.modules()[place.module].path;
    const std::string name = BaseName(path);
    if (std::none_of(unstepped_.begin(), unstepped_.end(),
                     [&](const std::string& prefix) { return name.starts_with(prefix); })) {
      return false;
    }
    return !IsForwarder(path, place.address);
  }

  // Is `address` in one of the preload library's functions that interpose libc's and mostly only call those? Then
  // libc's part belongs to the program's path. The library's other functions run the session.
  bool IsForwarder(const std::string& path, uint64_t address) {
    if (forwarders_of_ != path) {
      forwarders_of_ = path;
      forwarders_.clear();
      void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // does nothing here: no options are set
      if (library == nullptr) return false;
      for (const char* name :
           {"sigaction", "signal", "sysv_signal", "sigset", "sigignore", "siginterrupt", "sigwait", "sigwaitinfo",
            "sigtimedwait", "sigprocmask", "pthread_sigmask", "sighold", "sigblock", "sigsetmask", "dlclose"}) {
        Dl_info info;
        void* entry = nullptr;
        void* function = dlsym(library, name);
        if (function == nullptr || dladdr1(function, &info, &entry, RTLD_DL_SYMENT) == 0 ||
            BaseName(info.dli_fname) != BaseName(path)) {
          continue;
        }
        const auto begin = static_cast<uint64_t>(static_cast<char*>(function) - static_cast<char*>(info.dli_fbase));
        forwarders_.emplace_back(begin, begin + static_cast<const ElfW(Sym)*>(entry)->st_size);
      }
      dlclose(library);
    }
    return std::any_of(forwarders_.begin(), forwarders_.end(),
                       [&](const auto& range) { return range.first <= address && address < range.second; });
  }

  // A trap in the program's code for the lifetime of this object.
  class CodeTrap {
   public:
    CodeTrap(pid_t pid, uint64_t address) : pid_(pid), address_(address) {
      word_ = static_cast<uint64_t>(ptrace(PTRACE_PEEKTEXT, pid, address, nullptr));
      is_set_ = ptrace(PTRACE_POKETEXT, pid, address, WithTrap(word_)) == 0;
    }
    ~CodeTrap() {
      if (is_set_) ptrace(PTRACE_POKETEXT, pid_, address_, word_);
    }
    CodeTrap(const CodeTrap&) = delete;
    CodeTrap& operator=(const CodeTrap&) = delete;
    bool is_set() const { return is_set_; }

   private:
    const pid_t pid_;
    const uint64_t address_;
    uint64_t word_ = 0;
    bool is_set_ = false;
  };

  bool IsAtTrap(int signal, uint64_t address) const {
    return signal == SIGTRAP && IsTrapCode(StopInfo().si_code) && ReadPc(pid_) == address + kTrapPcDistance;
  }

  // Lets the thread run from *pc, where `run` begins, to one of its ends, or to the instruction before which a signal
  // comes. An exclusive pair starts again then, because the kernel's entry clears the monitor.
  std::string RunThrough(const TrappedRun& run, uint64_t* pc, int* signal_to_deliver, bool* has_ended) {
    const uint64_t begin = *pc;
    int stop;
    {
      // Set in order and removed in reverse order: two ends may share a word.
      std::vector<std::unique_ptr<CodeTrap>> traps;
      for (const TrappedRun::End& end : run.ends) {
        traps.push_back(std::make_unique<CodeTrap>(pid_, begin + end.distance));
        if (!traps.back()->is_set()) return SystemError("PTRACE_POKETEXT");
      }
      ptrace(PTRACE_CONT, pid_, nullptr, nullptr);
      int status;
      if (!Wait(&status)) return SystemError("waitpid");
      if (WIFEXITED(status)) return LostTrack(begin);  // there is no system call in a run
      if (HasEnded(status)) {
        *has_ended = true;
        return "";
      }
      stop = WSTOPSIG(status);
      while (!traps.empty()) traps.pop_back();
    }
    *pc = ReadPc(pid_);
    if (stop != SIGTRAP) *signal_to_deliver = stop;
    for (const TrappedRun::End& end : run.ends) {
      const uint64_t place = begin + end.distance;
      if (*pc != (stop == SIGTRAP ? place + kTrapPcDistance : place)) continue;
      if (*pc != place) WritePc(pid_, place);
      *pc = place;
      path_.steps += end.instructions;
      if (end.is_taken) Take(begin + end.branch, place);
      return "";
    }
    return stop == SIGTRAP ? LostTrack(begin) : "";
  }

  static std::string LostTrack(uint64_t begin) { return "lost track behind pc " + std::to_string(begin); }

  // The thread is at the first instruction of a function that is not to be stepped: lets it run until it returns, to
  // *pc.
  std::string RunUntilReturn(uint64_t* pc, bool* has_ended) {
    const uint64_t sp = ReadSp(pid_);
    const uint64_t return_address = ReadReturnAddress(pid_);
    auto trap = std::make_unique<CodeTrap>(pid_, return_address);
    if (!trap->is_set()) return SystemError("PTRACE_POKETEXT");
    for (int signal = 0;;) {
      ptrace(PTRACE_CONT, pid_, nullptr, static_cast<long>(signal));
      int status;
      if (!Wait(&status)) return SystemError("waitpid");
      if (HasEnded(status)) {
        *has_ended = true;
        return "";
      }
      signal = WSTOPSIG(status);
      if (!IsAtTrap(signal, return_address)) continue;
      trap.reset();
      if (kTrapPcDistance != 0) WritePc(pid_, return_address);
      if (HasReturned(sp, ReadSp(pid_))) break;
      // The same address in a deeper frame: the loader calls constructors from here too, while the unstepped code loads
      // a library.
      ptrace(PTRACE_SINGLESTEP, pid_, nullptr, nullptr);
      if (!Wait(&status)) return SystemError("waitpid");
      if (HasEnded(status) || WSTOPSIG(status) != SIGTRAP) return "lost track inside an unstepped call";
      trap = std::make_unique<CodeTrap>(pid_, return_address);
      signal = 0;
    }
    ForgetCode();
    flows_.back().chunk = NewPiece(return_address);
    path_.behind_unstepped_calls.push_back(flows_.back().chunk);
    *pc = return_address;
    return "";
  }

  const pid_t pid_;
  const std::vector<std::string> unstepped_;
  TruePath& path_;
  std::string forwarders_of_;
  std::vector<std::pair<uint64_t, uint64_t>> forwarders_;  // begin and end, link-time addresses
  int memory_ = -1;
  uint64_t steps_at_last_branch_ = 0;
  std::vector<Flow> flows_;
  std::unordered_map<uint64_t, Instruction> instructions_;
  struct PairHash {
    size_t operator()(const std::pair<uint64_t, uint64_t>& pair) const {
      return (pair.first * 0x9e3779b97f4a7c15ull) ^ (pair.second * 0xc2b2ae3d27d4eb4full);
    }
  };
  std::unordered_map<std::pair<uint64_t, uint64_t>, BranchNumber, PairHash> numbers_here_;  // run-time addresses
  std::map<TakenBranch, BranchNumber> numbers_;
};

}  // namespace

void BecomeProgram(const Launch& launch) {
  const int input = open(launch.standard_input.c_str(), O_RDONLY);
  const int output = open(launch.standard_output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (input < 0 || output < 0) _exit(126);
  dup2(input, 0);
  dup2(output, 1);
  if (input > 2) close(input);
  if (output > 2) close(output);
  if (!launch.folder.empty() && chdir(launch.folder.c_str()) != 0) _exit(126);
  personality(ADDR_NO_RANDOMIZE);
  std::vector<char*> arguments, environment;
  for (const std::string& text : launch.arguments) arguments.push_back(const_cast<char*>(text.c_str()));
  for (const std::string& text : launch.environment) environment.push_back(const_cast<char*>(text.c_str()));
  arguments.push_back(nullptr);
  environment.push_back(nullptr);
  execve(arguments[0], arguments.data(), environment.data());
  _exit(127);
}

namespace {

// Lets `root` run until a child of it has called exec; *child is that one, stopped.
std::string FollowToChild(pid_t root, pid_t* child) {
  constexpr long kFollow =
      PTRACE_O_EXITKILL | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;
  ptrace(PTRACE_SETOPTIONS, root, nullptr, kFollow);
  ptrace(PTRACE_CONT, root, nullptr, nullptr);
  for (;;) {
    int status;
    const pid_t pid = waitpid(-1, &status, __WALL);
    if (pid < 0) return SystemError("waitpid");
    if (!WIFSTOPPED(status)) {
      if (pid == root) return "the command ended before it had started the program";
      continue;
    }
    const int event = status >> 16;
    if (event == PTRACE_EVENT_EXEC && pid != root) {
      *child = pid;
      return "";
    }
    // A new process begins with a SIGSTOP of ptrace's own, which must not be delivered.
    const int stop = WSTOPSIG(status);
    const bool is_ours = event != 0 || stop == SIGSTOP || stop == SIGTRAP;
    ptrace(PTRACE_CONT, pid, nullptr, static_cast<long>(is_ours ? 0 : stop));
  }
}

// Lets every process still traced run to its end.
void RunToEnd() {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, __WALL)) > 0;) {
    if (!WIFSTOPPED(status)) continue;
    const int stop = WSTOPSIG(status);
    ptrace(PTRACE_CONT, pid, nullptr, static_cast<long>(status >> 16 || stop == SIGTRAP || stop == SIGSTOP ? 0 : stop));
  }
}

}  // namespace

std::string StepThrough(const Launch& launch, Stepped stepped, const std::vector<std::string>& unstepped,
                        uint64_t max_steps, TruePath* path) {
  cpu_set_t before, one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<size_t>(sched_getcpu()), &one);
  const bool is_pinned =
      sched_getaffinity(0, sizeof before, &before) == 0 && sched_setaffinity(0, sizeof one, &one) == 0;
  std::string error;
  const pid_t root = fork();
  if (root < 0) return SystemError("fork");
  if (root == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(125);
    BecomeProgram(launch);
  }
  int status;
  pid_t program = root;
  if (waitpid(root, &status, 0) != root) {
    error = SystemError("waitpid");
  } else if (!WIFSTOPPED(status)) {
    error = "cannot start " + launch.arguments[0] + " under ptrace (status " + std::to_string(status) + ")";
  } else if (stepped == Stepped::kFirstChild) {
    error = FollowToChild(root, &program);
  }
  if (error.empty()) {
    ptrace(PTRACE_SETOPTIONS, program, nullptr, PTRACE_O_EXITKILL);
    error = Stepper(program, unstepped, path).Run(max_steps);
  }
  if (!error.empty()) {
    kill(program, SIGKILL);  // stopped, and waited for already
    kill(root, SIGKILL);
  }
  RunToEnd();
  if (is_pinned) sched_setaffinity(0, sizeof before, &before);
  return error;
}

}  // namespace softlbr::truth

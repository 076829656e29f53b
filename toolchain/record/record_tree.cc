#include "toolchain/record/record_tree.h"

#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "toolchain/base/text.h"
#include "toolchain/record/record_causes.h"
#include "toolchain/record/record_output.h"

namespace softlbr::toolchain {
namespace {

using WaitClock = std::chrono::steady_clock;
constexpr std::chrono::seconds kLongestWait{10};

struct ProcessState {
  bool exists = false;
  bool has_ended = false;  // a zombie, which nobody has waited for yet
  uint64_t start_ns = 0;   // since boot, cut to clock ticks
};

ProcessState StateOf(uint32_t process) {
  ProcessState state;
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  if (!std::getline(file, line) || line.rfind(')') == std::string::npos) return state;
  std::istringstream words(line.substr(line.rfind(')') + 1));
  constexpr int kStartWord = 20;  // field 22 of proc(5); the state is field 3
  std::string word;
  for (int i = 1; i <= kStartWord && words >> word; ++i) {
    if (i == 1) state.has_ended = word == "Z" || word == "X";
  }
  const auto ticks_per_second = static_cast<uint64_t>(sysconf(_SC_CLK_TCK));
  state.start_ns = std::strtoull(word.c_str(), nullptr, 10) * (1000000000 / ticks_per_second);
  state.exists = true;
  return state;
}

// False also if the id now belongs to a process that started later.
bool IsAlive(uint32_t process, uint64_t session_ns) {
  const ProcessState state = StateOf(process);
  return state.exists && !state.has_ended && state.start_ns <= session_ns;
}

// Waits until a helper has ended. The signal makes it look at once whether its process or the recording has ended
// (runtime/session/trap_dispatch.cc).
void WaitForMember(const TreeFile& tree, const RecordMember& member, WaitClock::time_point end) {
  const uint32_t process = __atomic_load_n(&member.helper, __ATOMIC_ACQUIRE);
  const Descriptor helper(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(process), 0)));
  // The descriptor stays that of the process that is looked at next.
  if (helper.get() < 0 || !IsAlive(process, member.session_ns) || !IsHelperOf(tree, process)) return;
  syscall(SYS_pidfd_send_signal, helper.get(), SIGTRAP, nullptr, 0);
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - WaitClock::now()).count();
  pollfd wait{helper.get(), POLLIN, 0};
  poll(&wait, 1, static_cast<int>(std::max<int64_t>(left, 0)));
}

std::string ReasonText(uint32_t reason) {
  switch (static_cast<Unrecordable>(reason)) {
    case Unrecordable::kStatic: return "statically linked";
    case Unrecordable::kPrivileged: return "runs with other rights than yours";
    case Unrecordable::kOtherMachine: return "built for another CPU";
    case Unrecordable::kGo: return "a Go program";
    case Unrecordable::kSanitized: return "uses a shared sanitizer library";
    case Unrecordable::kUnreadable: return "its file is not readable";
    case Unrecordable::kNoRoom: return "its environment is too large";
    case Unrecordable::kNoLibrary:
      return "where the preload library cannot be loaded: in another root folder, as a user who may not read it, or "
             "from a mount "
             "with "
             "noexec";
    case Unrecordable::kOutOfReach:
      return "runs as another user or in another namespace, where the profile cannot be opened";
    case Unrecordable::kSeveralPreloads: return "its environment has LD_PRELOAD more than once";
    case Unrecordable::kClosesDescriptors:
      return "closes all its descriptors as it starts; a sampling period below 1 ms records it";
    case Unrecordable::kFiltered:
      return "below a seccomp filter that a recorded process has set, and that may forbid our system calls; run "
             "`softlbr record` "
             "below "
             "the filter instead";
    default: return "unknown to this command; install the command and the preload library from one build";
  }
}

std::string SkippedText(const std::vector<TreeFile>& trees) {
  std::set<std::pair<std::string, uint32_t>> programs;
  for (const TreeFile& file : trees) {
    for (const RecordSkipped& entry : file.tree->skipped_programs) {
      if (__atomic_load_n(&entry.is_complete, __ATOMIC_ACQUIRE) != 1) continue;
      programs.emplace(std::string(entry.name, strnlen(entry.name, sizeof entry.name)), entry.reason);
    }
  }
  std::string text;
  for (const auto& [name, reason] : programs) {
    text += (text.empty() ? "" : ", ") + SafeText(name) + " (" + ReasonText(reason) + ")";
  }
  return text;
}

}  // namespace

bool IsHelperOf(const TreeFile& tree, uint32_t process) {
  // this user may signal only processes of its own, which it could do without the tree
  if (geteuid() != 0) return true;
  if (process == 0 || process == static_cast<uint32_t>(getpid())) return false;
  const std::string folder = "/proc/" + std::to_string(process);
  std::ifstream comm(folder + "/comm");
  std::string name;
  // Helpers name themselves so (platform/linux/threads/thread_linux.cc), and share their host's memory, where the tree
  // is mapped.
  if (!std::getline(comm, name) || name != "softlbr") return false;
  struct stat info {};
  if (fstat(tree.file, &info) != 0) return false;
  std::ifstream maps(folder + "/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string skipped;
    uint64_t inode = 0;
    std::string path;
    words >> skipped >> skipped >> skipped >> skipped >> inode >> path;
    if (inode == info.st_ino && path == std::string("/memfd:") + kRecordTreeName) return true;
  }
  return false;
}

TreeEnd EndTrees(const std::vector<TreeFile>& trees) {
  TreeEnd result;
  const RecordTree& main = *trees.front().tree;
  uint64_t alive = 0;
  uint64_t skipped = 0;
  uint64_t start_failures = 0;
  uint32_t start_failure = 0;
  uint64_t entry_losses = 0;
  for (const TreeFile& file : trees) {
    for (const RecordMember& member : file.tree->members) {
      const uint32_t process = __atomic_load_n(&member.process, __ATOMIC_ACQUIRE);
      if (process != 0 && process != main.program_id && IsAlive(process, member.session_ns)) ++alive;
    }
    __atomic_store_n(&file.tree->has_ended, 1, __ATOMIC_SEQ_CST);
  }
  const WaitClock::time_point end = WaitClock::now() + kLongestWait;
  for (const TreeFile& file : trees) {
    for (const RecordMember& member : file.tree->members) {
      if (__atomic_load_n(&member.helper, __ATOMIC_ACQUIRE) != 0) WaitForMember(file, member, end);
    }
    skipped += file.tree->skipped;
    start_failures += file.tree->start_failures;
    if (file.tree->start_failures != 0) start_failure = file.tree->start_failure;
    entry_losses += file.tree->entry_losses;
  }
  result.has_writers = alive != 0;
  for (const RecordMember& member : main.members) {
    const uint32_t helper = __atomic_load_n(&member.helper, __ATOMIC_ACQUIRE);
    if (helper != 0 && IsAlive(helper, member.session_ns)) result.has_writers = true;
  }
  if (skipped != 0) {
    result.messages.push_back("not recorded: " + SkippedText(trees) + "; " + GroupedCount(skipped) + " process" +
                              (skipped == 1 ? "" : "es") + " ran such a program");
  }
  if (start_failures != 0) {
    result.messages.push_back(
        "not recorded: " + Counted(start_failures, "process", "processes") +
        " in which no session could be started: " + StartFailureText(start_failure & 0xffff, start_failure >> 16));
  }
  if (entry_losses != 0) {
    result.messages.push_back(
        "not recorded, or not to the end: " + Counted(entry_losses, "process", "processes") +
        " at the limit of processes (RLIMIT_NPROC, or pids.max of a control group), in which a recording takes one "
        "more for each process; raise the limit to record all");
  }
  if (alive != 0) {
    result.messages.push_back(GroupedCount(alive) + (alive == 1 ? " process goes" : " processes go") +
                              " on unrecorded, as the program has ended");
  }
  return result;
}

}  // namespace softlbr::toolchain

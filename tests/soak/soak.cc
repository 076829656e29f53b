// bin/soak: runs a torture program under `softlbr record` at 10 kHz for a chosen time and checks it.
//
// Use: soak [--seconds N] [--period NS] [--branches N] [--keep FILE]      60 s, 100003 ns, 128 branches
// Compares every line of the program, as it arrives, with a run without softlbr. A minute without a line is a hang:
// soak prints where each thread is and ends the program. Afterwards it checks the exit code, the account of samples,
// and that memory has not grown since a tenth of the time. Prints a short report. Exit code 0: passed; 1: failed, with
// the reason on stderr.
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

using nlohmann::json;

constexpr int kRounds = 8;        // TORTURE_ROUNDS of torture.c
constexpr int kHangSeconds = 60;  // a round takes a quarter of a second on an idle machine
constexpr long kMaxGrowthKb = 2048;

struct Settings {
  std::string seconds = "60";
  std::string period = "100003";
  std::string branches = "128";
  std::string keep;
};

int g_failures = 0;

void Fail(const std::string& what) {
  if (++g_failures <= 20) fprintf(stderr, "soak: FAILED: %s\n", what.c_str());
}

double Now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string FirstLine(const std::string& path) {
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  return line;
}

// A program whose standard output is read line by line. It has a process group of its own, which ends with this object.
class Child {
 public:
  explicit Child(const std::vector<std::string>& command) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    pid_ = fork();
    if (pid_ == 0) {
      setpgid(0, 0);
      dup2(ends[1], 1);
      close(ends[0]);
      close(ends[1]);
      std::vector<char*> arguments;
      for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
      arguments.push_back(nullptr);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    close(ends[1]);
    end_ = ends[0];
  }
  ~Child() {
    close(end_);
    if (pid_ > 0) {
      kill(-pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  enum class Got { kLine, kEnd, kNothing };
  Got NextLine(std::string* line) {
    const double deadline = Now() + kHangSeconds;
    for (;;) {
      const size_t newline = buffer_.find('\n');
      if (newline != std::string::npos) {
        *line = buffer_.substr(0, newline);
        buffer_.erase(0, newline + 1);
        return Got::kLine;
      }
      pollfd entry = {end_, POLLIN, 0};
      if (Now() > deadline) return Got::kNothing;
      if (poll(&entry, 1, 1000) <= 0) continue;
      char bytes[65536];
      const ssize_t got = read(end_, bytes, sizeof bytes);
      if (got <= 0) return Got::kEnd;
      buffer_.append(bytes, static_cast<size_t>(got));
    }
  }
  int Wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }
  // Prints where every thread of every process of the group is.
  void Describe() const {
    std::error_code ignored;
    for (const auto& process : std::filesystem::directory_iterator("/proc", ignored)) {
      const int pid = std::atoi(process.path().filename().c_str());
      if (pid <= 0 || getpgid(pid) != pid_) continue;
      for (const auto& task : std::filesystem::directory_iterator(process.path() / "task", ignored)) {
        const std::string at = task.path().string();
        fprintf(stderr, "soak: %s %s | %s | %s\n", at.c_str(), FirstLine(at + "/stat").substr(0, 60).c_str(),
                FirstLine(at + "/wchan").c_str(), FirstLine(at + "/syscall").c_str());
      }
    }
  }

 private:
  pid_t pid_ = -1;
  int end_ = -1;
  std::string buffer_;
};

// The lines of a run without softlbr: parts * kRounds of them.
std::vector<std::string> PlainLines() {
  Child child({SOFTLBR_TORTURE, "rounds", std::to_string(kRounds)});
  std::vector<std::string> lines;
  std::string line;
  Child::Got got;
  while ((got = child.NextLine(&line)) == Child::Got::kLine) {
    if (line[0] != '#') lines.push_back(line);
  }
  if (got == Child::Got::kNothing) Fail("the plain run hangs");
  if (got == Child::Got::kEnd && child.Wait() != 0) Fail("the plain run ended badly");
  return lines;
}

// The median, because the resident kilobytes of single rounds differ.
long Median(std::vector<long> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Outcome {
  size_t lines = 0;
  double seconds = 0;
  std::vector<long> resident_kb;  // after each round
};

Outcome RunRecorded(const Settings& settings, const std::string& profile, const std::vector<std::string>& expected) {
  Outcome outcome;
  const double begin = Now();
  Child child({SOFTLBR_COMMAND, "record", "-q", "-e", "task-clock", "-c", settings.period, "--branches",
               settings.branches, "-o", profile, "--", SOFTLBR_TORTURE, "seconds", settings.seconds});
  std::string line;
  Child::Got got;
  while ((got = child.NextLine(&line)) == Child::Got::kLine) {
    long resident = 0;
    if (line[0] == '#') {
      if (sscanf(line.c_str(), "# resident %ld", &resident) == 1) outcome.resident_kb.push_back(resident);
      continue;
    }
    const std::string& plain = expected[outcome.lines % expected.size()];
    if (line != plain)
      Fail("round " + std::to_string(outcome.resident_kb.size()) + ": \"" + line + "\", plain \"" + plain + "\"");
    ++outcome.lines;
  }
  outcome.seconds = Now() - begin;
  if (got == Child::Got::kNothing) {
    Fail("no line for a minute, after round " + std::to_string(outcome.resident_kb.size()));
    child.Describe();
    return outcome;
  }
  const int status = child.Wait();
  if (status != 0) {
    Fail("ended " +
         (WIFSIGNALED(status) ? "by signal " + std::to_string(WTERMSIG(status))
                              : "with exit code " + std::to_string(WEXITSTATUS(status))) +
         " after round " + std::to_string(outcome.resident_kb.size()));
  }
  if (outcome.lines % expected.size() % (expected.size() / kRounds) != 0) Fail("the last round is not whole");
  return outcome;
}

std::string OutputOf(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  char bytes[4096];
  for (size_t got; pipe != nullptr && (got = fread(bytes, 1, sizeof bytes, pipe)) > 0;) text.append(bytes, got);
  if (pipe == nullptr || pclose(pipe) != 0) Fail(command);
  return text;
}

void CheckAccount(const std::string& profile, uint64_t least_samples) {
  const json stats = json::parse(OutputOf(SOFTLBR_COMMAND " stats --json " + profile), nullptr, false);
  if (!stats.is_object()) return Fail("no statistics");
  const auto samples = stats["samples"].get<uint64_t>();
  const auto complete = stats["traces_complete"].get<uint64_t>();
  uint64_t aborted = 0;
  for (const auto& reason : stats["traces_aborted"].items()) aborted += reason.value().get<uint64_t>();
  const auto unbuffered = stats["lost"].value("no_free_buffer", uint64_t{0});
  const auto restarted = stats["traces_aborted"].value("restartable_sequence", uint64_t{0});
  printf("samples %llu = complete %llu + ended early %llu + without a buffer %llu\n",
         static_cast<unsigned long long>(samples), static_cast<unsigned long long>(complete),
         static_cast<unsigned long long>(aborted), static_cast<unsigned long long>(unbuffered));
  printf("ended early %s\nlost %s\n", stats["traces_aborted"].dump().c_str(), stats["lost"].dump().c_str());
  printf("taken branches %s, breakpoint hits %s, threads traced %s, verified %s of which otherwise %s\n",
         stats["taken_branches"].dump().c_str(), stats["breakpoint_hits"].dump().c_str(),
         stats["threads_traced"].dump().c_str(), stats["verify_traces"].dump().c_str(),
         stats["verify_mismatches"].dump().c_str());
  if (complete + aborted + unbuffered < samples || complete + aborted + unbuffered > samples + restarted) {
    Fail("samples are missing from the account");
  }
  if (samples < least_samples) Fail("few samples: " + std::to_string(samples));
  if (stats["is_truncated"].get<bool>() || stats["damaged_frames"].get<uint64_t>() != 0)
    Fail("the profile is not whole");
}

void CheckMemory(const std::vector<long>& resident_kb) {
  const size_t count = resident_kb.size();
  if (count < 20) return Fail("only " + std::to_string(count) + " rounds");
  const auto at = [&](size_t percent) { return resident_kb.begin() + static_cast<long>(count * percent / 100); };
  const long early = Median({at(5), at(15)});
  const long late = Median({at(90), resident_kb.end()});
  printf("resident %ld KB after a tenth, %ld KB at the end\n", early, late);
  if (late > early + kMaxGrowthKb) Fail("memory grew by " + std::to_string(late - early) + " KB");
}

bool Parse(int count, char** arguments, Settings* settings) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = arguments[i];
    std::string* value = name == "--seconds"    ? &settings->seconds
                         : name == "--period"   ? &settings->period
                         : name == "--branches" ? &settings->branches
                         : name == "--keep"     ? &settings->keep
                                                : nullptr;
    if (value == nullptr) return false;
    *value = arguments[i + 1];
    if (name != "--keep" && (value->empty() || value->find_first_not_of("0123456789") != std::string::npos))
      return false;
  }
  return count % 2 == 1;
}

}  // namespace

int main(int count, char** arguments) {
  Settings settings;
  if (!Parse(count, arguments, &settings)) {
    fprintf(stderr, "use: soak [--seconds N] [--period NS] [--branches N] [--keep FILE]\n");
    return 2;
  }
  const json doctor = json::parse(OutputOf(SOFTLBR_COMMAND " doctor --json"), nullptr, false);
  if (doctor.is_object() && doctor.value("sampler", "") == "thread-timer") {
    printf("skipped: needs perf_event_open\n");  // the thread timer fires at scheduler ticks only, and interrupts calls
    return 77;
  }
  g_failures = 0;
  const std::vector<std::string> expected = PlainLines();
  if (expected.empty() || expected.size() % kRounds != 0)
    Fail("the plain run printed " + std::to_string(expected.size()) + " lines");
  if (g_failures != 0) return 1;

  const std::string profile =
      !settings.keep.empty() ? settings.keep : "/tmp/softlbr_soak_" + std::to_string(getpid()) + ".slbr";
  const Outcome outcome = RunRecorded(settings, profile, expected);
  printf("%zu rounds in %.1f s, %zu lines as in a plain run\n", outcome.resident_kb.size(), outcome.seconds,
         outcome.lines);
  CheckMemory(outcome.resident_kb);
  CheckAccount(profile, std::stoull(settings.seconds) * 100);
  if (settings.keep.empty()) unlink(profile.c_str());
  printf(g_failures == 0 ? "soak: passed\n" : "soak: %d failures\n", g_failures);
  return g_failures == 0 ? 0 : 1;
}

#include "tests/truth/recording.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "toolchain/profile/profile_reader.h"

namespace softlbr::truth {
namespace {

constexpr uint64_t kNeverNs = 1000000000000;  // longer than any test may take
constexpr size_t kPeriodDigits = 13;          // of kNeverNs
constexpr uint32_t kUnknownModule = kNoTruthModule - 1;

}  // namespace

RecordSettings NeverSampling(RecordSettings settings) {
  settings.period_ns = kNeverNs;
  return settings;
}

Launch UnderRecord(const Launch& program, const RecordSettings& settings) {
  const std::string period = std::to_string(settings.period_ns);
  Launch launch = program;
  launch.arguments = {settings.command,
                      "record",
                      "-o",
                      settings.profile_path,
                      "-e",
                      "task-clock",
                      "-c",
                      period,
                      "--branches",
                      std::to_string(settings.branches_per_trace),
                      "--resolve",
                      settings.resolve,
                      "--traces",
                      "--"};
  launch.arguments.insert(launch.arguments.end(), program.arguments.begin(), program.arguments.end());
  // The command hands its options to the program in the environment, whose length moves the stack. The padding variable
  // makes up for options of different lengths.
  const size_t used = period.size() + settings.resolve.size();
  launch.environment.push_back("TRUTH_PAD=" + std::string(kPeriodDigits + std::strlen("lookahead") - used, '.'));
  return launch;
}

std::string Record(const Launch& program, const RecordSettings& settings, toolchain::Profile* profile) {
  const Launch launch = UnderRecord(program, settings);
  const std::string said_path = settings.profile_path + ".stderr";
  const pid_t pid = fork();
  if (pid < 0) return "fork failed";
  if (pid == 0) {
    if (std::freopen(said_path.c_str(), "w", stderr) == nullptr) _exit(126);
    BecomeProgram(launch);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  std::ifstream said_file(said_path);
  const std::string said((std::istreambuf_iterator<char>(said_file)), {});
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return "softlbr record ended with status " + std::to_string(status) + ": " + said;
  }
  auto result = toolchain::ReadProfileFile(settings.profile_path);
  if (const auto* error = std::get_if<toolchain::ReadError>(&result)) return error->message + "; record said: " + said;
  *profile = std::move(std::get<toolchain::Profile>(result));
  return "";
}

std::vector<RecordedTrace> TracesOf(const toolchain::Profile& profile, const TruePath& path) {
  const auto& known = path.modules.modules();
  std::vector<uint32_t> number_of;
  for (const toolchain::ProfileModule& module : profile.modules) {
    uint32_t number = kUnknownModule;
    for (uint32_t i = 0; i < known.size(); ++i) {
      const bool is_same = !module.build_id.empty() ? module.build_id == known[i].build_id
                                                    : BaseName(module.name) == BaseName(known[i].path);
      if (is_same) number = i;
    }
    number_of.push_back(number);
  }
  const auto translate = [&](const toolchain::Location& location) {
    if (location.module == toolchain::kNoModule) return CodeAddress{kUnmapped, location.address};
    return CodeAddress{location.module < number_of.size() ? number_of[location.module] : kUnknownModule,
                       location.address};
  };
  std::vector<RecordedTrace> traces;
  for (const toolchain::Trace& trace : profile.traces) {
    RecordedTrace& recorded = traces.emplace_back();
    recorded.sampled_pc = translate(trace.sampled_pc);
    for (const auto& [from, to] : trace.branches) recorded.branches.push_back({translate(from), translate(to)});
  }
  return traces;
}

std::string MissingCapability() {
  const pid_t pid = fork();
  if (pid == 0) _exit(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 1);
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
    return "ptrace (forbidden here, as in some containers)";
  static int watched;
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_BREAKPOINT;
  attributes.bp_type = HW_BREAKPOINT_X;
  attributes.bp_addr = reinterpret_cast<uintptr_t>(&watched);
  attributes.bp_len = sizeof(long);
  attributes.exclude_kernel = attributes.exclude_hv = 1;
  attributes.sample_period = 1;
  attributes.sigtrap = attributes.remove_on_exec = 1;
  attributes.disabled = 1;
  const long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return std::string("perf breakpoints with sigtrap (perf_event_open: ") + std::strerror(errno) + ")";
  close(static_cast<int>(fd));
  return "";
}

}  // namespace softlbr::truth

// `softlbr doctor`: reports what this machine permits, what recording loses without the rest, and how to enable it.
#include <sys/resource.h>
#include <sys/utsname.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "toolchain/base/install_layout.h"
#include "toolchain/base/json_text.h"
#include "toolchain/base/machine_probe.h"
#include "toolchain/base/names.h"
#include "toolchain/base/text.h"
#include "toolchain/commands/commands.h"
#include "toolchain/record/record_causes.h"

namespace softlbr::toolchain {
namespace {

using Json = nlohmann::ordered_json;
using platform::SampleEvent;

enum class Health { kOk, kWeaker, kMissing };

struct Check {
  std::string name;
  Health health = Health::kOk;
  std::string finding;
  std::string remedy;  // empty if there is nothing to do
};

constexpr uint64_t kComfortableDescriptors = 1024;  // two per traced thread, in addition to the program's own
constexpr int kOldestTrapKernelMajor = 5;
constexpr int kOldestTrapKernelMinor = 13;

const char* HealthName(Health health) {
  switch (health) {
    case Health::kOk: return "ok";
    case Health::kWeaker: return "weaker";
    case Health::kMissing: return "missing";
  }
  return "missing";
}

class Examination {
 public:
  void Run() {
    CheckArchitecture();
    CheckKernel();
    CheckParanoid();
    CheckSamplers();
    CheckTraps();
    CheckBreakpoints();
    CheckConfinement();
    CheckDebugger();
    CheckDescriptors();
    CheckInstallation();
  }

  const std::vector<Check>& checks() const { return checks_; }
  const std::string& sampler() const { return sampler_; }  // empty if there is none
  std::string resolver() const { return has_breakpoints_ ? "lookahead+breakpoints" : "lookahead"; }
  bool can_record() const { return !sampler_.empty() && is_installed_ && is_known_architecture_ && is_prctl_safe_; }

 private:
  void Add(std::string name, Health health, std::string finding, std::string remedy = "") {
    checks_.push_back({std::move(name), health, std::move(finding), std::move(remedy)});
  }

  void CheckArchitecture() {
    utsname machine{};
    uname(&machine);
    is_known_architecture_ = HostMachine() != 0;
    Add("architecture", is_known_architecture_ ? Health::kOk : Health::kMissing, machine.machine,
        is_known_architecture_ ? "" : "softlbr records on x86_64 and aarch64 only");
  }

  void CheckKernel() {
    utsname machine{};
    uname(&machine);
    int major = 0;
    int minor = 0;
    const bool is_parsed = std::sscanf(machine.release, "%d.%d", &major, &minor) == 2;
    const bool is_new = is_parsed && (major > kOldestTrapKernelMajor ||
                                      (major == kOldestTrapKernelMajor && minor >= kOldestTrapKernelMinor));
    Add("kernel", is_new ? Health::kOk : Health::kWeaker, machine.release,
        is_new ? ""
               : "breakpoints and precise samples need Linux 5.13 or later; the thread timer samples without them");
  }

  void CheckParanoid() {
    const std::optional<int64_t> level = ReadNumber("/proc/sys/kernel/perf_event_paranoid");
    if (!level.has_value()) {
      Add("perf_event_paranoid", Health::kWeaker, "no such setting",
          "this kernel is built without perf events, or /proc is hidden; the thread timer samples without them");
      return;
    }
    // Levels above 2 have a meaning on Debian and Android only; other kernels treat them as 2.
    const bool is_open = *level <= 2 || MayUsePerfEvents() || ProbeSampleEvent(SampleEvent::kTaskClock) == 0;
    std::string finding = std::to_string(*level);
    if (*level > 2 && is_open) finding += " (but this process may use perf events)";
    Add("perf_event_paranoid", is_open ? Health::kOk : Health::kWeaker, finding,
        is_open ? "" : "sysctl kernel.perf_event_paranoid=2, or run with CAP_PERFMON");
  }

  void CheckSamplers() {
    for (uint32_t number = 0; number < platform::kSampleEventCount; ++number) {
      const auto event = static_cast<SampleEvent>(number);
      if (event == SampleEvent::kBest) continue;
      const int error = ProbeSampleEvent(event);
      const std::string name = EventName(number);
      if (error == 0 && CountsOnSomeCpusOnly(event)) {
        Add("sampler " + name, Health::kWeaker, "counts on only one of several kinds of CPU: used only on request");
      } else if (error == 0) {
        if (sampler_.empty()) sampler_ = name;
        Add("sampler " + name, Health::kOk, "opens");
      } else {
        Add("sampler " + name, event == SampleEvent::kThreadTimer ? Health::kMissing : Health::kWeaker,
            EventErrorText(error), error == EACCES || error == EPERM ? "lower kernel.perf_event_paranoid to 2" : "");
      }
    }
  }

  void CheckTraps() {
    if (ProbeSampleEvent(SampleEvent::kTaskClock) == 0) {
      Add("sigtrap", Health::kOk, "perf events can raise a synchronous SIGTRAP");
      return;
    }
    const int plain = ProbeTaskClockWithoutTrap();
    Add("sigtrap", Health::kWeaker,
        plain == 0 ? "this kernel's perf events cannot raise SIGTRAP" : EventErrorText(plain),
        plain == 0 ? "use Linux 5.13 or later" : "allow perf_event_open (see perf_event_paranoid, seccomp)");
  }

  void CheckBreakpoints() {
    const BreakpointProbe slots = ProbeBreakpoints();
    if (slots.free_slots == 0) {
      const bool is_taken = slots.error == ENOSPC;
      Add("breakpoints", Health::kWeaker, is_taken ? "every debug register is taken" : EventErrorText(slots.error),
          is_taken ? "end the debugger or tracer that holds them"
                   : "without them a trace ends where a value is unknown (look-ahead alone)");
      return;
    }
    const TrapProbe traps = ProbeTraps();
    has_breakpoints_ = traps.error == 0 && traps.traps == traps.calls;
    if (has_breakpoints_) {
      Add("breakpoints", Health::kOk,
          std::to_string(slots.free_slots) + " free, " + std::to_string(traps.traps) + " of " +
              std::to_string(traps.calls) + " self-test calls trapped");
      const std::string unmarked =
          std::to_string(traps.unmarked) + " of " + std::to_string(traps.calls) + " hits came without their mark";
      Add("breakpoint marks", traps.unmarked == 0 ? Health::kOk : Health::kWeaker, unmarked,
          traps.unmarked == 0
              ? ""
              : "none needed for record, which recognises them; an app whose signal handlers block SIGTRAP can set "
                "SOFTLBR_NO_BREAKPOINTS");
    } else {
      Add("breakpoints", Health::kWeaker,
          traps.error != 0 ? EventErrorText(traps.error)
                           : std::to_string(traps.traps) + " of " + std::to_string(traps.calls) +
                                 " self-test calls trapped; the sandbox or hypervisor loses debug exceptions",
          "run outside the sandbox; without breakpoints a trace ends where a value is unknown");
    }
  }

  void CheckConfinement() {
    const int64_t mode = ReadStatusField("Seccomp").value_or(0);
    const bool is_filtered = mode != 0;
    const bool is_harmless = ProbeSampleEvent(SampleEvent::kTaskClock) == 0;
    if (DoesPrctlKill()) {
      is_prctl_safe_ = false;
      Add("seccomp", Health::kMissing, "a filter kills processes that call prctl",
          "allow prctl in the sandbox's filter");
      return;
    }
    if (DoPerfEventsKill()) {
      Add("seccomp", Health::kWeaker, "a filter kills processes that use perf events",
          "record does without them by itself, as with -e thread-timer --no-breakpoints; a program that links the "
          "library "
          "must set that event and SOFTLBR_NO_BREAKPOINTS (SOFTLBR_OPTIONS: event=thread-timer;flags=8)");
      return;
    }
    Add("seccomp", !is_filtered || is_harmless ? Health::kOk : Health::kWeaker,
        !is_filtered  ? "no filter"
        : is_harmless ? "filtered, perf_event_open allowed"
                      : "a filter is active",
        !is_filtered || is_harmless ? "" : "allow perf_event_open in the container's seccomp profile");
  }

  void CheckDebugger() {
    const int64_t tracer = ReadStatusField("TracerPid").value_or(0);
    Add("debugger", tracer == 0 ? Health::kOk : Health::kWeaker,
        tracer == 0 ? "none attached" : "process " + std::to_string(tracer) + " traces this one",
        tracer == 0 ? "" : "breakpoints are not armed under a debugger; record without it");
  }

  void CheckDescriptors() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    const bool is_roomy = limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= kComfortableDescriptors;
    Add("file descriptors", is_roomy ? Health::kOk : Health::kWeaker,
        limit.rlim_cur == RLIM_INFINITY ? "unlimited" : GroupedCount(limit.rlim_cur) + " allowed",
        is_roomy ? "" : "each traced thread needs two; raise `ulimit -n` to 1024 or more");
  }

  void CheckInstallation() {
    const std::string preload = FindLibrary(kPreloadLibraryName);
    const std::string decoder_name = DecoderLibraryName(HostMachine());
    const std::string decoder = FindLibrary(decoder_name);
    const std::string remedy =
        "install it beside the command (../lib or ../lib/softlbr), or name its folder in SOFTLBR_LIBDIR";
    Add("preload library", preload.empty() ? Health::kMissing : Health::kOk,
        preload.empty() ? std::string(kPreloadLibraryName) + " not found" : preload, preload.empty() ? remedy : "");
    Add("decoder plugin", decoder.empty() ? Health::kMissing : Health::kOk,
        decoder.empty() ? decoder_name + " not found" : decoder, decoder.empty() ? remedy : "");
    is_installed_ = !preload.empty() && !decoder.empty();
  }

  std::vector<Check> checks_;
  std::string sampler_;
  bool has_breakpoints_ = false;
  bool is_installed_ = false;
  bool is_known_architecture_ = false;
  bool is_prctl_safe_ = true;
};

}  // namespace

int RunDoctor(const DoctorOptions& options, std::ostream& out) {
  Examination examination;
  examination.Run();
  if (options.json) {
    Json checks = Json::array();
    for (const Check& check : examination.checks()) {
      checks.push_back(Json{{"name", check.name},
                            {"state", HealthName(check.health)},
                            {"finding", check.finding},
                            {"remedy", check.remedy.empty() ? Json() : Json(check.remedy)}});
    }
    out << JsonText(Json{{"can_record", examination.can_record()},
                         {"sampler", examination.sampler().empty() ? Json() : Json(examination.sampler())},
                         {"resolver", examination.resolver()},
                         {"checks", checks}})
        << '\n';
  } else {
    TextTable table({{"state"}, {"what"}, {"found"}});
    for (const Check& check : examination.checks()) {
      const std::string remedy = check.remedy.empty() ? "" : "; remedy: " + check.remedy;
      table.AddRow({HealthName(check.health), check.name, SafeText(check.finding + remedy)});
    }
    table.Print(out);
    if (examination.can_record()) {
      out << "\nRecording is possible: samples by " << examination.sampler() << ", branches resolved by "
          << (examination.resolver() == "lookahead" ? "look-ahead alone" : "look-ahead and breakpoints") << ".\n";
    } else {
      out << "\nRecording is not possible: see the lines marked missing.\n";
    }
  }
  return examination.can_record() ? 0 : 1;
}

}  // namespace softlbr::toolchain

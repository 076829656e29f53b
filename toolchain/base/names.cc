#include "toolchain/base/names.h"

#include <array>

#include "platform/base/elf_machine.h"
#include "platform/base/reasons.h"
#include "platform/base/sample_event.h"
#include "platform/base/status.h"

namespace softlbr::toolchain {
namespace {

constexpr std::array kEventNames = {
#define SOFTLBR_SAMPLE_EVENT(name, c_name, key, number, is_clock, meaning) std::string_view(key),
#include "platform/base/sample_events.def"
};
static_assert(kEventNames.size() == platform::kSampleEventCount);

std::string Unknown(uint32_t number) { return "unknown(" + std::to_string(number) + ")"; }

}  // namespace

std::string EventName(uint32_t event) {
  return event < kEventNames.size() ? std::string(kEventNames[event]) : Unknown(event);
}

std::optional<uint32_t> EventFromName(std::string_view name) {
  for (uint32_t i = 0; i < kEventNames.size(); ++i) {
    if (kEventNames[i] == name) return i;
  }
  return std::nullopt;
}

std::vector<std::string> EventNames() { return {kEventNames.begin(), kEventNames.end()}; }

std::string ResolveName(uint32_t policy) {
  switch (policy) {
    case 0: return "static";
    case 1: return "lookahead";
    default: return Unknown(policy);
  }
}

std::string MachineName(uint32_t elf_machine) {
  switch (elf_machine) {
    case kMachineI386: return "i386";
    case kMachineArm: return "arm";
    case kMachineX86_64: return "x86_64";
    case kMachineAarch64: return "aarch64";
    case kMachineRiscv: return "riscv";
    default: return Unknown(elf_machine);
  }
}

std::string AbortKey(uint32_t reason) {
  switch (reason) {
#define SOFTLBR_ABORT(name, key, value, meaning) \
  case value:                                    \
    return key;
#include "platform/base/reasons.def"
#undef SOFTLBR_ABORT
    default: return Unknown(reason);
  }
}

std::string AbortMeaning(uint32_t reason) {
  switch (reason) {
#define SOFTLBR_ABORT(name, key, value, meaning) \
  case value:                                    \
    return meaning;
#include "platform/base/reasons.def"
#undef SOFTLBR_ABORT
    default: return "a reason that this version does not know";
  }
}

std::string LossKey(uint32_t reason) {
  switch (reason) {
#define SOFTLBR_LOSS(name, key, value, meaning) \
  case value:                                   \
    return key;
#include "platform/base/reasons.def"
#undef SOFTLBR_LOSS
    default: return Unknown(reason);
  }
}

std::string LossMeaning(uint32_t reason) {
  switch (reason) {
#define SOFTLBR_LOSS(name, key, value, meaning) \
  case value:                                   \
    return meaning;
#include "platform/base/reasons.def"
#undef SOFTLBR_LOSS
    default: return "a loss that this version does not know";
  }
}

std::string StatusText(uint32_t status) {
  switch (static_cast<Status>(status)) {
    case Status::kOk: return "no failure was reported";
    case Status::kNoBreakpointSlot: return "every debug register is taken; end the debugger or tracer that holds them";
    case Status::kUndecodable: return "the decoder met bytes that are no instruction";
    case Status::kUnsupported: return "this kernel or CPU lacks what is needed; `softlbr doctor` says which part";
    case Status::kPermissionDenied:
      return "the kernel refuses perf events; lower kernel.perf_event_paranoid to 2 or use -e thread-timer "
             "(`softlbr doctor` says more)";
    case Status::kNoSuchThread: return "the thread ended before it could be traced";
    case Status::kFull: return "a table of fixed size is full";
    case Status::kInvalidArgument: return "an option is outside its range";
    case Status::kNotEnoughMemory:
      return "memory for the session could not be mapped; raise the address space limit (ulimit -v)";
    case Status::kWrongState: return "a session was already running; the program carries the runtime itself";
    case Status::kIncompatiblePlugin:
      return "the decoder plugin is of another version or architecture; install command and libraries together";
    case Status::kSystemError: return "a system call failed";
    case Status::kStaleDescriptor: return "the program closed the descriptors of the session";
    case Status::kDebuggerAttached: return "a debugger is attached; run without it";
    case Status::kUnreadable: return "memory could not be read";
    case Status::kNoDecoder:
      return "no decoder plugin for this CPU; install libsoftlbr_decoder_<arch>.so beside the preload library";
    case Status::kNoDescriptor: return "too few file descriptors are left; raise `ulimit -n`";
    case Status::kHandlerReplaced:
      return "the program replaced the sampler's SIGTRAP handler, and sampling ended there";
    case Status::kOtherRuntime: return "another copy of the runtime already has a session in this process";
    case Status::kSinkFailed:
      return "the profile could not be written as a whole: free space there, read the pipe to its end, or see who "
             "killed our "
             "process";
    case Status::kFolderMissing: return "the folder of its socket is not there; make it, with mode 0700";
    case Status::kFolderIsLink: return "the folder of its socket is a symbolic link or no folder; name a folder itself";
    case Status::kFolderOfAnother:
      return "the folder of its socket belongs to another user; name a folder of the program's user";
    case Status::kFolderOpenToOthers:
      return "the folder of its socket is not private to its user, as others may create and delete files there; chmod "
             "it to 0700";
    case Status::kFolderNotWritable:
      return "the folder of its socket may not be entered, made or written to, is read-only or full; name one that the "
             "program may "
             "write to";
    case Status::kSocketNameTaken: return "a file that is no socket has the name of its socket; remove it";
    case Status::kSocketInUse: return "something listens at its socket already; end that, or name another folder";
    case Status::kStateFolderNotPrivate:
      return "the folder of its state file is missing, a link, another user's, or open to changes by others; chmod it "
             "to 0700";
    case Status::kStateNotKept: return "its state file cannot be read, locked or written";
    case Status::kMisalignedRegion:
      return "the region given to softlbr_start is not aligned to SOFTLBR_REGION_ALIGNMENT";
  }
  return "failed with status " + std::to_string(status);
}

std::string HexBytes(std::span<const uint8_t> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace softlbr::toolchain

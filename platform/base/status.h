// Outcome of every runtime and platform call that can fail. Written into profiles: append only, never renumber.
// Per code: when; what is left behind; what the caller does. Texts live in toolchain/ only.
#ifndef SOFTLBR_PLATFORM_BASE_STATUS_H_
#define SOFTLBR_PLATFORM_BASE_STATUS_H_

#include <cstdint>

namespace softlbr {

enum class [[nodiscard]] Status : uint8_t{
    kOk = 0,
    // Every debug register is taken. Nothing was armed. Caller: look-ahead alone, count no_breakpoint.
    kNoBreakpointSlot = 1,
    // Bytes at pc are no known instruction. Output holds what precedes it. Caller: end the trace at pc.
    kUndecodable = 2,
    // This OS or CPU lacks the facility. Permanent: do not retry in this process.
    kUnsupported = 3,
    // The kernel's policy refuses (perf_event_paranoid, seccomp, capabilities). Caller: next best capability.
    kPermissionDenied = 4,
    // The thread or process is gone. Normal under thread churn. Caller: forget it.
    kNoSuchThread = 5,
    // A table or buffer of fixed size is full. Nothing was added. Caller: count the loss.
    kFull = 6,
    // An argument is outside its documented range. Nothing was done.
    kInvalidArgument = 7,
    // The region the app gave is smaller than the options need. Nothing was started.
    kNotEnoughMemory = 8,
    // start while running, stop while stopped, decoder registered during a session.
    kWrongState = 9,
    // The plugin table is of another ABI version or architecture, or is malformed. Nothing was registered.
    kIncompatiblePlugin = 10,
    // A system call failed for a reason not listed above. Caller: report the errno kept beside it.
    kSystemError = 11,
    // The file descriptor is not the one we opened (the app closed it and the number was reused). Never used again.
    kStaleDescriptor = 12,
    // A debugger is attached; breakpoints would stop it. Caller: look-ahead alone.
    kDebuggerAttached = 13,
    // An address cannot be read without a fault.
    kUnreadable = 14,
    // No decoder plugin for this architecture is registered. Nothing was started.
    kNoDecoder = 15,
    // Too few file descriptors are left (RLIMIT_NOFILE). Caller: this thread stays untraced, counted.
    kNoDescriptor = 16,
    // The region the app gave does not begin at a multiple of SOFTLBR_REGION_ALIGNMENT. Nothing was started.
    kMisalignedRegion = 17,
    kMaxValue = kMisalignedRegion,
};

}  // namespace softlbr

#endif  // SOFTLBR_PLATFORM_BASE_STATUS_H_

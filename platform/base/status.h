// Result of every runtime and platform call that can fail. Written to profiles: append only, never renumber.
// Each code states when it occurs, what is left behind and what the caller does. Only toolchain/ has message texts.
#ifndef SOFTLBR_PLATFORM_BASE_STATUS_H_
#define SOFTLBR_PLATFORM_BASE_STATUS_H_

#include <cstdint>

namespace softlbr {

enum class [[nodiscard]] Status : uint8_t{
    kOk = 0,
    // Every debug register is in use. Nothing was armed. Caller: uses look-ahead alone and counts no_breakpoint.
    kNoBreakpointSlot = 1,
    // The bytes at pc are no known instruction. The output holds what precedes it. Caller: ends the trace at pc.
    kUndecodable = 2,
    // This OS or CPU lacks the facility. Permanent: do not retry in this process.
    kUnsupported = 3,
    // The kernel's policy refuses (perf_event_paranoid, seccomp, capabilities). Caller: tries the next best facility.
    kPermissionDenied = 4,
    // The thread or process is gone. Normal under thread churn. Caller: forgets it.
    kNoSuchThread = 5,
    // A table or buffer of fixed size is full. Nothing was added. Caller: counts the loss.
    kFull = 6,
    // An argument is outside its documented range. Nothing was done.
    kInvalidArgument = 7,
    // The region given by the app is smaller than the options need. Nothing was started.
    kNotEnoughMemory = 8,
    // Start while running, stop while stopped, or a decoder registered during a session.
    kWrongState = 9,
    // The plugin table is of another ABI version or architecture, or is malformed. Nothing was registered.
    kIncompatiblePlugin = 10,
    // A system call failed for a reason not listed above. Caller: reports the errno stored with it.
    kSystemError = 11,
    // The file descriptor is not the one we opened: the app closed it and the number was reused. Caller: does not use
    // it again.
    kStaleDescriptor = 12,
    // A debugger is attached, and breakpoint hits would stop in it. Caller: uses look-ahead alone.
    kDebuggerAttached = 13,
    // An address cannot be read without a fault.
    kUnreadable = 14,
    // No decoder plugin for this architecture is registered. Nothing was started.
    kNoDecoder = 15,
    // Too few file descriptors are left (RLIMIT_NOFILE). Caller: leaves this thread untraced and counts it.
    kNoDescriptor = 16,
    // The region the app gave does not begin at a multiple of SOFTLBR_REGION_ALIGNMENT. Nothing was started.
    kMisalignedRegion = 17,
    // The app replaced our SIGTRAP handler during the session. Sampling ended there; the profile holds what was
    // recorded before.
    kHandlerReplaced = 18,
    // Another copy of the runtime, in another library of this process or preloaded, has a session. Nothing was started.
    kOtherRuntime = 19,
    // The sink did not take all of the profile. The session has ended, and what was not taken is lost and counted.
    kSinkFailed = 20,
    // From the control archive's start, about the folder of its socket: it is not there.
    kFolderMissing = 21,
    // A symbolic link, or no folder.
    kFolderIsLink = 22,
    kFolderOfAnother = 23,
    // Others may create or delete entries there.
    kFolderOpenToOthers = 24,
    // It may not be entered, made or written to: permissions, a read-only file system, or no space.
    kFolderNotWritable = 25,
    // Something that is no socket has the socket's name. It stays.
    kSocketNameTaken = 26,
    // A process listens at the socket's name.
    kSocketInUse = 27,
    // As 21 to 24, about the folder of the state file.
    kStateFolderNotPrivate = 28,
    // The state file or its lock cannot be read, locked or written.
    kStateNotKept = 29,
    kMaxValue = kStateNotKept,
};

}  // namespace softlbr

#endif  // SOFTLBR_PLATFORM_BASE_STATUS_H_

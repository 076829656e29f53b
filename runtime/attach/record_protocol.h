// The protocol between `softlbr record` and libsoftlbr_preload.so: one environment variable in, one shared page out.
//
// Who: toolchain/commands/record.cc sets both up and reads the status; the preload library parses the options and fills the status.
//
// IN. The program starts with these variables changed:
//   LD_PRELOAD       "<preload library>" or "<preload library>:<previous value>"
//   SOFTLBR_OPTIONS  "v1;fd=5;status=6;event=best;period=0;freq=0;branches=16;resolve=lookahead;flags=0;decoder=/a/b.so"
//   SOFTLBR_FILLER   "", if LD_PRELOAD was set before: the number of new variables is then even (start_environment.cc)
// Keys may come in any order, except decoder: it is last, and its value extends to the end of the string (paths may hold any
// byte). An absent key or a value of 0 means the default. Numbers are decimal. Unknown keys are ignored; an unknown version is
// refused (kOptionsRefused). Values:
//   fd       descriptor of the profile to write, opened by the parent
//   out      instead of fd: the path of the profile to create, without ';'
//   status   descriptor of a memfd that holds one RecordStatus
//   event    a key of platform/base/sample_events.def
//   period   events between samples (clocks: ns)
//   freq     instead of period: samples per second
//   branches branches per trace
//   resolve  static or lookahead
//   threads  number of thread slots
//   verify   one trace in this many is verified
//   overhead upper limit of the overhead, in parts per million of the program's CPU time
//   flags    softlbr_option_flags
// Before main runs, the library removes these and its own part of LD_PRELOAD from the environment, marks the profile's
// descriptor close-on-exec and closes the status descriptor. The program and its children see their usual environment.
//
// OUT. RecordStatus, in the memfd. The parent reads it after the program has ended, for whatever reason. If the state is kRunning
//   then, the helper completes the profile; the parent waits until the helper has ended.
#ifndef SOFTLBR_RUNTIME_ATTACH_RECORD_PROTOCOL_H_
#define SOFTLBR_RUNTIME_ATTACH_RECORD_PROTOCOL_H_

#include <cstdint>

namespace softlbr {

inline constexpr char kRecordOptionsVariable[] = "SOFTLBR_OPTIONS";
inline constexpr char kRecordFillerVariable[] = "SOFTLBR_FILLER";
inline constexpr char kRecordOptionsVersion[] = "v1";
inline constexpr char kRecordStatusMagic[8] = {'s', 'l', 'b', 'r', 's', 't', '1', '\0'};

// How far the preload library came. A state is stored after the fields that belong to it.
enum class RecordState : uint32_t {
  kNotStarted = 0,      // the library was not loaded (static or privileged program, exec failed), or has just begun
  kRunning = 1,         // the session runs. After the program's end: it was killed, or made a raw exec or exit system call, and the
                        // profile is complete only if a helper could complete it
  kFinished = 2,        // the session was stopped and the profile is complete
  kStartFailed = 3,     // the session did not start: status and system_error say why; the program ran untraced
  kOptionsRefused = 4,  // SOFTLBR_OPTIONS is malformed or of another version: command and library do not match
  kDecoderFailed = 5,   // the decoder plugin could not be loaded: status says why; the program ran untraced
  kReplaced = 6,        // as kFinished, but because the program called exec; the new program was not recorded
  kSandboxed = 7,       // as kFinished, but because the program entered a sandbox that does not allow our system calls
  kMaxValue = kSandboxed,
};

struct RecordStatus {
  char magic[8];            // kRecordStatusMagic, written by the parent
  uint32_t state;           // RecordState
  uint32_t status;          // softlbr::Status of the failure, 0 otherwise
  uint32_t system_error;    // errno of the failure, 0 if none
  uint32_t event;           // platform::SampleEvent chosen
  uint64_t taken_branches;  // when the session stopped
  uint64_t samples;         // when the session stopped
  uint64_t helper;          // process id of the runtime's helper (platform/helper.h); 0 if none
  uint64_t reserved[2];     // 0
};
static_assert(sizeof(RecordStatus) == 64, "shared by two binaries: a change bumps kRecordStatusMagic");

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_ATTACH_RECORD_PROTOCOL_H_

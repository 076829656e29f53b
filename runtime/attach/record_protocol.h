// What `softlbr record` and libsoftlbr_preload.so say to each other: one environment variable in, one shared page out.
//
// Who: toolchain/commands/record.cc sets it up and reads the status; the preload library parses and fills it.
//
// IN. The program starts with two variables changed:
//   LD_PRELOAD       "<preload library>" or "<preload library>:<what it was>"
//   SOFTLBR_OPTIONS  "v1;fd=5;status=6;event=best;period=0;freq=0;branches=16;resolve=lookahead;flags=0;decoder=/a/b.so"
// Keys may come in any order but for decoder, which is last and runs to the end of the string (paths may hold any byte).
// Keys that are absent, and numbers that are 0, mean the default. Numbers are decimal. Unknown keys are ignored; an
// unknown version means kOptionsRefused. Values:
//   fd       descriptor of the profile to write, opened by the parent; or out=, a path without ';', to be created
//   status   descriptor of a memfd that holds one RecordStatus
//   event    best taken-branches branches instructions cycles task-clock thread-timer
//   period   events between samples (clocks: ns); freq: hertz, instead
//   branches branches per trace; resolve: static or lookahead; threads: slots; verify: one trace in so many is checked
//   overhead most overhead, in parts per million of the program's CPU time
//   flags    softlbr_option_flags
// The library removes SOFTLBR_OPTIONS and its own part of LD_PRELOAD from the environment before main runs, marks both
// descriptors close-on-exec and closes what it no longer needs, so the program and its children see what they would have
// seen.
//
// OUT. RecordStatus, in the memfd. The parent reads it after the program has ended, however that came about.
#ifndef SOFTLBR_RUNTIME_ATTACH_RECORD_PROTOCOL_H_
#define SOFTLBR_RUNTIME_ATTACH_RECORD_PROTOCOL_H_

#include <cstdint>

namespace softlbr {

inline constexpr char kRecordOptionsVariable[] = "SOFTLBR_OPTIONS";
inline constexpr char kRecordOptionsVersion[] = "v1";
inline constexpr char kRecordStatusMagic[8] = {'s', 'l', 'b', 'r', 's', 't', '1', '\0'};

// How far the preload library came. Each state is stored last, after what belongs to it.
enum class RecordState : uint32_t {
  kNotStarted = 0,      // the library was never loaded (static or privileged program, exec failed), or has just begun
  kRunning = 1,         // the session runs; found after the end: the program was killed, or called exec or _exit
  kFinished = 2,        // the session was stopped and the profile is whole
  kStartFailed = 3,     // softlbr_start failed: status and system_error say why; the program ran untraced
  kOptionsRefused = 4,  // SOFTLBR_OPTIONS is of another version or malformed: command and library do not match
  kDecoderFailed = 5,   // the decoder plugin could not be loaded: status says why; the program ran untraced
  kReplaced = 6,        // as kFinished, but because the program called exec: what it became was not recorded
  kMaxValue = kReplaced,
};

struct RecordStatus {
  char magic[8];            // kRecordStatusMagic, written by the parent
  uint32_t state;           // RecordState
  uint32_t status;          // softlbr::Status of the failure, 0 otherwise
  uint32_t system_error;    // errno of the failure, 0 if none
  uint32_t event;           // platform::SampleEvent chosen
  uint64_t taken_branches;  // at the stop
  uint64_t samples;         // at the stop
  uint64_t reserved[3];     // 0
};
static_assert(sizeof(RecordStatus) == 64, "shared by two binaries: a change bumps kRecordStatusMagic");

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_ATTACH_RECORD_PROTOCOL_H_

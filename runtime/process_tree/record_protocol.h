// The protocol between `softlbr record` and libsoftlbr_preload.so: one environment variable in, one shared page out.
//
// Who: toolchain/commands/record.cc sets both up and reads the status; the preload library parses the options and fills
// the status.
//
// IN. The program starts with these variables changed:
//   LD_PRELOAD       "<preload library>" or "<preload library>:<previous value>"
//   SOFTLBR_OPTIONS  "v1;fd=5;status=6;event=best;period=0;freq=0;branches=16;resolve=lookahead;flags=0"
//   SOFTLBR_FILLER   "", if LD_PRELOAD was set before: the number of new variables is then even (start_environment.cc)
// Keys may come in any order. An absent key or a value of 0 means the default. Numbers are decimal. Unknown keys are
// ignored; an unknown version is refused (kOptionsRefused). Values:
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
//   label    KEY=VALUE, a label of the process's sessions; may come several times
//   record   process id of the parent. Programs that the program starts are recorded, too; the memfd then holds a
//            RecordTree. Absent: this process only
//   wait     1: no session is started; the process waits for `softlbr trigger` (trigger_wait.h), and so does a program
//            by which it replaces itself (exec). `fd` is then the same descriptor as `status`. Of the other keys, only
//            record and label count
//   again    in a program that a recorded process starts: FileIdentity of the profile. `fd` and `status` are
//            descriptors of the parent, opened through /proc, because the program may start others without its own
//            descriptors
//   socket   name of the parent's abstract Unix socket, if the parent is root: a process that may not open the parent's
//            descriptors, because it runs as another user, gets a profile and a RecordTree of that user's own there
//            (command_socket.h)
// Before main runs, the library removes these and its own part of LD_PRELOAD from the environment, marks the profile's
// descriptor close-on-exec and closes the status descriptor. The program and its children see their usual environment.
//
// A recorded process gives the programs that it starts the same variables (process_tree.h).
//
// OUT. RecordStatus, in the memfd. The parent reads it after the program has ended, for whatever reason. If the state
//   is kRunning then, the helper completes the profile; the parent waits until the helper has ended.
#ifndef SOFTLBR_RUNTIME_PROCESS_TREE_RECORD_PROTOCOL_H_
#define SOFTLBR_RUNTIME_PROCESS_TREE_RECORD_PROTOCOL_H_

#include <cstdint>

namespace softlbr {

inline constexpr char kRecordOptionsVariable[] = "SOFTLBR_OPTIONS";
inline constexpr char kRecordFillerVariable[] = "SOFTLBR_FILLER";
inline constexpr char kRecordOptionsVersion[] = "v1";
inline constexpr char kRecordTreeName[] = "softlbr_status";  // of the memfd
inline constexpr char kRecordStatusMagic[8] = {'s', 'l', 'b', 'r', 's', 't', '1', '\0'};

// How far the preload library came. A state is stored after the fields that belong to it.
enum class RecordState : uint32_t {
  kNotStarted = 0,  // the library was not loaded (static or privileged program, exec failed), or has just begun
  // the session runs. After the program's end: it was killed, or made a raw exec or exit system call, and the profile
  // is complete only if a helper could complete it
  kRunning = 1,
  kFinished = 2,        // the session was stopped and the profile is complete
  kStartFailed = 3,     // the session did not start: status and system_error say why; the program ran untraced
  kOptionsRefused = 4,  // SOFTLBR_OPTIONS is malformed or of another version: command and library do not match
  kReserved = 5,
  kReplaced = 6,   // as kFinished, but because the program called exec; the new program has not reported
  kSandboxed = 7,  // as kFinished, but because the program entered a sandbox that does not allow our system calls
  // records nothing, and can be triggered. After the program's end: as with kRunning, its socket may be left
  kWaiting = 8,
  // as kFinished, but because the program lets a userfaultfd serve page faults, which look-ahead must not cause
  kServesFaults = 9,
  kNoEntryLeft = 10,  // as kFinished, but because the program could start no further process or thread
  kMaxValue = kNoEntryLeft,
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

// Why a program that a recorded process starts cannot be recorded.
enum class Unrecordable : uint32_t {
  kNot = 0,           // it can
  kStatic = 1,        // nothing can be preloaded
  kPrivileged = 2,    // set-user-id, set-group-id, or file capabilities
  kOtherMachine = 3,  // another CPU, or 32 bits
  kGo = 4,            // its runtime sets signal actions by raw system calls
  kSanitized = 5,     // its runtime library must be loaded first
  kUnreadable = 6,    // executable, but not readable
  kNoRoom = 7,        // its environment has no room for the variables
  // the preload library cannot be loaded: it is not there in its root folder, or not for its user, or on a file system
  // from which nothing is executed
  kNoLibrary = 8,
  // no profile that it may open: another user, and the parent is not root; another user or process namespace
  kOutOfReach = 9,
  kSeveralPreloads = 10,    // its environment has LD_PRELOAD more than once
  kClosesDescriptors = 11,  // closed all its descriptors before it had used a millisecond of CPU time
  kFiltered = 12,           // below a seccomp filter, or a system call dispatch, that a recorded process has set
  kMaxValue = kFiltered,
};

// A process with a session. A slot is free if process is 0.
struct RecordMember {
  uint32_t process;     // process id
  uint32_t helper;      // process id of its helper; 0: none
  uint64_t session_ns;  // CLOCK_BOOTTIME when the session had started: a process that starts later is not this one
};

struct RecordSkipped {
  uint32_t is_complete;  // written last
  uint32_t reason;       // Unrecordable
  char name[120];        // base name, cut
};

// What a trap costs on this machine (runtime/session/calibration.h), measured by the first process.
struct RecordCosts {
  uint32_t state;  // 0 not measured, 1 complete (written last), 2 being written
  uint32_t event;  // platform::SampleEvent for which they hold
  uint64_t sample_ns;
  uint64_t hit_ns;
  uint64_t toggle_ns;
};

inline constexpr uint32_t kMaxRecordMembers = 4096;
inline constexpr uint32_t kMaxRecordSkipped = 64;

// The program and all that it started. Every process of it writes here, without locks.
struct RecordTree {
  RecordStatus program;     // of the first process; its state after an exec is that of the new program
  uint32_t program_id;      // process id of the first process
  uint32_t has_ended;       // set by the parent: sessions end, and none starts any more
  uint32_t sessions;        // started
  uint32_t skipped;         // programs that ran unrecorded, with the ones that are not in the list
  uint32_t start_failures;  // processes in which a session did not start, without the first process
  uint32_t has_subreaper;   // a process of the tree has become one (PR_SET_CHILD_SUBREAPER)
  // processes without a session, or with a part of one, because there was no entry (process_entries.h)
  uint32_t entry_losses;
  uint32_t start_failure;      // the last of start_failures: softlbr::Status, and 65536 times the errno
  uint64_t process_namespace;  // inode of the parent's
  // CLOCK_BOOTTIME when a process or thread was last refused for want of an entry (process_entries.h)
  uint64_t entry_missing_ns;
  uint64_t entries_wanted_ns;  // CLOCK_BOOTTIME: sessions that started before it end
  RecordCosts costs;           // of a machine whose breakpoints work
  RecordMember members[kMaxRecordMembers];
  RecordSkipped skipped_programs[kMaxRecordSkipped];
};

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_PROCESS_TREE_RECORD_PROTOCOL_H_

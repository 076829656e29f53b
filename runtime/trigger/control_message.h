// The messages between a program that can be triggered and the requester: layout and check
// (docs/sessions_on_request.md is normative).
//
// A message is one packet of a Unix socket: a MessageHead, then a body whose size its kind determines. Both ends are on
// one machine; numbers are little-endian.
// Trust: the packet is foreign. ParseRequest reads nothing beyond its end and accepts no value outside its range.
// Bytes: a change of a struct or a kind bumps kControlVersion. A new kind does not: a receiver that does not know it
// refuses it.
#ifndef SOFTLBR_RUNTIME_TRIGGER_CONTROL_MESSAGE_H_
#define SOFTLBR_RUNTIME_TRIGGER_CONTROL_MESSAGE_H_

#include <cstdint>

namespace softlbr {

inline constexpr uint32_t kControlMagic = 0x434c5353;  // "SSLC"
inline constexpr uint16_t kControlVersion = 1;
// The longest request. A reply may have up to kMostChunkBytes more.
inline constexpr uint32_t kMostRequestBytes = 128;
inline constexpr uint32_t kMostChunkBytes = 16384;
inline constexpr uint32_t kProgramNameBytes = 32;  // with the terminating zero

enum class MessageKind : uint16_t {
  // To the program.
  kAsk = 1,     // no body; answered by kInfo
  kStart = 2,   // StartRequest; answered by kStarted or kRefused
  kCancel = 3,  // no body; ends the sender's session early. Ignored if it has none: the session may have just ended.
  kCount = 4,   // no body; answered by kCounts
  // From the program.
  kInfo = 16,      // InfoReply
  kStarted = 17,   // StartedReply
  kProgress = 18,  // SessionProgress, some times a second
  kChunk = 19,     // bytes of the profile, if the start brought no descriptor
  kEnd = 20,       // EndReply, the last message of a session; the profile is complete
  kRefused = 21,   // RefusedReply
  kCounts = 22,    // CountsReply
};

struct MessageHead {
  uint32_t magic;
  uint16_t version;
  uint16_t kind;
  uint32_t body_bytes;
  uint32_t reserved;  // 0
};
static_assert(sizeof(MessageHead) == 16, "protocol: docs/sessions_on_request.md");

// A kStart may carry a descriptor that is open for writing; the profile is written to it.
struct StartRequest {
  uint32_t event = 0;             // softlbr_event
  uint32_t branches = 0;          // in a trace, up to 1024; 0: the runtime's default
  uint64_t period = 0;            // events (clocks: ns) between samples; 0: the default
  uint64_t frequency_hz = 0;      // instead of period; 0: use period
  uint32_t duration_ms = 0;       // 0: ten seconds, or the longest that the program permits if that is shorter
  uint32_t max_overhead_ppm = 0;  // 0: one percent, or the most that the program permits if that is less
  uint64_t reserved = 0;          // 0
};
static_assert(sizeof(StartRequest) == 40, "protocol: docs/sessions_on_request.md");

struct InfoReply {
  int32_t pid;
  uint32_t is_running;          // 1 during a session, whoever started it
  uint32_t longest_session_ms;  // the limits of the program
  uint32_t largest_overhead_ppm;
  uint64_t densest_period;
  uint64_t highest_frequency_hz;
  uint64_t sessions;  // started by requests, the schedule or the app, so far
  char program[kProgramNameBytes];
};
static_assert(sizeof(InfoReply) == 72, "protocol: docs/sessions_on_request.md");

// The settings in effect, after the program's limits were applied.
struct StartedReply {
  uint32_t event;
  uint32_t branches;
  uint64_t period;
  uint32_t duration_ms;
  uint32_t max_overhead_ppm;
};
static_assert(sizeof(StartedReply) == 24, "protocol: docs/sessions_on_request.md");

struct SessionProgress {
  uint64_t elapsed_ms;
  uint64_t samples;
  uint64_t traces_complete;
  uint64_t taken_branches;
  uint64_t overhead_ns;
  uint64_t threads_traced;
  uint64_t lost;
};
static_assert(sizeof(SessionProgress) == 56, "protocol: docs/sessions_on_request.md");

enum class SessionEnd : uint32_t {
  kDurationOver = 0,
  kCancelled = 1,       // by the requester, who asked for it or closed the connection
  kStoppedByApp = 2,    // the app called softlbr_stop
  kControlStopped = 3,  // the app called softlbr_control_stop
};

struct EndReply {
  uint32_t why;     // SessionEnd
  uint32_t status;  // what softlbr_stop answered
  SessionProgress totals;
};
static_assert(sizeof(EndReply) == 64, "protocol: docs/sessions_on_request.md");

enum class Refusal : uint32_t {
  kNone = 0,
#define SOFTLBR_CONTROL_REFUSAL(name, counter, number, meaning, remedy) name = number,
#include "runtime/trigger/control_refusals.def"
};

inline constexpr uint32_t kCountedRefusals = 32;

// Totals since the start of the program.
struct CountsReply {
  uint64_t connections;
  uint64_t sessions;   // started by a request, the schedule or the app
  uint64_t cancelled;  // of these
  uint64_t skipped;
  uint64_t refused[kCountedRefusals];  // by Refusal
};
static_assert(sizeof(CountsReply) == 288, "protocol: docs/sessions_on_request.md");

struct RefusedReply {
  uint32_t code;    // Refusal
  uint32_t status;  // kNotStarted: what softlbr_start answered
  // kTooLong (ms), kTooDense, kTooFrequent (Hz), kTooCostly (parts per million): what the program permits; kHourSpent,
  // kDaySpent, kWeekSpent (ms): what is left of the budget
  uint64_t limit;
};
static_assert(sizeof(RefusedReply) == 16, "protocol: docs/sessions_on_request.md");

// True if every value is one that softlbr_start could take.
bool IsStartInRange(const StartRequest& start);

MessageHead MakeHead(MessageKind kind, uint32_t body_bytes);

struct ParsedRequest {
  MessageKind kind;
  StartRequest start;  // of a kStart
};
// Checks a packet that came from a requester. kNone: *request is filled. Any other result: *request is unspecified.
Refusal ParseRequest(const void* packet, uint64_t bytes, ParsedRequest* request);

// For the requester: the kind of a reply; 0 if the packet is no reply of this version, or its size does not fit its
// kind.
uint16_t ParseReply(const void* packet, uint64_t bytes);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRIGGER_CONTROL_MESSAGE_H_

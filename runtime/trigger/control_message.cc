#include "runtime/trigger/control_message.h"

#include "platform/base/bytes.h"
#include "platform/base/limits.h"
#include "platform/base/sample_event.h"

namespace softlbr {
namespace {

constexpr uint32_t kMostDurationMs = 24 * 3600 * 1000;
constexpr uint32_t kWholePpm = 1000000;

Refusal CheckHead(const void* packet, uint64_t bytes, MessageHead* head) {
  if (bytes < sizeof *head) return Refusal::kMalformed;
  CopyBytes(head, packet, sizeof *head);
  if (head->magic != kControlMagic) return Refusal::kMalformed;
  if (head->version != kControlVersion) return Refusal::kWrongVersion;
  return head->reserved == 0 && head->body_bytes == bytes - sizeof *head ? Refusal::kNone : Refusal::kMalformed;
}

}  // namespace

bool IsStartInRange(const StartRequest& start) {
  return start.event < platform::kSampleEventCount && start.branches <= kMaxBranchesPerTrace &&
         start.period <= kMostPeriod && start.frequency_hz <= kMostFrequencyHz &&
         (start.period == 0 || start.frequency_hz == 0) && start.duration_ms <= kMostDurationMs &&
         start.max_overhead_ppm <= kWholePpm && start.reserved == 0;
}

MessageHead MakeHead(MessageKind kind, uint32_t body_bytes) {
  return MessageHead{kControlMagic, kControlVersion, static_cast<uint16_t>(kind), body_bytes, 0};
}

Refusal ParseRequest(const void* packet, uint64_t bytes, ParsedRequest* request) {
  if (bytes > kMostRequestBytes) return Refusal::kOversized;
  MessageHead head;
  const Refusal refusal = CheckHead(packet, bytes, &head);
  if (refusal != Refusal::kNone) return refusal;
  request->kind = static_cast<MessageKind>(head.kind);
  switch (request->kind) {
    case MessageKind::kAsk:
    case MessageKind::kCount:
    case MessageKind::kCancel: return head.body_bytes == 0 ? Refusal::kNone : Refusal::kMalformed;
    case MessageKind::kStart:
      if (head.body_bytes != sizeof(StartRequest)) return Refusal::kMalformed;
      CopyBytes(&request->start, static_cast<const char*>(packet) + sizeof head, sizeof(StartRequest));
      return IsStartInRange(request->start) ? Refusal::kNone : Refusal::kOutOfRange;
    default: return Refusal::kMalformed;
  }
}

uint16_t ParseReply(const void* packet, uint64_t bytes) {
  MessageHead head;
  if (CheckHead(packet, bytes, &head) != Refusal::kNone) return 0;
  uint64_t expected;
  switch (static_cast<MessageKind>(head.kind)) {
    case MessageKind::kInfo: expected = sizeof(InfoReply); break;
    case MessageKind::kStarted: expected = sizeof(StartedReply); break;
    case MessageKind::kProgress: expected = sizeof(SessionProgress); break;
    case MessageKind::kEnd: expected = sizeof(EndReply); break;
    case MessageKind::kRefused: expected = sizeof(RefusedReply); break;
    case MessageKind::kCounts: expected = sizeof(CountsReply); break;
    case MessageKind::kChunk: return head.body_bytes <= kMostChunkBytes ? head.kind : 0;
    default: return 0;
  }
  return head.body_bytes == expected ? head.kind : 0;
}

}  // namespace softlbr

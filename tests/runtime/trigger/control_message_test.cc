// Requests: which bytes are one, and what a program's limits permit.
#include "runtime/trigger/control_message.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "runtime/trigger/control_policy.h"

namespace softlbr {
namespace {

std::string Packet(MessageKind kind, const std::string& body = "") {
  const MessageHead head = MakeHead(kind, static_cast<uint32_t>(body.size()));
  return std::string(reinterpret_cast<const char*>(&head), sizeof head) + body;
}

std::string StartPacket(const StartRequest& start) {
  return Packet(MessageKind::kStart, std::string(reinterpret_cast<const char*>(&start), sizeof start));
}

Refusal Parse(const std::string& packet, ParsedRequest* request) {
  return ParseRequest(packet.data(), packet.size(), request);
}
Refusal Parse(const std::string& packet) {
  ParsedRequest request;
  return Parse(packet, &request);
}

TEST(ControlMessage, RequestsOfEachKindAreRead) {
  ParsedRequest request;
  EXPECT_EQ(Parse(Packet(MessageKind::kAsk), &request), Refusal::kNone);
  EXPECT_EQ(request.kind, MessageKind::kAsk);
  EXPECT_EQ(Parse(Packet(MessageKind::kCancel), &request), Refusal::kNone);
  EXPECT_EQ(request.kind, MessageKind::kCancel);
  EXPECT_EQ(Parse(Packet(MessageKind::kCount), &request), Refusal::kNone);
  EXPECT_EQ(request.kind, MessageKind::kCount);
  const StartRequest start{6, 1024, 200003, 0, 1500, 20000, 0};
  ASSERT_EQ(Parse(StartPacket(start), &request), Refusal::kNone);
  EXPECT_EQ(request.kind, MessageKind::kStart);
  EXPECT_EQ(std::memcmp(&request.start, &start, sizeof start), 0);
}

TEST(ControlMessage, EveryTruncationAndExtensionIsRefused) {
  const std::string whole = StartPacket({});
  ASSERT_EQ(Parse(whole), Refusal::kNone);
  for (size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_EQ(Parse(whole.substr(0, bytes)), Refusal::kMalformed) << bytes;
  EXPECT_EQ(Parse(whole + '\0'), Refusal::kMalformed);
  EXPECT_EQ(Parse(whole + std::string(kMostRequestBytes, '\0')), Refusal::kOversized);
  EXPECT_EQ(Parse(std::string(kMostRequestBytes, '\0')), Refusal::kMalformed);
  EXPECT_EQ(Parse(std::string(kMostRequestBytes + 1, '\0')), Refusal::kOversized);
}

TEST(ControlMessage, HeadsOfAnotherFormAreRefused) {
  std::string packet = Packet(MessageKind::kAsk);
  packet[0] ^= 1;
  EXPECT_EQ(Parse(packet), Refusal::kMalformed) << "magic";
  packet = Packet(MessageKind::kAsk);
  packet[4] = 2;
  EXPECT_EQ(Parse(packet), Refusal::kWrongVersion);
  packet = Packet(MessageKind::kAsk);
  packet[8] = 1;
  EXPECT_EQ(Parse(packet), Refusal::kMalformed) << "body_bytes";
  packet = Packet(MessageKind::kAsk);
  packet[12] = 1;
  EXPECT_EQ(Parse(packet), Refusal::kMalformed) << "reserved";
  EXPECT_EQ(Parse(Packet(MessageKind::kAsk, "x")), Refusal::kMalformed);
  EXPECT_EQ(Parse(Packet(MessageKind::kInfo)), Refusal::kMalformed) << "a reply is no request";
  EXPECT_EQ(Parse(Packet(static_cast<MessageKind>(0))), Refusal::kMalformed);
}

TEST(ControlMessage, ValuesOutsideTheirRangeAreRefused) {
  const auto parse = [](const StartRequest& start) { return Parse(StartPacket(start)); };
  EXPECT_EQ(parse({.event = 6}), Refusal::kNone);
  EXPECT_EQ(parse({.event = 7}), Refusal::kOutOfRange);
  EXPECT_EQ(parse({.branches = 1024}), Refusal::kNone);
  EXPECT_EQ(parse({.branches = 1025}), Refusal::kOutOfRange);
  EXPECT_EQ(parse({.period = uint64_t{1} << 62}), Refusal::kNone);
  EXPECT_EQ(parse({.period = (uint64_t{1} << 62) + 1}), Refusal::kOutOfRange);
  EXPECT_EQ(parse({.frequency_hz = 100000}), Refusal::kNone);
  EXPECT_EQ(parse({.frequency_hz = 100001}), Refusal::kOutOfRange);
  EXPECT_EQ(parse({.period = 1, .frequency_hz = 1}), Refusal::kOutOfRange);
  EXPECT_EQ(parse({.duration_ms = 86400000}), Refusal::kNone);
  EXPECT_EQ(parse({.duration_ms = 86400001}), Refusal::kOutOfRange);
  EXPECT_EQ(parse({.max_overhead_ppm = 1000000}), Refusal::kNone);
  EXPECT_EQ(parse({.max_overhead_ppm = 1000001}), Refusal::kOutOfRange);
  EXPECT_EQ(parse({.reserved = 1}), Refusal::kOutOfRange);
}

TEST(ControlMessage, RepliesHaveTheSizeOfTheirKind) {
  const auto parse = [](const std::string& packet) { return ParseReply(packet.data(), packet.size()); };
  EXPECT_EQ(parse(Packet(MessageKind::kEnd, std::string(sizeof(EndReply), '\0'))), 20);
  EXPECT_EQ(parse(Packet(MessageKind::kEnd, std::string(sizeof(EndReply) - 1, '\0'))), 0);
  EXPECT_EQ(parse(Packet(MessageKind::kCounts, std::string(sizeof(CountsReply), '\0'))), 22);
  EXPECT_EQ(parse(Packet(MessageKind::kCounts, std::string(sizeof(CountsReply) + 1, '\0'))), 0);
  EXPECT_EQ(parse(Packet(MessageKind::kChunk)), 19);
  EXPECT_EQ(parse(Packet(MessageKind::kChunk, std::string(kMostChunkBytes, '\0'))), 19);
  EXPECT_EQ(parse(Packet(MessageKind::kChunk, std::string(kMostChunkBytes + 1, '\0'))), 0);
  EXPECT_EQ(parse(Packet(MessageKind::kAsk)), 0) << "a request is no reply";
}

constexpr ControlPolicy kPolicy = {5000, 10000, 100000, 2000};

Refusal Apply(StartRequest start, uint64_t* limit) { return ApplyPolicy(kPolicy, &start, limit); }

TEST(ControlPolicy, EachLimitIsReachedButNotExceeded) {
  uint64_t limit = 1;
  EXPECT_EQ(Apply({.duration_ms = 5000}, &limit), Refusal::kNone);
  EXPECT_EQ(limit, 0u);
  EXPECT_EQ(Apply({.duration_ms = 5001}, &limit), Refusal::kTooLong);
  EXPECT_EQ(limit, 5000u);
  EXPECT_EQ(Apply({.period = 100000}, &limit), Refusal::kNone);
  EXPECT_EQ(Apply({.period = 99999}, &limit), Refusal::kTooDense);
  EXPECT_EQ(limit, 100000u);
  EXPECT_EQ(Apply({.frequency_hz = 2000}, &limit), Refusal::kNone);
  EXPECT_EQ(Apply({.frequency_hz = 2001}, &limit), Refusal::kTooFrequent);
  EXPECT_EQ(limit, 2000u);
  EXPECT_EQ(Apply({.max_overhead_ppm = 10000}, &limit), Refusal::kNone);
  EXPECT_EQ(Apply({.max_overhead_ppm = 10001}, &limit), Refusal::kTooCostly);
  EXPECT_EQ(limit, 10000u);
}

TEST(ControlPolicy, DefaultsStayWithinTheLimits) {
  StartRequest start = {};
  uint64_t limit;
  ASSERT_EQ(ApplyPolicy(kPolicy, &start, &limit), Refusal::kNone);
  EXPECT_EQ(start.duration_ms, 5000u);
  EXPECT_EQ(start.max_overhead_ppm, 10000u);
  start = {};
  ASSERT_EQ(ApplyPolicy({3600000, 1000000, 1, 100000}, &start, &limit), Refusal::kNone);
  EXPECT_EQ(start.duration_ms, kUsualSessionMs);
  EXPECT_EQ(start.max_overhead_ppm, kUsualOverheadPpm) << "not no limit at all";
}

}  // namespace
}  // namespace softlbr

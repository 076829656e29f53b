#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "runtime/counters/session_counters.h"
#include "runtime/format/byte_stream.h"
#include "runtime/format/crc32c.h"
#include "runtime/format/frame_header.h"

namespace softlbr {
namespace {

TEST(Crc32c, MatchesPublishedCheckValues) {
  EXPECT_EQ(Crc32c("123456789", 9), 0xe3069283u);
  const uint8_t zeros[32] = {};
  EXPECT_EQ(Crc32c(zeros, sizeof zeros), 0x8a9136aau);  // RFC 3720, B.4
  EXPECT_EQ(Crc32c("", 0), 0u);
}

TEST(ByteStream, VarintsRoundTripAtEveryLength) {
  for (int bit = 0; bit < 64; ++bit) {
    for (const uint64_t value : {1ull << bit, (1ull << bit) - 1, ~0ull >> bit}) {
      uint8_t buffer[kMaxVarintBytes];
      ByteWriter out;
      out.Reset(buffer, sizeof buffer);
      out.PutVarint(value);
      ASSERT_FALSE(out.has_failed);
      ASSERT_EQ(out.Size(), VarintBytes(value));
      ByteReader in;
      in.Reset(buffer, out.Size());
      ASSERT_EQ(in.GetVarint(), value);
      ASSERT_TRUE(in.IsAtEnd());
      ASSERT_FALSE(in.has_failed);
      // With one byte too little, nothing is written.
      ByteWriter small;
      small.Reset(buffer, VarintBytes(value) - 1);
      small.PutVarint(value);
      ASSERT_TRUE(small.has_failed);
      ASSERT_EQ(small.Size(), 0u);
      ASSERT_EQ(UnZigZag(ZigZag(value)), value);
    }
  }
}

TEST(ByteStream, ZigZagKeepsSmallDifferencesSmall) {
  EXPECT_EQ(ZigZag(0), 0u);
  EXPECT_EQ(ZigZag(static_cast<uint64_t>(-1)), 1u);
  EXPECT_EQ(ZigZag(1), 2u);
  EXPECT_EQ(ZigZag(static_cast<uint64_t>(-64)), 127u);
}

TEST(ByteStream, RefusesTruncatedAndOverlongVarints) {
  const std::vector<std::vector<uint8_t>> bad = {
      {},
      {0x80},
      {0xff, 0xff, 0xff},
      {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02},        // 65 bits
      {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00},  // 11 bytes
  };
  for (const auto& bytes : bad) {
    ByteReader in;
    in.Reset(bytes.data(), bytes.size());
    EXPECT_EQ(in.GetVarint(), 0u);
    EXPECT_TRUE(in.has_failed);
  }
}

TEST(ByteStream, ReaderStopsAtTheEnd) {
  const uint8_t bytes[3] = {1, 2, 3};
  ByteReader in;
  in.Reset(bytes, 3);
  EXPECT_EQ(in.GetU32(), 0u);
  EXPECT_TRUE(in.has_failed);
  in.Reset(bytes, 3);
  EXPECT_EQ(in.GetBytes(~0ull), nullptr);
  EXPECT_TRUE(in.has_failed);
}

TEST(FrameHeader, RoundTripsAndRefusesEveryFlippedBit) {
  const FrameHeader header = {1, FrameKind::kEnd, 0x0123456789abcdef, 77, 1234, 56789, 0xdeadbeef};
  uint8_t bytes[kFrameHeaderBytes];
  EncodeFrameHeader(header, bytes);
  FrameHeader decoded;
  ASSERT_TRUE(DecodeFrameHeader(bytes, &decoded));
  EXPECT_EQ(decoded.version, header.version);
  EXPECT_EQ(decoded.kind, header.kind);
  EXPECT_EQ(decoded.session_id, header.session_id);
  EXPECT_EQ(decoded.sequence, header.sequence);
  EXPECT_EQ(decoded.compressed_bytes, header.compressed_bytes);
  EXPECT_EQ(decoded.uncompressed_bytes, header.uncompressed_bytes);
  EXPECT_EQ(decoded.payload_crc, header.payload_crc);
  for (uint32_t bit = 0; bit < kFrameHeaderBytes * 8; ++bit) {
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
    EXPECT_FALSE(DecodeFrameHeader(bytes, &decoded)) << "bit " << bit;
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
  }
}

std::string FormatDocument() {
  std::ifstream in(SOFTLBR_FORMAT_DOCUMENT);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_FALSE(text.empty()) << SOFTLBR_FORMAT_DOCUMENT;
  return text;
}

TEST(FormatDocument, ListsEveryCounterUnderItsNumber) {
  const std::string text = FormatDocument();
  const auto expect_row = [&text](const std::string& key, const std::string& field, const std::string& unit,
                                  const char* meaning) {
    const std::string row = "| " + key + " | " + field + " | " + unit + " | " + meaning + " |";
    EXPECT_NE(text.find(row), std::string::npos) << "the document lacks: " << row;
  };
#define SOFTLBR_COUNTER(field, name, key, unit, meaning) expect_row(#key, #field, #unit, meaning);
#define SOFTLBR_COUNTER_ARRAY(field, name, key, reason, unit, meaning) expect_row(#key " + r", #field, #unit, meaning);
#include "runtime/counters/counters.def"
}

TEST(FormatDocument, ListsEverySampleEventUnderItsNumber) {
  std::string row = "| 2 | sampling event: ";
#define SOFTLBR_SAMPLE_EVENT(name, c_name, key, number, is_clock, meaning) \
  if (number != 0) row += std::string(number == 1 ? "" : ", ") + #number + " " + key;
#include "platform/base/sample_events.def"
  EXPECT_NE(FormatDocument().find(row + " |"), std::string::npos) << "the document lacks: " << row;
}

// Every counter has its own key, and so has every element of an array, with room for later reasons.
TEST(CountersDef, KeysAreUnique) {
  constexpr int kRoomForReasons = 0x100;
  std::set<int> keys;
  size_t counters = 0;
  const auto take = [&](int key, int count) {
    for (int i = 0; i < count; ++i) EXPECT_TRUE(keys.insert(key + i).second) << key + i;
  };
#define SOFTLBR_COUNTER(field, name, key, unit, meaning) take(key, 1), ++counters;
#define SOFTLBR_COUNTER_ARRAY(field, name, key, reason, unit, meaning) \
  take(key, kRoomForReasons), counters += k##reason##ReasonCount;
#include "runtime/counters/counters.def"
  EXPECT_EQ(counters * sizeof(uint64_t), sizeof(SessionCounters)) << "a field that counters.def does not list";
  EXPECT_EQ(keys.count(0), 0u);
}

TEST(CountersDef, NamesEndInTheirUnit) {
  const auto check = [](const std::string& field, const std::string& unit) {
    for (const std::string time : {"ns", "ticks"}) EXPECT_EQ(field.ends_with("_" + time), unit == time) << field;
    EXPECT_TRUE(unit == "ns" || unit == "ticks" || unit == "count") << field;
  };
#define SOFTLBR_COUNTER(field, name, key, unit, meaning) check(#field, #unit);
#define SOFTLBR_COUNTER_ARRAY(field, name, key, reason, unit, meaning) check(#field, #unit);
#define SOFTLBR_RAW_COUNTER(field, unit, meaning) check(#field, #unit);
#include "runtime/counters/counters.def"
}

}  // namespace
}  // namespace softlbr

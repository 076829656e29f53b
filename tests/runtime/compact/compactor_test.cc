// A compacted session says what the host's reader says of the session as it was written, for any size of table, and is
// as small as merge makes it.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <variant>

#include "runtime/format/slbr_format.h"
#include "tests/runtime/compact/compact_fixture.h"
#include "tests/toolchain/profile/profile_forge.h"
#include "tests/toolchain/profile/profile_samples.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::test {
namespace {

using compact::CompactorSizes;
using compact::CompactResult;
using toolchain::Profile;

Profile Decoded(std::span<const uint8_t> bytes) {
  auto read = toolchain::ReadProfile(bytes, "session");
  if (auto* profile = std::get_if<Profile>(&read)) return std::move(*profile);
  ADD_FAILURE() << std::get<toolchain::ReadError>(read).message;
  return {};
}

// Walks through an invented program: blocks of code, each ending in a branch that mostly goes near and seldom to
// another module.
class Program {
 public:
  Program(const ModuleTable& modules, uint32_t blocks, uint32_t seed) : random_(seed) {
    for (uint32_t module = 0; module < modules.count; ++module) {
      const ModuleSegment& text = modules.modules[module].segments[1];
      for (uint64_t at = 0, i = 0; i < blocks && at + 64 < text.memory_bytes; at += 4 + random_() % 60, ++i) {
        const uint64_t begin = modules.modules[module].bias + text.vaddr + at;
        blocks_.push_back({begin, begin + random_() % 4, {}});
      }
    }
    for (uint32_t i = 0; i < blocks_.size(); ++i) {
      const bool is_near = random_() % 16 != 0;
      const uint32_t most = 1 + (random_() % 4 == 0 ? random_() % 6 : 0);
      for (uint32_t j = 0; j < most; ++j) {
        blocks_[i].next.push_back(
            static_cast<uint32_t>((is_near ? i + random_() % 30 + blocks_.size() - 15 : random_()) % blocks_.size()));
      }
    }
  }
  // Hot code: walks begin at few places.
  Trace Walk(uint32_t branches, uint64_t* sampled) {
    uint32_t at = static_cast<uint32_t>(random_() % (random_() % 4 == 0 ? blocks_.size() : 1 + blocks_.size() / 50));
    *sampled = blocks_[at].begin;
    Trace trace;
    for (uint32_t i = 0; i < branches; ++i) {
      const uint64_t from = blocks_[at].end;
      at = blocks_[at].next[random_() % blocks_[at].next.size()];
      trace.push_back(BranchRecord{random_() % 500 == 0 ? 0x10000000000 : from, blocks_[at].begin});
    }
    return trace;
  }

 private:
  struct Block {
    uint64_t begin;
    uint64_t end;
    std::vector<uint32_t> next;
  };
  std::mt19937_64 random_;
  std::vector<Block> blocks_;
};

// A long session. A module is loaded anew between flushes, at another address, so that its place on the frame's line
// changes too.
std::vector<uint8_t> LongSession(uint32_t seed, uint32_t flushes, uint32_t blocks, uint32_t buffers,
                                 bool has_end = true) {
  const auto modules = MakeModules();
  TestAggregator aggregator;
  LabelStore labels{};  // other ones as the session goes on
  TestWriter writer(MakeInfo(0x1234567 + seed), seed % 2 != 0 ? &labels : nullptr);
  auto buffer = std::make_unique<TraceBuffer>();
  auto program = std::make_unique<Program>(*modules, blocks, seed);
  writer->WriteSessionStart();
  for (uint32_t flush = 0; flush < flushes; ++flush) {
    EXPECT_EQ(labels.Set(flush % 3 == 0 ? "arm" : "flush", std::to_string(flush).c_str()), Status::kOk);
    if (flush % 9 == 7) {
      modules->modules[1] = MakeModule("libplugin.so", 0x7e0000000000, 0, 0x100000 * (1 + flush % 2));
      program = std::make_unique<Program>(*modules, blocks, seed);
    }
    for (uint32_t i = 0; i < buffers; ++i) {
      buffer->used = 0;
      uint64_t sampled = 0;
      for (Trace walk = program->Walk(128, &sampled); AddTrace(buffer.get(), sampled, walk);
           walk = program->Walk(128, &sampled)) {
      }
      aggregator->AddBuffer(*buffer);
    }
    writer->WriteCounts(&*aggregator, *modules, MakeCounters(flush));
  }
  if (has_end) writer->WriteEnd(*aggregator, MakeCounters(100));
  return writer.sink.bytes;
}

uint64_t MergedBytes(const Profile& profile) {
  char* text = nullptr;
  size_t bytes = 0;
  std::FILE* file = open_memstream(&text, &bytes);
  EXPECT_EQ(toolchain::WriteProfile(profile, file), "");
  std::fclose(file);
  std::free(text);
  return bytes;
}

// False if the session stays as it is, because a table that is too small makes too many frames.
bool IsSame(std::span<const uint8_t> session, const CompactorSizes& sizes) {
  SCOPED_TRACE(std::to_string(sizes.rows) + " rows, chunks of " + std::to_string(sizes.chunk_rows));
  const CompactedBytes made = CompactBytes(session, sizes);
  EXPECT_NE(made.result, CompactResult::kFailed);
  if (made.result != CompactResult::kDone) return false;
  EXPECT_LT(made.bytes.size(), session.size());
  const Profile profile = Decoded(made.bytes);
  EXPECT_TRUE(ContentsOf(profile) == ContentsOf(Decoded(session)));
  EXPECT_EQ(profile.sessions.at(0).labels, Decoded(session).sessions.at(0).labels);
  EXPECT_EQ(profile.format_version, kFormatVersion);
  return true;
}

TEST(Compactor, SaysWhatTheSessionSaid) {
  uint32_t done = 0;
  for (uint32_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<uint8_t> session =
        LongSession(seed, 2 + seed * 2, seed % 2 != 0 ? 60 : 2000, 1 + seed % 3, seed % 4 != 0);
    EXPECT_TRUE(IsSame(session, {}));
    done += IsSame(session, {.rows = 5000, .chunk_rows = 7});
    done += IsSame(session, {.rows = 999, .chunk_rows = 777, .flow_bytes = 1500});
    done += IsSame(session, {.rows = 200, .chunk_rows = 64});
  }
  EXPECT_GT(done, 20u);
}

TEST(Compactor, FitsTheLeastTable) {
  const std::vector<uint8_t> session = SampleProfile({.session_id = 9, .flushes = 40, .traces = 2});
  for (const uint32_t rows : {1u, 2u, 3u, 10u, 100u}) {
    const CompactedBytes made = CompactBytes(session, {.rows = rows, .chunk_rows = 5});
    EXPECT_NE(made.result, CompactResult::kFailed) << rows;
    if (made.result == CompactResult::kDone) {
      EXPECT_TRUE(ContentsOf(Decoded(made.bytes)) == ContentsOf(Decoded(session))) << rows;
    }
  }
}

TEST(Compactor, IsAsSmallAsMerge) {
  for (const uint32_t blocks : {400u, 4000u}) {
    const std::vector<uint8_t> session = LongSession(3, 27, blocks, 4);
    const CompactedBytes made = CompactBytes(session);
    ASSERT_EQ(made.result, CompactResult::kDone);
    const uint64_t merged = MergedBytes(Decoded(session));
    std::printf("%u blocks: %zu bytes, compact %zu, merged %llu\n", blocks, session.size(), made.bytes.size(),
                static_cast<unsigned long long>(merged));
    EXPECT_GT(session.size(), 3 * merged);
    EXPECT_LE(made.bytes.size() * 10, merged * 11);
  }
}

TEST(Compactor, SameBytesEachTime) {
  const std::vector<uint8_t> session = LongSession(5, 9, 500, 2);
  EXPECT_EQ(CompactBytes(session).bytes, CompactBytes(session).bytes);
}

TEST(Compactor, KeepsWhatItDoesNotKnow) {
  std::vector<size_t> starts;
  const std::vector<uint8_t> session = SampleProfile({.session_id = 7, .flushes = 60, .traces = 2}, &starts);
  ASSERT_EQ(CompactBytes(session).result, CompactResult::kDone);
  const auto result = [](const std::vector<uint8_t>& bytes) { return CompactBytes(bytes).result; };
  EXPECT_EQ(result({}), CompactResult::kKept);
  EXPECT_EQ(result({1, 2, 3}), CompactResult::kKept);
  EXPECT_EQ(result(CompactBytes(session).bytes), CompactResult::kKept) << "compact already";
  EXPECT_EQ(result(SampleProfile({.flushes = 60, .traces = 2, .keep_traces = true})), CompactResult::kKept);
  std::vector<uint8_t> changed = session;
  changed[starts[3] + 50] ^= 1;
  EXPECT_EQ(result(changed), CompactResult::kKept) << "damage";
  changed = session;
  changed.erase(changed.begin() + static_cast<ptrdiff_t>(starts[3]),
                changed.begin() + static_cast<ptrdiff_t>(starts[4]));
  EXPECT_EQ(result(changed), CompactResult::kKept) << "a frame is missing";
  changed = session;
  const std::vector<uint8_t> other = SampleProfile({.session_id = 8, .flushes = 60, .traces = 2});
  changed.insert(changed.end(), other.begin(), other.end());
  EXPECT_EQ(result(changed), CompactResult::kKept) << "two sessions";
  changed = session;
  changed.insert(changed.end(), session.begin() + static_cast<ptrdiff_t>(starts[1]), session.end());
  EXPECT_EQ(result(changed), CompactResult::kKept) << "frames behind the end";
  // The frame of the start is not needed; nothing else is saved.
  EXPECT_EQ(result(SampleProfile({.flushes = 0})), CompactResult::kDone);
  const CompactedBytes start = CompactBytes(SampleProfile({.flushes = 0, .has_end = false}));
  EXPECT_EQ(start.result, CompactResult::kDone) << "the runtime stores it uncompressed";
  EXPECT_EQ(result(start.bytes), CompactResult::kKept) << "not smaller otherwise";
}

TEST(Compactor, WithoutAnEndFrameItStaysTruncated) {
  const std::vector<uint8_t> session = SampleProfile({.session_id = 7, .flushes = 60, .traces = 2, .has_end = false});
  const CompactedBytes made = CompactBytes(session);
  ASSERT_EQ(made.result, CompactResult::kDone);
  const Profile profile = Decoded(made.bytes);
  EXPECT_TRUE(profile.is_truncated);
  EXPECT_EQ(profile.sessions.at(0).counters.samples, MakeCounters(59).samples);
  EXPECT_TRUE(ContentsOf(profile) == ContentsOf(Decoded(session)));
}

TEST(Compactor, CopiesProcessFrames) {
  std::vector<size_t> starts;
  std::vector<uint8_t> session = SampleProfile({.session_id = 1, .flushes = 60, .traces = 2}, &starts);
  std::vector<uint8_t> process = Section(SectionId::kProcess, Varints({77}));
  process.insert(process.end(), {'a', 'p', 'p'});
  StoreU32(process.data() + 4, static_cast<uint32_t>(process.size() - kSectionHeaderBytes));
  const Bytes frame = Frame(process, {.kind = static_cast<uint8_t>(FrameKind::kProcess)});
  session.insert(session.begin() + static_cast<ptrdiff_t>(starts[5]), frame.begin(), frame.end());
  const CompactedBytes made = CompactBytes(session, {.rows = 300});
  ASSERT_EQ(made.result, CompactResult::kDone);
  const Profile profile = Decoded(made.bytes);
  EXPECT_EQ(profile.sessions.at(0).program, "app");
  EXPECT_TRUE(ContentsOf(profile) == ContentsOf(Decoded(session)));
}

TEST(Compactor, FailsOnAFullDisk) {
  const std::vector<uint8_t> session = SampleProfile({.session_id = 7, .flushes = 60, .traces = 2});
  const uint64_t bytes = CompactBytes(session).bytes.size();
  for (const uint64_t room : {uint64_t{0}, uint64_t{8}, uint64_t{100}, bytes - 1}) {
    EXPECT_EQ(CompactBytes(session, {}, room).result, CompactResult::kFailed) << room;
  }
  EXPECT_EQ(CompactBytes(session, {}, bytes).result, CompactResult::kDone);
}

}  // namespace
}  // namespace softlbr::test

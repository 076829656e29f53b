// Reads truncated, damaged, forged and concatenated files: intact frames are kept, damage is reported, nothing crashes.
#include "toolchain/profile/profile_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <variant>

#include "platform/base/elf_machine.h"
#include "runtime/format/slbr_format.h"
#include "tests/toolchain/profile/profile_forge.h"
#include "tests/toolchain/profile/profile_samples.h"
#include "toolchain/profile/seen_frames.h"

namespace softlbr::toolchain {
namespace {

using test::Bytes;
using test::Frame;
using test::Section;
using test::Varints;

std::variant<Profile, ReadError> Read(const Bytes& bytes) { return ReadProfile(bytes, "p.slbr"); }

Profile MustRead(const Bytes& bytes) {
  auto result = Read(bytes);
  if (const auto* error = std::get_if<ReadError>(&result)) {
    ADD_FAILURE() << error->message;
    return {};
  }
  return std::get<Profile>(std::move(result));
}

std::string ErrorOf(const Bytes& bytes) {
  const auto result = Read(bytes);
  const auto* error = std::get_if<ReadError>(&result);
  if (error == nullptr) return "(no error)";
  EXPECT_EQ(error->message.find('\n'), std::string::npos);
  EXPECT_EQ(error->message.rfind("p.slbr: ", 0), 0u) << error->message;
  return error->message;
}

uint64_t BranchSum(const Profile& profile) {
  uint64_t sum = 0;
  for (const BranchCount& row : profile.branches) sum += row.count;
  return sum;
}

bool Contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Bytes Concatenated(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) test::Append(&all, part);
  return all;
}

void ExpectSame(const Profile& a, const Profile& b) {
  ASSERT_EQ(a.branches.size(), b.branches.size());
  for (size_t i = 0; i < a.branches.size(); ++i) {
    EXPECT_EQ(a.branches[i].from, b.branches[i].from);
    EXPECT_EQ(a.branches[i].to, b.branches[i].to);
    EXPECT_EQ(a.branches[i].count, b.branches[i].count);
  }
  ASSERT_EQ(a.ranges.size(), b.ranges.size());
  for (size_t i = 0; i < a.ranges.size(); ++i) {
    EXPECT_EQ(a.ranges[i].module, b.ranges[i].module);
    EXPECT_EQ(a.ranges[i].first, b.ranges[i].first);
    EXPECT_EQ(a.ranges[i].last, b.ranges[i].last);
    EXPECT_EQ(a.ranges[i].count, b.ranges[i].count);
  }
  ASSERT_EQ(a.samples.size(), b.samples.size());
  for (size_t i = 0; i < a.samples.size(); ++i) {
    EXPECT_EQ(a.samples[i].pc, b.samples[i].pc);
    EXPECT_EQ(a.samples[i].count, b.samples[i].count);
  }
  ASSERT_EQ(a.traces.size(), b.traces.size());
  for (size_t i = 0; i < a.traces.size(); ++i) {
    EXPECT_EQ(a.traces[i].thread, b.traces[i].thread);
    EXPECT_EQ(a.traces[i].reason, b.traces[i].reason);
    EXPECT_EQ(a.traces[i].sampled_pc, b.traces[i].sampled_pc);
    EXPECT_EQ(a.traces[i].branches, b.traces[i].branches);
  }
  ASSERT_EQ(a.modules.size(), b.modules.size());
  for (size_t i = 0; i < a.modules.size(); ++i) {
    EXPECT_EQ(a.modules[i].name, b.modules[i].name);
    EXPECT_EQ(a.modules[i].build_id, b.modules[i].build_id);
    EXPECT_EQ(a.modules[i].is_main, b.modules[i].is_main);
    EXPECT_EQ(a.modules[i].elf_type, b.modules[i].elf_type);
    EXPECT_EQ(a.modules[i].machine, b.modules[i].machine);
    EXPECT_EQ(a.modules[i].segments.size(), b.modules[i].segments.size());
  }
  ASSERT_EQ(a.sessions.size(), b.sessions.size());
  for (size_t i = 0; i < a.sessions.size(); ++i) {
    EXPECT_EQ(a.sessions[i].session_id, b.sessions[i].session_id);
    EXPECT_EQ(a.sessions[i].period, b.sessions[i].period);
    EXPECT_EQ(memcmp(&a.sessions[i].counters, &b.sessions[i].counters, sizeof a.counters), 0);
  }
  EXPECT_EQ(memcmp(&a.counters, &b.counters, sizeof a.counters), 0);
}

TEST(ProfileReader, ErrorsNameCauseAndRemedy) {
  EXPECT_TRUE(Contains(ErrorOf({}), "empty file")) << ErrorOf({});
  const std::string text = "version https://git-lfs.github.com/spec/v1\n";
  EXPECT_EQ(ErrorOf(Bytes(text.begin(), text.end())),
            "p.slbr: not a softlbr profile (bad magic); was it written by `softlbr record`?");
  EXPECT_TRUE(Contains(ErrorOf(Bytes(100000, 0)), "not a softlbr profile"));
  EXPECT_TRUE(Contains(ErrorOf(test::Magic()), "truncated"));
  EXPECT_TRUE(Contains(ErrorOf({0x89, 'S', 'L'}), "truncated"));

  test::Forged newer;
  newer.version = kFormatVersion + 1;
  const Bytes payload = test::OneModule();
  EXPECT_EQ(ErrorOf(Concatenated({test::Magic(), Frame(payload, newer)})),
            "p.slbr: written in format version 3, this softlbr reads version 2; update softlbr");
  // Frames of a newer version must not be skipped silently.
  EXPECT_TRUE(Contains(ErrorOf(Concatenated({test::File({Frame(payload)}), Frame(payload, newer)})), "version 3"));
  // Nor must those of an older one.
  test::Forged older;
  older.version = 1;
  EXPECT_EQ(
      ErrorOf(Concatenated({test::Magic(), Frame(payload, older)})),
      "p.slbr: written in format version 1, this softlbr reads version 2; record again with a softlbr of this version");
  EXPECT_TRUE(Contains(ErrorOf(Concatenated({test::File({Frame(payload)}), Frame(payload, older)})), "version 1"));

  Bytes flipped = Concatenated({test::Magic(), Frame(payload)});
  flipped.back() ^= 1;
  EXPECT_TRUE(Contains(ErrorOf(flipped), "damaged")) << ErrorOf(flipped);
}

TEST(ProfileReader, MissingFileAndFolderAreErrors) {
  const auto missing = ReadProfileFile("/nonexistent/p.slbr");
  ASSERT_TRUE(std::holds_alternative<ReadError>(missing));
  EXPECT_TRUE(Contains(std::get<ReadError>(missing).message, "No such file"));
  const auto folder = ReadProfileFile("/");
  ASSERT_TRUE(std::holds_alternative<ReadError>(folder));
  EXPECT_TRUE(Contains(std::get<ReadError>(folder).message, "directory"));
}

TEST(ProfileReader, TruncatedFileKeepsFramesBeforeTheCut) {
  std::vector<size_t> starts;
  const Bytes whole = test::SampleProfile({.flushes = 3, .keep_traces = true}, &starts);
  starts.push_back(whole.size());
  ASSERT_GE(starts.size(), 6u);
  uint64_t previous = 0;
  for (size_t size = 1; size < whole.size(); ++size) {
    const auto result = Read(Bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)));
    if (size < starts[2]) {
      ASSERT_TRUE(std::holds_alternative<ReadError>(result)) << size;
      ASSERT_TRUE(Contains(std::get<ReadError>(result).message, "truncated")) << std::get<ReadError>(result).message;
      continue;
    }
    ASSERT_TRUE(std::holds_alternative<Profile>(result)) << size << std::get<ReadError>(result).message;
    const Profile& profile = std::get<Profile>(result);
    ASSERT_TRUE(profile.is_truncated) << size;
    ASSERT_EQ(profile.damaged_frames, 0u) << size;
    const uint64_t sum = BranchSum(profile);
    ASSERT_GE(sum, previous);
    if (std::find(starts.begin(), starts.end(), size) == starts.end()) {
      ASSERT_EQ(sum, previous);
    }
    previous = sum;
  }
  const Profile profile = MustRead(whole);
  EXPECT_FALSE(profile.is_truncated);
  EXPECT_EQ(BranchSum(profile), previous) << "the end frame has no counts";
  EXPECT_GT(previous, 0u);
}

TEST(ProfileReader, FlippedBitLosesAtMostItsFrame) {
  std::vector<size_t> starts;
  const Bytes whole = test::SampleProfile({.flushes = 3, .traces = 1}, &starts);
  starts.push_back(whole.size());
  const Profile intact = MustRead(whole);
  Bytes flipped = whole;
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    flipped[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
    const auto result = Read(flipped);
    ASSERT_TRUE(std::holds_alternative<Profile>(result)) << bit;
    const Profile& profile = std::get<Profile>(result);
    ASSERT_EQ(profile.damaged_frames, 1u) << bit;
    if (bit / 8 < starts[2]) {
      // The magic, or the first frame, which has no counts.
      ASSERT_EQ(BranchSum(profile), BranchSum(intact)) << bit;
    } else if (bit / 8 >= starts[starts.size() - 2]) {
      ASSERT_TRUE(profile.is_truncated) << "the end frame is damaged";
      ASSERT_EQ(BranchSum(profile), BranchSum(intact));
    } else {
      ASSERT_LT(BranchSum(profile), BranchSum(intact));
      ASSERT_GT(BranchSum(profile), 0u);
      ASSERT_EQ(profile.missing_frames, 1u);
    }
    flipped[bit / 8] = whole[bit / 8];
  }
}

TEST(ProfileReader, LostOrAddedBytesLoseOneFrame) {
  std::vector<size_t> starts;
  const Bytes whole = test::SampleProfile({.flushes = 4}, &starts);
  const Profile intact = MustRead(whole);
  Bytes shorter = whole;
  shorter.erase(shorter.begin() + static_cast<ptrdiff_t>(starts[3]) + 50,
                shorter.begin() + static_cast<ptrdiff_t>(starts[3]) + 90);
  Bytes longer = whole;
  longer.insert(longer.begin() + static_cast<ptrdiff_t>(starts[3]) + 50, 1000, 0xf5);
  Bytes without = whole;
  without.erase(without.begin() + static_cast<ptrdiff_t>(starts[3]),
                without.begin() + static_cast<ptrdiff_t>(starts[4]));
  for (const Bytes& bytes : {shorter, longer, without}) {
    const Profile profile = MustRead(bytes);
    EXPECT_FALSE(profile.is_truncated);
    EXPECT_EQ(profile.missing_frames, 1u);
    EXPECT_GT(BranchSum(profile), 0u);
    EXPECT_LT(BranchSum(profile), BranchSum(intact));
  }
  EXPECT_EQ(MustRead(shorter).damaged_frames, 1u);
  EXPECT_EQ(MustRead(longer).damaged_frames, 1u);
  EXPECT_EQ(MustRead(without).damaged_frames, 0u);
}

TEST(ProfileReader, ConcatenatedFilesAddUp) {
  const Bytes first = test::SampleProfile({.session_id = 7, .seed = 1});
  const Bytes second = test::SampleProfile({.session_id = 8, .seed = 2});
  const Profile a = MustRead(first);
  const Profile b = MustRead(second);
  const Profile both = MustRead(Concatenated({first, second}));
  EXPECT_EQ(both.sessions.size(), 2u);
  EXPECT_EQ(both.sessions[0].session_id, 7u);
  EXPECT_EQ(both.sessions[1].session_id, 8u);
  EXPECT_EQ(BranchSum(both), BranchSum(a) + BranchSum(b));
  EXPECT_EQ(both.modules.size(), 3u);
  EXPECT_EQ(both.counters.samples, a.counters.samples + b.counters.samples);
  EXPECT_FALSE(both.is_truncated);
  EXPECT_EQ(both.damaged_frames, 0u);
  const Bytes cut = test::SampleProfile({.session_id = 9, .seed = 3, .has_end = false});
  EXPECT_TRUE(MustRead(Concatenated({cut, second})).is_truncated);
}

TEST(ProfileReader, CopiesOfFramesCountOnce) {
  const auto frame = [](uint64_t session_id, uint32_t number, uint64_t count) {
    Bytes payload = test::OneModule();
    test::Append(&payload, Section(SectionId::kBranches, Varints({1, 5, 6, count})));
    test::Forged forged;
    forged.session_id = session_id;
    forged.sequence = number;
    return Frame(payload, forged);
  };
  const Bytes file = test::File({frame(1, 0, 10), frame(1, 1, 10)});
  EXPECT_EQ(BranchSum(MustRead(file)), 20u) << "equal counts of two frames are no copy";
  EXPECT_EQ(MustRead(file).repeated_frames, 0u);
  const Profile twice = MustRead(Concatenated({file, file}));
  EXPECT_EQ(BranchSum(twice), 20u);
  EXPECT_EQ(twice.repeated_frames, 2u);
  EXPECT_EQ(twice.missing_frames, 0u);
  EXPECT_FALSE(twice.is_truncated);
  // The copy does not stand for the frame that is missing.
  const Profile lacks = MustRead(Concatenated({test::Magic(), frame(1, 0, 10), frame(1, 0, 10), test::EndFrame(2)}));
  EXPECT_EQ(BranchSum(lacks), 10u);
  EXPECT_EQ(lacks.missing_frames, 1u);
  // Other frames of the same number: of another process, and of two merges of parts of one session.
  const Profile others = MustRead(Concatenated({test::Magic(), frame(1, 0, 10), frame(2, 0, 10), frame(1, 0, 3)}));
  EXPECT_EQ(BranchSum(others), 23u);
  EXPECT_EQ(others.repeated_frames, 0u);
}

TEST(ProfileReader, CopiesAreRecognisedAmongManyFrames) {
  SeenFrames seen;
  FrameHeader header{};
  for (uint32_t i = 0; i < SeenFrames::kMostFrames; ++i) {
    header.sequence = i;
    ASSERT_TRUE(seen.Add(header)) << i;
  }
  for (uint32_t i = 0; i < SeenFrames::kMostFrames; i += 97) {
    header.sequence = i;
    ASSERT_FALSE(seen.Add(header)) << i;
  }
  header.sequence = SeenFrames::kMostFrames;
  EXPECT_TRUE(seen.Add(header));
  EXPECT_TRUE(seen.Add(header)) << "no room: taken for new";
}

TEST(ProfileReader, SkipsUnknownKindsSectionsKeysAndRecordTails) {
  test::Forged unknown;
  unknown.kind = 99;
  constexpr uint64_t kAbortKeys = 0x100;  // docs/profile_format.md, "2 counters"
  constexpr uint64_t kLossKeys = 0x200;
  Bytes module = Varints({1});
  module.push_back('m');
  // two more numbers than we know
  test::Append(&module, Varints({0, kMachineX86_64, 3, 0, 1, 0x5000, 0x1000, 0, 123456, 7}));
  Bytes modules = Varints({1, module.size()});
  test::Append(&modules, module);
  const Bytes data = Concatenated(
      {Section(1000, {1, 2, 3}), Section(SectionId::kBranches, Varints({1, 5, ZigZag(3), 9})),
       Section(SectionId::kInfo, Varints({99, 5, 4, 1234})),
       Section(SectionId::kCounters, Varints({4, 11, 77, 5, kAbortKeys + 200, 5, kLossKeys + 200, 5, kLossKeys, 6})),
       Section(SectionId::kModules, modules)});
  const Bytes bytes = Concatenated({test::Magic(), Frame({1, 2, 3}, unknown), Frame(data), test::EndFrame(2)});
  const Profile profile = MustRead(bytes);
  EXPECT_EQ(profile.damaged_frames, 0u);
  EXPECT_EQ(profile.missing_frames, 0u);
  EXPECT_FALSE(profile.is_truncated);
  ASSERT_EQ(profile.branches.size(), 1u);
  EXPECT_EQ(profile.branches[0].from, (Location{0, 0x5004}));
  EXPECT_EQ(profile.branches[0].to, (Location{0, 0x5007}));
  EXPECT_EQ(profile.branches[0].count, 9u);
  EXPECT_EQ(profile.sessions[0].period, 1234u);
  EXPECT_EQ(profile.counters.samples, 11u);
  EXPECT_EQ(profile.counters.lost[0], 6u);
}

// Frames with valid checksums but invalid content.
TEST(ProfileReader, RejectsInvalidContent) {
  const Bytes good = Frame(Concatenated({test::OneModule(), Section(SectionId::kBranches, Varints({1, 5, 0, 2}))}));
  ASSERT_EQ(MustRead(test::File({good})).branches.size(), 1u);
  const auto section = [](SectionId id, std::initializer_list<uint64_t> values) {
    return Concatenated({test::OneModule(), Section(id, Varints(values))});
  };
  const uint64_t huge = ~0ull;
  Bytes overlapping = Varints({2});
  test::Append(&overlapping, test::ModuleRecordBytes(1, 0, 100));
  test::Append(&overlapping, test::ModuleRecordBytes(50, 0, 100));
  Bytes cut_section = Section(SectionId::kSamples, {1, 1, 1});
  cut_section.pop_back();
  const std::vector<std::pair<std::string, Bytes>> cases = {
      {"more branches than bytes", section(SectionId::kBranches, {huge, 5, 0, 2})},
      {"more branches than bytes, a little", section(SectionId::kBranches, {2, 5, 0, 2})},
      {"no rows", section(SectionId::kBranches, {0})},
      {"bytes after the rows", section(SectionId::kBranches, {1, 5, 0, 2, 2, 2, 2})},
      {"from past the module", section(SectionId::kBranches, {1, 0x1001, 0, 2})},
      {"from past the largest linear address", section(SectionId::kBranches, {1, huge, 0, 2})},
      {"sum past 64 bits", section(SectionId::kBranches, {2, 5, huge, 0, 0, 1, 1})},
      {"to past the module", section(SectionId::kBranches, {1, 5, ZigZag(0x1000), 2})},
      {"to far away", section(SectionId::kBranches, {1, 5, huge, 2})},
      {"both ends outside", section(SectionId::kBranches, {1, 0, 0, 2})},
      {"count of zero", section(SectionId::kBranches, {1, 5, 0, 0})},
      {"range outside", section(SectionId::kRanges, {1, 0, 0, 1})},
      {"range past the module", section(SectionId::kRanges, {1, 5, 0x1000, 1})},
      {"range of huge length", section(SectionId::kRanges, {1, 5, huge, 1})},
      {"sample past the module", section(SectionId::kSamples, {1, 0x1001, 1})},
      {"more samples than bytes", section(SectionId::kSamples, {1ull << 40, 1, 1})},
      {"trace with more branches than bytes", section(SectionId::kTraces, {1, 0, 5, huge, 0, 0})},
      {"trace past the module", section(SectionId::kTraces, {1, 0, 5, 1, 0, ZigZag(0x1000)})},
      {"thread of 33 bits", section(SectionId::kTraces, {1ull << 32, 0, 5, 0})},
      {"info value too large", section(SectionId::kInfo, {1, 65536})},
      {"info without value", section(SectionId::kInfo, {1})},
      {"unknown policy", section(SectionId::kInfo, {3, 2})},
      {"modules twice", Concatenated({test::OneModule(), test::OneModule()})},
      {"more modules than bytes", Section(SectionId::kModules, Varints({huge}))},
      {"module record past the section", Section(SectionId::kModules, Varints({1, huge}))},
      {"modules that overlap", Section(SectionId::kModules, overlapping)},
      {"module at 0", Section(SectionId::kModules, Concatenated({Varints({1}), test::ModuleRecordBytes(0, 0, 100)}))},
      {"module past the line",
       Section(SectionId::kModules, Concatenated({Varints({1}), test::ModuleRecordBytes(1, 0, huge)}))},
      {"module past 64 bits",
       Section(SectionId::kModules, Concatenated({Varints({1}), test::ModuleRecordBytes(1, huge - 5, 100)}))},
      {"address without modules", Section(SectionId::kSamples, Varints({1, 5, 1}))},
      {"section past the payload", cut_section},
      {"half a section header", {4, 0, 0}},
  };
  for (const auto& [name, payload] : cases) {
    const Profile profile = MustRead(test::File({Frame(payload), good}));
    EXPECT_EQ(profile.damaged_frames, 1u) << name;
    EXPECT_EQ(profile.branches.size(), 1u) << name;
    EXPECT_EQ(profile.modules.size(), 1u) << name << ": a bad frame must leave nothing behind";
  }
}

TEST(ProfileReader, RejectsHeadersWithWrongSizes) {
  const Bytes good = Frame(Concatenated({test::OneModule(), Section(SectionId::kBranches, Varints({1, 5, 0, 2}))}));
  const auto with = [&good](uint32_t compressed, uint32_t uncompressed) {
    Bytes bytes = good;
    FrameHeader header;
    EXPECT_TRUE(DecodeFrameHeader(bytes.data(), &header));
    if (compressed != 0) header.compressed_bytes = compressed;
    if (uncompressed != 0) header.uncompressed_bytes = uncompressed;
    EncodeFrameHeader(header, bytes.data());
    return bytes;
  };
  for (const Bytes& bad : {with(0xffffffff, 0), with(0, 0xffffffff), with(0, kMaxFramePayloadBytes + 1),
                           with(0, kMaxFramePayloadBytes), with(0, 3), with(2, 0)}) {
    const Profile profile = MustRead(test::File({bad, good}));
    EXPECT_GE(profile.damaged_frames, 1u);
    EXPECT_EQ(BranchSum(profile), 2u);
  }
  // A payload that expands to one byte more than a frame may have.
  const Bytes bomb = Frame(Section(1000, Bytes(kMaxFramePayloadBytes + 1)));
  EXPECT_EQ(MustRead(test::File({bomb, good})).damaged_frames, 1u);
  // The largest valid payload.
  const Bytes largest = Frame(Section(1000, Bytes(kMaxFramePayloadBytes - kSectionHeaderBytes)));
  EXPECT_EQ(MustRead(test::File({largest, good})).damaged_frames, 0u);
}

TEST(ProfileReader, SkipsTracesWithUnknownReasons) {
  const Bytes frame = Frame(
      Concatenated({test::OneModule(), Section(SectionId::kTraces, Varints({1, 0, 5, 0, 2, 200, 5, 0, 3, 1, 5, 0}))}));
  const Profile profile = MustRead(test::File({frame}));
  EXPECT_EQ(profile.damaged_frames, 0u);
  ASSERT_EQ(profile.traces.size(), 2u);
  EXPECT_EQ(profile.traces[0].thread, 1u);
  EXPECT_EQ(profile.traces[1].thread, 3u);
}

TEST(ProfileReader, SumsSaturate) {
  const Bytes frame =
      Frame(Concatenated({test::OneModule(), Section(SectionId::kBranches, Varints({1, 5, 0, ~0ull}))}));
  const Profile profile = MustRead(test::File({frame, frame}));
  ASSERT_EQ(profile.branches.size(), 1u);
  EXPECT_EQ(profile.branches[0].count, ~0ull);
}

class TemporaryFile {
 public:
  TemporaryFile() : path_("/tmp/softlbr_profile_test.XXXXXX") {
    const int fd = mkstemp(path_.data());
    if (fd >= 0) close(fd);
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  const std::string& path() const { return path_; }
  void Put(const Bytes& bytes) const {
    std::ofstream out(path_, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::string path_;
};

TEST(ProfileReader, ReadsFileLikeBuffer) {
  // Longer than the reader's window, with damage across the window's edges.
  Bytes bytes;
  std::vector<Bytes> samples;
  for (uint32_t i = 0; i < 6; ++i)
    samples.push_back(test::SampleProfile({.session_id = i, .seed = i, .flushes = 4, .traces = 60}));
  for (uint32_t i = 0; bytes.size() < (10u << 20); ++i) {
    test::Append(&bytes, samples[i % samples.size()]);
    if (i % 7 == 0) bytes.resize(bytes.size() - 100);
    if (i % 11 == 0) bytes.insert(bytes.end(), 70000, 0xf5);
  }
  const TemporaryFile file;
  file.Put(bytes);
  auto from_file = ReadProfileFile(file.path());
  ASSERT_TRUE(std::holds_alternative<Profile>(from_file)) << std::get<ReadError>(from_file).message;
  const Profile& a = std::get<Profile>(from_file);
  const Profile b = MustRead(bytes);
  ExpectSame(a, b);
  EXPECT_EQ(a.damaged_frames, b.damaged_frames);
  EXPECT_GT(a.damaged_frames, 0u);
  EXPECT_EQ(a.missing_frames, b.missing_frames);
}

TEST(ProfileReader, WrittenProfileReadsBackEqual) {
  for (uint32_t seed = 1; seed <= 10; ++seed) {
    const Profile profile =
        MustRead(Concatenated({test::SampleProfile({.session_id = 1, .seed = seed, .traces = 60, .keep_traces = true}),
                               test::SampleProfile({.session_id = 2, .seed = seed + 100, .flushes = 5})}));
    const TemporaryFile file;
    ASSERT_EQ(WriteProfileFile(profile, file.path()), "");
    const auto result = ReadProfileFile(file.path());
    ASSERT_TRUE(std::holds_alternative<Profile>(result)) << std::get<ReadError>(result).message;
    const Profile& again = std::get<Profile>(result);
    ExpectSame(profile, again);
    EXPECT_FALSE(again.is_truncated);
    EXPECT_EQ(again.damaged_frames, 0u);
    EXPECT_EQ(again.missing_frames, 0u);
  }
}

TEST(ProfileReader, LargeProfileIsWrittenInSeveralFrames) {
  Profile profile;
  static_cast<SessionInfo&>(profile.sessions.emplace_back()) = test::MakeInfo(5);
  ProfileModule module;
  module.name = "large";
  profile.modules.push_back(module);
  for (uint64_t i = 0; i < 300000; ++i) {
    profile.branches.push_back({{0, 0x1000 + i * 16}, {0, 0x900000 - i}, i + 1});
    profile.ranges.push_back({0, 0x1000 + i * 16, 0x1000 + i * 16 + 15, i + 1});
  }
  const TemporaryFile file;
  ASSERT_EQ(WriteProfileFile(profile, file.path()), "");
  const auto result = ReadProfileFile(file.path());
  ASSERT_TRUE(std::holds_alternative<Profile>(result)) << std::get<ReadError>(result).message;
  ExpectSame(profile, std::get<Profile>(result));
}

TEST(ProfileReader, WriterRefusesContentBeyondFormatLimits) {
  const TemporaryFile file;
  Profile profile;
  profile.branches.push_back({{0, 1}, {0, 2}, 1});  // no such module
  EXPECT_NE(WriteProfileFile(profile, file.path()), "");
  profile.modules.resize(1);
  EXPECT_EQ(WriteProfileFile(profile, file.path()), "");
  profile.ranges.push_back({0, 5, 4, 1});
  EXPECT_NE(WriteProfileFile(profile, file.path()), "") << "backwards";
  profile.ranges.clear();
  profile.samples.push_back({{0, 1ull << 63}, 1});
  EXPECT_NE(WriteProfileFile(profile, file.path()), "") << "does not fit the linear address space";
  profile.samples.clear();
  profile.modules[0].name.assign(kMaxRecordNameBytes + 1, 'x');
  EXPECT_NE(WriteProfileFile(profile, file.path()), "");
  EXPECT_NE(WriteProfileFile(Profile{}, "/nonexistent/p.slbr"), "");
}

}  // namespace
}  // namespace softlbr::toolchain

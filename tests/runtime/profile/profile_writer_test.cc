// Profiles that the runtime writes, read back by the host's reader.
#include "runtime/profile/profile_writer.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <tuple>
#include <variant>

#include "runtime/format/slbr_format.h"
#include "tests/runtime/profile/profile_fixture.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr {
namespace {

using test::AddTrace;
using test::TestAggregator;
using test::TestWriter;
using toolchain::Location;
using toolchain::Profile;

Profile MustRead(const std::vector<uint8_t>& bytes) {
  auto result = toolchain::ReadProfile(bytes, "test.slbr");
  if (const auto* error = std::get_if<toolchain::ReadError>(&result)) {
    ADD_FAILURE() << error->message;
    return {};
  }
  return std::get<Profile>(std::move(result));
}

// A location with the module's name, so that module numbers do not matter.
using Named = std::pair<std::string, uint64_t>;
Named NameOf(const Profile& profile, const Location& location) {
  return location.module == toolchain::kNoModule ? Named{"", 0}
                                                 : Named{profile.modules.at(location.module).name, location.address};
}
Named NameOf(const ModuleTable& modules, uint64_t address) {
  const Module* module = FindModule(modules, address);
  return module == nullptr ? Named{"", 0} : Named{module->name, address - module->bias};
}

struct NamedModel {
  std::map<std::pair<Named, Named>, uint64_t> branches;
  std::map<std::pair<Named, Named>, uint64_t> ranges;
  std::map<Named, uint64_t> samples;
  uint64_t unmapped = 0;
  uint64_t implausible = 0;

  void Add(const ModuleTable& modules, uint64_t sampled, const test::Trace& trace) {
    ++samples[NameOf(modules, sampled)];
    for (size_t i = 0; i < trace.size(); ++i) {
      const Named from = NameOf(modules, trace[i].from);
      const Named to = NameOf(modules, trace[i].to);
      if (from.first.empty() && to.first.empty()) {
        ++unmapped;
      } else {
        ++branches[{from, to}];
      }
      if (i == 0) continue;
      const Named first = NameOf(modules, trace[i - 1].to);
      const bool is_plausible = IsRange(trace[i - 1].to, trace[i].from);
      if (!is_plausible || (first.first != from.first)) {
        ++implausible;
      } else if (!first.first.empty()) {
        ++ranges[{first, from}];
      }
    }
  }
};

NamedModel ModelOf(const Profile& profile) {
  NamedModel model;
  for (const auto& row : profile.branches)
    model.branches[{NameOf(profile, row.from), NameOf(profile, row.to)}] = row.count;
  for (const auto& row : profile.ranges) {
    model.ranges[{NameOf(profile, {row.module, row.first}), NameOf(profile, {row.module, row.last})}] = row.count;
  }
  for (const auto& row : profile.samples) model.samples[NameOf(profile, row.pc)] = row.count;
  return model;
}

TEST(ProfileWriter, RandomSessionsReadBackExactly) {
  const auto modules = test::MakeModules();
  constexpr uint32_t kSeeds = 20;
  constexpr uint32_t kLargeSeeds = 18;  // from this seed on, more rows than one frame holds
  for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
    const bool is_large = seed >= kLargeSeeds;
    TestAggregator aggregator;
    TestWriter writer(test::MakeInfo(seed));
    test::RandomTraces random(*modules, is_large ? 1000000 : 1 + seed * seed * seed, seed);
    NamedModel model;
    writer->WriteSessionStart();
    auto buffer = std::make_unique<TraceBuffer>();
    const uint32_t flushes = 1 + seed % 4;
    for (uint32_t flush = 0; flush < flushes; ++flush) {
      for (int round = 0; round < (is_large ? 12 : 2) && !aggregator->IsAboveThreshold(); ++round) {
        buffer->used = 0;
        for (;;) {
          const test::Trace trace = random.Make(static_cast<uint32_t>(random.Number() % 100));
          const uint64_t sampled = random.Address();
          if (!AddTrace(buffer.get(), sampled, trace)) break;
          model.Add(*modules, sampled, trace);
        }
        aggregator->AddBuffer(*buffer);
      }
      ASSERT_EQ(aggregator->losses().table_full, 0u);
      writer->WriteCounts(&*aggregator, *modules, test::MakeCounters(flush));
      ASSERT_TRUE(aggregator->IsEmpty());
    }
    writer->WriteEnd(*aggregator, test::MakeCounters(1000));
    const Profile profile = MustRead(writer.sink.bytes);
    const NamedModel read = ModelOf(profile);
    EXPECT_EQ(read.branches, model.branches) << "seed " << seed;
    EXPECT_EQ(read.ranges, model.ranges);
    EXPECT_EQ(read.samples, model.samples);
    EXPECT_EQ(writer->losses().unmapped, model.unmapped);
    EXPECT_EQ(writer->losses().implausible_range + aggregator->losses().implausible_range, model.implausible);
    EXPECT_FALSE(profile.is_truncated);
    EXPECT_EQ(profile.damaged_frames, 0u);
    EXPECT_EQ(profile.missing_frames, 0u);
    // Magic, start, one frame a flush, end.
    if (is_large) {
      EXPECT_GT(writer.sink.starts.size(), flushes + 3) << "the test needs several frames a flush";
    }
  }
}

TEST(ProfileWriter, WritesEachCountAsOftenAsItIsToCount) {
  const auto modules = test::MakeModules();
  TestAggregator aggregator;
  TestWriter writer(test::MakeInfo(7));
  writer->WriteSessionStart();
  auto buffer = std::make_unique<TraceBuffer>();
  const uint64_t app = modules->modules[0].bias + 0x402000;
  for (const uint64_t weight : {1, 4}) {
    buffer->used = 0;
    AddTrace(buffer.get(), app, {{app + 4, app}, {app + 8, app + 9}, {0x10, 0x20}});
    aggregator->AddBuffer(*buffer);
    writer->WriteCounts(&*aggregator, *modules, test::MakeCounters(1), weight);
  }
  writer->WriteEnd(*aggregator, test::MakeCounters(2));
  const Profile profile = MustRead(writer.sink.bytes);
  ASSERT_EQ(profile.branches.size(), 2u);
  for (const auto& row : profile.branches) EXPECT_EQ(row.count, 5u);
  for (const auto& row : profile.ranges) EXPECT_EQ(row.count, 5u);
  ASSERT_EQ(profile.samples.size(), 1u);
  EXPECT_EQ(profile.samples[0].count, 5u);
  EXPECT_EQ(writer->losses().unmapped, 5u) << "so that the share of unknown code is right";
}

TEST(ProfileWriter, KeepsInfoCountersAndModules) {
  const auto modules = test::MakeModules();
  TestAggregator aggregator;
  const SessionInfo info = test::MakeInfo(0xfedcba9876543210);
  TestWriter writer(info);
  writer->WriteSessionStart();
  auto buffer = std::make_unique<TraceBuffer>();
  const uint64_t app = modules->modules[0].bias + 0x402000;
  const uint64_t library = modules->modules[1].bias + 0x3000;
  AddTrace(buffer.get(), app, {{app + 4, library}, {library + 8, app + 9}});
  aggregator->AddBuffer(*buffer);
  writer->WriteCounts(&*aggregator, *modules, test::MakeCounters(5));
  const SessionCounters last = test::MakeCounters(1000);
  writer->WriteEnd(*aggregator, last);

  const Profile profile = MustRead(writer.sink.bytes);
  EXPECT_EQ(profile.format_version, kFormatVersion);
  ASSERT_EQ(profile.sessions.size(), 1u);
  const SessionInfo& read = profile.sessions[0];
  EXPECT_EQ(read.arch, info.arch);
  EXPECT_EQ(read.event, info.event);
  EXPECT_EQ(read.resolve, info.resolve);
  EXPECT_EQ(read.period, info.period);
  EXPECT_EQ(read.frequency_hz, info.frequency_hz);
  EXPECT_EQ(read.branches_per_trace, info.branches_per_trace);
  EXPECT_EQ(read.has_breakpoints, info.has_breakpoints);
  EXPECT_EQ(read.start_time_unix_s, info.start_time_unix_s);
  EXPECT_EQ(read.session_id, info.session_id);
  EXPECT_EQ(memcmp(&profile.counters, &last, sizeof last), 0) << "the last totals win, each with its own key";

  ASSERT_EQ(profile.modules.size(), 2u) << "modules without a count are not written";
  for (size_t i = 0; i < 2; ++i) {
    const Module& written = modules->modules[i];
    const toolchain::ProfileModule& module = profile.modules[i];
    EXPECT_EQ(module.name, written.name);
    EXPECT_EQ(module.build_id, std::vector<uint8_t>(written.build_id, written.build_id + written.build_id_bytes));
    EXPECT_EQ(module.machine, written.machine);
    EXPECT_EQ(module.elf_type, written.elf_type);
    EXPECT_EQ(module.is_main, written.is_main);
    ASSERT_EQ(module.segments.size(), 2u);
    EXPECT_EQ(module.segments[1].vaddr, written.segments[1].vaddr);
    EXPECT_EQ(module.segments[1].file_offset, written.segments[1].file_offset);
    EXPECT_EQ(module.segments[1].file_bytes, written.segments[1].file_bytes);
    EXPECT_EQ(module.segments[1].memory_bytes, written.segments[1].memory_bytes);
    EXPECT_EQ(module.segments[1].flags, written.segments[1].flags);
  }
  ASSERT_EQ(profile.branches.size(), 2u);
  EXPECT_EQ(profile.branches[0].from, (Location{0, 0x402004}));
  EXPECT_EQ(profile.branches[0].to, (Location{1, 0x3000}));
  ASSERT_EQ(profile.ranges.size(), 1u);
  EXPECT_EQ(profile.ranges[0].module, 1u);
  EXPECT_EQ(profile.ranges[0].first, 0x3000u);
  EXPECT_EQ(profile.ranges[0].last, 0x3008u);
  ASSERT_EQ(profile.samples.size(), 1u);
  EXPECT_EQ(profile.samples[0].pc, (Location{0, 0x402000}));
}

TEST(ProfileWriter, KeepsWholeTraces) {
  const auto modules = test::MakeModules();
  AggregatorSizes sizes;
  sizes.trace_entries = kTraceLogEntries;
  TestAggregator aggregator(sizes);
  TestWriter writer(test::MakeInfo(1));
  test::RandomTraces random(*modules, 5000, 3);
  auto buffer = std::make_unique<TraceBuffer>();
  std::vector<std::pair<uint64_t, test::Trace>> expected;
  writer->WriteSessionStart();
  while (!aggregator->IsAboveThreshold()) {
    buffer->used = 0;
    for (uint32_t branches = 0;; branches = (branches + 61) % 1000) {
      test::Trace trace = random.Make(branches);
      const uint64_t sampled = random.Address();
      const AbortReason reason = expected.size() % 2 != 0 ? AbortReason::kTooOld : AbortReason::kNone;
      if (!AddTrace(buffer.get(), sampled, trace, reason, static_cast<uint32_t>(expected.size()))) break;
      expected.emplace_back(sampled, std::move(trace));
    }
    aggregator->AddBuffer(*buffer);
  }
  writer->WriteCounts(&*aggregator, *modules, SessionCounters{});
  writer->WriteEnd(*aggregator, SessionCounters{});
  const Profile profile = MustRead(writer.sink.bytes);
  ASSERT_EQ(profile.traces.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const toolchain::Trace& trace = profile.traces[i];
    EXPECT_EQ(trace.thread, i);
    EXPECT_EQ(trace.reason, i % 2 != 0 ? AbortReason::kTooOld : AbortReason::kNone);
    EXPECT_EQ(NameOf(profile, trace.sampled_pc), NameOf(*modules, expected[i].first));
    ASSERT_EQ(trace.branches.size(), expected[i].second.size());
    for (size_t k = 0; k < trace.branches.size(); ++k) {
      ASSERT_EQ(NameOf(profile, trace.branches[k].first), NameOf(*modules, expected[i].second[k].from));
      ASSERT_EQ(NameOf(profile, trace.branches[k].second), NameOf(*modules, expected[i].second[k].to));
    }
  }
}

TEST(ProfileWriter, CountsFramesThatTheSinkRefuses) {
  const auto modules = test::MakeModules();
  TestAggregator aggregator;
  TestWriter writer(test::MakeInfo(1));
  writer->WriteSessionStart();
  auto buffer = std::make_unique<TraceBuffer>();
  AddTrace(buffer.get(), 0x402000, {{0x402004, 0x402000}});
  aggregator->AddBuffer(*buffer);
  writer.sink.result = -1;
  writer->WriteCounts(&*aggregator, *modules, SessionCounters{});
  EXPECT_TRUE(aggregator->IsEmpty());
  EXPECT_EQ(writer->losses().sink_failed, 1u);
  writer.sink.result = 0;
  writer->WriteEnd(*aggregator, SessionCounters{});
  const Profile profile = MustRead(writer.sink.bytes);
  EXPECT_EQ(profile.counters.lost[static_cast<int>(LossReason::kSinkFailed)], 1u);
  EXPECT_EQ(profile.missing_frames, 1u);
  EXPECT_TRUE(profile.branches.empty());
}

TEST(ProfileWriter, WritesNothingForEmptyCounts) {
  const auto modules = test::MakeModules();
  TestAggregator aggregator;
  TestWriter writer(test::MakeInfo(1));
  writer->WriteCounts(&*aggregator, *modules, SessionCounters{});
  EXPECT_TRUE(writer.sink.bytes.empty());
}

TEST(ProfileWriter, TotalsIncludeLossesByReason) {
  auto modules = test::MakeModules();
  modules->dropped = 3;
  AggregatorSizes sizes;
  sizes.branch_slots = 64;
  TestAggregator aggregator(sizes);
  TestWriter writer(test::MakeInfo(1));
  auto buffer = std::make_unique<TraceBuffer>();
  AddTrace(buffer.get(), 0x402000, {{0x10, 0x20}, {0x20, 0x40}});                  // unmapped twice
  AddTrace(buffer.get(), 0x402000, {{0x402000, 0x402010}, {0x402000, 0x402000}});  // backwards once
  for (uint64_t i = 0; i < 100; ++i) AddTrace(buffer.get(), 0x402000, {{0x403000 + i, 0x402000}});
  aggregator->AddBuffer(*buffer);
  writer->WriteCounts(&*aggregator, *modules, SessionCounters{});
  writer->WriteEnd(*aggregator, SessionCounters{});
  const SessionCounters read = MustRead(writer.sink.bytes).counters;
  EXPECT_EQ(read.lost[static_cast<int>(LossReason::kUnmapped)], 2u);
  EXPECT_EQ(read.lost[static_cast<int>(LossReason::kImplausibleRange)], 1u);
  EXPECT_EQ(read.lost[static_cast<int>(LossReason::kTableFull)], 40u);  // 104 distinct, 64 slots
  EXPECT_EQ(read.lost[static_cast<int>(LossReason::kModuleTableFull)], 3u);
  EXPECT_EQ(read.lost[static_cast<int>(LossReason::kSinkFailed)], 0u);
}

TEST(ProfileWriter, InitRefusesTooLittleMemory) {
  std::vector<uint64_t> memory(ProfileWriter::WorkspaceBytes() / 8 + 1);
  ProfileWriter writer;
  EXPECT_EQ(writer.Init(memory.data(), ProfileWriter::WorkspaceBytes() - 1, test::Sink::Take, nullptr, {}),
            Status::kNotEnoughMemory);
}

TEST(ProfileWriter, ReloadedModuleStaysOneModule) {
  auto modules = test::MakeModules();
  TestAggregator aggregator;
  TestWriter writer(test::MakeInfo(1));
  auto buffer = std::make_unique<TraceBuffer>();
  writer->WriteSessionStart();
  for (int load = 0; load < 2; ++load) {
    const uint64_t pc = modules->modules[1].bias + 0x2000;
    buffer->used = 0;
    AddTrace(buffer.get(), pc, {{pc, pc + 0x100}});
    aggregator->AddBuffer(*buffer);
    writer->WriteCounts(&*aggregator, *modules, SessionCounters{});
    modules->modules[1].begin += 0x1000000;
    modules->modules[1].bias += 0x1000000;
    modules->modules[1].end += 0x1000000;
  }
  writer->WriteEnd(*aggregator, SessionCounters{});
  const Profile profile = MustRead(writer.sink.bytes);
  EXPECT_EQ(profile.modules.size(), 1u);
  ASSERT_EQ(profile.branches.size(), 1u);
  EXPECT_EQ(profile.branches[0].count, 2u);
}

// Labels are those at the end; a part of the file has those that were set when it was written.
TEST(ProfileLabels, LastOnesOfASessionCount) {
  LabelStore labels{};
  const auto modules = test::MakeModules();
  TestWriter writer(test::MakeInfo(1), &labels);
  TestAggregator aggregator;
  const auto flush = [&] {
    auto buffer = std::make_unique<TraceBuffer>();
    ASSERT_TRUE(AddTrace(buffer.get(), 0x401800, {{0x401800, 0x401900}}));
    aggregator->AddBuffer(*buffer);
    writer->WriteCounts(&*aggregator, *modules, {});
  };
  const auto set = [&labels](const char* key, const char* value) { ASSERT_EQ(labels.Set(key, value), Status::kOk); };
  const auto read = [&writer] { return MustRead(writer.sink.bytes).sessions.at(0).labels; };
  writer->WriteSessionStart();
  EXPECT_TRUE(read().empty());
  set("arm", "A");
  set("app_version", "1.2.3 (beta)");
  flush();
  EXPECT_EQ(read(), (toolchain::Labels{{"app_version", "1.2.3 (beta)"}, {"arm", "A"}}));
  set("arm", "B");
  set("app_version", nullptr);
  flush();
  EXPECT_EQ(read(), (toolchain::Labels{{"arm", "B"}}));
  set("arm", "C");
  writer->WriteEnd(*aggregator, {});
  EXPECT_EQ(read(), (toolchain::Labels{{"arm", "C"}})) << "set after the last flush";
}

TEST(ProfileLabels, AllCanBeRemoved) {
  LabelStore labels{};
  TestWriter writer(test::MakeInfo(1), &labels);
  TestAggregator aggregator;
  ASSERT_EQ(labels.Set("arm", "A"), Status::kOk);
  writer->WriteSessionStart();
  EXPECT_EQ(MustRead(writer.sink.bytes).sessions.at(0).labels.size(), 1u);
  ASSERT_EQ(labels.Set("arm", nullptr), Status::kOk);
  writer->WriteEnd(*aggregator, {});
  EXPECT_TRUE(MustRead(writer.sink.bytes).sessions.at(0).labels.empty());
}

}  // namespace
}  // namespace softlbr

// Compares recordings made in a guest with the path that QEMU itself followed in the same execution.
//
// Use: softlbr_guest_truth_test FOLDER LOG [GoogleTest's options]     after record_truth.sh, on the host
// FOLDER/runs: one line for each recording, in order: NAME KIND EVENT BRANCHES TRACES PROGRAM. For each: NAME.slbr,
// NAME.maps, NAME.code.
// LOG: by path_plugin.cc.
// Every trace must be contiguous in the path; the runtime's own code and the vdso are included. KIND `shares:0.99`: the
// recorded shares of the branches of the program's own module must overlap with the true ones by at least 0.99.
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <sstream>

#include "tests/guest/path_log.h"
#include "tests/truth/path_shares.h"
#include "tests/truth/recording.h"
#include "toolchain/base/names.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::guest {
namespace {

using namespace softlbr::truth;

// In the emulator time is instructions. The difference that remains is chance, most of it where phases differ.
constexpr double kUnexplained = 0.05;

struct RunLine {
  std::string name, kind, event;
  uint32_t branches = 0;
  uint64_t wanted_traces = 0;
  std::string program;
};

std::string g_folder;
std::vector<RunLine> g_runs;
PathLog* g_log;

std::string TextOf(const std::string& file_name) {
  std::ifstream file(file_name, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

// Modules as the profile describes them: the files themselves are in the guest.
TruthImage ImageFrom(const toolchain::Profile& profile, const std::string& path) {
  TruthImage image;
  for (const toolchain::ProfileModule& module : profile.modules) {
    if (BaseName(module.name) != BaseName(path)) continue;
    image.build_id = module.build_id;
    for (const toolchain::Segment& segment : module.segments) {
      if ((segment.flags & 1) != 0) image.segments.push_back({segment.file_offset, segment.file_bytes, segment.vaddr});
    }
  }
  return image;
}

PathWindow WholePath(const TruePath& path) {
  PathWindow window;
  for (size_t i = 0; i < path.chunks.size(); ++i) {
    window.branches.insert(window.branches.end(), path.chunks[i].begin(), path.chunks[i].end());
    window.steps.insert(window.steps.end(), path.run_steps[i].begin(), path.run_steps[i].end());
  }
  return window;
}

void ExpectShares(const RunLine& run, const TruePath& path, const TraceReport& report, const BranchShares& all,
                  double least_overlap) {
  BranchShares recorded;
  for (const auto& [branch, count] : all) {
    const uint32_t module = branch.from.module;
    if (module < path.modules.modules().size() && path.modules.modules()[module].path == run.program)
      recorded[branch] = count;
  }
  const PathWindow window = WholePath(path);
  const BranchShares truth = TrueShares(path, window, run.program);
  const BranchShares ideal = IdealShares(path, window, run.program, nullptr, report.compared, run.branches);
  const double overlap = Overlap(truth, recorded);
  std::cout << "overlap " << overlap << " over " << truth.size()
            << " distinct branches; a recorder without a fault would reach " << Overlap(truth, ideal)
            << "; overlap with what that one shows " << Overlap(ideal, recorded) << "\n";
  EXPECT_GE(overlap, least_overlap);
  EXPECT_GE(overlap, Overlap(truth, ideal) - kUnexplained) << "worse than sampling by time explains";
}

class GuestTruth : public ::testing::Test {
 public:
  explicit GuestTruth(const RunLine& run) : run_(run) {}

  void TestBody() override {
    const std::string file = g_folder + "/" + run_.name;
    // Read the path even if this recording fails, so that the next recording meets its own path.
    toolchain::Profile profile;
    auto result = toolchain::ReadProfileFile(file + ".slbr");
    if (auto* read = std::get_if<toolchain::Profile>(&result)) profile = std::move(*read);
    TruePath path;
    std::ifstream maps(file + ".maps");
    path.modules.ReadMappings(maps, [&](const std::string& name, uint64_t) { return ImageFrom(profile, name); });
    const std::string log_error = g_log->Next(&path);
    if (const auto* error = std::get_if<toolchain::ReadError>(&result)) FAIL() << error->message;
    EXPECT_EQ(TextOf(file + ".code"), "0\n") << TextOf(file + ".err");
    ASSERT_EQ(log_error, "");
    ASSERT_FALSE(path.modules.modules().empty()) << "no mappings came back";
    EXPECT_EQ(path.kernel_moves, 0u);
    ASSERT_EQ(profile.sessions.size(), 1u);
    EXPECT_EQ(toolchain::EventName(profile.sessions[0].event), run_.event);

    TraceChecker checker(path, {});
    TraceReport report;
    BranchShares shares;
    report.runs = 1;
    const std::vector<RecordedTrace> traces = TracesOf(profile, path);
    checker.Expect(traces);
    for (const RecordedTrace& trace : traces) {
      const uint64_t compared = report.compared;
      checker.Check(trace, &report);
      if (report.compared == compared) continue;
      for (const TakenBranch& branch : trace.branches) ++shares[branch];
    }
    std::cout << run_.name << ": truth of " << path.steps << " instructions, " << path.TakenCount()
              << " taken branches, " << path.branches.size() << " distinct, " << path.signals << " handlers; "
              << report.Summary() << "; " << profile.counters.breakpoint_hits << " hits\n";
    EXPECT_GE(report.compared, run_.wanted_traces);
    EXPECT_EQ(report.Failed(), 0u) << report.Summary();
    for (const std::string& failure : report.failures) ADD_FAILURE() << failure;
    EXPECT_EQ(report.unmapped, 0u);
    if (run_.kind.starts_with("shares:")) ExpectShares(run_, path, report, shares, std::stod(run_.kind.substr(7)));
  }

 private:
  const RunLine run_;
};

// The log must have one path for each recording: they are matched by order.
class GuestTruthLog : public ::testing::Test {
 public:
  void TestBody() override { ASSERT_EQ(g_log->PathCount(), g_runs.size()); }
};

}  // namespace
}  // namespace softlbr::guest

int main(int count, char** arguments) {
  using namespace softlbr::guest;
  ::testing::InitGoogleTest(&count, arguments);
  if (count != 3) {
    std::cerr << "usage: softlbr_guest_truth_test FOLDER LOG\n";
    return 2;
  }
  g_folder = arguments[1];
  PathLog log(arguments[2]);
  g_log = &log;
  std::ifstream runs(g_folder + "/runs");
  RunLine run;
  while (runs >> run.name >> run.kind >> run.event >> run.branches >> run.wanted_traces >> run.program)
    g_runs.push_back(run);
  ::testing::RegisterTest("GuestTruth", "HasAPathForEachRecording", nullptr, nullptr, __FILE__, __LINE__,
                          []() -> ::testing::Test* { return new GuestTruthLog; });
  for (const RunLine& each : g_runs) {
    ::testing::RegisterTest("GuestTruth", each.name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [each]() -> ::testing::Test* { return new GuestTruth(each); });
  }
  return RUN_ALL_TESTS();
}

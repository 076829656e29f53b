// Records code, stack and data at addresses that Linux gives only on request: above 48 bits on AArch64, above 47 on
// x86-64.
//
// The same shared object is recorded at ordinary addresses too: both profiles have the same link-time addresses, in the
// same shares.
#include "tests/hazards/hazard_run.h"
#include "tests/platform/breakpoint_hits.h"

namespace softlbr::hazards {
namespace {

// A fifth of a second of CPU time; in an emulated guest a tenth of the rounds takes as long.
std::string Rounds() { return IsSmall() ? "2000000" : "20000000"; }

class HighGround : public HazardRun {
 protected:
  static std::string Code() { return std::string(SOFTLBR_HAZARD_PROGRAMS) + "/hazard_high_code.so"; }
  static std::vector<std::string> Command(const std::string& where) {
    return {Program("high_ground"), where, Code(), Rounds()};
  }

  // Records into `profile` and expects: the program is undisturbed, nearly all branches are in the object, traces are
  // complete and as predicted.
  void Record(const std::string& where, const std::string& profile) {
    SCOPED_TRACE(where);
    profile_ = profile;
    ExpectUndisturbed(Command(where), {"--verify", "4"});
    const json stats = Stats();
    const auto samples = stats["samples"].get<uint64_t>();
    const auto branches = stats["taken_branches"].get<uint64_t>();
    uint64_t in_code = 0;
    for (const json& module : stats["modules"]) {
      if (module["name"].get<std::string>().ends_with("/hazard_high_code.so"))
        in_code += module["taken_branches"].get<uint64_t>();
    }
    RecordProperty(where + "_samples", std::to_string(samples));
    RecordProperty(where + "_branches", std::to_string(branches));
    RecordProperty(where + "_hits", std::to_string(stats["breakpoint_hits"].get<uint64_t>()));
    RecordProperty(where + "_verified", std::to_string(stats["verify_traces"].get<uint64_t>()));
    EXPECT_GT(samples, 20u);
    EXPECT_GE(stats["traces_complete"].get<uint64_t>() * 10, samples * 8);
    EXPECT_GE(in_code * 10, branches * 8) << stats.dump(1);
    if (platform::testing::HasBreakpointHits()) {
      EXPECT_GT(stats["verify_traces"].get<uint64_t>(), samples / 16);
    }
    EXPECT_EQ(stats["verify_mismatches"], 0);
    // Every value is known, so only verification needs breakpoints.
    EXPECT_LE(stats["breakpoint_hits"].get<uint64_t>(), stats["verify_hits"].get<uint64_t>() + samples / 4);
  }
};

TEST_F(HighGround, ObjectLoadedByHandIsRecordedByItsLinkTimeAddresses) { Record("low", folder_ / "low.slbr"); }

TEST_F(HighGround, HighAddressesAreRecordedLikeLowOnes) {
  const CommandResult plain = testing::RunCommand(Command("high"));
  if (plain.exit_code == 77) {
    GTEST_SKIP()
        << "missing: addresses beyond those that mmap gives by default (52 bits, on x86-64 page tables of five levels)";
  }
  const std::string low = folder_ / "low.slbr";
  const std::string high = folder_ / "high.slbr";
  Record("low", low);
  Record("high", high);
  const CommandResult diff = testing::RunSoftlbr({"diff", low, high, "--json"});
  ASSERT_EQ(diff.exit_code, 0) << diff.err;
  const auto overlap = json::parse(diff.out)["overlap"].get<double>();
  RecordProperty("overlap", std::to_string(overlap));
  EXPECT_GT(overlap, 0.9) << diff.out;
}

}  // namespace
}  // namespace softlbr::hazards

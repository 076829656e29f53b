// Records a program that unloads libraries: no branch is attributed to a library that was not there.
#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

class UnloadingRecord : public HazardRun {
 protected:
  UnloadingRecord() { period_ns_ = 1000003; }
  static std::string Library(const std::string& name) {
    return std::string(SOFTLBR_HAZARD_PROGRAMS) + "/hazard_" + name;
  }
};

// The modules are read seldom, so most readings find the library that the reading before has found.
TEST_F(UnloadingRecord, BranchesOfOneLibraryAreNotGivenToAnotherInItsPlace) {
  ExpectUndisturbed({Program("alternating_libraries"), Library("idle_library.so"), Library("busy_library.so"), "40"},
                    {"--paths"});
  EXPECT_GT(Stats()["samples"], 100);
  const CommandResult report = testing::RunSoftlbr({"report", profile_, "--json", "--top", "1000"});
  ASSERT_EQ(report.exit_code, 0) << report.err;
  const json functions = json::parse(report.out)["functions"];
  EXPECT_GT(functions.size(), 2);
  for (const json& each : functions) {
    if (each["name"] == "mix") {
      EXPECT_EQ(each["module"], Library("busy_library.so"));
    }
  }
}

// Whatever stands in its place must be lifted anew: another library could be there, and gone, before the modules are
// read.
TEST_F(UnloadingRecord, LiftedCodeIsForgottenAtDlclose) {
  period_ns_ = 200003;
  const auto lifted = [this](const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {Program("reopens_library"), "400"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    ExpectUndisturbed(command);
    const json stats = Stats();
    EXPECT_GT(stats["samples"], 100);
    RecordProperty(arguments.empty() ? "open" : "closed", stats["instructions_lifted"].dump());
    return stats["instructions_lifted"].get<uint64_t>();
  };
  const uint64_t open = lifted({});
  EXPECT_GT(lifted({"closes"}), 3 * open);
}

TEST_F(UnloadingRecord, GeneratedCodeInThePlaceOfALibraryIsFollowedAsItIs) {
  period_ns_ = 100003;
  ExpectUndisturbed({Program("reuses_place"), Library("busy_library.so"), "6"}, {"--paths"});
  EXPECT_GT(Stats()["samples"], 500);
  const CommandResult report = testing::RunSoftlbr({"report", profile_, "--json", "--top", "10000"});
  ASSERT_EQ(report.exit_code, 0) << report.err;
  EXPECT_NE(report.out.find("\"mix\""), std::string::npos);
  EXPECT_EQ(report.out.find("never_called"), std::string::npos);
}

}  // namespace
}  // namespace softlbr::hazards

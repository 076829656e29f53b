// The instructions of each process, from the files that `softlbr record -o FOLDER/` writes.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/toolchain/commands/printed_remedy.h"
#include "tests/toolchain/record/record_remedies.h"

namespace softlbr::toolchain {
namespace {

using nlohmann::json;
using testing::CommandResult;
using testing::RunSoftlbr;
using testing::Words;
using testing::WordsBehind;

class ProcessCounts : public testing::RecordRemedies {
 protected:
  // The programs `app` and `other` are one source: `other` does four times as much.
  void SetUp() override {
    RecordRemedies::SetUp();
    if (IsSkipped()) return;
    ASSERT_TRUE(Build("gcc", {"-Wl,--build-id"}));
    std::filesystem::copy(program_, folder_ / "other");
  }
  CommandResult RecordBoth(const Words& options) {
    return Record({"sh", "-c", program_ + " 60; " + (folder_ / "other") + " 240"}, options);
  }
  // Instructions by the first value of each row.
  std::map<std::string, uint64_t> Sums(const CommandResult& mixed, const std::string& key) {
    std::map<std::string, uint64_t> sums;
    if (mixed.exit_code != 0) {
      ADD_FAILURE() << mixed.err;
      return sums;
    }
    const json mix = json::parse(mixed.out);
    for (const json& row : mix["tables"][0]["rows"]) {
      const std::string value = row[key];
      sums[value.substr(0, value.find('['))] += row["instructions"].get<uint64_t>();
    }
    return sums;
  }
};

TEST_F(ProcessCounts, AreToldByTheFilesOfAFolder) {
  // One file has the sums of both; the message says how they are told apart.
  ASSERT_EQ(RecordBoth({"-F", "2000"}).exit_code, 0);
  const CommandResult sums = RunSoftlbr({"mix", "--by", "process", "--json", profile_});
  EXPECT_EQ(sums.exit_code, 1) << sums.out;
  const Words advised = WordsBehind(sums.err, "record with ");
  ASSERT_EQ(advised, (Words{"-o", "FOLDER/"})) << sums.err;
  profile_ = folder_ / "processes/";
  const CommandResult recorded = RecordBoth({"-F", "2000", "--traces"});
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  const CommandResult mixed = RunSoftlbr({"mix", "--by", "process", "--json", "--top", "1000", profile_});
  const std::map<std::string, uint64_t> processes = Sums(mixed, "process");
  ASSERT_TRUE(processes.contains("app") && processes.contains("other")) << mixed.out;
  const double ratio = static_cast<double>(processes.at("other")) / static_cast<double>(processes.at("app"));
  EXPECT_GT(ratio, 2) << mixed.out;
  EXPECT_LT(ratio, 8) << mixed.out;
  // The parts add up, and so do those of the dimensions beside it.
  uint64_t all = 0;
  for (const auto& [process, instructions] : processes) all += instructions;
  EXPECT_EQ(all, json::parse(mixed.out)["executed_instructions"].get<uint64_t>());
  const CommandResult pivot =
      RunSoftlbr({"mix", "--by", "process,function,thread", "--json", "--top", "100000", profile_});
  EXPECT_EQ(Sums(pivot, "process"), processes);
  // report gives the same table.
  const CommandResult report = RunSoftlbr({"report", "--by", "process", "--json", "--top", "1000", profile_});
  EXPECT_EQ(report.out, mixed.out) << report.err;
  // Options of its own tables are refused rather than ignored, and what is advised works.
  for (const Words& other : {Words{"--sort", "time"}, {"--min", "1"}, {"--module", "app"}, {"--function", "run"}}) {
    const CommandResult refused = RunSoftlbr({"report", "--by", "process", other[0], other[1], profile_});
    EXPECT_EQ(refused.exit_code, 2) << other[0];
    const Words words = WordsBehind(refused.err, "it can divide by ");
    ASSERT_EQ(words.size(), 1u) << refused.err;
    EXPECT_EQ(RunSoftlbr({"report", "--by", "process," + words[0], profile_}).exit_code, 0);
  }
}

}  // namespace
}  // namespace softlbr::toolchain

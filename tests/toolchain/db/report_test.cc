// Every question of the report on a small made-up database. SOFTLBR_REBASE=1 rewrites the golden files; review the
// diff.
#include <set>

#include "tests/toolchain/db/engine_fixture.h"
#include "tests/toolchain/db/made_up_rows.h"
#include "toolchain/base/failure.h"
#include "toolchain/db/charts/report_charts.h"
#include "toolchain/db/charts/reports.h"
#include "toolchain/db/store/schema.h"

namespace softlbr::toolchain {
namespace {

class DbReport : public testing::EngineTest {
 protected:
  void SetUp() override {
    EngineTest::SetUp();
    if (IsSkipped()) return;
    const Database database(database_, OpenMode::kCreates);
    const Connection connection(database);
    PrepareSchema(connection);
    testing::MakeUpRows(connection);
  }
};

TEST_F(DbReport, EveryPartIsAsExpected) {
  std::set<std::string> titles;
  for (const ReportQuery& query : ReportQueries()) {
    SCOPED_TRACE(query.name);
    std::string csv;
    ASSERT_EQ(Run("report", {query.name}, &csv), 0);
    const std::string path = std::string(SOFTLBR_DB_GOLDEN_FOLDER) + "/" + query.name + ".csv";
    if (std::getenv("SOFTLBR_REBASE") != nullptr) testing::WriteFile(path, csv);
    EXPECT_EQ(csv, testing::ReadFile(path));
    EXPECT_GT(std::count(csv.begin(), csv.end(), '\n'), 1) << "no row";
    EXPECT_TRUE(titles.insert(TitleOf(query)).second);
  }
}

TEST_F(DbReport, EveryPictureShowsWhatIsExpected) {
  const std::string charts = Charts();
  const std::string path = std::string(SOFTLBR_DB_GOLDEN_FOLDER) + "/charts.txt";
  if (std::getenv("SOFTLBR_REBASE") != nullptr) testing::WriteFile(path, charts);
  EXPECT_EQ(charts, testing::ReadFile(path));
}

TEST_F(DbReport, EveryPictureIsDrawn) {
  if (std::system("command -v gnuplot > /dev/null") != 0) GTEST_SKIP() << "missing: gnuplot (gnuplot-nox)";
  std::istringstream charts(Charts());
  std::string svg;
  for (std::string line; std::getline(charts, line);) {
    SCOPED_TRACE(line);
    if (line.starts_with("== ")) svg = Draw(line.substr(3));
    EXPECT_NE(svg.find("</svg>\n"), std::string::npos);
    if (line.starts_with("title\t")) {
      EXPECT_NE(svg.find("<text>" + line.substr(6) + "</text>"), std::string::npos) << svg;
    }
  }
}

TEST_F(DbReport, APictureThatCannotBeDrawnIsOneLine) {
  testing::WriteFile(folder_ / "failing.sh", "echo no drawer here >&2; exit 1\n");
  try {
    Draw("loops", folder_ / "failing.sh");
    FAIL() << "it was drawn";
  } catch (const StatedFailure& failure) {
    EXPECT_STREQ(failure.what(), "db report: no drawer here");
  }
  std::string csv;
  EXPECT_EQ(Run("report", {"loops"}, &csv), 0) << "the table needs no drawer";
}

TEST_F(DbReport, APictureIsOfOnePartThatHasOne) {
  DbOptions options;
  options.action = "report";
  options.svg = true;
  std::ostringstream out;
  for (const std::vector<std::string>& parts :
       {std::vector<std::string>{}, {"explained"}, {"working_set", "functions"}}) {
    options.arguments = {database_};
    options.arguments.insert(options.arguments.end(), parts.begin(), parts.end());
    EXPECT_THROW(RunDb(options, out), UsageFailure);
  }
  options.action = "query";
  options.arguments = {database_, "SELECT 1"};
  EXPECT_THROW(RunDb(options, out), UsageFailure);
  EXPECT_EQ(out.str(), "");
}

TEST_F(DbReport, TheWholeReportHasEveryTitle) {
  std::string text;
  ASSERT_EQ(Run("report", {}, &text), 0);
  for (const ReportQuery& query : ReportQueries())
    EXPECT_NE(text.find(TitleOf(query) + "\n"), std::string::npos) << query.name;
  EXPECT_NE(text.find("a,b\\x0a'c'"), std::string::npos) << "a line feed in a name stays in its line";
}

}  // namespace
}  // namespace softlbr::toolchain

// What tests of the database share: the engine of the build folder, and databases in temporary files.
//
// Without the engine (toolchain/scripts/setup.sh fetches it into build/duckdb) a test that needs it is skipped by name.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_DB_ENGINE_FIXTURE_H_
#define SOFTLBR_TESTS_TOOLCHAIN_DB_ENGINE_FIXTURE_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string>

#include "tests/toolchain/commands/run_command.h"
#include "toolchain/commands/commands.h"
#include "toolchain/db/charts/report_charts.h"

namespace softlbr::testing {

class EngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("SOFTLBR_DUCKDB") == nullptr) setenv("SOFTLBR_DUCKDB", SOFTLBR_ENGINE_FILE, 1);
    if (access(std::getenv("SOFTLBR_DUCKDB"), R_OK) != 0)
      GTEST_SKIP() << "missing: libduckdb.so (toolchain/scripts/fetch_duckdb.sh)";
  }

  // Runs `softlbr db`, in this process.
  int Run(const std::string& action, const std::vector<std::string>& arguments, std::string* out = nullptr,
          const std::vector<std::string>& binaries = {}) {
    toolchain::DbOptions options;
    options.action = action;
    options.arguments = {database_};
    options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
    options.binaries = binaries;
    options.csv = action == "query" || (action == "report" && arguments.size() == 1);
    std::ostringstream text;
    const int code = toolchain::RunDb(options, text);
    if (out != nullptr) *out = text.str();
    return code;
  }

  // `softlbr db report --svg` of a part.
  std::string Draw(const std::string& part, const std::string& drawer = "") {
    toolchain::DbOptions options;
    options.action = "report";
    options.arguments = {database_, part};
    options.svg = true;
    options.drawer = drawer;
    std::ostringstream picture;
    EXPECT_EQ(toolchain::RunDb(options, picture), 0);
    return picture.str();
  }

  // What the pictures of all parts show, as the drawer gets it: the same whatever draws.
  std::string Charts() {
    WriteFile(folder_ / "cat.sh", "cat\n");
    std::string charts;
    for (const std::string& part : toolchain::PartsWithChart())
      charts += "== " + part + "\n" + Draw(part, folder_ / "cat.sh");
    return charts;
  }

  // The answer as CSV, without the line of titles.
  std::string Ask(const std::string& sql) {
    std::string csv;
    EXPECT_EQ(Run("query", {sql}, &csv), 0);
    return csv.substr(csv.find("\r\n") + 2);
  }

  TemporaryFolder folder_;
  std::string database_ = folder_ / "x.db";
};

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_TOOLCHAIN_DB_ENGINE_FIXTURE_H_

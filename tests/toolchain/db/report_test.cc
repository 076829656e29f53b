// Every question of the report on a small made-up database. SOFTLBR_REBASE=1 rewrites the golden files; review the diff.
#include <set>

#include "tests/toolchain/db/engine_fixture.h"
#include "toolchain/db/report_charts.h"
#include "toolchain/db/reports.h"
#include "toolchain/db/schema.h"
#include "toolchain/db/table_writer.h"
#include "toolchain/host/failure.h"

namespace softlbr::toolchain {
namespace {

// Two modules with functions of known heat; the rows follow no real code.
void MakeUpRows(const Connection& connection) {
  const auto writer_of = [&](const char* table) { return std::make_unique<TableWriter>(connection, table, ColumnsOf(table)); };
  const auto text = [](const char* value) { return std::string_view(value); };
  auto modules = writer_of("module");
  for (const auto& [id, name, is_main] : {std::tuple(1u, "prog \"one\"", true), std::tuple(2u, "libc.so.6", false)}) {
    modules->Put(id).Put(text(name)).Put(text(id == 1 ? "aa" : "bb")).Put(uint16_t{62}).Put(uint16_t{3}).Put(is_main);
    modules->Put(text("")).Put(text("")).PutNull().Put(false).Put(uint64_t{id - 1}).EndRow();
  }
  modules->Close();
  auto opcodes = writer_of("opcode");
  const char* kinds[][3] = {{"mov", "base", "none"},          {"je", "base", "conditional"},    {"call", "base", "call"},
                            {"ret", "base", "return"},        {"jmp", "base", "indirect_jump"}, {"vaddpd", "avx", "none"},
                            {"call", "base", "indirect_call"}};
  for (uint32_t i = 0; i < 7; ++i) {
    opcodes->Put(i + 1).Put(text(kinds[i][0])).Put(text(kinds[i][1])).Put(text(i == 5 ? "packed 256" : "none")).Put(text("none"));
    opcodes->Put(text("reg,mem")).Put(text(kinds[i][2])).EndRow();
  }
  opcodes->Close();
  auto functions = writer_of("function");
  auto instructions = writer_of("instruction");
  auto blocks = writer_of("block");
  auto loops = writer_of("loop");
  const char* names[] = {"main", "a,b\n'c'", "memcpy", "__memcmp_avx2", "cold"};
  for (uint32_t f = 0; f < 5; ++f) {
    const uint32_t module = f < 2 ? 1 : 2;
    const uint64_t start = 0x1000u * (f + 1);
    const uint64_t rows = 16u << f;
    functions->Put(f + 1).Put(module).Put(text(names[f])).Put(start).Put(rows * 4 + 64).Put(false).EndRow();
    blocks->Put(f + 1).Put(module).Put(f + 1).Put(start).Put(rows * 4).Put(static_cast<uint32_t>(rows)).Put(uint64_t{1000} >> f);
    blocks->Put(uint64_t{f}).Put(text("return"));
    if (f % 2 == 0) {
      blocks->Put(f + 1).Put(1u).PutNull().PutNull().EndRow();
      loops->Put(f + 1).Put(module).Put(f + 1).Put(f + 1).PutNull().Put(1u).Put(f != 2).EndRow();
    } else {
      blocks->PutNull().Put(0u).PutNull().PutNull().EndRow();
    }
    for (uint64_t i = 0; i < rows; ++i) {
      const uint64_t count = f == 4 ? 1 : (1'000'000u >> (2 * f)) / (i / 8 * i / 8 + 1) + 1;  // hot at the start
      instructions->Put(module).Put(start + 4 * i).Put(uint8_t{4}).Put(static_cast<uint32_t>(i % 7 + 1)).Put(f + 1).Put(f + 1);
      instructions->Put(f % 2 == 0 ? 1u : 0u).Put(count).Put(count / 1000).Put(uint8_t{4}).PutNull().PutNull().EndRow();
    }
  }
  functions->Close();
  instructions->Close();
  blocks->Close();
  loops->Close();
  auto edges = writer_of("edge");
  const auto edge = [&](uint32_t from_module, uint64_t from, uint32_t to_module, uint64_t to, const char* kind, uint64_t count,
                        const char* explained) {
    edges->Put(from_module).Put(from).Put(to_module).Put(to).Put(text(kind)).Put(count).Put(text(explained)).EndRow();
  };
  edge(1, 0x1004, 1, 0x1000, "conditional", 900, "yes");
  edge(1, 0x1004, 1, 0x1040, "conditional", 100, "yes");
  edge(1, 0x1008, 1, 0x2000, "call", 50, "yes");
  edge(1, 0x1018, 2, 0x3000, "indirect_call", 40, "yes");
  edge(1, 0x1034, 2, 0x3000, "indirect_call", 30, "yes");
  edge(1, 0x1034, 2, 0x4000, "indirect_call", 20, "no_target");
  for (uint64_t i = 0; i < 5; ++i) edge(2, 0x3010, 2, 0x3020 + 16 * i, "indirect_jump", 10 + i, "yes");
  edge(2, 0x300c, 1, 0x101c, "return", 60, "yes");
  edge(2, ~uint64_t{0} - 3, 2, 0, "return", 1, "no_code");
  edge(1, 0x1000, 1, 0x1004, "fallthrough", 5000, "yes");
  edges->Close();
}

class DbReport : public testing::EngineTest {
 protected:
  void SetUp() override {
    EngineTest::SetUp();
    if (IsSkipped()) return;
    const Database database(database_, OpenMode::kCreates);
    const Connection connection(database);
    PrepareSchema(connection);
    MakeUpRows(connection);
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

TEST_F(DbReport, EveryPictureIsAsExpected) {
  for (const std::string& part : PartsWithChart()) {
    SCOPED_TRACE(part);
    DbOptions options;
    options.action = "report";
    options.arguments = {database_, part};
    options.svg = true;
    std::ostringstream svg;
    ASSERT_EQ(RunDb(options, svg), 0);
    const std::string path = std::string(SOFTLBR_DB_GOLDEN_FOLDER) + "/" + part + ".svg";
    if (std::getenv("SOFTLBR_REBASE") != nullptr) testing::WriteFile(path, svg.str());
    EXPECT_EQ(svg.str(), testing::ReadFile(path));
  }
}

TEST_F(DbReport, APictureIsOfOnePartThatHasOne) {
  DbOptions options;
  options.action = "report";
  options.svg = true;
  std::ostringstream out;
  for (const std::vector<std::string>& parts : {std::vector<std::string>{}, {"explained"}, {"working_set", "functions"}}) {
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
  for (const ReportQuery& query : ReportQueries()) EXPECT_NE(text.find(TitleOf(query) + "\n"), std::string::npos) << query.name;
  EXPECT_NE(text.find("a,b\\x0a'c'"), std::string::npos) << "a line feed in a name stays in its line";
}

}  // namespace
}  // namespace softlbr::toolchain

// The engine: values of every type, hostile texts, transactions, and what a database opened for reading refuses.
#include "toolchain/db/store/database.h"

#include <algorithm>
#include <filesystem>

#include "tests/toolchain/db/engine_fixture.h"
#include "toolchain/base/failure.h"
#include "toolchain/db/store/schema.h"
#include "toolchain/db/store/table_writer.h"

namespace softlbr::toolchain {
namespace {

using testing::RunSoftlbr;

class DbEngine : public testing::EngineTest {
 protected:
  void SetUp() override {
    EngineTest::SetUp();
    if (!IsSkipped()) Database(database_, OpenMode::kCreates);
  }
};

TEST_F(DbEngine, PrintsValuesOfEveryTypeItKnows) {
  EXPECT_EQ(Ask("SELECT true, -1::TINYINT, -2::SMALLINT, -3, -4::BIGINT, 255::UTINYINT, 18446744073709551615::UBIGINT"),
            "true,-1,-2,-3,-4,255,18446744073709551615\r\n");
  EXPECT_EQ(Ask("SELECT '-170141183460469231731687303715884105728'::HUGEINT, "
                "'340282366920938463463374607431768211455'::UHUGEINT"),
            "-170141183460469231731687303715884105728,340282366920938463463374607431768211455\r\n");
  EXPECT_EQ(
      Ask("SELECT 0.25::DOUBLE, -0.05::DECIMAL(4,2), 12.5::DECIMAL(30,1), NULL, NULL::INTEGER, '', 'nan'::DOUBLE"),
      "0.25,-0.05,12.5,,,\"\",null\r\n");
  std::string text;
  EXPECT_THROW(Run("query", {"SELECT DATE '2020-01-01'"}, &text), StatedFailure);
  EXPECT_EQ(Ask("SELECT CAST(DATE '2020-01-01' AS VARCHAR)"), "2020-01-01\r\n");
  EXPECT_THROW(Run("query", {"SELECT 1; SELECT 2"}, &text), StatedFailure);
}

TEST_F(DbEngine, JsonKeepsNumbersAndTexts) {
  DbOptions options;
  options.action = "query";
  options.arguments = {
      database_, "SELECT 'a\"b' || chr(10) AS t, 18446744073709551615::UBIGINT AS n, NULL AS z, 0.5::DOUBLE AS d"};
  options.json = true;
  std::ostringstream out;
  ASSERT_EQ(RunDb(options, out), 0);
  EXPECT_EQ(out.str(), "[\n  {\"t\": \"a\\\"b\\n\", \"n\": 18446744073709551615, \"z\": null, \"d\": 0.5}\n]\n");
}

// As names of functions and modules: they stay values.
TEST_F(DbEngine, HostileTextsAreValues) {
  const std::vector<std::string> texts = {"'; DROP TABLE t; --",
                                          "\"quoted\"",
                                          "line\nfeed\r\n",
                                          std::string(4096, 'x'),
                                          "a\\b",
                                          "$1 ? :x",
                                          "\xff\xfe",
                                          std::string("nul\0nul", 7),
                                          "tab\t\x1b[31m",
                                          "",
                                          "\xe2\x80\xae"};
  const std::string file = folder_ / "texts.db";
  {
    const Database database(file, OpenMode::kCreates);
    const Connection connection(database);
    connection.Run("CREATE TABLE t (n UBIGINT, text VARCHAR)");
    TableWriter writer(connection, "t", {DuckType::kUbigint, DuckType::kVarchar});
    for (size_t i = 0; i < texts.size(); ++i) writer.Put(uint64_t{i}).Put(std::string_view(texts[i])).EndRow();
    writer.Close();
    Statement find(connection, "SELECT n FROM t WHERE text = $1");
    for (size_t i = 0; i < texts.size(); ++i) {
      const std::string valid = Utf8Text(texts[i]);
      Rows rows = find.Bind(std::string_view(valid)).Execute();
      ASSERT_TRUE(rows.Next()) << i;
      EXPECT_EQ(rows.Count(0), i);
    }
    Rows rows = connection.Query("SELECT text FROM t ORDER BY n");
    for (const std::string& text : texts) {
      ASSERT_TRUE(rows.Next());
      EXPECT_EQ(rows.Text(0), Utf8Text(text));
    }
  }
  EXPECT_EQ(Utf8Text("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(Utf8Text(std::string("nul\0nul", 7)), "nul\\x00nul");
  EXPECT_EQ(Utf8Text("\xc3\xa9 \xed\xa0\x80 \xf4\x90\x80\x80 \xc0\x80"),
            "\xc3\xa9 \\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80 \\xc0\\x80");
  database_ = file;
  EXPECT_EQ(Ask("SELECT text FROM t WHERE n = 8"), "tab\\x09\\x1b[31m\r\n")
      << "no control character reaches the terminal";
}

TEST_F(DbEngine, ManyRowsAndNullsComeBack) {
  constexpr uint64_t kRows = 5000;  // more than two chunks
  const Database database(folder_ / "rows.db", OpenMode::kCreates);
  const Connection connection(database);
  connection.Run("CREATE TABLE t (n UBIGINT, d BIGINT)");
  TableWriter writer(connection, "t", {DuckType::kUbigint, DuckType::kBigint});
  for (uint64_t i = 0; i < kRows; ++i) {
    writer.Put(i);
    if (i % 3 == 0) {
      writer.PutNull().EndRow();
    } else {
      writer.Put(-static_cast<int64_t>(i)).EndRow();
    }
  }
  writer.Close();
  Rows rows = connection.Query("SELECT n, d FROM t ORDER BY n");
  for (uint64_t i = 0; i < kRows; ++i) {
    ASSERT_TRUE(rows.Next());
    ASSERT_EQ(rows.Count(0), i);
    ASSERT_EQ(rows.IsNull(1), i % 3 == 0) << i;
    if (i % 3 != 0) {
      ASSERT_EQ(std::get<int64_t>(rows.Get(1)), -static_cast<int64_t>(i));
    }
  }
  EXPECT_FALSE(rows.Next());
}

TEST_F(DbEngine, EnumerationsAreTexts) {
  const Database database(folder_ / "enum.db", OpenMode::kCreates);
  const Connection connection(database);
  connection.Run("CREATE TYPE kind AS ENUM ('call', 'jump'); CREATE TABLE t (n UBIGINT, kind kind)");
  TableWriter writer(connection, "t", {DuckType::kUbigint, DuckType::kEnum});
  writer.Put(uint64_t{1}).Put(std::string_view("jump")).EndRow();
  writer.Put(uint64_t{2}).Put(std::string_view("call")).EndRow();
  writer.Put(uint64_t{3}).PutNull().EndRow();
  EXPECT_THROW(writer.Put(uint64_t{4}).Put(std::string_view("ret")), std::logic_error);
  writer.Put(std::string_view("call")).EndRow();
  writer.Close();
  Rows rows = connection.Query("SELECT kind FROM t ORDER BY n");
  for (const char* expected : {"jump", "call", "", "call"}) {
    ASSERT_TRUE(rows.Next());
    EXPECT_EQ(rows.Text(0), expected);
    EXPECT_EQ(rows.IsNull(0), std::string_view(expected).empty());
    EXPECT_EQ(std::holds_alternative<std::string>(rows.Get(0)), !rows.IsNull(0));
  }
  EXPECT_FALSE(rows.Next());
}

TEST_F(DbEngine, RollsBackWhatIsNotCommitted) {
  const Database database(folder_ / "t.db", OpenMode::kCreates);
  const Connection connection(database);
  connection.Run("CREATE TABLE t (n UBIGINT)");
  {
    Transaction transaction(connection);
    connection.Run("INSERT INTO t VALUES (1)");
    TableWriter writer(connection, "t", {DuckType::kUbigint});
    writer.Put(uint64_t{2}).EndRow();
    writer.Close();
  }
  Rows rows = connection.Query("SELECT count(*)::UBIGINT FROM t");
  ASSERT_TRUE(rows.Next());
  EXPECT_EQ(rows.Count(0), 0u);
}

TEST_F(DbEngine, AnOpenedDatabaseIsOnlyRead) {
  std::string text;
  for (const char* sql :
       {"CREATE TABLE t (n INTEGER)", "COPY (SELECT 1) TO '/tmp/softlbr-db-test.csv'", "FROM read_text('/etc/passwd')",
        "ATTACH '/tmp/softlbr-db-test.db'", "INSTALL httpfs", "SET enable_external_access = true"}) {
    EXPECT_THROW(Run("query", {sql}, &text), StatedFailure) << sql;
  }
  EXPECT_FALSE(std::filesystem::exists("/tmp/softlbr-db-test.csv"));
  EXPECT_THROW(Run("report", {}, &text), StatedFailure) << "it has no tables of ours";
}

TEST_F(DbEngine, OtherVersionsAreNamedWithTheRemedy) {
  const Database database(folder_ / "version.db", OpenMode::kCreates);
  const Connection connection(database);
  PrepareSchema(connection);
  for (const auto& [other, age, remedy] :
       {std::tuple(kSchemaVersion - 1, "older", "ingest the profiles into a new one"),
        std::tuple(kSchemaVersion + 1, "newer", "use that softlbr")}) {
    Statement(connection, "UPDATE softlbr_schema SET version = $1").Bind(other).Execute();
    try {
      CheckSchema(connection);
      ADD_FAILURE() << "not refused";
    } catch (const StatedFailure& failure) {
      const std::string text = failure.what();
      EXPECT_NE(text.find(age), std::string::npos) << text;
      EXPECT_NE(text.find("of version " + std::to_string(other) + ", this"), std::string::npos) << text;
      EXPECT_NE(text.find(remedy), std::string::npos) << text;
    }
    EXPECT_THROW(PrepareSchema(connection), StatedFailure) << "nor is it changed";
  }
}

TEST_F(DbEngine, WrongUseIsStated) {
  std::string text;
  EXPECT_THROW(Run("report", {"no_such_part"}, &text), UsageFailure);
  EXPECT_THROW(Run("query", {}, &text), UsageFailure);
  EXPECT_THROW(Run("ingest", {}, &text), UsageFailure);
  database_ = folder_ / "absent.db";
  EXPECT_THROW(Run("query", {"SELECT 1"}, &text), StatedFailure);
  EXPECT_FALSE(std::filesystem::exists(database_));
  database_ = folder_ / "same.csv";
  testing::WriteFile(database_, "would be replaced");
  EXPECT_THROW(Run("export", {database_}, &text), StatedFailure);
  EXPECT_EQ(testing::ReadFile(database_), "would be replaced");
  testing::WriteFile(folder_ / "text.db", "this is no database, and longer than a header of one would be");
  database_ = folder_ / "text.db";
  try {
    Run("query", {"SELECT 1"}, &text);
    ADD_FAILURE() << "text was taken for a database";
  } catch (const StatedFailure& failure) {  // the engine's words end as a sentence does
    EXPECT_NE(std::string(failure.what()).find("database file; name a database"), std::string::npos) << failure.what();
  }
}

TEST(DbWithoutEngine, SaysHowToGetIt) {
  const testing::TemporaryFolder folder;
  const testing::CommandResult result =
      RunSoftlbr({"db", "ingest", folder / "x.db", folder / "p.slbr"}, {"SOFTLBR_DUCKDB=" + (folder / "absent.so")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("run `softlbr db setup`"), std::string::npos) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
}

TEST(DbWithoutEngine, SetupSaysWhatIsMissing) {
  const testing::TemporaryFolder folder;
  testing::WriteFile(folder / "npm", "#!/bin/sh\necho no network >&2\nexit 1\n");
  std::filesystem::permissions(folder / "npm", std::filesystem::perms::owner_all);
  const std::string path = std::string("PATH=") + folder.path() + ":" + std::getenv("PATH");
  const testing::CommandResult failed = RunSoftlbr({"db", "setup", folder / "engine"}, {path});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_NE(failed.err.find("npm cannot fetch"), std::string::npos) << failed.err;
  // Another file than the one that is known.
  testing::WriteFile(folder / "npm", "#!/bin/sh\necho other >package.tgz\n");
  const testing::CommandResult other = RunSoftlbr({"db", "setup", folder / "engine"}, {path});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_NE(other.err.find("hash differs"), std::string::npos) << other.err;
  EXPECT_TRUE(std::filesystem::is_empty(folder / "engine"));
}

}  // namespace
}  // namespace softlbr::toolchain

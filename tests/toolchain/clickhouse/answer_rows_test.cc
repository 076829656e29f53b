// Answers of a server: values of every kind, and what is no answer. No server is needed.
#include "toolchain/clickhouse/answer_rows.h"

#include <gtest/gtest.h>

#include "toolchain/clickhouse/server_client.h"
#include "toolchain/db/charts/report_plan.h"
#include "toolchain/db/charts/reports.h"

namespace softlbr::toolchain {
namespace {

std::string Read(const std::string& text) {
  std::string seen;
  AnswerReader reader([&](const AnswerReader::Row& row) {
    for (const AnswerField& field : row) seen += field.is_null ? "NULL;" : field.text + ";";
  });
  reader.Add(text);
  reader.Close();
  return seen;
}

TEST(ServerAnswer, HasTextsAsTheyWere) {
  EXPECT_EQ(Read("a\tb\nString\tNullable(String)\nx\\ty\\nz\\\\\t\\N\n\\'\t\\\\N\n"), "x\ty\nz\\;NULL;';\\N;");
  EXPECT_EQ(Read("a\nString\n\n"), ";") << "an empty text";
  EXPECT_EQ(Read("a\nString\n"), "") << "no row";
  EXPECT_EQ(Read(""), "") << "a statement without an answer";
}

TEST(ServerAnswer, IsRefusedIfItIsNone) {
  for (const char* text : {"a\tb\nString\tString\nx\n", "a\nString\nx", "a\nString\nx\\\n", "a\n", "<html>"}) {
    EXPECT_THROW(Read(text), ServerFailure) << text;
  }
  AnswerField field{"18446744073709551615"};
  EXPECT_EQ(field.Count(), ~uint64_t{0});
  for (const char* text : {"", "-1", "18446744073709551616", "1 ", "x"}) {
    field.text = text;
    EXPECT_THROW(field.Count(), ServerFailure) << text;
  }
}

TEST(ServerAddress, IsAnAddressAndAName) {
  const ServerAddress address = ParseServerAddress("http://127.0.0.1:8123/code_2");
  EXPECT_EQ(address.base, "http://127.0.0.1:8123");
  EXPECT_EQ(address.database, "code_2");
  for (const char* text : {"http://a", "http://a/", "http://a/b/c", "http://a/b;DROP", "http://u:p@a/b", "http://a?x/b",
                           "ftp://a/b", "http://a/1b", "http://a/b'", "x"}) {
    EXPECT_THROW(ParseServerAddress(text), UsageFailure) << text;
  }
}

TEST(RowBinary, IsLittleEndianWithLengths) {
  RowBinary rows;
  rows.Put(uint16_t{0x1234}).Put(int64_t{-2}).Put(std::string_view("a\xff")).PutNull();
  EXPECT_EQ(rows.bytes(), std::string("\x34\x12\xfe\xff\xff\xff\xff\xff\xff\xff\x05"
                                      "a\\xff\x01",
                                      17));
  rows.Clear();
  rows.Put(std::string_view(std::string(300, 'x')));
  EXPECT_EQ(rows.bytes().substr(0, 2), "\xac\x02");
  EXPECT_EQ(rows.size(), 302u);
}

TEST(ReportPlan, HasAPartOfServersForEveryQuestion) {
  for (const ReportQuery& query : ReportQueries()) {
    SCOPED_TRACE(query.name);
    const ReportPlan plan = PlanReport(query.sql);
    EXPECT_FALSE(plan.parts.empty());
    std::string later;
    for (const ServerPart& part : plan.parts) {
      const std::string asked = PutInAnswers(part.sql, [](const std::string&) { return std::string("(1)"); });
      EXPECT_EQ(asked.find(" OVER "), std::string::npos);
      EXPECT_EQ(asked.find("answer("), std::string::npos);
      EXPECT_EQ(part.sql.find("exact("), std::string::npos);
      later += part.sql;
    }
    later += plan.rest;
    for (const ServerPart& part : plan.parts)
      EXPECT_NE(later.find(part.name), std::string::npos) << "an answer that nobody reads";
    EXPECT_EQ(plan.rest.find("of each server"), std::string::npos);
  }
  EXPECT_EQ(InDialect("sum(exact(CASE WHEN (a) THEN ')' END)), inexact(b)", SqlDialect::kClickHouse),
            "sum(toDecimal128(CASE WHEN (a) THEN ')' END, 0)), inexact(b)");
  EXPECT_EQ(InDialect("line_of(a)", SqlDialect::kDuckDb), "(a // 64)");
  const std::string asked = "FROM instruction_where(f IN answer(n FROM t WHERE (m)))";
  EXPECT_EQ(InDialect(asked, SqlDialect::kDuckDb), "FROM instruction");
  EXPECT_EQ(PutInAnswers(InDialect(asked, SqlDialect::kClickHouse),
                         [](const std::string& question) {
                           return question == "SELECT DISTINCT n FROM t WHERE (m)" ? "(0,7)" : "";
                         }),
            "FROM (SELECT * FROM instruction_rows PREWHERE f IN (0,7) WHERE version IN (SELECT version FROM "
            "current_version))");
}

}  // namespace
}  // namespace softlbr::toolchain

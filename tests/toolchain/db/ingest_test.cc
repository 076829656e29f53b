// Profiles into a database: counts equal to those of `blocks`, `mix` and `report`, each profile once, hostile names.
#include "toolchain/db/ingest.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/toolchain/commands/printed_remedy.h"
#include "tests/toolchain/db/ingest_fixture.h"
#include "toolchain/base/failure.h"
#include "toolchain/db/rows_output.h"
#include "toolchain/db/store/database.h"

namespace softlbr::toolchain {
namespace {

using nlohmann::json;
using testing::DbIngest;
using testing::kLoopBase;
using testing::RunSoftlbr;

constexpr char kTinyRows[] =
    "SELECT address - 4198400, bytes, mnemonic, operands, branch, count, samples, block - 4198400, depth,"
    " prior_address - 4198400, next_address - 4198400 FROM asm ORDER BY address";

TEST_F(DbIngest, EveryInstructionHasARow) {
  ASSERT_EQ(Run("ingest", {WriteProfile(TinyProfile(1), "p.slbr")}, nullptr, {program_}), 0);
  EXPECT_EQ(Ask(kTinyRows),
            "0,5,mov,\"reg,imm\",none,30,0,0,1,11,5\r\n"
            "5,2,je,imm,conditional,30,0,0,1,0,7\r\n"
            "7,1,nop,none,none,20,0,7,1,5,8\r\n"
            "8,1,nop,none,none,20,3,7,1,7,9\r\n"
            "9,2,dec,reg,none,30,1,9,1,8,11\r\n"
            "11,2,jne,imm,conditional,30,0,9,1,9,0\r\n");
  EXPECT_EQ(Ask("SELECT start - 4198400, bytes, instructions, count, samples, branch, depth FROM block ORDER BY start"),
            "0,7,2,30,0,conditional,1\r\n7,2,2,20,3,none,1\r\n9,4,2,30,1,conditional,1\r\n");
  EXPECT_EQ(Ask("SELECT l.depth, l.is_reducible, b.start - 4198400 FROM loop l JOIN block b ON b.id = l.header"),
            "1,true,0\r\n");
  EXPECT_EQ(
      Ask("SELECT from_address - 4198400, to_address - 4198400, kind, count, explained FROM edge ORDER BY ALL"),
      "5,7,fallthrough,20,yes\r\n5,9,conditional,10,yes\r\n8,9,fallthrough,20,yes\r\n11,0,conditional,30,yes\r\n");
}

TEST_F(DbIngest, TheSameUploadCountsOnce) {
  const std::string profile = WriteProfile(TinyProfile(1), "p.slbr");
  ASSERT_EQ(Run("ingest", {profile}, nullptr, {program_}), 0);
  const std::string rows = Ask(kTinyRows);
  std::filesystem::copy(profile, folder_ / "other-name.slbr");
  Profile other_file = TinyProfile(1);  // the session again, in a file that is not the same byte for byte
  other_file.format_version = 2;
  other_file.sessions[0].start_time_unix_s = 7;
  std::string text;
  ASSERT_EQ(
      Run("ingest", {profile, folder_ / "other-name.slbr", WriteProfile(other_file, "o.slbr")}, &text, {program_}), 0);
  EXPECT_EQ(text, "0 profiles added, 3 were there, 0 left out; 0 instructions of 0 binaries recovered\n");
  EXPECT_EQ(Ask(kTinyRows), rows);
  EXPECT_EQ(Ask("SELECT count(*) FROM upload"), "1\r\n");
}

// Samples of an upload by another event make all samples of the binary useless as counts.
TEST_F(DbIngest, CountsAreBySamplesWhileAllUploadsAreByInstructions) {
  const std::string counts = "SELECT list(count ORDER BY address)::VARCHAR FROM instruction";
  ASSERT_EQ(Run("ingest", {WriteProfile(ProfileByInstructions(1), "a.slbr")}, nullptr, {program_}), 0);
  EXPECT_EQ(Ask(counts), "\"[30, 30, 60, 60, 30, 30]\"\r\n");
  EXPECT_EQ(Ask("SELECT sum(count) FROM asm"), "240\r\n");
  EXPECT_EQ(Ask("SELECT sum(count * instructions) FROM block"), "240\r\n");
  ASSERT_EQ(Run("ingest", {WriteProfile(ProfileByInstructions(2), "b.slbr")}, nullptr, {program_}), 0);
  EXPECT_EQ(Ask(counts), "\"[60, 60, 120, 120, 60, 60]\"\r\n");
  ASSERT_EQ(Run("ingest", {WriteProfile(TinyProfile(3), "c.slbr")}, nullptr, {program_}), 0);
  EXPECT_EQ(Ask(counts), "\"[90, 90, 60, 60, 90, 90]\"\r\n");
}

TEST_F(DbIngest, CountsOfUploadsAddUpAsMergesDo) {
  std::vector<std::string> profiles;
  for (uint64_t i = 1; i <= 3; ++i) {
    Profile profile = TinyProfile(i);
    // sums stay at the largest number
    if (i == 3) profile.ranges[0].count = profile.branches[0].count = ~uint64_t{0} - 5;
    profiles.push_back(WriteProfile(profile, "p" + std::to_string(i) + ".slbr"));
  }
  // one by one
  for (const std::string& profile : profiles) ASSERT_EQ(Run("ingest", {profile}, nullptr, {program_}), 0);
  MergeOptions merge;
  merge.profiles = profiles;
  merge.output = folder_ / "merged.slbr";
  std::ostringstream out;
  ASSERT_EQ(RunMerge(merge, out), 0);
  const std::string one_by_one = Ask(kTinyRows);
  EXPECT_NE(one_by_one.find("18446744073709551615"), std::string::npos);
  EXPECT_EQ(Ask("SELECT count(*) FROM range_count"), "3\r\n") << "equal rows are one";
  EXPECT_EQ(Ask("SELECT count(*) FROM opcode"), "5\r\n") << "known opcodes are not added again";
  database_ = folder_ / "merged.db";
  ASSERT_EQ(Run("ingest", {merge.output}, nullptr, {program_}), 0);
  EXPECT_EQ(Ask(kTinyRows), one_by_one);
  database_ = folder_ / "at_once.db";
  ASSERT_EQ(Run("ingest", profiles, nullptr, {program_}), 0);
  EXPECT_EQ(Ask(kTinyRows), one_by_one);
}

TEST_F(DbIngest, LeavesOutWhatItCannotTellApartOrRead) {
  const std::string first = WriteProfile(TinyProfile(1), "a.slbr");
  const std::string second = WriteProfile(TinyProfile(2), "b.slbr");
  MergeOptions merge;
  merge.profiles = {first, second};
  merge.output = folder_ / "c.slbr";
  std::ostringstream out;
  ASSERT_EQ(RunMerge(merge, out), 0);
  testing::WriteFile(folder_ / "d.slbr", "no profile");
  std::string text;
  ASSERT_EQ(Run("ingest", {first}, nullptr, {program_}), 0);
  EXPECT_THROW(Run("ingest", {merge.output}, &text), StatedFailure) << "one of its two sessions is known";
  EXPECT_EQ(Run("ingest", {merge.output, folder_ / "d.slbr", second}, &text, {program_}), 3);
  EXPECT_EQ(text, "1 profile added, 0 were there, 2 left out; 6 instructions of 1 binary recovered\n");
  EXPECT_EQ(Ask("SELECT sum(count) FROM instruction"), "320\r\n");
  EXPECT_EQ(Run("ingest", {merge.output}, &text), 0) << "now it knows all of its sessions";
}

TEST_F(DbIngest, BinariesWithoutAFileWaitForIt) {
  const std::string profile = WriteProfile(TinyProfile(1), "p.slbr");
  std::filesystem::rename(program_, folder_ / "moved");
  ASSERT_EQ(Run("ingest", {profile}), 0);
  EXPECT_EQ(Ask("SELECT (SELECT count(*) FROM instruction), is_pending FROM module"), "0,true\r\n");
  std::filesystem::rename(folder_ / "moved", program_);
  ASSERT_EQ(Run("ingest", {profile}, nullptr, {program_}), 0);
  EXPECT_EQ(Ask("SELECT (SELECT sum(count) FROM instruction), is_pending FROM module"), "160,false\r\n");
}

// As the warning of the command says.
TEST_F(DbIngest, ABinaryThatWasNotFoundIsNamedLater) {
  const std::string profile = WriteProfile(TinyProfile(1), "p.slbr");
  // the file keeps its name, by which one without a build id is known
  std::filesystem::create_directory(folder_ / "moved");
  std::filesystem::rename(program_, folder_ / "moved/tiny");
  const std::vector<std::string> ingest = {"db", "ingest", database_, profile};
  const testing::CommandResult warned = RunSoftlbr(ingest);
  EXPECT_EQ(warned.exit_code, 0) << warned.err;
  EXPECT_NE(warned.err.find("ingest again"), std::string::npos) << warned.err;
  std::vector<std::string> again = ingest;
  again.insert(again.end(), {testing::WordBehind(warned.err, "with its file as "), folder_ / "moved/tiny"});
  const testing::CommandResult found = RunSoftlbr(again);
  EXPECT_EQ(found.exit_code, 0) << found.err;
  EXPECT_EQ(found.err, "");
  EXPECT_EQ(Ask("SELECT (SELECT sum(count) FROM instruction), is_pending FROM module"), "160,false\r\n");
}

TEST_F(DbIngest, HostileNamesAreValues) {
  Profile profile = TinyProfile(1);
  const std::string name = "x'); DROP TABLE upload; --\"\n\x1b[31m\xff" + std::string(4050, 'y');
  profile.modules[0].name = name;
  profile.modules[0].build_id = {1, 2, 3};
  profile.sessions[0].program = "p'\"\n";
  const std::string file = WriteProfile(profile, "it's; \"a\"\nprofile.slbr");
  ASSERT_EQ(Run("ingest", {file}), 0);
  EXPECT_EQ(Ask("SELECT count(*) FROM upload"), "1\r\n");
  EXPECT_EQ(Ask("SELECT length(name) FROM module"), std::to_string(name.size() + 3) + "\r\n") << "ff became \\xff";
  EXPECT_EQ(Ask("SELECT program FROM session"), "\"p'\"\"\\x0a\"\r\n");
  std::string text;
  ASSERT_EQ(Run("report", {}, &text), 0);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

// What the engine reads from a file that was exported is what the view has, value for value, hostile names included.
TEST_F(DbIngest, ExportsEveryInstruction) {
  const std::string program = folder_ / "h';\"\n,$(id)" + std::string(200, 'y');
  testing::WriteTinyLoop(program);
  Profile profile = TinyProfile(1);
  profile.modules[0].name = program;
  profile.ranges[0].count = ~uint64_t{0};  // more than a double or a signed number holds
  ASSERT_EQ(Run("ingest", {WriteProfile(profile, "p.slbr")}, nullptr, {program}), 0);
  const std::string all = Ask("FROM asm ORDER BY address");
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 6) << "one line for each instruction, names in one";
  const Database other(folder_ / "other.db", OpenMode::kCreates);
  const Connection connection(other);
  for (const auto& [name, read] :
       {std::pair("it's \"all\".csv", "read_csv($1, header = true, all_varchar = true, allow_quoted_nulls = false)"),
        std::pair("it's \"all\".parquet", "read_parquet($1)")}) {
    SCOPED_TRACE(name);
    const std::string file = folder_ / name;
    ASSERT_EQ(Run("export", {file}), 0);
    std::ostringstream out;
    Statement statement(connection, std::string("SELECT * FROM ") + read + " ORDER BY address::UBIGINT");
    Rows rows = statement.Bind(std::string_view(file)).Execute();
    PrintRows(&rows, RowFormat::kCsv, 0, "", out);
    const std::string text = out.str();
    EXPECT_TRUE(text.starts_with("module,build_id,function,address,bytes,mnemonic,"));
    EXPECT_EQ(text.substr(text.find("\r\n") + 2), all);
    ASSERT_EQ(Run("export", {file}), 0) << "it replaces the file";
  }
  EXPECT_THROW(Run("export", {folder_ / "a.txt"}), UsageFailure);
  EXPECT_THROW(Run("export", {folder_ / "absent/a.csv"}), StatedFailure);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.txt"));
}

// Real programs: every count of the database against the other commands.
class DbRecorded : public DbIngest {
 protected:
  void RecordAndCompare(const std::vector<std::string>& program) {
    std::filesystem::remove(folder_ / "r.slbr");
    std::vector<std::string> record = {"record", "-q",      "-e", "thread-timer",     "-c",
                                       "200000", "--paths", "-o", folder_ / "r.slbr", "--"};
    record.insert(record.end(), program.begin(), program.end());
    const testing::CommandResult recorded = RunSoftlbr(record);
    ASSERT_TRUE(std::filesystem::exists(folder_ / "r.slbr")) << recorded.err;
    ASSERT_EQ(Run("ingest", {folder_ / "r.slbr"}), 0);
    const json blocks = json::parse(RunSoftlbr({"blocks", "--json", "--top", "1000000", folder_ / "r.slbr"}).out);
    const json report = json::parse(RunSoftlbr({"report", "--json", "--top", "1000000", folder_ / "r.slbr"}).out);
    std::ostringstream expected_blocks;
    std::map<std::pair<std::string, uint64_t>, json> sorted;
    for (const json& block : blocks["blocks"]) sorted[{block["build_id"], block["address"]}] = block;
    for (const auto& [key, block] : sorted) {
      expected_blocks << key.first << ',' << key.second << ',' << block["bytes"] << ',' << block["instructions"] << ','
                      << block["executions"] << ',' << block["samples"] << "\r\n";
    }
    EXPECT_EQ(Ask("SELECT m.build_id, start, bytes, instructions, count, samples FROM block b JOIN module m ON m.id = "
                  "b.module"
                  " ORDER BY ALL"),
              expected_blocks.str());
    std::map<std::string, uint64_t> executed;
    uint64_t all = 0;
    for (const json& module : report["modules"]) {
      if (module["executed_instructions"].is_null()) continue;
      executed[module["build_id"]] += module["executed_instructions"].get<uint64_t>();
    }
    std::string expected_modules;
    for (const auto& [id, instructions] : executed) {
      if (instructions != 0) expected_modules += id + "," + std::to_string(instructions) + "\r\n";
      all += instructions;
    }
    EXPECT_GT(all, 1000u);
    EXPECT_EQ(Ask("SELECT build_id, sum(count) FROM asm GROUP BY build_id ORDER BY build_id"), expected_modules);
    const std::string functions = RunSoftlbr({"mix", "--by", "function", "--csv", folder_ / "r.slbr"}).out;
    const std::string counted = Ask("SELECT coalesce(function, '(no symbols)'), sum(count) FROM asm GROUP BY 1");
    EXPECT_EQ(std::count(functions.begin(), functions.end(), '\n') - 1,
              std::count(counted.begin(), counted.end(), '\n'));
    const uint64_t explained =
        std::stoull(Ask("SELECT (sum(count) FILTER (explained = 'yes') * 10000 // sum(count))::UBIGINT FROM edge"
                        " WHERE kind <> 'fallthrough'"));
    EXPECT_GE(explained, 9500u) << "ten-thousandths of the branches";
    std::filesystem::remove(database_);
  }
};

TEST_F(DbRecorded, CountsAreThoseOfBlocksReportAndMix) {
  RecordAndCompare({SOFTLBR_BUSY_LOOP});
  const std::string text = folder_ / "text";
  {
    std::ofstream out(text);
    for (uint64_t i = 0; i < 500'000; ++i) out << i * i % 997 << (i % 7 == 0 ? '\n' : ' ');
  }
  for (const std::vector<std::string>& program : {std::vector<std::string>{"gzip", "-c", text}, {"sort", "-n", text}}) {
    if (testing::HasProgram(program[0])) RecordAndCompare(program);
  }
}

}  // namespace
}  // namespace softlbr::toolchain

// The database on ClickHouse servers: the same answers as of a database file, on one server and on three, each upload
// once, hostile names, wrong servers, interrupted runs. The tests share one server of Debian's package; a "server" here
// is a database of it.
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "tests/toolchain/db/ingest_fixture.h"
#include "tests/toolchain/db/made_up_rows.h"
#include "tests/toolchain/upload/fault_server.h"
#include "toolchain/clickhouse/server_export.h"
#include "toolchain/clickhouse/server_schema.h"
#include "toolchain/clickhouse/server_set.h"
#include "toolchain/db/charts/reports.h"
#include "toolchain/db/rows_output.h"

namespace softlbr::toolchain {
namespace {

constexpr char kScript[] = SOFTLBR_PROJECT_FOLDER "/toolchain/scripts/clickhouse.sh";
constexpr size_t kServers = 3;

// Needs no server.
class ServerCommand : public testing::DbIngest {
 protected:
  // Ingest and report, as a user runs them, end with exit code 1 and one line that holds the words.
  void ExpectFailure(const std::string& servers, const std::string& words) {
    const std::string upload = WriteProfile(TinyProfile(1), "refused.slbr");
    const std::string exported = folder_ / "refused.csv";
    for (const std::vector<std::string>& command : {std::vector<std::string>{"db", "ingest", servers, upload},
                                                    {"db", "report", servers},
                                                    {"db", "export", servers, exported}}) {
      SCOPED_TRACE(command[1]);
      const testing::CommandResult result = testing::RunSoftlbr(
          command, {std::string("SOFTLBR_DUCKDB=") + std::getenv("SOFTLBR_DUCKDB"), "NO_PROXY=127.0.0.1"});
      EXPECT_EQ(result.exit_code, 1) << result.err;
      EXPECT_EQ(result.out, "");
      EXPECT_TRUE(result.err.starts_with("softlbr: db: ")) << result.err;
      EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
      EXPECT_NE(result.err.find("; "), std::string::npos) << "no remedy: " << result.err;
      EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    }
    EXPECT_FALSE(std::filesystem::exists(exported));
  }
};

class ServerDb : public ServerCommand {
 protected:
  static void SetUpTestSuite() {
    state_ = new testing::TemporaryFolder;
    // The server ends with `stop`, or with this process.
    const testing::CommandResult started =
        testing::RunCommand({"sh", kScript, "start", state_->path(), std::to_string(getpid())});
    if (started.exit_code == 0) base_ = started.out.substr(0, started.out.find('\n'));
    start_error_ = started.err;
    is_missing_ = started.exit_code == 77;
  }

  static void TearDownTestSuite() {
    testing::RunCommand({"sh", kScript, "stop", state_->path()});
    delete state_;
    state_ = nullptr;
  }

  void SetUp() override {
    ServerCommand::SetUp();
    if (IsSkipped()) return;
    if (is_missing_) GTEST_SKIP() << "missing: clickhouse-server (the package clickhouse-server)";
    ASSERT_NE(base_, "") << start_error_;
    setenv("NO_PROXY", "127.0.0.1", 1);
    file_ = database_;
    const std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    one_ = base_ + "/" + test + "_0";
    for (size_t i = 0; i < kServers; ++i)
      three_ += (i == 0 ? "" : ",") + base_ + "/" + test + "_" + std::to_string(i + 1);
  }

  // What every question of the report answers.
  std::string Reports(const std::string& database) {
    database_ = database;
    std::string all;
    for (const ReportQuery& query : ReportQueries()) {
      std::string csv;
      EXPECT_EQ(Run("report", {query.name}, &csv), 0);
      all += std::string(query.name) + "\r\n" + csv;
    }
    return all;
  }

  std::string AskOf(const std::string& database, const std::string& sql) {
    database_ = database;
    return Ask(sql);
  }

  // Name for file `number` with which the module is on server number % kServers, whatever the name of the folder.
  std::string FileOnServer(ProfileModule module, uint64_t number) {
    for (uint64_t attempt = 0; attempt < 1000; ++attempt) {
      module.name = folder_ / ("tiny" + std::to_string(number) + '-' + std::to_string(attempt));
      if (ServerModuleOf(module, kServers).server == number % kServers) return module.name;
    }
    ADD_FAILURE() << "no name for server " << number % kServers;
    return module.name;
  }

  // Uploads of five programs, two of which branch into each other, with counts that tell them apart.
  std::vector<std::string> WriteUploads() {
    std::vector<std::string> paths;
    for (uint64_t i = 0; i < 5; ++i) {
      Profile profile = TinyProfile(i + 1);
      profile.modules[0].name = FileOnServer(profile.modules[0], i);
      std::filesystem::copy_file(program_, profile.modules[0].name, std::filesystem::copy_options::skip_existing);
      for (RangeCount& range : profile.ranges) range.count *= i + 1;
      for (BranchCount& branch : profile.branches) branch.count *= i + 1;
      if (i == 4) {
        ProfileModule other = profile.modules[0];
        other.name = FileOnServer(other, 0);
        profile.modules.push_back(other);
        profile.branches.push_back({{0, testing::kLoopBase + 11}, {1, testing::kLoopBase + 9}, 5});
        profile.ranges.push_back({1, testing::kLoopBase + 9, testing::kLoopBase + 11, 5});
      }
      paths.push_back(WriteProfile(profile, "upload" + std::to_string(i) + ".slbr"));
    }
    return paths;
  }

  // A program with the code of a tiny loop whose file, function and source file have hostile names.
  std::string WriteHostileProgram() {
    const std::string source = folder_ / "hostile.c";
    const std::string program = folder_ / "h';\"\n$(id)";
    testing::WriteFile(source,
                       "#line 7 \"; DROP TABLE source_rows;--\\t`\\377.c\"\n"
                       "__attribute__((naked)) void f(void) {"
                       " __asm__(\"mov $1,%eax\\n je 1f\\n nop\\n nop\\n1: dec %eax\\n jne f\\n\"); }\n");
    const testing::CommandResult built =
        testing::RunCommand({"gcc", "-g", "-O1", "-fcf-protection=none", "-nostdlib", "-static",
                             "-Wl,--build-id=sha1,-Ttext=0x401000,-e,f", source, "-o", folder_ / "hostile"});
    const testing::CommandResult renamed =
        testing::RunCommand({"objcopy", "--redefine-sym", "f=x'); DROP TABLE function_rows; --\"`\n\t\\N\xff",
                             folder_ / "hostile", program});
    EXPECT_EQ(built.err + renamed.err, "");
    return std::filesystem::exists(program) ? program : "";
  }

  int IngestInto(const std::string& database, const std::vector<std::string>& profiles, std::string* text = nullptr) {
    database_ = database;
    return Run("ingest", profiles, text);
  }

  static inline testing::TemporaryFolder* state_ = nullptr;
  static inline std::string base_;
  static inline std::string start_error_;
  static inline bool is_missing_ = false;
  std::string file_;
  std::string one_;
  std::string three_;
};

// Columns of a table of servers behind `version`, as a letter each: Q, I, B: a number of 8, 4, 1 bytes; T: a text; D: a
// distance or NULL.
struct CopiedTable {
  const char* to;
  const char* columns;
  const char* sql;  // of the database file; the first column is the module
};
constexpr CopiedTable kCopied[] = {
    {"function_rows", "QITQQBI", "SELECT module, id, name, start, bytes, is_stub, inline_depth FROM function"},
    {"loop_rows", "QIIIIIB",
     "SELECT module, id, function, header, coalesce(parent, 0)::UINTEGER, depth, is_reducible FROM loop"},
    {"edge_rows", "QQQQTQT",
     "SELECT from_module::UBIGINT, from_address, to_module::UBIGINT, to_address, kind, count, explained FROM edge"},
    {"instruction_rows", "QQBIIIIIQQBII",
     "SELECT module, address, bytes, opcode, coalesce(function, 0)::UINTEGER, block, 0::UINTEGER, depth, count, "
     "samples,"
     " prior_bytes, 0::UINTEGER, 0::UINTEGER FROM instruction"},
};

// Sends the rows of a database file: module M to server M % the number of servers.
void CopyRows(const Connection& connection, const ServerSet& servers) {
  const auto put = [](RowBinary* row, const Rows& rows, const char* columns) {
    for (size_t i = 0; columns[i] != 0; ++i) {
      switch (columns[i]) {
        case 'Q': row->Put(rows.Count(i)); break;
        case 'I': row->Put(static_cast<uint32_t>(rows.Count(i))); break;
        case 'B': row->Put(static_cast<uint8_t>(rows.Count(i))); break;
        default: row->Put(rows.Text(i));
      }
    }
  };
  for (const CopiedTable& table : kCopied) {
    std::vector<RowBinary> sent(servers.size());
    for (Rows rows = connection.Query(table.sql); rows.Next();) {
      RowBinary& row = sent[rows.Count(0) % servers.size()];
      put(&row.Put(rows.Count(0)), rows, table.columns);  // its number is its version, too
    }
    for (size_t i = 0; i < servers.size(); ++i) servers[i].Insert(table.to, sent[i]);
  }
  for (Rows rows = connection.Query("SELECT id::UBIGINT, name, build_id, undecodable_ranges FROM module");
       rows.Next();) {
    RowBinary module;
    RowBinary recovered;
    module.Put(rows.Count(0))
        .Put(rows.Text(1))
        .Put(rows.Text(2))
        .Put(uint16_t{62})
        .Put(uint16_t{3})
        .Put(uint8_t{0})
        .Put(std::string_view(""));
    recovered.Put(rows.Count(0)).Put(rows.Count(0)).Put(uint64_t{1}).Put(rows.Count(3)).Put(std::string_view(""));
    servers[rows.Count(0) % servers.size()].Insert("module_rows", module);
    servers[rows.Count(0) % servers.size()].Insert("recovered_rows", recovered);
  }
  RowBinary opcodes;
  for (Rows rows = connection.Query("SELECT * FROM opcode"); rows.Next();) put(&opcodes, rows, "ITTTTTT");
  for (size_t i = 0; i < servers.size(); ++i) servers[i].Insert("opcode_rows", opcodes);
}

TEST_F(ServerDb, EveryPartAndPictureOfTheReportIsAsOfAFile) {
  const Database database(file_, OpenMode::kCreates);
  const Connection connection(database);
  PrepareSchema(connection);
  testing::MakeUpRows(connection);
  for (const std::string& servers : {one_, three_}) {
    CopyRows(connection, ServerSet(servers, ServerMode::kChanges));
    database_ = servers;
    for (const ReportQuery& query : ReportQueries()) {
      SCOPED_TRACE(query.name);
      std::string csv;
      ASSERT_EQ(Run("report", {query.name}, &csv), 0);
      EXPECT_EQ(csv, testing::ReadFile(std::string(SOFTLBR_DB_GOLDEN_FOLDER) + "/" + query.name + ".csv"));
    }
    EXPECT_EQ(Charts(), testing::ReadFile(std::string(SOFTLBR_DB_GOLDEN_FOLDER) + "/charts.txt"));
  }
}

TEST_F(ServerDb, UploadsCountOnceHoweverManyServersThereAre) {
  const std::vector<std::string> uploads = WriteUploads();
  ASSERT_EQ(IngestInto(file_, uploads), 0);
  const std::string expected = Reports(file_);
  for (const std::string& servers : {one_, three_}) {
    std::string text;
    ASSERT_EQ(IngestInto(servers, {uploads[0], uploads[1]}, &text), 0);
    EXPECT_EQ(text, "2 profiles added, 0 were there, 0 left out; 12 instructions of 2 binaries recovered\n");
    std::filesystem::copy_file(uploads[2], folder_ / "again.slbr", std::filesystem::copy_options::overwrite_existing);
    std::vector<std::string> all = uploads;
    all.push_back(folder_ / "again.slbr");
    ASSERT_EQ(IngestInto(servers, all, &text), 0);
    // Upload 4 has counts of program 0, too.
    EXPECT_EQ(text, "3 profiles added, 3 were there, 0 left out; 24 instructions of 4 binaries recovered\n");
    EXPECT_EQ(Reports(servers), expected);
    ASSERT_EQ(IngestInto(servers, all, &text), 0);
    EXPECT_EQ(text, "0 profiles added, 6 were there, 0 left out; 0 instructions of 0 binaries recovered\n");
    EXPECT_EQ(Reports(servers), expected);
  }
  {
    // As if the run had ended after the first server got the new opcodes.
    const ServerSet servers(three_, ServerMode::kChanges);
    for (size_t i = 1; i < kServers; ++i) servers[i].Run("TRUNCATE TABLE opcode_rows");
  }
  ASSERT_EQ(IngestInto(three_, uploads), 0);
  const std::string opcodes = AskOf(file_, "SELECT count(*) FROM opcode");
  EXPECT_EQ(AskOf(three_, "SELECT uniqExact(id) FROM opcode"), opcodes + opcodes + opcodes) << "of each server";
  for (const std::string& database : {one_, file_}) {
    EXPECT_EQ(
        AskOf(database,
              "SELECT from_address - 4198400, to_address - 4198400, kind, sum(count), explained FROM edge"
              " GROUP BY from_address, to_address, kind, explained ORDER BY from_address, to_address, kind"),
        "5,7,fallthrough,300,yes\r\n5,9,conditional,150,yes\r\n8,9,fallthrough,300,yes\r\n11,0,conditional,450,yes\r\n"
        "11,9,conditional,5,other_target\r\n");
  }
  EXPECT_EQ(
      AskOf(three_, "SELECT count() AS programs FROM module WHERE id IN (SELECT module FROM instruction)").find("5"),
      std::string::npos)
      << "the programs are on several servers";
}

TEST_F(ServerDb, SumsSaturateAsInAFile) {
  Profile profile = TinyProfile(1);
  profile.modules[0].name = program_;
  const std::string first = WriteProfile(profile, "a.slbr");
  profile.sessions[0].session_id = 2;
  profile.ranges[0].count = profile.branches[0].count = ~uint64_t{0} - 5;
  const std::string second = WriteProfile(profile, "b.slbr");
  for (const std::string& database : {file_, one_}) ASSERT_EQ(IngestInto(database, {first, second}), 0);
  EXPECT_EQ(AskOf(one_, "SELECT max(count) FROM instruction"), "18446744073709551615\r\n");
  EXPECT_EQ(Reports(one_), Reports(file_));
}

TEST_F(ServerDb, CountsAreBySamplesWhileAllUploadsAreByInstructions) {
  const std::string counts = "SELECT count FROM instruction ORDER BY address";
  std::vector<Profile> profiles = {ProfileByInstructions(1), TinyProfile(2)};
  for (const Profile& profile : profiles) {
    Profile named = profile;
    named.modules[0].name = program_;
    const std::string upload = WriteProfile(named, std::to_string(named.sessions[0].session_id) + ".slbr");
    for (const std::string& database : {file_, one_}) ASSERT_EQ(IngestInto(database, {upload}), 0);
    EXPECT_EQ(AskOf(one_, counts), AskOf(file_, counts));
    EXPECT_EQ(AskOf(one_, "SELECT max(count) FROM instruction"), "60\r\n");
  }
  EXPECT_EQ(AskOf(one_, "SELECT min(count) FROM instruction"), "40\r\n");
}

TEST_F(ServerDb, HostileNamesAreValues) {
  const std::vector<std::string> names = {"x'); DROP TABLE upload_rows; --",
                                          "\"q\"`b`\\",
                                          "tab\tline\nfeed\r",
                                          std::string(4096, 'y'),
                                          "\xff\x01{a:b}$1?",
                                          "\\N",
                                          "nul\\0"};
  std::vector<std::string> uploads;
  for (size_t i = 0; i < names.size(); ++i) {
    Profile profile = TinyProfile(i + 1);
    profile.modules[0].name = names[i];
    profile.modules[0].build_id = {1, 2, static_cast<uint8_t>(i)};
    profile.sessions[0].program = names[i].substr(0, 60);
    uploads.push_back(WriteProfile(profile, "it's; \"a\"\n" + std::to_string(i) + ".slbr"));
  }
  const std::string program = WriteHostileProgram();
  ASSERT_NE(program, "");
  Profile profile = testing::TinyLoopProfile(program, names.size() + 1);
  profile.modules[0].name = program;
  uploads.push_back(WriteProfile(profile, "symbols.slbr"));
  for (const std::string& database : {file_, one_}) ASSERT_EQ(IngestInto(database, uploads), 0);
  EXPECT_EQ(Reports(one_), Reports(file_));
  EXPECT_NE(AskOf(one_, "SELECT name FROM function").find("\"x'); DROP TABLE function_rows; --\"\"`"),
            std::string::npos);
  EXPECT_NE(AskOf(one_, "SELECT file FROM source").find("; DROP TABLE source_rows;--\\x09`"), std::string::npos);
  for (const char* sql :
       {"SELECT name FROM function", "SELECT file FROM source",
        "SELECT CASE WHEN coalesce(file, '') = '' THEN 0 ELSE 1 END AS found FROM module ORDER BY build_id",
        "SELECT name, build_id FROM module ORDER BY build_id", "SELECT program FROM session ORDER BY id",
        "SELECT name, bytes, taken_branches FROM upload ORDER BY name"}) {
    EXPECT_EQ(AskOf(one_, sql), AskOf(file_, sql)) << sql;
  }
  EXPECT_NE(AskOf(one_, "SELECT name FROM module").find(std::string(4096, 'y')), std::string::npos);
  std::string text;
  database_ = one_;
  for (const char* sql :
       {"DROP TABLE upload_rows", "INSERT INTO upload_rows SELECT 1, '', '', 1, 1", "no SQL", "SELECT 'open"}) {
    EXPECT_THROW(Run("query", {sql}, &text), StatedFailure) << sql;
  }
  EXPECT_EQ(Ask("SELECT count() FROM upload"), std::to_string(uploads.size()) + "\r\n");
}

// Loops are numbered in the order of ingest in a file. Parts of two instructions end in every module, as large ones do
// by default.
TEST_F(ServerDb, ExportsTheSameAsAFile) {
  std::vector<std::string> uploads = WriteUploads();
  const std::string program = WriteHostileProgram();
  ASSERT_NE(program, "");
  Profile profile = testing::TinyLoopProfile(program, uploads.size() + 1);
  profile.modules[0].name = program;
  uploads.push_back(WriteProfile(profile, "symbols.slbr"));
  const std::vector<std::string> backwards(uploads.rbegin(), uploads.rend());
  ASSERT_EQ(IngestInto(file_, backwards), 0);
  const std::string csv = folder_ / "file.csv";
  const std::string parquet = folder_ / "file.parquet";
  for (const std::string& file : {csv, parquet}) ASSERT_EQ(Run("export", {file}), 0);
  const std::string expected = testing::ReadFile(csv);
  EXPECT_NE(expected.find("DROP TABLE function_rows"), std::string::npos);
  EXPECT_NE(expected.find("DROP TABLE source_rows"), std::string::npos);
  const Database other(folder_ / "other.db", OpenMode::kCreates);
  const Connection connection(other);
  const auto rows_of = [&](const std::string& file) {
    std::ostringstream out;
    Statement statement(connection, "FROM read_parquet($1) ORDER BY build_id, module, address");
    Rows rows = statement.Bind(std::string_view(file)).Execute();
    PrintRows(&rows, RowFormat::kCsv, 0, "", out);
    return out.str();
  };
  EXPECT_GT(rows_of(parquet).size(), 36u * 50) << "36 instructions of six programs";
  for (const std::string& servers : {one_, three_}) {
    ASSERT_EQ(IngestInto(servers, uploads), 0);
    const std::string again = folder_ / "servers.csv";
    ASSERT_EQ(Run("export", {again}), 0);
    EXPECT_EQ(testing::ReadFile(again), expected);
    ExportFromServers(ServerSet(servers, ServerMode::kReads), again, 2);
    EXPECT_EQ(testing::ReadFile(again), expected);
    ASSERT_EQ(Run("export", {folder_ / "servers.parquet"}), 0);
    EXPECT_EQ(rows_of(folder_ / "servers.parquet"), rows_of(parquet));
    EXPECT_THROW(Run("export", {folder_ / "a.txt"}), UsageFailure);
    EXPECT_THROW(Run("export", {folder_ / "absent/a.csv"}), StatedFailure);
  }
  // Instructions without their opcodes, as of a server that lost them: the file stays as it was.
  ServerSet(one_, ServerMode::kChanges)[0].Run("TRUNCATE TABLE opcode_rows");
  database_ = one_;
  EXPECT_THROW(Run("export", {folder_ / "servers.csv"}), ServerFailure);
  EXPECT_EQ(testing::ReadFile(folder_ / "servers.csv"), expected);
}

TEST_F(ServerDb, WrongServersAreRefused) {
  const std::vector<std::string> uploads = WriteUploads();
  ASSERT_EQ(IngestInto(three_, uploads), 0);
  const size_t comma = three_.find(',');
  const std::string swapped = three_.substr(comma + 1) + "," + three_.substr(0, comma);
  for (const std::string& servers :
       {swapped, three_.substr(0, comma), base_ + "/absent", std::string("http://127.0.0.1:1/x")}) {
    EXPECT_THROW(Reports(servers), StatedFailure) << servers;
  }
  EXPECT_THROW(IngestInto(swapped, uploads), StatedFailure);
  EXPECT_THROW(IngestInto("http://127.0.0.1:1/x", uploads), StatedFailure)
      << "no upload is left out for a server's sake";
  EXPECT_THROW(Reports(three_ + "," + three_), UsageFailure);
  for (const uint64_t version : {kServerSchemaVersion - 1, kServerSchemaVersion + 1}) {
    SCOPED_TRACE(version);
    {
      const ServerSet servers(three_, ServerMode::kReads);
      const ServerAddress address = ParseServerAddress(three_.substr(0, comma));
      const std::unique_ptr<ServerClient> client = ConnectToServer(address, ServerMode::kChanges);
      client->Run("TRUNCATE TABLE softlbr_schema");
      RowBinary row;
      client->Insert("softlbr_schema", row.Put(version).Put(uint64_t{0}).Put(uint64_t{kServers}));
    }
    ExpectFailure(three_, version < kServerSchemaVersion ? "ingest the profiles into" : "use that softlbr");
    const std::unique_ptr<ServerClient> client =
        ConnectToServer(ParseServerAddress(three_.substr(0, comma)), ServerMode::kChanges);
    client->Run("TRUNCATE TABLE softlbr_schema");
    RowBinary row;
    client->Insert("softlbr_schema", row.Put(kServerSchemaVersion).Put(uint64_t{0}).Put(uint64_t{kServers}));
  }
  EXPECT_NO_THROW(Reports(three_));
}

std::string OkReply(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// What answers is no ClickHouse server, or a broken one.
TEST_F(ServerCommand, RefusesOtherServers) {
  ExpectFailure("http://127.0.0.1:1/x", "is a ClickHouse server there?");
  const std::string failed =
      "HTTP/1.1 500 x\r\nConnection: close\r\n\r\nCode: 60, e.displayText() = DB::Exception: it is\033[31m full, "
      "e.what() = x";
  const std::pair<std::string, const char*> replies[] = {
      {"", "is a ClickHouse server there?"},
      {"\x01\xff\n\n", "is a ClickHouse server there?"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx\n", "is a ClickHouse server there?"},
      {OkReply(""), "is the address that of a ClickHouse server?"},
      {OkReply("<html>\n<body>\n"), "is the address that of a ClickHouse server?"},
      {OkReply("a\nString\nx"), "is the address that of a ClickHouse server?"},
      {OkReply("a\tb\nUInt8\tUInt8\n1\t2\n"), "is the address that of a ClickHouse server?"},
      {"HTTP/1.1 404 x\r\nConnection: close\r\n\r\n<html>\033]0;", "is the address that of a ClickHouse server?"},
      {"HTTP/1.1 302 x\r\nLocation: file:///etc/passwd\r\nConnection: close\r\n\r\n",
       "is the address that of a ClickHouse server?"},
      {failed, "it is\\x1b[31m full; "},
  };
  for (const auto& [made, words] : replies) {
    const std::string& reply = made;
    SCOPED_TRACE(reply);
    const testing::FaultServer server([&](const testing::HttpRequest&) {
      return testing::HttpReply{reply.empty() ? 0 : 200, {}, reply, false};
    });
    ExpectFailure(server.url(), words);
  }
  // It behaves until the first question of the tables.
  for (const char* answer : {"a\nUInt64\nx\n", "a\tb\tc\td\nUInt8\tUInt8\tUInt8\tUInt8\n1\t2\t3\t-4\n", "a\n", ""}) {
    SCOPED_TRACE(answer);
    const testing::FaultServer server([&](const testing::HttpRequest& request) {
      const auto asks = [&](const char* text) { return request.body.find(text) != std::string::npos; };
      const std::string body = asks("6 * 7")                 ? "a\nUInt8\n42\n"
                               : asks("system.tables")       ? "a\nUInt8\n1\n"
                               : asks("FROM softlbr_schema") ? "a\tb\tc\nUInt8\tUInt8\tUInt8\n" +
                                                                   std::to_string(kServerSchemaVersion) + "\t0\t1\n"
                               : request.body.starts_with("CREATE") ? ""
                                                                    : answer;
      return testing::HttpReply{200, {}, OkReply(body), false};
    });
    ExpectFailure(server.url(), "");
  }
}

// Calls are counted, as the load of the machine changes nothing then: see DbInterrupted.
TEST_F(ServerDb, KilledAnywhereItGoesOnWhereItEnded) {
  if (SOFTLBR_SANITIZED) GTEST_SKIP() << "missing: a command without sanitizer, which can be preloaded into";
  constexpr uint64_t kKills = 5;
  const std::vector<std::string> uploads = WriteUploads();
  ASSERT_EQ(IngestInto(file_, uploads), 0);
  const std::string expected = Reports(file_);
  const auto servers_of = [&](uint64_t run) {
    return base_ + "/killed_a" + std::to_string(run) + "," + base_ + "/killed_b" + std::to_string(run);
  };
  const auto ingest_until = [&](const std::string& servers, uint64_t call) {
    std::vector<std::string> command = {"db", "ingest", servers};
    command.insert(command.end(), uploads.begin(), uploads.end());
    return testing::RunSoftlbr(command,
                               {std::string("LD_PRELOAD=") + SOFTLBR_KILL_AT_WRITE, "KILL_AT=" + std::to_string(call),
                                "KILL_COUNT=" + (folder_ / "calls"), "NO_PROXY=127.0.0.1"});
  };
  ASSERT_EQ(ingest_until(servers_of(kKills), 0).exit_code, 0);
  const uint64_t calls = std::stoull(testing::ReadFile(folder_ / "calls"));
  ASSERT_GT(calls, 4 * kKills) << "what is sent is seen";
  uint64_t partly = 0;
  for (uint64_t i = 0; i < kKills; ++i) {
    // The tables take most of the calls: kill in the last half.
    const uint64_t at = calls / 2 + i * (calls / 2) / kKills;
    SCOPED_TRACE("killed at call " + std::to_string(at) + " of " + std::to_string(calls));
    EXPECT_EQ(ingest_until(servers_of(i), at).signal_number, SIGKILL);
    std::string text;
    ASSERT_EQ(IngestInto(servers_of(i), uploads, &text), 0);
    if (text != "5 profiles added, 0 were there, 0 left out; 30 instructions of 5 binaries recovered\n") ++partly;
    EXPECT_EQ(Reports(servers_of(i)), expected);
    if (HasFailure()) return;
  }
  EXPECT_GE(partly, kKills / 2) << "some were killed after uploads, or binaries, were complete";
}

}  // namespace
}  // namespace softlbr::toolchain

// `softlbr db`: the instructions of many profiles in a database.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "toolchain/base/failure.h"
#include "toolchain/base/install_layout.h"
#include "toolchain/base/json_text.h"
#include "toolchain/base/result_file.h"
#include "toolchain/base/say.h"
#include "toolchain/base/text.h"
#include "toolchain/clickhouse/server_export.h"
#include "toolchain/clickhouse/server_ingest.h"
#include "toolchain/clickhouse/server_report.h"
#include "toolchain/commands/commands.h"
#include "toolchain/db/charts/report_charts.h"
#include "toolchain/db/charts/report_plan.h"
#include "toolchain/db/charts/reports.h"
#include "toolchain/db/export_rows.h"
#include "toolchain/db/ingest.h"
#include "toolchain/db/rows_output.h"
#include "toolchain/db/store/schema.h"
#include "toolchain/optimize/tool_run.h"

namespace softlbr::toolchain {
namespace {

constexpr char kFetchScript[] = "fetch_duckdb.sh";
constexpr char kDrawScript[] = "draw_chart.sh";

using Arguments = std::vector<std::string>;

RowFormat FormatOf(const DbOptions& options) {
  return options.json ? RowFormat::kJson : options.csv ? RowFormat::kCsv : RowFormat::kTable;
}

// Fetches the engine, by the script that is installed beside the libraries.
int SetUpEngine(const DbOptions& options, std::ostream& out) {
  const std::string folder = options.arguments.empty() ? EngineFolder() : options.arguments[0];
  if (folder.empty())
    throw StatedFailure("db setup: there is no home folder; name a folder, and its libduckdb.so in SOFTLBR_DUCKDB");
  const std::string script = FindLibrary(kFetchScript);
  if (script.empty())
    throw StatedFailure(std::string("db setup: ") + kFetchScript +
                        " is not in the library folder; install softlbr again");
  ToolRun run;
  run.path = "sh";
  run.arguments = {"sh", script, folder};
  run.output = "/dev/null";
  run.has_our_errors = true;
  if (!RunTool(run).is_success()) {
    throw StatedFailure(
        "db setup: the engine could not be fetched (see above); it needs npm and a registry that it can reach");
  }
  out << SafeText(folder) << "/libduckdb.so\n";
  return 0;
}

int IngestProfiles(const DbOptions& options, std::ostream& out) {
  const std::string& target = options.arguments[0];
  const std::vector<std::string> profiles(options.arguments.begin() + 1, options.arguments.end());
  const IngestResult result = IsServerList(target)
                                  ? IngestToServers(ServerSet(target, ServerMode::kChanges), profiles, options.binaries)
                                  : Ingest(Database(target, OpenMode::kCreates), profiles, options.binaries);
  for (const std::string& name : result.pending) {
    Warn(name +
         " was not found or cannot be decoded, so its instructions are missing; ingest again with its file as -b");
  }
  out << Counted(result.added, "profile") << " added, " << GroupedCount(result.known)
      << (result.known == 1 ? " was" : " were") << " there, " << GroupedCount(result.left_out) << " left out; "
      << Counted(result.instructions, "instruction") << " of " << Counted(result.recovered, "binary", "binaries")
      << " recovered\n";
  return result.left_out != 0 ? kExitLeftOut : 0;
}

// A database file, or servers and a database in memory for their answers.
class AskedDatabase {
 public:
  explicit AskedDatabase(const std::string& name)
      : database_(IsServerList(name) ? "" : name, IsServerList(name) ? OpenMode::kInMemory : OpenMode::kReads),
        connection_(database_) {
    if (IsServerList(name)) servers_ = std::make_unique<ServerSet>(name, ServerMode::kReads);
  }

  Rows Query(const std::string& sql) const {
    return servers_ != nullptr ? AskServers(*servers_, connection_, sql) : connection_.Query(sql);
  }
  void CheckTables() const {
    if (servers_ == nullptr) CheckSchema(connection_);
  }
  // A question in two stages.
  Rows Report(const std::string& sql) const {
    return servers_ != nullptr ? AskReport(*servers_, connection_, sql)
                               : connection_.Query(InDialect(sql, SqlDialect::kDuckDb));
  }

 private:
  Database database_;
  Connection connection_;
  std::unique_ptr<ServerSet> servers_;  // null: a file
};

int RunQuery(const DbOptions& options, std::ostream& out) {
  const AskedDatabase database(options.arguments[0]);
  Rows rows = database.Query(options.arguments[1]);
  PrintRows(&rows, FormatOf(options), options.top, "", out);
  if (options.json) out << '\n';
  return 0;
}

std::vector<ReportQuery> ChosenQueries(const DbOptions& options) {
  const std::span<const ReportQuery> all = ReportQueries();
  if (options.arguments.size() == 1) return {all.begin(), all.end()};
  std::vector<ReportQuery> chosen;
  for (size_t i = 1; i < options.arguments.size(); ++i) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const ReportQuery& query) { return options.arguments[i] == query.name; });
    if (found == all.end()) {
      std::string names;
      for (const ReportQuery& query : all) names += (names.empty() ? "" : ", ") + std::string(query.name);
      throw UsageFailure("db report: " + SafeText(options.arguments[i]) + " is no part of the report; the parts are " +
                         names);
    }
    chosen.push_back(*found);
  }
  return chosen;
}

// Bytes that a child reads or writes by name.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content = "") : fd_(memfd_create("softlbr", MFD_CLOEXEC)) {
    if (fd_ < 0 || pwrite(fd_, content.data(), content.size(), 0) != static_cast<ssize_t>(content.size()))
      throw StatedFailure(std::string("no memory for a picture: ") + std::strerror(errno));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(fd_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }
  std::string Read() const {
    std::string content(static_cast<size_t>(lseek(fd_, 0, SEEK_END)), '\0');
    const ssize_t size = pread(fd_, content.data(), content.size(), 0);
    content.resize(static_cast<size_t>(std::max<ssize_t>(size, 0)));
    return content;
  }

 private:
  int fd_;
};

std::string Draw(const std::string& chart, const std::string& drawer) {
  const std::string script = drawer.empty() ? FindLibrary(kDrawScript) : drawer;
  if (script.empty())
    throw StatedFailure(std::string("db report: ") + kDrawScript +
                        " is not in the library folder; install softlbr again");
  const MemoryFile input(chart);
  const MemoryFile output;
  const MemoryFile errors;
  ToolRun run;
  run.path = "sh";
  run.arguments = {"sh", script};
  run.input = input.path();
  run.output = output.path();
  run.errors = errors.path();
  if (!RunTool(run).is_success()) {
    const std::string cause = errors.Read();
    throw StatedFailure("db report: " + SafeText(cause.substr(0, cause.find('\n'))));
  }
  return output.Read();
}

int PrintPicture(const DbOptions& options, const std::vector<ReportQuery>& queries, std::ostream& out) {
  const std::vector<std::string> parts = PartsWithChart();
  if (queries.size() != 1 || std::find(parts.begin(), parts.end(), queries[0].name) == parts.end()) {
    std::string names;
    for (const std::string& part : parts) names += (names.empty() ? "" : ", ") + part;
    throw UsageFailure("db report: --svg draws one part of the report; those with a picture are " + names);
  }
  const AskedDatabase database(options.arguments[0]);
  database.CheckTables();
  out << Draw(ChartOfReport([&](const std::string& sql) { return database.Report(sql); }, queries[0], options.top),
              options.drawer);
  return 0;
}

int PrintReports(const DbOptions& options, std::ostream& out) {
  const std::vector<ReportQuery> queries = ChosenQueries(options);
  if (options.svg) return PrintPicture(options, queries, out);
  if (options.csv && queries.size() != 1)
    throw UsageFailure("db report: --csv writes one table; name the part of the report");
  const AskedDatabase database(options.arguments[0]);
  database.CheckTables();
  bool is_first = true;
  for (const ReportQuery& query : queries) {
    Rows rows = database.Report(query.sql);
    if (options.json) {
      out << (is_first ? "{\n" : ",\n") << "  " << JsonText(nlohmann::ordered_json(query.name)) << ": ";
    } else if (!options.csv) {
      out << (is_first ? "" : "\n") << TitleOf(query) << '\n';
    }
    is_first = false;
    PrintRows(&rows, FormatOf(options), options.top, "  ", out);
  }
  if (options.json) out << "\n}\n";
  return 0;
}

int ExportAll(const DbOptions& options) {
  if (IsServerList(options.arguments[0])) {
    ExportFromServers(ServerSet(options.arguments[0], ServerMode::kReads), options.arguments[1]);
    return 0;
  }
  RefuseInputAsOutput(options.arguments[1], {options.arguments[0]});
  const Database database(options.arguments[0], OpenMode::kExports);
  const Connection connection(database);
  CheckSchema(connection);
  ExportInstructions(connection, options.arguments[1]);
  return 0;
}

void ExpectArguments(const DbOptions& options, size_t least, size_t most, const std::string& names) {
  if (options.arguments.size() >= least && options.arguments.size() <= most) return;
  throw UsageFailure("db " + options.action + ": the arguments are " + names + "; softlbr help db shows the usage");
}

}  // namespace

std::vector<std::string> DbActions() { return {"setup", "ingest", "query", "report", "export"}; }

int RunDb(const DbOptions& options, std::ostream& out) {
  constexpr size_t kAny = ~size_t{0};
  if (options.svg && options.action != "report") throw UsageFailure("db " + options.action + ": --svg is for report");
  if (options.action == "setup") {
    ExpectArguments(options, 0, 1, "[FOLDER]");
    return SetUpEngine(options, out);
  }
  if (options.action == "ingest") {
    ExpectArguments(options, 2, kAny, "DATABASE PROFILE...");
    return IngestProfiles(options, out);
  }
  if (options.action == "query") {
    ExpectArguments(options, 2, 2, "DATABASE SQL");
    return RunQuery(options, out);
  }
  if (options.action == "report") {
    ExpectArguments(options, 1, kAny, "DATABASE [PART...]");
    return PrintReports(options, out);
  }
  ExpectArguments(options, 2, 2, "DATABASE FILE");
  return ExportAll(options);
}

}  // namespace softlbr::toolchain

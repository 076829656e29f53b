// The commands, one function each. main.cc parses their options.
//
// A function prints results to `out` and returns the exit code, or throws StatedFailure or UsageFailure. Warnings and
// progress go to stderr.
#ifndef SOFTLBR_TOOLCHAIN_COMMANDS_COMMANDS_H_
#define SOFTLBR_TOOLCHAIN_COMMANDS_COMMANDS_H_

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

// what `record` writes and the readers read if no file is named
inline constexpr const char* kDefaultProfile = "softlbr.slbr";

struct StatsOptions {
  std::vector<std::string> profiles{kDefaultProfile};  // files and folders
  bool json = false;
};
int RunStats(const StatsOptions& options, std::ostream& out);

struct ReportOptions {
  std::vector<std::string> profiles{kDefaultProfile};  // files and folders
  bool json = false;
  bool csv = false;             // the functions
  std::optional<uint64_t> top;  // rows of each table; default: 20, and all as JSON and CSV
  std::string sort = "instructions";
  double min_percent = 0;       // functions of a smaller share of both time and instructions are left out
  std::string module;           // only functions whose module's name contains this
  std::string function;         // only functions whose name contains this
  std::vector<std::string> by;  // of MixDimensions(): a pivot table of mix in place of the report
  std::vector<std::string> binaries;
};
std::vector<std::string> ReportOrders();  // what `sort` may be
int RunReport(const ReportOptions& options, std::ostream& out);

struct BlocksOptions {
  std::string profile;
  bool json = false;
  bool lines = false;  // source lines
  uint64_t top = 20;
  std::vector<std::string> binaries;
};
int RunBlocks(const BlocksOptions& options, std::ostream& out);

struct MixOptions {
  std::vector<std::string> profiles;  // files and folders
  std::vector<std::string> by;        // of MixDimensions(); empty: a table for each of the usual ones
  std::string groups;                 // a file of groups of mnemonics (code/mnemonic_groups.h)
  bool json = false;
  bool csv = false;
  uint64_t top = 20;
  std::vector<std::string> binaries;
};
int RunMix(const MixOptions& options, std::ostream& out);
// What `mix` counts by: "mnemonic, extension, ..."
std::string MixDimensions();

struct PrefetchOptions {
  std::string profile;
  std::vector<std::string> binaries;
  std::string layout;  // the program as it was rebuilt with hints; empty: as it was recorded
  std::string hints;   // the list of sites that the layout was made with; empty: choose all anew
  uint32_t l1_bytes = 32u << 10;
  uint32_t next_lines = 2;
  uint32_t buffer_lines = 0;
  uint32_t latency = 76;  // cycles of the L3
  double ipc = 0.67;
  uint32_t distance = 0;  // instructions; 0: latency times ipc
  uint32_t window = 200;
  double fan_out = 0.2;
  double most_executions = 2.4;  // percent of all instructions
  uint64_t most_hints = 1000;
  double replaced = 15;  // percent of `hints`
};
int RunPrefetch(const PrefetchOptions& options, std::ostream& out);

struct DbOptions {
  std::string action;                  // one of DbActions()
  std::vector<std::string> arguments;  // what follows it
  std::vector<std::string> binaries;   // of ingest
  bool json = false;                   // of query and report
  bool csv = false;
  bool svg = false;    // of report
  std::string drawer;  // sh's script that draws a picture; empty: draw_chart.sh beside the libraries
  uint64_t top = 20;
};
// kExitLeftOut if it ingested some of the profiles only.
int RunDb(const DbOptions& options, std::ostream& out);
std::vector<std::string> DbActions();

struct DumpOptions {
  std::string profile;
  bool traces = false;
};
int RunDump(const DumpOptions& options, std::ostream& out);

struct MergeOptions {
  std::vector<std::string> profiles;
  std::string weights = "none";  // or "start", "balance", "length"
  std::string output;
  bool keeps_outliers = false;
  std::vector<std::string> labels;  // KEY=VALUE; takes only the profiles all of whose sessions have them
};
// kExitLeftOut if it wrote a sum without some of the profiles.
int RunMerge(const MergeOptions& options, std::ostream& out);

struct DiffOptions {
  std::string before;
  std::string after;
  bool json = false;
  std::string by = "branch";  // branch range block function: what min_overlap is about
  double min_overlap = 0;
  uint64_t top = 20;
  std::vector<std::string> binaries;
};
int RunDiff(const DiffOptions& options, std::ostream& out);

struct DoctorOptions {
  bool json = false;
};
int RunDoctor(const DoctorOptions& options, std::ostream& out);

struct PluginCheckOptions {
  std::string plugin;
  std::vector<std::string> binaries;
  bool json = false;
};
int RunPluginCheck(const PluginCheckOptions& options, std::ostream& out);

struct ConvertOptions {
  std::string to;                        // bolt llvm autofdo propeller perfscript perfdata
  std::string format = "preaggregated";  // of bolt: preaggregated fdata traces
  std::string profile;
  std::vector<std::string> binaries;  // files or module names, one unless `output` is a folder; empty: the main module
  std::string output;                 // an existing folder, or a name that ends with /: all modules, a file each
};
int RunConvert(const ConvertOptions& options, std::ostream& out);
// The end of its help: how each consumer takes its file.
std::string ConsumerUsage();

struct OptimizeOptions {
  bool use_bolt = false;  // the default unless use_pgo
  bool use_pgo = false;
  bool use_both = false;
  std::string build;  // of use_pgo: a command for sh
  std::string work = "softlbr-optimize";
  std::string output;  // empty: the program's path with .optimized
  std::string input;   // the program's standard input; empty: /dev/null
  std::string step;    // check record apply measure; empty: all
  uint32_t pairs = 10;
  double enough = 0.95;
  double record_seconds = 60;
  bool json = false;
  std::vector<std::string> program;  // with its arguments
};
// 0 if a faster program was written.
int RunOptimize(const OptimizeOptions& options, std::ostream& out);

struct TriggerOptions {
  std::string target;  // a process id, a program's name, or the path of a socket
  std::string folder;  // empty: the default of programs that name none
  std::string output = kDefaultProfile;
  double seconds = 0;  // 0: what the program's library takes
  std::string event = "best";
  uint64_t period = 0;
  uint64_t frequency_hz = 0;
  uint32_t branches = 0;
  std::string max_overhead;
  bool quiet = false;
};
int RunTrigger(const TriggerOptions& options);

struct RequestOptions {
  std::string new_key;  // else empty, and a request is written
  std::string key;
  std::string app;
  std::string binary;  // empty: for every build
  std::string output = "softlbr.request";
  double seconds = 0;  // 0: what the program's library takes
  uint64_t valid_s = 86400;
  std::string event = "best";
  uint64_t period = 0;
  uint64_t frequency_hz = 0;
  uint32_t branches = 0;
  std::string max_overhead;
  std::string skip;
};
int RunRequest(const RequestOptions& options);

struct ListOptions {
  std::string folder;
  bool json = false;
};
int RunList(const ListOptions& options, std::ostream& out);

struct UploadOptions {
  std::string folder;
  std::string url;
  uint64_t segment_bytes = 256u << 10;
  bool head_first = false;
  bool trust_answers = false;     // --trust-answers
  bool make_collections = false;  // --mkcol
  uint32_t retries = 8;           // of one request
  double max_wait_s = 300;
  uint64_t timeout_s = 60;
  uint64_t rate_bytes = 0;   // a second; 0: no limit
  uint64_t daily_bytes = 0;  // 0: no limit
  std::string ca_file;
  std::string header_file;
};
struct CollectOptions {
  std::string listen;  // address:port
  std::string folder;
  uint64_t max_bytes = uint64_t{10} << 30;
  uint64_t max_body_bytes = 8u << 20;
  uint32_t timeout_s = 60;
};
// Serves until SIGINT or SIGTERM.
int RunCollect(const CollectOptions& options, std::ostream& out);

// 0 if nothing is left to send and nothing had to be put into quarantine.
int RunUpload(const UploadOptions& options, std::ostream& out);

struct RecordOptions {
  std::string output = kDefaultProfile;
  std::string event = "best";
  uint64_t period = 0;
  uint64_t frequency_hz = 0;
  uint32_t branches = 0;  // 0: the runtime's default
  std::string resolve = "lookahead";
  std::string max_overhead;   // percent of the program's CPU time, "1" or "0.5%"; empty: the runtime's default
  uint32_t verify_every = 0;  // 0: the runtime's default
  bool traces = false;
  bool paths = true;
  bool no_breakpoints = false;
  bool production = false;   // --production: as the library records by default
  bool no_children = false;  // records the first process only
  // records nothing, and waits for `softlbr trigger`; of the other options only quiet counts
  bool wait_trigger = false;
  bool quiet = false;
  std::vector<std::string> labels;   // KEY=VALUE
  std::vector<std::string> program;  // with its arguments
};
// Returns the program's exit code. If a signal killed the program, this process raises the same signal and does not
// return.
int RunRecord(const RecordOptions& options);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_COMMANDS_COMMANDS_H_

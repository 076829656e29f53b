// The softlbr command: parses the command line, runs one command and maps its result to an exit code.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "platform/base/limits.h"
#include "toolchain/base/failure.h"
#include "toolchain/base/names.h"
#include "toolchain/base/say.h"
#include "toolchain/base/text.h"
#include "toolchain/commands/commands.h"

#ifndef SOFTLBR_VERSION
#define SOFTLBR_VERSION "unknown"
#endif

namespace softlbr::toolchain {
namespace {

// The parsed options of all commands, filled by CLI11.
struct Parsed {
  StatsOptions stats;
  ReportOptions report;
  BlocksOptions blocks;
  MixOptions mix;
  PrefetchOptions prefetch;
  DbOptions db;
  DumpOptions dump;
  MergeOptions merge;
  DiffOptions diff;
  DoctorOptions doctor;
  ConvertOptions convert;
  RecordOptions record;
  OptimizeOptions optimize;
  PluginCheckOptions plugin_check;
  TriggerOptions trigger;
  RequestOptions request;
  ListOptions list;
  UploadOptions upload;
  CollectOptions collect;
};

// CLI11 would take -1 for a very large number.
std::string IsCount(const std::string& text) {
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? "" : "a number of rows, 0 or more";
}

// As CLI::Range, which takes what is no number, "nan", for one in it.
CLI::Validator Between(double low, double high) {
  const std::string range = CLI::Range(low, high).get_description();
  return CLI::Validator(
      [low, high](std::string& text) {
        double value = 0;
        const bool is_inside = CLI::detail::lexical_cast(text, value) && value >= low && value <= high;
        return is_inside ? std::string()
                         : "Value " + text + " not in range " + std::to_string(low) + " to " + std::to_string(high);
      },
      range);
}

std::string IsPercentage(const std::string& text) {
  return PartsPerMillion(text) != 0 ? "" : "a percentage from 0.001% to 100%";
}

std::string Percentage(uint64_t parts_per_million) {
  char text[32];
  std::snprintf(text, sizeof text, "%g%%", static_cast<double>(parts_per_million) / 10000);
  return text;
}

void AddRecord(CLI::App* app, RecordOptions* options) {
  CLI::App* command = app->add_subcommand("record", "Run a program and record its taken branches");
  command->add_option("-o,--output", options->output, "Profile to write; a folder (DIR/): one for each process")
      ->capture_default_str();
  command->add_option("-e,--event", options->event, "Event to sample by")
      ->check(CLI::IsMember(EventNames()))
      ->capture_default_str();
  CLI::Option* period =
      command->add_option("-c,--period", options->period, "Events (clocks: nanoseconds) between samples")
          ->check(CLI::Range(uint64_t{1}, kMostPeriod));
  command->add_option("-F,--freq", options->frequency_hz, "Samples per second of CPU time, instead of -c")
      ->check(CLI::Range(uint64_t{1}, kMostFrequencyHz))
      ->excludes(period);
  command
      ->add_option("--branches", options->branches,
                   "Taken branches in a trace (default 256; 1024 with --production or --traces; 128 with -c or -F; 16 "
                   "if static)")
      ->check(CLI::Range(uint32_t{1}, static_cast<uint32_t>(kMaxBranchesPerTrace)));
  command->add_option("--resolve", options->resolve, "static: breakpoints only; lookahead: evaluate ahead")
      ->check(CLI::IsMember({"static", "lookahead"}))
      ->capture_default_str();
  command
      ->add_option(
          "--max-overhead", options->max_overhead,
          "Lower the sampling rate as needed to stay below this share of the program's CPU time, e.g. 1% (default " +
              Percentage(kDenseMaxOverheadPpm) + " of the first second, falling to " +
              Percentage(kDefaultMaxOverheadPpm) + " of ten seconds; " + Percentage(kDefaultMaxOverheadPpm) +
              " with --production or --traces, " + Percentage(kFrequencyMaxOverheadPpm) + " with -F; no limit with -c)")
      ->check(IsPercentage);
  command->add_option("--verify", options->verify_every, "Verify the prediction of one trace in N (default 1024)")
      ->check(CLI::Range(1u, ~0u));
  command
      ->add_flag("--production", options->production,
                 "Record as an app that links the library does: fewer and longer traces, from the first second on")
      ->excludes(period)
      ->excludes("--freq");
  command->add_flag("--traces", options->traces, "Keep whole traces in addition to the counts");
  command->add_flag("--paths,!--no-paths", options->paths, "--no-paths: leave the folders of module names out");
  command->add_flag("--no-breakpoints", options->no_breakpoints, "Look-ahead alone");
  command->add_flag("--no-children", options->no_children, "Record only the process that the command starts");
  CLI::Option* wait = command->add_flag("--wait-trigger", options->wait_trigger,
                                        "Record nothing by itself: softlbr trigger starts sessions in the program");
  for (CLI::Option* other : command->get_options()) {
    if (other != wait && other != command->get_help_ptr()) wait->excludes(other);
  }
  command->add_option("--label", options->labels, "KEY=VALUE, kept in the profile, to compare by (repeatable)")
      ->allow_extra_args(false);
  command->add_flag("-q,--quiet", options->quiet, "No summary line");
  command->prefix_command();
  command->footer(
      "softlbr record [OPTIONS] -- PROGRAM [ARGUMENTS...]\nEnds with the program's exit code, or by the signal that "
      "killed it.");
}

void AddTrigger(CLI::App* app, TriggerOptions* options) {
  CLI::App* command = app->add_subcommand("trigger", "Start a session in a running program and fetch its profile");
  command->add_option("TARGET", options->target, "The program: its process id, its name, or the path of its socket")
      ->required();
  command->add_option("-d,--duration", options->seconds, "Seconds (default 10, or the program's limit)")
      ->check(Between(0.001, 86400.0));
  command->add_option("-e,--event", options->event, "Event to sample by")
      ->check(CLI::IsMember(EventNames()))
      ->capture_default_str();
  CLI::Option* period =
      command->add_option("-c,--period", options->period, "Events (clocks: nanoseconds) between samples")
          ->check(CLI::Range(uint64_t{1}, kMostPeriod));
  command->add_option("-F,--freq", options->frequency_hz, "Samples per second of CPU time, instead of -c")
      ->check(CLI::Range(uint64_t{1}, kMostFrequencyHz))
      ->excludes(period);
  command->add_option("--branches", options->branches, "Taken branches in a trace (default 1024; 128 with -c or -F)")
      ->check(CLI::Range(uint32_t{1}, static_cast<uint32_t>(kMaxBranchesPerTrace)));
  command
      ->add_option("--max-overhead", options->max_overhead,
                   "Lower the sampling rate as needed to stay below this share of the program's CPU time, e.g. 1% "
                   "(default 1%, or the "
                   "program's limit)")
      ->check(IsPercentage);
  command->add_option("-o,--output", options->output, "Profile to write, - for standard output")->capture_default_str();
  command->add_option("--folder", options->folder, "Where the programs' sockets are");
  command->add_flag("-q,--quiet", options->quiet, "No summary line");
  command->footer("Ctrl-C ends the session early and keeps what came.");
}

void AddRequest(CLI::App* app, RequestOptions* options) {
  CLI::App* command = app->add_subcommand("request", "Write and sign a request for sessions on devices");
  command->add_option("--new-key", options->new_key,
                      "Make a secret key, and its public half in FILE.pub, and no request");
  command->add_option("--key", options->key, "File of the secret key to sign with");
  command->add_option("--app", options->app, "The program's name");
  command->add_option("-b,--binary", options->binary,
                      "The build to ask: the file that has its build id (default: every build)");
  command->add_option("-d,--duration", options->seconds, "Seconds (default 10, or the program's limit)")
      ->check(Between(0.001, 86400.0));
  command->add_option("-e,--event", options->event, "Event to sample by")
      ->check(CLI::IsMember(EventNames()))
      ->capture_default_str();
  CLI::Option* period =
      command->add_option("-c,--period", options->period, "Events (clocks: nanoseconds) between samples")
          ->check(CLI::Range(uint64_t{1}, kMostPeriod));
  command->add_option("-F,--freq", options->frequency_hz, "Samples per second of CPU time, instead of -c")
      ->check(CLI::Range(uint64_t{1}, kMostFrequencyHz))
      ->excludes(period);
  command->add_option("--branches", options->branches, "Taken branches in a trace (default 1024; 128 with -c or -F)")
      ->check(CLI::Range(uint32_t{1}, static_cast<uint32_t>(kMaxBranchesPerTrace)));
  command
      ->add_option("--max-overhead", options->max_overhead,
                   "Limit of the session's share of CPU time (default 1%, or the program's limit)")
      ->check(IsPercentage);
  command
      ->add_option("--skip", options->skip,
                   "Share of the devices that record nothing, by chance, e.g. 99% (default: none)")
      ->check(IsPercentage);
  command->add_option("--valid", options->valid_s, "Seconds from now in which devices take it")
      ->check(CLI::Range(uint64_t{1}, uint64_t{7 * 24 * 3600}))
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "File to write, - for standard output")->capture_default_str();
}

void AddList(CLI::App* app, ListOptions* options) {
  CLI::App* command = app->add_subcommand("list", "Show the running programs that can be triggered");
  command->add_option("--folder", options->folder, "Where the programs' sockets are");
  command->add_flag("--json", options->json, "As JSON");
}

void AddPrefetch(CLI::App* app, PrefetchOptions* options) {
  CLI::App* command = app->add_subcommand("prefetch", "Choose where a program should prefetch which code");
  command->add_option("PROFILE", options->profile)->required();
  command->add_option("-b,--binary", options->binaries, "A file to take code from (repeatable)")
      ->allow_extra_args(false);
  CLI::Option* layout = command->add_option("--layout", options->layout,
                                            "The program rebuilt with hints: choose for where its code stands now");
  command
      ->add_option("--hints", options->hints,
                   "The list of sites that --layout was rebuilt with: only replace its worst hints")
      ->needs(layout);
  command->add_option("--cache", options->l1_bytes, "Bytes of the L1 instruction cache")->capture_default_str();
  command->add_option("--next-lines", options->next_lines, "Lines of the next-line prefetcher")
      ->check(CLI::Range(0, 8))
      ->capture_default_str();
  command->add_option("--buffer-lines", options->buffer_lines, "Lines of a prefetch buffer beside the L1-I (0: none)")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->add_option("--latency", options->latency, "Cycles of the L3")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--ipc", options->ipc, "Instructions per cycle")
      ->check(Between(0.01, 16.0))
      ->capture_default_str();
  command->add_option("--distance", options->distance,
                      "Instructions from a hint to the miss (default: latency times ipc)");
  command->add_option("--window", options->window, "Instructions that a hint may be farther away")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command->add_option("--fan-out", options->fan_out, "Least share of a hint's executions that lead to the miss")
      ->check(Between(0.0, 1.0))
      ->capture_default_str();
  command
      ->add_option("--most-executions", options->most_executions, "Executions of hints, in percent of all instructions")
      ->check(Between(0.0, 100.0))
      ->capture_default_str();
  command->add_option("--most-hints", options->most_hints, "Hints in the program")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  command->add_option("--replaced", options->replaced, "Percent of --hints, the worst, that make room for others")
      ->check(Between(0.0, 100.0))
      ->capture_default_str();
}

// "1%" or "0.5", 0 to 100.
bool ReadPercent(std::string text, double* percent) {
  if (!text.empty() && text.back() == '%') text.pop_back();
  char* end = nullptr;
  *percent = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && *percent >= 0 && *percent <= 100;
}

void AddReaders(CLI::App* app, Parsed* parsed) {
  CLI::App* stats = app->add_subcommand("stats", "Show settings, costs, losses and modules of the sessions");
  stats->add_option("PROFILE", parsed->stats.profiles, "Profiles, or folders of them")->capture_default_str();
  stats->add_flag("--json", parsed->stats.json, "As JSON (docs/cli.md lists the keys)");

  CLI::App* report = app->add_subcommand("report", "Show the modules, functions and branches executed most");
  report->add_option("PROFILE", parsed->report.profiles, "Profiles, or folders of them")->capture_default_str();
  CLI::Option* as_json = report->add_flag("--json", parsed->report.json, "As JSON, all rows");
  report->add_flag("--csv", parsed->report.csv, "The functions as comma-separated values, all rows")->excludes(as_json);
  report->add_option("--top", parsed->report.top, "Rows of each table (default: 20)")->check(IsCount);
  report->add_option("--sort", parsed->report.sort, "Order of the functions")
      ->check(CLI::IsMember(ReportOrders()))
      ->capture_default_str();
  report
      ->add_option(
          "--min",
          [parsed](const CLI::results_t& values) { return ReadPercent(values.back(), &parsed->report.min_percent); },
          "Leave out functions of a smaller share, e.g. 1%")
      ->type_name("PERCENT");
  report->add_option("--module", parsed->report.module, "Only functions of modules whose name contains this");
  report->add_option("--function", parsed->report.function, "Only functions whose name contains this");
  report
      ->add_option("--by", parsed->report.by,
                   "In place of the report, the instructions by any of " + MixDimensions() + ", as mix")
      ->delimiter(',')
      ->allow_extra_args(false);
  report->add_option("-b,--binary", parsed->report.binaries, "A file to take symbols from (repeatable)")
      ->allow_extra_args(false);

  CLI::App* blocks = app->add_subcommand("blocks", "Show how often each basic block was executed");
  blocks->add_option("PROFILE", parsed->blocks.profile)->required();
  blocks->add_flag("--lines", parsed->blocks.lines, "With source lines");
  blocks->add_flag("--json", parsed->blocks.json, "As JSON");
  blocks->add_option("--top", parsed->blocks.top, "Blocks to list")->check(IsCount)->capture_default_str();
  blocks->add_option("-b,--binary", parsed->blocks.binaries, "A file to take code from (repeatable)")
      ->allow_extra_args(false);

  CLI::App* mix = app->add_subcommand("mix", "Show what kinds of instructions were executed");
  mix->add_option("PROFILES", parsed->mix.profiles)->required();
  mix->add_option("--by", parsed->mix.by, "Count by any of " + MixDimensions())
      ->delimiter(',')
      ->allow_extra_args(false);
  mix->add_option("--groups", parsed->mix.groups, "Groups for --by group: a file of lines `group: mnemonic, mnemonic`")
      ->type_name("FILE");
  CLI::Option* json = mix->add_flag("--json", parsed->mix.json, "As JSON");
  mix->add_flag("--csv", parsed->mix.csv, "As comma-separated values, all rows; needs --by")->excludes(json);
  mix->add_option("--top", parsed->mix.top, "Rows of each table")->check(IsCount)->capture_default_str();
  mix->add_option("-b,--binary", parsed->mix.binaries, "A file to take code from (repeatable)")
      ->allow_extra_args(false);

  AddPrefetch(app, &parsed->prefetch);

  CLI::App* dump = app->add_subcommand("dump", "Print everything in a profile, one record per line");
  dump->add_option("PROFILE", parsed->dump.profile)->required();
  dump->add_flag("--traces", parsed->dump.traces, "Also print whole traces");

  CLI::App* diff = app->add_subcommand("diff", "Compare two profiles");
  diff->add_option("A", parsed->diff.before)->required();
  diff->add_option("B", parsed->diff.after)->required();
  diff->add_flag("--json", parsed->diff.json, "As JSON");
  diff->add_option("--min", parsed->diff.min_overlap, "Fail (exit code 1) if the overlap is below this")
      ->check(Between(0.0, 1.0))
      ->capture_default_str();
  diff->add_option("--by", parsed->diff.by, "Whose overlap --min is about; block also lists the blocks")
      ->check(CLI::IsMember({"branch", "range", "block", "function"}))
      ->capture_default_str();
  diff->add_option("--top", parsed->diff.top, "Changes to list")->check(IsCount)->capture_default_str();
  diff->add_option("-b,--binary", parsed->diff.binaries, "A file to take symbols from (repeatable)")
      ->allow_extra_args(false);
}

void AddDb(CLI::App* app, DbOptions* options) {
  CLI::App* command = app->add_subcommand("db", "Keep the instructions of many profiles in a database, and ask it");
  command->add_option("ACTION", options->action, "setup, ingest, query, report or export")
      ->required()
      ->check(CLI::IsMember(DbActions()));
  command->add_option("ARGUMENTS", options->arguments, "of the action");
  command->add_option("-b,--binary", options->binaries, "ingest: a file to take code from (repeatable)")
      ->allow_extra_args(false);
  CLI::Option* json = command->add_flag("--json", options->json, "query, report: as JSON");
  CLI::Option* csv =
      command->add_flag("--csv", options->csv, "query, report of one part: as comma-separated values")->excludes(json);
  command->add_flag("--svg", options->svg, "report of one part: as a picture")->excludes(json)->excludes(csv);
  command->add_option("--top", options->top, "query, report: rows of each table, bars of a picture")
      ->check(IsCount)
      ->capture_default_str();
  command->footer(
      "softlbr db setup [FOLDER]                 fetch the engine, DuckDB\n"
      "softlbr db ingest DATABASE PROFILE...     add profiles, or folders of them\n"
      "softlbr db query DATABASE SQL             one question; `FROM asm` has a row for each instruction\n"
      "softlbr db report DATABASE [PART...]      the usual questions\n"
      "softlbr db export DATABASE FILE           all instructions, as FILE.parquet or FILE.csv\n"
      "DATABASE: a file, or ClickHouse servers: http://HOST:PORT/NAME,...");
}

void AddOptimize(CLI::App* app, OptimizeOptions* options) {
  CLI::App* command =
      app->add_subcommand("optimize", "Record a program, optimize it with LLVM's tools, and keep what is faster");
  command->add_flag("--bolt", options->use_bolt, "With llvm-bolt (default): a program linked with -Wl,--emit-relocs");
  command->add_flag("--pgo", options->use_pgo, "By a new build with the profile, by clang");
  command->add_option("--build", options->build,
                      "Command that builds the program; $SOFTLBR_PROFILE_FLAG holds the compiler's flag");
  command->add_flag("--both", options->use_both, "First --pgo, then --bolt")->excludes("--pgo")->excludes("--bolt");
  command->add_option("-o,--output", options->output, "The faster program (default: PROGRAM.optimized)");
  command->add_option("--work", options->work, "Folder for all intermediate files")->capture_default_str();
  command->add_option("--input", options->input, "File for the program's standard input (default: none)")
      ->check(CLI::ExistingFile);
  command->add_option("--step", options->step, "Only one step: check, record, apply or measure")
      ->check(CLI::IsMember({"check", "record", "apply", "measure"}));
  command->add_option("--pairs", options->pairs, "Pairs of timed runs")
      ->check(CLI::Range(1u, 10000u))
      ->capture_default_str();
  command->add_option("--enough", options->enough, "Record until a second recording would overlap by this")
      ->check(Between(0.0, 0.999))
      ->capture_default_str();
  command->add_option("--record-seconds", options->record_seconds, "But no longer than this")
      ->check(Between(0.0, 86400.0))
      ->capture_default_str();
  command->add_flag("--json", options->json, "The result as JSON");
  command->prefix_command();
  command->footer(
      "softlbr optimize [OPTIONS] -- PROGRAM [ARGUMENTS...]\nExit code 1: the program did not get faster, or a step "
      "failed.");
}

void AddPluginCheck(CLI::App* app, PluginCheckOptions* options) {
  CLI::App* command = app->add_subcommand("plugin-check", "Try whether a decoder plugin keeps its contract");
  command->add_option("FILE", options->plugin, "The plugin: a shared object")->required();
  command->add_option("-b,--binary", options->binaries, "A file whose code is decoded, too (repeatable)")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "As JSON");
  command->footer("Runs the plugin's code. Exit code 1: it breaks the contract.");
}

void AddUpload(CLI::App* app, UploadOptions* options) {
  constexpr uint64_t kMost = uint64_t{1} << 50;
  CLI::App* command = app->add_subcommand("upload", "Send the finished sessions of a folder to a server");
  command->add_option("FOLDER", options->folder, "The spool: <session>.slbr files")->required();
  command->add_option("URL", options->url, "http:// or https:// address below which segments are stored")->required();
  command->add_option("--segment-bytes", options->segment_bytes, "Largest segment")
      ->check(CLI::Range(uint64_t{1}, uint64_t{64} << 20))
      ->capture_default_str();
  command->add_flag("--head-first", options->head_first, "Ask for each segment first: for servers that overwrite");
  command->add_flag("--mkcol", options->make_collections,
                    "Make each session's collection first: for WebDAV servers that need it");
  command->add_flag("--trust-answers", options->trust_answers,
                    "Delete a file on a status of success, without proof: for servers that allow PUT only");
  command->add_option("--retries", options->retries, "Repetitions of one request")
      ->check(CLI::Range(0u, 1000u))
      ->capture_default_str();
  command->add_option("--max-wait", options->max_wait_s, "Longest wait between two attempts, seconds")
      ->check(Between(0.0, 86400.0))
      ->capture_default_str();
  command->add_option("--timeout", options->timeout_s, "Seconds without progress that end an attempt")
      ->check(CLI::Range(uint64_t{1}, uint64_t{86400}))
      ->capture_default_str();
  command->add_option("--rate", options->rate_bytes, "Bytes a second (default: no limit)")
      ->check(CLI::Range(uint64_t{1}, kMost));
  command->add_option("--daily-bytes", options->daily_bytes, "Bytes a day (default: no limit)")
      ->check(CLI::Range(uint64_t{1}, kMost));
  command->add_option("--cacert", options->ca_file,
                      "File of the certificate authorities to trust (default: the system's)");
  command->add_option("--header-file", options->header_file,
                      "File of headers to add, 'Name: value' a line: for tokens");
}

void AddCollect(CLI::App* app, CollectOptions* options) {
  constexpr uint64_t kMost = uint64_t{1} << 50;
  CLI::App* command = app->add_subcommand("collect", "Receive what softlbr upload sends");
  command->add_option("--listen", options->listen, "ADDRESS:PORT; port 0: any, which is printed")->required();
  command->add_option("-o,--output", options->folder, "Folder to store sessions in")->required();
  command->add_option("--max-bytes", options->max_bytes, "Bytes of disk")
      ->check(CLI::Range(uint64_t{1}, kMost))
      ->capture_default_str();
  command->add_option("--max-body", options->max_body_bytes, "Largest segment")
      ->check(CLI::Range(uint64_t{1}, uint64_t{128} << 20))
      ->capture_default_str();
  command
      ->add_option("--timeout", options->timeout_s,
                   "Seconds within which a request must be complete, and its answer taken")
      ->check(CLI::Range(1u, 86400u))
      ->capture_default_str();
}

void AddWriters(CLI::App* app, Parsed* parsed) {
  CLI::App* merge = app->add_subcommand("merge", "Add several profiles into one");
  merge->add_option("-o,--output", parsed->merge.output, "Profile to write")->required();
  merge
      ->add_option("--weights", parsed->merge.weights,
                   "none; start, balance or length: against the bias of sampling by time (need whole traces)")
      ->check(CLI::IsMember({"none", "start", "balance", "length"}))
      ->capture_default_str();
  merge->add_option("--label", parsed->merge.labels, "KEY=VALUE: take only profiles with this label (repeatable)")
      ->allow_extra_args(false);
  merge->add_flag("--keep-outliers", parsed->merge.keeps_outliers, "Take profiles unlike the rest of their build, too");
  merge->add_option("PROFILES", parsed->merge.profiles)->required();

  CLI::App* convert = app->add_subcommand("convert", "Write the input file of a compiler, linker or optimizer");
  convert->add_option("--to", parsed->convert.to, "bolt, llvm, csspgo, autofdo, propeller, perfscript or perfdata")
      ->required();
  convert->add_option("PROFILE", parsed->convert.profile)->required();
  convert
      ->add_option("--format", parsed->convert.format,
                   "bolt only: preaggregated or traces (22 and later) for perf2bolt, or fdata for llvm-bolt")
      ->check(CLI::IsMember({"preaggregated", "fdata", "traces"}))
      ->capture_default_str();
  convert
      ->add_option(
          "-b,--binary", parsed->convert.binaries,
          "Which module: its file, or its name in the profile (default: the program; repeatable with a folder)")
      ->allow_extra_args(false);
  convert
      ->add_option("-o,--output", parsed->convert.output, "File to write, - for standard output; FOLDER/: all modules")
      ->required();
  convert->footer(ConsumerUsage());
}

int Run(const CLI::App& app, const Parsed& parsed) {
  if (app.got_subcommand("stats")) return RunStats(parsed.stats, std::cout);
  if (app.got_subcommand("report")) return RunReport(parsed.report, std::cout);
  if (app.got_subcommand("blocks")) return RunBlocks(parsed.blocks, std::cout);
  if (app.got_subcommand("prefetch")) return RunPrefetch(parsed.prefetch, std::cout);
  if (app.got_subcommand("mix")) return RunMix(parsed.mix, std::cout);
  if (app.got_subcommand("db")) return RunDb(parsed.db, std::cout);
  if (app.got_subcommand("dump")) return RunDump(parsed.dump, std::cout);
  if (app.got_subcommand("merge")) return RunMerge(parsed.merge, std::cout);
  if (app.got_subcommand("diff")) return RunDiff(parsed.diff, std::cout);
  if (app.got_subcommand("doctor")) return RunDoctor(parsed.doctor, std::cout);
  if (app.got_subcommand("plugin-check")) return RunPluginCheck(parsed.plugin_check, std::cout);
  if (app.got_subcommand("trigger")) return RunTrigger(parsed.trigger);
  if (app.got_subcommand("request")) return RunRequest(parsed.request);
  if (app.got_subcommand("list")) return RunList(parsed.list, std::cout);
  if (app.got_subcommand("collect")) return RunCollect(parsed.collect, std::cout);
  if (app.got_subcommand("upload")) return RunUpload(parsed.upload, std::cout);
  if (app.got_subcommand("optimize")) return RunOptimize(parsed.optimize, std::cout);
  if (app.got_subcommand("convert")) return RunConvert(parsed.convert, std::cout);
  return RunRecord(parsed.record);
}

// Removes and returns everything after the first -- of `record` and `optimize`: the program and its arguments, which
// CLI11 must not parse.
std::vector<std::string> TakeProgram(std::vector<std::string>* arguments) {
  const auto record = arguments->begin();
  if (record == arguments->end() || (*record != "record" && *record != "optimize")) return {};
  const auto separator = std::find(record, arguments->end(), "--");
  if (separator == arguments->end()) return {};
  std::vector<std::string> program(separator + 1, arguments->end());
  if (program.empty()) throw UsageFailure(*record + ": nothing after --; name a program there");
  arguments->erase(separator, arguments->end());
  return program;
}

// Throws UsageFailure, with the command that was probably meant, if there is no such command.
void CheckCommand(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names = {"help"};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  const std::string closest = ClosestWord(name, names);
  throw UsageFailure(SafeText(name) + ": no such command; " +
                     (closest.empty() ? "" : "did you mean " + closest + "? ") + "softlbr --help lists them");
}

int Main(std::vector<std::string> arguments) {
  CLI::App app("softlbr: last branch records in software");
  app.name("softlbr");
  app.set_version_flag("--version", std::string("softlbr ") + SOFTLBR_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 success, 1 a stated failure, 2 wrong usage, 3 written without some of the inputs (merge, db "
      "ingest); record: "
      "the "
      "program's own.");
  Parsed parsed;
  AddRecord(&app, &parsed.record);
  AddReaders(&app, &parsed);
  AddDb(&app, &parsed.db);
  AddWriters(&app, &parsed);
  AddOptimize(&app, &parsed.optimize);
  AddPluginCheck(&app, &parsed.plugin_check);
  AddTrigger(&app, &parsed.trigger);
  AddRequest(&app, &parsed.request);
  AddList(&app, &parsed.list);
  AddUpload(&app, &parsed.upload);
  AddCollect(&app, &parsed.collect);
  CLI::App* doctor = app.add_subcommand("doctor", "Check what this machine permits, and how to enable the rest");
  doctor->add_flag("--json", parsed.doctor.json, "As JSON");

  if (arguments.empty()) throw UsageFailure("name a command; softlbr --help lists them");
  if (arguments[0] == "help") {  // help VERB is VERB --help
    if (arguments.size() > 2) throw UsageFailure("help: name one command, as in softlbr help record");
    arguments.erase(arguments.begin());
    arguments.push_back("--help");
  }
  if (!arguments[0].starts_with("-")) {
    CheckCommand(app, arguments[0]);
  } else if (arguments[0] != "-h" && arguments[0] != "--help" && arguments[0] != "--version") {
    throw UsageFailure(
        SafeText(arguments[0]) +
        ": no such option of softlbr itself; a command comes first, then its options: softlbr --help lists them");
  }
  const std::vector<std::string> program = TakeProgram(&arguments);
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 expects the last argument first
    app.parse(std::move(arguments));
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    const std::vector<CLI::App*> commands = app.get_subcommands();
    throw UsageFailure(SafeText(error.what()) + "; softlbr help" +
                       (commands.empty() ? "" : " " + commands[0]->get_name()) + " shows the usage");
  }
  for (const std::string name : {"record", "optimize"}) {
    if (!app.got_subcommand(name)) continue;
    const std::vector<std::string> extra = app.get_subcommand(name)->remaining();
    if (!extra.empty() && extra[0].starts_with("-")) {
      throw UsageFailure(name + ": " + SafeText(extra[0]) + " is not an option of " + name + "; softlbr help " + name +
                         " lists them");
    }
    if (!extra.empty() && !program.empty()) {
      throw UsageFailure(name + ": " + SafeText(extra[0]) + " comes before --; the program goes after it");
    }
    (name == "record" ? parsed.record.program : parsed.optimize.program) = program.empty() ? extra : program;
  }
  return Run(app, parsed);
}

}  // namespace
}  // namespace softlbr::toolchain

int main(int argc, char** argv) {
  using namespace softlbr::toolchain;
  try {
    const int code = Main(std::vector<std::string>(argv + 1, argv + argc));
    std::cout.flush();
    if (!std::cout) throw StatedFailure("standard output cannot be written; free space there or write elsewhere");
    return code;
  } catch (const UsageFailure& failure) {
    Say(failure.what());
    return kExitUsage;
  } catch (const StatedFailure& failure) {
    Say(failure.what());
    return failure.exit_code();
  } catch (const std::bad_alloc&) {
    Say("out of memory; the input may be damaged, or needs a larger machine");
    return kExitFailure;
  } catch (const std::exception& unexpected) {
    Say(SafeText(unexpected.what()));
    return kExitFailure;
  }
}

// Compares the calling contexts of `convert --to csspgo` with those of the true path.
//
// A program is single-stepped, its path cut into traces of 1024 branches, and these are converted. A shadow stack,
// built over the whole path from the bytes of calls and returns in all modules, gives the true context of every branch.
// llvm-profgen must find the same contexts. The path is cut in several ways, and the results added up: where a trace
// happens to begin, between the program's rounds or in the middle of one, depends on how many branches the loader takes
// on this machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <map>
#include <regex>
#include <sstream>

#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/convert/true_path_profile.h"
#include "tests/truth/recording.h"
#include "toolchain/binary/elf_image.h"
#include "toolchain/profile/profile_reader.h"
#include "toolchain/symbols/symbols.h"

namespace softlbr::toolchain {
namespace {

using testing::CommandResult;
using testing::HasProgram;
using testing::ReadFile;
using testing::RunCommand;
using testing::RunSoftlbr;

constexpr size_t kBranchesOfLongTrace = 1024;
constexpr uint64_t kMaxContextSteps = 3000000;
constexpr size_t kComparedCallers = 2;
constexpr size_t kCuts = 8;
constexpr double kWantedOverlap = 0.95;
// A call instruction is no longer.
constexpr uint64_t kMaxCallBytes = 8;

using PathBranch = std::pair<Location, Location>;

enum class PathKind { kCall, kReturn, kOther };

// Calls and returns from their bytes; shares nothing with the decoders.
class BranchKinds {
 public:
  explicit BranchKinds(const truth::TruePath& path) {
    for (const truth::TruthModule& module : path.modules.modules()) {
      auto opened = ElfImage::Open(module.path);
      const auto* image = std::get_if<ElfImagePtr>(&opened);
      images_.push_back(image != nullptr ? *image : nullptr);
    }
  }
  PathKind At(const Location& place) const {
    if (place.module >= images_.size() || images_[place.module] == nullptr) return PathKind::kOther;
    std::span<const uint8_t> code = images_[place.module]->CodeAt(place.address, 6);
    while (code.size() > 2 && (code[0] == 0x3e || code[0] == 0xf2 || code[0] == 0xf3 || (code[0] & 0xf0) == 0x40)) {
      code = code.subspan(1);  // notrack, bnd, rep, REX
    }
    if (code.size() < 2) return PathKind::kOther;
    if (code[0] == 0xe8 || (code[0] == 0xff && (code[1] >> 3 & 7) == 2)) return PathKind::kCall;
    return code[0] == 0xc3 || code[0] == 0xc2 ? PathKind::kReturn : PathKind::kOther;
  }
  const ElfImage& image(uint32_t module) const { return *images_[module]; }

 private:
  std::vector<ElfImagePtr> images_;
};

bool IsBehind(const Location& target, const Location& call) {
  return target.module == call.module && target.address > call.address &&
         target.address - call.address <= kMaxCallBytes;
}

// The call instructions that are active, outermost first.
class ShadowStack {
 public:
  void Step(const PathBranch& branch, PathKind kind) {
    if (kind == PathKind::kCall) calls_.push_back(branch.first);
    if (kind != PathKind::kReturn) return;
    const auto found = std::find_if(calls_.rbegin(), calls_.rend(),
                                    [&](const Location& call) { return IsBehind(branch.second, call); });
    if (found != calls_.rend()) calls_.erase(std::prev(found.base()), calls_.end());
  }
  // Call addresses in the module, innermost first; adjacent calls of other modules are one 0.
  std::vector<uint64_t> In(uint32_t module) const {
    std::vector<uint64_t> calls;
    for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
      const uint64_t address = call->module == module ? call->address : 0;
      if (address != 0 || calls.empty() || calls.back() != 0) calls.push_back(address);
    }
    return calls;
  }

 private:
  std::vector<Location> calls_;
};

struct Sample {
  std::vector<uint64_t> chain;                          // return addresses, innermost first; 0 for outside
  std::vector<std::pair<uint64_t, uint64_t>> branches;  // oldest first
};

// The samples of a file; addresses are link-time ones again, or 0.
std::vector<Sample> ReadSamples(const std::string& text, const ElfImage& image) {
  uint64_t page = 0;
  for (const Segment& segment : image.segments()) {
    if ((segment.flags & 1) != 0) page = segment.vaddr & ~uint64_t{0xfff};
  }
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  uint64_t start = 0;
  EXPECT_EQ(std::sscanf(line.c_str(), " PERF_RECORD_MMAP2 1/1: [0x%" SCNx64, &start), 1);
  const auto linked = [&](uint64_t address) {
    const uint64_t place = address - start + page;
    return FindExecutableSegment(image.segments(), place) != nullptr ? place : 0;
  };
  std::vector<Sample> samples;
  std::vector<uint64_t> chain;
  while (std::getline(lines, line)) {
    if (line[0] == '\t') {
      chain.push_back(linked(std::stoull(line.substr(1), nullptr, 16)));
      continue;
    }
    Sample& sample = samples.emplace_back();
    sample.chain.assign(chain.begin() + 1, chain.end());
    chain.clear();
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      uint64_t from = 0;
      uint64_t to = 0;
      EXPECT_EQ(std::sscanf(word.c_str(), "0x%" SCNx64 "/0x%" SCNx64, &from, &to), 2) << word;
      sample.branches.emplace_back(linked(from), linked(to));
    }
    std::reverse(sample.branches.begin(), sample.branches.end());
  }
  return samples;
}

using Shares = std::map<std::string, uint64_t>;

double OverlapOf(const Shares& a, const Shares& b) {
  const auto total = [](const Shares& shares) {
    double sum = 0;
    for (const auto& [key, count] : shares) sum += static_cast<double>(count);
    return sum;
  };
  const double total_a = total(a);
  const double total_b = total(b);
  double overlap = 0;
  for (const auto& [key, count] : a) {
    const auto it = b.find(key);
    if (it == b.end()) continue;
    overlap += std::min(static_cast<double>(count) / total_a, static_cast<double>(it->second) / total_b);
  }
  return overlap;
}

// How often each context was found behind a branch, and how often it was there, by number of compared callers.
struct Agreement {
  uint64_t compared = 0;
  uint64_t true_contexts = 0;
  std::array<Shares, kComparedCallers + 1> shares_found;
  std::array<Shares, kComparedCallers + 1> shares_true;
};

class CallingContexts : public ::testing::Test {
 protected:
  // Builds, steps and converts the program. Empty on success, else the missing capability.
  std::string Prepare() {
    if (!HasProgram("clang-19")) return "missing: clang-19";
    const std::string missing = truth::MissingCapability();
    if (missing.find("ptrace") != std::string::npos) return "missing: " + missing;
    program_ = folder_ / "calling_contexts";
    const CommandResult built =
        RunCommand({"clang-19", "-O2", "-g", "-fuse-ld=lld", "-Wl,--build-id", "-fno-optimize-sibling-calls",
                    std::string(SOFTLBR_PROGRAM_SOURCES) + "/calling_contexts.c", "-o", program_});
    EXPECT_EQ(built.exit_code, 0) << built.err;
    truth::Launch launch;
    launch.arguments = {program_};
    EXPECT_EQ(truth::StepThrough(launch, truth::Stepped::kItself, {}, kMaxContextSteps, &path_), "");
    return "";
  }

  // Cuts the path into traces, the first of which begins in the loader, and converts them.
  void Convert(size_t cut) {
    truth::TruePath path = path_;
    std::vector<truth::BranchNumber>& first = path.chunks.front();
    const size_t skipped = cut * kBranchesOfLongTrace / kCuts;
    ASSERT_GT(first.size(), skipped);
    first.erase(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(skipped));
    profile_ = testing::ProfileOfTruePath(path, kBranchesOfLongTrace, program_);
    for (uint32_t i = 0; i < profile_.modules.size(); ++i) {
      if (profile_.modules[i].is_main) module_ = i;
    }
    ASSERT_EQ(WriteProfileFile(profile_, folder_ / "truth.slbr"), "");
    converted_ = folder_ / "out.csspgo";
    const CommandResult result =
        RunSoftlbr({"convert", "--to", "csspgo", folder_ / "truth.slbr", "-b", program_, "-o", converted_});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "") << "nothing of a true path may be left out";
  }

  using FoundContexts = std::vector<std::pair<std::pair<uint64_t, uint64_t>, std::vector<uint64_t>>>;

  // The contexts behind each branch of the samples, by walking each sample backward.
  FoundContexts ContextsOfSamples(const BranchKinds& kinds) const {
    const SymbolTable symbols(kinds.image(module_), nullptr);
    const std::vector<Sample> samples = ReadSamples(ReadFile(converted_), kinds.image(module_));
    FoundContexts found;
    for (const Sample& sample : samples) {
      std::vector<uint64_t> known(sample.chain.rbegin(), sample.chain.rend());  // innermost last
      const size_t first = found.size();
      for (auto branch = sample.branches.rbegin(); branch != sample.branches.rend(); ++branch) {
        found.push_back({*branch, {known.rbegin(), known.rend()}});
        const auto& [from, to] = *branch;
        const FunctionSymbol* function = symbols.Find(to);
        const bool is_entry = function != nullptr && function->start == to;
        const PathKind kind = from != 0 ? kinds.At({module_, from}) : is_entry ? PathKind::kCall : PathKind::kReturn;
        if (kind == PathKind::kReturn) known.push_back(to);
        if (kind == PathKind::kCall && !known.empty()) known.pop_back();
      }
      std::reverse(found.begin() + static_cast<std::ptrdiff_t>(first), found.end());
    }
    return found;
  }

  // Adds the converted traces to `agreement`, whose contexts the shadow stack knows.
  void Compare(const BranchKinds& kinds, Agreement* agreement) const {
    FoundContexts found = ContextsOfSamples(kinds);
    size_t at = 0;
    ShadowStack stack;
    for (const Trace& trace : profile_.traces) {
      for (const PathBranch& branch : trace.branches) {
        stack.Step(branch, kinds.At(branch.first));
        const auto place = [&](const Location& location) { return location.module == module_ ? location.address : 0; };
        const std::pair<uint64_t, uint64_t> placed{place(branch.first), place(branch.second)};
        if (placed.first == 0 && placed.second == 0) continue;
        ASSERT_LT(at, found.size());
        ASSERT_EQ(found[at].first, placed) << "the samples are the path, branch by branch";
        std::vector<uint64_t>& context = found[at++].second;
        if (placed.second == 0) continue;
        const std::vector<uint64_t> truth = stack.In(module_);
        // The loader begins the program by a jump, which the converter takes for a call: another module outside all
        // true frames.
        if (context.size() > truth.size() && context.back() == 0) context.pop_back();
        bool is_true = context.size() <= truth.size();
        for (size_t i = 0; is_true && i < context.size(); ++i) {
          is_true = truth[i] == 0 ? context[i] == 0 : IsBehind({module_, context[i]}, {module_, truth[i]});
        }
        ++agreement->compared;
        agreement->true_contexts += is_true;
        std::string found_key = std::to_string(placed.second);
        std::string true_key = found_key;
        for (size_t callers = 0; callers <= kComparedCallers; ++callers) {
          ++agreement->shares_found[callers][found_key];
          ++agreement->shares_true[callers][true_key];
          // A frame that is right has the true frame's name.
          const bool is_known = callers < context.size();
          if (is_known) found_key += ' ' + std::to_string(is_true ? truth[callers] : context[callers]);
          if (callers < truth.size()) true_key += ' ' + std::to_string(truth[callers]);
        }
      }
    }
    EXPECT_EQ(at, found.size());
  }

  testing::TemporaryFolder folder_;
  std::string program_;
  std::string converted_;
  truth::TruePath path_;
  Profile profile_;
  uint32_t module_ = 0;
};

TEST_F(CallingContexts, EqualTheShadowStackOfTheTruePath) {
  const std::string missing = Prepare();
  if (!missing.empty()) GTEST_SKIP() << missing;
  if (HasFailure()) return;
  const BranchKinds kinds(path_);
  Agreement agreement;
  for (size_t cut = 0; cut < kCuts; ++cut) {
    Convert(cut);
    if (HasFailure()) return;
    Compare(kinds, &agreement);
    if (HasFailure()) return;
  }
  ASSERT_GT(agreement.compared, kCuts * 5000u);
  EXPECT_EQ(agreement.true_contexts, agreement.compared) << "a caller that did not call";
  for (size_t callers = 1; callers <= kComparedCallers; ++callers) {
    const double overlap = OverlapOf(agreement.shares_found[callers], agreement.shares_true[callers]);
    std::printf("%zu caller(s): overlap %.4f over %zu contexts, %" PRIu64 " branches\n", callers, overlap,
                agreement.shares_true[callers].size(), agreement.compared);
    EXPECT_GE(overlap, kWantedOverlap);
  }
}

// "main:2.2 @ one_round:6 @ few:500:20" and so on: contexts of functions with calls of the function.
TEST_F(CallingContexts, LlvmProfgenFindsThem) {
  for (const char* tool : {"llvm-profgen-19", "llvm-profdata-19"}) {
    if (!HasProgram(tool)) GTEST_SKIP() << "missing: " << tool;
  }
  const std::string missing = Prepare();
  if (!missing.empty()) GTEST_SKIP() << missing;
  if (HasFailure()) return;
  Convert(0);
  if (HasFailure()) return;
  const std::string out = folder_ / "out.prof";
  const CommandResult result =
      RunCommand({"llvm-profgen-19", "--perfscript=" + converted_, "--binary=" + program_, "--output=" + out,
                  "--format=text", "--gen-cs-nested-profile=0", "--csprof-merge-cold-context=0"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err.find("profile is empty"), std::string::npos) << result.err;
  EXPECT_EQ(RunCommand({"llvm-profdata-19", "show", "--sample", out}).exit_code, 0);

  // Calls by name of the caller's caller, caller and callee. llvm-profgen folds recursion: `descend` is left out.
  Shares calls_found;
  std::istringstream lines(ReadFile(out));
  const std::regex head(R"(^\[(.*)\]:(\d+):(\d+)$)");
  const std::regex location(R"(:[0-9.]+)");
  size_t deepest = 0;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, head) || line.find("descend") != std::string::npos) continue;
    std::istringstream words(std::regex_replace(match[1].str(), location, ""));
    std::vector<std::string> names;
    for (std::string word; words >> word;) {
      if (word != "@") names.push_back(word);
    }
    deepest = std::max(deepest, names.size());
    const uint64_t calls = std::stoull(match[3]);
    if (names.size() >= 3 && calls != 0) {
      calls_found[names[names.size() - 3] + ' ' + names[names.size() - 2] + ' ' + names.back()] += calls;
    }
  }
  const BranchKinds kinds(path_);
  const SymbolTable symbols(kinds.image(module_), nullptr);
  Shares calls_true;
  ShadowStack stack;
  for (const Trace& trace : profile_.traces) {
    for (const PathBranch& branch : trace.branches) {
      const PathKind kind = kinds.At(branch.first);
      stack.Step(branch, kind);
      if (kind != PathKind::kCall || branch.first.module != module_ || branch.second.module != module_) continue;
      const std::vector<uint64_t> calls = stack.In(module_);
      const FunctionSymbol* callee = symbols.Find(branch.second.address);
      if (calls.size() < 2 || calls[1] == 0 || callee == nullptr || callee->is_stub) continue;
      const std::string key = symbols.Find(calls[1])->name + ' ' + symbols.Find(calls[0])->name + ' ' + callee->name;
      if (key.find("descend") == std::string::npos) ++calls_true[key];
    }
  }
  ASSERT_GT(calls_true.size(), 10u);
  EXPECT_GE(deepest, 6u);
  for (const auto& [key, count] : calls_found) {
    EXPECT_TRUE(calls_true.contains(key)) << key << " never happened";
    EXPECT_LE(count, calls_true[key]) << key;
  }
  const double overlap = OverlapOf(calls_found, calls_true);
  std::printf("llvm-profgen: overlap %.4f over %zu contexts of two callers\n", overlap, calls_true.size());
  EXPECT_GE(overlap, kWantedOverlap);
}

}  // namespace
}  // namespace softlbr::toolchain

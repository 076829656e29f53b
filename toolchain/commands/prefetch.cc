// `softlbr prefetch`: where a program should prefetch which code, from the whole traces of a profile.
#include <fstream>
#include <unordered_map>
#include <unordered_set>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"
#include "toolchain/code/executed_code.h"
#include "toolchain/commands/commands.h"
#include "toolchain/commands/executed_input.h"
#include "toolchain/prefetch/code_layout.h"
#include "toolchain/prefetch/site_choice.h"
#include "toolchain/prefetch/site_list.h"
#include "toolchain/profile/files.h"

namespace softlbr::toolchain {
namespace {

// How often the path passes each trace.
constexpr uint32_t kPasses = 2;
constexpr uint64_t kSmallestCacheBytes = 512;

uint32_t MainModule(const Profile& profile) {
  for (uint32_t i = 0; i < profile.modules.size(); ++i) {
    if (profile.modules[i].is_main) return i;
  }
  throw StatedFailure("the profile names no main module; record it again");
}

CodeCacheShape ShapeOf(const PrefetchOptions& options) {
  CodeCacheShape shape;
  shape.l1_bytes = options.l1_bytes;
  shape.next_lines = options.next_lines;
  shape.buffer_lines = options.buffer_lines;
  shape.l3_cycles = options.latency;
  shape.ipc = options.ipc;
  if (!shape.IsValid())
    throw UsageFailure("--cache takes bytes, a power of two from " + std::to_string(kSmallestCacheBytes));
  return shape;
}

// Fewer lines than these are those of another program.
constexpr double kLeastKnownLines = 0.9;

CodeLayout LayoutOf(const PrefetchOptions& options, uint32_t main, const ElfImage& file, const std::string& debug) {
  if (options.layout.empty()) return {};
  const auto opened = ElfImage::Open(options.layout);
  if (const auto* error = std::get_if<std::string>(&opened)) throw StatedFailure(*error);
  const ElfImage& rebuilt = *std::get<ElfImagePtr>(opened);
  CodeLayout layout(main, CodePlacesOf(file, debug), CodePlacesOf(rebuilt, rebuilt.path()));
  const auto known = static_cast<double>(layout.known_lines());
  if (known < kLeastKnownLines * (known + static_cast<double>(layout.missing_lines()))) {
    throw StatedFailure(SafeText(options.layout) +
                        ": has not the lines of the recorded program; assemble the same files, with as -g");
  }
  return layout;
}

// The hints of the list that the layout was made with.
std::vector<ChosenHint> GivenHints(const PrefetchOptions& options, uint32_t main, const TracePath& path) {
  std::vector<ChosenHint> given;
  if (options.hints.empty()) return given;
  std::ifstream file(options.hints);
  if (!file) throw StatedFailure(SafeText(options.hints) + ": cannot be read");
  std::unordered_map<uint64_t, BlockNumber> block_at;
  for (BlockNumber number = 0; number < path.blocks().size(); ++number) {
    if (path.blocks()[number].module == main) block_at[path.blocks()[number].start] = number;
  }
  for (const ListedHint& hint : ReadSiteList(file, SafeText(options.hints))) {
    const auto block = block_at.find(hint.site);
    if (block == block_at.end()) throw StatedFailure(SafeText(options.hints) + ": was not chosen from this profile");
    given.push_back({block->second, hint.target, main});
  }
  return given;
}

// The path did not get to the end of its first cacheful.
[[noreturn]] void FailCold(const TracePath& path, const CodeCacheShape& shape) {
  std::unordered_set<uint64_t> lines;
  for (const PathBlock& block : path.blocks()) {
    for (const LineOfBlock& line : block.lines) lines.insert(line.line);
  }
  const uint64_t bytes = lines.size() * kCodeLineBytes;
  if (bytes <= kSmallestCacheBytes) {
    throw StatedFailure("the traces execute " + GroupedCount(bytes) +
                        " bytes of code, which every cache holds; there is nothing to prefetch");
  }
  throw StatedFailure("the traces execute " + GroupedCount(bytes) + " bytes of code, which do not fill a cache of " +
                      GroupedCount(shape.l1_bytes) +
                      " even once; record longer, so that more of the code is executed, or lower --cache");
}

}  // namespace

int RunPrefetch(const PrefetchOptions& options, std::ostream& out) {
  const CodeCacheShape shape = ShapeOf(options);
  SiteLimits limits;
  limits.distance =
      options.distance != 0 ? options.distance : static_cast<uint32_t>(options.latency * options.ipc + 0.5);
  limits.window = options.window;
  limits.fan_out = options.fan_out;
  limits.most_executions = options.most_executions / 100;
  limits.most_hints = options.most_hints;
  limits.replaced = options.replaced / 100;

  ExecutedInput input({options.profile}, options.binaries);
  if (input.profile.whole_traces == 0) {
    throw StatedFailure(SafeText(options.profile) + ": holds no whole traces; use record --traces --branches 1024");
  }
  const uint32_t main = MainModule(input.profile);
  const ElfImagePtr file = input.symbolizer->File(main);
  if (file == nullptr) {
    const std::string other = input.files.DescribeOtherBuild(input.profile.modules[main]);
    throw StatedFailure((other.empty() ? "the program's file was not found" : other) +
                        "; name the file that ran with -b");
  }
  const ElfImagePtr debug = input.files.FindDebugFile(*file, DebugUse::kLines);
  const AssemblyPlaces places(*file, debug != nullptr ? debug->path() : file->path());

  TracePath path(input.code, LayoutOf(options, main, *file, debug != nullptr ? debug->path() : file->path()));
  VisitTraces(input.profile, [&path](const Trace& trace) { path.Add(trace); });
  const SiteChoice choice = ChooseSites(
      path, kPasses, shape, limits, GivenHints(options, main, path),
      [&](BlockNumber number) {
        const PathBlock& block = path.blocks()[number];
        return block.module == main && places.Line(block.start).has_value();
      },
      [&](uint32_t module, uint64_t address) { return module == main && !places.Target(address).empty(); });
  if (choice.instructions == 0) FailCold(path, shape);
  WriteSiteList(choice, path, places, input.symbolizer.get(), out);
  return 0;
}

}  // namespace softlbr::toolchain

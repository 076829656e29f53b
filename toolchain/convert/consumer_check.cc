#include "toolchain/convert/consumer_check.h"

#include <elf.h>

#include <algorithm>
#include <map>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/code_agreement.h"

namespace softlbr::toolchain {
namespace {

// Less than this share of the branches is not worth a warning.
constexpr double kWorthAWarning = 0.01;
constexpr size_t kMaxNamedFunctions = 3;

bool HasFunctions(const ElfImage& image) {
  const std::vector<ElfSymbol> symbols = image.Symbols(false);
  return std::any_of(symbols.begin(), symbols.end(), [](const ElfSymbol& symbol) {
    return (symbol.type == STT_FUNC || symbol.type == STT_GNU_IFUNC) && symbol.section != SHN_UNDEF;
  });
}

bool HasLines(const ElfImage& image) {
  for (const char* name : {".debug_line", ".zdebug_line", ".pseudo_probe"}) {
    const ElfSection* section = image.FindSection(name);
    if (section != nullptr && section->bytes != 0) return true;
  }
  return false;
}

bool NeedsLines(Consumer consumer) { return consumer == Consumer::kSourceProfile || consumer == Consumer::kAutofdo; }

std::string Percent(double share) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f%%", 100 * share);
  return buffer;
}

uint64_t TotalCount(const ConvertInput& input) {
  uint64_t total = 0;
  for (const ConvertBranch& branch : input.branches) total = SaturatingAdd(total, branch.count);
  return total;
}

double ShareOf(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Executable code at other places than when the profile was recorded: the file was rewritten after linking and kept its
// build id.
void CompareSegments(const ConvertInput& input, std::vector<std::string>* warnings) {
  const auto only_in = [](const std::vector<Segment>& some, const std::vector<Segment>& others) {
    std::string text;
    for (const Segment& segment : some) {
      if ((segment.flags & PF_X) == 0) continue;
      const bool is_common = std::any_of(others.begin(), others.end(), [&segment](const Segment& other) {
        return (other.flags & PF_X) != 0 && other.vaddr == segment.vaddr && other.memory_bytes == segment.memory_bytes;
      });
      if (!is_common)
        text += (text.empty() ? "" : ", ") + Hex(segment.vaddr) + "-" + Hex(segment.vaddr + segment.memory_bytes);
    }
    return text;
  };
  const std::string path = SafeText(input.image->path());
  const std::string remedy = "; it was rewritten after linking: name the very file that ran with -b";
  const std::string of_profile = only_in(input.module->segments, input.segments);
  if (!of_profile.empty())
    warnings->push_back(path + ": the profile has code at " + of_profile + ", and the file has not" + remedy);
  const std::string of_file = only_in(input.segments, input.module->segments);
  if (!of_file.empty())
    warnings->push_back(path + ": the file has code at " + of_file + " that the profile does not know" + remedy);
}

// Code that cannot have made the recorded branches, if it is more than a few, is not the code that ran.
void CompareCode(const ConvertInput& input, std::vector<std::string>* warnings) {
  const CodeAgreement agreement = CompareWithCode(*input.profile, input.module_index, *input.image);
  const std::string text = DescribeContradiction(agreement, *input.image);
  if (agreement.ContradictingShare() >= kOtherCode) throw StatedFailure(text);
  if (!text.empty()) warnings->push_back(text);
}

// Branches between addresses that no symbol covers are lost in every consumer.
void CheckSymbolCover(const ConvertInput& input, std::vector<std::string>* warnings) {
  uint64_t unknown = 0;
  for (const ConvertBranch& branch : input.branches) {
    const auto is_unknown = [&input](const std::optional<uint64_t>& place) {
      return place.has_value() && input.symbols.Find(*place) == nullptr;
    };
    if (is_unknown(branch.from) || is_unknown(branch.to)) unknown = SaturatingAdd(unknown, branch.count);
  }
  const double share = ShareOf(unknown, TotalCount(input));
  if (share < kWorthAWarning) return;
  warnings->push_back(
      SafeText(input.image->path()) + ": " + Percent(share) +
      " of the branches are in code without a function symbol, which optimizers leave as it is; assembly needs .type "
      "and .size");
}

// Without relocations llvm-bolt moves no function. Functions whose jump table it does not find it leaves as they are,
// with and without relocations: where the compiler has moved the load of the table's address out of a loop.
void CheckJumps(const ConvertInput& input, std::vector<std::string>* warnings) {
  const std::string path = SafeText(input.image->path());
  if (HasCodeRelocations(*input.image) || HasAddressTranslation(*input.image)) return;
  warnings->push_back(path +
                      ": linked without relocations, so llvm-bolt can reorder blocks but no functions; link with "
                      "-Wl,--emit-relocs");
  if (input.walker == nullptr) return;
  std::map<std::string, uint64_t> by_function;
  uint64_t jumps = 0;
  for (const ConvertBranch& branch : input.branches) {
    if (!branch.from.has_value() || !branch.to.has_value()) continue;
    const FunctionSymbol* function = input.symbols.Find(*branch.from);
    if (function == nullptr || function->is_stub || input.symbols.Find(*branch.to) != function) continue;
    if (input.walker->KindAt(*branch.from) != SOFTLBR_END_INDIRECT_JUMP) continue;
    jumps = SaturatingAdd(jumps, branch.count);
    uint64_t& count = by_function[function->name];
    count = SaturatingAdd(count, branch.count);
  }
  if (jumps == 0) return;
  std::vector<std::pair<uint64_t, std::string>> busiest;
  for (const auto& [name, count] : by_function) busiest.emplace_back(count, name);
  std::sort(busiest.rbegin(), busiest.rend());
  std::string names;
  for (size_t i = 0; i < std::min(busiest.size(), kMaxNamedFunctions); ++i) {
    names += (i == 0 ? "" : ", ") + SafeText(busiest[i].second);
  }
  if (busiest.size() > kMaxNamedFunctions) names += ", ...";
  warnings->push_back(path + ": " + Counted(by_function.size(), "function jumps", "functions jump") +
                      " through a table or a computed goto (" + names + "; " +
                      Percent(ShareOf(jumps, TotalCount(input))) +
                      " of the branches); llvm-bolt leaves those as they are whose table it does not find: compile "
                      "with -fno-jump-tables");
}

}  // namespace

bool HasAddressTranslation(const ElfImage& image) { return image.FindSection(".note.bolt_bat") != nullptr; }

bool HasCodeRelocations(const ElfImage& image) {
  const ElfSection* section = image.FindSection(".rela.text");
  return section != nullptr && section->bytes != 0;
}

std::string WhyUnusable(const ElfImage& image, const ElfImage* debug, Consumer consumer, BinaryOption option) {
  const std::string path = SafeText(image.path());
  const std::string name_it = option == BinaryOption::kIsThere ? "name the file before stripping with -b, or " : "";
  if (consumer == Consumer::kAny) return "";
  if (consumer == Consumer::kBolt && image.FindSection(".note.bolt_info") != nullptr && !HasAddressTranslation(image)) {
    return path +
           " is a result of llvm-bolt without a table of where its code came from, and llvm-bolt takes only profiles "
           "of the "
           "program "
           "as it was linked; " +
           (option == BinaryOption::kIsThere ? "record that, or run llvm-bolt with -enable-bat" : "name that");
  }
  if (!HasFunctions(image)) {
    if (consumer == Consumer::kBolt) {
      return path + " is stripped, and perf2bolt finds no function without the symbol table; " + name_it +
             "link without -s";
    }
    if (debug == nullptr || !HasFunctions(*debug)) {
      return path +
             " is stripped and its debug file is not installed, so no function would be found and the result be "
             "empty; " +
             name_it + "install its -dbgsym package";
    }
  }
  if (NeedsLines(consumer) && !HasLines(image) && (debug == nullptr || !HasLines(*debug))) {
    return path + " has no line tables, so the result would be empty; compile with -g or -fpseudo-probe-for-profiling";
  }
  return "";
}

std::vector<std::string> CheckForConsumer(const ConvertInput& input, Consumer consumer) {
  std::vector<std::string> warnings;
  if (input.image == nullptr) return warnings;
  CompareSegments(input, &warnings);
  CompareCode(input, &warnings);
  const std::string why = WhyUnusable(*input.image, input.debug.get(), consumer, BinaryOption::kIsThere);
  if (!why.empty()) throw StatedFailure(why);
  if (consumer == Consumer::kAny) return warnings;
  CheckSymbolCover(input, &warnings);
  if (consumer == Consumer::kBolt) CheckJumps(input, &warnings);
  if (consumer == Consumer::kPropeller && input.image->FindSection(".llvm_bb_addr_map") == nullptr) {
    warnings.push_back(
        SafeText(input.image->path()) +
        ": has no section .llvm_bb_addr_map, without which generate_propeller_profiles finds no basic block; compile "
        "with -fbasic-block-address-map (clang 19 and later; before, -fbasic-block-sections=labels)");
  }
  if (NeedsLines(consumer) && input.debug != nullptr && (!HasFunctions(*input.image) || !HasLines(*input.image))) {
    const std::string path = SafeText(input.image->path());
    const std::string debug = SafeText(input.debug->path());
    // llvm-profgen has an option for the debug file, but finds no function if the program is stripped of its symbols:
    // the result is empty.
    const std::string tool = consumer == Consumer::kAutofdo ? "create_llvm_prof" : "llvm-profgen";
    warnings.push_back(path + ": its debug information is in " + debug + "; " + tool +
                       " needs one file: join the two with eu-unstrip -o BOTH " + path + " " + debug +
                       ", and give it --binary=BOTH");
  }
  return warnings;
}

}  // namespace softlbr::toolchain

#include "tests/reference/exact_profile.h"

#include <charconv>
#include <filesystem>
#include <map>
#include <sstream>
#include <vector>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/elf_image.h"
#include "toolchain/binary/module_files.h"

namespace softlbr::reference {
namespace {

using toolchain::ElfImage;
using toolchain::ElfImagePtr;
using toolchain::kNoModule;
using toolchain::Location;
using toolchain::Profile;
using toolchain::Segment;
using toolchain::StatedFailure;

class Reader {
 public:
  explicit Reader(const std::string& main_program) : main_program_(main_program) {}

  ExactProfiles Read(std::istream& counts) {
    std::string line;
    if (!std::getline(counts, line) || line != "softlbr-exact 1") Fail("the first line");
    while (std::getline(counts, line)) {
      std::istringstream fields(line);
      std::string kind;
      fields >> kind;
      if (kind == "totals") {
        if (has_totals_) Fail(line);
        result_.instructions = ReadNumber(fields, 10);
        result_.branches = ReadNumber(fields, 10);
        samples_ = ReadNumber(fields, 10);
        has_totals_ = true;
      } else if (kind == "module") {
        const uint64_t number = ReadNumber(fields, 10);
        std::string path;
        std::getline(fields >> std::ws, path);
        if (number != paths_.size() || path.empty()) Fail(line);
        paths_.push_back(path);
      } else if (kind == "run") {
        ReadRun(fields);
      } else if (kind == "pc") {
        const Location pc = ReadLocation(fields);
        const uint64_t count = ReadNumber(fields, 10);
        if (count == 0) Fail(line);
        Add(count, &read_samples_);
        if (pc.module != kNoModule) samples_by_pc_[pc] += count;
      } else {
        Fail(line);
      }
    }
    if (!has_totals_) Fail("the totals; it is not complete");
    if (read_branches_ != result_.branches || read_samples_ > samples_)
      Fail("the end; its rows do not add up to its totals");
    Finish(&result_.exact, branches_, ranges_, 1);
    if (samples_ != 0) Finish(&result_.sampled, sampled_branches_, sampled_ranges_, 2);
    for (const auto& [pc, count] : samples_by_pc_) result_.sampled.samples.push_back({pc, count});
    result_.sampled.counters.samples = samples_;
    return std::move(result_);
  }

 private:
  using Branches = std::map<std::pair<Location, Location>, uint64_t>;
  using Ranges = std::map<std::tuple<uint32_t, uint64_t, uint64_t>, uint64_t>;

  [[noreturn]] void Fail(const std::string& what) {
    throw StatedFailure("the plugin's counts cannot be read at: " + toolchain::SafeText(what) + "; run it again");
  }

  // Digits alone: a stream would take "-1" for the largest number.
  uint64_t ReadNumber(std::istringstream& fields, int base) {
    std::string word;
    fields >> word;
    uint64_t number = 0;
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, number, base);
    if (error != std::errc() || rest != end) Fail(fields.str());
    return number;
  }

  // Sums of rows stay exact: the totals, which the sums must equal, are numbers themselves.
  void Add(uint64_t count, uint64_t* sum) {
    if (__builtin_add_overflow(*sum, count, sum)) Fail("counts that exceed 64 bits");
  }

  // The module and link-time address of an offset in a file; kNoModule for what is no ELF code.
  Location ReadLocation(std::istringstream& fields) {
    std::string module;
    const auto at = (fields >> std::ws).tellg();
    fields >> module;
    if (module == "-1") {
      (void)ReadNumber(fields, 16);
      return {};
    }
    fields.clear();
    fields.seekg(at);
    const uint64_t number = ReadNumber(fields, 10);
    const uint64_t offset = ReadNumber(fields, 16);
    if (number >= paths_.size()) Fail("a module number");
    const auto [it, is_new] = numbers_.try_emplace(number, kNoModule);
    if (is_new) it->second = Open(paths_[number]);
    if (it->second == kNoModule) return {};
    for (const Segment& segment : modules_[it->second].segments) {
      if ((segment.flags & 1) == 0 || offset < segment.file_offset ||
          offset - segment.file_offset >= segment.file_bytes)
        continue;
      return {it->second, segment.vaddr + (offset - segment.file_offset)};
    }
    return {};
  }

  uint32_t Open(const std::string& path) {
    const auto opened = ElfImage::Open(path);
    const auto* image = std::get_if<ElfImagePtr>(&opened);
    if (image == nullptr) return kNoModule;
    std::error_code error;
    toolchain::ProfileModule module;
    module.name = toolchain::BaseName(path);
    module.build_id = (*image)->build_id();
    module.machine = (*image)->machine();
    module.elf_type = (*image)->type();
    module.is_main = std::filesystem::equivalent(path, main_program_, error);
    module.segments = (*image)->segments();
    modules_.push_back(std::move(module));
    return static_cast<uint32_t>(modules_.size() - 1);
  }

  void ReadRun(std::istringstream& fields) {
    const Location start = ReadLocation(fields);
    const Location from = ReadLocation(fields);
    const Location to = ReadLocation(fields);
    const uint64_t count = ReadNumber(fields, 10);
    const uint64_t sampled = ReadNumber(fields, 10);
    const uint64_t sampled_runs = ReadNumber(fields, 10);
    if (count == 0) Fail(fields.str());
    Add(count, &read_branches_);
    Add(sampled, &read_sampled_);
    Add(sampled_runs, &read_sampled_runs_);
    if (from.module == kNoModule || to.module == kNoModule) result_.unmapped += count;
    if (from.module == kNoModule && to.module == kNoModule) return;
    branches_[{from, to}] += count;
    if (sampled != 0) sampled_branches_[{from, to}] += sampled;
    if (start.module != from.module || from.module == kNoModule || start.address > from.address) return;
    ranges_[{from.module, start.address, from.address}] += count;
    if (sampled_runs != 0) sampled_ranges_[{from.module, start.address, from.address}] += sampled_runs;
  }

  void Finish(Profile* profile, const Branches& branches, const Ranges& ranges, uint64_t session_id) {
    profile->modules = modules_;
    for (const auto& [branch, count] : branches) profile->branches.push_back({branch.first, branch.second, count});
    for (const auto& [range, count] : ranges) {
      profile->ranges.push_back({std::get<0>(range), std::get<1>(range), std::get<2>(range), count});
    }
    toolchain::ProfileSession session{};
    session.session_id = session_id;
    session.program = toolchain::BaseName(main_program_);
    session.arch = modules_.empty() ? 0 : modules_.front().machine;
    session.counters.samples = session_id == 1 ? 0 : samples_;
    profile->sessions.push_back(session);
  }

  std::string main_program_;
  ExactProfiles result_;
  bool has_totals_ = false;
  uint64_t samples_ = 0;
  uint64_t read_branches_ = 0, read_samples_ = 0, read_sampled_ = 0, read_sampled_runs_ = 0;  // sums of the rows
  std::vector<std::string> paths_;
  std::map<uint64_t, uint32_t> numbers_;  // of the plugin's modules in modules_
  std::vector<toolchain::ProfileModule> modules_;
  Branches branches_, sampled_branches_;
  Ranges ranges_, sampled_ranges_;
  std::map<Location, uint64_t> samples_by_pc_;
};

}  // namespace

ExactProfiles ReadExactCounts(std::istream& counts, const std::string& main_program) {
  return Reader(main_program).Read(counts);
}

}  // namespace softlbr::reference

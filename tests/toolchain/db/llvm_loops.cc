#include "tests/toolchain/db/llvm_loops.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <tuple>

#include "tests/toolchain/commands/run_command.h"

namespace softlbr::testing {
namespace {

constexpr char kBlockSection[] = ".softlbr_llvm_blocks";
constexpr char kJumpSection[] = ".softlbr_llvm_jumps";

// The blocks that each jump table names.
std::map<std::string, std::vector<std::string>> JumpTables(const std::string& assembly) {
  static const std::regex label(R"(^(\.LJTI\d+_\d+):)");
  static const std::regex entry(R"(^\s+\.quad\s+(\.LBB\d+_\d+)\s*$)");
  std::map<std::string, std::vector<std::string>> tables;
  std::istringstream lines(assembly);
  std::string table;
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, match, label)) {
      table = match[1];
    } else if (!table.empty() && std::regex_search(line, match, entry)) {
      tables[table].push_back(match[1]);
    } else {
      table.clear();
    }
  }
  return tables;
}

class Annotator {
 public:
  explicit Annotator(const std::string& assembly) : lines_(assembly), tables_(JumpTables(assembly)) {}

  std::string Run(std::string* error) {
    static const std::regex block(R"(^(\.LBB\d+_\d+:|# %bb\.\d+:))");
    static const std::regex comment(R"(^\s+#)");
    static const std::regex end(R"(^\.Lfunc_end)");
    static const std::regex jump(R"(^\s+jmpq\s+\*(\.LJTI\d+_\d+)\(,)");
    std::smatch match;
    for (std::string line; std::getline(lines_, line);) {
      const bool is_block = std::regex_search(line, block);
      if (is_block || std::regex_search(line, end)) EndBlock();
      if (std::regex_search(line, match, jump)) NoteJump(match[1]);
      if (!is_block && !std::regex_search(line, comment)) is_heading_ = false;
      out_ << line << '\n';
      if (is_block) BeginBlock(line);
      if (is_heading_) ReadComment(line);
    }
    for (const auto& [table, targets] : tables_) {
      if (!used_.contains(table)) *error = "no jump through " + table + " was found";
    }
    if (blocks_ == 0) *error = "no block was found";
    return out_.str();
  }

 private:
  void BeginBlock(const std::string& line) {
    const std::string label = line.substr(0, line.find(':'));
    own_label_ = ".Lsoftlbr_block" + std::to_string(++blocks_);
    out_ << own_label_ << ":\n";
    header_ = "0";
    depth_ = "0";
    is_heading_ = true;
  }

  void ReadComment(const std::string& line) {
    static const std::regex own(R"(=> *This (Inner )?Loop Header: Depth=(\d+))");
    static const std::regex inside(R"(in Loop: Header=(BB\d+_\d+) Depth=(\d+))");
    std::smatch match;
    if (std::regex_search(line, match, own)) {
      header_ = own_label_;
      depth_ = match[2];
    } else if (std::regex_search(line, match, inside)) {
      header_ = ".L" + match[1].str();
      depth_ = match[2];
    }
  }

  void EndBlock() {
    if (own_label_.empty()) return;
    const std::string end = own_label_ + "_end";
    out_ << end << ":\n";
    Record(kBlockSection, {own_label_, end, header_, depth_});
    own_label_.clear();
    is_heading_ = false;
  }

  void NoteJump(const std::string& table) {
    used_.insert(table);
    const std::string label = ".Lsoftlbr_jump" + std::to_string(++jumps_);
    out_ << label << ":\n";
    for (const std::string& target : tables_[table]) Record(kJumpSection, {label, target});
  }

  void Record(const char* section, const std::vector<std::string>& words) {
    out_ << "\t.pushsection " << section << ",\"\",@progbits\n";
    for (const std::string& word : words) out_ << "\t.quad " << word << '\n';
    out_ << "\t.popsection\n";
  }

  std::istringstream lines_;
  std::map<std::string, std::vector<std::string>> tables_;
  std::ostringstream out_;
  std::set<std::string> used_;
  std::string own_label_;  // of the open block
  std::string header_;
  std::string depth_;
  bool is_heading_ = false;  // lines of comment belong to the open block
  uint64_t blocks_ = 0;
  uint64_t jumps_ = 0;
};

std::vector<uint64_t> Words(const toolchain::ElfImage& image, const char* section) {
  const toolchain::ElfSection* found = image.FindSection(section);
  if (found == nullptr) return {};
  const std::span<const uint8_t> bytes = image.SectionBytes(*found);
  std::vector<uint64_t> words(bytes.size() / sizeof(uint64_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint64_t));
  return words;
}

}  // namespace

std::string AddLlvmLoops(const std::string& assembly, std::string* error) { return Annotator(assembly).Run(error); }

std::string BuildWithLlvmLoops(const std::vector<std::string>& arguments, const std::string& program) {
  // Absolute addresses, so that a jump names its table, and tables hold addresses.
  std::vector<std::string> compile = {"clang-19", "-S", "-fno-pic", "-fno-pie", "-w", "-o", program + ".plain.s"};
  compile.insert(compile.end(), arguments.begin(), arguments.end());
  const CommandResult compiled = RunCommand(compile);
  if (compiled.exit_code != 0) return compiled.err;
  std::string error;
  WriteFile(program + ".s", AddLlvmLoops(ReadFile(program + ".plain.s"), &error));
  if (!error.empty()) return error;
  const CommandResult assembled = RunCommand({"clang-19", "-c", program + ".s", "-o", program + ".o"});
  if (assembled.exit_code != 0) return assembled.err;
  const CommandResult linked = RunCommand({"ld.lld-19", "-static", "--build-id", "--unresolved-symbols=ignore-all",
                                           "--no-gc-sections", "--entry=0", "-o", program, program + ".o"});
  return linked.exit_code == 0 ? "" : linked.err;
}

LlvmLoops ReadLlvmLoops(const toolchain::ElfImage& image) {
  LlvmLoops loops;
  const std::vector<uint64_t> blocks = Words(image, kBlockSection);
  for (size_t i = 0; i + 4 <= blocks.size(); i += 4) {
    const LlvmBlock block{blocks[i], blocks[i + 1], blocks[i + 2], blocks[i + 3]};
    if (block.start != 0 && block.start < block.end) loops.blocks.push_back(block);
  }
  const std::vector<uint64_t> jumps = Words(image, kJumpSection);
  for (size_t i = 0; i + 2 <= jumps.size(); i += 2) loops.jumps.push_back({jumps[i], jumps[i + 1]});
  std::sort(loops.blocks.begin(), loops.blocks.end(),
            [](const LlvmBlock& a, const LlvmBlock& b) { return a.start < b.start; });
  const auto key = [](const TableJump& jump) { return std::tie(jump.from, jump.to); };
  std::sort(loops.jumps.begin(), loops.jumps.end(),
            [&](const TableJump& a, const TableJump& b) { return key(a) < key(b); });
  const auto end = std::unique(loops.jumps.begin(), loops.jumps.end(),
                               [&](const TableJump& a, const TableJump& b) { return key(a) == key(b); });
  loops.jumps.erase(end, loops.jumps.end());
  return loops;
}

}  // namespace softlbr::testing

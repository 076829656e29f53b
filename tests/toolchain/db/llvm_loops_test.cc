// The database's loops against LLVM's, block by block, on code that clang optimized.
//
// A made-up profile executes every block of a program, so both see the same code, and each jump through a table goes to
// each of its targets. A block is alike if its code has LLVM's depth and LLVM's innermost header. A block of LLVM can
// end with two branches, of which the second is taken only when a loop is left; the database has it as a block of its
// own, so code is compared up to the first branch.
#include "tests/toolchain/db/llvm_loops.h"

#include <elf.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "runtime/format/slbr_format.h"
#include "tests/toolchain/db/engine_fixture.h"
#include "toolchain/base/failure.h"
#include "toolchain/binary/code_walker.h"
#include "toolchain/code/instruction_kinds.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {
namespace {

using testing::LlvmBlock;
using testing::LlvmLoops;

struct DatabaseBlock {
  uint64_t start = 0;
  uint64_t bytes = 0;
  uint64_t depth = 0;
  uint64_t header = 0;   // 0: in no loop
  bool goes_on = false;  // ends with no branch, or with a call
};

// Ranges that execute the block once: calls end a range, and the next begins where they return to. Padding behind the
// block executes if the block goes on into it. False if it cannot be decoded.
bool AddRanges(const ElfImage& image, const Decoder& decoder, const LlvmBlock& block, Profile* profile) {
  uint64_t first = block.start;
  for (uint64_t at = block.start; at < block.end;) {
    softlbr_block lifted;
    if (!decoder.Lift(image.CodeAt(at, block.end - at), at, &lifted) || lifted.instruction_count == 0) return false;
    uint64_t last = at;
    for (uint32_t i = 0; i < lifted.instruction_count; ++i) {
      last = at;
      at += lifted.length[i];
    }
    const bool is_call = lifted.end.kind == SOFTLBR_END_CALL || lifted.end.kind == SOFTLBR_END_INDIRECT_CALL;
    const bool leaves = lifted.end.kind == SOFTLBR_END_JUMP || lifted.end.kind == SOFTLBR_END_INDIRECT_JUMP ||
                        lifted.end.kind == SOFTLBR_END_RETURN;
    if (at >= block.end || is_call || leaves) {
      profile->ranges.push_back({0, first, last, 1});
      first = at;
    }
    if (leaves) return true;
  }
  return true;
}

struct Comparison {
  uint64_t in_loops = 0;  // blocks of LLVM that are in a loop, by LLVM or by the database
  uint64_t alike = 0;     // those of them with the same depth and header
  std::string different;  // a line for each of the others
};

Comparison Compare(const std::vector<LlvmBlock>& llvm, const std::vector<DatabaseBlock>& blocks) {
  Comparison result;
  std::ostringstream different;
  for (const LlvmBlock& one : llvm) {
    const auto behind = std::upper_bound(blocks.begin(), blocks.end(), one.start,
                                         [](uint64_t at, const DatabaseBlock& block) { return at < block.start; });
    const DatabaseBlock first = behind != blocks.begin() ? *std::prev(behind) : DatabaseBlock{};
    bool is_alike = first.start + first.bytes > one.start;
    bool is_in_loop = one.depth != 0;
    for (auto it = behind - (behind != blocks.begin()); it != blocks.end() && it->start < one.end; ++it) {
      is_alike = is_alike && it->depth == one.depth && it->header == one.header;
      is_in_loop = is_in_loop || it->depth != 0;
      if (!it->goes_on) break;
    }
    if (!is_in_loop) continue;
    ++result.in_loops;
    result.alike += is_alike;
    if (is_alike) continue;
    different << std::hex << one.start << ": LLVM has depth " << one.depth << " header " << one.header
              << ", the database depth " << first.depth << " header " << first.header << '\n';
  }
  result.different = different.str();
  return result;
}

struct Program {
  const char* name;
  std::vector<std::string> arguments;  // of the compiler; @ is the project's folder
};

void PrintTo(const Program& program, std::ostream* out) { *out << program.name; }

class DbLlvmLoops : public testing::EngineTest, public ::testing::WithParamInterface<Program> {
 protected:
  void SetUp() override {
    EngineTest::SetUp();
    if (IsSkipped()) return;
    try {
      const InstructionKinds kinds(EM_X86_64);
    } catch (const StatedFailure&) {
      GTEST_SKIP() << "missing: libcapstone.so.4";
    }
    for (const char* tool : {"clang-19", "ld.lld-19"}) {
      if (!testing::HasProgram(tool)) GTEST_SKIP() << "missing: " << tool;
    }
  }

  Profile WholeProgram(const ElfImagePtr& image, const LlvmLoops& llvm) const {
    Profile profile;
    profile.format_version = kFormatVersion;
    ProfileModule module;
    module.name = "program";
    module.machine = image->machine();
    module.is_main = true;
    module.elf_type = image->type();
    module.build_id = image->build_id();
    module.segments = image->segments();
    profile.modules = {module};
    const auto decoder = Decoder::ForMachine(image->machine());
    EXPECT_NE(decoder, nullptr);
    for (const LlvmBlock& block : llvm.blocks) {
      EXPECT_TRUE(AddRanges(*image, *decoder, block, &profile)) << "block " << std::hex << block.start;
    }
    for (const testing::TableJump& jump : llvm.jumps) profile.branches.push_back({{0, jump.from}, {0, jump.to}, 1});
    ProfileSession session{};
    session.arch = image->machine();
    session.session_id = 1;
    profile.sessions = {session};
    return profile;
  }

  std::vector<DatabaseBlock> AskBlocks() {
    std::istringstream rows(Ask(
        "SELECT b.start, b.bytes, b.depth, coalesce(h.start, 0), (b.branch IN ('none', 'call', 'indirect_call'))::INT"
        " FROM block b LEFT JOIN loop l ON l.id = b.loop LEFT JOIN block h ON h.id = l.header ORDER BY b.start"));
    std::vector<DatabaseBlock> blocks;
    char comma = 0;
    for (DatabaseBlock block; rows >> block.start >> comma >> block.bytes >> comma >> block.depth >> comma >>
                              block.header >> comma >> block.goes_on;) {
      blocks.push_back(block);
    }
    return blocks;
  }
};

TEST_P(DbLlvmLoops, BlocksAreInTheSameLoops) {
  const std::string program = folder_ / "program";
  std::vector<std::string> arguments = {"-O2"};
  for (std::string argument : GetParam().arguments) {
    if (const size_t at = argument.find('@'); at != std::string::npos) argument.replace(at, 1, SOFTLBR_PROJECT_FOLDER);
    arguments.push_back(argument);
  }
  if (!std::filesystem::exists(arguments.back()))
    GTEST_SKIP() << "missing: " << arguments.back() << " (toolchain/scripts/setup.sh)";
  ASSERT_EQ(testing::BuildWithLlvmLoops(arguments, program), "");
  const auto opened = ElfImage::Open(program);
  ASSERT_TRUE(std::holds_alternative<ElfImagePtr>(opened));
  const ElfImagePtr& image = std::get<ElfImagePtr>(opened);
  const LlvmLoops llvm = testing::ReadLlvmLoops(*image);
  ASSERT_EQ(WriteProfileFile(WholeProgram(image, llvm), folder_ / "p.slbr"), "");
  ASSERT_EQ(Run("ingest", {folder_ / "p.slbr"}, nullptr, {program}), 0);
  const std::vector<DatabaseBlock> blocks = AskBlocks();

  const Comparison found = Compare(llvm.blocks, blocks);
  const double share =
      found.in_loops != 0 ? 100.0 * static_cast<double>(found.alike) / static_cast<double>(found.in_loops) : 0;
  char text[16];
  std::snprintf(text, sizeof(text), "%.2f", share);
  RecordProperty("blocks_in_loops", std::to_string(found.in_loops));
  RecordProperty("percent_alike", text);
  EXPECT_GE(found.in_loops, 50u);
  EXPECT_GE(found.alike * 100, found.in_loops * 99) << text << " % of " << found.in_loops << " blocks in loops\n"
                                                    << found.different;
}

INSTANTIATE_TEST_SUITE_P(
    Programs, DbLlvmLoops,
    ::testing::Values(Program{"HuffmanCoder", {"@/build/zstd-source/compress/huf_compress.c"}},
                      Program{"Matcher", {"@/build/zstd-source/compress/zstd_double_fast.c"}},
                      Program{"HuffmanDecoder",
                              {"-DZSTD_DISABLE_ASM", "@/build/zstd-source/decompress/huf_decompress.c"}},
                      Program{"SuffixSort", {"@/build/zstd-source/dictBuilder/divsufsort.c"}},
                      Program{"OldFormats", {"@/build/zstd-source/legacy/zstd_v07.c"}},
                      Program{"Evaluator", {"-std=c++20", "-I@", "@/runtime/lookahead/evaluator.cc"}},
                      Program{"Texts", {"-std=c++20", "-I@", "@/toolchain/base/text.cc"}},
                      Program{"ProfileDecoder", {"-std=c++20", "-I@", "@/toolchain/profile/profile_decoder.cc"}}),
    [](const ::testing::TestParamInfo<Program>& program) { return std::string(program.param.name); });

}  // namespace
}  // namespace softlbr::toolchain

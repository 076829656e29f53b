// Decodes the proto written for Propeller: taken branches, and the conditional branches not taken inside ranges.
#include <gtest/gtest.h>

#include <map>

#include "tests/toolchain/binary/tiny_elf.h"
#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/convert/proto_fields.h"
#include "toolchain/convert/converters.h"

namespace softlbr::toolchain {
namespace {

using testing::Decode;
using testing::Fields;

constexpr uint64_t kProgramBase = 0x401000;

TEST(ConvertPropeller, CountsTakenAndNotTakenBranches) {
  if (Decoder::ForMachine(EM_X86_64) == nullptr) GTEST_SKIP() << "missing: an x86_64 decoder plugin";
  // 0: cmp eax,ebx  2: je +5 (9)  4: nop  5: jne +2 (9)  7: jmp -9 (0)  9: ret
  const std::vector<uint8_t> code = {0x39, 0xd8, 0x74, 0x05, 0x90, 0x75, 0x02, 0xeb, 0xf7, 0xc3};
  const testing::TemporaryFolder folder;
  const std::string path = folder / "tiny";
  testing::WriteFile(path, testing::TinyElf(EM_X86_64, kProgramBase, code));
  auto opened = ElfImage::Open(path);
  ASSERT_TRUE(std::holds_alternative<ElfImagePtr>(opened));
  Profile profile;
  ProfileModule module;
  module.name = "tiny";
  module.machine = EM_X86_64;
  module.elf_type = ET_DYN;
  module.is_main = true;
  module.segments = std::get<ElfImagePtr>(opened)->segments();
  profile.modules.push_back(module);
  profile.branches = {{{0, kProgramBase + 2}, {0, kProgramBase + 9}, 3},
                      {{0, kProgramBase + 7}, {0, kProgramBase}, uint64_t{1} << 40},
                      {{0, kProgramBase + 9}, {}, 3}};
  profile.ranges = {{0, kProgramBase, kProgramBase + 7, 1000},
                    {0, kProgramBase + 4, kProgramBase + 7, 10},
                    {0, kProgramBase, kProgramBase + 2, 3}};

  const std::string bytes = ToPropeller(PrepareConvertInput(profile, folder / "p.slbr", path));
  const Fields all = Decode(bytes);
  ASSERT_TRUE(all.is_well_formed);
  EXPECT_EQ(all.messages.count(1), 2u);  // without the branch out of the program
  EXPECT_EQ(all.messages.count(2), 2u);
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> taken;
  for (auto [it, end] = all.messages.equal_range(1); it != end; ++it) {
    const Fields branch = Decode(it->second);
    taken[{branch.numbers.find(1)->second, branch.numbers.find(2)->second}] = branch.numbers.find(3)->second;
  }
  EXPECT_EQ((taken[{kProgramBase + 2, kProgramBase + 9}]), 3u);
  EXPECT_EQ((taken[{kProgramBase + 7, kProgramBase}]), uint64_t{1} << 40);
  std::map<uint64_t, uint64_t> not_taken;
  for (auto [it, end] = all.messages.equal_range(2); it != end; ++it) {
    const Fields branch = Decode(it->second);
    not_taken[branch.numbers.find(1)->second] = branch.numbers.find(2)->second;
  }
  EXPECT_EQ(not_taken[kProgramBase + 2], 1000u);
  EXPECT_EQ(not_taken[kProgramBase + 5], 1010u);
}

}  // namespace
}  // namespace softlbr::toolchain

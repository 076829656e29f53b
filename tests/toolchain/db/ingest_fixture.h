// What tests of `softlbr db ingest` share: a tiny program of one loop, and profiles of it.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_DB_INGEST_FIXTURE_H_
#define SOFTLBR_TESTS_TOOLCHAIN_DB_INGEST_FIXTURE_H_

#include <elf.h>

#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "tests/toolchain/binary/tiny_elf.h"
#include "tests/toolchain/db/engine_fixture.h"
#include "toolchain/binary/elf_image.h"
#include "toolchain/code/instruction_kinds.h"
#include "toolchain/host/failure.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::testing {

inline constexpr uint64_t kTinyBase = 0x401000;
// 0: mov eax,1 (5)  5: je +2 (2)  7: nop  8: nop  9: dec eax (2)  11: jne -13 (2)
inline const std::vector<uint8_t> kTinyCode = {0xb8, 1, 0, 0, 0, 0x74, 0x02, 0x90, 0x90, 0xff, 0xc8, 0x75, 0xf3};

class DbIngest : public EngineTest {
 protected:
  void SetUp() override {
    EngineTest::SetUp();
    if (IsSkipped()) return;
    try {
      const toolchain::InstructionKinds kinds(EM_X86_64);
    } catch (const toolchain::StatedFailure&) {
      GTEST_SKIP() << "missing: libcapstone.so.4";
    }
    program_ = folder_ / "tiny";
    std::ofstream(program_, std::ios::binary) << TinyElf(EM_X86_64, kTinyBase, kTinyCode);
  }

  // The loop went round 30 times, 10 of them over the two nops.
  toolchain::Profile TinyProfile(uint64_t session_id) const {
    auto opened = toolchain::ElfImage::Open(program_);
    toolchain::ProfileModule module;
    module.name = "tiny";
    module.machine = EM_X86_64;
    module.is_main = true;
    module.elf_type = std::get<toolchain::ElfImagePtr>(opened)->type();
    module.build_id = std::get<toolchain::ElfImagePtr>(opened)->build_id();
    module.segments = std::get<toolchain::ElfImagePtr>(opened)->segments();
    toolchain::Profile profile;
    profile.format_version = 1;
    profile.modules = {module};
    profile.branches = {{{0, kTinyBase + 5}, {0, kTinyBase + 9}, 10}, {{0, kTinyBase + 11}, {0, kTinyBase}, 30}};
    profile.ranges = {
        {0, kTinyBase, kTinyBase + 5, 10}, {0, kTinyBase, kTinyBase + 11, 20}, {0, kTinyBase + 9, kTinyBase + 11, 10}};
    profile.samples = {{{0, kTinyBase + 8}, 3}, {{0, kTinyBase + 9}, 1}};
    toolchain::ProfileSession session{};
    session.arch = EM_X86_64;
    session.session_id = session_id;
    profile.sessions = {session};
    return profile;
  }

  std::string WriteProfile(const toolchain::Profile& profile, const std::string& name) const {
    EXPECT_EQ(toolchain::WriteProfileFile(profile, folder_ / name), "");
    return folder_ / name;
  }

  std::string program_;
};

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_TOOLCHAIN_DB_INGEST_FIXTURE_H_

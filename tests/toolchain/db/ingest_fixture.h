// What tests of `softlbr db ingest` share: a tiny program of one loop, and profiles of it.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_DB_INGEST_FIXTURE_H_
#define SOFTLBR_TESTS_TOOLCHAIN_DB_INGEST_FIXTURE_H_

#include <elf.h>

#include <string>

#include "platform/base/sample_event.h"
#include "tests/toolchain/code/tiny_loop.h"
#include "tests/toolchain/db/engine_fixture.h"
#include "toolchain/base/failure.h"
#include "toolchain/code/instruction_kinds.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::testing {

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
    WriteTinyLoop(program_);
  }

  toolchain::Profile TinyProfile(uint64_t session_id) const { return TinyLoopProfile(program_, session_id); }

  // Sampled by instructions, with enough samples in the block of two nops for it to be counted by them: as executed 60
  // times, where its ranges tell 20.
  toolchain::Profile ProfileByInstructions(uint64_t session_id) const {
    toolchain::Profile profile = TinyProfile(session_id);
    profile.sessions[0].event = static_cast<uint8_t>(platform::SampleEvent::kInstructions);
    profile.samples = {{{0, kLoopBase + 8}, 6}, {{0, kLoopBase + 9}, 2}};
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

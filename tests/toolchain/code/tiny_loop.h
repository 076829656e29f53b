// A tiny program of one loop, and a profile of it.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_CODE_TINY_LOOP_H_
#define SOFTLBR_TESTS_TOOLCHAIN_CODE_TINY_LOOP_H_

#include <elf.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "runtime/format/slbr_format.h"
#include "tests/toolchain/binary/tiny_elf.h"
#include "toolchain/binary/elf_image.h"
#include "toolchain/profile/profile.h"

namespace softlbr::testing {

inline constexpr uint64_t kLoopBase = 0x401000;
// 0: mov eax,1 (5)  5: je +2 (2)  7: nop  8: nop  9: dec eax (2)  11: jne -13 (2)
inline const std::vector<uint8_t> kLoopCode = {0xb8, 1, 0, 0, 0, 0x74, 0x02, 0x90, 0x90, 0xff, 0xc8, 0x75, 0xf3};

inline void WriteTinyLoop(const std::string& path) {
  std::ofstream(path, std::ios::binary) << TinyElf(EM_X86_64, kLoopBase, kLoopCode);
}

// The loop went round 30 times, 10 of them over the two nops. program: what WriteTinyLoop wrote.
inline toolchain::Profile TinyLoopProfile(const std::string& program, uint64_t session_id) {
  const toolchain::ElfImagePtr image = std::get<toolchain::ElfImagePtr>(toolchain::ElfImage::Open(program));
  toolchain::ProfileModule module;
  module.name = "tiny";
  module.machine = EM_X86_64;
  module.is_main = true;
  module.elf_type = image->type();
  module.build_id = image->build_id();
  module.segments = image->segments();
  toolchain::Profile profile;
  profile.format_version = kFormatVersion;
  profile.modules = {module};
  profile.branches = {{{0, kLoopBase + 5}, {0, kLoopBase + 9}, 10}, {{0, kLoopBase + 11}, {0, kLoopBase}, 30}};
  profile.ranges = {
      {0, kLoopBase, kLoopBase + 5, 10}, {0, kLoopBase, kLoopBase + 11, 20}, {0, kLoopBase + 9, kLoopBase + 11, 10}};
  profile.samples = {{{0, kLoopBase + 8}, 3}, {{0, kLoopBase + 9}, 1}};
  toolchain::ProfileSession session{};
  session.arch = EM_X86_64;
  session.session_id = session_id;
  profile.sessions = {session};
  return profile;
}

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_TOOLCHAIN_CODE_TINY_LOOP_H_

// Sessions for a spool, made of forged frames, and what a server must hold once they have been sent.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_UPLOAD_FORGED_SESSIONS_H_
#define SOFTLBR_TESTS_TOOLCHAIN_UPLOAD_FORGED_SESSIONS_H_

#include <map>
#include <string>

#include "tests/toolchain/profile/profile_forge.h"
#include "toolchain/upload/segment_name.h"

namespace softlbr::testing {

inline std::string Text(const test::Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

inline test::Bytes DataFrame(uint64_t session, uint32_t number) {
  test::Forged forged;
  forged.session_id = session;
  forged.sequence = number;
  return test::Frame(test::OneModule(), forged);
}

// Frames 0 .. data_frames - 1 and the end frame.
inline test::Bytes SessionFile(uint64_t session, uint32_t data_frames) {
  test::Bytes bytes = test::Magic();
  for (uint32_t i = 0; i < data_frames; ++i) test::Append(&bytes, DataFrame(session, i));
  test::Append(&bytes, test::EndFrame(data_frames, session));
  return bytes;
}

inline std::string SpoolFileName(uint64_t session) { return toolchain::SessionText(session) + ".slbr"; }

// The session's segments on a server, put together again. Empty if a frame is missing or there twice.
inline std::string Reassembled(const std::map<std::string, std::string>& stored, uint64_t session) {
  std::map<uint32_t, std::pair<uint32_t, std::string>> parts;
  for (const auto& [path, body] : stored) {
    const auto name = toolchain::ParseSegmentPath(path);
    if (name && name->session == session) parts[name->first] = {name->last, body};
  }
  std::string whole = Text(test::Magic());
  uint32_t next = 0;
  for (const auto& [first, part] : parts) {
    if (first != next) return {};
    next = part.first + 1;
    whole += part.second.substr(kFileMagicBytes);
  }
  return whole;
}

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_TOOLCHAIN_UPLOAD_FORGED_SESSIONS_H_

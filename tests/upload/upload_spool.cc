// bin/upload_spool: fills a spool with sessions, and checks what a server has received of them. For servers.sh and
// tls.sh.
//
// Use: upload_spool make FOLDER SESSIONS     writes sessions 1 to SESSIONS, of 1 to 5 frames; the same bytes every time
//      upload_spool check FOLDER SESSIONS    FOLDER holds <session>/<first>-<last>, with or without .slbr: each session
//                                            is there whole, each frame once, and nothing else. Prints how many
//                                            segments there are
// Names that begin with a dot are the server's own. Exit 1: what was wrong is printed, at most 20 lines.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/toolchain/upload/forged_sessions.h"

namespace {

using softlbr::testing::Reassembled;
using softlbr::toolchain::ParseSegmentPath;
using softlbr::toolchain::ParseSpoolName;

std::string SessionBytes(uint64_t session) {
  return softlbr::testing::Text(softlbr::testing::SessionFile(session, static_cast<uint32_t>(session % 5)));
}

int g_failures = 0;
void Fail(const std::string& what) {
  if (++g_failures <= 20) std::printf("upload_spool: %s\n", what.c_str());
}

void Make(const std::filesystem::path& folder, uint64_t sessions) {
  std::filesystem::create_directories(folder);
  for (uint64_t session = 1; session <= sessions; ++session) {
    std::ofstream file(folder / softlbr::testing::SpoolFileName(session), std::ios::binary);
    file << SessionBytes(session);
    if (!file.flush()) Fail("session " + std::to_string(session) + " cannot be written");
  }
}

void Check(const std::filesystem::path& folder, uint64_t sessions) {
  uint64_t segments = 0;
  uint64_t found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string session = entry.path().filename();
    if (session[0] == '.') continue;
    ++found;
    if (entry.is_regular_file()) {  // `softlbr collect` makes one of a complete session
      const auto whole = ParseSpoolName(session);
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      if (!whole || whole->session == 0 || whole->session > sessions) {
        Fail(session + " was never sent");
      } else if (bytes != SessionBytes(whole->session)) {
        Fail(session + " is not what was sent");
      }
      continue;
    }
    std::map<std::string, std::string> stored;
    uint64_t frames = 0;
    uint64_t id = 0;
    for (const auto& part : std::filesystem::directory_iterator(entry)) {
      std::string name = part.path().filename();
      if (name[0] == '.') continue;
      if (name.ends_with(".slbr")) name.resize(name.size() - 5);
      const auto segment = ParseSegmentPath(session + "/" + name);
      if (!segment) {
        Fail(part.path().string() + " is no segment");
        continue;
      }
      std::ifstream file(part.path(), std::ios::binary);
      stored[session + "/" + name].assign(std::istreambuf_iterator<char>(file), {});
      frames += uint64_t{segment->last} - segment->first + 1;
      id = segment->session;
      ++segments;
    }
    if (id == 0 || id > sessions) {
      Fail(session + " was never sent");
    } else if (Reassembled(stored, id) != SessionBytes(id)) {
      Fail(session + " is not complete");
    } else if (frames != id % 5 + 1) {
      Fail(session + " has frames twice, under different names");
    }
  }
  if (found != sessions) Fail(std::to_string(found) + " sessions of " + std::to_string(sessions));
  std::printf("%llu sessions, %llu segments of them\n", static_cast<unsigned long long>(found),
              static_cast<unsigned long long>(segments));
}

}  // namespace

int main(int count, char** arguments) {
  const uint64_t sessions = count == 4 ? std::strtoull(arguments[3], nullptr, 10) : 0;
  const bool is_make = count == 4 && std::strcmp(arguments[1], "make") == 0;
  if (sessions == 0 || (!is_make && std::strcmp(arguments[1], "check") != 0)) {
    std::fprintf(stderr, "usage: upload_spool make|check FOLDER SESSIONS\n");
    return 2;
  }
  if (is_make) {
    Make(arguments[2], sessions);
  } else {
    Check(arguments[2], sessions);
  }
  return g_failures == 0 ? 0 : 1;
}

// Fuzzes the splitting of a recording into a folder: for any bytes that can be read, the files lie in the folder, have
// all bytes of the profile between them, and each holds one session. Uses the seeds of profile_reader.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <variant>

#include "toolchain/base/failure.h"
#include "toolchain/profile/profile_reader.h"
#include "toolchain/profile/profile_split.h"

namespace softlbr::toolchain {
namespace {

void Demand(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "requirement failed: %s\n", what);
  std::abort();
}

// A folder in a folder, so that a file written beside it is seen.
struct SplitFolder {
  SplitFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "softlbr-split-XXXXXX").string();
    Demand(mkdtemp(name.data()) != nullptr, "a temporary folder can be made");
    outer = name;
    inner = name + "/inner";
    std::filesystem::create_directory(inner);
  }
  ~SplitFolder() { std::filesystem::remove_all(outer); }
  std::string outer;
  std::string inner;
};

uint64_t RowCount(const Profile& profile) {
  return profile.branches.size() + profile.ranges.size() + profile.samples.size();
}

void CheckFiles(const Profile& whole, size_t bytes, size_t files, const SplitFolder& folder) {
  uint64_t all_bytes = 0;
  uint64_t rows = 0;
  uint64_t traces = 0;
  bool is_damaged = false;
  size_t found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.outer)) {
    if (entry.path() == folder.inner) continue;
    Demand(entry.is_regular_file() && entry.path().parent_path() == folder.inner, "files are in the folder");
    ++found;
    all_bytes += entry.file_size();
    const auto read = ReadProfileFile(entry.path());
    const auto* piece = std::get_if<Profile>(&read);
    Demand(piece != nullptr && piece->sessions.size() == 1, "each file holds one session");
    rows += RowCount(*piece);
    traces += piece->traces.size();
    is_damaged |= piece->damaged_frames != 0 || piece->is_truncated;
  }
  Demand(found == files && files == whole.sessions.size(), "each session has a file");
  Demand(all_bytes == bytes, "no byte is lost");
  Demand(rows >= RowCount(whole) && traces == whole.traces.size(), "no row is lost");
  Demand(is_damaged || whole.damaged_frames == 0, "damage stays visible");
}

}  // namespace
}  // namespace softlbr::toolchain

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace softlbr::toolchain;
  const int fd = memfd_create("fuzz", MFD_CLOEXEC);
  Demand(fd >= 0 && write(fd, data, size) == static_cast<ssize_t>(size), "the input can be written");
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  const auto whole = ReadProfile({data, size}, "fuzz");
  const SplitFolder folder;
  try {
    const size_t files = SplitProfile(path, folder.inner);
    Demand(std::holds_alternative<Profile>(whole), "what can be split can be read");
    CheckFiles(std::get<Profile>(whole), size, files, folder);
  } catch (const StatedFailure& failure) {
    Demand(std::holds_alternative<ReadError>(whole), "what can be read can be split");
    Demand(std::string(failure.what()).find('\n') == std::string::npos, "a failure is one line");
  }
  close(fd);
  return 0;
}

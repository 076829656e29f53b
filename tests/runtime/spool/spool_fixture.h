// For tests of the spool: a folder, sessions as the runtime's profile writer makes them, and what the folder holds
// afterwards.
#ifndef SOFTLBR_TESTS_RUNTIME_SPOOL_SPOOL_FIXTURE_H_
#define SOFTLBR_TESTS_RUNTIME_SPOOL_SPOOL_FIXTURE_H_

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "runtime/include/softlbr/spool.h"
#include "tests/toolchain/profile/profile_samples.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::test {

// How often a fault is repeated: few times in a check, as often as the environment says by command
// (tests/upload/README.md).
inline uint32_t SpoolRounds(uint32_t in_a_check) {
  const char* rounds = std::getenv("SOFTLBR_SPOOL_ROUNDS");
  return rounds == nullptr ? in_a_check : static_cast<uint32_t>(std::strtoul(rounds, nullptr, 10));
}

// What the runtime hands to its sink, chunk by chunk: the file magic, then frames.
using Chunks = std::vector<std::vector<uint8_t>>;

inline Chunks SessionChunks(uint64_t id, uint32_t flushes = 3, bool has_end = true) {
  std::vector<size_t> starts;
  const std::vector<uint8_t> bytes =
      SampleProfile({.session_id = id, .flushes = flushes, .traces = 2, .has_end = has_end}, &starts);
  Chunks chunks;
  for (size_t i = 0; i < starts.size(); ++i) {
    const size_t end = i + 1 < starts.size() ? starts[i + 1] : bytes.size();
    chunks.emplace_back(bytes.begin() + static_cast<ptrdiff_t>(starts[i]), bytes.begin() + static_cast<ptrdiff_t>(end));
  }
  return chunks;
}

// The same session under another id: only the headers differ.
inline Chunks WithId(Chunks chunks, uint64_t id) {
  for (auto& chunk : chunks) {
    FrameHeader header;
    if (chunk.size() == kFileMagicBytes || !DecodeFrameHeader(chunk.data(), &header)) continue;
    header.session_id = id;
    EncodeFrameHeader(header, chunk.data());
  }
  return chunks;
}

inline uint64_t SizeOf(const Chunks& chunks) {
  uint64_t sum = 0;
  for (const auto& chunk : chunks) sum += chunk.size();
  return sum;
}

// Hands all to the sink. Returns how many frames it took.
inline uint64_t Feed(softlbr_spool* spool, const Chunks& chunks) {
  uint64_t taken = 0;
  for (const auto& chunk : chunks) {
    if (softlbr_spool_sink(spool, chunk.data(), chunk.size()) == 0 && chunk.size() != kFileMagicBytes) ++taken;
  }
  return taken;
}

inline std::string IdText(uint64_t id) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(id));
  return text;
}

inline softlbr_spool_counts CountsOf(const softlbr_spool& spool) {
  softlbr_spool_counts counts{};
  counts.struct_size = sizeof counts;
  EXPECT_EQ(softlbr_spool_counters(&spool, &counts), SOFTLBR_SPOOL_OK);
  return counts;
}

using CompactFunction = int(int source, int target);

inline int Open(softlbr_spool* spool, const std::string& folder, uint32_t max_files = 0, uint64_t max_bytes = 0,
                CompactFunction* compact = nullptr) {
  softlbr_spool_options options{};
  options.struct_size = sizeof options;
  options.max_files = max_files;
  options.max_bytes = max_bytes;
  options.folder = folder.c_str();
  options.compact = compact;
  options.fewest_samples = SOFTLBR_SPOOL_KEEP_EMPTY;  // these sessions are small
  return softlbr_spool_open(spool, &options);
}

inline std::vector<uint8_t> BytesOfFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> text{std::istreambuf_iterator<char>(in), {}};
  return {text.begin(), text.end()};
}

inline void PutFile(const std::string& path, const std::vector<uint8_t>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// A folder of this user that goes at the end. In memory if there is such a file system: these tests kill processes, not
// machines.
class SpoolFolder {
 public:
  SpoolFolder() {
    const std::string top =
        access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::filesystem::temp_directory_path().string();
    std::string text = top + "/softlbr-spool.XXXXXX";
    if (mkdtemp(text.data()) == nullptr) std::abort();
    top_ = text;
  }
  ~SpoolFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(top_, ignored);
  }
  SpoolFolder(const SpoolFolder&) = delete;
  SpoolFolder& operator=(const SpoolFolder&) = delete;
  std::string top() const { return top_; }
  std::string path() const { return top_ + "/spool"; }  // made by the spool
  std::string path(const std::string& name) const { return path() + "/" + name; }
  // Names in the folder, without .lock.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path())) {
      if (entry.path().filename() != ".lock") names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::string top_;
};

// Reads a finished file with the host's reader, as its name promises: whole, or truncated and no more than that.
inline void ExpectReads(const std::string& path) {
  const auto read = toolchain::ReadProfileFile(path);
  if (const auto* error = std::get_if<toolchain::ReadError>(&read)) {
    ADD_FAILURE() << error->message;
    return;
  }
  const auto& profile = std::get<toolchain::Profile>(read);
  const bool is_truncated = path.find(".truncated.") != std::string::npos;
  EXPECT_EQ(profile.is_truncated, is_truncated) << path;
  EXPECT_EQ(profile.damaged_frames, 0u) << path;
  EXPECT_EQ(profile.missing_frames, 0u) << path;
  EXPECT_EQ(profile.sessions.size(), 1u) << path;
  struct stat facts;
  ASSERT_EQ(stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0600u) << path;
}

// Runs `act` in a child and returns its exit code; 128 + signal if one killed it.
template <typename Act>
int InChild(Act act) {
  const pid_t child = fork();
  if (child == 0) _exit(act());
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// In a child: prints what does not hold, and makes it exit with 1.
#define HOLD_OR_FAIL(condition)                                                    \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      return 1;                                                                    \
    }                                                                              \
  } while (false)

}  // namespace softlbr::test

#endif  // SOFTLBR_TESTS_RUNTIME_SPOOL_SPOOL_FIXTURE_H_

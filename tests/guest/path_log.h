// The file of paths that path_plugin.cc follows: 64-bit little-endian words with a kind in the uppermost four bits.
//
// One file may hold many paths, one after the other, each from the begin mark to the end mark of a program
// (path_marks.c). The plugin writes it inside QEMU, guest_truth_test reads it; both on the host.
#ifndef SOFTLBR_TESTS_GUEST_PATH_LOG_H_
#define SOFTLBR_TESTS_GUEST_PATH_LOG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/truth/true_path.h"

namespace softlbr::guest {

enum class PathWord : uint8_t {
  kBegin = 1,  // address
  kEnd,
  kBranch,        // address of the branch; the next word: steps in the uppermost 12 bits (at most 4095), target below
  kEnterHandler,  // address
  kLeaveHandler,  // handlers left
  kMove,          // address
  kLost,          // address
};
inline constexpr int kPathWordShift = 60;
inline constexpr int kPathStepsShift = 52;  // as many bits as an address of the program can have
inline constexpr uint64_t kMostPathSteps = 0xfff;

// Two instructions without effect that occur in no other code: movz xzr, #0x5b1e and #0x5b1f.
inline constexpr uint32_t kBeginMark = 0xd28b63df;
inline constexpr uint32_t kEndMark = 0xd28b63ff;

class PathLog {
 public:
  // An empty log if the file cannot be read.
  explicit PathLog(const std::string& file_name);
  // Number of paths that begin in the log.
  size_t PathCount() const;
  // Reads the next path into *path, whose modules translate its addresses. Result: empty on success, else what is wrong
  // with the path.
  std::string Next(truth::TruePath* path);

 private:
  std::vector<uint64_t> words_;
  size_t at_ = 0;
};

}  // namespace softlbr::guest

#endif  // SOFTLBR_TESTS_GUEST_PATH_LOG_H_

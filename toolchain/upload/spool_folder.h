// A spool: the folder into which an app puts its finished sessions.
//
// Files: "<session>.slbr" and "<session>.truncated.slbr", the session as 16 hexadecimal digits, which nobody changes
//   any more. Every other name belongs to others; so does each that is not a regular file. We add quarantine/,
//   .upload-lock and .upload-budget.
// Lock: one Spool at a time holds the folder, by flock, which ends with the process.
#ifndef SOFTLBR_TOOLCHAIN_UPLOAD_SPOOL_FOLDER_H_
#define SOFTLBR_TOOLCHAIN_UPLOAD_SPOOL_FOLDER_H_

#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "toolchain/base/failure.h"
#include "toolchain/upload/segment_name.h"

namespace softlbr::toolchain {

// Another upload holds the folder.
class SpoolBusy : public StatedFailure {
 public:
  using StatedFailure::StatedFailure;
};

struct SpoolFile {
  std::string file_name;
  SpoolName name;
  uint64_t bytes = 0;
};

// What quarantine/ holds at most: as much as a spool by default (runtime/include/softlbr/spool.h).
inline constexpr size_t kMaxQuarantinedFiles = 64;
inline constexpr uint64_t kMaxQuarantinedBytes = 16 << 20;

class Spool {
 public:
  // StatedFailure if there is no such folder, or it cannot be written; SpoolBusy if another upload holds it.
  explicit Spool(const std::string& folder);
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;
  ~Spool();

  // Sorted by name. StatedFailure if the folder cannot be read.
  std::vector<SpoolFile> List() const;
  // A descriptor, or -1 if the file has gone or is not a regular file any more.
  int Open(const SpoolFile& file) const;
  // StatedFailure if it cannot be done: going on would send the file again for ever.
  void Delete(const SpoolFile& file) const;
  // Moves the file to quarantine/, under a new name if there is one of its name. Returns its path there. The oldest
  // files there are deleted if they are more, or larger, than a spool is by default (runtime/include/softlbr/spool.h).
  std::string Quarantine(const SpoolFile& file) const;

 private:
  void PruneQuarantine(const std::string& newest) const;

  std::string folder_;
  const pid_t process_ = getpid();
  int folder_fd_ = -1;
  int lock_fd_ = -1;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_UPLOAD_SPOOL_FOLDER_H_

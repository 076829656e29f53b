// SHA-256 of a file, by which the database recognises uploads that it has.
#ifndef SOFTLBR_TOOLCHAIN_DB_CONTENT_HASH_H_
#define SOFTLBR_TOOLCHAIN_DB_CONTENT_HASH_H_

#include <cstdint>
#include <string>

#include "toolchain/base/sha256.h"

namespace softlbr::toolchain {

struct FileHash {
  std::string sha256;
  uint64_t bytes = 0;
};

// In constant memory. StatedFailure if the file cannot be read.
FileHash HashFile(const std::string& path);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_CONTENT_HASH_H_

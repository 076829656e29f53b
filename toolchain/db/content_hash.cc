#include "toolchain/db/content_hash.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
FileHash HashFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  FileHash hash;
  Sha256 sha;
  std::string buffer(1u << 20, '\0');
  while (file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    sha.Add(std::string_view(buffer.data(), static_cast<size_t>(file.gcount())));
    hash.bytes += static_cast<uint64_t>(file.gcount());
  }
  if (!file.eof())
    throw StatedFailure(SafeText(path) + ": cannot be read (" + std::strerror(errno) + "); name a profile's file");
  hash.sha256 = sha.Hex();
  return hash;
}

}  // namespace softlbr::toolchain

#include "toolchain/trigger/request_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "runtime/trigger/control_request.h"
#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"
#include "toolchain/trigger/sodium_library.h"

namespace softlbr::toolchain {
namespace {

// Wiped when it goes.
class SecretKey {
 public:
  SecretKey() = default;
  SecretKey(const SecretKey&) = delete;
  SecretKey& operator=(const SecretKey&) = delete;
  ~SecretKey() { Sodium().wipe(bytes_.data(), bytes_.size()); }
  unsigned char* data() { return bytes_.data(); }
  const unsigned char* public_half() const { return bytes_.data() + kSecretKeyBytes - kPublicKeyBytes; }

 private:
  std::array<unsigned char, kSecretKeyBytes> bytes_{};
};

void WriteKeyFile(const std::string& path, const unsigned char* bytes, size_t size) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0 && errno == EEXIST) throw StatedFailure(SafeText(path) + ": is there already; name another file");
  if (fd < 0)
    throw StatedFailure(SafeText(path) + ": cannot be made: " + std::strerror(errno) +
                        "; name a file in a folder of yours");
  const bool is_written =
      fchmod(fd, 0600) == 0 && write(fd, bytes, size) == static_cast<ssize_t>(size) && fsync(fd) == 0;
  const int error = errno;
  close(fd);
  if (is_written) return;
  unlink(path.c_str());
  throw StatedFailure(SafeText(path) + ": cannot be written: " + std::strerror(error) + "; free space there");
}

void ReadKey(const std::string& path, SecretKey* key) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    throw StatedFailure(SafeText(path) + ": cannot be read: " + std::strerror(errno) +
                        "; softlbr request --new-key makes a key");
  const ssize_t got = read(fd, key->data(), kSecretKeyBytes);
  char more;
  const bool is_key = got == static_cast<ssize_t>(kSecretKeyBytes) && read(fd, &more, 1) == 0;
  close(fd);
  if (!is_key)
    throw StatedFailure(SafeText(path) + ": is no secret key, which has 64 bytes; softlbr request --new-key makes one");
}

}  // namespace

void WriteNewKey(const std::string& path) {
  SecretKey secret;
  std::array<unsigned char, kPublicKeyBytes> open_half{};
  if (Sodium().keypair(open_half.data(), secret.data()) != 0) throw StatedFailure("request: libsodium makes no key");
  WriteKeyFile(path, secret.data(), kSecretKeyBytes);
  try {
    WriteKeyFile(path + ".pub", open_half.data(), open_half.size());
  } catch (const StatedFailure&) {
    unlink(path.c_str());  // a key without its other half is of no use
    throw;
  }
}

std::string SignRequest(const RequestContent& content, const std::string& key_path) {
  ServerRequest request{};
  request.magic = kServerRequestMagic;
  request.version = kServerRequestVersion;
  if (content.app.empty() || content.app.size() >= kProgramNameBytes || content.app.find('\0') != std::string::npos) {
    throw StatedFailure("request: a program's name has 1 to 31 bytes; give that of softlbr_control_options with --app");
  }
  std::copy(content.app.begin(), content.app.end(), request.app);
  if (content.build_id.size() > kBuildIdBytes)
    throw StatedFailure("request: a build id has at most 32 bytes; name no build");
  request.build_id_bytes = static_cast<uint16_t>(content.build_id.size());
  std::copy(content.build_id.begin(), content.build_id.end(), request.build_id);
  request.not_before_s = content.not_before_s;
  request.expiry_s = content.expiry_s;
  request.start = content.start;
  request.skip_ppm = content.skip_ppm;
  SecretKey key;
  ReadKey(key_path, &key);
  Sodium().random(request.nonce, sizeof request.nonce);
  std::string bytes(sizeof request + kSignatureBytes, '\0');
  std::memcpy(bytes.data(), &request, sizeof request);
  auto* signed_bytes = reinterpret_cast<unsigned char*>(bytes.data());
  if (Sodium().sign(signed_bytes + sizeof request, nullptr, signed_bytes, sizeof request, key.data()) != 0 ||
      Sodium().verify(signed_bytes + sizeof request, signed_bytes, sizeof request, key.public_half()) != 0) {
    throw StatedFailure(SafeText(key_path) + ": is no secret key of Ed25519; softlbr request --new-key makes one");
  }
  ServerRequest parsed;
  if (ParseServerRequest(bytes.data(), bytes.size(), &parsed) != Refusal::kNone) {
    throw StatedFailure("request: a value is outside its range; softlbr help request lists the ranges");
  }
  return bytes;
}

}  // namespace softlbr::toolchain

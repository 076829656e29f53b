#include "toolchain/trigger/sodium_library.h"

#include "toolchain/base/failure.h"
#include "toolchain/base/shared_library.h"

namespace softlbr::toolchain {
namespace {

SodiumLibrary LoadSodium() {
  const SharedLibrary library("request", "libsodium.so.23", "libsodium23");
  int (*initialize)();
  library.Find("sodium_init", &initialize);
  SodiumLibrary sodium{};
  library.Find("crypto_sign_keypair", &sodium.keypair);
  library.Find("crypto_sign_detached", &sodium.sign);
  library.Find("crypto_sign_verify_detached", &sodium.verify);
  library.Find("sodium_memzero", &sodium.wipe);
  library.Find("randombytes_buf", &sodium.random);
  if (initialize() < 0) throw StatedFailure("request: libsodium finds no random numbers; is /dev/urandom there?");
  return sodium;
}

}  // namespace

const SodiumLibrary& Sodium() {
  static const SodiumLibrary sodium = LoadSodium();
  return sodium;
}

}  // namespace softlbr::toolchain

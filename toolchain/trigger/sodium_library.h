// Ed25519 signatures of libsodium, loaded with the first key or request (toolchain/base/shared_library.h).
//
// The functions are declared here: their interface has not changed since libsodium 1.0, and no header is needed to
// build.
#ifndef SOFTLBR_TOOLCHAIN_TRIGGER_SODIUM_LIBRARY_H_
#define SOFTLBR_TOOLCHAIN_TRIGGER_SODIUM_LIBRARY_H_

#include <cstddef>

namespace softlbr::toolchain {

inline constexpr size_t kPublicKeyBytes = 32;
inline constexpr size_t kSecretKeyBytes = 64;  // ends with the public key
inline constexpr size_t kSignatureBytes = 64;

// Its functions, with their names there as comments. They return 0, or -1.
struct SodiumLibrary {
  int (*keypair)(unsigned char* public_key, unsigned char* secret_key);  // crypto_sign_keypair
  int (*sign)(unsigned char* signature, unsigned long long* signature_bytes, const unsigned char* message,
              unsigned long long message_bytes, const unsigned char* secret_key);  // crypto_sign_detached
  int (*verify)(const unsigned char* signature, const unsigned char* message, unsigned long long message_bytes,
                const unsigned char* public_key);  // crypto_sign_verify_detached
  void (*wipe)(void* memory, size_t bytes);        // sodium_memzero
  void (*random)(void* memory, size_t bytes);      // randombytes_buf
};

// StatedFailure: it cannot be loaded.
const SodiumLibrary& Sodium();

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_TRIGGER_SODIUM_LIBRARY_H_

/* softlbr: verifies signatures of servers' requests by libsodium's Ed25519. Optional, beside control.h: link
 * libsodium (-lsodium).
 *
 * Inline: an app that does not include it carries nothing of it, and softlbr needs no libsodium. Declares the two
 * functions itself, so that libsodium's headers are not needed; they may be included as well. */
#ifndef SOFTLBR_SOFTLBR_VERIFY_ED25519_H_
#define SOFTLBR_SOFTLBR_VERIFY_ED25519_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SOFTLBR_ED25519_KEY_BYTES = 32, SOFTLBR_ED25519_SIGNATURE_BYTES = 64 };

int sodium_init(void);
int crypto_sign_verify_detached(const unsigned char* signature, const unsigned char* bytes, unsigned long long size,
                                const unsigned char* key);

/* A softlbr_control_verify. The cookie is the public key: the SOFTLBR_ED25519_KEY_BYTES of the file KEY.pub that
 * `softlbr request --new-key KEY` makes; it must stay in memory. 1: the bytes are signed by the secret key. Any
 * thread, not in a signal handler. Cost: one verification by libsodium. */
static inline int softlbr_verify_ed25519(void* key, const void* bytes, size_t size, const void* signature,
                                         size_t signature_size) {
  return signature_size == SOFTLBR_ED25519_SIGNATURE_BYTES && sodium_init() >= 0 &&
         crypto_sign_verify_detached((const unsigned char*)signature, (const unsigned char*)bytes, size,
                                     (const unsigned char*)key) == 0;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTLBR_SOFTLBR_VERIFY_ED25519_H_ */

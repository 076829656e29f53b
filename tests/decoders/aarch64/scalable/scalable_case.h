/* One SVE case, which the test passes to the machine program and gets back. Both sides include this file. */
#ifndef SOFTLBR_TESTS_DECODERS_AARCH64_SCALABLE_SCALABLE_CASE_H_
#define SOFTLBR_TESTS_DECODERS_AARCH64_SCALABLE_SCALABLE_CASE_H_

#include <stdint.h>

enum {
  SCALABLE_MOST_WORDS = 4,
  SCALABLE_PAGE_BYTES = 4096,
  SCALABLE_WINDOW_BYTES = 1536, /* the page's last bytes, which a case fills and looks at; those before are 0 */
};
/* The page's address, in the machine program and in the test; nothing is mapped beside it. */
#define SCALABLE_PAGE_ADDRESS 0x520000020000ull

enum { SCALABLE_RAN = 0, SCALABLE_FAULTED = 1, SCALABLE_UNDEFINED = 2 };

struct scalable_case {
  uint64_t x[31];
  uint64_t sp;
  uint64_t nzcv;
  uint32_t words[SCALABLE_MOST_WORDS];
  uint32_t word_count;
  uint32_t outcome;
  uint8_t z[32][64];
  uint8_t p[17][8]; /* the last is the first-fault register */
  uint8_t window[SCALABLE_WINDOW_BYTES];
};

#endif /* SOFTLBR_TESTS_DECODERS_AARCH64_SCALABLE_SCALABLE_CASE_H_ */

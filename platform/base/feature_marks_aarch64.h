/* For assembly: marks the object as one whose indirect branches land on bti
 * (GNU_PROPERTY_AARCH64_FEATURE_1_AND: BTI). Compilers do this for what they compile. */
#ifndef SOFTLBR_PLATFORM_BASE_FEATURE_MARKS_AARCH64_H_
#define SOFTLBR_PLATFORM_BASE_FEATURE_MARKS_AARCH64_H_

/* clang-format off */
  .pushsection .note.gnu.property, "a"
  .balign 8
  .long 4, 16, 5
  .asciz "GNU"
  .long 0xc0000000, 4, 1, 0
  .popsection
/* clang-format on */

#endif /* SOFTLBR_PLATFORM_BASE_FEATURE_MARKS_AARCH64_H_ */

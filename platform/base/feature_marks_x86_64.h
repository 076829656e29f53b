/* For assembly: marks the object as one whose indirect branches land on endbr64, and whose returns go where the calls
 * came from (GNU_PROPERTY_X86_FEATURE_1_AND: IBT, SHSTK). Compilers do this for what they compile. */
#ifndef SOFTLBR_PLATFORM_BASE_FEATURE_MARKS_X86_64_H_
#define SOFTLBR_PLATFORM_BASE_FEATURE_MARKS_X86_64_H_

/* clang-format off */
  .pushsection .note.gnu.property, "a"
  .balign 8
  .long 4, 16, 5
  .asciz "GNU"
  .long 0xc0000002, 4, 3, 0
  .popsection
/* clang-format on */

#endif /* SOFTLBR_PLATFORM_BASE_FEATURE_MARKS_X86_64_H_ */

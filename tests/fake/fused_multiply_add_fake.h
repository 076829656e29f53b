// platform/fused_multiply_add.h for tests: a CPU with or without the instruction, independent of the real one.
#ifndef SOFTLBR_TESTS_FAKE_FUSED_MULTIPLY_ADD_FAKE_H_
#define SOFTLBR_TESTS_FAKE_FUSED_MULTIPLY_ADD_FAKE_H_

namespace softlbr::fake {

// True at the start.
void SetFusingCpu(bool is_there);

}  // namespace softlbr::fake

#endif  // SOFTLBR_TESTS_FAKE_FUSED_MULTIPLY_ADD_FAKE_H_

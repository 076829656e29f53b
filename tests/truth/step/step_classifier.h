// Classifies an x86-64 instruction, from its bytes alone, by what it can do to the program counter.
//
// Shares no code with decoders/ on purpose: the reference must not share a mistake with what it checks. It knows
// branches only; every other instruction is kOther and needs no length.
#ifndef SOFTLBR_TESTS_TRUTH_STEP_STEP_CLASSIFIER_H_
#define SOFTLBR_TESTS_TRUTH_STEP_STEP_CLASSIFIER_H_

#include <cstddef>
#include <cstdint>

namespace softlbr::truth {

enum class StepKind : uint8_t {
  kOther,          // continues at its end (rep forms stay at their address for a while)
  kConditional,    // jcc, loop*, jrcxz: length and displacement are valid
  kUnconditional,  // jump, call, return, direct or indirect: always a taken branch
  kSystemCall,     // syscall, int n
  kFar,            // far transfers and iret
};

enum class Condition : uint8_t { kFlags, kLoop, kLoopIfZero, kLoopIfNotZero, kCounterZero };

struct StepClass {
  StepKind kind = StepKind::kOther;
  uint8_t length = 0;          // kConditional only
  uint8_t condition_code = 0;  // low four bits of a jcc opcode
  Condition condition = Condition::kFlags;
  bool counts_32_bits = false;  // loop and jecxz with an address-size prefix
  int32_t displacement = 0;     // kConditional only
};

// Classifies the instruction at bytes[0..size). A truncated instruction is kOther.
StepClass ClassifyStep(const uint8_t* bytes, size_t size);

// Whether a conditional branch is taken with the register values before it. Needed only where both outcomes lead to the
// same address.
bool IsConditionTrue(const StepClass& step, uint64_t eflags, uint64_t rcx);

}  // namespace softlbr::truth

#endif  // SOFTLBR_TESTS_TRUTH_STEP_STEP_CLASSIFIER_H_

#include "tests/truth/step/step_classifier.h"

#include <cstring>

namespace softlbr::truth {
namespace {

bool IsLegacyPrefix(uint8_t byte) {
  // clang-format off
  switch (byte) {
    case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0x66: case 0x67: case 0xf0: case 0xf2:
    case 0xf3:
      return true;
    default:
      return false;
  }
  // clang-format on
}

StepClass Conditional(size_t opcode_end, const uint8_t* bytes, size_t size, size_t displacement_bytes) {
  StepClass step;
  if (opcode_end + displacement_bytes > size) return step;
  step.kind = StepKind::kConditional;
  step.length = static_cast<uint8_t>(opcode_end + displacement_bytes);
  if (displacement_bytes == 1) {
    step.displacement = static_cast<int8_t>(bytes[opcode_end]);
  } else {
    std::memcpy(&step.displacement, bytes + opcode_end, 4);
  }
  return step;
}

StepClass OfKind(StepKind kind) {
  StepClass step;
  step.kind = kind;
  return step;
}

}  // namespace

StepClass ClassifyStep(const uint8_t* bytes, size_t size) {
  size_t at = 0;
  bool has_address_size = false;
  while (at < size && IsLegacyPrefix(bytes[at])) {
    if (bytes[at] == 0x67) has_address_size = true;
    ++at;
  }
  if (at < size && (bytes[at] & 0xf0) == 0x40) ++at;  // REX
  if (at >= size) return {};
  const uint8_t opcode = bytes[at++];
  if (opcode >= 0x70 && opcode <= 0x7f) {
    StepClass step = Conditional(at, bytes, size, 1);
    step.condition_code = opcode & 15;
    return step;
  }
  if (opcode >= 0xe0 && opcode <= 0xe3) {
    static constexpr Condition kConditions[] = {Condition::kLoopIfNotZero, Condition::kLoopIfZero, Condition::kLoop,
                                                Condition::kCounterZero};
    StepClass step = Conditional(at, bytes, size, 1);
    step.condition = kConditions[opcode - 0xe0];
    step.counts_32_bits = has_address_size;
    return step;
  }
  // clang-format off
  switch (opcode) {
    case 0xe8: case 0xe9: case 0xeb: case 0xc2: case 0xc3:
      return OfKind(StepKind::kUnconditional);
    case 0xca: case 0xcb: case 0xcf:
      return OfKind(StepKind::kFar);
    case 0xcc: case 0xcd: case 0xf1:
      return OfKind(StepKind::kSystemCall);
    case 0xff: {
      if (at >= size) return {};
      const uint8_t operation = (bytes[at] >> 3) & 7;
      if (operation == 2 || operation == 4) return OfKind(StepKind::kUnconditional);
      if (operation == 3 || operation == 5) return OfKind(StepKind::kFar);
      return {};
    }
    case 0x0f: {
      if (at >= size) return {};
      const uint8_t second = bytes[at++];
      if (second >= 0x80 && second <= 0x8f) {
        StepClass step = Conditional(at, bytes, size, 4);
        step.condition_code = second & 15;
        return step;
      }
      if (second == 0x05 || second == 0x34) return OfKind(StepKind::kSystemCall);
      return {};
    }
    default:
      return {};
  }
  // clang-format on
}

bool IsConditionTrue(const StepClass& step, uint64_t eflags, uint64_t rcx) {
  const bool zero = (eflags >> 6) & 1;
  if (step.condition != Condition::kFlags) {
    if (step.counts_32_bits) rcx &= 0xffffffffu;
    // loop forms count down first.
    const uint64_t counted = step.counts_32_bits ? (rcx - 1) & 0xffffffffu : rcx - 1;
    switch (step.condition) {
      case Condition::kLoop: return counted != 0;
      case Condition::kLoopIfZero: return counted != 0 && zero;
      case Condition::kLoopIfNotZero: return counted != 0 && !zero;
      default: return rcx == 0;
    }
  }
  const bool carry = eflags & 1, parity = (eflags >> 2) & 1, sign = (eflags >> 7) & 1, overflow = (eflags >> 11) & 1;
  bool result = false;
  switch (step.condition_code >> 1) {
    case 0: result = overflow; break;
    case 1: result = carry; break;
    case 2: result = zero; break;
    case 3: result = carry || zero; break;
    case 4: result = sign; break;
    case 5: result = parity; break;
    case 6: result = sign != overflow; break;
    default: result = zero || sign != overflow; break;
  }
  return (step.condition_code & 1) ? !result : result;
}

}  // namespace softlbr::truth

// Contract: seccomp_program.h.
//
// The instructions are those that the kernel accepts in a seccomp filter (seccomp_check_filter); any other one gives
// up. Jumps only lead forward, so every path ends.
#include "runtime/interpose/seccomp_program.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>

#include "platform/base/config.h"

namespace softlbr {
namespace {

constexpr uint32_t kMachine = SOFTLBR_CPU_AARCH64 ? AUDIT_ARCH_AARCH64 : AUDIT_ARCH_X86_64;

struct Word {
  uint32_t bits;
  bool is_known;
};

// One path through the filter.
struct FilterPath {
  uint32_t at;
  Word a;
  Word x;
  uint32_t memory[BPF_MEMWORDS];
  uint32_t known_memory;  // bit n: memory[n] is known
};

constexpr Word kUnknownWord = {0, false};

// The word at `offset` of the seccomp_data.
Word LoadWord(const ExpectedCall& call, uint32_t offset) {
  constexpr uint32_t kArguments = offsetof(seccomp_data, args);
  if (offset == offsetof(seccomp_data, nr)) return {static_cast<uint32_t>(call.number), true};
  if (offset == offsetof(seccomp_data, arch)) return {kMachine, true};
  if (offset < kArguments) return kUnknownWord;  // the instruction pointer
  const int64_t argument = call.arguments[(offset - kArguments) / 8];
  if (argument == kAnyArgument) return kUnknownWord;
  return {static_cast<uint32_t>(static_cast<uint64_t>(argument) >> (offset % 8 * 8)), true};
}

// False if the instruction is not understood.
bool Compute(uint16_t operation, uint32_t operand, uint32_t* a) {
  switch (operation) {
    case BPF_ADD: *a += operand; return true;
    case BPF_SUB: *a -= operand; return true;
    case BPF_MUL: *a *= operand; return true;
    case BPF_DIV:
      if (operand == 0) return false;
      *a /= operand;
      return true;
    case BPF_OR: *a |= operand; return true;
    case BPF_AND: *a &= operand; return true;
    case BPF_XOR: *a ^= operand; return true;
    case BPF_LSH: *a = operand < 32 ? *a << operand : 0; return operand < 32;
    case BPF_RSH: *a = operand < 32 ? *a >> operand : 0; return operand < 32;
    case BPF_NEG: *a = 0u - *a; return true;
    default: return false;
  }
}

// False if the instruction is not understood.
bool Compare(uint16_t operation, uint32_t a, uint32_t operand, bool* is_true) {
  switch (operation) {
    case BPF_JEQ: *is_true = a == operand; return true;
    case BPF_JGT: *is_true = a > operand; return true;
    case BPF_JGE: *is_true = a >= operand; return true;
    case BPF_JSET: *is_true = (a & operand) != 0; return true;
    default: return false;
  }
}

uint32_t AnswerOf(Word result) {
  if (!result.is_known) return kFilterDoesMore;
  switch (result.bits & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_ALLOW: return kFilterAllows;
    case SECCOMP_RET_ERRNO: return kFilterRefuses;
    default: return kFilterDoesMore;
  }
}

}  // namespace

uint32_t FilterAnswers(const sock_filter* code, uint32_t count, const ExpectedCall& call, uint32_t* steps_left) {
  constexpr uint32_t kMostPaths = 20;
  FilterPath paths[kMostPaths];
  uint32_t path_count = 1;
  uint32_t answers = 0;
  paths[0].at = 0;
  paths[0].a = {0, true};
  paths[0].x = {0, true};
  paths[0].known_memory = 0;
  while (path_count != 0) {
    FilterPath& path = paths[path_count - 1];
    if (path.at >= count || *steps_left == 0) return answers | kFilterDoesMore;
    --*steps_left;
    const sock_filter step = code[path.at++];
    const Word operand = BPF_SRC(step.code) == BPF_X ? path.x : Word{step.k, true};
    switch (BPF_CLASS(step.code)) {
      case BPF_LD:
      case BPF_LDX: {
        Word& target = BPF_CLASS(step.code) == BPF_LD ? path.a : path.x;
        switch (BPF_MODE(step.code)) {
          case BPF_IMM: target = {step.k, true}; break;
          case BPF_LEN: target = {sizeof(seccomp_data), true}; break;
          case BPF_MEM:
            if (step.k >= BPF_MEMWORDS) return kFilterDoesMore;
            target = (path.known_memory >> step.k & 1) != 0 ? Word{path.memory[step.k], true} : kUnknownWord;
            break;
          case BPF_ABS:
            if (BPF_CLASS(step.code) != BPF_LD || step.k % 4 != 0 || step.k >= sizeof(seccomp_data))
              return kFilterDoesMore;
            target = LoadWord(call, step.k);
            break;
          default: return kFilterDoesMore;
        }
        break;
      }
      case BPF_ST:
      case BPF_STX: {
        const Word value = BPF_CLASS(step.code) == BPF_ST ? path.a : path.x;
        if (step.k >= BPF_MEMWORDS) return kFilterDoesMore;
        path.memory[step.k] = value.bits;
        path.known_memory = (path.known_memory & ~(1u << step.k)) | static_cast<uint32_t>(value.is_known) << step.k;
        break;
      }
      case BPF_ALU:
        path.a.is_known = path.a.is_known && (operand.is_known || BPF_OP(step.code) == BPF_NEG);
        if (path.a.is_known && !Compute(BPF_OP(step.code), operand.bits, &path.a.bits)) return kFilterDoesMore;
        break;
      case BPF_MISC:
        if (BPF_MISCOP(step.code) == BPF_TAX) {
          path.x = path.a;
        } else {
          path.a = path.x;
        }
        break;
      case BPF_RET:
        answers |= AnswerOf(BPF_RVAL(step.code) == BPF_A ? path.a : Word{step.k, true});
        --path_count;
        break;
      default: {  // BPF_JMP
        if (BPF_OP(step.code) == BPF_JA) {
          if (step.k >= count) return kFilterDoesMore;
          path.at += step.k;
          break;
        }
        bool is_true = false;
        if (!Compare(BPF_OP(step.code), path.a.bits, operand.bits, &is_true)) return kFilterDoesMore;
        if (path.a.is_known && operand.is_known) {
          path.at += is_true ? step.jt : step.jf;
          break;
        }
        if (path_count == kMostPaths) return kFilterDoesMore;
        paths[path_count] = path;
        paths[path_count++].at += step.jt;
        path.at += step.jf;
        break;
      }
    }
  }
  return answers;
}

}  // namespace softlbr

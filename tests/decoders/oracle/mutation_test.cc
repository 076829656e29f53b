// Compares random encodings that the decoder accepts with the CPU: lengths, operand forms and prefixes beyond the
// corpus. Also compares the forms on which vendors' processors differ, with this machine's CPU.
//
// The native side runs in a forked child: an encoding that native_hazards.cc fails to reject may damage its process.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "tests/decoders/oracle/case_runner.h"
#include "tests/decoders/oracle/corpus.h"
#include "tests/decoders/oracle/failures.h"
#include "tests/decoders/oracle/native_hazards.h"
#include "tests/decoders/oracle/settings.h"

extern "C" const softlbr_decoder_plugin* softlbr_decoder_plugin_x86_64(void);

namespace softlbr::oracle {
namespace {

constexpr uint64_t kMutants = 400000;
constexpr uint64_t kPrefixedForms = 60000;
constexpr uint32_t kRunsPerMutant = 4;
constexpr uint32_t kMostCrashes = 20;
constexpr uint32_t kLongestInstruction = 15;
constexpr uint32_t kSecondsPerProcess = 900;

// Written by the child, read by the parent after the child has ended.
struct Shared {
  uint8_t code[kLongestInstruction];
  uint64_t mutants;
  uint64_t unknown;  // the decoder does not know the bytes
  uint64_t unsafe;
  uint64_t cases;
  uint64_t outcomes[kCaseOutcomes];
  uint64_t failures;
  uint64_t next_seed;  // where the next child continues
  bool is_finished;
};

// A corpus form with some bytes changed or a prefix added, or random bytes.
void Mutate(Random* random, uint8_t* code) {
  for (uint32_t i = 0; i < kLongestInstruction; ++i) code[i] = static_cast<uint8_t>(random->Next());
  if (random->OneIn(8)) return;
  const auto corpus = Corpus();
  const CorpusForm& form = corpus[random->Below(static_cast<uint32_t>(corpus.size()))];
  uint32_t at = 0;
  if (random->OneIn(4)) {
    static constexpr uint8_t kPrefixes[] = {0x66, 0xf2, 0xf3, 0x67, 0x65, 0x2e, 0x40, 0x41, 0x44, 0x48, 0x4f, 0xf0};
    code[at++] = kPrefixes[random->Below(sizeof(kPrefixes))];
  }
  for (uint32_t i = 0; i < form.length && at < kLongestInstruction; ++i) code[at++] = form.code[i];
  const uint32_t changes = random->Below(3);
  for (uint32_t i = 0; i < changes; ++i) {
    const uint32_t where = random->Below(form.length);
    if (random->OneIn(2)) {
      code[where] = static_cast<uint8_t>(random->Next());
    } else {
      code[where] ^= static_cast<uint8_t>(1u << random->Below(8));
    }
  }
}

// Forms on which vendors' processors differ, and similar ones: near branches, exchanges with rax, bit scans and tests,
// hints, each with up to three prefixes and a REX.
void MakePrefixedForm(Random* random, uint8_t* code) {
  static constexpr uint8_t kOneByte[] = {0xc2, 0xc3, 0xe0, 0xe1, 0xe2, 0xe3, 0xe8,
                                         0xe9, 0xeb, 0xff, 0xff, 0x70, 0x90, 0x63};
  static constexpr uint8_t kTwoByte[] = {0x80, 0x0d, 0x18, 0x1a, 0x1c, 0x1f, 0xa3,
                                         0xb3, 0xb8, 0xba, 0xbb, 0xbc, 0xbd, 0xc8};
  for (uint32_t i = 0; i < kLongestInstruction; ++i) code[i] = static_cast<uint8_t>(random->Next());
  uint32_t at = 0;
  for (uint32_t i = random->Below(4); i > 0; --i) {
    static constexpr uint8_t kPrefixes[] = {0x66, 0x66, 0x66, 0xf2, 0xf3, 0x67, 0x2e, 0x3e};
    code[at++] = kPrefixes[random->Below(sizeof(kPrefixes))];
  }
  if (random->OneIn(3)) code[at++] = static_cast<uint8_t>(0x40 | random->Below(16));
  const bool is_two_byte = random->OneIn(2);
  if (is_two_byte) code[at++] = 0x0f;
  uint8_t& opcode = code[at++];
  opcode = is_two_byte ? kTwoByte[random->Below(sizeof(kTwoByte))] : kOneByte[random->Below(sizeof(kOneByte))];
  if (opcode == 0x70 || (is_two_byte && opcode == 0x80)) opcode |= static_cast<uint8_t>(random->Below(16));
  if (opcode == 0x90) opcode |= static_cast<uint8_t>(random->Below(8));
  // Calls and jumps, half of them through registers; the corpus covers the other extensions.
  if (opcode == 0xff)
    code[at] =
        static_cast<uint8_t>((code[at] & 0xc7) | (random->OneIn(2) ? 0xc0 : 0) | (random->OneIn(2) ? 0x10 : 0x20));
}

// True if a jump there would loop, or enter the instruction or the trampoline behind it in the middle, or the runner's
// code.
bool IsHarmfulTarget(CaseRunner* runner, size_t size, uint64_t target) {
  const uint64_t slot = runner->native().SlotAddress(size);
  const uint64_t base = runner->native().base_address();
  if (target >= base && target < base + ORACLE_SLOT_PAGE) return true;
  return target >= slot && target < slot + size + 5 && target != slot + size;
}

// Where a processor jumps that ignores a prefix by which others cut the target to 16 bits: the displacement is the last
// byte or the last four, whatever the opcode.
bool MayJumpHarmfully(CaseRunner* runner, const uint8_t* code, size_t size) {
  const uint64_t next = runner->native().SlotAddress(size) + size;
  if (IsHarmfulTarget(runner, size, next + static_cast<uint64_t>(int64_t{static_cast<int8_t>(code[size - 1])})))
    return true;
  int32_t displacement = 0;
  if (size <= sizeof(displacement)) return false;
  std::memcpy(&displacement, code + size - sizeof(displacement), sizeof(displacement));
  return IsHarmfulTarget(runner, size, next + static_cast<uint64_t>(int64_t{displacement}));
}

// Rejects direct targets inside the instructions or the trampoline, and rip-relative operands on the runner's own
// pages, which would modify it.
bool IsRunnable(CaseRunner* runner, const uint8_t* code, size_t size) {
  const softlbr_block& block = runner->block();
  const uint64_t slot = runner->native().SlotAddress(size);
  const uint64_t base = runner->native().base_address();
  switch (block.end.kind) {
    case SOFTLBR_END_FALLTHROUGH:
    case SOFTLBR_END_RETURN:
    case SOFTLBR_END_INDIRECT_JUMP:
    case SOFTLBR_END_INDIRECT_CALL: break;
    case SOFTLBR_END_CONDITIONAL:
    case SOFTLBR_END_JUMP:
    case SOFTLBR_END_CALL: {
      if (block.end.base != SOFTLBR_REG_BLOCK) {  // cut to 16 bits, far below the runner's pages, or UNKNOWN
        if (MayJumpHarmfully(runner, code, size)) return false;
        break;
      }
      if (IsHarmfulTarget(runner, size, slot + static_cast<uint64_t>(block.end.disp))) return false;
      break;
    }
    default: return false;
  }
  const uint32_t before_end = block.uop_count - block.end.after_uops;  // a call's return address is not an operand
  for (uint32_t i = 0; i < before_end; ++i) {
    const softlbr_uop& uop = block.uops[i];
    const bool is_short_target = uop.op == SOFTLBR_OP_ADDRESS && uop.width == 2;
    if (uop.a != SOFTLBR_REG_BLOCK || is_short_target) continue;
    const uint64_t address = slot + static_cast<uint64_t>(int64_t{uop.imm});
    const uint64_t offset = address - base;
    if (offset + 64 < ORACLE_OWN_BYTES + 64u) return false;
  }
  return true;
}

struct Plan {
  void (*make)(Random* random, uint8_t* code);
  uint64_t mutants;
  uint32_t variant;  // of the decoder
};

void RunChild(Shared* shared, const Plan& plan) {
  alarm(kSecondsPerProcess);
  CaseRunner runner(softlbr_decoder_plugin_x86_64(), Seed(), plan.variant);
  Failures failures(MostShown());
  while (shared->mutants < plan.mutants) {
    Random random(shared->next_seed++);
    ++shared->mutants;
    uint8_t code[kLongestInstruction];
    plan.make(&random, code);
    if (!runner.Prepare(code, kLongestInstruction) &&
        (runner.block().instruction_count == 0 || runner.block().byte_length > kLongestInstruction)) {
      ++shared->unknown;
      continue;
    }
    const size_t size = runner.block().length[0];
    std::memcpy(shared->code, code, sizeof(code));
    if (!IsSafeToRunNatively(code, size)) {
      ++shared->unsafe;
      continue;
    }
    if (!runner.Prepare(code, size)) {
      failures.Add("mutant", code, size, "another length when the window ends with the instruction");
      continue;
    }
    if (!IsRunnable(&runner, code, size)) {
      ++shared->unsafe;
      continue;
    }
    for (uint32_t run = 0; run < kRunsPerMutant; ++run) {
      const CaseReport report = runner.Run(Expectation{}, (run & 1) != 0, &random);
      ++shared->cases;
      ++shared->outcomes[static_cast<uint32_t>(report.outcome)];
      if (report.outcome == CaseOutcome::kIllegal) break;
      if (report.outcome != CaseOutcome::kMismatch) continue;
      failures.Add("mutant", code, size, report.text);
      break;
    }
  }
  shared->failures += failures.count();
  shared->is_finished = true;
  std::fflush(stdout);
  _exit(0);
}

// Expects no failure. Returns the counts of the children.
Shared RunPlan(const Plan& plan) {
  auto* shared =
      static_cast<Shared*>(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (shared == MAP_FAILED) {
    ADD_FAILURE() << "mmap";
    return Shared{};
  }
  shared->next_seed = Seed() * 0x100000001;
  uint32_t crashes = 0;
  while (!shared->is_finished && crashes < kMostCrashes) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) RunChild(shared, plan);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
      ADD_FAILURE() << "no child";
      break;
    }
    if (shared->is_finished) break;
    ++crashes;
    std::printf("  the child ended with status 0x%x at %s\n", static_cast<unsigned>(status),
                BytesText(shared->code, sizeof(shared->code)).c_str());
  }
  std::printf(
      "mutants: %llu, %llu not known to the decoder, %llu not run natively; %llu cases: %llu equal, %llu faulted, %llu "
      "not on "
      "this CPU, %llu unresolved\n",
      static_cast<unsigned long long>(shared->mutants), static_cast<unsigned long long>(shared->unknown),
      static_cast<unsigned long long>(shared->unsafe), static_cast<unsigned long long>(shared->cases),
      static_cast<unsigned long long>(shared->outcomes[0]), static_cast<unsigned long long>(shared->outcomes[1]),
      static_cast<unsigned long long>(shared->outcomes[2]), static_cast<unsigned long long>(shared->outcomes[3]));
  EXPECT_EQ(shared->failures, 0u);
  EXPECT_EQ(crashes, 0u);
  EXPECT_GT(shared->outcomes[0], shared->mutants / 4) << "too few cases are compared to prove anything";
  const Shared result = *shared;
  munmap(shared, sizeof(Shared));
  return result;
}

TEST(OracleMutation, AcceptedEncodingsMatchTheCpu) {
  RunPlan({Mutate, Scaled(kMutants), SOFTLBR_DECODER_VARIANT_HOST});
}

TEST(OracleMutation, PrefixedFormsMatchThisCpu) {
  RunPlan({MakePrefixedForm, Scaled(kPrefixedForms), SOFTLBR_DECODER_VARIANT_HOST});
}

TEST(OracleMutation, UnknownCpuVariantGivesNothingWrong) {
  const Shared result = RunPlan({MakePrefixedForm, Scaled(kPrefixedForms), SOFTLBR_DECODER_VARIANT_UNKNOWN});
  EXPECT_GT(result.outcomes[static_cast<uint32_t>(CaseOutcome::kUnresolved)], result.mutants / 20);
}

}  // namespace
}  // namespace softlbr::oracle

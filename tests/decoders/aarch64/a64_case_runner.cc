// Contract: a64_case_runner.h.
#include "tests/decoders/aarch64/a64_case_runner.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "platform/base/elf_machine.h"
#include "platform/base/registers_aarch64.h"

namespace softlbr::oracle {
namespace {

constexpr uint32_t kSp = 31;  // the register number that means the stack pointer in some forms
constexpr uint32_t kCasesPerMemory = 8;
constexpr uint8_t kUnknownByte = 1;
constexpr uint8_t kKnownByte = 2;
constexpr uint8_t kNzcv = SOFTLBR_FLAG_S | SOFTLBR_FLAG_Z | SOFTLBR_FLAG_C | SOFTLBR_FLAG_V;
constexpr uint64_t kUserAddressBits = 0x0000ffffffffffff;
constexpr uint64_t kFpcrModes[] = {1u << 22, 2u << 22, 3u << 22, 1u << 24, 1u << 25, 1u << 26};

uint64_t MaskOf(uint8_t known) {
  uint64_t mask = 0;
  for (uint32_t i = 0; i < 8; ++i) {
    if ((known >> i & 1) != 0) mask |= uint64_t{0xff} << (8 * i);
  }
  return mask;
}

uint8_t PackFlags(uint64_t nzcv) {
  uint32_t packed = 0;
  if ((nzcv >> 31 & 1) != 0) packed |= SOFTLBR_FLAG_S;
  if ((nzcv >> 30 & 1) != 0) packed |= SOFTLBR_FLAG_Z;
  if ((nzcv >> 29 & 1) != 0) packed |= SOFTLBR_FLAG_C;
  if ((nzcv >> 28 & 1) != 0) packed |= SOFTLBR_FLAG_V;
  return static_cast<uint8_t>(packed);
}

std::string Hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string SlotName(uint32_t slot) {
  if (slot == SOFTLBR_A64_SP) return "sp";
  if (slot == SOFTLBR_A64_TPIDR) return "tpidr_el0";
  if (slot == SOFTLBR_A64_FPCR) return "fpcr";
  if (slot >= SOFTLBR_A64_X0 && slot <= SOFTLBR_A64_X30) return "x" + std::to_string(slot - SOFTLBR_A64_X0);
  if (slot >= SOFTLBR_REG_VECTOR && slot < SOFTLBR_REG_VECTOR_TEMP) {
    return "v" + std::to_string((slot - SOFTLBR_REG_VECTOR) / 8) + ".d[" +
           std::to_string((slot - SOFTLBR_REG_VECTOR) % 8) + "]";
  }
  return "register slot" + std::to_string(slot);
}

bool IsMemoryWord(uint32_t word) { return (word >> 27 & 1) != 0 && (word >> 25 & 1) == 0; }
bool IsRegisterOffset(uint32_t word) { return (word & 0x3b200c00) == 0x38200800; }
bool IsZeroing(uint32_t word) { return (word & 0xffffffe0) == 0xd50b7420; }  // dc zva

bool HasAddress(uint32_t op) {
  return op == SOFTLBR_OP_LOAD || op == SOFTLBR_OP_STORE || op == SOFTLBR_OP_STORE_UNKNOWN || op == SOFTLBR_OP_VLOAD ||
         op == SOFTLBR_OP_VSTORE;
}

// The evaluator's flags, read through IR ops only.
void ReadFlags(Evaluator* evaluator, uint8_t* packed, uint8_t* known) {
  static constexpr struct {
    uint8_t flag;
    uint8_t condition;
  } kAsked[] = {{SOFTLBR_FLAG_C, SOFTLBR_COND_C},
                {SOFTLBR_FLAG_Z, SOFTLBR_COND_Z},
                {SOFTLBR_FLAG_S, SOFTLBR_COND_S},
                {SOFTLBR_FLAG_V, SOFTLBR_COND_V}};
  softlbr_block block{};
  block.byte_length = 4;
  block.instruction_count = 1;
  block.length[0] = 4;
  uint16_t count = 0;
  for (const auto& asked : kAsked) {
    const auto slot = static_cast<uint16_t>(SOFTLBR_REG_TEMP + count);
    block.uops[count++] = softlbr_uop{SOFTLBR_OP_SETCC, 8, asked.condition, slot, 0, 0, 0, 0};
  }
  block.uop_count = count;
  block.uops_of[0] = static_cast<uint8_t>(count);
  (void)RunBlock(evaluator, ViewOf(block), 0);
  *packed = 0;
  *known = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t slot = SOFTLBR_REG_TEMP + i;
    if ((evaluator->context.known[slot] & 1) == 0) continue;
    *known |= kAsked[i].flag;
    if ((evaluator->context.regs[slot] & 1) != 0) *packed |= kAsked[i].flag;
  }
}

bool IsNan(uint64_t lane, uint32_t bytes) {
  if (bytes == 4) return (lane & 0x7fffffff) > 0x7f800000;  // the low half
  return (lane & 0x7fffffffffffffff) > 0x7ff0000000000000;
}

}  // namespace

A64CaseRunner::A64CaseRunner(const softlbr_decoder_plugin* plugin, uint64_t seed)
    : pool_(seed),
      plugin_(plugin),
      arena_(plugin->arena_bytes + 64),
      evaluator_(std::make_unique<Evaluator>()),
      memory_before_(kScratchBytes),
      touched_(kScratchBytes) {
  uint8_t* arena = arena_.data() + (64 - reinterpret_cast<uintptr_t>(arena_.data()) % 64) % 64;
  if (plugin_->open(arena, plugin_->arena_bytes, SOFTLBR_DECODER_VARIANT_HOST, &decoder_) != SOFTLBR_DECODER_OK) {
    std::fputs("oracle: the decoder does not open\n", stderr);
    std::abort();
  }
  InitEvaluator(evaluator_.get(), ResolvePolicy::kLookahead, kMachineAarch64);
}

A64CaseRunner::~A64CaseRunner() { plugin_->close(decoder_); }

bool A64CaseRunner::Prepare(const uint32_t* words, uint32_t count) {
  words_.assign(words, words + count);
  const auto* code = reinterpret_cast<const uint8_t*>(words);
  emulator_.SetCode(words, count);
  if (plugin_->lift(decoder_, code, 4 * count, emulator_.code_address(), &block_) != SOFTLBR_DECODER_OK) return false;
  return block_.instruction_count == count;
}

// Sets base registers such that the accesses hit the scratch memory.
void A64CaseRunner::AimAt(uint32_t word, uint32_t instruction, Random* random) {
  uint64_t target = emulator_.scratch_address() + kScratchBytes / 2 + random->Below(1024) - 512;
  if (!random->OneIn(3)) target &= ~uint64_t{15};
  if (IsZeroing(word)) {
    if ((word & 31) != 31) start_.x[word & 31] = target;
    return;
  }
  const uint32_t rn = word >> 5 & 31;
  const uint32_t slot = SOFTLBR_A64_X0 + rn;
  uint64_t base = target;
  if (IsRegisterOffset(word)) {
    const uint32_t rm = word >> 16 & 31;
    const uint32_t option = word >> 13 & 7;
    uint64_t index = rm == 31 ? 0 : start_.x[rm];
    if (option == 2) index &= 0xffffffff;
    if (option == 6) index = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(index)));
    const bool is_quad = (word >> 26 & 1) != 0 && (word >> 23 & 1) != 0;
    if ((word >> 12 & 1) != 0) index <<= is_quad ? 4 : word >> 30;
    base = target - index;
  } else {
    uint32_t first = 0;
    for (uint32_t i = 0; i < instruction; ++i) first += block_.uops_of[i];
    for (uint32_t i = first; i < first + block_.uops_of[instruction]; ++i) {
      const softlbr_uop& uop = block_.uops[i];
      if (!HasAddress(uop.op) || uop.a != slot || uop.b != SOFTLBR_REG_ZERO) continue;
      base = target - static_cast<uint64_t>(static_cast<int64_t>(uop.imm));
      break;
    }
  }
  (rn == kSp ? start_.sp : start_.x[rn]) = base;
}

void A64CaseRunner::MakeState(Random* random) {
  for (uint64_t& x : start_.x) x = pool_.Integer(random);
  for (auto& v : start_.v) std::memcpy(v, pool_.Vector(random) + 16 * random->Below(4), sizeof(v));
  // Related operands: one register is a copy of another, or a copy with one bit changed.
  for (uint32_t copies = random->Below(4); copies != 0; --copies) {
    const uint32_t bound = random->OneIn(2) ? 31 : 4;
    const uint32_t to = random->Below(bound);
    std::memcpy(start_.v[to], start_.v[random->Below(bound)], 16);
    if (random->OneIn(2)) start_.v[to][random->Below(2)] ^= uint64_t{1} << random->Below(64);
    if (random->OneIn(2)) start_.x[to] = start_.x[random->Below(bound)];
  }
  start_.sp = emulator_.scratch_address() + kScratchBytes / 2 + 16 * random->Below(32);
  start_.pc = emulator_.code_address();
  start_.nzcv = random->Next() & 0xf0000000;
  start_.fpcr = random->OneIn(16) ? kFpcrModes[random->Below(6)] : 0;
  start_.tpidr = pool_.Integer(random);
  uint8_t* scratch = emulator_.scratch();
  if (random->OneIn(kCasesPerMemory)) {
    pool_.FillBytes(random, memory_before_.data() + kScratchBytes / 2 - 1024, 2048);
    std::memcpy(scratch, memory_before_.data(), kScratchBytes);
  } else if (std::memcmp(scratch, memory_before_.data(), kScratchBytes) != 0) {
    std::memcpy(scratch, memory_before_.data(), kScratchBytes);
  }
  for (uint32_t i = 0; i < words_.size() && i < block_.instruction_count; ++i) {
    if (IsMemoryWord(words_[i]) || IsZeroing(words_[i])) AimAt(words_[i], i, random);
  }
  const softlbr_terminator& end = block_.end;
  const bool is_indirect =
      end.kind == SOFTLBR_END_RETURN || end.kind == SOFTLBR_END_INDIRECT_JUMP || end.kind == SOFTLBR_END_INDIRECT_CALL;
  uint32_t target = end.base;
  for (uint32_t i = 0; i < block_.uop_count; ++i) {
    if (block_.uops[i].op == SOFTLBR_OP_POINTER_CHECK && block_.uops[i].dst == end.base) target = block_.uops[i].a;
  }
  if (is_indirect && target >= SOFTLBR_A64_X0 && target <= SOFTLBR_A64_X30) {
    start_.x[target - SOFTLBR_A64_X0] = random->OneIn(2) ? 0x400000000000 + (random->Next() >> 24 & ~uint64_t{3})
                                                         : emulator_.code_address() + 4 * random->Below(64);
  }
}

void A64CaseRunner::LoadContext(bool partial, Random* random) {
  MachineContext& context = evaluator_->context;
  std::memset(&context, 0, sizeof(context));
  context.known[SOFTLBR_REG_ZERO] = kAllKnown;
  context.known[SOFTLBR_REG_ATOMIC] = kAllKnown;  // no other thread takes part
  auto set = [&](uint32_t slot, uint64_t value) {
    context.regs[slot] = value;
    context.known[slot] = kAllKnown;
  };
  for (uint32_t i = 0; i < 31; ++i) set(SOFTLBR_A64_X0 + i, start_.x[i]);
  set(SOFTLBR_A64_SP, start_.sp);
  set(SOFTLBR_A64_TPIDR, start_.tpidr);
  set(SOFTLBR_A64_FPCR, start_.fpcr);
  set(SOFTLBR_A64_DCZID, emulator_.dczid());
  for (uint32_t r = 0; r < 32; ++r) {
    set(SOFTLBR_REG_VECTOR + 8 * r, start_.v[r][0]);
    set(SOFTLBR_REG_VECTOR + 8 * r + 1, start_.v[r][1]);
  }
  context.pc = start_.pc;
  context.sp = start_.sp;
  context.flags = PackFlags(start_.nzcv);
  context.flags_known = kNzcv;
  context.rounding_is_default = start_.fpcr == 0;
  context.flushes_denormals = start_.fpcr == 1u << 24;
  AdoptTrueState(evaluator_.get());
  if (!partial) return;

  // Puts garbage under UNKNOWN bytes: a result that uses them and is marked known then differs from the emulator's.
  const uint32_t one_in = 2 + random->Below(30);
  for (uint32_t slot = SOFTLBR_REG_GENERAL; slot < SOFTLBR_REG_VECTOR_TEMP; ++slot) {
    if (context.known[slot] == 0 || !random->OneIn(one_in)) continue;
    const uint8_t hidden = random->OneIn(3) ? kAllKnown : static_cast<uint8_t>(random->Next());
    context.known[slot] &= static_cast<uint8_t>(~hidden);
    context.regs[slot] ^= random->Next() & MaskOf(hidden);
  }
  if (random->OneIn(2)) {
    const auto hidden = static_cast<uint8_t>(random->Below(64));
    LazyFlags* lazy = &evaluator_->lazy;
    SetExplicitFlags(lazy, static_cast<uint8_t>(context.flags ^ (random->Below(64) & hidden)),
                     static_cast<uint8_t>(context.flags_known & ~hidden));
  }
  if (random->OneIn(2)) HideMemory(random);
}

// Makes some scratch bytes UNKNOWN, as stores of UNKNOWN values would.
void A64CaseRunner::HideMemory(Random* random) {
  softlbr_block block{};
  block.byte_length = 4;
  block.instruction_count = 1;
  block.length[0] = 4;
  MachineContext& context = evaluator_->context;
  context.regs[SOFTLBR_REG_TEMP] = emulator_.scratch_address() + kScratchBytes / 2 - 512;
  context.known[SOFTLBR_REG_TEMP] = kAllKnown;
  const uint32_t count = 1 + random->Below(4);
  for (uint32_t i = 0; i < count; ++i) {
    block.uops[i] = softlbr_uop{SOFTLBR_OP_STORE_UNKNOWN,
                                static_cast<uint8_t>(1 + random->Below(64)),
                                0,
                                0,
                                SOFTLBR_REG_TEMP,
                                0,
                                0,
                                static_cast<int32_t>(random->Below(1024))};
  }
  block.uop_count = static_cast<uint16_t>(count);
  block.uops_of[0] = static_cast<uint8_t>(count);
  (void)RunBlock(evaluator_.get(), ViewOf(block), 0);
}

bool A64CaseRunner::CompareRegisters(const A64Expectation& expectation, bool partial, const A64State& after,
                                     A64Report* report) {
  const MachineContext& context = evaluator_->context;
  const uint32_t nan_bytes = expectation.nan_lane_bytes;
  auto check = [&](uint32_t slot, uint64_t value, bool may_be_nan) {
    uint64_t mask = MaskOf(context.known[slot]);
    if (((context.regs[slot] ^ value) & mask) != 0) {
      report->outcome = A64Outcome::kMismatch;
      report->text = SlotName(slot) + ": emulator " + Hex(value) + ", evaluated " + Hex(context.regs[slot]) +
                     ", known " + Hex(context.known[slot]);
      return false;
    }
    if (may_be_nan && nan_bytes != 0) {
      for (uint32_t at = 0; at < 8; at += nan_bytes) {
        if (IsNan(value >> (8 * at), nan_bytes)) mask |= (nan_bytes == 8 ? ~uint64_t{0} : 0xffffffffull << (8 * at));
      }
    }
    if (!partial && mask != ~uint64_t{0}) {
      report->unknown_bytes += static_cast<uint32_t>(__builtin_popcountll(~mask)) / 8;
      if (report->text.empty()) report->text = SlotName(slot) + " UNKNOWN, known " + Hex(context.known[slot]);
    }
    return true;
  };
  for (uint32_t i = 0; i < 31; ++i) {
    if (!check(SOFTLBR_A64_X0 + i, after.x[i], false)) return false;
  }
  if (!check(SOFTLBR_A64_SP, after.sp, false) || !check(SOFTLBR_A64_TPIDR, after.tpidr, false)) return false;
  if (((context.regs[SOFTLBR_A64_FPCR] ^ after.fpcr) & MaskOf(context.known[SOFTLBR_A64_FPCR])) != 0) {
    report->outcome = A64Outcome::kMismatch;
    report->text = "fpcr: emulator " + Hex(after.fpcr) + ", evaluated " + Hex(context.regs[SOFTLBR_A64_FPCR]);
    return false;
  }
  if (context.rounding_is_default && after.fpcr != 0) {
    report->outcome = A64Outcome::kMismatch;
    report->text = "rounding is called the default, fpcr is " + Hex(after.fpcr);
    return false;
  }
  for (uint32_t r = 0; r < 32; ++r) {
    const uint32_t slot = SOFTLBR_REG_VECTOR + 8 * r;
    if (!check(slot, after.v[r][0], true) || !check(slot + 1, after.v[r][1], true)) return false;
  }
  if (context.regs[SOFTLBR_REG_ZERO] != 0 || context.known[SOFTLBR_REG_ZERO] != kAllKnown) {
    report->outcome = A64Outcome::kMismatch;
    report->text = "the zero register slot was written";
    return false;
  }
  uint8_t packed;
  uint8_t known;
  ReadFlags(evaluator_.get(), &packed, &known);
  const uint8_t true_flags = PackFlags(after.nzcv);
  if (((packed ^ true_flags) & known) != 0) {
    report->outcome = A64Outcome::kMismatch;
    report->text =
        "flags (VSZ..C): emulator " + Hex(true_flags) + ", evaluated " + Hex(packed) + ", known " + Hex(known);
    return false;
  }
  const auto missing = static_cast<uint8_t>(kNzcv & ~known);
  if (!partial && missing != 0) {
    report->unknown_bytes += static_cast<uint32_t>(__builtin_popcount(missing));
    if (report->text.empty()) report->text = "flags (VSZ..C) UNKNOWN: " + Hex(missing);
  }
  return true;
}

bool A64CaseRunner::CompareMemory(bool partial, A64Report* report) {
  const StoreBuffer& stores = evaluator_->memory.stores;
  const uint8_t* after = emulator_.scratch();
  const bool is_changed = std::memcmp(after, memory_before_.data(), kScratchBytes) != 0;
  if (stores.is_poisoned) {
    if (!partial) {
      report->unknown_bytes += 8;
      if (report->text.empty()) report->text = "all memory became UNKNOWN";
    }
    return true;
  }
  if (!is_changed && stores.live_lines == 0 && stores.range_count == 0) return true;
  std::memset(touched_.data(), 0, touched_.size());
  const uint64_t base = emulator_.scratch_address();
  auto fail = [&](uint64_t address, const std::string& what) {
    report->outcome = A64Outcome::kMismatch;
    report->text = "memory at scratch+" + Hex(address - base) + ": " + what;
    return false;
  };
  auto visit = [&](uint64_t address, bool is_known, uint8_t value) {
    if (address - base >= kScratchBytes) {  // a store-exclusive may not store
      return !is_known || fail(address, "evaluated a store outside the scratch memory");
    }
    const uint64_t offset = address - base;
    touched_[offset] = is_known ? kKnownByte : kUnknownByte;
    if (is_known && after[offset] != value)
      return fail(address, "emulator " + Hex(after[offset]) + ", evaluated " + Hex(value));
    if (!is_known && !partial) {
      ++report->unknown_bytes;
      if (report->text.empty()) report->text = "memory at scratch+" + Hex(offset) + " became UNKNOWN";
    }
    return true;
  };
  std::vector<bool> is_in_line(kScratchBytes);
  for (const StoreBuffer::Line& line : stores.lines) {
    if (line.generation != stores.generation) continue;
    for (uint32_t i = 0; i < kStoreLineBytes; ++i) {
      if ((line.written >> i & 1) == 0) continue;
      if (line.address + i - base < kScratchBytes) is_in_line[line.address + i - base] = true;
      if (!visit(line.address + i, (line.known >> i & 1) != 0, line.bytes[i])) return false;
    }
  }
  for (uint32_t r = 0; r < stores.range_count; ++r) {
    const StoreBuffer::Range& range = stores.ranges[r];
    for (uint64_t at = range.begin; at < range.end; ++at) {
      // a range assumed at the longest vector length may leave the scratch memory
      if (at - base >= kScratchBytes) continue;
      bool is_covered = is_in_line[at - base];
      for (uint32_t later = r + 1; later < stores.range_count; ++later) {
        is_covered |= at >= stores.ranges[later].begin && at < stores.ranges[later].end;
      }
      if (!is_covered && !visit(at, range.is_known, range.value)) return false;
    }
  }
  for (uint32_t i = 0; i < kScratchBytes; ++i) {
    if (after[i] != memory_before_[i] && touched_[i] == 0) {
      return fail(base + i, "the emulator stored " + Hex(after[i]) + ", the evaluator nothing");
    }
  }
  return true;
}

bool A64CaseRunner::HasNanOperand(uint32_t lane_bytes) const {
  for (uint32_t shift : {5u, 16u}) {
    const uint64_t(&v)[2] = start_.v[words_[0] >> shift & 31];
    for (uint32_t at = 0; at < 8; at += lane_bytes) {
      if (IsNan(v[0] >> (8 * at), lane_bytes) || IsNan(v[1] >> (8 * at), lane_bytes)) return true;
    }
  }
  return false;
}

A64Report A64CaseRunner::Run(const A64Expectation& expectation, bool partial, Random* random) {
  A64Report report{A64Outcome::kEqual, 0, {}};
  MakeState(random);
  LoadContext(partial, random);
  const BlockExit exit = RunBlock(evaluator_.get(), ViewOf(block_), 0);

  A64State after = start_;
  const EmulatorResult result = emulator_.Run(&after, block_.end.kind == SOFTLBR_END_FALLTHROUGH);
  const bool is_excused = expectation.may_lose_nan_operands && HasNanOperand(expectation.nan_lane_bytes);
  const bool expect_all = expectation.is_modelled && !partial && start_.fpcr == 0 && !is_excused;
  const bool enters_kernel = exit.outcome == BlockOutcome::kSystemCall ||
                             (exit.outcome == BlockOutcome::kAborted && exit.reason == AbortReason::kTrapInstruction);
  if (result == EmulatorResult::kFaulted) {
    report.outcome = A64Outcome::kFaulted;
    return report;
  }
  if (enters_kernel) {
    if (result == EmulatorResult::kUndefined) return report;
    report.outcome = A64Outcome::kMismatch;
    report.text = "lifted as entering the kernel; the emulator went on";
    return report;
  }
  if (result != EmulatorResult::kOk) {
    report.outcome = A64Outcome::kIllegal;
    return report;
  }
  if (exit.outcome == BlockOutcome::kAborted || exit.outcome == BlockOutcome::kUnresolved) {
    report.outcome = expect_all ? A64Outcome::kUnknown : A64Outcome::kUnresolved;
    report.text = exit.outcome == BlockOutcome::kUnresolved
                      ? "branch on UNKNOWN"
                      : "evaluation ended with reason " + std::to_string(static_cast<int>(exit.reason));
    return report;
  }
  if ((after.pc & ~kUserAddressBits) != 0) {  // faults in user space
    report.outcome = A64Outcome::kUnresolved;
    return report;
  }
  if (exit.next_pc != after.pc) {
    report.outcome = A64Outcome::kMismatch;
    report.text = "control went to " + Hex(after.pc) + ", evaluated " + Hex(exit.next_pc);
    return report;
  }
  const uint64_t end_of_block = start_.pc + 4 * words_.size();
  const bool is_conditional = block_.end.kind == SOFTLBR_END_CONDITIONAL;
  bool is_taken = block_.end.kind != SOFTLBR_END_FALLTHROUGH && (!is_conditional || after.pc != end_of_block);
  if (is_conditional && start_.pc + static_cast<uint64_t>(block_.end.disp) == end_of_block) is_taken = exit.is_taken;
  if (exit.is_taken != is_taken) {
    report.outcome = A64Outcome::kMismatch;
    report.text = "the branch is called taken wrongly";
    return report;
  }
  if (!CompareMemory(partial, &report)) return report;
  if (!CompareRegisters(expectation, partial, after, &report)) return report;
  if (expect_all && report.unknown_bytes != 0) report.outcome = A64Outcome::kUnknown;
  return report;
}

bool A64CaseRunner::IsUndefinedToEmulator(Random* random) {
  MakeState(random);
  A64State after = start_;
  return emulator_.Run(&after, false) == EmulatorResult::kUndefined;
}

}  // namespace softlbr::oracle

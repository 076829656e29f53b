// Contract: case_runner.h.
#include "tests/decoders/oracle/case_runner.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "platform/base/elf_machine.h"
#include "platform/base/registers_x86_64.h"

namespace softlbr::oracle {
namespace {

constexpr uint32_t kGprs = 16;
constexpr uint32_t kRspIndex = 4;
constexpr uint32_t kLongestRepeat = 24;
constexpr uint32_t kCasesPerMemory = 8;
constexpr uint64_t kFlagBits[] = {1u << 0, 1u << 2, 1u << 4, 1u << 6, 1u << 7, 1u << 11};  // C P A Z S V in RFLAGS
constexpr uint64_t kDirectionFlag = 1u << 10;
constexpr uint8_t kUnknownByte = 1;
constexpr uint8_t kKnownByte = 2;

uint64_t MaskOf(uint8_t known) {
  uint64_t mask = 0;
  for (uint32_t i = 0; i < 8; ++i) {
    if ((known >> i & 1) != 0) mask |= uint64_t{0xff} << (8 * i);
  }
  return mask;
}

uint8_t PackFlags(uint64_t rflags) {
  uint8_t packed = 0;
  for (uint32_t i = 0; i < 6; ++i) {
    if ((rflags & kFlagBits[i]) != 0) packed |= static_cast<uint8_t>(1u << i);
  }
  return packed;
}

bool IsGpr(uint32_t slot) { return slot >= SOFTLBR_X86_RAX && slot < SOFTLBR_X86_RAX + kGprs; }

// The register's bit, or 0 if the slot is not a general register.
uint32_t GprBit(uint32_t slot) { return IsGpr(slot) ? 1u << (slot - SOFTLBR_X86_RAX) : 0; }

bool HasAddress(uint32_t op) {
  return op == SOFTLBR_OP_LOAD || op == SOFTLBR_OP_STORE || op == SOFTLBR_OP_STORE_UNKNOWN || op == SOFTLBR_OP_VLOAD ||
         op == SOFTLBR_OP_VSTORE;
}

bool IsStringOp(uint32_t op) { return op >= SOFTLBR_OP_STRING_MOVE && op <= SOFTLBR_OP_STRING_COMPARE; }

// Locked accesses: a lock prefix, or xchg with memory.
bool IsLocked(const uint8_t* code, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    const uint8_t byte = code[i];
    if (byte == 0xf0) return true;
    const bool is_prefix = byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x64 ||
                           byte == 0x65 || byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 ||
                           (byte & 0xf0) == 0x40;
    if (!is_prefix) return byte == 0x86 || byte == 0x87;
  }
  return false;
}

std::string Hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string SlotName(uint32_t slot) {
  static const char* const kGprNames[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                          "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
  if (IsGpr(slot)) return kGprNames[slot - SOFTLBR_X86_RAX];
  if (slot >= SOFTLBR_X86_K0 && slot <= SOFTLBR_X86_K7) return "k" + std::to_string(slot - SOFTLBR_X86_K0);
  if (slot >= SOFTLBR_X86_MM0 && slot <= SOFTLBR_X86_MM7) return "mm" + std::to_string(slot - SOFTLBR_X86_MM0);
  if (slot == SOFTLBR_X86_MXCSR) return "mxcsr";
  if (slot == SOFTLBR_X86_DF) return "df";
  if (slot >= SOFTLBR_REG_VECTOR && slot < SOFTLBR_REG_VECTOR_TEMP) {
    return "zmm" + std::to_string((slot - SOFTLBR_REG_VECTOR) / 8) + "[" +
           std::to_string((slot - SOFTLBR_REG_VECTOR) % 8) + "]";
  }
  return "register slot" + std::to_string(slot);
}

// The evaluator's flags, read through IR ops only, so that their lazy form does not matter.
void ReadFlags(Evaluator* evaluator, uint8_t* packed, uint8_t* known) {
  static constexpr struct {
    uint8_t flag;
    uint8_t condition;
  } kAsked[] = {{SOFTLBR_FLAG_C, SOFTLBR_COND_C},
                {SOFTLBR_FLAG_P, SOFTLBR_COND_P},
                {SOFTLBR_FLAG_Z, SOFTLBR_COND_Z},
                {SOFTLBR_FLAG_S, SOFTLBR_COND_S},
                {SOFTLBR_FLAG_V, SOFTLBR_COND_V}};
  constexpr uint32_t kSlotOfA = SOFTLBR_REG_TEMP + 5;
  softlbr_block block{};
  block.byte_length = 1;
  block.instruction_count = 1;
  block.length[0] = 1;
  uint16_t count = 0;
  for (uint16_t i = 0; i < 5; ++i) {
    block.uops[count++] =
        softlbr_uop{SOFTLBR_OP_SETCC, 8, kAsked[i].condition, static_cast<uint16_t>(SOFTLBR_REG_TEMP + i), 0, 0, 0, 0};
  }
  // A has no condition of its own: the other five flags are made known, then the packed byte is known iff A is.
  block.uops[count++] = softlbr_uop{SOFTLBR_OP_FLAGS_CONST, 8, 0, 0, 0, 0, 0, SOFTLBR_FLAG_ALL & ~SOFTLBR_FLAG_A};
  block.uops[count++] = softlbr_uop{SOFTLBR_OP_GET_FLAGS, 8, 0, kSlotOfA, 0, 0, 0, 0};
  block.uop_count = count;
  block.uops_of[0] = static_cast<uint8_t>(count);
  (void)RunBlock(evaluator, ViewOf(block), 0);
  *packed = 0;
  *known = 0;
  for (uint32_t i = 0; i < 5; ++i) {
    const uint32_t slot = SOFTLBR_REG_TEMP + i;
    if ((evaluator->context.known[slot] & 1) == 0) continue;
    *known |= kAsked[i].flag;
    if ((evaluator->context.regs[slot] & 1) != 0) *packed |= kAsked[i].flag;
  }
  if ((evaluator->context.known[kSlotOfA] & 1) != 0) {
    *known |= SOFTLBR_FLAG_A;
    *packed |= evaluator->context.regs[kSlotOfA] & SOFTLBR_FLAG_A;
  }
}

}  // namespace

CaseRunner::CaseRunner(const softlbr_decoder_plugin* plugin, uint64_t seed, uint32_t variant)
    : maker_(seed),
      plugin_(plugin),
      arena_(plugin->arena_bytes + 64),
      evaluator_(std::make_unique<Evaluator>()),
      memory_before_(ORACLE_SCRATCH_BYTES),
      touched_(ORACLE_SCRATCH_BYTES) {
  uint8_t* arena = arena_.data() + (64 - reinterpret_cast<uintptr_t>(arena_.data()) % 64) % 64;
  if (plugin_->open(arena, plugin_->arena_bytes, variant, &decoder_) != SOFTLBR_DECODER_OK) {
    std::fputs("oracle: the decoder does not open\n", stderr);
    std::abort();
  }
  InitEvaluator(evaluator_.get(), ResolvePolicy::kLookahead, kMachineX86_64);
}

CaseRunner::~CaseRunner() { plugin_->close(decoder_); }

bool CaseRunner::Prepare(const uint8_t* code, size_t size) {
  size_ = size;
  slot_ = native_.SlotAddress(size);
  if (plugin_->lift(decoder_, code, size, slot_, &block_) != SOFTLBR_DECODER_OK) return false;
  if (block_.instruction_count == 0 || block_.byte_length != size) return false;
  native_.SetCode(code, size);
  has_locked_ = false;
  size_t at = 0;
  for (uint32_t i = 0; i < block_.instruction_count; ++i) {
    has_locked_ |= IsLocked(code + at, block_.length[i]);
    at += block_.length[i];
  }
  return true;
}

void CaseRunner::MakeState(Random* random) {
  native_.InitState(&start_);
  maker_.Fill(random, &start_);
  const uint64_t middle = native_.scratch_address() + ORACLE_SCRATCH_BYTES / 2;
  start_.gpr[kRspIndex] = middle + 8 * (random->Below(64) - uint64_t{32}) + (random->OneIn(4) ? random->Below(8) : 0);
  // Fresh memory every few cases. In between, the memory of the last case with the CPU's stores undone.
  if (random->OneIn(kCasesPerMemory)) {
    maker_.FillBytes(random, memory_before_.data(), ORACLE_SCRATCH_BYTES);
    std::memcpy(native_.scratch(), memory_before_.data(), ORACLE_SCRATCH_BYTES);
  } else if (std::memcmp(native_.scratch(), memory_before_.data(), ORACLE_SCRATCH_BYTES) != 0) {
    maker_.FillBytes(random, memory_before_.data() + ORACLE_SCRATCH_BYTES / 2 - 512, 1024);
    std::memcpy(native_.scratch(), memory_before_.data(), ORACLE_SCRATCH_BYTES);
  }
  PlaceOperands(random);
}

// An address register's value in the state under construction.
uint64_t CaseRunner::ValueOf(uint16_t slot) const {
  if (IsGpr(slot)) return start_.gpr[slot - SOFTLBR_X86_RAX];
  if (slot == SOFTLBR_X86_GS_BASE) return native_.gs_base();
  if (slot == SOFTLBR_X86_FS_BASE) return native_.fs_base();
  if (slot == SOFTLBR_REG_BLOCK) return slot_;
  return 0;
}

// Chooses register values so that the uop's address is `target`; false if it cannot. Follows one preceding ADDRESS uop.
bool CaseRunner::AimAt(const softlbr_uop& uop, uint32_t uop_index, uint64_t target) {
  softlbr_uop address = uop;
  if (address.a >= SOFTLBR_REG_TEMP && address.a < SOFTLBR_REG_VECTOR && address.b == SOFTLBR_REG_ZERO) {
    for (uint32_t i = uop_index; i-- > 0;) {
      const softlbr_uop& made = block_.uops[i];
      if (made.dst != address.a) continue;
      if (made.op != SOFTLBR_OP_ADDRESS && made.op != SOFTLBR_OP_ADD) return false;
      const int32_t disp = address.imm;
      address = made;
      if (made.op == SOFTLBR_OP_ADDRESS) address.imm += disp;
      if (made.op == SOFTLBR_OP_ADD) {
        address.imm = disp + ((made.flags & SOFTLBR_UOP_B_IMM) != 0 ? made.imm : 0);
        if ((made.flags & SOFTLBR_UOP_B_IMM) != 0) address.b = SOFTLBR_REG_ZERO;
        address.aux = 0;
      }
      break;
    }
  }
  const uint64_t disp = static_cast<uint64_t>(static_cast<int64_t>(address.imm));
  if (IsGpr(address.a) && address.a == address.b) {
    const uint64_t factor = 1 + (uint64_t{1} << address.aux);
    start_.gpr[address.a - SOFTLBR_X86_RAX] = (target - disp) / factor;
  } else if (IsGpr(address.a)) {
    start_.gpr[address.a - SOFTLBR_X86_RAX] = target - disp - (ValueOf(address.b) << address.aux);
  } else if (IsGpr(address.b)) {
    start_.gpr[address.b - SOFTLBR_X86_RAX] = (target - disp - ValueOf(address.a)) >> address.aux;
  } else {
    return address.a < SOFTLBR_REG_TEMP && address.b < SOFTLBR_REG_TEMP;  // no register to choose
  }
  return true;
}

void CaseRunner::PlaceOperands(Random* random) {
  const uint64_t middle = native_.scratch_address() + ORACLE_SCRATCH_BYTES / 2;
  auto target = [&] {
    uint64_t at = middle + random->Below(1024) - 512;
    // Locked accesses across cache lines work, but Linux makes the process sleep for each of them.
    if (has_locked_) return at & ~uint64_t{15};
    return random->OneIn(3) ? at : at & ~uint64_t{63};  // many vector forms require alignment
  };
  bool is_placed = false;
  uint32_t placed = 1u << kRspIndex;  // registers already chosen; the stack pointer is set separately
  for (uint32_t i = 0; i < block_.uop_count; ++i) {
    const softlbr_uop& uop = block_.uops[i];
    if (HasAddress(uop.op)) {
      const uint32_t mentioned = GprBit(uop.a) | GprBit(uop.b);
      if (mentioned != 0 && (mentioned & placed) != 0) continue;
      is_placed |= AimAt(uop, i, target());
      placed |= mentioned;
    } else if (IsStringOp(uop.op) && !is_placed) {
      for (uint16_t slot : {uop.dst, uop.a}) {
        if (IsGpr(slot)) start_.gpr[slot - SOFTLBR_X86_RAX] = target();
      }
      if (IsGpr(uop.b)) start_.gpr[uop.b - SOFTLBR_X86_RAX] = random->Below(kLongestRepeat);
      is_placed = true;
    }
  }
  // An instruction without semantics may still read memory, so the usual address registers get valid pointers.
  if (!is_placed && block_.end.kind == SOFTLBR_END_FALLTHROUGH && random->OneIn(2)) {
    for (uint32_t base : {3u, 5u, 6u, 7u, 8u, 12u, 13u})
      start_.gpr[base] = random->OneIn(4) ? random->Below(64) : target();
    for (uint32_t index : {1u, 9u}) start_.gpr[index] = random->Below(8);
  }
  if (block_.end.load_bytes != 0 && !is_placed) {
    softlbr_uop load{};
    load.a = block_.end.base;
    load.b = block_.end.index;
    load.aux = block_.end.scale;
    load.imm = static_cast<int32_t>(block_.end.disp);
    AimAt(load, block_.uop_count, target());
  }
  if (block_.end.kind == SOFTLBR_END_RETURN || block_.end.kind == SOFTLBR_END_INDIRECT_JUMP ||
      block_.end.kind == SOFTLBR_END_INDIRECT_CALL) {
    PlaceTarget(random);
  }
}

// A branch target that the CPU can go to: usually an int3 of the slot page, else an unmapped address. (Random 64-bit
// values are mostly not canonical, so the branch itself would fault.)
void CaseRunner::PlaceTarget(Random* random) {
  const softlbr_terminator& end = block_.end;
  const uint64_t destination = random->OneIn(4)
                                   ? 0x400000000000 + (random->Next() >> 24)
                                   : native_.base_address() + ORACLE_SLOT_END + 0x100 + random->Below(0x800);
  if (end.load_bytes == 0) {
    if (IsGpr(end.base)) start_.gpr[end.base - SOFTLBR_X86_RAX] = destination;
    return;
  }
  const uint64_t at = ValueOf(end.base) + (ValueOf(end.index) << end.scale) + static_cast<uint64_t>(end.disp);
  if (at - native_.scratch_address() > ORACLE_SCRATCH_BYTES - sizeof(destination)) return;
  const uint64_t offset = at - native_.scratch_address();
  std::memcpy(native_.scratch() + offset, &destination, sizeof(destination));
  std::memcpy(memory_before_.data() + offset, &destination, sizeof(destination));
}

void CaseRunner::LoadContext(bool partial, Random* random) {
  MachineContext& context = evaluator_->context;
  std::memset(&context, 0, sizeof(context));
  context.known[SOFTLBR_REG_ZERO] = kAllKnown;
  context.known[SOFTLBR_REG_ATOMIC] = kAllKnown;  // no other thread takes part
  auto set = [&](uint32_t slot, uint64_t value) {
    context.regs[slot] = value;
    context.known[slot] = kAllKnown;
  };
  for (uint32_t i = 0; i < kGprs; ++i) set(SOFTLBR_X86_RAX + i, start_.gpr[i]);
  set(SOFTLBR_X86_FS_BASE, native_.fs_base());
  set(SOFTLBR_X86_GS_BASE, native_.gs_base());
  for (uint32_t i = 0; i < 8; ++i) set(SOFTLBR_X86_MM0 + i, start_.mm(i));
  set(SOFTLBR_X86_MXCSR, start_.mxcsr());
  set(SOFTLBR_X86_DF, (start_.rflags & kDirectionFlag) != 0 ? 1 : 0);
  const VectorLevel level = native_.vector_level();
  if (level == VectorLevel::kAvx512) {
    for (uint32_t i = 0; i < 8; ++i) set(SOFTLBR_X86_K0 + i, start_.k[i]);
  }
  const uint32_t registers = level == VectorLevel::kAvx512 ? 32 : 16;
  const uint32_t regs = level == VectorLevel::kAvx512 ? 8 : level == VectorLevel::kAvx ? 4 : 2;
  for (uint32_t r = 0; r < registers; ++r) {
    const uint32_t first = SOFTLBR_REG_VECTOR + 8 * r;
    std::memcpy(&context.regs[first], start_.zmm[r], 8 * regs);
    std::memset(&context.known[first], kAllKnown, regs);
  }
  context.pc = slot_;
  context.sp = start_.gpr[kRspIndex];
  context.flags = PackFlags(start_.rflags);
  context.flags_known = SOFTLBR_FLAG_ALL;
  context.rounding_is_default = (start_.mxcsr() & ~0x3fu) == 0x1f80;
  context.flushes_denormals = !context.rounding_is_default && (start_.mxcsr() & ~0x807fu) == 0x1f80;
  AdoptTrueState(evaluator_.get());
  if (!partial) return;

  // Puts garbage under UNKNOWN bytes: a result that uses them and is marked known then differs from the CPU's.
  const uint32_t one_in = 2 + random->Below(40);
  for (uint32_t slot = SOFTLBR_REG_GENERAL; slot < SOFTLBR_REG_VECTOR_TEMP; ++slot) {
    if (context.known[slot] == 0 || !random->OneIn(one_in)) continue;
    if (slot == SOFTLBR_X86_FS_BASE || slot == SOFTLBR_X86_GS_BASE) continue;
    const uint8_t hidden = random->OneIn(3) ? kAllKnown : static_cast<uint8_t>(random->Next());
    context.known[slot] &= static_cast<uint8_t>(~hidden);
    context.regs[slot] ^= random->Next() & MaskOf(hidden);
  }
  if (random->OneIn(2)) {
    const auto hidden = static_cast<uint8_t>(random->Below(64));
    context.flags_known &= static_cast<uint8_t>(~hidden);
    context.flags ^= static_cast<uint8_t>(random->Below(64)) & hidden;
  }
  if (random->OneIn(2)) HideMemory(random);
}

// Makes some scratch bytes UNKNOWN, as a store of an UNKNOWN value would.
void CaseRunner::HideMemory(Random* random) {
  softlbr_block block{};
  block.byte_length = 1;
  block.instruction_count = 1;
  block.length[0] = 1;
  const uint64_t saved = evaluator_->context.regs[SOFTLBR_REG_TEMP];
  const uint64_t middle = native_.scratch_address() + ORACLE_SCRATCH_BYTES / 2;
  uint32_t count = 1 + random->Below(4);
  evaluator_->context.regs[SOFTLBR_REG_TEMP] = middle - 512;
  evaluator_->context.known[SOFTLBR_REG_TEMP] = kAllKnown;
  for (uint32_t i = 0; i < count; ++i) {
    block.uops[i] = softlbr_uop{SOFTLBR_OP_STORE_UNKNOWN,
                                static_cast<uint8_t>(1 + random->Below(64)),
                                0,
                                0,
                                SOFTLBR_REG_TEMP,
                                SOFTLBR_REG_ZERO,
                                0,
                                static_cast<int32_t>(random->Below(1024))};
  }
  block.uop_count = static_cast<uint16_t>(count);
  block.uops_of[0] = static_cast<uint8_t>(count);
  (void)RunBlock(evaluator_.get(), ViewOf(block), 0);
  evaluator_->context.regs[SOFTLBR_REG_TEMP] = saved;
  evaluator_->context.pc = slot_;
}

bool CaseRunner::CompareRegisters(const Expectation& expectation, bool partial, CaseReport* report) {
  const MachineContext& context = evaluator_->context;
  const NativeState& out = native_.out();
  auto check = [&](uint32_t slot, uint64_t native, uint64_t meaningful) {
    const uint8_t known = context.known[slot];
    if (known == kAllKnown && context.regs[slot] == native) return true;
    if (((context.regs[slot] ^ native) & MaskOf(known) & meaningful) != 0) {
      report->outcome = CaseOutcome::kMismatch;
      report->text = SlotName(slot) + ": CPU " + Hex(native) + ", evaluated " + Hex(context.regs[slot]) +
                     ", known bytes " + Hex(known);
      return false;
    }
    return true;
  };
  auto count_unknown = [&](uint32_t slot, uint64_t native, bool is_vector) {
    const uint8_t known = context.known[slot];
    if (known == kAllKnown || partial) return;
    uint8_t missing = static_cast<uint8_t>(~known);
    if (is_vector && expectation.nan_lane_bytes != 0) {
      const uint32_t lane = expectation.nan_lane_bytes;
      for (uint32_t at = 0; at < 8; at += lane) {
        const uint64_t value = native >> (8 * at);
        const bool is_nan = lane == 8   ? (value & 0x7fffffffffffffff) > 0x7ff0000000000000
                            : lane == 4 ? (value & 0x7fffffff) > 0x7f800000
                                        : (value & 0x7fff) > 0x7c00;
        if (is_nan) missing &= static_cast<uint8_t>(~(((1u << lane) - 1) << at));
      }
    }
    if (missing == 0) return;
    report->unknown_bytes += static_cast<uint32_t>(__builtin_popcount(missing));
    if (report->text.empty()) report->text = SlotName(slot) + " has UNKNOWN bytes " + Hex(missing);
  };

  for (uint32_t i = 0; i < kGprs; ++i) {
    if (!check(SOFTLBR_X86_RAX + i, out.gpr[i], ~uint64_t{0})) return false;
    count_unknown(SOFTLBR_X86_RAX + i, out.gpr[i], false);
  }
  for (uint32_t i = 0; i < 8; ++i) {
    if (!check(SOFTLBR_X86_MM0 + i, out.mm(i), ~uint64_t{0})) return false;
    count_unknown(SOFTLBR_X86_MM0 + i, out.mm(i), false);
  }
  if (!check(SOFTLBR_X86_MXCSR, out.mxcsr(), 0xff00)) return false;  // the status bits are never known
  if (!check(SOFTLBR_X86_DF, (out.rflags & kDirectionFlag) != 0 ? 1 : 0, ~uint64_t{0})) return false;
  const VectorLevel level = native_.vector_level();
  if (level == VectorLevel::kAvx512) {
    for (uint32_t i = 0; i < 8; ++i) {
      if (!check(SOFTLBR_X86_K0 + i, out.k[i], ~uint64_t{0})) return false;
      count_unknown(SOFTLBR_X86_K0 + i, out.k[i], false);
    }
  }
  const uint32_t registers = level == VectorLevel::kAvx512 ? 32 : 16;
  const uint32_t regs = level == VectorLevel::kAvx512 ? 8 : level == VectorLevel::kAvx ? 4 : 2;
  for (uint32_t r = 0; r < registers; ++r) {
    const uint32_t first = SOFTLBR_REG_VECTOR + 8 * r;
    uint64_t known_of_all;
    std::memcpy(&known_of_all, &context.known[first], sizeof(known_of_all));
    if (known_of_all == ~uint64_t{0} && std::memcmp(&context.regs[first], out.zmm[r], 64) == 0) continue;
    for (uint32_t c = 0; c < regs; ++c) {
      const uint32_t slot = first + c;
      uint64_t native;
      std::memcpy(&native, out.zmm[r] + 8 * c, 8);
      if (!check(slot, native, ~uint64_t{0})) return false;
      count_unknown(slot, native, true);
    }
  }
  if (context.regs[SOFTLBR_REG_ZERO] != 0 || context.known[SOFTLBR_REG_ZERO] != kAllKnown) {
    report->outcome = CaseOutcome::kMismatch;
    report->text = "the zero register slot was written";
    return false;
  }
  uint8_t packed;
  uint8_t known;
  ReadFlags(evaluator_.get(), &packed, &known);
  const uint8_t native_flags = PackFlags(out.rflags);
  if (((packed ^ native_flags) & known) != 0) {
    report->outcome = CaseOutcome::kMismatch;
    report->text = "flags (VSZAPC): CPU " + Hex(native_flags) + ", evaluated " + Hex(packed) + ", known " + Hex(known);
    return false;
  }
  const auto missing = static_cast<uint8_t>(SOFTLBR_FLAG_ALL & ~known & ~expectation.undefined_flags);
  if (!partial && missing != 0) {
    report->unknown_bytes += static_cast<uint32_t>(__builtin_popcount(missing));
    if (report->text.empty()) report->text = "flags (VSZAPC) UNKNOWN: " + Hex(missing);
  }
  return true;
}

bool CaseRunner::CompareMemory(CaseReport* report, bool partial) {
  const StoreBuffer& stores = evaluator_->memory.stores;
  const uint8_t* after = native_.scratch();
  const bool is_changed = std::memcmp(after, memory_before_.data(), ORACLE_SCRATCH_BYTES) != 0;
  if (stores.is_poisoned) {
    if (!partial) {
      report->unknown_bytes += 8;
      if (report->text.empty()) report->text = "all memory became UNKNOWN";
    }
    return true;
  }
  if (!is_changed && stores.live_lines == 0 && stores.range_count == 0) return true;
  std::memset(touched_.data(), 0, touched_.size());
  const uint64_t base = native_.scratch_address();
  auto fail = [&](uint64_t address, const std::string& what) {
    report->outcome = CaseOutcome::kMismatch;
    report->text = "memory at scratch+" + Hex(address - base) + ": " + what;
    return false;
  };
  auto visit = [&](uint64_t address, bool is_known, uint8_t value) {
    if (address - base >= ORACLE_SCRATCH_BYTES) return fail(address, "evaluated a store outside the scratch memory");
    const uint64_t offset = address - base;
    touched_[offset] = is_known ? kKnownByte : kUnknownByte;
    if (is_known && after[offset] != value)
      return fail(address, "CPU " + Hex(after[offset]) + ", evaluated " + Hex(value));
    if (!is_known && !partial) {
      ++report->unknown_bytes;
      if (report->text.empty()) report->text = "memory at scratch+" + Hex(offset) + " became UNKNOWN";
    }
    return true;
  };
  // Ranges first: lines take precedence.
  std::vector<uint8_t> is_in_line(ORACLE_SCRATCH_BYTES);
  for (const StoreBuffer::Line& line : stores.lines) {
    if (line.generation != stores.generation || line.written == 0) continue;
    for (uint32_t i = 0; i < kStoreLineBytes; ++i) {
      if ((line.written >> i & 1) == 0) continue;
      if (line.address + i - base < ORACLE_SCRATCH_BYTES) is_in_line[line.address + i - base] = 1;
      if (!visit(line.address + i, (line.known >> i & 1) != 0, line.bytes[i])) return false;
    }
  }
  for (uint32_t r = 0; r < stores.range_count; ++r) {
    const StoreBuffer::Range& range = stores.ranges[r];
    if (range.begin < base || range.end > base + ORACLE_SCRATCH_BYTES) return fail(range.begin, "a range outside");
    for (uint64_t at = range.begin; at < range.end; ++at) {
      bool is_covered = is_in_line[at - base] != 0;
      for (uint32_t later = r + 1; later < stores.range_count; ++later) {
        is_covered |= at >= stores.ranges[later].begin && at < stores.ranges[later].end;
      }
      if (!is_covered && !visit(at, range.is_known, range.value)) return false;
    }
  }
  for (uint32_t i = 0; i < ORACLE_SCRATCH_BYTES; ++i) {
    if (after[i] != memory_before_[i] && touched_[i] == 0) {
      return fail(base + i, "the CPU stored " + Hex(after[i]) + ", the evaluator nothing");
    }
  }
  return true;
}

CaseReport CaseRunner::Run(const Expectation& expectation, bool partial, Random* random) {
  CaseReport report{CaseOutcome::kEqual, 0, {}};
  MakeState(random);
  LoadContext(partial, random);
  const BlockExit exit = RunBlock(evaluator_.get(), ViewOf(block_), 0);
  if (exit.outcome == BlockOutcome::kSystemCall) {
    report.outcome = CaseOutcome::kSkipped;
    return report;
  }

  *native_.in() = start_;
  const NativeResult result = native_.Run();
  const bool mode_is_default = (start_.mxcsr() & ~0x3fu) == 0x1f80;
  const bool expect_all = expectation.is_modelled && !partial && mode_is_default;
  if (result.signal != 0) {
    report.outcome = result.signal == SIGILL ? CaseOutcome::kIllegal : CaseOutcome::kFaulted;
    if (result.signal == SIGFPE && expect_all && exit.outcome != BlockOutcome::kAborted) {
      report.outcome = CaseOutcome::kMismatch;
      report.text = "the CPU raised a divide error, the evaluation went on";
    }
    if (result.signal == SIGFPE && !expectation.may_trap && expectation.is_modelled) {
      report.outcome = CaseOutcome::kMismatch;
      report.text = "unexpected divide error";
    }
    return report;
  }
  if (exit.outcome == BlockOutcome::kAborted) {
    report.outcome = CaseOutcome::kUnresolved;
    if (expect_all) {
      report.outcome = CaseOutcome::kUnknown;
      report.text =
          "evaluation ended with reason " + std::to_string(static_cast<int>(exit.reason)) + ", the CPU went on";
    }
    return report;
  }
  if (exit.outcome == BlockOutcome::kUnresolved) {
    report.outcome = expect_all ? CaseOutcome::kUnknown : CaseOutcome::kUnresolved;
    report.text = "branch on UNKNOWN";
    return report;
  }
  if (exit.next_pc != result.landing) {
    report.outcome = CaseOutcome::kMismatch;
    report.text = "control went to " + Hex(result.landing) + ", evaluated " + Hex(exit.next_pc);
    return report;
  }
  const uint64_t after = slot_ + size_;
  const bool is_conditional = block_.end.kind == SOFTLBR_END_CONDITIONAL;
  bool is_taken = block_.end.kind != SOFTLBR_END_FALLTHROUGH && (!is_conditional || result.landing != after);
  if (is_conditional && slot_ + static_cast<uint64_t>(block_.end.disp) == after) {
    is_taken = exit.is_taken;  // both outcomes have the same target: the CPU does not show which was taken
  }
  if (exit.is_taken != is_taken) {
    report.outcome = CaseOutcome::kMismatch;
    report.text = "the branch is called taken wrongly";
    return report;
  }
  if (!CompareMemory(&report, partial)) return report;
  if (!CompareRegisters(expectation, partial, &report)) return report;
  if (expect_all && report.unknown_bytes != 0) report.outcome = CaseOutcome::kUnknown;
  return report;
}

}  // namespace softlbr::oracle

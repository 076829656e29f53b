// Converts the AArch64 kernel's signal frame to register slots.
//
// General registers and PSTATE have fixed offsets. The tagged FPSIMD record holds v0..v31, FPCR and FPSR. The SVE
// record holds the vector length and, where they are live, z0..z31, p0..p15 and FFR; where they are not live, the
// kernel does not define them. Vectors of more than 64 bytes have no register slots: then the length is UNKNOWN too.
#include "platform/base/bytes.h"
#include "platform/base/config.h"
#include "platform/base/elf_machine.h"
#include "platform/base/limits.h"
#include "platform/base/registers_aarch64.h"
#include "platform/cpu_context.h"
#include "platform/linux/aarch64/signal_frame_aarch64.h"
#include "platform/linux/signals/signal_frame.h"

#include "platform/base/handler_prelude.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_AARCH64
#error "platform/linux/aarch64 is for Linux on AArch64"
#endif

namespace softlbr::platform {
namespace {

constexpr uint32_t kVectorSlot = 96;  // SOFTLBR_REG_VECTOR
constexpr uint32_t kVectorRegisters = 32;
constexpr uint32_t kFpcrFlushToZero = 1u << 24;
constexpr uint32_t kSlotsPerVector = 8;
constexpr uint32_t kMaxVectorBytes = 64;
constexpr uint8_t kFlagsOfA64 = 1 | 8 | 16 | 32;  // SOFTLBR_FLAG_C, _Z, _S, _V
constexpr uint64_t kPstateBtype = 3u << 10;

// Returns the record only if it has at least `least` bytes. An SVE record of vectors longer than 64 bytes may be
// outside this area.
const A64Record* FindRecord(const A64SignalFrame& frame, uint32_t magic, uint64_t least) {
  uint64_t at = 0;
  for (uint32_t i = 0; i < kMaxFrameRecords && at + sizeof(A64Record) <= kRecordAreaBytes; ++i) {
    const auto* record = reinterpret_cast<const A64Record*>(frame.records + at);
    const bool is_inside = record->bytes <= kRecordAreaBytes - at;
    if (record->magic == magic && record->bytes >= least && is_inside) return record;
    if (record->magic == 0 || record->bytes < sizeof(A64Record) || !is_inside) return nullptr;
    at += record->bytes;
  }
  return nullptr;
}

// Sets slot_count register slots to the `bytes` bytes at `from`; the slots' bytes above them are 0. Reads 8 bytes at a
// time, possibly beyond the register: the frame continues behind its records. Not inlined, because the archive has a
// size budget.
SOFTLBR_NOINLINE void SetRegisterSlots(MachineContext* context, uint32_t slot, uint32_t slot_count, const void* from,
                                       uint32_t bytes) {
  const auto* at = static_cast<const uint8_t*>(from);
  for (const uint32_t end = slot + slot_count; slot != end; ++slot, at += 8) {
    uint64_t value = 0;
    if (bytes >= 8) {
      value = LoadUnaligned<uint64_t>(at);
      bytes -= 8;
    } else if (bytes != 0) {
      value = LoadUnaligned<uint64_t>(at) & ~(~uint64_t{0} << (8 * bytes));
      bytes = 0;
    }
    context->regs[slot] = value;
    context->known[slot] = kAllKnown;
    __asm__ volatile("" ::: "memory");  // keeps the loop from becoming a call to memcpy or memset
  }
}

void LoadScalable(const A64SignalFrame& frame, MachineContext* context) {
  const A64Record* found = FindRecord(frame, kScalableRecordMagic, sizeof(A64ScalableRecord));
  if (found == nullptr) return;
  const auto& record = *reinterpret_cast<const A64ScalableRecord*>(found);
  const uint32_t length = record.vector_bytes;
  if (record.flags != 0 || length - 16 > kMaxVectorBytes - 16 || length % 16 != 0) return;
  context->regs[SOFTLBR_A64_SVE_LENGTH] = length;
  context->regs[SOFTLBR_A64_SVE_BYTES] = ~uint64_t{0} >> (64 - length);
  context->known[SOFTLBR_A64_SVE_LENGTH] = kAllKnown;
  context->known[SOFTLBR_A64_SVE_BYTES] = kAllKnown;
  constexpr uint32_t kPredicates = SOFTLBR_A64_FFR + 1 - SOFTLBR_A64_P0;  // FFR is the last
  if (found->bytes < sizeof(record) + kVectorRegisters * length + kPredicates * length / 8) return;
  const uint8_t* from = reinterpret_cast<const uint8_t*>(found) + sizeof(record);
  for (uint32_t r = 0; r < kVectorRegisters; ++r, from += length) {
    // The low 16 bytes come from the FPSIMD record: that is where the kernel restores them from.
    SetRegisterSlots(context, kVectorSlot + r * kSlotsPerVector + 2, kSlotsPerVector - 2, from + 16, length - 16);
  }
  for (uint32_t p = 0; p < kPredicates; ++p, from += length / 8)
    SetRegisterSlots(context, SOFTLBR_A64_P0 + p, 1, from, length / 8);
}

}  // namespace

const uint16_t kHostMachine = kMachineAarch64;

void InitCpuContext() {}

void LoadMachineContext(const void* ucontext, MachineContext* context) {
  const auto& frame = *static_cast<const A64SignalFrame*>(ucontext);
  uint64_t* regs = context->regs;
  FillBytes(context->known, 0, sizeof(context->known));
  regs[0] = 0;
  context->known[0] = kAllKnown;
  context->pc = frame.pc;
  context->sp = frame.sp;
  context->flags = static_cast<uint8_t>((frame.pstate >> 29 & 1) | (frame.pstate >> 30 & 1) << 3 |
                                        (frame.pstate >> 31 & 1) << 4 | (frame.pstate >> 28 & 1) << 5);
  context->flags_known = kFlagsOfA64;
  static_assert(SOFTLBR_A64_SP == SOFTLBR_A64_X0 + 31 &&
                offsetof(A64SignalFrame, sp) == offsetof(A64SignalFrame, x) + 31 * 8);
  SetRegisterSlots(context, SOFTLBR_A64_X0, 32, frame.x, 32 * 8);  // also sp, which follows x30
  __asm__ volatile("mrs %0, tpidr_el0" : "=r"(regs[SOFTLBR_A64_TPIDR]));
  context->known[SOFTLBR_A64_TPIDR] = kAllKnown;
  __asm__ volatile("mrs %0, dczid_el0" : "=r"(regs[SOFTLBR_A64_DCZID]));
  context->known[SOFTLBR_A64_DCZID] = kAllKnown;

  context->rounding_is_default = false;
  context->flushes_denormals = false;
  LoadScalable(frame, context);
  const auto* image =
      reinterpret_cast<const A64FloatRecord*>(FindRecord(frame, kFloatRecordMagic, sizeof(A64FloatRecord)));
  if (SOFTLBR_UNLIKELY(image == nullptr)) return;
  regs[SOFTLBR_A64_FPCR] = image->fpcr;
  context->known[SOFTLBR_A64_FPCR] = kAllKnown;
  // Any other value changes results (rounding, flush-to-zero, default NaN, alternative half precision) or traps.
  context->rounding_is_default = image->fpcr == 0;
  context->flushes_denormals = image->fpcr == kFpcrFlushToZero;
  for (uint32_t r = 0; r < kVectorRegisters; ++r) {
    SetRegisterSlots(context, kVectorSlot + r * kSlotsPerVector, 2, image->vectors[r], sizeof(image->vectors[r]));
  }
}

void SetResumePc(void* ucontext, uint64_t pc) {
  auto* frame = static_cast<A64SignalFrame*>(ucontext);
  frame->pc = pc;
  // Drop the type of the branch that led to the old pc. If it were kept, the new pc, which is no landing pad, would
  // fault on a guarded page.
  frame->pstate &= ~kPstateBtype;
}

bool PassBreakpointOnce(void*) { return false; }

}  // namespace softlbr::platform

// AArch64: from the kernel's signal frame to cells.
//
// General registers and PSTATE stand at fixed places; the FPSIMD record among the tagged ones holds v0..v31, FPCR and FPSR.
// SVE registers beyond their low 16 bytes have no cells.
#include "platform/cpu_context.h"

#include "platform/config.h"
#include "platform/linux/aarch64/signal_frame_aarch64.h"
#include "platform/linux/signal_frame.h"
#include "runtime/base/bytes.h"
#include "runtime/base/cells_aarch64.h"

#include "runtime/base/handler_prelude.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_AARCH64
#error "platform/linux/aarch64 is for Linux on AArch64"
#endif

namespace softlbr::platform {
namespace {

constexpr uint32_t kVectorCell = 96;  // SOFTLBR_CELL_VECTOR
constexpr uint32_t kVectorRegisters = 32;
constexpr uint32_t kFpcrFlushToZero = 1u << 24;
constexpr uint32_t kCellsPerVector = 8;
constexpr int kMaxRecords = 32;  // the kernel knows about ten kinds, each once
constexpr uint8_t kFlagsOfA64 = 1 | 8 | 16 | 32;  // SOFTLBR_FLAG_C, _Z, _S, _V
constexpr uint64_t kPstateBtype = 3u << 10;

SOFTLBR_HANDLER_SAFE const A64FloatRecord* FindFloatRecord(const A64SignalFrame& frame) {
  uint64_t at = 0;
  for (int i = 0; i < kMaxRecords && at + sizeof(A64FloatRecord) <= kRecordAreaBytes; ++i) {
    const auto* record = reinterpret_cast<const A64Record*>(frame.records + at);
    if (record->magic == kFloatRecordMagic && record->bytes >= sizeof(A64FloatRecord)) {
      return reinterpret_cast<const A64FloatRecord*>(record);
    }
    if (record->magic == 0 || record->bytes < sizeof(A64Record)) return nullptr;
    at += record->bytes;
  }
  return nullptr;
}

}  // namespace

const uint16_t kHostMachine = 183;  // EM_AARCH64

void InitCpuContext() {}

void LoadMachineContext(const void* ucontext, MachineContext* context) {
  const auto& frame = *static_cast<const A64SignalFrame*>(ucontext);
  uint64_t* cells = context->cells;
  FillBytes(context->known, 0, sizeof(context->known));
  cells[0] = 0;
  context->known[0] = kAllKnown;
  context->pc = frame.pc;
  context->sp = frame.sp;
  context->flags = static_cast<uint8_t>((frame.pstate >> 29 & 1) | (frame.pstate >> 30 & 1) << 3 |
                                        (frame.pstate >> 31 & 1) << 4 | (frame.pstate >> 28 & 1) << 5);
  context->flags_known = kFlagsOfA64;
  CopyBytes(&cells[SOFTLBR_A64_X0], frame.x, sizeof(frame.x));
  cells[SOFTLBR_A64_SP] = frame.sp;
  __asm__ volatile("mrs %0, tpidr_el0" : "=r"(cells[SOFTLBR_A64_TPIDR]));
  FillBytes(&context->known[SOFTLBR_A64_X0], kAllKnown, SOFTLBR_A64_TPIDR + 1 - SOFTLBR_A64_X0);
  __asm__ volatile("mrs %0, dczid_el0" : "=r"(cells[SOFTLBR_A64_DCZID]));
  context->known[SOFTLBR_A64_DCZID] = kAllKnown;

  context->rounding_is_default = false;
  context->flushes_denormals = false;
  const A64FloatRecord* image = FindFloatRecord(frame);
  if (SOFTLBR_UNLIKELY(image == nullptr)) return;
  cells[SOFTLBR_A64_FPCR] = image->fpcr;
  context->known[SOFTLBR_A64_FPCR] = kAllKnown;
  // Any bit set changes results (rounding, flush-to-zero, default NaN, alternative half precision) or traps.
  context->rounding_is_default = image->fpcr == 0;
  context->flushes_denormals = image->fpcr == kFpcrFlushToZero;
  for (uint32_t r = 0; r < kVectorRegisters; ++r) {
    const uint32_t cell = kVectorCell + r * kCellsPerVector;
    cells[cell] = image->vectors[r][0];
    cells[cell + 1] = image->vectors[r][1];
    context->known[cell] = kAllKnown;
    context->known[cell + 1] = kAllKnown;
    __asm__ volatile("" ::: "memory");  // keeps the copy from becoming a call to memcpy
  }
}

void SetResumePc(void* ucontext, uint64_t pc) {
  auto* frame = static_cast<A64SignalFrame*>(ucontext);
  frame->pc = pc;
  // The kind of branch that led to the old pc: kept, it would fault on a guarded page at a target without its landing pad.
  frame->pstate &= ~kPstateBtype;
}

bool PassBreakpointOnce(void*) { return false; }

}  // namespace softlbr::platform

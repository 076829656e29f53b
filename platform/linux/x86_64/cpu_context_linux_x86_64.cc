// Converts the x86-64 kernel's signal frame to register slots.
//
// The frame holds integer registers, flags, and an XSAVE image in standard format. CPUID leaf 0xD gives the image's
// offsets; the leaf traps to the hypervisor, so InitCpuContext queries it once. Before that, vector state beyond XMM
// stays UNKNOWN. The frame does not hold the fs and gs bases: they come from rdfsbase where the kernel allows it, else
// from arch_prctl.
#include <asm/prctl.h>
#include <asm/unistd.h>
#include <cpuid.h>
#include <linux/auxvec.h>

#include <atomic>

#include "platform/base/bytes.h"
#include "platform/base/config.h"
#include "platform/base/elf_machine.h"
#include "platform/base/registers_x86_64.h"
#include "platform/cpu_context.h"
#include "platform/fused_multiply_add.h"
#include "platform/linux/auxiliary_vector.h"
#include "platform/linux/signals/signal_frame.h"
#include "platform/linux/x86_64/signal_frame_x86_64.h"
#include "platform/syscall.h"

#include "platform/base/handler_prelude.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_X86_64
#error "platform/linux/x86_64 is for Linux on x86-64"
#endif

namespace softlbr::platform {
namespace {

constexpr uint32_t kBlockSlot = 1;    // SOFTLBR_REG_BLOCK: set by the evaluator
constexpr uint32_t kVectorSlot = 96;  // SOFTLBR_REG_VECTOR
constexpr uint32_t kVectorRegisters = 32;
constexpr uint32_t kSlotsPerVector = 8;
constexpr uint32_t kLegacyVectors = 16;  // encodable by VEX; parts above XMM: AVX, ZMM_Hi256 components

// Bits of XSTATE_BV.
constexpr uint64_t kXstateX87 = 1u << 0;
constexpr uint64_t kXstateSse = 1u << 1;
constexpr uint64_t kXstateAvx = 1u << 2;
constexpr uint64_t kXstateOpmask = 1u << 5;
constexpr uint64_t kXstateZmmHigh = 1u << 6;
constexpr uint64_t kXstateHigh16 = 1u << 7;
constexpr uint64_t kXstateWide = kXstateAvx | kXstateOpmask | kXstateZmmHigh | kXstateHigh16;

constexpr uint32_t kMxcsrControlBits = 0xff80;  // rounding, exception masks, flush-to-zero
constexpr uint32_t kMxcsrDenormalsAreZero = 0x40;
constexpr uint32_t kMxcsrFlushToZero = 0x8000;
constexpr uint32_t kMxcsrDefault = 0x1f80;

constexpr uint64_t kHwcap2FsGsBase = 1u << 1;

// Facts about this machine, queried once. All zero: not queried yet.
struct CpuFacts {
  std::atomic<bool> is_ready;
  bool has_fsgsbase;
  uint64_t supported;  // components of kXstateWide that XGETBV reports as enabled
  uint32_t avx_offset, opmask_offset, zmm_high_offset, high16_offset;
};
SOFTLBR_CONSTINIT CpuFacts g_facts{};

uint32_t XstateOffset(uint32_t component) {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  __cpuid_count(0xd, component, eax, ebx, ecx, edx);
  return ebx;
}

typedef uint64_t Pair __attribute__((vector_size(16), may_alias, aligned(1)));

SOFTLBR_ALWAYS_INLINE void CopyPair(void* to, const void* from) {
  *static_cast<Pair*>(to) = *static_cast<const Pair*>(from);
  __asm__ volatile("" ::: "memory");  // keeps loops of this from becoming calls to memcpy
}

SOFTLBR_ALWAYS_INLINE void StorePair(void* to, uint64_t value) {
  *static_cast<Pair*>(to) = Pair{value, value};
  __asm__ volatile("" ::: "memory");
}

void LoadGeneral(const X86SignalFrame& frame, uint64_t* regs) {
  regs[SOFTLBR_X86_RAX] = frame.rax;
  regs[SOFTLBR_X86_RCX] = frame.rcx;
  regs[SOFTLBR_X86_RDX] = frame.rdx;
  regs[SOFTLBR_X86_RBX] = frame.rbx;
  regs[SOFTLBR_X86_RSP] = frame.rsp;
  regs[SOFTLBR_X86_RBP] = frame.rbp;
  regs[SOFTLBR_X86_RSI] = frame.rsi;
  regs[SOFTLBR_X86_RDI] = frame.rdi;
  for (uint32_t i = 0; i < 8; i += 2) CopyPair(&regs[SOFTLBR_X86_R8 + i], &frame.r8_to_r15[i]);
}

// Bits 0 carry, 2 parity, 4 auxiliary, 6 zero, 7 sign, 11 overflow, in SOFTLBR_FLAG_* order.
uint8_t PackFlags(uint64_t eflags) {
  return static_cast<uint8_t>((eflags & 1) | (eflags >> 1 & 2) | (eflags >> 2 & 4) | (eflags >> 3 & 8) |
                              (eflags >> 3 & 16) | (eflags >> 6 & 32));
}

void LoadSegmentBases(MachineContext* context) {
  uint64_t fs = 0;
  uint64_t gs = 0;
  bool is_known = true;
  if (SOFTLBR_LIKELY(g_facts.has_fsgsbase)) {
    __asm__ volatile("rdfsbase %0" : "=r"(fs));
    __asm__ volatile("rdgsbase %0" : "=r"(gs));
  } else {
    is_known = SysCall(__NR_arch_prctl, ARCH_GET_FS, reinterpret_cast<long>(&fs)) == 0 &&
               SysCall(__NR_arch_prctl, ARCH_GET_GS, reinterpret_cast<long>(&gs)) == 0;
  }
  context->regs[SOFTLBR_X86_FS_BASE] = fs;
  context->regs[SOFTLBR_X86_GS_BASE] = gs;
  context->known[SOFTLBR_X86_FS_BASE] = is_known ? kAllKnown : 0;
  context->known[SOFTLBR_X86_GS_BASE] = is_known ? kAllKnown : 0;
}

// MMX registers are numbered physically; the image holds the x87 registers in stack order.
void LoadMmx(const X86FloatState& image, uint64_t* regs) {
  const uint32_t top = image.status >> 11 & 7;
  for (uint32_t i = 0; i < 8; ++i) regs[SOFTLBR_X86_MM0 + i] = image.st[(i - top) & 7][0];
}

// Loads vector state beyond XMM. False if the CPU has such state but the frame does not hold all of it.
bool LoadWide(const X86FloatState& image, uint64_t* regs) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(&image);
  if (image.magic1 != kXstateMagic1) return g_facts.supported == 0;
  if (LoadUnaligned<uint32_t>(bytes + image.xstate_bytes) != kXstateMagic2) return false;
  const uint64_t supported = g_facts.supported;
  if ((image.features & supported) != supported) return false;  // the frame omits state that the CPU has
  const uint64_t present = image.xstate_bv & supported;
  uint64_t* vectors = regs + kVectorSlot;

  if ((present & kXstateAvx) != 0) {
    const uint8_t* from = bytes + g_facts.avx_offset;
    for (uint32_t r = 0; r < kLegacyVectors; ++r) CopyPair(vectors + r * kSlotsPerVector + 2, from + r * 16);
  } else {
    for (uint32_t r = 0; r < kLegacyVectors; ++r) StorePair(vectors + r * kSlotsPerVector + 2, 0);
  }
  if ((present & kXstateZmmHigh) != 0) {
    const uint8_t* from = bytes + g_facts.zmm_high_offset;
    for (uint32_t r = 0; r < kLegacyVectors; ++r) {
      CopyPair(vectors + r * kSlotsPerVector + 4, from + r * 32);
      CopyPair(vectors + r * kSlotsPerVector + 6, from + r * 32 + 16);
    }
  } else {
    for (uint32_t r = 0; r < kLegacyVectors; ++r) {
      StorePair(vectors + r * kSlotsPerVector + 4, 0);
      StorePair(vectors + r * kSlotsPerVector + 6, 0);
    }
  }
  uint64_t* high = vectors + kLegacyVectors * kSlotsPerVector;
  const uint32_t high_slots = (kVectorRegisters - kLegacyVectors) * kSlotsPerVector;
  if ((present & kXstateHigh16) != 0) {
    const uint8_t* from = bytes + g_facts.high16_offset;
    for (uint32_t i = 0; i < high_slots; i += 2) CopyPair(high + i, from + i * 8);
  } else {
    for (uint32_t i = 0; i < high_slots; i += 2) StorePair(high + i, 0);
  }
  if ((present & kXstateOpmask) != 0) {
    for (uint32_t i = 0; i < 8; i += 2) CopyPair(regs + SOFTLBR_X86_K0 + i, bytes + g_facts.opmask_offset + i * 8);
  } else {
    for (uint32_t i = 0; i < 8; i += 2) StorePair(regs + SOFTLBR_X86_K0 + i, 0);
  }
  return true;
}

// Sets the `known` masks of `regs` slots from `first` on, 16 slots per store.
SOFTLBR_ALWAYS_INLINE void SetKnown(uint8_t* known, uint32_t first, uint32_t regs, uint64_t mask) {
  for (uint32_t i = 0; i < regs; i += 16) StorePair(known + first + i, mask);
}

void LoadFloatState(const X86FloatState& image, MachineContext* context) {
  uint64_t* regs = context->regs;
  uint8_t* known = context->known;
  const bool has_header = image.magic1 == kXstateMagic1;
  const uint64_t present = has_header ? image.xstate_bv : (kXstateX87 | kXstateSse);

  regs[SOFTLBR_X86_MXCSR] = image.mxcsr;  // valid regardless of XSTATE_BV: XRSTOR restores it from here
  context->rounding_is_default = (image.mxcsr & (kMxcsrControlBits | kMxcsrDenormalsAreZero)) == kMxcsrDefault;
  context->flushes_denormals =
      !context->rounding_is_default && (image.mxcsr & (kMxcsrControlBits & ~kMxcsrFlushToZero)) == kMxcsrDefault;
  if ((present & kXstateX87) != 0) {
    LoadMmx(image, regs);
  } else {
    for (uint32_t i = 0; i < 8; ++i) regs[SOFTLBR_X86_MM0 + i] = 0;
  }
  for (uint32_t r = 0; r < kLegacyVectors; ++r) {
    if ((present & kXstateSse) != 0) {
      CopyPair(regs + kVectorSlot + r * kSlotsPerVector, image.xmm[r]);
    } else {
      StorePair(regs + kVectorSlot + r * kSlotsPerVector, 0);
    }
  }

  const bool facts_are_ready = g_facts.is_ready.load(std::memory_order_acquire);
  if (SOFTLBR_LIKELY(facts_are_ready && LoadWide(image, regs))) {
    SetKnown(known, kVectorSlot, kVectorRegisters * kSlotsPerVector, ~uint64_t{0});
    return;
  }
  for (uint32_t r = 0; r < kLegacyVectors; ++r)
    StoreUnaligned<uint64_t>(known + kVectorSlot + r * kSlotsPerVector, 0xffff);
  StoreUnaligned<uint64_t>(known + SOFTLBR_X86_K0, 0);
}

}  // namespace

const uint16_t kHostMachine = kMachineX86_64;

void InitCpuContext() {
  if (g_facts.is_ready.load(std::memory_order_acquire)) return;
  LearnFusedMultiplyAdd();
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  g_facts.has_fsgsbase = (AuxiliaryValue(AT_HWCAP2) & kHwcap2FsGsBase) != 0;
  constexpr uint32_t kOsXsave = 1u << 27;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & kOsXsave) != 0) {
    uint32_t low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    g_facts.supported = low & kXstateWide;
    g_facts.avx_offset = XstateOffset(2);
    g_facts.opmask_offset = XstateOffset(5);
    g_facts.zmm_high_offset = XstateOffset(6);
    g_facts.high16_offset = XstateOffset(7);
  }
  g_facts.is_ready.store(true, std::memory_order_release);
}

void LoadMachineContext(const void* ucontext, MachineContext* context) {
  const auto& frame = *static_cast<const X86SignalFrame*>(ucontext);
  uint8_t* known = context->known;
  // Slots 0..63: zero, block, general. Then 32 temporaries, 256 vector slots, 32 vector temporaries.
  static_assert(kRegisterSlotCount == 384 && SOFTLBR_X86_GENERAL_END == 38);
  SetKnown(known, 0, 96, 0);
  SetKnown(known, kVectorSlot, kVectorRegisters * kSlotsPerVector, 0);
  SetKnown(known, kVectorSlot + kVectorRegisters * kSlotsPerVector, 32, 0);
  StorePair(known, ~uint64_t{0});       // 0..15
  StorePair(known + 16, ~uint64_t{0});  // 16..31
  StoreUnaligned<uint32_t>(known + 32, ~uint32_t{0});
  StoreUnaligned<uint16_t>(known + 36, 0xffff);
  known[kBlockSlot] = 0;

  context->regs[0] = 0;
  context->pc = frame.rip;
  context->sp = frame.rsp;
  context->flags = PackFlags(frame.eflags);
  context->flags_known = 63;
  context->regs[SOFTLBR_X86_DF] = frame.eflags >> 10 & 1;
  LoadGeneral(frame, context->regs);
  LoadSegmentBases(context);
  if (SOFTLBR_LIKELY(frame.float_state != nullptr)) {
    LoadFloatState(*frame.float_state, context);
    return;
  }
  // No FPU image: nothing of that state is known.
  context->rounding_is_default = false;
  context->flushes_denormals = false;
  StoreUnaligned<uint64_t>(known + SOFTLBR_X86_K0, 0);
  known[SOFTLBR_X86_MXCSR] = 0;
  StoreUnaligned<uint64_t>(known + SOFTLBR_X86_MM0, 0);
}

void SetResumePc(void* ucontext, uint64_t pc) { static_cast<X86SignalFrame*>(ucontext)->rip = pc; }

bool PassBreakpointOnce(void* ucontext) {
  constexpr uint64_t kResumeFlag = 1 << 16;  // RF; the kernel restores it on return
  static_cast<X86SignalFrame*>(ucontext)->eflags |= kResumeFlag;
  return true;
}

}  // namespace softlbr::platform

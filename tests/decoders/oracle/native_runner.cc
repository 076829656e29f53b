// Contract: native_runner.h.
#include "tests/decoders/oracle/native_runner.h"

#include <asm/prctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
extern const uint8_t oracle_trampoline_begin[];
extern const uint8_t oracle_trampoline_exit[];
extern const uint8_t oracle_trampoline_end[];
}

namespace softlbr::oracle {
namespace {

constexpr uint64_t kTrapFlag = 1u << 8;
constexpr uint64_t kAlignmentCheck = 1u << 18;
constexpr uint64_t kStackPointer = 4;  // its number among the general registers
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};

// One runner per process; its handler uses these globals.
uint8_t* g_base = nullptr;
volatile sig_atomic_t g_is_running = 0;
volatile int g_signal = 0;
volatile uint64_t g_signal_pc = 0;
volatile uint64_t g_signal_sp = 0;
alignas(64) uint8_t g_alternate_stack[65536];
struct sigaction g_previous[sizeof(kSignals) / sizeof(kSignals[0])];

[[noreturn]] void Die(const char* what) {
  std::perror(what);
  std::abort();
}

void OnSignal(int number, siginfo_t*, void* raw_context) {
  if (g_is_running == 0) {  // not ours: let it kill the test
    std::signal(number, SIG_DFL);
    return;
  }
  g_is_running = 0;
  auto* context = static_cast<ucontext_t*>(raw_context);
  auto& registers = context->uc_mcontext.gregs;
  g_signal = number;
  g_signal_pc = static_cast<uint64_t>(registers[REG_RIP]);
  // Some hypervisors raise #GP where a signal handler returns to code with a stack pointer that is no canonical
  // address, so the exit code runs with a sound one, and Run() reports the other.
  g_signal_sp = static_cast<uint64_t>(registers[REG_RSP]);
  std::memcpy(&registers[REG_RSP], g_base + ORACLE_IN_PAGE + ORACLE_SAVED_RSP, sizeof registers[REG_RSP]);
  registers[REG_EFL] = static_cast<greg_t>(static_cast<uint64_t>(registers[REG_EFL]) & ~(kTrapFlag | kAlignmentCheck));
  registers[REG_RIP] = reinterpret_cast<greg_t>(g_base + (oracle_trampoline_exit - oracle_trampoline_begin));
}

// Code is writable only while the caller changes it: a stray store of an instruction under test then faults.
void SetWritable(uint8_t* base, bool is_writable) {
  if (mprotect(base, ORACLE_IN_PAGE, is_writable ? PROT_READ | PROT_WRITE : PROT_READ | PROT_EXEC) != 0) {
    Die("oracle: mprotect");
  }
}

VectorLevel DetectLevel() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) return VectorLevel::kAvx512;
  if (__builtin_cpu_supports("avx")) return VectorLevel::kAvx;
  return VectorLevel::kSse;
}

uint8_t* MapRegion() {
  // A low address, so that 32-bit addresses reach it, and more than 2 GiB from any executable, so that no rip-relative
  // operand under test reaches our data. Sanitizers may occupy that address; elsewhere, only the 32-bit address forms
  // are lost.
  void* wish = reinterpret_cast<void*>(0xe0000000u);
  void* base = mmap(wish, ORACLE_REGION_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (base == MAP_FAILED) base = mmap(nullptr, ORACLE_REGION_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) Die("oracle: mmap");
  auto* bytes = static_cast<uint8_t*>(base);
  if (mprotect(bytes, ORACLE_IN_PAGE, PROT_READ | PROT_WRITE) != 0 ||
      mprotect(bytes + ORACLE_IN_PAGE, 0x2000, PROT_READ | PROT_WRITE) != 0 ||
      mprotect(bytes + ORACLE_SCRATCH, ORACLE_SCRATCH_BYTES, PROT_READ | PROT_WRITE) != 0) {
    Die("oracle: mprotect");
  }
  return bytes;
}

}  // namespace

uint32_t NativeState::mxcsr() const {
  uint32_t value;
  std::memcpy(&value, fxsave + 24, sizeof(value));
  return value;
}
void NativeState::set_mxcsr(uint32_t value) { std::memcpy(fxsave + 24, &value, sizeof(value)); }

// The image holds st(i) = physical register (i + top) mod 8; top is bits 11..13 of the status word.
uint64_t NativeState::mm(uint32_t index) const {
  uint32_t top = (fxsave[3] >> 3) & 7u;
  uint64_t value;
  std::memcpy(&value, fxsave + 32 + 16 * ((index - top) & 7u), sizeof(value));
  return value;
}
void NativeState::set_mm(uint32_t index, uint64_t value) {
  uint32_t top = (fxsave[3] >> 3) & 7u;
  std::memcpy(fxsave + 32 + 16 * ((index - top) & 7u), &value, sizeof(value));
}

NativeRunner::NativeRunner() : base_(MapRegion()), level_(DetectLevel()) {
  if (g_base != nullptr) {
    std::fputs("oracle: only one NativeRunner at a time\n", stderr);
    std::abort();
  }
  g_base = base_;
  std::memcpy(base_, oracle_trampoline_begin, static_cast<size_t>(oracle_trampoline_end - oracle_trampoline_begin));
  std::memset(base_ + ORACLE_SLOT_PAGE, 0xcc, 0x1000);
  SetWritable(base_, false);
  uint32_t level = static_cast<uint32_t>(level_);
  std::memcpy(base_ + ORACLE_IN_PAGE + ORACLE_VECTOR_LEVEL, &level, sizeof(level));

  stack_t stack{};
  stack.ss_sp = g_alternate_stack;
  stack.ss_size = sizeof(g_alternate_stack);
  if (sigaltstack(&stack, nullptr) != 0) Die("oracle: sigaltstack");
  struct sigaction action {};
  action.sa_sigaction = OnSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (size_t i = 0; i < sizeof(kSignals) / sizeof(kSignals[0]); ++i) {
    if (sigaction(kSignals[i], &action, &g_previous[i]) != 0) Die("oracle: sigaction");
  }
  if (syscall(SYS_arch_prctl, ARCH_SET_GS, gs_base()) != 0) Die("oracle: arch_prctl");
  if (syscall(SYS_arch_prctl, ARCH_GET_FS, &fs_base_) != 0) Die("oracle: arch_prctl");
}

NativeRunner::~NativeRunner() {
  for (size_t i = 0; i < sizeof(kSignals) / sizeof(kSignals[0]); ++i) sigaction(kSignals[i], &g_previous[i], nullptr);
  stack_t stack{};
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, nullptr);
  munmap(base_, ORACLE_REGION_BYTES);
  g_base = nullptr;
}

void NativeRunner::InitState(NativeState* state) const {
  std::memset(state, 0, sizeof(*state));
  state->fxsave[0] = 0x7f;  // x87 control word 0x037f: exceptions masked
  state->fxsave[1] = 0x03;
  state->fxsave[4] = 0xff;  // all x87 registers marked in use, as in MMX code
  state->set_mxcsr(0x1f80);
  state->rflags = 0x202;
}

void NativeRunner::SetCode(const uint8_t* code, size_t size) {
  uint8_t* end = base_ + ORACLE_SLOT_END;
  uint8_t* slot = end - size;
  SetWritable(base_, true);
  std::memset(end - code_size_, 0xcc, code_size_);
  std::memcpy(slot, code, size);
  end[0] = 0xe9;
  const auto distance =
      static_cast<int32_t>((oracle_trampoline_exit - oracle_trampoline_begin) - int64_t{ORACLE_SLOT_END + 5});
  std::memcpy(end + 1, &distance, sizeof(distance));
  SetWritable(base_, false);
  std::memcpy(base_ + ORACLE_IN_PAGE + ORACLE_ENTRY, &slot, sizeof(slot));
  code_size_ = size;
}

NativeResult NativeRunner::Run() {
  g_signal = 0;
  g_is_running = 1;
  reinterpret_cast<void (*)()>(base_)();
  g_is_running = 0;
  const uint64_t after = base_address() + ORACLE_SLOT_END;
  const uint64_t slot = after - code_size_;
  if (g_signal == 0) return NativeResult{0, after};
  const uint64_t sp = g_signal_sp;
  std::memcpy(base_ + ORACLE_OUT_PAGE + ORACLE_GPR + 8 * kStackPointer, &sp, sizeof sp);
  const uint64_t pc = g_signal_pc;
  if (g_signal == SIGTRAP && IsInSlotPage(pc - 1) && (pc - 1 < slot || pc - 1 >= after)) {
    return NativeResult{0, pc - 1};  // the int3 it landed on
  }
  // An instruction fetch that failed at another address: the branch was taken.
  if (g_signal == SIGSEGV && (pc < slot || pc >= after)) return NativeResult{0, pc};
  return NativeResult{g_signal, pc};
}

}  // namespace softlbr::oracle

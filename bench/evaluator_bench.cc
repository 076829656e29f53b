// Cost of evaluating a micro-operation when all values are known: the inner loop of look-ahead.
// items_per_second is uops per second; the budget is 6 ns per uop in BM_EvaluateIntegerBlock.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <memory>

#include "decoders/api/ir.h"
#include "platform/base/elf_machine.h"
#include "platform/safe_read.h"
#include "runtime/lookahead/evaluator.h"

namespace softlbr {
namespace {

constexpr uint16_t kRax = 2, kRcx = 3, kRdx = 4, kRbx = 5, kRsp = 6, kRsi = 8, kRdi = 9;
constexpr uint16_t kTemp = SOFTLBR_REG_TEMP;
constexpr uint16_t kXmm0 = SOFTLBR_REG_VECTOR, kXmm1 = SOFTLBR_REG_VECTOR + 8;
constexpr uint32_t kSet = SOFTLBR_UOP_SET_FLAGS;
constexpr uint32_t kImm = SOFTLBR_UOP_B_IMM;

alignas(4096) uint64_t memory[8192];

class Block {
 public:
  Block() {
    std::memset(&block_, 0, sizeof(block_));
    block_.pc = 0x401000;
  }
  Block& Add(uint32_t op, uint32_t width, uint16_t dst, uint16_t a = 0, uint16_t b = 0, uint32_t flags = 0,
             int32_t imm = 0, uint32_t aux = 0) {
    softlbr_uop& uop = block_.uops[block_.uop_count++];
    uop.op = static_cast<uint16_t>(op);
    uop.width = static_cast<uint8_t>(width);
    uop.aux = static_cast<uint8_t>(aux);
    uop.dst = dst;
    uop.a = a;
    uop.b = b;
    uop.flags = static_cast<uint16_t>(flags);
    uop.imm = imm;
    block_.length[block_.instruction_count] = 4;
    block_.uops_of[block_.instruction_count++] = 1;
    block_.byte_length += 4;
    return *this;
  }
  const softlbr_block& JumpBackIf(uint8_t condition) {
    block_.length[block_.instruction_count++] = 2;
    block_.byte_length += 2;
    block_.end.kind = SOFTLBR_END_CONDITIONAL;
    block_.end.condition = condition;
    block_.end.base = SOFTLBR_REG_BLOCK;
    return block_;
  }

 private:
  softlbr_block block_;
};

// Typical compiled integer code: walks a table of structures, with a hash, a spill and two compares.
Block IntegerBlock() {
  Block block;
  block
      .Add(SOFTLBR_OP_LOAD, 8, kRax, kRdi, kRcx, 0, 0, 3)                           // mov rax, [rdi + 8 rcx]
      .Add(SOFTLBR_OP_LOAD, 4, kRdx, kRdi, kRcx, 0, 64, 3)                          // mov edx, [rdi + 8 rcx + 64]
      .Add(SOFTLBR_OP_XOR, 4, kRdx, kRdx, kRax, kSet)                               // xor edx, eax
      .Add(SOFTLBR_OP_MOV, 4, kRbx, kRdx)                                           // mov ebx, edx
      .Add(SOFTLBR_OP_SHR, 4, kRbx, kRbx, 0, kSet | kImm, 5)                        // shr ebx, 5
      .Add(SOFTLBR_OP_ADD, 4, kRdx, kRdx, kRbx, kSet)                               // add edx, ebx
      .Add(SOFTLBR_OP_AND, 4, kRdx, kRdx, 0, kSet | kImm, 255)                      // and edx, 255
      .Add(SOFTLBR_OP_ADDRESS, 8, kRsi, kRdi, kRdx, 0, 16, 2)                       // lea rsi, [rdi + 4 rdx + 16]
      .Add(SOFTLBR_OP_STORE, 8, kRsi, kRsp, 0, 0, 24)                               // mov [rsp + 24], rsi
      .Add(SOFTLBR_OP_LOAD, 1, kTemp, kRsi)                                         // movzx eax, byte [rsi]
      .Add(SOFTLBR_OP_ZERO_EXTEND, 4, kRax, kTemp, 0, 0, 0, 1)                      //
      .Add(SOFTLBR_OP_AND, 4, 0, kRax, kRax, kSet)                                  // test eax, eax
      .Add(SOFTLBR_OP_SELECT, 8, kRsi, kRdi, kRsi, 0, 0, SOFTLBR_COND_Z)            // cmovz rsi, rdi
      .Add(SOFTLBR_OP_LOAD, 8, kRbx, kRsp, 0, 0, 24)                                // mov rbx, [rsp + 24]
      .Add(SOFTLBR_OP_SUB, 8, 0, kRbx, kRsi, kSet)                                  // cmp rbx, rsi
      .Add(SOFTLBR_OP_SETCC, 1, kRax, 0, 0, SOFTLBR_UOP_MERGE, 0, SOFTLBR_COND_LE)  // setle al
      .Add(SOFTLBR_OP_STORE, 4, kRdx, kRsp, 0, 0, 16)                               // mov [rsp + 16], edx
      .Add(SOFTLBR_OP_ADD, 8, kRcx, kRcx, 0, kSet | kImm, 1)                        // add rcx, 1
      .Add(SOFTLBR_OP_AND, 4, kRcx, kRcx, 0, kSet | kImm, 127)                      // and ecx, 127
      .Add(SOFTLBR_OP_SUB, 8, 0, kRcx, 0, kSet | kImm, 1000);                       // cmp rcx, 1000
  return block;
}

// The loop of a string search, 16 bytes at a time.
Block StringBlock() {
  Block block;
  block
      .Add(SOFTLBR_OP_VLOAD, 16, kXmm0, kRdi, kRcx)               // movdqu xmm0, [rdi + rcx]
      .Add(SOFTLBR_OP_VCMP_EQ, 16, kXmm0, kXmm0, kXmm1, 0, 0, 1)  // pcmpeqb xmm0, xmm1
      .Add(SOFTLBR_OP_VMASK_BITS, 16, kRax, kXmm0, 0, 0, 0, 1)    // pmovmskb eax, xmm0
      .Add(SOFTLBR_OP_ADD, 8, kRcx, kRcx, 0, kSet | kImm, 16)     // add rcx, 16
      .Add(SOFTLBR_OP_AND, 4, kRcx, kRcx, 0, kSet | kImm, 0xfff)  // and ecx, 4095
      .Add(SOFTLBR_OP_AND, 4, 0, kRax, kRax, kSet);               // test eax, eax
  return block;
}

// An inner product in doubles.
Block FloatBlock() {
  Block block;
  block
      .Add(SOFTLBR_OP_VLOAD, 8, kXmm0, kRdi, kRcx, 0, 0, 3)                     // movsd xmm0, [rdi + 8 rcx]
      .Add(SOFTLBR_OP_FMUL, 16, kXmm0, kXmm0, kXmm0, SOFTLBR_UOP_SCALAR, 0, 8)  // mulsd xmm0, xmm0
      .Add(SOFTLBR_OP_FADD, 16, kXmm1, kXmm1, kXmm0, SOFTLBR_UOP_SCALAR, 0, 8)  // addsd xmm1, xmm0
      .Add(SOFTLBR_OP_FCMP_FLAGS, 16, 0, kXmm1, kXmm0, 0, 0, 8)                 // ucomisd xmm1, xmm0
      .Add(SOFTLBR_OP_ADD, 8, kRcx, kRcx, 0, kSet | kImm, 1)                    // add rcx, 1
      .Add(SOFTLBR_OP_AND, 4, kRcx, kRcx, 0, kSet | kImm, 0xff);                // and ecx, 255
  return block;
}

std::unique_ptr<Evaluator> MakeEvaluator() {
  auto evaluator = std::make_unique<Evaluator>();
  InitEvaluator(evaluator.get(), ResolvePolicy::kLookahead, kMachineX86_64);
  MachineContext& context = evaluator->context;
  for (uint32_t slot = 0; slot < kRegisterSlotCount; ++slot) {
    context.regs[slot] = 0;
    context.known[slot] = kAllKnown;
  }
  context.rounding_is_default = true;
  context.flags_known = SOFTLBR_FLAG_ALL;
  for (uint64_t i = 0; i < 8192; ++i) memory[i] = i * 0x9e3779b97f4a7c15 & 0x7fffffff7fffffff;
  context.regs[kRdi] = reinterpret_cast<uint64_t>(memory);
  context.regs[kRsp] = reinterpret_cast<uint64_t>(memory + 6000);
  context.regs[kXmm1] = context.regs[kXmm1 + 1] = 0x8181818181818181;
  context.sp = context.regs[kRsp];
  AdoptTrueState(evaluator.get());
  return evaluator;
}

void Run(benchmark::State& state, const softlbr_block& block) {
  const auto evaluator = MakeEvaluator();
  const BlockView view = ViewOf(block);
  for (auto _ : state) {
    const BlockExit exit = RunBlock(evaluator.get(), view, 0);
    if (exit.outcome != BlockOutcome::kNext) state.SkipWithError("the block did not run through");
    benchmark::DoNotOptimize(exit.next_pc);
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * block.uop_count);
}

void BM_EvaluateIntegerBlock(benchmark::State& state) { Run(state, IntegerBlock().JumpBackIf(SOFTLBR_COND_C)); }
BENCHMARK(BM_EvaluateIntegerBlock);
void BM_EvaluateStringBlock(benchmark::State& state) { Run(state, StringBlock().JumpBackIf(SOFTLBR_COND_Z)); }
BENCHMARK(BM_EvaluateStringBlock);
void BM_EvaluateFloatBlock(benchmark::State& state) { Run(state, FloatBlock().JumpBackIf(SOFTLBR_COND_NZ)); }
BENCHMARK(BM_EvaluateFloatBlock);

// bzip2's sorting stores to addresses that the sample does not know.
void BM_StoreToUnknownAddress(benchmark::State& state) {
  const auto evaluator = MakeEvaluator();
  evaluator->context.known[kRax] = 0;
  Block block;
  const BlockView view = ViewOf(block.Add(SOFTLBR_OP_STORE, 8, kRsi, kRax).JumpBackIf(SOFTLBR_COND_ALWAYS));
  for (auto _ : state) {
    const BlockExit exit = RunBlock(evaluator.get(), view, 0);
    if (exit.outcome != BlockOutcome::kNext) state.SkipWithError("the block did not run through");
    benchmark::DoNotOptimize(exit.next_pc);
  }
}
BENCHMARK(BM_StoreToUnknownAddress);

// Cost of a hit in the evaluator, without filling the context.
void BM_AdoptTrueState(benchmark::State& state) {
  const auto evaluator = MakeEvaluator();
  for (auto _ : state) {
    AdoptTrueState(evaluator.get());
    benchmark::DoNotOptimize(evaluator->memory.stores.generation);
  }
}
BENCHMARK(BM_AdoptTrueState);

}  // namespace
}  // namespace softlbr

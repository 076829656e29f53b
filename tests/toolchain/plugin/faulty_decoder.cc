// A decoder plugin with one planted fault, which SOFTLBR_PLANTED_FAULT names: the statically linked plugin of this CPU,
// and around it code that breaks one part of the contract. Without the variable it has no fault.
#include <alloca.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "decoders/api/plugin.h"

extern "C" const softlbr_decoder_plugin* SOFTLBR_PLUGIN_UNDER_FAULT();

namespace {

const softlbr_decoder_plugin& Real() { return *SOFTLBR_PLUGIN_UNDER_FAULT(); }

const char* g_fault = "";
bool Has(const char* fault) { return strcmp(g_fault, fault) == 0; }

volatile uint32_t g_lifts = 0;
void* volatile g_kept = nullptr;
volatile uint8_t g_byte = 0;

softlbr_decoder_result Open(void* arena, size_t arena_bytes, uint32_t variant, softlbr_decoder** out) {
  if (Has("misaligned_arena") && arena != nullptr && reinterpret_cast<uintptr_t>(arena) % 64 != 0) {
    static char enough[65536] __attribute__((aligned(64)));
    return Real().open(enough, sizeof enough, variant, out);
  }
  const softlbr_decoder_result result = Real().open(arena, arena_bytes, variant, out);
  if (result == SOFTLBR_DECODER_OK && Has("arena_overrun")) static_cast<uint8_t*>(arena)[arena_bytes] = 1;
  return result;
}

__attribute__((noinline)) void UseStack() {
  auto* memory = static_cast<volatile uint8_t*>(alloca(20000));
  for (int i = 0; i < 20000; i += 16) memory[i] = 1;
}

softlbr_decoder_result Lift(softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc,
                            softlbr_block* block) {
  const softlbr_decoder_result result = Real().lift(decoder, code, size, pc, block);
  if (Has("reads_behind")) g_byte = code[size];
  if (Has("reads_before")) g_byte = code[-1];
  if (Has("stack")) UseStack();
  if (Has("hangs")) {
    while (size > 20) g_byte = 1;
  }
  if (Has("crashes") && size > 20) abort();
  if (Has("heap")) {
    g_kept = malloc(16);
    free(g_kept);
  }
  if (Has("system_call")) (void)getppid();
  if (Has("slot") && block->uop_count != 0) block->uops[0].dst = SOFTLBR_REG_COUNT;
  if (Has("uncounted") && block->instruction_count != 0) ++block->length[0];
  if (Has("loaded_target") && block->end.kind == SOFTLBR_END_CALL) block->end.load_bytes = 8;
  if (Has("unmarked_cut")) block->end.flags &= static_cast<uint8_t>(~SOFTLBR_END_FLAG_CUT_BY_WINDOW);
  if (Has("refuses") && size > 20) return SOFTLBR_DECODER_FAILED;
  g_lifts = g_lifts + 1;
  if (Has("state") && g_lifts > 20000 && block->uop_count != 0) block->uops[0].imm ^= 1;
  return result;
}

uint32_t InstructionLength(softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc) {
  const uint32_t length = Real().instruction_length(decoder, code, size, pc);
  return Has("length") && length != 0 ? length + 1 : length;
}

softlbr_decoder_plugin g_table;

}  // namespace

// In C++ a function cannot have the name of the struct, but its symbol can.
extern "C" __attribute__((visibility("default"))) const softlbr_decoder_plugin* Entry() __asm__(
    SOFTLBR_DECODER_PLUGIN_SYMBOL);

const softlbr_decoder_plugin* Entry() {
  if (const char* fault = std::getenv("SOFTLBR_PLANTED_FAULT")) g_fault = fault;
  if (Has("no_table")) return nullptr;
  g_table = Real();
  g_table.open = Open;
  g_table.lift = Lift;
  g_table.instruction_length = InstructionLength;
  g_table.stack_bytes += 3072;  // of the functions here, compiled without optimisation
  if (Has("abi")) g_table.abi_version = 3;
  if (Has("arena_size")) g_table.arena_bytes = 1u << 20;
  if (Has("no_length")) g_table.instruction_length = nullptr;
  return &g_table;
}

#ifdef SOFTLBR_EXTRA_EXPORT
extern "C" __attribute__((visibility("default"))) int decoder_helper() { return 1; }
#endif

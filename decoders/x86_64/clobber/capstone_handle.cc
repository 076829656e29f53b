#include "decoders/x86_64/clobber/capstone_handle.h"

#include <atomic>
#include <cstdarg>

#include "decoders/x86_64/clobber/clobber.h"

namespace softlbr::x86 {
namespace {

// Set only inside OpenCapstone.
struct Arena {
  uint8_t* next;
  uint8_t* end;
};
constinit Arena g_arena = {};

constexpr size_t kAlignment = 16;

// While printing some instructions (cvtsd2si r64, m64 is one) Capstone duplicates a mnemonic and does not survive
// NULL. Each such string gets the next slot of a ring and is dead before cs_disasm_iter returns: only as many lifts at
// once as there are slots could make two share one.
constexpr uint32_t kStringSlots = 64;
constexpr size_t kStringBytes = 64;
constinit uint8_t g_strings[kStringSlots][kStringBytes] = {};
constinit std::atomic<uint32_t> g_next_string{0};

void* ArenaAlloc(size_t bytes) {
  if (g_arena.next == nullptr) {
    if (bytes > kStringBytes) return nullptr;
    return g_strings[g_next_string.fetch_add(1, std::memory_order_relaxed) % kStringSlots];
  }
  const size_t rounded = (bytes + kAlignment - 1) & ~(kAlignment - 1);
  if (rounded < bytes || rounded > static_cast<size_t>(g_arena.end - g_arena.next)) return nullptr;
  void* result = g_arena.next;
  g_arena.next += rounded;
  return result;
}

void* ArenaCalloc(size_t count, size_t bytes) {
  size_t total = 0;
  if (__builtin_mul_overflow(count, bytes, &total)) return nullptr;
  uint8_t* result = static_cast<uint8_t*>(ArenaAlloc(total));
  if (result != nullptr)
    for (size_t i = 0; i < total; ++i) result[i] = 0;
  return result;
}

void* ArenaRealloc(void*, size_t) { return nullptr; }
void ArenaFree(void*) {}

// Nobody reads the text; writing none keeps libc's formatter and its stack out of handlers.
int WriteNoText(char* text, size_t size, const char*, va_list) {
  if (size != 0) text[0] = '\0';
  return 0;
}

}  // namespace

bool OpenCapstone(void* arena, size_t arena_bytes, softlbr_decoder** out) {
  g_arena = Arena{static_cast<uint8_t*>(arena), static_cast<uint8_t*>(arena) + arena_bytes};
  auto* decoder = static_cast<softlbr_decoder*>(ArenaAlloc(sizeof(softlbr_decoder)));
  bool is_open = false;
  if (decoder != nullptr) {
    cs_opt_mem hooks = {ArenaAlloc, ArenaCalloc, ArenaRealloc, ArenaFree, WriteNoText};
    csh handle = 0;
    if (cs_option(0, CS_OPT_MEM, reinterpret_cast<size_t>(&hooks)) == CS_ERR_OK &&
        cs_open(CS_ARCH_X86, CS_MODE_64, &handle) == CS_ERR_OK && cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK) {
      decoder->capstone = handle;
      // The first disassembly builds a look-up table; after it nothing allocates.
      static constexpr uint8_t kWarmUp[] = {0x0f, 0x28, 0xc1};
      CapstoneInstruction ignored;
      is_open = DescribeByCapstone(decoder, kWarmUp, sizeof(kWarmUp), 0, &ignored) == sizeof(kWarmUp);
    }
    decoder->arena_used = static_cast<size_t>(g_arena.next - static_cast<uint8_t*>(arena));
  }
  g_arena = Arena{};
  if (is_open) *out = decoder;
  return is_open;
}

uint32_t DescribeByCapstone(const softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc,
                            CapstoneInstruction* out) {
  out->insn.detail = &out->detail;
  const uint8_t* at = code;
  uint64_t address = pc;
  if (!cs_disasm_iter(decoder->capstone, &at, &size, &address, &out->insn)) return 0;
  return out->insn.size;
}

}  // namespace softlbr::x86

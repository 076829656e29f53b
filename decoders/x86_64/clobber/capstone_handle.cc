#include "decoders/x86_64/clobber/capstone_handle.h"

#include <cstdarg>

#include "decoders/x86_64/clobber/capstone_memory.h"
#include "decoders/x86_64/clobber/clobber.h"

namespace softlbr::x86 {
namespace {

constexpr size_t kAlignment = 16;

// When Capstone prints an instruction that has an alias (xstorerng is one), it copies the alias, up to 63 bytes, and
// crashes if the allocation fails. Capstone 4.0.2 copies one per instruction and frees it at once.
constexpr size_t kStringBytes = 256;

// SOFTLBR_NOINLINE: __builtin_frame_address(0) must be the hook's own frame.
SOFTLBR_NOINLINE void* HookAlloc(size_t bytes) {
  LentMemory* lent = LentTo(__builtin_frame_address(0));
  if (lent == nullptr) return nullptr;
  const size_t rounded = (bytes + kAlignment - 1) & ~(kAlignment - 1);
  if (rounded < bytes || rounded > static_cast<size_t>(lent->end - lent->next)) return nullptr;
  void* result = lent->next;
  lent->next += rounded;
  return result;
}

void* HookCalloc(size_t count, size_t bytes) {
  size_t total = 0;
  if (__builtin_mul_overflow(count, bytes, &total)) return nullptr;
  uint8_t* result = static_cast<uint8_t*>(HookAlloc(total));
  if (result == nullptr) return nullptr;
  for (size_t i = 0; i < total; ++i) {
    result[i] = 0;
    asm volatile("" ::: "memory");  // keeps the loop from becoming a call to memset
  }
  return result;
}

void* HookRealloc(void*, size_t) { return nullptr; }
void HookFree(void*) {}

// The text is not used. Writing none keeps libc's formatter and its stack use out of handlers.
int WriteNoText(char* text, size_t size, const char*, va_list) {
  if (size != 0) text[0] = '\0';
  return 0;
}

// The caller has lent memory (Lend).
uint32_t Disassemble(const softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc,
                     CapstoneInstruction* out) {
  out->insn.detail = &out->detail;
  if (!cs_disasm_iter(decoder->capstone, &code, &size, &pc, &out->insn)) return 0;
  return out->insn.size;
}

bool Start(softlbr_decoder* decoder) {
  cs_opt_mem hooks = {HookAlloc, HookCalloc, HookRealloc, HookFree, WriteNoText};
  csh handle = 0;
  if (cs_option(0, CS_OPT_MEM, reinterpret_cast<size_t>(&hooks)) != CS_ERR_OK ||
      cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK ||
      cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON) != CS_ERR_OK)
    return false;
  decoder->capstone = handle;
  // The first disassembly builds a look-up table. Later ones allocate only strings.
  static constexpr uint8_t kWarmUp[] = {0x0f, 0x28, 0xc1};
  CapstoneInstruction ignored;
  return Disassemble(decoder, kWarmUp, sizeof(kWarmUp), 0, &ignored) == sizeof(kWarmUp);
}

}  // namespace

bool OpenCapstone(void* arena, size_t arena_bytes, softlbr_decoder** out) {
  auto* begin = static_cast<uint8_t*>(arena);
  auto* decoder = static_cast<softlbr_decoder*>(arena);
  constexpr size_t kHandleBytes = (sizeof(softlbr_decoder) + kAlignment - 1) & ~(kAlignment - 1);
  if (arena_bytes < kHandleBytes) return false;
  *decoder = softlbr_decoder{};
  LentMemory memory = {begin + kHandleBytes, begin + arena_bytes};
  const uint32_t entry = Lend(__builtin_frame_address(0), &memory);
  if (entry == kMaxLenders) return false;
  const bool is_open = Start(decoder);
  TakeBack(entry);
  decoder->arena_used = static_cast<size_t>(memory.next - begin);
  if (is_open) *out = decoder;
  return is_open;
}

uint32_t DescribeByCapstone(const softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc,
                            CapstoneInstruction* out) {
  alignas(kAlignment) uint8_t strings[kStringBytes];
  LentMemory memory = {strings, strings + sizeof(strings)};
  const uint32_t entry = Lend(__builtin_frame_address(0), &memory);
  if (entry == kMaxLenders) return 0;
  const uint32_t length = Disassemble(decoder, code, size, pc, out);
  TakeBack(entry);
  return length;
}

}  // namespace softlbr::x86

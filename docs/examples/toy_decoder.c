/* A decoder plugin for a small part of x86-64: nop, mov of a constant, direct jumps and ret. Everything else ends a
 * block as undecodable. docs/decoders.md explains it.
 *
 *   cc -O2 -fPIC -shared -fvisibility=hidden toy_decoder.c -o toy_decoder.so && softlbr plugin-check toy_decoder.so
 */
#include <elf.h>
#include <softlbr/plugin.h>
#include <softlbr/registers_x86_64.h>
#include <string.h>

/* What open() keeps between calls: here nothing, but a handle must point to something. */
struct softlbr_decoder {
  uint32_t unused;
};
enum { kArenaBytes = 64 };

static enum softlbr_decoder_result Open(void* arena, size_t arena_bytes, uint32_t variant, softlbr_decoder** out) {
  if (arena == NULL || out == NULL || arena_bytes < kArenaBytes || (uintptr_t)arena % 64 != 0) {
    return SOFTLBR_DECODER_BAD_ARGUMENT;
  }
  if (variant != SOFTLBR_DECODER_VARIANT_UNKNOWN && variant != SOFTLBR_DECODER_VARIANT_HOST)
    return SOFTLBR_DECODER_BAD_ARGUMENT;
  *out = arena;
  return SOFTLBR_DECODER_OK;
}

static void Close(softlbr_decoder* decoder) { (void)decoder; }

/* The length of the instruction, 0 for one that this decoder does not know. *is_cut: more bytes may make it known. */
static uint32_t Length(const uint8_t* code, size_t size, int* is_cut) {
  uint32_t length = 0;
  *is_cut = size == 0;
  if (size == 0) return 0;
  if (code[0] == 0x90 || code[0] == 0xc3) length = 1;          /* nop, ret */
  if ((code[0] & 0xf8) == 0xb8 || code[0] == 0xe9) length = 5; /* mov r32, imm32; jmp rel32 */
  if ((code[0] & 0xf0) == 0x70 || code[0] == 0xeb) length = 2; /* jcc rel8, jmp rel8 */
  *is_cut = length > size;
  return length <= size ? length : 0;
}

/* The x86 conditions 0 to 15 in the order of their encoding. */
static const uint8_t kConditions[16] = {
    SOFTLBR_COND_V,  SOFTLBR_COND_NV, SOFTLBR_COND_C,  SOFTLBR_COND_NC, SOFTLBR_COND_Z, SOFTLBR_COND_NZ,
    SOFTLBR_COND_BE, SOFTLBR_COND_A,  SOFTLBR_COND_S,  SOFTLBR_COND_NS, SOFTLBR_COND_P, SOFTLBR_COND_NP,
    SOFTLBR_COND_LT, SOFTLBR_COND_GE, SOFTLBR_COND_LE, SOFTLBR_COND_GT,
};

static struct softlbr_uop* AddUop(struct softlbr_block* block, uint16_t op, uint8_t width, uint16_t dst) {
  struct softlbr_uop* uop = &block->uops[block->uop_count++];
  memset(uop, 0, sizeof *uop);
  uop->op = op;
  uop->width = width;
  uop->dst = dst;
  ++block->uops_of[block->instruction_count];
  return uop;
}

static enum softlbr_decoder_result Lift(softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc,
                                        struct softlbr_block* block) {
  if (decoder == NULL || block == NULL || (code == NULL && size != 0)) return SOFTLBR_DECODER_BAD_ARGUMENT;
  block->pc = pc;
  block->byte_length = 0;
  block->instruction_count = 0;
  block->uop_count = 0;
  memset(&block->end, 0, sizeof block->end); /* FALLTHROUGH */
  while (block->instruction_count < SOFTLBR_BLOCK_MAX_INSTRUCTIONS) {
    const uint8_t* at = code + block->byte_length;
    int is_cut;
    const uint32_t length = Length(at, size - block->byte_length, &is_cut);
    if (length == 0) {
      if (is_cut) block->end.flags = SOFTLBR_END_FLAG_CUT_BY_WINDOW;
      if (!is_cut || block->instruction_count == 0) block->end.kind = SOFTLBR_END_UNDECODABLE;
      return SOFTLBR_DECODER_OK;
    }
    const uint32_t next = block->byte_length + length;
    block->length[block->instruction_count] = (uint8_t)length;
    block->uops_of[block->instruction_count] = 0;
    if (length == 5 && at[0] != 0xe9) {
      int32_t constant;
      memcpy(&constant, at + 1, sizeof constant);
      /* Width 4 replaces the whole slot, zero-extended, as the CPU does. */
      AddUop(block, SOFTLBR_OP_CONST, 4, (uint16_t)(SOFTLBR_X86_RAX + (at[0] & 7)))->imm = constant;
    } else if (at[0] == 0xc3) {
      block->end.kind = SOFTLBR_END_RETURN;
      block->end.base = SOFTLBR_X86_RSP; /* the target is loaded from the stack … */
      block->end.load_bytes = 8;
      block->end.after_uops = 1; /* … and then the stack pointer moves */
      struct softlbr_uop* pop = AddUop(block, SOFTLBR_OP_ADD, 8, SOFTLBR_X86_RSP);
      pop->a = SOFTLBR_X86_RSP;
      pop->flags = SOFTLBR_UOP_B_IMM;
      pop->imm = 8;
    } else if (at[0] != 0x90) {
      int32_t distance = (int8_t)at[1];
      if (length == 5) memcpy(&distance, at + 1, sizeof distance);
      block->end.kind = (at[0] & 0xf0) == 0x70 ? SOFTLBR_END_CONDITIONAL : SOFTLBR_END_JUMP;
      if (block->end.kind == SOFTLBR_END_CONDITIONAL) block->end.condition = kConditions[at[0] & 15];
      block->end.base = SOFTLBR_REG_BLOCK;
      block->end.disp = (int64_t)next + distance;
    }
    block->byte_length = next;
    ++block->instruction_count;
    if (block->end.kind != SOFTLBR_END_FALLTHROUGH) return SOFTLBR_DECODER_OK;
  }
  return SOFTLBR_DECODER_OK;
}

static uint32_t InstructionLength(softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc) {
  int is_cut;
  (void)decoder;
  (void)pc;
  return Length(code, size, &is_cut);
}

static const struct softlbr_decoder_plugin kPlugin = {
    .abi_version = SOFTLBR_DECODER_ABI_VERSION,
    .struct_size = sizeof(struct softlbr_decoder_plugin),
    .arch = EM_X86_64,
    .stack_pointer_slot = SOFTLBR_X86_RSP,
    .capabilities = SOFTLBR_DECODER_BRANCHES | SOFTLBR_DECODER_SEMANTICS,
    .name = "toy",
    .arena_bytes = kArenaBytes,
    .stack_bytes = 512,
    .max_instruction_bytes = 15,
    .instruction_alignment = 1,
    .open = Open,
    .close = Close,
    .lift = Lift,
    .instruction_length = InstructionLength,
};

__attribute__((visibility("default"))) const struct softlbr_decoder_plugin* softlbr_decoder_plugin(void);
const struct softlbr_decoder_plugin* softlbr_decoder_plugin(void) { return &kPlugin; }

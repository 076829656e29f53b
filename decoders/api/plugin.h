/* The decoder plugin ABI: one exported C symbol, softlbr_decoder_plugin(), returning a constant table.
 *
 * Who calls: open/close on the control thread; lift and instruction_length from signal handlers of any thread, several at
 * once with one handle. A plugin keeps no state between calls but what open() wrote into the arena.
 * Memory: the arena is the caller's, arena_bytes large, 64-byte aligned, alive until close(). No allocation, ever.
 * Handler-safe: lift and instruction_length take no lock, call no libc but what docs/signal_safety.md lists, use at most
 * stack_bytes of stack and read no byte outside [code, code + size). */
#ifndef SOFTLBR_DECODERS_API_PLUGIN_H_
#define SOFTLBR_DECODERS_API_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#include "decoders/api/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SOFTLBR_DECODER_ABI_VERSION 3u

enum softlbr_decoder_capability {
  SOFTLBR_DECODER_BRANCHES = 1u << 0,  /* terminators and lengths are exact; every effect at least clobbered */
  SOFTLBR_DECODER_SEMANTICS = 1u << 1, /* uops compute values */
};

enum softlbr_decoder_result {
  SOFTLBR_DECODER_OK = 0,
  SOFTLBR_DECODER_BAD_ARGUMENT = 1, /* NULL, arena too small or misaligned, a variant it does not know */
  SOFTLBR_DECODER_FAILED = 2,       /* the library underneath would not start; permanent */
};

/* open()'s `variant`: whose processor runs the code that will be lifted, where an instruction set leaves makers or models a
 * choice. Values from SOFTLBR_DECODER_VARIANT_FIRST_OWN on are the plugin's own; its header names them. */
enum softlbr_decoder_variant {
  /* Not known: results on which processors differ are UNKNOWN, and where even the length differs there is no instruction.
   * For code that ran elsewhere, as in a profile. */
  SOFTLBR_DECODER_VARIANT_UNKNOWN = 0,
  /* The processor that open() runs on; if that is of another instruction set, as UNKNOWN. For code of this process. */
  SOFTLBR_DECODER_VARIANT_HOST = 1,
  SOFTLBR_DECODER_VARIANT_FIRST_OWN = 256,
};

/* Opaque; lives in the arena. */
typedef struct softlbr_decoder softlbr_decoder;

struct softlbr_decoder_plugin {
  uint32_t abi_version;        /* SOFTLBR_DECODER_ABI_VERSION */
  uint32_t struct_size;        /* sizeof(struct softlbr_decoder_plugin) */
  uint16_t arch;               /* ELF e_machine: EM_X86_64, EM_AARCH64 */
  uint16_t stack_pointer_slot; /* register slot of the stack pointer */
  uint32_t capabilities;       /* enum softlbr_decoder_capability */
  const char* name;            /* "x86_64" */
  uint32_t arena_bytes;        /* what open() needs */
  uint32_t stack_bytes;        /* most stack lift() uses */
  uint32_t max_instruction_bytes;
  uint32_t instruction_alignment;

  /* Starts a decoder in the arena. *out is valid until close. variant: enum softlbr_decoder_variant, or one of the plugin's. */
  enum softlbr_decoder_result (*open)(void* arena, size_t arena_bytes, uint32_t variant, softlbr_decoder** out);
  void (*close)(softlbr_decoder* decoder);

  /* Lifts from pc, whose bytes are code[0..size). Stops at the first terminator, a full block or the window's end.
   * Always fills *block; a block of no instruction ends UNDECODABLE. Cost: at most SOFTLBR_BLOCK_MAX_INSTRUCTIONS decodes. */
  enum softlbr_decoder_result (*lift)(softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc,
                                      struct softlbr_block* block);

  /* Exact length of the instruction at code, or 0 if it is none known. */
  uint32_t (*instruction_length)(softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc);
};

/* The one exported symbol of a dlopen-ed plugin. Statically linked plugins export softlbr_decoder_plugin_<name> instead. */
#define SOFTLBR_DECODER_PLUGIN_SYMBOL "softlbr_decoder_plugin"
typedef const struct softlbr_decoder_plugin* (*softlbr_decoder_plugin_function)(void);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif /* SOFTLBR_DECODERS_API_PLUGIN_H_ */

/* The decoder plugin ABI: one exported C symbol, softlbr_decoder_plugin(), returning a constant table.
 * Who calls: open and close on the control thread; lift and instruction_length from signal handlers of any thread,
 * several at once with one handle. A plugin keeps no state between calls except what open() wrote into the arena.
 * Memory: the caller's arena of arena_bytes, 64-byte aligned, valid until close(). A plugin never allocates.
 * Handler-safe: lift and instruction_length take no lock, call only the libc functions that docs/signal_safety.md
 * lists, use at most stack_bytes of stack and read no byte outside [code, code + size). */
#ifndef SOFTLBR_DECODERS_API_PLUGIN_H_
#define SOFTLBR_DECODERS_API_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#include "decoders/api/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SOFTLBR_DECODER_ABI_VERSION 4u

enum softlbr_decoder_capability {
  SOFTLBR_DECODER_BRANCHES =
      1u << 0, /* terminators and lengths are exact; all that instructions write becomes at least UNKNOWN */
  SOFTLBR_DECODER_SEMANTICS = 1u << 1, /* uops compute values */
};

enum softlbr_decoder_result {
  SOFTLBR_DECODER_OK = 0,
  SOFTLBR_DECODER_BAD_ARGUMENT = 1, /* NULL, arena too small or misaligned, unknown variant */
  SOFTLBR_DECODER_FAILED = 2,       /* the decoder library failed to initialise; permanent */
};

/* open()'s `variant`: the processor that runs the lifted code, for instructions on which vendors or models differ.
 * Values from SOFTLBR_DECODER_VARIANT_FIRST_OWN on belong to the plugin; its header names them. */
enum softlbr_decoder_variant {
  /* Processor not known: results on which processors differ are UNKNOWN; where they differ in length, the bytes are
   * undecodable. For code that ran on another machine, e.g. of a profile. */
  SOFTLBR_DECODER_VARIANT_UNKNOWN = 0,
  /* The processor that open() runs on; the same as UNKNOWN if that has another instruction set. For code of this
   * process. */
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
  uint32_t arena_bytes;        /* size of the arena that open() needs */
  uint32_t stack_bytes;        /* most stack that lift() uses */
  uint32_t max_instruction_bytes;
  uint32_t instruction_alignment;

  /* Creates a decoder in the arena; *out is valid until close. variant: enum softlbr_decoder_variant, or a value of the
   * plugin. */
  enum softlbr_decoder_result (*open)(void* arena, size_t arena_bytes, uint32_t variant, softlbr_decoder** out);
  void (*close)(softlbr_decoder* decoder);

  /* Lifts from pc; code[0..size) are the bytes there. Stops at the first terminator, a full block or the window's end.
   * Always fills *block; a block without instructions ends UNDECODABLE. Cost: at most SOFTLBR_BLOCK_MAX_INSTRUCTIONS
   * decodes. */
  enum softlbr_decoder_result (*lift)(softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc,
                                      struct softlbr_block* block);

  /* The exact length of the instruction at code, or 0 if the bytes are no known instruction. */
  uint32_t (*instruction_length)(softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc);
};

/* The only exported symbol of a dlopen-ed plugin. Statically linked plugins export softlbr_decoder_plugin_<name>
 * instead. */
#define SOFTLBR_DECODER_PLUGIN_SYMBOL "softlbr_decoder_plugin"
typedef const struct softlbr_decoder_plugin* (*softlbr_decoder_plugin_function)(void);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif /* SOFTLBR_DECODERS_API_PLUGIN_H_ */

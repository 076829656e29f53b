// The opaque type of plugin.h, stored by open() at the start of the arena. Lifts only read it.
#ifndef SOFTLBR_DECODERS_X86_64_CLOBBER_DECODER_HANDLE_H_
#define SOFTLBR_DECODERS_X86_64_CLOBBER_DECODER_HANDLE_H_

#include <cstddef>
#include <cstdint>

struct softlbr_decoder {
  size_t capstone;    // csh; 0 in a build without Capstone
  size_t arena_used;  // bytes, this struct included
  uint8_t cpu;        // CpuBits (decode/cpu.h)
};

#endif  // SOFTLBR_DECODERS_X86_64_CLOBBER_DECODER_HANDLE_H_

// Capstone under our rules: a fixed arena instead of a heap, no text formatting, a caller-owned instruction.
//
// Who calls: OpenCapstone (clobber.h) on the control thread, one open at a time (Capstone keeps its allocator in
// globals; ours points at the arena only while opening). DescribeByCapstone from handlers, on any number of threads at
// once.
// Memory: the arena of plugin.h. After OpenCapstone nothing allocates but short strings, which come from a fixed ring.
#ifndef SOFTLBR_DECODERS_X86_64_CLOBBER_CAPSTONE_HANDLE_H_
#define SOFTLBR_DECODERS_X86_64_CLOBBER_CAPSTONE_HANDLE_H_

#include <capstone/capstone.h>

#include <cstddef>
#include <cstdint>

#include "platform/base/attributes.h"

// The opaque type of plugin.h: what open() puts at the arena's start.
struct softlbr_decoder {
  size_t capstone;    // csh
  size_t arena_used;  // bytes, this struct included
};

namespace softlbr::x86 {

// An instruction with its detail; about 2 KiB, on the caller's stack.
struct CapstoneInstruction {
  cs_insn insn;
  cs_detail detail;
};

// Length, or 0. Cost: about 200 ns.
SOFTLBR_HANDLER_SAFE uint32_t DescribeByCapstone(const softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc,
                                                 CapstoneInstruction* out);

}  // namespace softlbr::x86

#endif  // SOFTLBR_DECODERS_X86_64_CLOBBER_CAPSTONE_HANDLE_H_

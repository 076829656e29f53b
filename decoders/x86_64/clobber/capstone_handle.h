// Capstone under our rules: memory from its caller instead of a heap, no text formatting, a caller-owned instruction.
//
// Who calls: OpenCapstone (clobber.h) on the control thread, one open at a time (Capstone keeps its allocator hooks in globals).
// DescribeByCapstone from handlers, on any number of threads at once.
// Memory: while opening the arena of plugin.h; afterwards a description allocates nothing but short strings, on its own stack
// (capstone_memory.h).
#ifndef SOFTLBR_DECODERS_X86_64_CLOBBER_CAPSTONE_HANDLE_H_
#define SOFTLBR_DECODERS_X86_64_CLOBBER_CAPSTONE_HANDLE_H_

#include <capstone/capstone.h>

#include <cstddef>
#include <cstdint>

#include "decoders/x86_64/clobber/decoder_handle.h"
#include "platform/base/attributes.h"

namespace softlbr::x86 {

// An instruction with its detail; about 2 KiB, on the caller's stack.
struct CapstoneInstruction {
  cs_insn insn;
  cs_detail detail;
};

// Length, or 0: no instruction that Capstone knows, or kMaxLenders descriptions are being made. Cost: about 200 ns.
SOFTLBR_HANDLER_SAFE uint32_t DescribeByCapstone(const softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc,
                                                 CapstoneInstruction* out);

}  // namespace softlbr::x86

#endif  // SOFTLBR_DECODERS_X86_64_CLOBBER_CAPSTONE_HANDLE_H_

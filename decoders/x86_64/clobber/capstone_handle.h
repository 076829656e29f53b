// Capstone without heap and text formatting: the caller provides memory and instruction.
//
// Who calls: OpenCapstone (clobber.h) on the control thread, one at a time, because Capstone keeps its allocator hooks
// in globals. DescribeByCapstone in handlers, on any number of threads at once.
// Memory: opening uses the arena of plugin.h. A later description allocates only short strings, on its own stack
// (capstone_memory.h).
#ifndef SOFTLBR_DECODERS_X86_64_CLOBBER_CAPSTONE_HANDLE_H_
#define SOFTLBR_DECODERS_X86_64_CLOBBER_CAPSTONE_HANDLE_H_

#include <capstone/capstone.h>

#include <cstddef>
#include <cstdint>

#include "decoders/x86_64/clobber/decoder_handle.h"
#include "platform/base/attributes.h"

namespace softlbr::x86 {

// An instruction with its detail: about 2 KiB, on the caller's stack.
struct CapstoneInstruction {
  cs_insn insn;
  cs_detail detail;
};

// The length, or 0 if Capstone does not know the instruction or kMaxLenders descriptions are in progress. Cost: about
// 200 ns.
SOFTLBR_HANDLER_SAFE uint32_t DescribeByCapstone(const softlbr_decoder* decoder, const uint8_t* code, size_t size,
                                                 uint64_t pc, CapstoneInstruction* out);

}  // namespace softlbr::x86

#endif  // SOFTLBR_DECODERS_X86_64_CLOBBER_CAPSTONE_HANDLE_H_

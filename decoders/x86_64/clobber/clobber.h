// Instructions without semantics: everything that they may write becomes UNKNOWN.
#ifndef SOFTLBR_DECODERS_X86_64_CLOBBER_CLOBBER_H_
#define SOFTLBR_DECODERS_X86_64_CLOBBER_CLOBBER_H_

#include <cstddef>

#include "decoders/x86_64/lift/lift.h"

struct softlbr_decoder;

namespace softlbr::x86 {

// code: the in.length bytes of the instruction. False: it is not known what the instruction writes; the caller drops
// what was added.
SOFTLBR_HANDLER_SAFE bool ClobberInstruction(const Instruction& in, const uint8_t* code, const softlbr_decoder* decoder,
                                             BlockBuilder* out);  // clobber.cc

// The parts of ClobberInstruction. Each returns false if it does not know the form. True: everything that the form may
// write is UNKNOWN.
SOFTLBR_HANDLER_SAFE bool ClobberVex(const Instruction& in, BlockBuilder* out);   // clobber_vector.cc
SOFTLBR_HANDLER_SAFE bool ClobberEvex(const Instruction& in, BlockBuilder* out);  // clobber_vector.cc
SOFTLBR_HANDLER_SAFE bool ClobberX87(const Instruction& in, BlockBuilder* out);   // clobber_system.cc

enum class Answer : uint8_t { kDone = 0, kRefused = 1, kNotMine = 2 };
// System instructions, and legacy forms that Capstone describes badly. kRefused: privileged, or not known what it
// writes.
SOFTLBR_HANDLER_SAFE Answer ClobberSystem(const Instruction& in, BlockBuilder* out);  // clobber_system.cc
SOFTLBR_HANDLER_SAFE bool ClobberSse(const Instruction& in, BlockBuilder* out);       // clobber_sse.cc: legacy MMX, SSE
// By Capstone's register lists and operands. clobber_capstone.cc
SOFTLBR_HANDLER_SAFE bool ClobberByCapstone(const Instruction& in, const uint8_t* code, const softlbr_decoder* decoder,
                                            BlockBuilder* out);

// Creates the decoder handle in the arena and starts Capstone, if it is built in. Control thread, one at a time.
// capstone_handle.cc or capstone_none.cc
bool OpenCapstone(void* arena, size_t arena_bytes, softlbr_decoder** out);

// Helpers.
SOFTLBR_HANDLER_SAFE void ClobberFlags(BlockBuilder* out);
SOFTLBR_HANDLER_SAFE void ClobberAllMemory(BlockBuilder* out);
// `bytes` at the memory operand become UNKNOWN; all memory if the address is not known. Call before clobbering
// registers.
SOFTLBR_HANDLER_SAFE void ClobberStore(const Instruction& in, uint32_t bytes, BlockBuilder* out);
// Reads a byte of the memory operand, so that the path ends where the program faults. Not of hints, which never fault,
// of forms that read what a mask selects, and of gathers. Call before clobbering registers.
SOFTLBR_HANDLER_SAFE void ProbeOperand(const Instruction& in, BlockBuilder* out);
// The low `bytes` of vector register `number` become UNKNOWN. is_zeroing_above: the bytes above become 0, as in VEX and
// EVEX forms.
SOFTLBR_HANDLER_SAFE void ClobberVector(uint32_t number, uint32_t bytes, bool is_zeroing_above, BlockBuilder* out);
// mm0..mm7, which are the x87 registers.
SOFTLBR_HANDLER_SAFE void ClobberX87Registers(BlockBuilder* out);

}  // namespace softlbr::x86

#endif  // SOFTLBR_DECODERS_X86_64_CLOBBER_CLOBBER_H_

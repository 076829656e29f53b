// Moves of lanes within and between vectors; those that an immediate or indices choose: ops_permute.cc. Contract:
// ops.h.
//
// A lane is moved together with its known mask. If its source depends on an UNKNOWN control value, the lane is UNKNOWN.
#include "runtime/lookahead/ops/fallback.h"
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/chunks.h"
#include "runtime/lookahead/values/operands.h"
#include "runtime/lookahead/values/vector.h"

namespace softlbr {
namespace {

constexpr Value kKnownZero = {0, kAllBytesKnown};

// Copies `bytes` bytes from byte `from` of source to byte `to` of dst. `bytes` is a power of two, 1..32, and divides
// both.
void CopyBytes(const VectorValue& source, uint32_t from, uint32_t bytes, VectorValue* dst, uint32_t to) {
  const uint32_t chunk = bytes < 8 ? bytes : 8;
  for (uint32_t done = 0; done < bytes; done += chunk) {
    SetLane(dst, chunk, (to + done) / chunk, LaneValue(source, chunk, (from + done) / chunk));
  }
}

// 8 or 16 bytes. UNKNOWN bytes have the mark, not known ones, so that zeros shifted in are known.
struct Chunk {
  Uint128 bits;
  uint32_t unknown;
};

Chunk ChunkAt(const VectorValue& v, uint32_t byte, uint32_t bytes) {
  const uint64_t high = bytes == 16 ? v.bits[byte / 8 + 1] : 0;
  return Chunk{static_cast<Uint128>(high) << 64 | v.bits[byte / 8],
               static_cast<uint32_t>(~v.known >> byte & VectorKnown(bytes))};
}

// Bytes [by, by + bytes) of high : low, which is followed by zeros.
Chunk ShiftBytes(Chunk high, Chunk low, uint32_t bytes, uint32_t by) {
  if (by >= bytes) {
    low = high;
    high = Chunk{0, 0};
    by -= bytes;
  }
  if (by >= bytes) return high;
  if (by == 0) return low;
  return Chunk{low.bits >> (8 * by) | high.bits << (8 * (bytes - by)),
               low.unknown >> by | high.unknown << (bytes - by)};
}

void ByteShifts(const softlbr_uop& uop, const VectorValue& a, const VectorValue& b, VectorValue* result) {
  const uint32_t bytes = ChunkOf(uop.width);
  const uint32_t imm = static_cast<uint32_t>(uop.imm) & 0xff;
  const Chunk zero = {0, 0};
  for (uint32_t at = 0; at < uop.width; at += bytes) {
    const Chunk x = ChunkAt(a, at, bytes);
    Chunk shifted = zero;
    if (uop.op == SOFTLBR_OP_VALIGN) {
      shifted = ShiftBytes(x, ChunkAt(b, at, bytes), bytes, imm);
    } else if (uop.op == SOFTLBR_OP_VBYTE_SHR) {
      shifted = ShiftBytes(zero, x, bytes, imm);
    } else if (imm < bytes) {  // a shift of x to the left by imm is one of x : 0 to the right by bytes - imm
      shifted = ShiftBytes(x, zero, bytes, bytes - imm);
    }
    result->bits[at / 8] = static_cast<uint64_t>(shifted.bits);
    if (bytes == 16) result->bits[at / 8 + 1] = static_cast<uint64_t>(shifted.bits >> 64);
    result->known |= (~uint64_t{shifted.unknown} & VectorKnown(bytes)) << at;
  }
}

void ShuffleBytes(const softlbr_uop& uop, const VectorValue& a, const VectorValue& b, VectorValue* result) {
  const uint32_t chunk = ChunkOf(uop.width);
  for (uint32_t i = 0; i < uop.width; ++i) {
    const Value control = LaneValue(b, 1, i);
    Value value = kKnownZero;
    if (control.known == 0) {
      value = kUnknownValue;
    } else if ((control.bits & 0x80) == 0) {
      value = LaneValue(a, 1, i / chunk * chunk + static_cast<uint32_t>(control.bits & (chunk - 1)));
    }
    SetLane(result, 1, i, value);
  }
}

// Interleaves the lanes of the low halves of two chunks.
SOFTLBR_ALWAYS_INLINE Bytes Interleave(Bytes x, Bytes y, uint32_t lane) {
  if (lane == 1) return __builtin_shufflevector(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  if (lane == 2) return __builtin_shufflevector(x, y, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
  if (lane == 4) return __builtin_shufflevector(x, y, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
  return __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
}
SOFTLBR_ALWAYS_INLINE Bytes HighHalf(Bytes x) {
  return __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15);
}

// The fast path for known operands. False: nothing was done.
bool UnpackPlain(MachineContext* context, const softlbr_uop& uop) {
  if (!AreOperandsPlain(*context, uop, uop.b)) return false;
  for (uint32_t word = 0; word < uop.width / 8u; word += 2) {
    Bytes x = LoadChunk<Bytes>(&context->regs[uop.a + word]);
    Bytes y = LoadChunk<Bytes>(&context->regs[uop.b + word]);
    if (uop.op == SOFTLBR_OP_VUNPACK_HIGH) {
      x = HighHalf(x);
      y = HighHalf(y);
    }
    StoreChunk(&context->regs[uop.dst + word], Interleave(x, y, uop.aux));
  }
  MarkChunksKnown(context, uop.dst, uop.width);
  return true;
}

void Unpack(const softlbr_uop& uop, const VectorValue& a, const VectorValue& b, VectorValue* result) {
  const uint32_t lane = uop.aux;
  const uint32_t lanes = ChunkOf(uop.width) / lane;
  const uint32_t half = uop.op == SOFTLBR_OP_VUNPACK_HIGH ? lanes / 2 : 0;
  for (uint32_t i = 0; i < uop.width / lane; ++i) {
    const uint32_t from = i / lanes * lanes + half + i % lanes / 2;
    SetLane(result, lane, i, LaneValue(i % 2 == 0 ? a : b, lane, from));
  }
}

// Saturates signed source lanes to lanes of half their size, signed or unsigned.
void Pack(const softlbr_uop& uop, const VectorValue& a, const VectorValue& b, VectorValue* result) {
  const uint32_t source = uop.aux;
  const uint32_t lane = source / 2;
  const uint32_t lanes = ChunkOf(uop.width) / lane;
  const bool is_signed = (uop.flags & SOFTLBR_UOP_SIGNED) != 0;
  const int64_t max = static_cast<int64_t>(WidthBits(lane) >> (is_signed ? 1 : 0));
  const int64_t min = is_signed ? -max - 1 : 0;
  if ((uop.width & 15) == 0 && (a.known & b.known) == VectorKnown(uop.width)) {
    auto pack = [=](const uint64_t* from) {
      uint64_t packed = 0;
      for (uint32_t i = 0; i < 8 / lane; ++i) {
        const uint32_t at = 8 * source * i;
        int64_t value = static_cast<int64_t>(SignExtendBits(from[at >> 6] >> (at & 63), source));
        if (value > max) value = max;
        if (value < min) value = min;
        packed |= (static_cast<uint64_t>(value) & WidthBits(lane)) << (8 * lane * i);
      }
      return packed;
    };
    for (uint32_t word = 0; word < uop.width / 8; word += 2) {
      result->bits[word] = pack(a.bits + word);
      result->bits[word + 1] = pack(b.bits + word);
    }
    result->known = VectorKnown(uop.width);
    return;
  }
  for (uint32_t i = 0; i < uop.width / lane; ++i) {
    const uint32_t in_chunk = i % lanes;
    const bool from_b = in_chunk >= lanes / 2;
    const uint32_t from = i / lanes * (lanes / 2) + in_chunk % (lanes / 2);
    const VectorValue& v = from_b ? b : a;
    int64_t value = static_cast<int64_t>(SignExtendBits(LaneBits(v, source, from), source));
    if (value > max) value = max;
    if (value < min) value = min;
    const bool is_known = IsLaneKnown(v, source, from);
    SetLane(result, lane, i, Value{static_cast<uint64_t>(value), is_known ? kAllBytesKnown : uint8_t{0}});
  }
}

// Extends or truncates lanes. Returns the number of bytes of the result.
uint32_t Resize(const softlbr_uop& uop, const VectorValue& a, VectorValue* result) {
  const uint32_t source = uop.aux;
  const uint32_t lane = static_cast<uint32_t>(uop.imm);
  const uint32_t lanes = uop.width / (source > lane ? source : lane);
  const bool is_signed = (uop.flags & SOFTLBR_UOP_SIGNED) != 0;
  for (uint32_t i = 0; i < lanes; ++i) {
    Value value = LaneValue(a, source, i);
    if (lane > source) value = is_signed ? SignExtendValue(value, source) : ZeroExtendValue(value, source);
    SetLane(result, lane, i, value);
  }
  return lanes * lane;
}

void ZeroAbove(MachineContext* context, const softlbr_uop& uop) {
  const uint32_t registers =
      static_cast<uint32_t>(uop.imm) < SOFTLBR_VECTOR_REGISTERS ? static_cast<uint32_t>(uop.imm) + 1 : 1;
  for (uint32_t r = 0; r < registers; ++r) {
    const uint32_t slot = uop.dst + SOFTLBR_SLOTS_PER_VECTOR * r;
    if (uop.width % 8 != 0) {
      const uint32_t partial = slot + uop.width / 8;
      context->regs[partial] &= WidthBits(uop.width % 8);
      context->known[partial] = static_cast<uint8_t>(context->known[partial] | ~WidthKnown(uop.width % 8));
    }
    for (uint32_t word = WordsOf(uop.width); word < SOFTLBR_SLOTS_PER_VECTOR; ++word) {
      context->regs[slot + word] = 0;
      context->known[slot + word] = kAllKnown;
      asm volatile("" ::: "memory");  // else the compiler would call memset
    }
  }
}

void Broadcast(MachineContext* context, const softlbr_uop& uop) {
  VectorValue a;
  VectorValue result = {};
  ReadVector(*context, uop.a, uop.aux, &a);
  if (uop.aux <= 8 && uop.width >= 8) {
    const uint64_t bits = (a.bits[0] & WidthBits(uop.aux)) * ShapeOf(uop.aux).ones;
    for (uint32_t word = 0; word < WordsOf(uop.width); ++word) result.bits[word] = bits;
    result.known = a.known;
    for (uint32_t bytes = uop.aux; bytes < uop.width; bytes *= 2) result.known |= result.known << bytes;
  } else {
    for (uint32_t to = 0; to < uop.width; to += uop.aux) CopyBytes(a, 0, uop.aux, &result, to);
  }
  WriteVector(context, uop.dst, uop.width, result);
}

void Insert(MachineContext* context, const softlbr_uop& uop) {
  VectorValue a;
  VectorValue result;
  ReadVector(*context, uop.a, uop.aux, &a);
  const uint32_t to = uop.aux * static_cast<uint32_t>(uop.imm);
  ReadVector(*context, uop.dst, to + uop.aux, &result);
  CopyBytes(a, 0, uop.aux, &result, to);
  WriteVector(context, uop.dst, to + uop.aux, result);
}

void Extract(MachineContext* context, const softlbr_uop& uop) {
  VectorValue a;
  ReadVector(*context, uop.a, uop.aux * (static_cast<uint32_t>(uop.imm) + 1), &a);
  const Value lane = LaneValue(a, uop.aux, static_cast<uint32_t>(uop.imm));
  const bool is_signed = (uop.flags & SOFTLBR_UOP_SIGNED) != 0;
  WriteResult(context, uop, is_signed ? SignExtendValue(lane, uop.aux) : ZeroExtendValue(lane, uop.aux));
}

}  // namespace

void RunShuffleUop(Evaluator* evaluator, const softlbr_uop& uop) {
  MachineContext* context = &evaluator->context;
  VectorValue a;
  if (uop.op == SOFTLBR_OP_VMOV) {
    ReadVector(*context, uop.a, uop.width, &a);
    WriteVector(context, uop.dst, uop.width, a);
    return;
  }
  switch (uop.op) {
    case SOFTLBR_OP_VUNPACK_LOW:
    case SOFTLBR_OP_VUNPACK_HIGH:
      if (UnpackPlain(context, uop)) return;
      break;
    case SOFTLBR_OP_VZERO_ABOVE: ZeroAbove(context, uop); return;
    case SOFTLBR_OP_VBROADCAST: Broadcast(context, uop); return;
    case SOFTLBR_OP_VINSERT: Insert(context, uop); return;
    case SOFTLBR_OP_VEXTRACT: Extract(context, uop); return;
    case SOFTLBR_OP_VEXTRACT_WIDE: {
      const uint32_t from = uop.width * static_cast<uint32_t>(uop.imm);
      ReadVector(*context, uop.a, from + uop.width, &a);
      VectorValue wide = {};
      CopyBytes(a, from, uop.width, &wide, 0);
      WriteVector(context, uop.dst, uop.width, wide);
      return;
    }
    default: break;
  }
  VectorValue b;
  VectorValue result = {};  // not at the top: zeroing it takes longer than most of the ops that return above
  uint32_t bytes = uop.width;
  const bool has_b = uop.op != SOFTLBR_OP_VBYTE_SHL && uop.op != SOFTLBR_OP_VBYTE_SHR && uop.op != SOFTLBR_OP_VEXTEND &&
                     uop.op != SOFTLBR_OP_VTRUNCATE;
  ReadVector(*context, uop.a, uop.width, &a);
  ReadVector(*context, has_b ? uop.b : uop.a, uop.width, &b);
  switch (uop.op) {
    case SOFTLBR_OP_VBYTE_SHL:
    case SOFTLBR_OP_VBYTE_SHR:
    case SOFTLBR_OP_VALIGN: ByteShifts(uop, a, b, &result); break;
    case SOFTLBR_OP_VSHUFFLE_BYTES: ShuffleBytes(uop, a, b, &result); break;
    case SOFTLBR_OP_VUNPACK_LOW:
    case SOFTLBR_OP_VUNPACK_HIGH: Unpack(uop, a, b, &result); break;
    case SOFTLBR_OP_VPACK: Pack(uop, a, b, &result); break;
    default:  // VEXTEND, VTRUNCATE
      bytes = Resize(uop, a, &result);
      break;
  }
  WriteVector(context, uop.dst, bytes, result);
}

}  // namespace softlbr

// Contract: random_values.h.
#include "tests/decoders/oracle/random_values.h"

#include <bit>
#include <cstring>

namespace softlbr::oracle {
namespace {

constexpr uint32_t kPoolIntegers = 4096;
constexpr uint32_t kPoolChunks = 4096;

uint64_t BoundaryInteger(Random* random) {
  static constexpr uint64_t kBases[] = {0,
                                        1,
                                        2,
                                        0x7f,
                                        0x80,
                                        0xff,
                                        0x7fff,
                                        0x8000,
                                        0xffff,
                                        0x7fffffff,
                                        0x80000000,
                                        0xffffffff,
                                        0x7fffffffffffffff,
                                        0x8000000000000000,
                                        0xffffffffffffffff,
                                        0x100000000,
                                        16,
                                        31,
                                        32,
                                        63,
                                        64};
  uint64_t value = kBases[random->Below(sizeof(kBases) / sizeof(kBases[0]))];
  if (random->OneIn(3)) value += random->Below(5) - 2u;
  if (random->OneIn(4)) value = ~value;
  return value;
}

uint64_t RandomInteger(Random* random) {
  switch (random->Below(6)) {
    case 0: return BoundaryInteger(random);
    case 1: return random->Below(256);
    case 2: return uint64_t{1} << random->Below(64);
    case 3: return random->Next() >> random->Below(64);
    case 4: return static_cast<uint64_t>(static_cast<int64_t>(random->Next()) >> random->Below(64));
    default: return random->Next();
  }
}

float RandomFloat(Random* random) {
  static constexpr uint32_t kSpecial[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                          0x7fc00000, 0xffc00000, 0x7f800001, 0xff812345, 0x00000001, 0x80000001,
                                          0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x4f000000, 0xcf000000,
                                          0x4effffff, 0x3f000000, 0x40200000};
  switch (random->Below(5)) {
    case 0: return std::bit_cast<float>(kSpecial[random->Below(sizeof(kSpecial) / sizeof(kSpecial[0]))]);
    case 1: return static_cast<float>(static_cast<int32_t>(random->Below(2001)) - 1000) / 4;
    case 2:  // exponent near 0: sums and products that round
      return std::bit_cast<float>((static_cast<uint32_t>(random->Next()) & 0x807fffffu) |
                                  ((120 + random->Below(16)) << 23));
    case 3:  // near the ends of the range
      return std::bit_cast<float>((static_cast<uint32_t>(random->Next()) & 0x807fffffu) |
                                  ((random->OneIn(2) ? random->Below(30) : 225 + random->Below(30)) << 23));
    default: return std::bit_cast<float>(static_cast<uint32_t>(random->Next()));
  }
}

double RandomDouble(Random* random) {
  static constexpr uint64_t kSpecial[] = {0,
                                          0x8000000000000000,
                                          0x3ff0000000000000,
                                          0xbff0000000000000,
                                          0x7ff0000000000000,
                                          0xfff0000000000000,
                                          0x7ff8000000000000,
                                          0x7ff0000000000001,
                                          0xfff4000000000123,
                                          1,
                                          0x800fffffffffffff,
                                          0x0010000000000000,
                                          0x7fefffffffffffff,
                                          0x41dfffffffc00000,
                                          0x41e0000000000000,
                                          0xc1e0000000000000,
                                          0x43e0000000000000,
                                          0xc3e0000000000000,
                                          0x3fe0000000000000,
                                          0x4004000000000000};
  switch (random->Below(6)) {
    case 0: return std::bit_cast<double>(kSpecial[random->Below(sizeof(kSpecial) / sizeof(kSpecial[0]))]);
    case 1: return static_cast<double>(static_cast<int32_t>(random->Below(2001)) - 1000) / 4;
    case 2:
      return std::bit_cast<double>((random->Next() & 0x800fffffffffffffu) |
                                   ((uint64_t{1015} + random->Below(16)) << 52));
    case 3:
      return std::bit_cast<double>((random->Next() & 0x800fffffffffffffu) |
                                   ((random->OneIn(2) ? random->Below(60) : uint64_t{1986} + random->Below(60)) << 52));
    case 4:  // near the limits of float: conversions that round, overflow or become denormal
      return static_cast<double>(RandomFloat(random)) * (1.0 + static_cast<double>(random->Below(7)) * 0x1p-26);
    default: return std::bit_cast<double>(random->Next());
  }
}

void FillChunk(Random* random, uint8_t* bytes) {
  const uint32_t kind = random->Below(12);
  for (uint32_t i = 0; i < 8; ++i) {
    uint64_t lane = 0;
    switch (kind) {
      case 0:
      case 1:
      case 2: lane = std::bit_cast<uint64_t>(RandomDouble(random)); break;
      case 3:
      case 4:
      case 5:
        lane = std::bit_cast<uint32_t>(RandomFloat(random)) |
               static_cast<uint64_t>(std::bit_cast<uint32_t>(RandomFloat(random))) << 32;
        break;
      case 6:  // few different bytes: equal lanes, zero bytes
        for (uint32_t byte = 0; byte < 8; ++byte) {
          static constexpr uint8_t kBytes[] = {0, 0xff, 0x80, 0x7f, 'a', 'b', 1, 16};
          lane |= static_cast<uint64_t>(kBytes[random->Below(8)]) << (8 * byte);
        }
        break;
      case 7:
        for (uint32_t word = 0; word < 4; ++word) lane |= (BoundaryInteger(random) & 0xffffu) << (16 * word);
        break;
      case 8: lane = (BoundaryInteger(random) & 0xffffffffu) | BoundaryInteger(random) << 32; break;
      case 9: lane = RandomInteger(random); break;
      case 10:  // shift counts, indices
        lane = random->Below(80);
        break;
      default: lane = random->Next(); break;
    }
    std::memcpy(bytes + 8 * i, &lane, sizeof(lane));
  }
}

}  // namespace

ValuePool::ValuePool(uint64_t seed) : integers_(kPoolIntegers), chunks_(kPoolChunks) {
  Random random(seed);
  for (uint64_t& value : integers_) value = RandomInteger(&random);
  for (Chunk& chunk : chunks_) FillChunk(&random, chunk.bytes);
}

uint64_t ValuePool::Integer(Random* random) const { return integers_[random->Below(kPoolIntegers)]; }

const uint8_t* ValuePool::Vector(Random* random) const { return chunks_[random->Below(kPoolChunks)].bytes; }

void ValuePool::FillBytes(Random* random, uint8_t* bytes, uint64_t count) const {
  for (uint64_t at = 0; at < count; at += sizeof(Chunk)) {
    const uint64_t part = count - at < sizeof(Chunk) ? count - at : sizeof(Chunk);
    std::memcpy(bytes + at, Vector(random), part);
  }
}

}  // namespace softlbr::oracle

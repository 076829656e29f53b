// A small fast generator whose state can be printed and set: every failure names the seed that reproduces it.
#ifndef SOFTLBR_TESTS_DECODERS_ORACLE_RANDOM_H_
#define SOFTLBR_TESTS_DECODERS_ORACLE_RANDOM_H_

#include <cstdint>

namespace softlbr::oracle {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {  // splitmix64
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // 0 .. bound - 1; bound > 0.
  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>(((Next() >> 32) * bound) >> 32); }
  bool OneIn(uint32_t n) { return Below(n) == 0; }

 private:
  uint64_t state_;
};

}  // namespace softlbr::oracle

#endif  // SOFTLBR_TESTS_DECODERS_ORACLE_RANDOM_H_

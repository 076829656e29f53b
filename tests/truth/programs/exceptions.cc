// C++ exceptions through frames with destructors, caught by type, rethrown, nested. Argument: rounds.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace {

unsigned destroyed = 0;

struct Guard {
  explicit Guard(unsigned n) : number(n) {}
  ~Guard() { destroyed = destroyed * 3 + number; }
  unsigned number;
};

struct Odd {
  unsigned value;
};
struct Even {
  unsigned value;
};

[[gnu::noinline]] unsigned Throw(unsigned depth, unsigned seed) {
  const Guard guard(depth);
  if (depth == 0) {
    switch (seed % 4) {
      case 0: throw Even{seed};
      case 1: throw Odd{seed};
      case 2: throw std::runtime_error("third kind");
      default: return seed;
    }
  }
  return Throw(depth - 1, seed * 5 + 1) + guard.number;
}

[[gnu::noinline]] unsigned Middle(unsigned seed) {
  const Guard guard(seed & 15);
  try {
    return Throw(seed % 4, seed);
  } catch (const Odd& odd) {
    if (odd.value & 2) throw;
    return odd.value;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned rounds = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 250;
  unsigned sum = 1;
  for (unsigned round = 0; round < rounds; ++round) {
    try {
      sum += Middle(sum + round);
    } catch (const Even& even) {
      sum ^= even.value;
    } catch (const Odd& odd) {
      sum += odd.value * 3;
    } catch (const std::exception& error) {
      sum += static_cast<unsigned char>(error.what()[0]);
    }
    for (unsigned i = 0; i < 50; ++i) sum = sum % 3 ? sum * 3 + i : sum / 3 + round;
  }
  std::printf("%u %u\n", sum, destroyed);
  return 0;
}

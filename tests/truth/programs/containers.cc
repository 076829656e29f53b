// Uses the C++ library: ordered and hashed maps, strings, sorting, virtual calls. Argument: rounds.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

struct Shape {
  virtual ~Shape() = default;
  virtual unsigned Weight(unsigned seed) const = 0;
};
struct Square final : Shape {
  unsigned Weight(unsigned seed) const override { return seed * seed; }
};
struct Triangle final : Shape {
  unsigned Weight(unsigned seed) const override { return seed & 1 ? seed / 2 : seed + 7; }
};
struct Stack final : Shape {
  std::vector<std::unique_ptr<Shape>> parts;
  unsigned Weight(unsigned seed) const override {
    unsigned sum = 0;
    for (const auto& part : parts) sum += part->Weight(seed + sum);
    return sum;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const unsigned rounds = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 6;
  Stack shapes;
  for (unsigned i = 0; i < 20; ++i) {
    if (i % 3) {
      shapes.parts.push_back(std::make_unique<Square>());
    } else {
      shapes.parts.push_back(std::make_unique<Triangle>());
    }
  }
  unsigned seed = 1, sum = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    std::map<unsigned, unsigned> ordered;
    std::unordered_map<std::string, unsigned> hashed;
    std::vector<unsigned> numbers;
    for (unsigned i = 0; i < 300; ++i) {
      seed = seed * 1664525u + 1013904223u;
      ordered[seed >> 20] += i;
      hashed["key" + std::to_string(seed >> 25)] += i;
      numbers.push_back(seed >> 8);
      sum += shapes.Weight(seed);
    }
    std::sort(numbers.begin(), numbers.end());
    for (const auto& [key, value] : ordered) sum = sum * 31 + key + value;
    for (unsigned i = 0; i < 100; ++i) {
      const auto found = hashed.find("key" + std::to_string(i));
      if (found != hashed.end()) sum ^= found->second;
      sum += std::binary_search(numbers.begin(), numbers.end(), i * 4099);
    }
  }
  std::printf("%u\n", sum);
  return 0;
}

// Templates and the standard library, for a C++ compiler.
#include <algorithm>
#include <map>
#include <string>
#include <vector>
template <int N>
struct Power {
  static constexpr unsigned long value = 3 * Power<N - 1>::value + N;
};
template <>
struct Power<0> {
  static constexpr unsigned long value = 1;
};
std::map<std::string, std::vector<unsigned long>> table;
unsigned long fill(int n) {
  for (int i = 0; i < n; ++i) table[std::to_string(i % 17)].push_back(Power<300>::value ^ i);
  unsigned long sum = 0;
  for (auto& [name, values] : table) {
    std::sort(values.begin(), values.end());
    sum += values.size() + name.size();
  }
  int unused = 3;
  return sum;
}

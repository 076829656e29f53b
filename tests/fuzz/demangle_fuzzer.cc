// Fuzzes the demangler: the first byte says whether the module holds Ada, the rest is a symbol. Whatever it is, its
// text is bounded, and so is the CPU time, with room for a slow machine and sanitizers.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>

#include "toolchain/symbols/demangle.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace softlbr::toolchain;
  if (size == 0) return 0;
  const std::string name(reinterpret_cast<const char*>(data) + 1, size - 1);
  const clock_t begin = clock();
  const std::string text = Demangle(name, (data[0] & 1) != 0);
  if (clock() - begin > CLOCKS_PER_SEC) std::abort();
  if (text != name && text.size() > kMaxDemangledBytes + name.size()) std::abort();
  return 0;
}

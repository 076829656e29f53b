// Contract: a64_forms.h. The lists are in a64_forms_*.cc, one per part of the encoding space.
#include "tests/decoders/aarch64/a64_forms.h"

#include <cstdio>
#include <cstdlib>

#include "tests/decoders/aarch64/a64_form_lists.h"

namespace softlbr::oracle {

A64Pattern ParsePattern(const char* pattern) {
  A64Pattern result = {0, 0};
  uint32_t bits = 0;
  for (const char* c = pattern; *c != '\0'; ++c) {
    if (*c == ' ') continue;
    result.mask = result.mask << 1 | (*c == '0' || *c == '1' ? 1 : 0);
    result.value = result.value << 1 | (*c == '1' ? 1 : 0);
    ++bits;
  }
  if (bits != 32) {
    std::fprintf(stderr, "a64 form with %u bits: %s\n", bits, pattern);
    std::abort();
  }
  return result;
}

const std::vector<A64Form>& A64Forms() {
  static const std::vector<A64Form> forms = [] {
    std::vector<A64Form> all;
    for (const A64FormList& list : {kIntegerForms, kMemoryForms, kSystemForms, kVectorForms, kFloatForms}) {
      all.insert(all.end(), list.begin, list.end);
    }
    return all;
  }();
  return forms;
}

}  // namespace softlbr::oracle

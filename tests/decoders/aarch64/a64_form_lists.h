// The lists behind A64Forms().
#ifndef SOFTLBR_TESTS_DECODERS_AARCH64_A64_FORM_LISTS_H_
#define SOFTLBR_TESTS_DECODERS_AARCH64_A64_FORM_LISTS_H_

#include "tests/decoders/aarch64/a64_forms.h"

namespace softlbr::oracle {

struct A64FormList {
  const A64Form* begin;
  const A64Form* end;
};
extern const A64FormList kIntegerForms;
extern const A64FormList kMemoryForms;
extern const A64FormList kSystemForms;  // including branches
extern const A64FormList kVectorForms;
extern const A64FormList kFloatForms;

}  // namespace softlbr::oracle

#endif  // SOFTLBR_TESTS_DECODERS_AARCH64_A64_FORM_LISTS_H_

// The SVE forms that scalable_oracle_test runs; patterns as in a64_forms.h. `modelled` here: at a known vector length
// of at most 64 bytes and with known inputs every output must be known; kFormFloat8: except NaN lanes of either size.
#ifndef SOFTLBR_TESTS_DECODERS_AARCH64_SCALABLE_SCALABLE_FORMS_H_
#define SOFTLBR_TESTS_DECODERS_AARCH64_SCALABLE_SCALABLE_FORMS_H_

#include <vector>

#include "tests/decoders/aarch64/a64_forms.h"

namespace softlbr::oracle {

std::vector<A64Form> ScalableForms();

}  // namespace softlbr::oracle

#endif  // SOFTLBR_TESTS_DECODERS_AARCH64_SCALABLE_SCALABLE_FORMS_H_

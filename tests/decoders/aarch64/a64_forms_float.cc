// Scalar floating point, and vectors of it.
#include "tests/decoders/aarch64/a64_form_lists.h"

namespace softlbr::oracle {
namespace {

constexpr A64Form kForms[] = {
    {"scalar float space", "s 0 0 1111 o zz iiiiiiiiiiiiiiiiiiiiii", kFormUnmodelled},
};

}  // namespace

const A64FormList kFloatForms = {kForms, kForms + sizeof(kForms) / sizeof(kForms[0])};

}  // namespace softlbr::oracle

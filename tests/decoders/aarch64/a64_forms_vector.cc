// Advanced SIMD on integers and bits.
#include "tests/decoders/aarch64/a64_form_lists.h"

namespace softlbr::oracle {
namespace {

constexpr A64Form kForms[] = {
    {"vector space", "0 q u 0111 iiiiiiiiiiiiiiiiiiiiiiiii", kFormUnmodelled},
    {"vector scalar space", "0 1 u 1111 iiiiiiiiiiiiiiiiiiiiiiiii", kFormUnmodelled},
};

}  // namespace

const A64FormList kVectorForms = {kForms, kForms + sizeof(kForms) / sizeof(kForms[0])};

}  // namespace softlbr::oracle

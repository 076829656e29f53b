// Loads and stores.
#include "tests/decoders/aarch64/a64_form_lists.h"

namespace softlbr::oracle {
namespace {

constexpr A64Form kForms[] = {
    {"literal", "oo 011 v 00 0000000000iiiiiiiii ttttt", kFormModelled},
    {"pair offset x", "o0 101 0 010 l iiiiiii 0uuu0 1nnnn 0ttt1", kFormModelled},
    {"pair offset", "oo 101 v 010 l iiiiiii uuuuu nnnnn ttttt", kFormUnmodelled},
    {"pair offset v", "oo 101 1 010 0 iiiiiii uuuuu nnnnn ttttt", kFormModelled},
    {"ldpsw", "01 101 0 010 1 iiiiiii 0uuuu 1nnnn 1tttt", kFormModelled},
    {"pair written back", "o0 101 0 0o1 l iiiiiii 0uuuu 10nnn 11ttt", kFormModelled},
    {"pair written back v", "oo 101 1 0o1 l iiiiiii 0uuuu nnnnn 1tttt", kFormModelled},
    {"pair non-temporal", "oo 101 v 000 l iiiiiii uuuuu nnnnn ttttt", kFormUnmodelled},
    {"pair on sp", "10 101 0 011 0 iiiiiii uuuuu 11111 ttttt", kFormModelled},
    {"pair on its base", "oo 101 v 0oo l iiiiiii uuuuu 00001 00001", kFormUnmodelled},
    {"unscaled", "zz 111 v 00 oo 0 iiiiiiiii 00 nnnnn ttttt", kFormModelled},
    {"post-index", "zz 111 v 00 oo 0 iiiiiiiii 01 1nnnn 0tttt", kFormModelled},
    {"pre-index", "zz 111 v 00 oo 0 iiiiiiiii 11 1nnnn 0tttt", kFormModelled},
    {"pre-index on sp", "11 111 0 00 oo 0 iiiiiiiii 11 11111 ttttt", kFormModelled},
    {"index on its base", "zz 111 v 00 oo 0 iiiiiiiii o1 00001 00001", kFormUnmodelled},
    {"unprivileged", "zz 111 v 00 oo 0 iiiiiiiii 10 nnnnn ttttt", kFormModelled},
    {"register offset", "zz 111 v 00 oo 1 mmmmm oo1 s 10 nnnnn ttttt", kFormModelled},
    {"register offset space", "zz 111 v 00 oo 1 mmmmm ooo s 10 nnnnn ttttt", kFormModelled},
    {"unsigned offset", "zz 111 v 01 oo iiiiiiiiiiii nnnnn ttttt", kFormModelled},
    {"ldar stlr", "zz 001000 1 l 0 11111 o 11111 nnnnn ttttt", kFormModelled},
    {"exclusive space", "zz 001000 o l o sssss o uuuuu nnnnn ttttt", kFormUnmodelled},
    {"exclusive", "zz 001000 0 l 0 sssss o 11111 nnnnn ttttt", kFormUnmodelled},
    {"exclusive pair", "1z 001000 0 l 1 sssss o uuuuu nnnnn ttttt", kFormUnmodelled},
    {"casp", "0z 001000 0 a 1 ssss0 r 11111 nnnnn tttt0", kFormUnmodelled},
    {"cas", "zz 001000 1 a 1 sssss r 11111 nnnnn ttttt", kFormUnmodelled},
    {"atomic", "zz 111000 a r 1 sssss 0 ooo 00 nnnnn ttttt", kFormUnmodelled},
    {"swp", "zz 111000 a r 1 sssss 1 000 00 nnnnn ttttt", kFormUnmodelled},
    {"ldapr", "zz 111000 1 0 1 11111 1 100 00 nnnnn ttttt", kFormModelled},
    {"atomic space", "zz 111 v 00 a r 1 sssss o ooo 00 nnnnn ttttt", kFormUnmodelled},
    {"ldapur", "zz 011001 oo 0 iiiiiiiii 00 nnnnn ttttt", kFormModelled},
    {"ldraa", "11 111000 m s 1 iiiiiiiii w 1 nnnnn ttttt", kFormUnmodelled},
    {"extension space", "zz 011 v 01 oo o iiiiiiiii oo nnnnn ttttt", kFormUnmodelled},
    {"ld1 st1", "0 q 0011000 l 000000 0111 zz nnnnn ttttt", kFormModelled},
    {"ld1 st1 x2", "0 q 0011000 l 000000 1010 zz nnnnn ttttt", kFormModelled},
    {"ld1 st1 x3 x4", "0 q 0011000 l 000000 0o10 zz nnnnn ttttt", kFormModelled},
    {"ld1 st1 post", "0 q 0011001 l 0 mmmmm 0111 zz nnnnn ttttt", kFormModelled},
    {"ld1 st1 post imm", "0 q 0011001 l 0 11111 oo1o zz nnnnn ttttt", kFormModelled},
    {"structures", "0 q 0011000 l 000000 oooo zz nnnnn ttttt", kFormModelled},
    {"structures post", "0 q 0011001 l 0 mmmmm oooo zz nnnnn ttttt", kFormModelled},
    {"single lane", "0 q 0011010 l r 00000 ooo s zz nnnnn ttttt", kFormModelled},
    {"single lane post", "0 q 0011011 l r mmmmm ooo s zz nnnnn ttttt", kFormModelled},
    {"ld1r", "0 q 0011010 1 r 00000 110 0 zz nnnnn ttttt", kFormModelled},
    {"prfm", "11 111 0 01 10 iiiiiiiiiiii nnnnn ttttt", kFormModelled},
    {"load store space", "zz oo 1 v 0 iiiiiiiiiiiiiiiiiiiiiiiii", kFormUnmodelled},
};

}  // namespace

const A64FormList kMemoryForms = {kForms, kForms + sizeof(kForms) / sizeof(kForms[0])};

}  // namespace softlbr::oracle

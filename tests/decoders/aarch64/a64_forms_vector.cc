// Advanced SIMD on integers and bits.
#include "tests/decoders/aarch64/a64_form_lists.h"

namespace softlbr::oracle {
namespace {

constexpr A64Form kForms[] = {
    // three same
    {"shadd uhadd srhadd urhadd", "0 q u 01110 zz 1 mmmmm 000 o 0 1 nnnnn ddddd", kFormModelled},
    {"sqadd uqadd", "0 q u 01110 zz 1 mmmmm 00001 1 nnnnn ddddd", kFormModelled},
    {"and bic orr orn eor bsl bit bif", "0 q u 01110 zz 1 mmmmm 00011 1 nnnnn ddddd", kFormModelled},
    {"mov vector", "0 q 0 01110 10 1 00101 00011 1 00101 ddddd", kFormModelled},
    {"eor same", "0 q 1 01110 00 1 00101 00011 1 00101 ddddd", kFormModelled},
    {"bsl aliased", "0 q 1 01110 zz 1 000mm 00011 1 000nn 000dd", kFormModelled},
    {"shsub uhsub sqsub uqsub", "0 q u 01110 zz 1 mmmmm 0010 o 1 nnnnn ddddd", kFormModelled},
    {"cmgt cmhi cmge cmhs", "0 q u 01110 zz 1 mmmmm 0011 o 1 nnnnn ddddd", kFormModelled},
    {"sshl ushl", "0 q u 01110 zz 1 mmmmm 01000 1 nnnnn ddddd", kFormModelled},
    {"smax smin umax umin", "0 q u 01110 zz 1 mmmmm 0110 o 1 nnnnn ddddd", kFormModelled},
    {"sabd saba", "0 q u 01110 zz 1 mmmmm 0111 o 1 nnnnn ddddd", kFormModelled},
    {"add sub cmtst cmeq", "0 q u 01110 zz 1 mmmmm 1000 o 1 nnnnn ddddd", kFormModelled},
    {"mla mls", "0 q u 01110 zz 1 mmmmm 10010 1 nnnnn ddddd", kFormModelled},
    {"mul", "0 q 0 01110 zz 1 mmmmm 10011 1 nnnnn ddddd", kFormModelled},
    {"smaxp sminp umaxp uminp", "0 q u 01110 zz 1 mmmmm 1010 o 1 nnnnn ddddd", kFormModelled},
    {"umaxp same", "0 q u 01110 zz 1 00101 1010 o 1 00101 ddddd", kFormModelled},
    {"addp", "0 q 0 01110 zz 1 mmmmm 10111 1 nnnnn ddddd", kFormModelled},
    {"three same", "0 q u 01110 zz 1 mmmmm 0oooo 1 nnnnn ddddd", kFormUnmodelled},
    {"three same high", "0 q u 01110 zz 1 mmmmm 10ooo 1 nnnnn ddddd", kFormUnmodelled},
    {"three same aliased", "0 q u 01110 zz 1 000mm ooooo 1 000nn 000dd", kFormUnmodelled},
    {"scalar add sub cmp", "0 1 u 11110 11 1 mmmmm 1000 o 1 nnnnn ddddd", kFormModelled},
    {"scalar cmgt sshl", "0 1 u 11110 11 1 mmmmm 0011 o 1 nnnnn ddddd", kFormModelled},
    {"scalar sqadd sqsub", "0 1 u 11110 zz 1 mmmmm 00 o 01 1 nnnnn ddddd", kFormModelled},
    {"scalar ushl", "0 1 u 11110 11 1 mmmmm 01000 1 nnnnn ddddd", kFormModelled},
    {"scalar three same", "0 1 u 11110 zz 1 mmmmm ooooo 1 nnnnn ddddd", kFormUnmodelled},
    {"three same extra", "0 q u 01110 zz 0 mmmmm 1oooo 1 nnnnn ddddd", kFormUnmodelled},
    {"scalar three same extra", "0 1 u 11110 zz 0 mmmmm 1oooo 1 nnnnn ddddd", kFormUnmodelled},
    // three different
    {"addl addw subl subw", "0 q u 01110 zz 1 mmmmm 00 oo 00 nnnnn ddddd", kFormModelled},
    {"addhn subhn", "0 q u 01110 zz 1 mmmmm 01 o 0 00 nnnnn ddddd", kFormModelled},
    {"abal abdl", "0 q u 01110 zz 1 mmmmm 01 o 1 00 nnnnn ddddd", kFormModelled},
    {"mlal mlsl", "0 q u 01110 zz 1 mmmmm 10 o 0 00 nnnnn ddddd", kFormModelled},
    {"mull", "0 q u 01110 zz 1 mmmmm 1100 00 nnnnn ddddd", kFormModelled},
    {"pmull", "0 q 0 01110 11 1 mmmmm 1110 00 nnnnn ddddd", kFormModelled},
    {"three different", "0 q u s1110 zz 1 mmmmm oooo 00 nnnnn ddddd", kFormUnmodelled},
    {"three different aliased", "0 q u 01110 zz 1 000mm oooo 00 000nn 000dd", kFormUnmodelled},
    // two registers
    {"rev", "0 q u 01110 zz 10000 0000 o 10 nnnnn ddddd", kFormModelled},
    {"addlp adalp", "0 q u 01110 zz 10000 00 o 10 10 nnnnn ddddd", kFormModelled},
    {"cnt not rbit", "0 q u 01110 zz 10000 00101 10 nnnnn ddddd", kFormModelled},
    {"cm zero", "0 q u 01110 zz 10000 010oo 10 nnnnn ddddd", kFormModelled},
    {"xtn", "0 q 0 01110 zz 10000 10010 10 nnnnn ddddd", kFormModelled},
    {"sqxtn", "0 q 0 01110 0z 10000 10100 10 nnnnn ddddd", kFormModelled},
    {"sqxtun", "0 q 1 01110 0z 10000 10010 10 nnnnn ddddd", kFormModelled},
    {"shll", "0 q 1 01110 zz 10000 10011 10 nnnnn ddddd", kFormModelled},
    {"two misc", "0 q u 01110 zz 10000 ooooo 10 nnnnn ddddd", kFormUnmodelled},
    {"scalar cm zero", "0 1 u 11110 11 10000 010oo 10 nnnnn ddddd", kFormModelled},
    {"scalar two misc", "0 1 u 11110 zz 10000 ooooo 10 nnnnn ddddd", kFormUnmodelled},
    {"half two misc", "0 q u s1110 a 111100 ooooo 10 nnnnn ddddd", kFormUnmodelled},
    // across lanes
    {"addlv", "0 q u 01110 zz 11000 00011 10 nnnnn ddddd", kFormModelled},
    {"maxv minv", "0 q u 01110 zz 11000 o1010 10 nnnnn ddddd", kFormModelled},
    {"addv", "0 q 0 01110 zz 11000 11011 10 nnnnn ddddd", kFormModelled},
    {"across", "0 q u 01110 zz 11000 ooooo 10 nnnnn ddddd", kFormUnmodelled},
    {"scalar addp", "0 1 0 11110 11 11000 11011 10 nnnnn ddddd", kFormModelled},
    {"scalar pairwise", "0 1 u 11110 zz 11000 ooooo 10 nnnnn ddddd", kFormUnmodelled},
    // copies and permutations
    {"copy", "0 q o 01110000 iiiii 0 iiii 1 nnnnn ddddd", kFormModelled},
    {"dup element", "0 q 0 01110000 iiiii 0 0000 1 nnnnn ddddd", kFormModelled},
    {"dup general", "0 q 0 01110000 iiiii 0 0001 1 nnnnn ddddd", kFormModelled},
    {"ins general", "0 1 0 01110000 iiiii 0 0011 1 nnnnn ddddd", kFormModelled},
    {"smov umov", "0 q 0 01110000 iiiii 0 01o1 1 nnnnn ddddd", kFormModelled},
    {"scalar dup", "0 1 o 11110000 iiiii 0 iiii 1 nnnnn ddddd", kFormModelled},
    {"zip uzp trn", "0 q 0 01110 zz 0 mmmmm 0 ooo 10 nnnnn ddddd", kFormModelled},
    {"zip aliased", "0 q 0 01110 zz 0 000mm 0 ooo 10 000nn 000dd", kFormModelled},
    {"ext", "0 q 1 01110 00 0 mmmmm 0 iiii 0 nnnnn ddddd", kFormModelled},
    {"tbl tbx", "0 q 0 01110 00 0 mmmmm 0 ll o 00 nnnnn ddddd", kFormModelled},
    {"tbl aliased", "0 q 0 01110 00 0 000mm 0 ll o 00 000nn 000dd", kFormModelled},
    {"ext tbl space", "0 q u 01110 zz 0 mmmmm ooooo 0 nnnnn ddddd", kFormUnmodelled},
    // immediates
    {"movi mvni orr bic", "0 q o 0111100000 iii cccc 01 iiiii ddddd", kFormModelled},
    {"modified immediate space", "0 q o 0111100000 iii cccc o1 iiiii ddddd", kFormUnmodelled},
    {"sshr ssra srshr srsra", "0 q u 011110 iiiiiii 00oo0 1 nnnnn ddddd", kFormModelled},
    {"sri", "0 q 1 011110 iiiiiii 01000 1 nnnnn ddddd", kFormModelled},
    {"shl sli", "0 q u 011110 iiiiiii 01010 1 nnnnn ddddd", kFormModelled},
    {"shrn rshrn", "0 q 0 011110 0iiiiii 1000o 1 nnnnn ddddd", kFormModelled},
    {"sshll ushll", "0 q u 011110 iiiiiii 10100 1 nnnnn ddddd", kFormModelled},
    {"shift immediate", "0 q u 011110 iiiiiii ooooo 1 nnnnn ddddd", kFormUnmodelled},
    {"shift immediate aliased", "0 q u 011110 iiiiiii ooooo 1 000nn 000dd", kFormUnmodelled},
    {"scalar sshr", "0 1 u 111110 iiiiiii 00oo0 1 nnnnn ddddd", kFormModelled},
    {"scalar shl sri", "0 1 u 111110 iiiiiii 010 o 0 1 nnnnn ddddd", kFormModelled},
    {"scalar shift immediate", "0 1 u 111110 iiiiiii ooooo 1 nnnnn ddddd", kFormUnmodelled},
    // by element
    {"mla mls element", "0 q 1 01111 zz l mmmmm 0 o 00 h 0 nnnnn ddddd", kFormModelled},
    {"mul element", "0 q 0 01111 zz l mmmmm 1000 h 0 nnnnn ddddd", kFormUnmodelled},
    {"mlal mlsl element", "0 q u 01111 zz l mmmmm 0 o 10 h 0 nnnnn ddddd", kFormModelled},
    {"mull element", "0 q u 01111 zz l mmmmm 1010 h 0 nnnnn ddddd", kFormModelled},
    {"by element", "0 q u 01111 zz l mmmmm oooo h 0 nnnnn ddddd", kFormUnmodelled},
    {"scalar by element", "0 1 u 11111 zz l mmmmm oooo h 0 nnnnn ddddd", kFormUnmodelled},
    // cryptography
    {"eor3 bcax", "11001110 0 0o mmmmm 0 aaaaa nnnnn ddddd", kFormModelled},
    {"xar", "11001110 100 mmmmm iiiiii nnnnn ddddd", kFormModelled},
    {"rax1", "11001110 011 mmmmm 100011 nnnnn ddddd", kFormModelled},
    {"crypto", "11001110 ooo mmmmm oooooo nnnnn ddddd", kFormUnmodelled},
    {"aes sha", "01 0 s1110 00 10100 ooooo 10 nnnnn ddddd", kFormUnmodelled},
    {"sha three", "0101 1110 zz 0 mmmmm 0 ooo 00 nnnnn ddddd", kFormUnmodelled},
    {"vector space", "0 q u 0111 iiiiiiiiiiiiiiiiiiiiiiiii", kFormUnmodelled},
    {"vector scalar space", "0 1 u 1111 iiiiiiiiiiiiiiiiiiiiiiiii", kFormUnmodelled},
};

}  // namespace

const A64FormList kVectorForms = {kForms, kForms + sizeof(kForms) / sizeof(kForms[0])};

}  // namespace softlbr::oracle

// See scalable_forms.h.
#include "tests/decoders/aarch64/scalable/scalable_forms.h"

namespace softlbr::oracle {
namespace {

constexpr A64Form kForms[] = {
    // lengths, counts
    {"cntb cnth cntw cntd", "00000100 zz 10 iiii 111000 11111 ddddd", kFormModelled},
    {"incb decb ..", "00000100 zz 11 iiii 11100 o 11111 ddddd", kFormModelled},
    {"count by pattern", "00000100 zz 1 o iiii 11100 o ppppp ddddd", kFormUnmodelled},
    {"saturating counts", "00000100 zz 1 o iiii 1111 oo ppppp ddddd", kFormUnmodelled},
    {"vector counts", "00000100 zz 1 o iiii 110 ooo ppppp ddddd", kFormUnmodelled},
    {"rdvl", "00000100 10 1 11111 01010 iiiiii ddddd", kFormModelled},
    {"addvl addpl", "00000100 0o 1 nnnnn 01010 iiiiii ddddd", kFormModelled},
    // predicates
    {"ptrue", "00100101 zz 011000 111000 11111 0 dddd", kFormModelled},
    {"ptrues", "00100101 zz 011001 111000 11111 0 dddd", kFormModelled},
    {"ptrue vl1 .. vl7", "00100101 zz 01100 s 111000 00 ppp 0 dddd", kFormUnmodelled},
    {"ptrue pattern", "00100101 zz 01100 s 111000 ppppp 0 dddd", kFormUnmodelled},
    {"ptrue vl8", "00100101 0z 01100 s 111000 01000 0 dddd", kFormModelled},
    {"ptrue vl16", "00100101 0z 01100 s 111000 01001 0 dddd", kFormModelled},
    {"pfalse", "00100101 00 011000 111001 00000 0 dddd", kFormModelled},
    {"whilelt whilelo", "00100101 zz 1 mmmmm 000 s u 1 nnnnn 0 dddd", kFormModelled},
    {"while small", "00100101 zz 1 000mm 000 s u 1 000nn 0 dddd", kFormModelled},
    {"while from zero", "00100101 zz 1 mmmmm 000 s u 1 11111 0 dddd", kFormModelled},
    {"while others", "00100101 zz 1 mmmmm 000 s u o nnnnn e dddd", kFormUnmodelled},
    {"ptest", "00100101 01 010000 11 gggg 0 nnnn 00000", kFormModelled},
    {"and bic orr orn p", "00100101 o s 00 mmmm 01 gggg 0 nnnn o dddd", kFormModelled},
    {"eor nor p", "00100101 o s 00 mmmm 01 gggg 1 nnnn 0 dddd", kFormModelled},
    {"sel p", "00100101 00 00 mmmm 01 gggg 1 nnnn 1 dddd", kFormModelled},
    {"cntp", "00100101 zz 100000 10 gggg 0 nnnn ddddd", kFormModelled},
    {"incp decp", "00100101 zz 10110 o 10001 00 mmmm ddddd", kFormModelled},
    {"saturating incp", "00100101 zz 1 01 ooo 1000 ooo mmmm ddddd", kFormUnmodelled},
    {"break", "00100101 o s 01 0000 01 gggg 0 nnnn o dddd", kFormUnmodelled},
    {"break pairs", "00100101 o s 00 mmmm 11 gggg 0 nnnn o dddd", kFormUnmodelled},
    {"pfirst pnext rdffr", "00100101 zz 0 11 ooo 11 oooo o nnnn 0 dddd", kFormUnmodelled},
    {"setffr wrffr", "00100101 00 101 o 001001 000 nnnn 00000", kFormUnmodelled},
    {"predicate permutes", "00000101 zz 10 mmmm 010 ooo o nnnn 0 dddd", kFormUnmodelled},
    {"punpk rev p", "00000101 zz 11 oooo 010000 0 nnnn 0 dddd", kFormUnmodelled},
    // comparisons
    {"cmpeq cmpne", "00100100 zz 0 mmmmm 101 ggg nnnnn e dddd", kFormModelled},
    {"cmpge cmpgt", "00100100 zz 0 mmmmm 100 ggg nnnnn e dddd", kFormModelled},
    {"cmphs cmphi", "00100100 zz 0 mmmmm 000 ggg nnnnn e dddd", kFormModelled},
    {"compare small", "00100100 zz 0 000mm 100 ggg 000nn e dddd", kFormModelled},
    {"compare wide", "00100100 zz 0 mmmmm ooo ggg nnnnn e dddd", kFormUnmodelled},
    {"compare unsigned imm", "00100100 zz 1 iiiiiii o ggg nnnnn e dddd", kFormModelled},
    {"cmpge cmpgt cmplt cmple imm", "00100101 zz 0 iiiii 00 o ggg nnnnn e dddd", kFormModelled},
    {"cmpeq cmpne imm", "00100101 zz 0 iiiii 100 ggg nnnnn e dddd", kFormModelled},
    // vectors
    {"dup imm", "00100101 01 111000 11 s iiiiiiii ddddd", kFormModelled},
    {"dup imm wide", "00100101 1z 111000 11 s iiiiiiii ddddd", kFormModelled},
    {"dup imm byte", "00100101 00 111000 110 iiiiiiii ddddd", kFormModelled},
    {"dup x", "00000101 zz 100000 001110 nnnnn ddddd", kFormModelled},
    {"dup lane 0 b", "00000101 00 1 00001 001000 nnnnn ddddd", kFormModelled},
    {"dup lane 0 s", "00000101 00 1 00100 001000 nnnnn ddddd", kFormModelled},
    {"dup lane", "00000101 ii 1 iiiii 001000 nnnnn ddddd", kFormUnmodelled},
    {"and orr eor bic z", "00000100 oo 1 mmmmm 001100 nnnnn ddddd", kFormModelled},
    {"add sub z", "00000100 zz 1 mmmmm 00000 o nnnnn ddddd", kFormModelled},
    {"movprfx", "00000100 00 1 00000 101111 nnnnn ddddd", kFormModelled},
    {"sel z", "00000101 zz 1 mmmmm 11 gggg nnnnn ddddd", kFormModelled},
    // Advanced SIMD zeroes what lies above
    {"add v", "0 q 0 01110 zz 1 mmmmm 100001 nnnnn ddddd", kFormUnmodelled},
    {"movi", "0 q 0 0111100000 iii 1110 01 iiiii ddddd", kFormModelled},
    {"fmov d", "00011110 01 100000 010000 nnnnn ddddd", kFormModelled},
    {"dup v", "0 1 0 01110000 00100 000011 nnnnn ddddd", kFormModelled},
    {"xtn", "0 q 0 01110 00 100001 001010 nnnnn ddddd", kFormModelled},
    // memory
    {"ld1 imm", "1010010 tttt 0 iiii 101 ggg nnnnn ddddd", kFormModelled},
    {"ld1 index", "1010010 tttt mmmmm 010 ggg nnnnn ddddd", kFormUnmodelled},
    {"ldnt1 imm", "1010010 zz 000 iiii 111 ggg nnnnn ddddd", kFormModelled},
    {"ldnt1 index", "1010010 zz 00 mmmmm 110 ggg nnnnn ddddd", kFormUnmodelled},
    {"st1b imm", "1110010 00 zz 0 iiii 111 ggg nnnnn ddddd", kFormModelled},
    {"st1h imm", "1110010 01 1z 0 iiii 111 ggg nnnnn ddddd", kFormModelled},
    {"st1w imm", "1110010 10 1z 0 iiii 111 ggg nnnnn ddddd", kFormUnmodelled},
    {"st1d imm", "1110010 11 11 0 iiii 111 ggg nnnnn ddddd", kFormModelled},
    {"st1 index", "1110010 oo zz mmmmm 010 ggg nnnnn ddddd", kFormUnmodelled},
    {"stnt1 imm", "1110010 zz 001 iiii 111 ggg nnnnn ddddd", kFormModelled},
    {"stnt1 index", "1110010 zz 00 mmmmm 011 ggg nnnnn ddddd", kFormUnmodelled},
    {"ldr z", "1000010110 iiiiii 010 iii nnnnn ddddd", kFormModelled},
    {"str z", "1110010110 iiiiii 010 iii nnnnn ddddd", kFormModelled},
    {"ldr p", "1000010110 iiiiii 000 iii nnnnn 0 dddd", kFormModelled},
    {"str p", "1110010110 iiiiii 000 iii nnnnn 0 dddd", kFormModelled},
    {"first-fault", "1010010 tttt mmmmm 011 ggg nnnnn ddddd", kFormUnmodelled},
    {"non-fault", "1010010 tttt 1 iiii 101 ggg nnnnn ddddd", kFormUnmodelled},
    {"structures", "1010010 tttt ttttt 11 o ggg nnnnn ddddd", kFormUnmodelled},
    {"stored structures", "1110010 tttt ttttt o11 ggg nnnnn ddddd", kFormUnmodelled},
    {"gathers", "1 o 00010 tttt ttttt ooo ggg nnnnn ddddd", kFormUnmodelled},
    {"broadcasting loads", "1010010 tttt ttttt 00 o ggg nnnnn ddddd", kFormUnmodelled},
    {"scatters", "1110010 tttt ttttt 1 o o ggg nnnnn ddddd", kFormUnmodelled},
    // all else
    {"04", "00000100 tttttttttttttttttttttttt", kFormUnmodelled},
    {"05", "00000101 tttttttttttttttttttttttt", kFormUnmodelled},
    {"24", "00100100 tttttttttttttttttttttttt", kFormUnmodelled},
    {"25", "00100101 tttttttttttttttttttttttt", kFormUnmodelled},
    {"44", "01000100 tttttttttttttttttttttttt", kFormUnmodelled},
    {"45", "01000101 tttttttttttttttttttttttt", kFormUnmodelled},
    {"64", "01100100 tttttttttttttttttttttttt", kFormUnmodelled},
    {"65", "01100101 tttttttttttttttttttttttt", kFormUnmodelled},
};

}  // namespace

std::vector<A64Form> ScalableForms() { return {std::begin(kForms), std::end(kForms)}; }

}  // namespace softlbr::oracle

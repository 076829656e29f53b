// Branches, exceptions, hints, barriers, system registers.
#include "tests/decoders/aarch64/a64_form_lists.h"

namespace softlbr::oracle {
namespace {

constexpr A64Form kForms[] = {
    {"b bl", "o 00101 iiiiiiiiiiiiiiiiiiiiiiiiii", kFormModelled},
    {"b.cond", "01010100 iiiiiiiiiiiiiiiiiii 0 cccc", kFormModelled},
    {"b.cond near", "01010100 00000000000000000ii 0 cccc", kFormModelled},
    {"cbz cbnz", "s 011010 o iiiiiiiiiiiiiiiiiii ttttt", kFormModelled},
    {"tbz tbnz", "b 011011 o bbbbb iiiiiiiiiiiiii ttttt", kFormModelled},
    {"br blr", "1101011 000 o 11111 000000 nnnnn 00000", kFormModelled},
    {"blr x30", "1101011 0001 11111 000000 11110 00000", kFormModelled},
    {"ret", "1101011 0010 11111 000000 nnnnn 00000", kFormModelled},
    {"svc", "11010100 000 iiiiiiiiiiiiiiii 00001", kFormUnmodelled},
    {"brk", "11010100 001 iiiiiiiiiiiiiiii 00000", kFormUnmodelled},
    {"udf", "0000000000000000 iiiiiiiiiiiiiiii", kFormUnmodelled},
    {"hints without effect", "11010101000000110010 0000 00o 11111", kFormModelled},
    {"bti", "11010101000000110010 0100 oo0 11111", kFormModelled},
    {"barriers", "11010101000000110011 oooo 1 01 11111", kFormModelled},
    {"dsb", "11010101000000110011 oooo 1 00 11111", kFormModelled},
    {"clrex", "11010101000000110011 oooo 010 11111", kFormModelled},
    {"cfinv", "11010101 00000 000 0100 0000 000 11111", kFormModelled},
    {"axflag xaflag", "11010101 00000 000 0100 0000 0oo 11111", kFormUnmodelled},
    {"mrs nzcv", "11010101 00111 011 0100 0010 000 ttttt", kFormModelled},
    {"msr nzcv", "11010101 00011 011 0100 0010 000 ttttt", kFormModelled},
    {"mrs fpcr", "11010101 00111 011 0100 0100 000 ttttt", kFormModelled},
    {"msr fpcr", "11010101 00011 011 0100 0100 000 ttttt", kFormUnmodelled},
    {"mrs fpsr", "11010101 00111 011 0100 0100 001 ttttt", kFormUnmodelled},
    {"msr fpsr", "11010101 00011 011 0100 0100 001 ttttt", kFormModelled},
    {"mrs tpidr", "11010101 00111 011 1101 0000 010 ttttt", kFormModelled},
    {"msr tpidr", "11010101 00011 011 1101 0000 010 ttttt", kFormModelled},
    {"mrs dczid", "11010101 00111 011 0000 0000 111 ttttt", kFormModelled},
    {"mrs ctr dczid", "11010101 00111 011 0000 0000 oo1 ttttt", kFormUnmodelled},
    {"mrs cntvct", "11010101 00111 011 1110 0000 0oo ttttt", kFormUnmodelled},
    {"mrs rndr", "11010101 00111 011 0010 0100 00o ttttt", kFormUnmodelled},
    {"dc zva", "11010101 00001 011 0111 0100 001 ttttt", kFormModelled},
    {"pac hints", "11010101000000110010 0o11 ooo 11111", kFormUnmodelled},
    {"pac", "1 10 11010110 00001 00oooo nnnnn ddddd", kFormUnmodelled},
    {"braa blraa", "1101011 100 o 11111 00001 k nnnnn mmmmm", kFormUnmodelled},
    {"braaz blraaz retaa", "1101011 00 oo 11111 00001 k nnnnn 11111", kFormUnmodelled},
    {"branch space", "ooo 1010 iiiiiiiiiiiiiiiiiiiiiiiii", kFormUnmodelled},
    {"branch register space", "1101011 oooo 11111 0000oo nnnnn ooooo", kFormUnmodelled},
    {"exception space", "11010100 ooo iiiiiiiiiiiiiiii ooooo", kFormUnmodelled},
};

}  // namespace

const A64FormList kSystemForms = {kForms, kForms + sizeof(kForms) / sizeof(kForms[0])};

}  // namespace softlbr::oracle

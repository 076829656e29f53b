// Data processing on general registers.
#include "tests/decoders/aarch64/a64_form_lists.h"

namespace softlbr::oracle {
namespace {

constexpr A64Form kForms[] = {
    {"adr", "0 ii 10000 iiiiiiiiiiiiiiiiiii ddddd", kFormModelled},
    {"adrp", "1 ii 10000 iiiiiiiiiiiiiiiiiii ddddd", kFormModelled},
    {"add/sub imm", "s oS 100010 h iiiiiiiiiiii nnnnn ddddd", kFormModelled},
    {"add/sub sp", "1 o0 100010 0 iiiiiiiiiiii 11111 11111", kFormModelled},
    {"cmp imm", "s 11 100010 h iiiiiiiiiiii nnnnn 11111", kFormModelled},
    {"logical imm w", "0 oo 100100 0 rrrrrr ssssss nnnnn ddddd", kFormModelled},
    {"logical imm x", "1 oo 100100 N rrrrrr ssssss nnnnn ddddd", kFormModelled},
    {"logical imm sf N", "0 oo 100100 1 rrrrrr ssssss nnnnn ddddd", kFormUnmodelled},
    {"mov bitmask", "1 01 100100 N rrrrrr ssssss 11111 ddddd", kFormModelled},
    {"move wide", "s oo 100101 hh iiiiiiiiiiiiiiii ddddd", kFormModelled},
    {"movk", "1 11 100101 hh iiiiiiiiiiiiiiii ddddd", kFormModelled},
    {"bitfield w", "0 oo 100110 0 rrrrrr ssssss nnnnn ddddd", kFormModelled},
    {"bitfield x", "1 oo 100110 1 rrrrrr ssssss nnnnn ddddd", kFormModelled},
    {"bitfield sf N", "s oo 100110 N rrrrrr ssssss nnnnn ddddd", kFormModelled},
    {"extr", "s 00 100111 N 0 mmmmm ssssss nnnnn ddddd", kFormModelled},
    {"extract space", "s oo 100111 N o mmmmm ssssss nnnnn ddddd", kFormUnmodelled},
    {"logical shifted", "s oo 01010 hh N mmmmm iiiiii nnnnn ddddd", kFormModelled},
    {"mov register", "s 01 01010 00 0 mmmmm 000000 11111 ddddd", kFormModelled},
    {"logical same", "s oo 01010 hh N 00011 iiiiii 00011 ddddd", kFormModelled},
    {"add/sub shifted", "s oS 01011 hh 0 mmmmm iiiiii nnnnn ddddd", kFormModelled},
    {"cmp register", "s 11 01011 00 0 mmmmm 000000 nnnnn 11111", kFormModelled},
    {"neg", "s 1S 01011 hh 0 mmmmm iiiiii 11111 ddddd", kFormModelled},
    {"add/sub extended", "s oS 01011 oo 1 mmmmm ooo iii nnnnn ddddd", kFormModelled},
    {"add/sub extended ok", "s oS 01011 00 1 mmmmm ooo 0ii nnnnn ddddd", kFormModelled},
    {"adc/sbc", "s oS 11010000 mmmmm 000000 nnnnn ddddd", kFormModelled},
    {"adc space", "s oS 11010000 mmmmm oooooo nnnnn ddddd", kFormUnmodelled},
    {"rmif", "1 01 11010000 iiiiii 00001 nnnnn 0 mmmm", kFormModelled},
    {"setf", "0 01 11010000 000000 z 0010 nnnnn 01101", kFormModelled},
    {"ccmp register", "s o1 11010010 mmmmm cccc 00 nnnnn 0 ffff", kFormModelled},
    {"ccmp imm", "s o1 11010010 iiiii cccc 10 nnnnn 0 ffff", kFormModelled},
    {"ccmp space", "s oS 11010010 iiiii cccc oo nnnnn o ffff", kFormModelled},
    {"csel", "s o0 11010100 mmmmm cccc 0o nnnnn ddddd", kFormModelled},
    {"cset", "s o0 11010100 11111 cccc 0o 11111 ddddd", kFormModelled},
    {"csel space", "s oS 11010100 mmmmm cccc oo nnnnn ddddd", kFormModelled},
    {"div", "s 00 11010110 mmmmm 00001 o nnnnn ddddd", kFormModelled},
    {"shift register", "s 00 11010110 mmmmm 0010 oo nnnnn ddddd", kFormModelled},
    {"crc32c", "s 00 11010110 mmmmm 0101 oo nnnnn ddddd", kFormModelled},
    {"crc32", "s 00 11010110 mmmmm 0100 oo nnnnn ddddd", kFormModelled},
    {"two sources space", "s 0S 11010110 mmmmm oooooo nnnnn ddddd", kFormUnmodelled},
    {"one source", "s 10 11010110 00000 0000oo nnnnn ddddd", kFormModelled},
    {"clz cls", "s 10 11010110 00000 00010 o nnnnn ddddd", kFormModelled},
    {"one source space", "s 1S 11010110 0000o oooooo nnnnn ddddd", kFormUnmodelled},
    {"madd msub", "s 00 11011000 mmmmm o aaaaa nnnnn ddddd", kFormModelled},
    {"mul", "s 00 11011000 mmmmm 0 11111 nnnnn ddddd", kFormModelled},
    {"maddl", "1 00 11011 u01 mmmmm o aaaaa nnnnn ddddd", kFormModelled},
    {"mulh", "1 00 11011 u10 mmmmm 0 11111 nnnnn ddddd", kFormModelled},
    {"three sources space", "s oo 11011 ooo mmmmm o aaaaa nnnnn ddddd", kFormUnmodelled},
    {"immediate space", "s oo 100 ooo iiiiiiiiiiiiiiiiiiiiiii", kFormUnmodelled},
    {"register space", "s oo h101 iiiiiiiiiiiiiiiiiiiiiiiii", kFormUnmodelled},
};

}  // namespace

const A64FormList kIntegerForms = {kForms, kForms + sizeof(kForms) / sizeof(kForms[0])};

}  // namespace softlbr::oracle

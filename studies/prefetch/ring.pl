#!/usr/bin/perl
# Prints a C program of 240 functions, each in a line of its own if functions are aligned to 128 bytes, that are called
# in turn, but not in the order of their addresses. An L1-I of 8 KiB holds half of them, so they all miss, and the
# next-line prefetcher does not help.
use strict;
use warnings;

my $functions = 240;
print "#include <stdio.h>\n#include <stdlib.h>\nstatic volatile unsigned value;\n";
for my $i (0 .. $functions - 1) {
  print "__attribute__((noinline)) static void Step$i(void) {\n  unsigned x = value;\n";
  printf "  x = (x ^ %du) * %du;\n", 77 * $i + $_, 2 * $i + 2 * $_ + 3 for 0 .. 2;
  print "  value = x;\n}\n";
}
print "int main(int argc, char** argv) {\n  const int rounds = argc > 1 ? atoi(argv[1]) : 1;\n  for (int i = 0; i < rounds; ++i) {\n";
printf "    Step%d();\n", $_ * 77 % $functions for 0 .. $functions - 1;
print "  }\n  printf(\"%u\\n\", value);\n  return 0;\n}\n";

#!/usr/bin/perl
# Checks that no decoder lifts to an op that the archive of its CPU leaves out:
# tests/runtime/lookahead/foreign_ops_test.cc lists the ops of one CPU, and no source of the other CPU's decoder may
# name them.
#
# Use: foreign_ops.pl ROOT
# Exit 1 with one line per breach.
use strict;
use warnings;

my ($top) = @ARGV;
my %other = (X86_64 => 'aarch64', Aarch64 => 'x86_64');
my $lists = do { local (@ARGV, $/) = "$top/tests/runtime/lookahead/foreign_ops_test.cc"; <> };
my $bad = 0;
for my $cpu (sort keys %other) {
  my ($list) = $lists =~ /kOpsOf$cpu\[\] = \{(.*?)\n\};/s or die "no list of $cpu\n";
  my %ops = map { $_ => 1 } $list =~ /\bSOFTLBR_OP_\w+/g or die "empty list of $cpu\n";
  for my $file (sort split /\n/, `find $top/decoders/$other{$cpu} -name '*.cc' -o -name '*.h'`) {
    open my $source, '<', $file or die "$file: $!\n";
    while (my $line = <$source>) {
      for my $op ($line =~ /\bSOFTLBR_OP_\w+/g) {
        next unless $ops{$op};
        print "$file:$.: $op is not in the archive of this CPU (runtime/lookahead/CMakeLists.txt)\n";
        $bad = 1;
      }
    }
  }
}
exit $bad;

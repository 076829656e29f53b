#!/usr/bin/perl
# Does what "A faster compiler" in docs/tutorial.md says, in a new folder, and compares what is printed with the page
# (TutorialPage.pm); then counts what the result executes.
#
# Use: tutorial.pl SOURCES BIN       SOURCES: this tree, DIR of the page; BIN: the folder of softlbr and exact_counts
# Whether a program is faster by the clock depends on what else the machine does. So "Not kept: not faster beyond noise"
# is allowed where the page says "Kept"; then the candidate goes on. That the result gains is shown by exact counts of
# executed instructions and taken branches. Exit 77: something that the page needs is missing, and named. Exit 1: what
# went wrong is printed.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use lib dirname(__FILE__);
use TutorialPage;

# The result's shares of the original program's counts, on other work than it was trained with. Deterministic but for
# what was recorded.
my %most = (instructions => 0.95, 'taken branches' => 0.80);

my ($sources, $bin) = @ARGV;
die "usage: tutorial.pl SOURCES BIN\n" unless defined $bin;
TutorialPage::needs($bin, qw(make clang-19 ld.lld-19 llvm-profgen-19 llvm-bolt-19 perf2bolt-19 qemu-x86_64));

my $page = TutorialPage->new($sources, 'docs/tutorial.md', 'A faster compiler',
  "sh $sources/toolchain/scripts/fetch_sources.sh");
$page->blocks_of('commands') >= 8 && $page->blocks_of('text') >= 4 or die "'A faster compiler' shows too little\n";
my $work = tempdir(CLEANUP => 1);
chdir $work or die "$work: $!\n";
$page->run($bin, <<'END', <<'END');
set -eu
softlbr() {
  command softlbr "$@" >out.step 2>&1 && code=0 || code=$?
  cat out.step
  [ $code = 0 ] || { [ $code = 1 ] && grep -q '^Not kept: not faster beyond noise' out.step && cp softlbr-optimize/optimized tcc/tcc.optimized; }
}
END
exec >counted 2>&1
# The last step's work, for both programs, as libc runs it in the emulator.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-ERMS,-FSRM,-RTM
for program in tcc/tcc tcc/tcc.optimized; do exact_counts -o counts.slbr -- $program -B tcc -w -c $OTHER; done
END
my $failures = $page->differences([qr/^Kept: /, qr/^Not kept: not faster beyond noise/m]);

my $counted = TutorialPage::read_file('counted');
for my $what (sort keys %most) {
  my ($before, $after) = map { tr/,//dr } $counted =~ /([\d,]+) $what/g;
  defined $after && $before > 0 or die "no counts of $what:\n$counted";
  printf "%s: %d before, %d after, %.4f\n", $what, $before, $after, $after / $before;
  next if $after <= $most{$what} * $before;
  print "more than $most{$what} of those before\n";
  ++$failures;
}
print "$_" for map { /^(after\/before.*\n)/mg } map { TutorialPage::read_file($_) } glob 'log.*';
exit($failures ? 1 : 0);

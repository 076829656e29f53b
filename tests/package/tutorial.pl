#!/usr/bin/perl
# Does what docs/tutorial.md says, in a new folder, and compares what is printed with the page; then counts what the result executes.
#
# Use: tutorial.pl SOURCES BIN       SOURCES: this tree, DIR of the page; BIN: the folder of softlbr and exact_counts
# Page: indented blocks are shell commands, run in order by one shell. A block fenced as "text" is what the commands since the last such
# block print: each of its lines must be among theirs, where numbers, blanks and the folders of paths may differ.
# Whether a program is faster by the clock depends on what else the machine does. So "Not kept: not faster beyond noise" is allowed where
# the page says "Kept"; then the candidate goes on. That the result gains is shown by exact counts of executed instructions and taken branches.
# Exit 77: something that the page needs is missing, and named. Exit 1: what went wrong is printed.
use strict;
use warnings;
use File::Temp qw(tempdir);

# The result's shares of the original program's counts, on other work than it was trained with. Deterministic but for what was recorded.
my %most = (instructions => 0.95, 'taken branches' => 0.80);

my ($sources, $bin) = @ARGV;
die "usage: tutorial.pl SOURCES BIN\n" unless defined $bin;

sub skip { print "skipped: missing: $_[0]\n"; exit 77 }
for my $tool (qw(make clang-19 ld.lld-19 llvm-profgen-19 llvm-bolt-19 perf2bolt-19 qemu-x86_64)) {
  system("command -v $tool >/dev/null") == 0 or skip($tool);
}
system("'$bin/softlbr' doctor >/dev/null") == 0 or skip('recording on this machine (softlbr doctor)');

# The page as a list of [kind, text].
open my $page, '<', "$sources/docs/tutorial.md" or die "docs/tutorial.md: $!\n";
my (@blocks, $is_fenced, $is_open);
while (<$page>) {
  if (/^```(\w*)$/) {
    $is_fenced = !$is_fenced;
    push @blocks, ['text', ''] if $is_fenced;
    $is_open = 0;
  } elsif ($is_fenced) {
    $blocks[-1][1] .= $_;
  } elsif (/^    (.*)$/s) {
    push @blocks, ['commands', ''] unless $is_open;
    $blocks[-1][1] .= $1;
    $is_open = 1;
  } else {
    $is_open = 0;
  }
}

my $work = tempdir(CLEANUP => 1);
chdir $work or die "$work: $!\n";
my $script = <<'END';
set -eu
softlbr() {
  command softlbr "$@" >out.step 2>&1 && code=0 || code=$?
  cat out.step
  [ $code = 0 ] || { [ $code = 1 ] && grep -q '^Not kept: not faster beyond noise' out.step && cp softlbr-optimize/optimized tcc/tcc.optimized; }
}
END
my $count = 0;
for my $block (@blocks) {
  next unless $block->[0] eq 'commands';
  $block->[1] =~ s/\bDIR\b/$sources/g;
  $block->[2] = 'log.' . $count++;
  # A mirror that cannot be reached is no fault of the page.
  my $is_fetch = $block->[1] =~ /^sh \S+fetch_sources/;
  my ($first, $rest) = $block->[1] =~ /^(.*?\n)(.*)$/s;
  $script .= "exec >$block->[2] 2>&1\n" . ($is_fetch ? "{ $first } || exit 77\n" : $first) . $rest;
}
$count >= 8 or die "docs/tutorial.md has $count blocks of commands only\n";
open my $out, '>', 'script' or die;
print $out $script . "exec >counted 2>&1\n";
# The last step's work, for both programs, as libc runs it in the emulator.
print $out <<"END";
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-ERMS,-FSRM,-RTM
for program in tcc/tcc tcc/tcc.optimized; do exact_counts -o counts.slbr -- \$program -B tcc -w -c \$OTHER; done
END
close $out;
my $path = "PATH='$bin':\"\$PATH\"";
my $code = system("$path sh script") >> 8;
skip('Debian\'s sources (' . (qx(tail -n 1 log.0) =~ s/\n//r) . ')') if $code == 77;
if ($code != 0) {
  print "a command of docs/tutorial.md failed (exit code $code); what the last ones printed:\n";
  system("ls -tr log.* counted 2>/dev/null | tail -n 2 | xargs tail -n 40");
  exit 1;
}

sub read_file { open my $in, '<', $_[0] or die "$_[0]: $!\n"; local $/; return scalar <$in> }
sub shape {
  my ($text) = @_;
  $text =~ s{(?<![\w.])/\S*/(?=[\w.-])}{/}g;
  $text =~ s/\d[\d,.]*/N/g;
  $text =~ s/ +/ /g;
  return $text;
}
my ($printed, $texts, $failures) = ('', 0, 0);
for my $block (@blocks) {
  if ($block->[0] eq 'commands') { $printed .= shape(read_file($block->[2])); next }
  ++$texts;
  for my $line (split /\n/, $block->[1]) {
    my $shape = shape($line);
    next if index($printed, "$shape\n") >= 0 || ($shape =~ /^Kept: / && $printed =~ /^Not kept: not faster beyond noise/m);
    print "docs/tutorial.md shows this, which was not printed:\n  $line\nThis was:\n", $printed =~ s/^/  /gmr;
    ++$failures;
  }
  $printed = '';
}
$texts >= 4 or die "docs/tutorial.md shows $texts results only\n";

my $counted = read_file('counted');
for my $what (sort keys %most) {
  my ($before, $after) = map { tr/,//dr } $counted =~ /([\d,]+) $what/g;
  defined $after && $before > 0 or die "no counts of $what:\n$counted";
  printf "%s: %d before, %d after, %.4f\n", $what, $before, $after, $after / $before;
  next if $after <= $most{$what} * $before;
  print "more than $most{$what} of those before\n";
  ++$failures;
}
print "$_" for map { /^(after\/before.*\n)/mg } map { read_file($_) } glob 'log.*';
exit($failures ? 1 : 0);

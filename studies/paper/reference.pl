#!/usr/bin/perl
# The reference of each program: exact counts of its whole run, a virtual LBR (last 16 taken branches) read behind every
# 10,007th taken branch of the same run, and the CPU time of the program alone. Two emulators run at a time.
#
# Leaves exact.NAME and virtual.NAME in PAPER_WORK, and `reference.json`: for each program exact counts and `alone_ms`.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Paper;

my %reference;
my @left;
my @programs = programs();
for my $program (@programs) {
  if ($program->{missing}) { note("$program->{name}: not installed"); next }
  push @left, $program;
}

my %running;
my $begin = sub {
  my ($program) = @_;
  my $name = $program->{name};
  my $pid = fork // die "fork: $!\n";
  if ($pid == 0) {
    chdir $ENV{PAPER_WORK};
    open STDIN, '<', '/dev/null';
    open STDOUT, '>', '/dev/null';
    open STDERR, '>', "emulator.$name";
    exec '/bin/sh', '-c', 'exec ' . bin_file('exact_counts') .
      " -o exact.$name --every 10007 --branches --sampled virtual.$name -- $program->{command}";
  }
  $running{$pid} = $name;
};
my @waiting = @left;
while (@waiting || %running) {
  $begin->(shift @waiting) while @waiting && keys %running < 2;
  my $pid = waitpid -1, 0;
  my $name = delete $running{$pid} // next;
  open my $in, '<', work_file("emulator.$name") or die "emulator.$name: $!\n";
  my $said = join '', <$in>;
  if ($? == 0 && $said =~ /exact_counts: (\d+) instructions, (\d+) taken branches/) {
    $reference{$name} = {instructions => $1, taken => $2};
  } else {
    $said =~ s/\n.*//s;
    note("$name: fails in the emulator: $said");
  }
}

for my $program (grep { $reference{$_->{name}} } @left) {
  my $one = $reference{$program->{name}};
  # Its file is named, as it need not be where modules are looked for.
  my ($file) = split ' ', $program->{command};
  my $mix = Paper::json_of('cd ' . $ENV{PAPER_WORK} . ' && ' . bin_file('softlbr')
    . " mix --by branch --json -b \"\$(command -v $file)\" exact.$program->{name} 2>/dev/null");
  note("$program->{name}: not read, so its branches by kind are too few: @{$mix->{modules_not_read}}")
    if @{$mix->{modules_not_read}};
  $one->{executed}{$_->{branch}} = $_->{instructions} for @{$mix->{tables}[0]{rows}};
  run_cpu_ms($program->{command});  # files into memory
  my @alone = map { run_cpu_ms($program->{command}) } 1 .. 3;
  $one->{alone_ms} = median(@alone);
  note(sprintf '%-14s %6.0f ms alone, %.0f M taken branches', $program->{name}, $one->{alone_ms}, $one->{taken} / 1e6);
}
die "studies/paper: no program is left\n" unless %reference;
keep('reference', \%reference);

my $text = "## Which program stands for which\n\n"
  . "The paper's programs are those of SPEC CPU2006, which is not free. For each of them a program of the same kind is executed, where there\n"
  . "is one the same program or one for the same task.\n\n"
  . table(['SPEC CPU2006', 'here', 'why', 'CPU ms alone', 'million taken branches', 'instructions per taken branch'],
    map { my $one = $reference{$_->{name}};
      [$_->{spec}, $_->{name}, $_->{why}, $one ?
        (sprintf('%.0f', $one->{alone_ms}), sprintf('%.0f', $one->{taken} / 1e6),
        sprintf('%.1f', $one->{instructions} / $one->{taken})) :
        ($_->{missing} ? 'not installed' : 'fails in the emulator', '', '')] } @programs)
  . "Taken branches and instructions are counted by the emulator over the whole run (`tests/reference`).\n\n";
fragment('reference', $text);

#!/usr/bin/perl
# Checks that what apps link does not take their branch protection away, and that it claims no more than holds.
#
# Use: feature_marks.pl COMPILER ARCHIVE...     COMPILER: a C compiler of the archives' CPU, with its options
# Each member must be marked: IBT and SHSTK on x86-64, BTI on AArch64. On x86-64, every function whose address a member
# takes must begin with endbr64: without that its mark would be false. All archives together must link into a marked
# library under -z cet-report=error (-z bti-report=error), which names each object that is not marked.
# Environment: READELF, OBJDUMP override the tools. Exit 1: what was wrong is printed.
use strict;
use warnings;
use File::Basename qw(basename);
use File::Temp qw(tempdir);

my ($compiler, @archives) = @ARGV;
die "usage: feature_marks.pl COMPILER ARCHIVE...\n" unless @archives;
my ($readelf, $objdump) = ($ENV{READELF} // 'readelf', $ENV{OBJDUMP} // 'objdump');
my $failures = 0;
sub fail { print "feature_marks: @_\n"; ++$failures }

sub marks_of {
  my ($file) = @_;
  my ($all) = `$readelf -n -W '$file' 2>/dev/null` =~ /Properties: (.*)/;
  return $all // 'no mark';
}
sub is_marked { $_[0] =~ /x86 feature: IBT, SHSTK/ || $_[0] =~ /AArch64 feature: BTI/ }

# The signal restorers are returned to, never called or jumped to.
my %returned_to = map { $_ => 1 } qw(softlbr_signal_restorer softlbr_signal_return);

# Every address of code that an x86-64 object takes: 64-bit relocations in data, and operands of lea and mov in code.
# Tables of switches have 32-bit ones; the jumps through them are notrack.
sub check_landing_pads {
  my ($file, $name) = @_;
  my (%functions, %begins, %section);
  for (`$readelf -SW '$file'`) {
    next unless /^\s*\[\s*(\d+)\]\s+(\S+)\s.*\s([WAXMSILGTExop]+)\s+\d+\s+\d+\s+\d+$/;
    $section{$1} = {name => $2, is_code => index($3, 'X') >= 0};
  }
  my %name_of;
  for (`$readelf -sW '$file'`) {
    my @field = split;
    next unless @field >= 7 && $field[0] =~ /^\d+:$/ && $field[6] =~ /^\d+$/ && $section{$field[6]}{is_code};
    my $at = "$section{$field[6]}{name}:" . hex $field[1];
    $functions{$field[0] =~ s/://r} = $at;
    $name_of{$at} //= $field[7] if $field[3] eq 'FUNC';
  }
  my $at_section;
  for (`$objdump -dw --no-show-raw-insn '$file'`) {
    $at_section = $1 if /^Disassembly of section (.*):/;
    $begins{"$at_section:" . hex $1} = $2 if /^\s*([0-9a-f]+):\s+(\S+)/;
  }
  my $taken = 0;
  my $in = '';
  my %code = map { $section{$_}{name} => 1 } grep { $section{$_}{is_code} } keys %section;
  for (`$readelf -rW '$file'`) {
    if (/^Relocation section '\.rela(\S+)'/) { $in = $1; next }
    next unless /^([0-9a-f]{8,16})\s+([0-9a-f]{8})[0-9a-f]{8}\s+(R_X86_64_\S+)\s+[0-9a-f]+\s+\S+\s+([+-])\s+([0-9a-f]+)/;
    my ($offset, $symbol, $type, $addend) = (hex $1, hex $2, $3, ($4 eq '-' ? -1 : 1) * hex $5);
    my $place = $functions{$symbol} or next;
    my $is_code = $code{$in};
    if ($type eq 'R_X86_64_64') {
      next if $in =~ /^\.(debug|eh_frame)/;
    } elsif ($is_code && $type =~ /^R_X86_64_(PC32|REX_GOTPCRELX|GOTPCREL|GOTPCRELX)$/) {
      my ($start) = grep { exists $begins{"$in:" . ($offset - $_)} } 1 .. 8;
      next unless $start && $begins{"$in:" . ($offset - $start)} =~ /^(lea|mov)/;
      $addend += 4;
    } else {
      next;
    }
    my ($place_section, $base) = $place =~ /^(.*):(\d+)$/;
    my $target = "$place_section:" . ($base + $addend);
    my $function = $name_of{$target} or next;  # not a function's begin: data among code, or the bounds of a section
    next if $returned_to{$function};
    ++$taken;
    fail("$name: $function is called through a pointer, and does not begin with endbr64")
      if ($begins{$target} // '') ne 'endbr64';
  }
  return $taken;
}

my $work = tempdir(CLEANUP => 1);
my ($members, $taken, $is_x86) = (0, 0, 0);
for my $archive (@archives) {
  my $folder = "$work/" . basename($archive);
  mkdir $folder or die "$folder: $!\n";
  system("cd '$folder' && ar x '$archive'") == 0 or die "$archive: cannot be unpacked\n";
  for my $member (glob "$folder/*") {
    ++$members;
    my $marks = marks_of($member);
    $is_x86 ||= `$readelf -h '$member'` =~ /X86-64/;
    fail(basename($archive) . ': ' . basename($member) . ": $marks") unless is_marked($marks);
    $taken += check_landing_pads($member, basename($archive) . ': ' . basename($member)) if $is_x86;
  }
}
fail("no member was found") if $members == 0;
fail("of $members members none takes the address of a function: that cannot be") if $is_x86 && $taken == 0;

# An app that is marked, with all of it.
my $report = $is_x86 ? '-fcf-protection=full -Wl,-z,cet-report=error' :
'-mbranch-protection=bti -Wl,-z,force-bti -Wl,--fatal-warnings';
open my $app, '>', "$work/app.c" or die;
print $app "int AppFunction(void) { return 0; }\nvoid* __dso_handle __attribute__((visibility(\"hidden\")));\n";
close $app;
my @all = map { "'$_'" } @archives;
my $messages = `$compiler $report -shared -fPIC -nostdlib '$work/app.c' -Wl,--whole-archive @all -Wl,--no-whole-archive -Wl,--allow-multiple-definition -o '$work/app.so' 2>&1`;
fail("an app that is marked does not link:\n$messages") if $? != 0;
if (-e "$work/app.so") {
  my $marks = marks_of("$work/app.so");
  fail("an app that is marked loses its marks: $marks") unless is_marked($marks);
}
print "$members members, $taken addresses of functions\n" if $failures == 0;
exit($failures == 0 ? 0 : 1);

#!/usr/bin/perl
# Compares the symbols of objects, archives and libraries with a committed list.
#
# Use: check_symbols.pl imports|exports|needed|versions ALLOW FILE...
#   imports  undefined symbols of FILEs taken together (an archive: its members; several objects: linked into one first)
#   exports  symbols others can see: global ones of an archive, dynamic ones of a shared library
#   needed   shared libraries that a shared library needs
#   versions versions of symbols that it needs of them
# ALLOW: "symbol : reason" a line, the symbol as c++filt writes it. "?symbol" may be absent (one compiler emits it,
# another does not); every other line must be there, so a list cannot rot. Environment: NM, LD, READELF override the
# tools.
# FILEs may be given as @LIST, a file of paths.
use strict;
use warnings;
use File::Basename qw(basename);
use File::Temp qw(tempdir);

my ($mode, $allow_file, @arguments) = @ARGV;
die "usage: check_symbols.pl imports|exports|needed|versions ALLOW FILE...\n" unless @arguments;
my ($nm, $ld, $readelf) = ($ENV{NM} // 'nm', $ENV{LD} // 'ld', $ENV{READELF} // 'readelf');

sub lines_of {
  my ($file) = @_;
  open my $in, '<', $file or die "$file: $!\n";
  my @lines = grep { !/^\s*(#|$)/ } <$in>;
  chomp @lines;
  return @lines;
}

my @files;
for (@arguments) {
  if (/^@(.*)/) { push @files, map { split /[;\s]+/ } lines_of($1) }
  else { push @files, $_ }
}
die "no files\n" unless @files;

my (%allowed, %optional);
for (lines_of($allow_file)) {
  /^(\??)(\S.*?)\s+:\s+(\S.*)$/ or die "$allow_file: expected 'symbol : reason', found '$_'\n";
  $allowed{$2} = $3;
  $optional{$2} = 1 if $1;
}

sub output_of {
  my @command = @_;
  open my $pipe, '-|', @command or die "$command[0]: $!\n";
  my @lines = <$pipe>;
  close $pipe or die "@command failed\n";
  return @lines;
}
sub demangle {
  my ($names) = @_;
  return () unless @$names;
  return map { chomp; $_ } output_of('c++filt', @$names);
}

my @names;
if ($mode eq 'needed') {
  for (output_of($readelf, '-d', @files)) { push @names, $1 if /\(NEEDED\).*\[(.*)\]/ }
} elsif ($mode eq 'versions') {
  my $is_need = 0;
  for (output_of($readelf, '-VW', @files)) {
    $is_need = /Version needs section/ if /section/;
    push @names, $1 if $is_need && /Name: (\S+)\s+Flags:/;
  }
} elsif ($mode eq 'imports') {
  my @from = @files;
  if (@files > 1) {
    my $folder = tempdir(CLEANUP => 1);
    system($ld, '-r', '-o', "$folder/all.o", @files) == 0 or die "$ld -r failed\n";
    @from = ("$folder/all.o");
  }
  my (%undefined, %defined);
  for (output_of($nm, @from)) {
    if (/^\s+[Uwv] (\S+)$/) { $undefined{$1} = 1 } elsif (/^[0-9a-f]+ \S (\S+)$/) { $defined{$1} = 1 }
  }
  @names = grep { !$defined{$_} && $_ ne '_GLOBAL_OFFSET_TABLE_' } keys %undefined;
} elsif ($mode eq 'exports') {
  my @dynamic = $files[0] =~ /\.so(\.|$)/ ? ('-D') : ();
  for (output_of($nm, @dynamic, '--defined-only', '--extern-only', @files)) { push @names, $1
    if /^[0-9a-f]+ \S (\S+)$/ }
} else {
  die "mode '$mode'?\n";
}
my %seen = map { $_ => 1 } demangle(\@names);

my $breaches = 0;
for (sort keys %seen) {
  next if $allowed{$_};
  print "$mode: $_ is not in ", basename($allow_file), "\n";
  ++$breaches;
}
for (sort keys %allowed) {
  next if $seen{$_} || $optional{$_};
  print "$mode: $_ is in ", basename($allow_file), " but not in the files: take it off the list\n";
  ++$breaches;
}
printf "%s: %d symbols in %d files, %d breaches\n", $mode, scalar(keys %seen), scalar(@files), $breaches;
exit($breaches ? 1 : 0);

#!/usr/bin/perl
# Checks that the README of a folder names every file that lies there, and no file that does not.
#
# Use: folder_readmes.pl ROOT        Exit 1 with one line per breach.
# A name is text between backticks: a file, a file without its extension, a pattern with * in it, or a folder. Each file
# of the folder must be named anywhere in its README, a test or fuzzer by the name of what it is for; what the first
# column of a table of files names must exist there. CMakeLists.txt, README.md, pictures and lists need no name.
use strict;
use warnings;
use File::Basename qw(basename dirname);
use File::Find;

my $root = shift // die "usage: folder_readmes.pl ROOT\n";
my @breaches;
my ($folders, $names) = (0, 0);

# The names of a README as patterns of paths below its folder.
sub pattern_of {
  my ($name) = @_;
  $name =~ s{/$}{};
  $name =~ s{\.h/\.cc$}{.*};
  my $pattern = join '[^/]*', map { quotemeta } split /\*/, $name, -1;
  return qr/^$pattern(?:_test|_fuzzer)?(?:\.[A-Za-z]+)?$/;
}

sub check {
  my ($readme) = @_;
  my $folder = dirname($readme);
  my $shown = substr($folder, length($root) + 1);
  open my $in, '<', $readme or die "$readme: $!\n";
  my (@anywhere, @first);
  my ($is_table, $is_of_files) = (0, 0);
  while (<$in>) {
    my ($first_column) = /^\|((?:[^|\\]|\\.)*)\|/;
    $is_of_files = $first_column =~ /^ *(?:files?|folders?|contract|script) *$/ if defined $first_column && !$is_table;
    $is_table = defined $first_column;
    push @first, grep { m{^[\w./*-]+$} } $first_column =~ /`([^`]+)`/g if $is_table && $is_of_files;
    push @anywhere, grep { m{^[\w./*-]+$} } /`([^`]+)`/g;
  }
  return unless @first;
  ++$folders;
  my (@all, @own);
  find({no_chdir => 1, wanted => sub { push @all, substr($_, length($folder) + 1) if $_ ne $folder }}, $folder);
  @own = grep { !m{/} && -f "$folder/$_" } @all;
  my @patterns = map { pattern_of($_) } @anywhere;
  for my $file (@own) {
    next if $file =~ /^(?:CMakeLists\.txt|README\.md|.*\.(?:golden|table|allow|list|svg))$/;
    push @breaches, "$shown/README.md does not name $file" unless grep { $file =~ $_ } @patterns;
  }
  for my $name (@first) {
    ++$names;
    my $pattern = pattern_of($name);
    push @breaches, "$shown/README.md names $name, which is not there"
      unless grep({ $_ =~ $pattern } @all) || -e "$root/$name" || -e "$folder/$name";
  }
}

for my $top (qw(platform decoders runtime toolchain tests studies)) {
  find({no_chdir => 1, wanted => sub { check($_) if basename($_) eq 'README.md' }}, "$root/$top");
}
print "$_\n" for @breaches;
printf "readmes: %d folders, %d names, %d breaches\n", $folders, $names, scalar @breaches;
exit(@breaches ? 1 : 0);

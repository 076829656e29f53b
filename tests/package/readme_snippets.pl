#!/usr/bin/perl
# Does what the README's section on linking says, from the installed tree: compiles its C, runs its commands, configures
# its CMake.
#
# Use: readme_snippets.pl README PREFIX SOFTLBR CMAKE EXAMPLE
#   README   its indented blocks under "## Linking it into a program" are done in order; DIR in them stands for PREFIX
#   SOFTLBR  the command that reads the profiles
#   EXAMPLE  a program in C without profiling code, which becomes the section's app.c
# Blocks are told apart by their first word: "/*" C, of which the comment names the file; "find_package" CMake; else
# shell commands, of which those that install are left out. Exit 1: what went wrong is printed.
use strict;
use warnings;
use File::Copy qw(copy);
use File::Temp qw(tempdir);

my ($readme, $prefix, $softlbr, $cmake, $example) = @ARGV;
die "usage: readme_snippets.pl README PREFIX SOFTLBR CMAKE EXAMPLE\n" unless defined $example;

open my $in, '<', $readme or die "$readme: $!\n";
my (@blocks, $is_inside, $is_open);
while (<$in>) {
  $is_inside = /^## Linking it into a program$/ if /^## /;
  next unless $is_inside;
  if (/^    (.*)$/s) {
    push @blocks, '' unless $is_open;
    $blocks[-1] .= $1;
    $is_open = 1;
  } elsif (/^$/) {
    # A blank line ends a block, except between the lines of C.
    if ($is_open && $blocks[-1] =~ m{^/\*} && $blocks[-1] !~ /^}$/m) { $blocks[-1] .= "\n" } else { $is_open = 0 }
  } else {
    $is_open = 0;
  }
}
my $work = tempdir(CLEANUP => 1);
copy($example, "$work/app.c") or die "$example: $!\n";
chdir $work or die "$work: $!\n";
mkdir 'project' or die;

sub store {
  my ($path, $text) = @_;
  open my $out, '>', $path or die "$path: $!\n";
  print $out $text;
  close $out or die "$path: $!\n";
}
sub run {
  my ($what, $command) = @_;
  store('log', '');
  system("{ $command\n} >log 2>&1") == 0 or do { system('cat', 'log'); die "$what failed:\n$command\n" };
}
sub expect_profile {
  my ($path) = @_;
  my $samples = qx('$softlbr' stats --json '$path' | perl -MJSON::PP=decode_json -0777 -ne 'print decode_json(\$_)->{samples}');
  ($samples || 0) >= 20 or die "$path holds too few samples\n";
}

my %done;
my $shell = "set -e\n";
for my $block (@blocks) {
  $block =~ s/(?:\b|(?<=-I))DIR\b/$prefix/g;
  if ($block =~ m{^/\* (\S+\.c) \*/}) {
    store($1, $block);
    run($1, "cc -std=c11 -Wall -Wextra -Werror -I$prefix/include -c $1 -o snippet.o");
    $done{c}++;
  } elsif ($block =~ /^find_package/) {
    store('project/CMakeLists.txt', "cmake_minimum_required(VERSION 3.25)\nproject(snippet LANGUAGES C)\n"
      . "add_executable(app ../app.c)\nadd_executable(session ../session.c)\n$block");
    run('CMake', "'$cmake' -S project -B built -DCMAKE_PREFIX_PATH=$prefix && '$cmake' --build built && built/session");
    expect_profile('session.slbr');
    unlink 'session.slbr';
    $done{cmake}++;
  } else {
    $block =~ s/^cmake --install.*$//mg;
    $shell .= $block;
    run('commands', $shell);
    $done{shell}++;
    for my $profile (glob '*.slbr') {
      expect_profile($profile);
      unlink $profile;
      $done{$profile}++;
    }
    # Later blocks need the variables that are set here, but not the programs run again.
    $shell =~ s/^(?!set -e|export ).*\n//mg;
  }
}
for (qw(c cmake app.slbr session.slbr)) { $done{$_} or die "no block of the README gives $_\n" }

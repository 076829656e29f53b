#!/usr/bin/perl
# Shows that each check of this folder fails when it should: on small trees and objects that break one rule each.
#
# Use: checks_test.pl FOLDER_OF_THE_CHECKS
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Path qw(make_path);
use File::Temp qw(tempdir);

my $checks = shift // die "usage: checks_test.pl FOLDER\n";
my $failures = 0;

sub write_file {
  my ($path, $text) = @_;
  make_path(dirname($path));
  open my $out, '>', $path or die "$path: $!\n";
  print $out $text;
  close $out;
}

sub expect {
  my ($what, $wanted_code, $wanted_text, @command) = @_;
  my $output = do { open my $pipe, '-|', @command or die "@command: $!\n"; local $/; my $all = <$pipe>; close $pipe; $all // '' };
  my $code = $? >> 8;
  return if $code == $wanted_code && index($output, $wanted_text) >= 0;
  print "$what: exit $code instead of $wanted_code, or no '$wanted_text' in:\n$output\n";
  ++$failures;
}

sub rule {
  my ($what, $name, $wanted_code, $wanted_text, $exceptions, %files) = @_;
  my $root = tempdir(CLEANUP => 1);
  make_path("$root/runtime", "$root/platform/base");
  write_file("$root/folders.list", "runtime : -\nplatform : -\ntoolchain : -\n");
  # The rules read the exceptions beside themselves.
  copy("$checks/source_rules.pl", "$root/source_rules.pl");
  write_file("$root/source_exceptions.list", $exceptions);
  write_file("$root/$_", $files{$_}) for keys %files;
  expect($what, $wanted_code, $wanted_text, $^X, "$root/source_rules.pl", $name, $root);
}

my $layers = "platform/base : -\nplatform : platform/base\nplatform/linux : platform\ndecoders/a : platform/base\ndecoders/b : platform/base\n" .
             "runtime/x : platform\nruntime/y : runtime/x\n";
sub layer_rule {
  my ($what, $wanted_code, $wanted_text, $exceptions, %files) = @_;
  rule($what, 'layers', $wanted_code, $wanted_text, $exceptions, 'folders.list' => $layers, 'runtime/x/x.h' => "\n",
       'runtime/y/uses.cc' => qq(#include "runtime/x/x.h"\n), 'platform/linux/inner.h' => "\n", 'platform/p.h' => "\n", %files);
}
layer_rule('runtime into platform/linux', 1, 'runtime/x/a.cc may not include platform/linux/inner.h', '',
           'runtime/x/a.cc' => qq(#include "platform/linux/inner.h"\n));
layer_rule('an exception is heeded', 0, '0 breaches', "layers runtime/x/a.cc -> platform/linux/inner.h : because\n",
           'runtime/x/a.cc' => qq(#include "platform/linux/inner.h"\n));
rule('a needless exception', 'exceptions', 1, 'not needed any more', "layers runtime/a.cc -> platform/linux/inner.h : because\n",
     'folders.list' => $layers);
layer_rule('plugins into each other', 1, 'may not include decoders/b/x.h', '', 'decoders/b/x.h' => "\n",
           'decoders/a/y.cc' => qq(#include "decoders/b/x.h"\n));
layer_rule('an include that runs up', 1, 'may not include runtime/y/y.h', '', 'runtime/y/y.h' => "\n",
           'runtime/x/a.cc' => qq(#include "runtime/y/y.h"\n));
layer_rule('a folder that nobody listed', 1, 'folders.list does not name', '', 'runtime/z/a.cc' => "\n");
rule('a list that runs up', 'layers', 1, 'does not stand above it', '', 'folders.list' => "runtime/x : runtime/y\nruntime/y : -\n");
rule('a line that is not needed', 'layers', 1, 'includes nothing of runtime/x', '', 'folders.list' => $layers, 'runtime/x/x.h' => "\n");
layer_rule('include relative to its own folder', 1, 'no path from the top', '', 'runtime/x/y.cc' => qq(#include "x.h"\n));
layer_rule('the C++ library on the device', 1, 'may not include <vector>', '', 'runtime/x/y.cc' => "#include <vector>\n");
layer_rule('allowed includes', 0, '3 includes, 0 breaches', '', 'runtime/x/y.cc' => qq(#include <cstdint>\n#include "platform/p.h"\n#include "runtime/x/x.h"\n));
rule('OS macro', 'targets', 1, 'x.cc:2', '', 'runtime/x.cc' => "\n#if defined(__linux__)\n#endif\n");
rule('OS macro in a comment', 'targets', 0, '0 breaches', '', 'runtime/x.cc' => "// __linux__\n");
rule('REFRESH', 'forbidden', 1, 'PERF_EVENT_IOC_REFRESH', '', 'tests/x.cc' => "int a = PERF_EVENT_IOC_REFRESH;\n");
rule('thread_local', 'forbidden', 1, 'x.cc:3', '', 'runtime/x.cc' => "/*\n*/\nthread_local int a;\n");
rule('words in comments and strings', 'forbidden', 0, '0 breaches', '',
     'runtime/x.cc' => "// thread_local\n/* malloc( */ const char* s = \"throw errno\";\n");
rule('heap', 'forbidden', 1, 'no heap', '', 'platform/x.cc' => "void* p = malloc(3);\n");
rule('new', 'forbidden', 1, 'no heap', '', 'platform/x.cc' => "int* p = new int;\n");
rule('same basename', 'basenames', 1, 'share a name', '', 'runtime/x.cc' => '', 'toolchain/x.c' => '');
rule('header and source pair', 'basenames', 0, '0 breaches', '', 'runtime/x.cc' => '', 'runtime/x.h' => '');
rule('long file', 'lengths', 1, '601 lines', '', 'runtime/x.cc' => "\n" x 601);
rule('not too long', 'lengths', 0, '0 breaches', '', 'runtime/x.cc' => "\n" x 600);

# The table of hazards, of two rows.
sub table {
  my ($what, $wanted_code, $wanted_text, $rows) = @_;
  my $root = tempdir(CLEANUP => 1);
  write_file("$root/docs/hazards.md", $rows);
  write_file("$root/tests/a_test.cc", "TEST(A, Works) {\n");
  write_file("$root/runtime/a.cc", "\n");
  expect($what, $wanted_code, $wanted_text, $^X, "$checks/hazard_table.pl", $root, 2);
}
my $first = "| 1 | h | d: `a.cc` | `A.Works` |\n";
table('whole table', 0, '2 hazards', $first . "| 2 | h | d | untested: why |\n");
table('hazard without a row', 1, 'hazard 2 has no row', $first);
table('test that is not there', 1, 'no test A.Breaks', $first . "| 2 | h | d | `A.Breaks` |\n");
table('file that is not there', 1, 'no file b.cc', $first . "| 2 | h | d: `b.cc` | `A.Works` |\n");
table('neither test nor reason', 1, 'no test and no reason', $first . "| 2 | h | d | soon |\n");

# Symbols, on objects made here.
if (system('command -v cc >/dev/null 2>&1') == 0) {
  my $folder = tempdir(CLEANUP => 1);
  write_file("$folder/a.c", "int b(void); int outside(void); int a(void) { return b() + outside(); }\n");
  write_file("$folder/b.c", "int b(void) { return 1; }\n");
  for my $name ('a.c', 'b.c') { system('cc', '-c', '-o', "$folder/$name.o", "$folder/$name") == 0 or die "cc failed\n" }
  my @imports = ($^X, "$checks/check_symbols.pl", 'imports');
  my @objects = ("$folder/a.c.o", "$folder/b.c.o");
  write_file("$folder/right", "outside : why\n");
  expect('listed import', 0, '1 symbols', @imports, "$folder/right", @objects);
  write_file("$folder/empty", "# nothing\n");
  expect('import not listed', 1, 'outside is not in', @imports, "$folder/empty", @objects);
  write_file("$folder/stale", "outside : why\ngone : why\n");
  expect('stale line', 1, 'gone is in stale but not', @imports, "$folder/stale", @objects);
  write_file("$folder/optional", "outside : why\n?gone : only one compiler\n");
  expect('optional line', 0, '1 symbols', @imports, "$folder/optional", @objects);
  write_file("$folder/names", "a.c\n");
  write_file("$folder/objects", join("\n", @objects) . "\n");
  write_file("$folder/both", "outside : why\nb : why\n");
  expect('filter by source', 0, '2 symbols', @imports, "$folder/both", "\@$folder/objects", "\@\@$folder/names");
  expect('size over budget', 1, 'of 1 bytes', 'sh', "$checks/check_size.sh", 'size', "$folder/a.c.o", 1);
  expect('size under budget', 0, 'of 100000 bytes', 'sh', "$checks/check_size.sh", 'size', "$folder/a.c.o", 100000);
}

print $failures ? "$failures checks do not notice what they should\n" : "every check notices what it should\n";
exit($failures ? 1 : 0);

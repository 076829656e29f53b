#!/usr/bin/perl
# Tests that each check of this folder fails when it should, on small trees and objects that break one rule each, and
# how results are added up.
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
  my $output = do { open my $pipe, '-|', @command or die "@command: $!\n"; local $/; my $all = <$pipe>; close $pipe;
  $all // '' };
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
       'runtime/y/uses.cc' => qq(#include "runtime/x/x.h"\n), 'platform/linux/inner.h' => "\n", 'platform/p.h' => "\n",
       %files);
}
layer_rule('runtime into platform/linux', 1, 'runtime/x/a.cc may not include platform/linux/inner.h', '',
           'runtime/x/a.cc' => qq(#include "platform/linux/inner.h"\n));
layer_rule('an exception is heeded', 0, '0 breaches', "layers runtime/x/a.cc -> platform/linux/inner.h : because\n",
           'runtime/x/a.cc' => qq(#include "platform/linux/inner.h"\n));
rule('a needless exception', 'exceptions', 1, 'not needed any more',
  "layers runtime/a.cc -> platform/linux/inner.h : because\n",
     'folders.list' => $layers);
layer_rule('plugins into each other', 1, 'may not include decoders/b/x.h', '', 'decoders/b/x.h' => "\n",
           'decoders/a/y.cc' => qq(#include "decoders/b/x.h"\n));
layer_rule('an include that runs up', 1, 'may not include runtime/y/y.h', '', 'runtime/y/y.h' => "\n",
           'runtime/x/a.cc' => qq(#include "runtime/y/y.h"\n));
layer_rule('a folder that nobody listed', 1, 'folders.list does not name', '', 'runtime/z/a.cc' => "\n");
rule('a list that runs up', 'layers', 1, 'does not stand above it', '',
  'folders.list' => "runtime/x : runtime/y\nruntime/y : -\n");
rule('a line that is not needed', 'layers', 1, 'includes nothing of runtime/x', '', 'folders.list' => $layers,
  'runtime/x/x.h' => "\n");
layer_rule('include relative to its own folder', 1, 'no path from the top', '',
  'runtime/x/y.cc' => qq(#include "x.h"\n));
layer_rule('the C++ library on the device', 1, 'may not include <vector>', '',
  'runtime/x/y.cc' => "#include <vector>\n");
layer_rule('allowed includes', 0, '3 includes, 0 breaches', '',
  'runtime/x/y.cc' => qq(#include <cstdint>\n#include "platform/p.h"\n#include "runtime/x/x.h"\n));
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
rule('a script in a second language', 'scripts', 1, 'bench/x.py is a script in py', '', 'bench/x.py' => "\n");
rule('a second language without a suffix', 'scripts', 1, 'tests/x is a script in python3', '',
  'tests/x' => "#!/usr/bin/env python3\n");
rule('a filter in a second language', 'scripts', 1, 'studies/x.sh asks python3', '',
  'studies/x.sh' => "a |" . " python3 -c 'print(1)'\n");
rule('a recorded program', 'scripts', 0, '1 files, 0 lines of Perl outside studies, 0 breaches', '',
  'studies/a.pl' => "\n",
     'tests/differential/inputs/a.py' => "\n", 'bench/a.table' => "python3 words.py\n");
rule('too much Perl', 'scripts', 1, '5001 lines of Perl outside studies, more than 5000', '',
  'bench/a.pl' => "\n" x 5001);
my @files = map { ("tests/a/$_.txt" => "\n") } 1 .. 25;
rule('a full folder', 'folders', 0, '1 folders, 0 breaches', '', @files);
rule('too many files in a folder', 'folders', 1, 'tests/a has 26 files, more than 25', '', @files,
  'tests/a/x.txt' => "\n");
rule('programs of tests', 'folders', 0, '0 breaches', '', map { s{/a/}{/a/programs/}r } @files,
  'tests/a/x.txt' => "\n");
my $six = "/* a" . "\n * a" x 5;
my $long = 'x' x 121;
rule('long line', 'columns', 1, 'runtime/x.cc:2: 121 columns', '', 'runtime/x.cc' => "\n$long\n");
rule('line of 120', 'columns', 0, '1 files, 0 breaches', '', 'runtime/x.cc' => "\xc2\xb5" . 'x' x 119 . "\n");
rule('long line of a script', 'columns', 1, 'studies/x.sh:1: 121 columns', '', 'studies/x.sh' => "$long\n");
rule('rows of tables', 'columns', 0, '1 files, 0 breaches', '', 'docs/x.md' => "| $long |\n");
rule('long line of a page', 'columns', 1, 'docs/x.md:1: 121 columns', '', 'docs/x.md' => "$long\n");
rule('long line that may be', 'columns', 0, '0 breaches', "columns runtime/x.c : why\n", 'runtime/x.c' => "$long\n");

rule('a long contract', 'contracts', 1, 'softlbr/x.h:2: 7 lines', '',
  'runtime/include/softlbr/x.h' => "\n$six\n * a */\n");
rule('a long contract of the plugins', 'contracts', 1, 'decoders/api/ir.h:1: 7 lines', '',
  'decoders/api/ir.h' => "$six\n * a\n *\n * Details: */\n");
rule('a contract and details', 'contracts', 0, '1 comments, 0 breaches', '',
  'runtime/include/softlbr/x.h' => "$six\n *\n * Details:" . "\n * a" x 9 . " */\n");
rule('a header that is not installed', 'contracts', 0, '0 comments, 0 breaches', '',
  'runtime/x.h' => "$six\n * a */\n");
my %glossary = ('docs/glossary.md' => "| term | meaning | not |\n|---|---|---|\n| drain | empty | flush, pour out |\n| trace | branches | |\n",
                'runtime/x.h' => "// Drains traces.\n");
sub glossary { my ($what, $code, $text, $exceptions, %files) = @_; rule($what, 'glossary', $code, $text, $exceptions,
  %glossary, %files) }
glossary('a kept glossary', 0, '2 terms, 0 breaches', '');
glossary('a word that has another name', 1, "toolchain/x.cc:2: 'flush' is 'drain'", '',
  'toolchain/x.cc' => "\n// flush it\n");
glossary('the word in an identifier', 1, "x.cc:1: 'flush'", '', 'runtime/x.cc' => "void FlushAll();\n");
glossary('two words', 1, "x.md:1: 'pour out'", '', 'docs/x.md' => "Pour out all.\n");
glossary('part of another word', 0, '0 breaches', '', 'runtime/x.cc' => "// flushable\n");
glossary('an exception to the glossary', 0, '0 breaches', "glossary tests/x.cc flush : fflush of the libc\n",
  'tests/x.cc' => "flush(1);\n");
glossary('a term of nobody', 1, "nobody says 'trace'", '', 'runtime/x.h' => "// drain\n");
glossary('an order that is not the alphabet', 1, "'drain' must come before 'trace'", '',
         'docs/glossary.md' => "| term | meaning | not |\n|---|---|---|\n| trace | a | |\n| drain | b | |\n");

# The page of what a profile reveals, with the tree's own sources; one of them changed.
sub privacy {
  my ($what, $wanted_code, $wanted_text, $changed, $from, $to) = @_;
  my $root = tempdir(CLEANUP => 1);
  my $top = "$checks/../..";
  my $has_changed = !defined $changed;
  for my $file ('docs/privacy.md', 'runtime/format/frame_header.cc', 'runtime/format/slbr_format.h',
    'runtime/format/frame_builder.cc',
                'runtime/counters/session_info.def', 'runtime/counters/counters.def', 'platform/base/reasons.def',
                'runtime/spool/spool_names.h', 'runtime/spool/spool_names.cc') {
    my $text = do { open my $in, '<', "$top/$file" or die "$file: $!\n"; local $/; <$in> };
    $has_changed ||= $text =~ s/$from/$to/ if defined $changed && $changed eq $file;
    write_file("$root/$file", $text);
  }
  die "privacy, $what: nothing to change in $changed\n" unless $has_changed;
  expect("privacy: $what", $wanted_code, $wanted_text, $^X, "$checks/privacy_table.pl", $root);
}
privacy('the page as it is', 0, ' 0 breaches');
privacy('a section', 1, "'section 9 heap' (slbr_format.h) has no row", 'runtime/format/slbr_format.h',
  qr/(  kTotals = 8,)/, "  kTotals = 8,\n  kHeap = 9,");
privacy('a total', 1, "'total 6 heap'", 'runtime/format/slbr_format.h', qr/  kTraces = 5,\n/,
  "  kTraces = 5,\n  kHeap = 6,\n");
privacy('an info key', 1, "'info 9 user'", 'runtime/counters/session_info.def', qr/#undef/,
  "SOFTLBR_INFO(uint64_t, user, 9, \"who\")\n#undef");
privacy('a counter', 1, "'counter 26 heap'", 'runtime/counters/counters.def', qr/\nSOFTLBR_RAW/,
  "\nSOFTLBR_SESSION_COUNTER(heap, \"heap\", 26, ns, \"heap\")\nSOFTLBR_RAW");
privacy('a module field', 1, "'module inode' (PutRecord) has no row", 'runtime/format/frame_builder.cc',
        qr/  PutNumber\(out, record\.span\);/, "  PutNumber(out, record.span);\n  PutNumber(out, record.inode);");
privacy('a loss', 1, "'loss 99 heap'", 'platform/base/reasons.def', qr/#ifdef SOFTLBR_LOSS\n/,
  "#ifdef SOFTLBR_LOSS\nSOFTLBR_LOSS(kHeap, \"heap\", 99, \"heap\")\n");
privacy('a name in a spool', 1, 'names that end in .slbr.log', 'runtime/spool/spool_names.h', qr/"\.lock"/,
  '".slbr.log"');
privacy('a row of nothing', 1, "'info 8 start_time_unix_s' is in no source any more",
  'runtime/counters/session_info.def', qr/SOFTLBR_INFO\(\w+, start_time[^\n]*\n/, '');
privacy('an empty column', 1, 'an empty column', 'docs/privacy.md', qr/\| saying\b|\| which code ran \|/, '| |');

# Ops of one CPU, named by the decoder of the other.
sub foreign_ops {
  my ($what, $wanted_code, $wanted_text, $source) = @_;
  my $root = tempdir(CLEANUP => 1);
  write_file("$root/tests/runtime/lookahead/foreign_ops_test.cc",
             "kOpsOfX86_64[] = {\n    {SOFTLBR_OP_ONE, 1},\n};\nkOpsOfAarch64[] = {\n    {SOFTLBR_OP_TWO, 1},\n};\n");
  write_file("$root/decoders/x86_64/lift/a.cc", "Add(SOFTLBR_OP_ONE);\n");
  write_file("$root/decoders/aarch64/a.cc", $source);
  expect("foreign ops: $what", $wanted_code, $wanted_text, $^X, "$checks/foreign_ops.pl", $root);
}
foreign_ops('each its own', 0, '', "Add(SOFTLBR_OP_TWO);\nAdd(SOFTLBR_OP_ONE_MORE);\n");
foreign_ops('an op of the other', 1, 'a.cc:2: SOFTLBR_OP_ONE is not in the archive', "\nAdd(SOFTLBR_OP_ONE);\n");

# The table of hazards, of two rows.
sub table {
  my ($what, $wanted_code, $wanted_text, $rows) = @_;
  my $root = tempdir(CLEANUP => 1);
  write_file("$root/docs/hazards.md", $rows);
  write_file("$root/tests/a_test.cc", "TEST(A, Works) {\n");
  write_file("$root/runtime/a.cc", "\n");
  expect($what, $wanted_code, $wanted_text, $^X, "$checks/hazard_table.pl", $root, 2);
}
sub hazard {
  my ($number, $state, $test, $section) = @_;
  return ["| $number | h | $state | $test | [more](#hazard-$number) |\n",
    "### Hazard $number\n\nIt happens.\n\n$section\n\n"];
}
sub page { return join('', map { $_->[0] } @_) . "\n" . join('', map { $_->[1] } @_) }
my $first = hazard(1, 'tested', '`A.Works`', "**Defence:** D: `a.cc`.\n\n**Shown by:** `A.Works`.");
my $second = hazard(2, 'partly tested', 'none', "**Defence:** D.\n\n**Untested:** why.");
my $shown = "**Defence:** D.\n\n**Shown by:** `A.Works`.";
table('whole table', 0, '2 hazards', page($first, $second));
table('hazard without a row', 1, 'hazard 2 has no row', page($first));
table('section without a row', 1, 'hazard 2 has no row', page($first, ['', $second->[1]]));
table('row without a section', 1, 'hazard 2 has no section', page($first, [$second->[0], '']));
table('test that is not there', 1, 'no test A.Breaks',
  page($first, hazard(2, 'tested', '`A.Works`', "**Defence:** D.\n\n**Shown by:** `A.Works`, `A.Breaks`.")));
table('file that is not there', 1, 'no file b.cc',
  page($first, hazard(2, 'tested', '`A.Works`', "**Defence:** D: `b.cc`.\n\n**Shown by:** `A.Works`.")));
table('neither test nor reason', 1, 'no test and no reason',
  page($first, hazard(2, 'tested', 'none', "**Defence:** D.")));
table('state of another section', 1, 'its state is gaps known, its row says tested',
  page($first, hazard(2, 'tested', '`A.Works`', "$shown\n\n**Known:** it fails.")));
table('another test in the row', 1, 'its row names none, its section first `A.Works`',
  page($first, hazard(2, 'tested', 'none', $shown)));
table('link to another section', 1, 'does not link to its section',
  page($first, [hazard(3, 'tested', '`A.Works`', $shown)->[0] =~ s/^\| 3/| 2/r,
  hazard(2, 'tested', '`A.Works`', $shown)->[1]]));
table('row of a whole section', 1, 'more than 180 characters',
  page($first, [hazard(2, 'tested', '`A.Works`', $shown)->[0] =~ s/ h /'h' x 180 . ' '/er,
    hazard(2, 'tested', '`A.Works`', $shown)->[1]]));

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
  write_file("$folder/objects", join("\n", @objects) . "\n");
  expect('a list of objects', 0, '1 symbols in 2 files', @imports, "$folder/right", "\@$folder/objects");
  expect('size over budget', 1, 'of 1 bytes', 'sh', "$checks/check_size.sh", 'size', "$folder/a.c.o", 1);
  # An app with 0.2 MB of constants and 20 KB of .bss more than another.
  if (system('command -v cc strip >/dev/null 2>&1') == 0) {
    write_file("$folder/none.c", "int main(void) { return 0; }\n");
    write_file("$folder/app.c", "static char bytes[20000];\nstatic const char table[200000] = {1};\n" .
      "int main(int n, char** v) { return v == 0 ? table[n] + bytes[n]++ : 0; }\n");
    system('cc', '-O1', "$folder/$_.c", '-o', "$folder/$_", "-Wl,-Map=$folder/$_.map") == 0 or die for qw(none app);
    my @app = ('sh', "$checks/check_app_size.sh", 'size', 'strip', "$folder/app", "$folder/none");
    expect('app within its budgets', 0, 'of 300000 bytes', @app, 300000, 30000);
    expect('app with too much text', 1, 'of 150000 bytes', @app, 150000, 30000);
    expect('app with too much data', 1, 'of 8192 bytes', @app, 300000, 8192);
    expect('app without softlbr', 1, 'text: 0 of', @app[0 .. 3], "$folder/none", "$folder/none", 300000, 30000);
  }
  expect('size under budget', 0, 'of 100000 bytes', 'sh', "$checks/check_size.sh", 'size', "$folder/a.c.o", 100000);
}

# The walk from the handlers, on C made here. OnTrap is the entry; a mark is what SOFTLBR_HANDLER_SAFE makes of it.
if (system('command -v cc c++filt objdump >/dev/null 2>&1') == 0) {
  local $ENV{OBJDUMP} = 'objdump';  # of this machine, whatever is built for
  my %objects;  # kind, source and headers -> the object, so that each is compiled once
  my $store = tempdir(CLEANUP => 1);
  my $compile = sub {
    my ($root, $kind, $name, $text) = @_;
    my $object = ($objects{"$kind $text"} //= $store . '/' . keys(%objects)) . "/$name.o";
    return $object if -f $object;
    make_path(dirname($object));
    my @flags = $kind eq 'graph' ? ('-O0', '-fno-inline', '-ffunction-sections', '-fdata-sections',
                                    '-DSOFTLBR_HANDLER_SAFE=__attribute__((visibility("protected")))')
                                 : ('-O2', '-falign-functions=1', '-DSOFTLBR_HANDLER_SAFE=');
    system('cc', '-c', '-w', '-g0', '-fPIC', '-fno-jump-tables', '-fno-stack-protector', @flags, '-o', $object,
      "$root/runtime/$name") == 0
      or die "cc failed\n";
    return $object;
  };
  # files: *.c and *.h; calls: handler_calls.list; symbols: handler_symbols.allow
  my $handlers = sub {
    my ($what, $mode, $wanted_code, $wanted_text, %files) = @_;
    my $root = tempdir(CLEANUP => 1);
    make_path("$root/platform", "$root/decoders", "$root/runtime");
    my %lists = (graph => '', shipped => '');
    write_file("$root/runtime/$_", $files{$_}) for grep { /\.[ch]$/ } keys %files;
    for my $name (sort grep { /\.c$/ } keys %files) {
      my $text = join "\n", $files{$name}, map { $files{$_} } $files{$name} =~ /#include "(.*)"/g;
      $lists{$_} .= $compile->($root, $_, $name, $text) . "\n" for $mode eq 'calls' ? qw(graph shipped) : 'graph';
    }
    write_file("$root/$_.list", $lists{$_}) for keys %lists;
    write_file("$root/calls", "entry OnTrap : why\n" . ($files{calls} // ''));
    write_file("$root/symbols", $files{symbols} // "# none\n");
    my @rest = $mode eq 'calls' ? ("$root/shipped.list", "$root/symbols") : $root;
    expect("handlers: $what", $wanted_code, $wanted_text, $^X, "$checks/handler_graph.pl", $mode, "$root/graph.list",
      "$root/calls", 'this_cpu', @rest);
  };
  my $mark = 'SOFTLBR_HANDLER_SAFE';
  my $entry = qq(#include "a.h"\nstatic int Local(int a) { return Marked(a) + 1; }\n$mark static int OnTrap(int a) { return Local(a); }\n) .
              "int (*g_handler)(int) = OnTrap;\n";
  my @tree = ('a.h' => "$mark int Marked(int a);\n", 'a.c' => $entry, 'b.h' => '',
    'b.c' => qq(#include "a.h"\nint Marked(int a) { return a; }\n));
  # b.h with that declaration, and b.c with that body.
  my $b = sub { my ($declared, $body) = @_; return ('b.h' => $declared,
  'b.c' => qq(#include "a.h"\n#include "b.h"\n$body)) };
  $handlers->('a sound tree', 'calls', 0, '3 of 3 functions reached in 2 objects, 0 symbols of others, 0 breaches',
    @tree);
  $handlers->('an unmarked function two levels down', 'calls', 1,
              "Control is reached from a handler and is not marked SOFTLBR_HANDLER_SAFE\n    OnTrap (a.c)\n    > Local (a.c)\n    > Marked (b.c)\n    > Control (b.c)\n",
              @tree, $b->("int Control(int a);\n",
              "int Control(int a) { return a; }\nint Marked(int a) { return Control(a); }\n"));
  $handlers->('an unmarked function by its address', 'calls', 1, 'Control is reached from a handler', @tree,
              $b->("int Control(int a);\n",
              "int Control(int a) { return a; }\nint (*g_later)(int);\nint Marked(int a) { g_later = Control; return a; }\n"));
  $handlers->('an unmarked function in a header', 'calls', 1, 'Control is reached from a handler', @tree,
              $b->("__attribute__((weak)) int Control(int a) { return a; }\n",
              "int Marked(int a) { return Control(a); }\n"));
  $handlers->('malloc two levels down', 'calls', 1,
    "malloc is not in symbols\n    OnTrap (a.c)\n    > Local (a.c)\n    > Marked (b.c)\n    > malloc\n",
              @tree, $b->('', "void* malloc(unsigned long);\nint Marked(int a) { return *(int*)malloc(a); }\n"));
  $handlers->('a listed symbol', 'calls', 0, '1 symbols of others, 0 breaches', @tree, symbols => "outside : why\n",
              $b->('', "int outside(int);\nint Marked(int a) { return outside(a); }\n"));
  $handlers->('a symbol that is not needed', 'calls', 1, 'outside is in symbols, but no handler needs it', @tree,
    symbols => "outside : why\n");
  $handlers->('a symbol that may be absent', 'calls', 0, ' 0 breaches', @tree, symbols => "?outside : why\n");
  $handlers->('a symbol that only the compiler calls', 'calls', 1, 'memset is not in symbols', @tree,
              $b->('', "char g_bytes[9999];\nint Marked(int a) { for (int i = 0; i < a; ++i) g_bytes[i] = 0; return a; }\n"));
  $handlers->('a symbol in the cold part of a function', 'calls', 1, 'outside is not in symbols', @tree,
              $b->('', "__attribute__((cold)) int outside(int);\nint Marked(int a) { if (__builtin_expect(a == 7, 0)) return outside(a) + 1; return a; }\n"));
  $handlers->('what no handler reaches', 'calls', 0, ' 0 breaches', @tree,
              $b->('', "void* malloc(unsigned long);\nint Marked(int a) { return a; }\nvoid* Control(int a) { return malloc(a); }\n"));
  $handlers->('the function behind a call at the end', 'calls', 0, '1 symbols of others, 0 breaches', @tree,
    symbols => "outside : why\n",
              $b->('', "int outside(int);\nvoid* malloc(unsigned long);\nint Marked(int a) { return outside(a); }\nvoid* Control(int a) { return malloc(a); }\n"));
  my @pointer = $b->('', "static int Target(int a) { return a; }\nint (*g_target)(int);\nvoid Set(void) { g_target = Target; }\n" .
                         "int Marked(int a) { return g_target(a); }\n");
  $handlers->('a call through a pointer', 'calls', 1, 'Marked calls through a pointer 1 times, not 0 times', @tree,
    @pointer);
  $handlers->('a listed call through a pointer', 'calls', 0, '4 of 5 functions', @tree, @pointer,
    calls => "call Marked 1 -> Target : why\n");
  $handlers->('a call more than listed', 'calls', 1, '1 times, not 2 times', @tree, @pointer,
    calls => "call Marked 2 -> Target : why\n");
  $handlers->('a call listed for another CPU', 'calls', 1, '1 times, not 0 times', @tree, @pointer,
    calls => "on that_cpu call Marked 1 -> Target : why\n");
  $handlers->('a target that is not there', 'calls', 1, 'no function is called Gone', @tree, @pointer,
    calls => "call Marked 1 -> Gone : why\n");
  $handlers->('a listed call that is not there', 'calls', 1, '0 times, not 1 times', @tree,
    calls => "call Marked 1 -> outside : why\n");
  $handlers->('an unmarked function behind a pointer', 'calls', 1, "> Control (b.c), by a pointer\n", @tree,
    calls => "call Marked 1 -> Control : why\n",
              $b->("int Control(int a);\n",
              "int Control(int a) { return a; }\nint (*g_target)(int) = Control;\nint Marked(int a) { return g_target(a); }\n"));
  $handlers->('an unmarked function in a table', 'calls', 1, 'Control is reached from a handler', @tree,
    calls => "call Marked 1 -> kTable : why\n",
              $b->("int Control(int a);\n",
              "int Control(int a) { return a; }\nstatic int (*const kTable[])(int) = {0, Control};\n" .
                                            "int Marked(int a) { return kTable[a](a); }\n"));
  my @cycle = $b->('', "static int Again(int a);\nint Marked(int a) { return a == 0 ? 0 : Again(a - 1); }\nstatic int Again(int a) { return Marked(a) + 1; }\n");
  $handlers->('a cycle', 'calls', 1, "a cycle of calls\n    > Marked (b.c)\n    > Again (b.c)\n    > Marked (b.c)\n",
    @tree, @cycle);
  $handlers->('a listed cycle', 'calls', 0, ' 0 breaches', @tree, @cycle, calls => "cycle Again -> Marked : why\n");
  $handlers->('a listed cycle that is not there', 'calls', 1, 'there is no such call', @tree,
    calls => "cycle Marked -> Marked : why\n");
  $handlers->('a function that calls itself', 'calls', 1, "a cycle of calls\n    > Marked (b.c)\n    > Marked (b.c)\n",
    @tree,
              $b->('', "int Marked(int a) { return a < 2 ? a : Marked(a - 1) + Marked(a - 2); }\n"));
  $handlers->('an entry that is not there', 'calls', 1, 'no function is called Gone', @tree,
    calls => "entry Gone : why\n");

  $handlers->('needed marks', 'marks', 0, '1 marked functions, 0 breaches', @tree);
  $handlers->('a stale mark', 'marks', 1, 'runtime/b.h:1: Control is marked, but no handler reaches it', @tree,
              $b->("$mark int Control(int a);\n",
              "int Control(int a) { return a; }\nint Marked(int a) { return a; }\n"));
  $handlers->('a mark needed elsewhere', 'marks', 0, ' 0 breaches', @tree, calls => "on that_cpu mark Control : why\n",
              $b->("$mark int Control(int a);\n", "int Control(int a) { return a; }\nint Marked(int a) { return a; }\n"));
  $handlers->('a mark said to be needed elsewhere', 'marks', 1, 'Marked is reached on this CPU too', @tree,
    calls => "on that_cpu mark Marked : why\n");
  $handlers->('a line about a mark that is not there', 'marks', 1, 'Control is not marked', @tree, calls => "on that_cpu mark Control : why\n");
  $handlers->('an entry without a mark', 'marks', 1, 'a.c: OnTrap is called from outside or through a pointer and is not marked', @tree,
              'a.c' => $entry =~ s/$mark//r);
  $handlers->('a mark on nothing', 'marks', 1, 'runtime/b.h:1: Control is marked, but in no object', @tree,
              $b->("$mark static inline int Control(int a) { return a; }\n", "int Marked(int a) { return a; }\n"));
  $handlers->('a mark outside of a header', 'marks', 1, 'runtime/b.c:3: Marked is marked outside of a header', @tree, $b->('', "$mark int Marked(int a) { return a; }\n"));
}

# --- folder_readmes.pl
# ------------------------------------------------------------------------------------------------------------
sub folder_readme {
  my ($what, $wanted_code, $wanted_text, $table) = @_;
  my $root = tempdir(CLEANUP => 1);
  make_path("$root/$_/part") for qw(platform decoders runtime toolchain tests studies);
  write_file("$root/runtime/part/$_", '') for qw(one.cc one.h two_test.cc);
  write_file("$root/runtime/part/README.md", "| file | does |\n|---|---|\n$table");
  expect("folder README: $what", $wanted_code, $wanted_text, $^X, "$checks/folder_readmes.pl", $root);
}
folder_readme('whole', 0, '0 breaches', "| `one`, `two` | both |\n");
folder_readme('a missing file', 1, 'runtime/part/README.md does not name two_test.cc', "| `one.*` | one |\n");
folder_readme('a file that is not there', 1, 'names three.cc, which is not there', "| `one`, `two`, `three.cc` | all |\n");
folder_readme('a name in another column', 0, '0 breaches', "| `one`, `two` | like `three.cc` |\n");

# Indexes of pages. ROWS: of docs/decisions/README.md, which has one page, 0001-a.md. PAGES: how many docs has beside
# its index.
sub page_index {
  my ($what, $wanted_code, $wanted_text, $rows, $decision, $pages) = @_;
  my $root = tempdir(CLEANUP => 1);
  my @names = map { "page$_.md" } 1 .. $pages // 1;
  write_file("$root/docs/README.md", join('', map { "[page]($_) " } @names) . "[decisions](decisions/README.md)\n");
  write_file("$root/docs/$_", "a page\n") for @names;
  write_file("$root/docs/decisions/README.md", $rows);
  write_file("$root/docs/decisions/0001-a.md", $decision // "# 0001: A\n\n");
  expect("page index: $what", $wanted_code, $wanted_text, $^X, "$checks/page_index.pl", $root);
}
page_index('whole', 0, "0 breaches\n", "| [0001](0001-a.md) | a | in force |\n");
page_index('a missing row', 1, '0001-a.md is missing', "\n");
page_index('a row without a page', 1, 'there is no 0002-b.md', "| [0001](0001-a.md) | a | in force |\n| [0002](0002-b.md) | b | in force |\n");
page_index('a row without a status', 1, 'not a number, a decision and a status', "| [0001](0001-a.md) | a | |\n");
page_index('a page that does not say that it is replaced', 1, '0001-a.md: does not say', "| [0001](0001-a.md) | a | replaced by 0002 |\n");
page_index('a page that says that it is replaced', 0, "0 breaches\n", "| [0001](0001-a.md) | a | replaced by 0002 |\n",
           "# 0001: A\n\nReplaced by 0002.\n");
page_index('as many pages as there may be', 0, "0 breaches\n", "| [0001](0001-a.md) | a | in force |\n", undef, 15);
page_index('one page too many', 1, 'docs has 17 pages', "| [0001](0001-a.md) | a | in force |\n", undef, 16);

# Results: FILE => NAME of a failed test, or PASSED.
sub summary {
  my ($what, $wanted_code, $wanted_text, %results) = @_;
  my $folder = tempdir(CLEANUP => 1);
  for my $file (keys %results) {
    my $cases = join '', map { $_->[1] ? qq(<testcase name="$_->[0]" status="run"/>\n) : qq(<testcase name="$_->[0]" status="fail"><failure message="Failed"/></testcase>\n) } @{$results{$file}};
    write_file("$folder/$file.xml", "<testsuite>\n$cases</testsuite>\n");
  }
  expect("summary: $what", $wanted_code, $wanted_text, $^X, "$checks/summarize_tests.pl", $folder);
}
summary('all pass', 0, "2 passed, 0 failed\n", 'release' => [['A.a', 1], ['A.b', 1]]);
summary('a failed test', 1, "1 passed, 1 failed\n", 'release' => [['A.a', 1], ['A.b', 0]]);
summary('an unsteady test', 0, "release: A.b\n\n2 passed, 0 failed\n", 'release' => [['A.a', 1], ['A.b', 0]], 'release.again' => [['A.b', 1]]);
summary('a test that fails twice', 1, "1 passed, 1 failed\n", 'release' => [['A.a', 1], ['A.b', 0]], 'release.again' => [['A.b', 0]]);
summary('another build\'s test', 1, "0 passed, 1 failed\n", 'clang' => [['A.b', 0]], 'release.again' => [['A.b', 1]]);
summary('three unsteady tests', 1, "1 passed, 3 failed\n", 'release' => [map { ["A.$_", $_ eq 'd' ? 1 : 0] } qw(a b c d)],
        'release.again' => [map { ["A.$_", 1] } qw(a b c)]);

# A program in a guest, whose tests are, in both runs, what RUNS says: PASSED, FAILED, SKIPPED, or CRASHED, which leaves
# no results.
sub guest_runs {
  my ($what, $wanted_code, $wanted_text, @tests) = @_;
  my $folder = tempdir(CLEANUP => 1);
  my $program = "$folder/programs/odd_tests";
  write_file($program, "#!$^X\n" . <<'END');
use strict;
use warnings;
my (@tests) = do { open my $in, '<', "$0.runs" or die; map { chomp; [split / /] } <$in> };
my ($filter, $xml) = map { /^--gtest_(?:filter|output)=(?:xml:)?(.*)/ } @ARGV;
my $run = $filter eq '*' ? 1 : 2;
my %chosen = map { $_ => 1 } split /:/, $filter;
my $code = 0;
my $cases = '';
for my $test (@tests) {
  my ($name, $became) = @{$test}[0, $run];
  next unless $run == 1 || $chosen{$name};
  my ($suite, $short) = $name =~ /^(.*)\.(.*)$/;
  kill 'SEGV', $$ if $became eq 'CRASHED';
  my $result = $became eq 'SKIPPED' ? 'skipped' : 'completed';
  my $body = {FAILED => '<failure message="late"/>', SKIPPED => '<skipped message="why&#x0A;no counter"/>'}->{$became} // '';
  $cases .= qq(<testcase name="$short" status="run" result="$result" classname="$suite">$body</testcase>\n);
  if ($became eq 'FAILED') { $code = 1; print "[  FAILED  ] $name, where GetParam() = 4 (17 ms)\n" }
}
open my $out, '>', $xml or die;
print $out "<testsuite>\n$cases</testsuite>\n";
exit $code;
END
  chmod 0755, $program or die;
  write_file("$program.runs", join '', map { "@$_\n" } @tests);
  write_file("$folder/out/.keep", '');
  my $runner = "$checks/../../toolchain/scripts/guest/run_tests.sh";
  expect("guest: $what", $wanted_code, $wanted_text, 'sh', '-c',
         'SOFTLBR_OUT="$1/out" sh "$2" 20 "$3" >"$1/log" 2>&1; perl "$4" "$1/out"', 'sh', $folder, $runner, $program, "$checks/summarize_tests.pl");
}
my $timed = 'SessionStall.EndsWithinTenMilliseconds';
guest_runs('all pass', 0, "2 passed, 0 failed\n", [$timed, 'PASSED', 'CRASHED'], ['Plain.Test', 'PASSED', 'CRASHED']);
guest_runs('an unsteady test', 0, "odd_tests: $timed\n\n2 passed, 0 failed\n", [$timed, 'FAILED', 'PASSED'], ['Plain.Test', 'PASSED', 'CRASHED']);
guest_runs('an unsteady test with a parameter', 0, "unsteady", ["Some/$timed/3", 'FAILED', 'PASSED']);
guest_runs('a test that fails twice', 1, "0 passed, 1 failed\n", [$timed, 'FAILED', 'FAILED']);
guest_runs('a test that compares no times', 1, "0 passed, 1 failed\n", ['Plain.Test', 'FAILED', 'PASSED']);
guest_runs('another suite\'s test of the same name', 1, "odd_tests: Plain.EndsWithinTenMilliseconds\n\n1 passed, 1 failed\n",
           [$timed, 'FAILED', 'PASSED'], ['Plain.EndsWithinTenMilliseconds', 'FAILED', 'PASSED']);
guest_runs('a test that is skipped when run again', 1, "0 passed, 1 failed\n", [$timed, 'FAILED', 'SKIPPED']);
guest_runs('a crash', 1, "odd_tests ended with 139 and left no results", [$timed, 'CRASHED', 'PASSED']);
guest_runs('a crash beside a timing test', 1, "odd_tests ended with 139 and left no results", [$timed, 'FAILED', 'PASSED'], ['Plain.Test', 'CRASHED', 'PASSED']);
guest_runs('a crash of the second run', 1, "0 passed, 1 failed\n", [$timed, 'FAILED', 'CRASHED']);

print $failures ? "$failures checks do not notice what they should\n" : "every check notices what it should\n";
exit($failures ? 1 : 0);

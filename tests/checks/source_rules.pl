#!/usr/bin/perl
# Rules about the text of the tree that no compiler checks.
#
# Use: source_rules.pl RULE ROOT      RULE: layers | targets | forbidden | basenames | lengths | contracts | scripts |
#                                    folders | glossary | exceptions
# Exit 0 and a line that counts what was checked, or 1 and one line per breach. source_exceptions.list, beside this
# script, lists exceptions: "rule <tab or blanks> subject : reason". An exception that nothing needs is a breach too
# (rule `exceptions`), so the list cannot rot.
use strict;
use warnings;
use File::Basename qw(basename dirname);
use File::Find;

my ($rule, $root) = @ARGV;
die "usage: source_rules.pl RULE ROOT\n" unless defined $root && -d "$root/runtime";

my @breaches;
my %exceptions;  # rule -> subject -> reason
my %used;
{
  my $file = dirname($0) . '/source_exceptions.list';
  open my $in, '<', $file or die "$file: $!\n";
  while (<$in>) {
    next if /^\s*(#|$)/;
    /^(\S+)\s+(.+?)\s+:\s+(\S.*)$/ or die "$file:$.: expected 'rule subject : reason'\n";
    $exceptions{$1}{$2} = $3;
  }
}

sub breach {
  my ($which, $subject, $text) = @_;
  if (exists $exceptions{$which}{$subject}) { $used{$which}{$subject} = 1 }
  else { push @breaches, "$which: $text" }
}

# Source files below the given folders, relative to root.
sub sources {
  my ($pattern, @folders) = @_;
  my @files;
  find({no_chdir => 1, wanted => sub {
    if (-d && (basename($_) eq 'build' || basename($_) =~ /^\../)) { $File::Find::prune = 1; return }
    push @files, substr($_, length($root) + 1) if -f && $_ =~ $pattern;
  }}, grep { -d } map { "$root/$_" } @folders);
  my @sorted = sort @files;
  return @sorted;
}

my $code = qr/\.(?:h|cc|c|S|inc|def)$/;
my @all_folders = qw(runtime platform decoders toolchain tests scratch);

sub text_of {
  my ($file) = @_;
  open my $in, '<', "$root/$file" or die "$file: $!\n";
  local $/;
  return scalar <$in>;
}
# With comments and the contents of strings blanked, lines kept.
sub code_of {
  my ($file) = @_;
  my $text = text_of($file);
  $text =~ s{("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|//[^\n]*|/\*.*?\*/}
            {my $kept = $1; my $lines = ($& =~ tr/\n//); defined $kept ? ($kept =~ /^"/ ? '""' : "' '") : "\n" x $lines}gse;
  return $text;
}

# --- layers: quoted includes obey folders.list
# --------------------------------------------------------------------------- folder -> {folder that it may include ->
# 1}; itself among them.
sub folder_table {
  my %allowed;
  my $file = dirname($0) . '/folders.list';
  open my $in, '<', $file or die "$file: $!\n";
  while (my $line = <$in>) {
    next if $line =~ /^\s*(#|$)/;
    $line =~ /^(\S+) : (\S.*)$/ or die "$file:$.: expected 'folder : folders'\n";
    my ($folder, @named) = ($1, grep { $_ ne '-' } split ' ', $2);
    push @breaches, "layers: folders.list:$.: $folder stands there twice" if $allowed{$folder};
    for my $named (@named) {
      push @breaches, "layers: folders.list:$.: $folder may not include $named, which does not stand above it"
        unless $allowed{$named};
    }
    $allowed{$folder} = {map { $_ => 1 } $folder, @named};
  }
  return %allowed;
}

sub check_layers {
  my $count = 0;
  my %allowed = folder_table();
  my %needed;
  for my $file (sources($code, qw(runtime platform decoders toolchain))) {
    my $text = text_of($file);
    my $folder = dirname($file);
    push @breaches, "layers: $file lies in a folder that folders.list does not name" unless $allowed{$folder};
    while ($text =~ /^[ \t]*#[ \t]*include[ \t]+"([^"]+)"/mg) {
      my $target = $1;
      ++$count;
      # "softlbr/..." is the public spelling of the C API.
      my $path = $target =~ m{^softlbr/} ? "runtime/include/$target" : $target;
      $needed{$folder}{dirname($path)} = 1;
      if (!-f "$root/$path" && $path !~ m{/generated/}) {
        push @breaches, "layers: $file includes \"$target\", which is no path from the top of the tree";
      } elsif (!$allowed{$folder}{dirname($path)}) {
        breach('layers', "$file -> $path", "$file may not include $path");
      }
    }
    # Neither may a device folder reach the C++ library.
    next if $file =~ m{^toolchain/};
    while ($text =~ /^[ \t]*#[ \t]*include[ \t]+<([a-z_]+)>/mg) {
      my $header = $1;
      next if $header =~ /^(atomic|bit|cstdarg|cstddef|cstdint|cstring|initializer_list|limits|type_traits|utility)$/;
      breach('layers', "$file -> <$header>", "$file may not include <$header>: the device side has no C++ library");
    }
  }
  # A permission that no file uses is a breach, so the list shows the actual dependencies.
  for my $folder (sort keys %allowed) {
    for my $named (sort keys %{$allowed{$folder}}) {
      next if $named eq $folder || $named =~ m{^platform(/base)?$|^decoders/api$} || $needed{$folder}{$named};
      push @breaches, "layers: $folder includes nothing of $named any more";
    }
  }
  return "$count includes";
}

# --- targets: OS and CPU macros are tested in one file
# -------------------------------------------------------------------
sub check_targets {
  my $count = 0;
  for my $file (sources($code, qw(runtime platform decoders toolchain))) {
    ++$count;
    next if $file eq 'platform/base/config.h';
    next if $file eq 'runtime/include/softlbr/decoders.h';  # installed without platform/
    my $line = 0;
    for (split /\n/, code_of($file)) {
      ++$line;
      next unless /\b(__linux__|__ANDROID__|__APPLE__|_WIN32|__x86_64__|__aarch64__|__arm__|__i386__)\b/;
      breach('targets', $file, "$file:$line: tests $1; platform/base/config.h is the only file that may");
    }
  }
  return "$count files";
}

# --- forbidden: words that must not be used in code
# ----------------------------------------------------------------------
my @device_words = (
  [qr/\bthread_local\b|\b__thread\b/, 'thread-local storage allocates or is absent in raw threads'],
  [qr/\bstd::(string|string_view|vector|map|set|function|unordered_map|mutex|thread|unique_ptr|shared_ptr|optional|variant)\b/,
   'the device side has no C++ library'],
  [qr/(?<![\w:])(malloc|calloc|realloc|free|posix_memalign|aligned_alloc)\s*\(/, 'the device side has no heap'],
  [qr/\bnew\b(?!\s*\()[^;]*[;(]|\bdelete\b(?!\s*[;,)])/, 'the device side has no heap'],
  [qr/\b(throw|catch)\b/, 'the device side has no exceptions'],
  [qr/\b(dynamic_cast|typeid)\b/, 'the device side has no run-time types'],
  [qr/\bF_SET(SIG|OWN|OWN_EX)\b|\bO_ASYNC\b|\bSIGRT\w+|\bSIGIO\b/,
   'a real-time signal queue that overflows becomes SIGIO and kills; perf events raise SIGTRAP themselves'],
  [qr/\berrno\b/, 'raw system calls return their error; errno is the app\'s'],
);

sub check_forbidden {
  my $count = 0;
  my @words_everywhere = ([qr/PERF_EVENT_IOC_REFRESH/, 'breakpoints die or the machine hangs (docs/kernel_limits.md)']);
  for my $file (sources($code, @all_folders)) {
    ++$count;
    my $is_device = $file =~ m{^(runtime|platform|decoders)/};
    my $line = 0;
    for (split /\n/, code_of($file)) {
      ++$line;
      next if /^\s*#\s*(pragma\s+GCC\s+poison|include)/;
      for my $word (@words_everywhere, $is_device ? @device_words : ()) {
        next unless $_ =~ $word->[0];
        my $found = $&;
        next if $found =~ /delete/ && /=\s*delete/;
        breach('forbidden', "$file $found", "$file:$line: '$found': $word->[1]");
      }
    }
  }
  return "$count files";
}

# --- basenames: unique across the tree, as archives and size reports know files by them
# --------------------------------
sub check_basenames {
  my %seen;
  my $count = 0;
  for my $file (sources(qr/\.(?:h|cc|c|S)$/, @all_folders)) {
    ++$count;
    my $name = basename($file);
    $name =~ s/\.(cc|c|S)$/.<source>/;  # x.cc and x.c make the same object name
    push @{$seen{$name}}, $file;
  }
  for my $name (sort keys %seen) {
    breach('basenames', $name, "@{$seen{$name}} share a name") if @{$seen{$name}} > 1;
  }
  return "$count names";
}

# --- lengths
# ---------------------------------------------------------------------------------------------------------------
my $longest_lines = 600;
sub check_lengths {
  my $count = 0;
  for my $file (sources(qr/\.(?:h|cc|c|S|pl|pm|sh|cmake)$/, @all_folders)) {
    ++$count;
    my $lines = (text_of($file) =~ tr/\n//);
    breach('lengths', $file, "$file has $lines lines, more than $longest_lines: is it about two things?")
      if $lines > $longest_lines;
  }
  return "$count files";
}

# --- columns: rows of tables in pages, which cannot be broken, may be longer
# ------------------------------------------------
my $most_columns = 120;
sub check_columns {
  my $count = 0;
  my @files = sources(qr{\.(?:h|cc|c|S|inc|def|md|pl|pm|sh|cmake|sql)$|/CMakeLists\.txt$}, @all_folders,
    qw(bench docs studies));
  for my $file (grep { !m{/(?:corpus|golden|inputs)/} } @files, grep { -f "$root/$_" } qw(README.md CMakeLists.txt)) {
    ++$count;
    my $line = 0;
    for (split /\n/, text_of($file)) {
      ++$line;
      utf8::decode($_);
      next if length() <= $most_columns || ($file =~ /\.md$/ && /^\s*\|/);
      breach('columns', $file, "$file:$line: " . length() . " columns, more than $most_columns");
    }
  }
  return "$count files";
}

# --- contracts: a comment of a header that is installed says what its caller must know before anything else
# ----------------
my $longest_contract = 6;
sub check_contracts {
  my $count = 0;
  for my $file (sources(qr/\.h$/, 'runtime/include/softlbr'), sources(qr{/(?:ir|plugin)\.h$}, 'decoders/api')) {
    my $text = text_of($file);
    while ($text =~ m{/\*(.*?)\*/}gs) {
      ++$count;
      my $line = 1 + (substr($text, 0, $-[0]) =~ tr/\n//);
      my ($contract) = split /\n *\* *\n/, $1;
      my $lines = 1 + ($contract =~ tr/\n//);
      breach('contracts', $file, "$file:$line: $lines lines before the first empty one, more than $longest_contract: what is a detail?")
        if $lines > $longest_contract;
    }
  }
  return "$count comments";
}

# --- scripts: Perl beside sh, and no other language. What a test records may be in any
# -------------------------------------
my $most_perl_lines = 5000;  # outside studies
sub check_scripts {
  my ($count, $perl_lines) = (0, 0);
  my $other = qr/python[\d.]*|ruby|node|lua[\d.]*|tclsh|php/;
  for my $file (sources(qr/./, qw(runtime platform decoders toolchain tests bench studies docs))) {
    next unless -T "$root/$file";
    next if $file =~ m{^tests/(differential/inputs|fuzz/corpus)/};  # recorded programs, and bytes of any kind
    my $text = text_of($file);
    my $is_text_of_ours = $file =~ /\.(?:sh|pl|pm|cmake)$|CMakeLists\.txt$/ || $text =~ /^#!/;
    if ($file =~ /\.(py|rb|js|lua|tcl|php)$/ || $text =~ /^#!.*\b($other)\b/) {
      breach('scripts', $file, "$file is a script in $1: scripts are in sh or Perl");
    } elsif ($is_text_of_ours && $text =~
        /\|\s*($other) -|\b($other) - |find_program\(\w+ ($other)|find_package\((Python)/) {
      breach('scripts', $file, "$file asks @{[$1 // $2 // $3 // $4]} for something: scripts are in sh or Perl");
    }
    ++$count if $is_text_of_ours;
    $perl_lines += $text =~ tr/\n// if $file =~ /\.p[lm]$/ && $file !~ m{^studies/};
  }
  push @breaches, "scripts: $perl_lines lines of Perl outside studies, more than $most_perl_lines"
    if $perl_lines > $most_perl_lines;
  return "$count files, $perl_lines lines of Perl outside studies";
}

# --- folders: few enough files to choose from; of the programs that tests run, each is on its own
# -------------------------
my $most_files = 25;
sub check_folders {
  my %files;
  ++$files{dirname($_)} for sources(qr/./, qw(runtime platform decoders toolchain tests bench studies docs));
  for my $folder (sort keys %files) {
    next if $files{$folder} <= $most_files || $folder =~ m{^tests/(?:.*/)?programs$};
    breach('folders', $folder, "$folder has $files{$folder} files, more than $most_files");
  }
  return scalar(keys %files) . ' folders';
}

# --- glossary: one word for one thing
# ------------------------------------------------------------------------------------
# Words of a text, in lower case and with a blank between them: those of identifiers too (kHitCount, hit_count).
sub words_of {
  my ($text) = @_;
  $text =~ s/([a-z0-9])([A-Z])/$1 $2/g;
  $text =~ s/[_-]/ /g;
  return lc $text;
}

sub check_glossary {
  my $file = 'docs/glossary.md';
  return 'no glossary' unless -f "$root/$file";
  my (@terms, %instead_of);  # a word that must not stand anywhere -> the term
  for (split /\n/, text_of($file)) {
    next unless /^\|/ && !/^\|-/;
    my (undef, $names, undef, $not) = split /\s*\|\s*/, $_, -1;
    next if $names eq 'term';
    push @terms, $names;
    $instead_of{words_of($_)} = $names for grep { length } split /, */, $not;
  }
  for my $i (1 .. $#terms) {
    push @breaches, "glossary: '$terms[$i]' must come before '$terms[$i - 1]': the terms are in alphabetical order"
      if lc $terms[$i] lt lc $terms[$i - 1];
  }
  my $not = join '|', map { quotemeta } sort keys %instead_of;
  my %used_terms;
  my @files = sources(qr/\.(?:h|cc|c|S|inc|def|md|pl|pm|sh|cmake|txt|list|allow)$/, @all_folders, 'docs', 'bench',
    'examples');
  push @files, 'README.md' if -f "$root/README.md";
  for my $source (@files) {
    next if $source eq $file || $source eq 'tests/checks/source_exceptions.list' || $source =~ m{/(?:corpus|golden)/};
    my $text = words_of(text_of($source));
    $used_terms{$_} ||= $text =~ /(?<![a-z])\Q@{[words_of($_)]}\E/ for map { split /, */ } @terms;
    next unless length $not;
    my $line = 0;
    for (split /\n/, $text) {
      ++$line;
      while (/(?<![a-z])($not)(?![a-z])/g) {
        breach('glossary', "$source $1", "$source:$line: '$1' is '$instead_of{$1}' in $file");
      }
    }
  }
  for my $names (@terms) {
    push @breaches, "glossary: nobody says '$names'" unless grep { $used_terms{$_} } split /, */, $names;
  }
  return scalar(@files) . ' files, ' . scalar(@terms) . ' terms';
}

my %checks = (layers => \&check_layers, targets => \&check_targets, forbidden => \&check_forbidden,
              basenames => \&check_basenames, lengths => \&check_lengths, columns => \&check_columns,
              contracts => \&check_contracts, scripts => \&check_scripts, folders => \&check_folders,
              glossary => \&check_glossary);
my $looked_at;
if ($rule eq 'exceptions') {
  $_->() for values %checks;
  @breaches = ();
  for my $which (sort keys %exceptions) {
    push @breaches, "exceptions: there is no rule '$which'" unless $checks{$which};
    for my $subject (sort keys %{$exceptions{$which}}) {
      push @breaches, "exceptions: '$which $subject' is not needed any more" unless $used{$which}{$subject};
    }
  }
  $looked_at = 'all exceptions';
} else {
  my $check = $checks{$rule} or die "no rule '$rule'\n";
  $looked_at = $check->();
}
print "$_\n" for @breaches;
print "$rule: $looked_at, ", scalar(@breaches), " breaches\n";
exit(@breaches ? 1 : 0);

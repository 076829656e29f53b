#!/usr/bin/perl
# Walks the call graph from the trap handler and fails, with the path, where it reaches what may not run in a handler.
#
# Use: handler_graph.pl calls GRAPH_OBJECTS CALLS CPU SHIPPED_OBJECTS SYMBOLS
#      handler_graph.pl marks GRAPH_OBJECTS CALLS CPU ROOT
#
# GRAPH_OBJECTS, SHIPPED_OBJECTS: files that list objects, separated by newlines, blanks or semicolons.
#   Graph objects are the device sources compiled once more: -O0, so that nothing is inlined, cloned or merged and each
#   call of the source is a call of the object; a section for each function and variable; SOFTLBR_HANDLER_GRAPH, with
#   which SOFTLBR_HANDLER_SAFE gives a symbol protected visibility (CMakeLists.txt, platform/base/attributes.h).
#   Shipped objects are those that are linked into the app. They tell what the compiler makes of that code.
# CALLS: handler_calls.list: where the walk begins, and where calls through pointers lead. Grammar: its heading.
# SYMBOLS: handler_symbols.allow: "symbol : reason" a line. "?symbol" may be absent.
# ROOT: top of the tree. CPU: the folder name of the CPU that is built for.
#
# calls  Walks the graph objects and fails for each of these:
#        - a function with external linkage that is not marked. The walk stops there. Needing no mark: functions of
#          namespace std, lambdas, inline constructors and destructors (the compiler writes many of them). The walk goes
#          on through these.
#        - a call through a pointer that CALLS does not list, and a cycle of calls.
#        - a symbol of others that SYMBOLS does not list. The shipped objects decide: a function of theirs is looked at
#          if the walk has reached it, under its own name or as a clone of it, or if such a function calls it.
#        - a line of CALLS or SYMBOLS that nothing needs.
# marks  Fails for a mark on a function that the walk does not reach, for a mark in a header on a function that is in no
#        graph object, and for a mark outside of headers; functions of a .cc file that CALLS names as entries or targets
#        must have one.
# Taking a function's address counts as calling it, also through a table of pointers.
# Not seen: loops without bound, system calls that block, what the listed symbols of others do.
# Environment: OBJDUMP overrides the tool.
use strict;
use warnings;
use File::Basename qw(basename);
use File::Find;
no warnings 'recursion';

my ($rule, $graph_list, $calls_file, $cpu, @rest) = @ARGV;
die "usage: handler_graph.pl calls GRAPH CALLS CPU SHIPPED SYMBOLS | marks GRAPH CALLS CPU ROOT\n"
  unless @rest && @rest == ({calls => 2, marks => 1}->{$rule} // 0);
my $objdump = $ENV{OBJDUMP} || 'objdump';
my @breaches;

sub lines_of {
  my ($file) = @_;
  open my $in, '<', $file or die "$file: $!\n";
  my @lines = grep { !/^\s*(#|$)/ } <$in>;
  chomp @lines;
  return @lines;
}
sub output_of {
  my @command = @_;
  open my $pipe, '-|', @command or die "$command[0]: $!\n";
  my @lines = <$pipe>;
  close $pipe or die "$command[0] failed\n";
  chomp @lines;
  return @lines;
}

# --- objects
# ------------------------------------------------------------------------------------------------------------- Returns
# {nodes, marked, count}. A node is a function or a variable. Its key is the symbol's name, with the object's in front
# if the symbol is local: {is_function, is_public, is_weak, object, edges: key -> 2 for a call, 1 for another use;
# aliases: key -> 1; indirect: how many calls through pointers}. An edge to a key without a node leads outside. marked:
# name -> 1.
# $has_tables: pointers in variables are edges of theirs.
# Of a function that several objects contain the first one counts: they are the same.
sub read_objects {
  my ($list, $has_tables) = @_;
  my @files = map { split /[;\s]+/ } lines_of($list);
  die "$list: no objects\n" unless @files;
  my %nodes;
  my %marked;
  my %symbols;  # object -> name -> key
  my %starts;   # object -> section -> [[offset, key], ...]
  my ($object, $section, $node) = ('', '', undef);

  for (output_of($objdump, '-t', @files)) {
    if (/^(.*):\s+file format /) { $object = basename($1) =~ s/\.o$//r; next }
    # offset, seven columns of flags, section, size, visibility, name
    /^([0-9a-f]+) (.{7}) (\S+)\t[0-9a-f]+\s+(?:(\.\w+|0x[0-9a-f]+)\s+)?(\S+)$/ or next;
    my ($offset, $flags, $where, $visibility, $name) = (hex $1, $2, $3, $4 // '', $5);
    $marked{$name} = 1 if $visibility eq '.protected';
    next if $where =~ /^\*(UND|ABS)\*$/ || $flags =~ /d/ || $name =~ /^\$/;  # $x, $d: what AArch64 has at an address
    my $is_local = $flags =~ /^l/;
    my $is_function = $where =~ /^\.text/ ? 1 : 0;
    my $key = $is_local ? "$object:$name" : $name;
    $symbols{$object}{$name} = $key;
    push @{$starts{$object}{$where}}, [$offset, $key];
    $nodes{$key} //= {is_function => $is_function, is_public => !$is_local, is_weak => $flags =~ /^.w/ ? 1 : 0,
                      object => $object, edges => {}, aliases => {}, indirect => 0, name => $name};
  }
  for my $list (map { values %$_ } values %starts) {
    @$list = sort { $a->[0] <=> $b->[0] || $a->[1] cmp $b->[1] } @$list;
    for my $i (1 .. $#$list) {
      my ($one, $other) = ($list->[$i - 1], $list->[$i]);
      next unless $one->[0] == $other->[0] && $one->[1] ne $other->[1];
      $nodes{$one->[1]}{aliases}{$other->[1]} = $nodes{$other->[1]}{aliases}{$one->[1]} = 1;
    }
  }

  # The key of what lies at an offset of a section. Data without a symbol: a node for the section.
  my $at = sub {
    my ($where, $offset) = @_;
    my $found;
    for (@{$starts{$object}{$where} // []}) { $found = $_->[1] if !defined $found || $_->[0] <= $offset }
    return $found if defined $found || $where =~ /^\.text/;
    $found = "$object:$where";
    $nodes{$found} //= {is_function => 0, is_public => 0, is_weak => 0, object => $object, edges => {}, aliases => {},
      indirect => 0};
    return $found;
  };
  my $relocation = qr/\s+(R_\w+)\s+(\S+?)(?:([+-])0x([0-9a-f]+))?$/;
  my $refer = sub {
    my ($kind, $type, $target, $sign, $addend) = @_;
    return if $type =~ /_NONE$/ || $target =~ /^\*|^_GLOBAL_OFFSET_TABLE_$/;
    my $key = $symbols{$object}{$target};
    if (!defined $key && $target =~ /^\./) {  # a section and an offset
      my $offset = defined $addend ? hex($addend) * ($sign eq '-' ? -1 : 1) : 0;
      $offset += 4 if $type =~ /^R_X86_64_(PC32|PLT32)$/;  # relative to the operand's end
      $key = $at->($target, $offset);
      return unless defined $key;
    }
    my $edge = \$node->{edges}{$key // $target};
    $$edge = $kind if $kind > ($$edge // 0);
  };

  my $direct = qr/^(?:(?:callq?|bl)\s()|(?:j[a-z]+|b(?:\.[a-z]+)?|cbn?z|tbn?z)\s)/;
  my ($instruction, $was_indirect, $resolved) = ('', 0, undef);
  for (output_of($objdump, '-dr', '--no-show-raw-insn', @files), '') {
    if (defined $resolved) {
      $node->{edges}{$resolved} = 2 unless /:\s+R_\w+\s/;
      $resolved = undef;
    }
    if (/^(.*):\s+file format /) { $object = basename($1) =~ s/\.o$//r }
    if (/^Disassembly of section /) { $node = undef; next }
    if (/^[0-9a-f]+ <(.*)>:$/) {
      my $key = $symbols{$object}{$1} // next;
      $node = $nodes{$key};
      $node = undef if ($node->{read_from} //= $object) ne $object;
    } elsif (!defined $node) {
      next;
    } elsif (/^\s+[0-9a-f]+:$relocation/) {
      my @what = ($1, $2, $3, $4);
      # A call through the linker's table of addresses is a call of the symbol.
      --$node->{indirect} if $was_indirect && $what[0] =~ /GOTPCREL/;
      $refer->($was_indirect || $instruction =~ $direct ? 2 : 1, @what);
      $was_indirect = 0;
    } elsif (/^\s+[0-9a-f]+:\s+(.*)$/) {
      $instruction = $1;
      $was_indirect = $instruction =~ /^(?:(?:notrack|bnd)\s+)*(?:call|jmp)q?\s+\*|^bl?ra?[ab]?z?\s+x\d/ ? 1 : 0;
      $node->{indirect} += $was_indirect;
      # The assembler itself resolves a call inside of a section; what it has not, the next line tells. A jump to the
      # own beginning is a loop.
      if ($instruction =~ $direct) {
        my $is_call = defined $1;
        my $key = $instruction =~ /<([^>+]+)>/ ? $symbols{$object}{$1} : undef;
        $resolved = $key if defined $key && ($is_call || $nodes{$key} != $node);
      }
    }
  }
  # Tables of pointers.
  for ($has_tables ? output_of($objdump, '-r', @files) : ()) {
    if (/^(.*):\s+file format /) { $object = basename($1) =~ s/\.o$//r }
    elsif (/^RELOCATION RECORDS FOR \[(.*)\]:$/) { $section = $1 }
    elsif ($section =~ /^\.(data|rodata|bss|tdata)/ && /^([0-9a-f]+)$relocation/) {
      my ($offset, @what) = (hex $1, $2, $3, $4, $5);
      $node = $nodes{$at->($section, $offset)};
      $refer->(2, @what);
    }
  }
  return {nodes => \%nodes, marked => \%marked, count => scalar @files};
}

# --- names
# ---------------------------------------------------------------------------------------------------------------
# platform::OnTrap for softlbr::platform::(anonymous namespace)::OnTrap(int, ...): without parameters, our namespace and
# linkage.
my (%short, %full);
sub learn_names {
  my (@keys) = @_;
  my @mangled = map { s/.*://r } @keys;
  while (@keys) {
    my @some = splice @mangled, 0, 500;
    my @plain = output_of('c++filt', '-p', @some);
    my @whole = output_of('c++filt', @some);
    for my $i (0 .. $#some) {
      my $key = shift @keys;
      $short{$key} = $plain[$i] =~ s/\bsoftlbr:://gr =~ s/\(anonymous namespace\):://gr;
      $full{$key} = $whole[$i];
    }
  }
}

my $graph = read_objects($graph_list, 1);
my ($nodes, $marked) = @$graph{qw(nodes marked)};
learn_names(sort keys %$nodes);
my %named;  # short name -> keys
push @{$named{$short{$_}}}, $_ for sort keys %$nodes;
sub key_of {
  my ($name, $where) = @_;
  return $name if $nodes->{$name};  # one of several functions of a name: the symbol
  my @keys = @{$named{$name} // []};
  @keys = grep { $nodes->{$_}{is_function} } @keys if grep { $nodes->{$_}{is_function} } @keys;
  if (@keys != 1) {
    push @breaches, "$where: " . (@keys ? 'several functions are' : 'no function is') . " called $name";
    return undef;
  }
  return $keys[0];
}

# --- the list of entries and of calls through pointers
# -------------------------------------------------------------------
my @entries;
my %listed;  # key of the caller -> {count, targets, line, used}
my %cycles;  # "caller callee" -> line
my %elsewhere;  # short name of a marked function -> the CPU that needs the mark
for (lines_of($calls_file)) {
  my $line = basename($calls_file) . ": $_";
  my $only = s/^on (\w+) (?=call|mark)// ? $1 : $cpu;
  next if $only ne $cpu && !/^mark/;
  if (/^entry (\S+) : \S/) {
    my $key = key_of($1, $line);
    push @entries, $key if defined $key;
  } elsif (/^call (\S+) (\d+) -> (.*?) : \S/) {
    my ($caller, $count, $targets) = ($1, $2, $3);
    my $key = key_of($caller, $line) // next;
    my @targets = grep { defined } map { $_ eq 'outside' ? () : key_of($_, $line) } split ' ', $targets;
    $listed{$key} = {count => $count, targets => \@targets, line => $line};
  } elsif (/^cycle (\S+) -> (\S+) : \S/) {
    my ($caller, $callee) = map { key_of($_, $line) } $1, $2;
    $cycles{"$caller $callee"} = $line if defined $caller && defined $callee;
  } elsif (/^mark (\S+) : \S/) {
    $elsewhere{$1} = $only;
  } else {
    die "$line: see the heading of that file\n";
  }
}

# --- the walk
# ------------------------------------------------------------------------------------------------------------
sub needs_mark {
  my ($key) = @_;
  my $node = $nodes->{$key};
  return 0 unless $node->{is_function} && $node->{is_public};
  return 0 if $short{$key} =~ /^(?:std|__gnu_cxx)::/ || $short{$key} =~ /\{lambda/ || $key =~ /^_ZZ/;
  return 0 if $node->{is_weak} && $short{$key} =~ /(?:^|::)(\w+)(?:<.*>)?::~?\1$/;
  return 1;
}
sub is_marked { my ($key) = @_; return $marked->{$key} }

# key -> key it was first reached from ('' for an entry). With $through_unmarked the walk does not stop at unmarked
# functions.
sub walk {
  my ($through_unmarked) = @_;
  my %from = map { $_ => '' } @entries;
  my @queue = @entries;
  while (defined(my $key = shift @queue)) {
    next if !$through_unmarked && needs_mark($key) && !is_marked($key);
    my $node = $nodes->{$key};
    for my $next (sort(keys %{$node->{edges}}, keys %{$node->{aliases}}),
        @{$listed{$key} ? $listed{$key}{targets} : []}) {
      next if exists $from{$next} || !$nodes->{$next};
      $from{$next} = $key;
      push @queue, $next;
    }
  }
  return \%from;
}
sub said { my ($key) = @_; return "$short{$key} (" . ($nodes->{$key}{object}) . ')' }
sub path_to {
  my ($from, $key) = @_;
  my @path;
  for (my $step = $key; $step ne ''; $step = $from->{$step}) { unshift @path, $step }
  my $text = '';
  for my $i (0 .. $#path) {
    my $is_listed = $i && !$nodes->{$path[$i - 1]}{edges}{$path[$i]};
    $text .= sprintf "    %s%s%s\n", $i ? '> ' : '', said($path[$i]), $is_listed ? ', by a pointer' : '';
  }
  return $text;
}

my $summary;
if ($rule eq 'calls') {
  my ($shipped_list, $symbols_file) = @rest;
  my $from = walk(0);
  my %stops;
  for my $key (sort keys %$from) {
    my $node = $nodes->{$key};
    next unless $node->{is_function};
    if (needs_mark($key) && !is_marked($key)) {
      $stops{$key} = 1;
      push @breaches, "$short{$key} is reached from a handler and is not marked SOFTLBR_HANDLER_SAFE\n" . path_to($from,
        $key);
      next;
    }
    my $line = $listed{$key};
    $line->{used} = 1 if $line;
    if ($node->{indirect} != ($line ? $line->{count} : 0)) {
      push @breaches, "$short{$key} calls through a pointer $node->{indirect} times, not " . ($line ? $line->{count} :
        0) .
        ' times as ' . basename($calls_file) . " says\n" . path_to($from, $key);
    }
  }
  # What is in no use can be told only of a whole walk.
  for (%stops ? () : sort keys %cycles) {
    my ($caller, $callee) = split / /;
    next if exists $from->{$caller} && ($nodes->{$caller}{edges}{$callee} // 0) == 2;
    push @breaches, "$cycles{$_}\n    there is no such call: take it off the list";
  }
  for (%stops ? () : sort keys %listed) {
    push @breaches, "$listed{$_}{line}\n    no handler reaches it: take it off the list" unless $listed{$_}{used};
  }

  # Cycles: at each call that leads back into the trail.
  my (%state, @trail, $visit);
  $visit = sub {
    my ($key) = @_;
    $state{$key} = 'open';
    push @trail, $key;
    my $edges = $nodes->{$key}{edges};
    for my $next (sort((grep { $edges->{$_} == 2 } keys %$edges), keys %{$nodes->{$key}{aliases}}),
                  @{$listed{$key} ? $listed{$key}{targets} : []}) {
      next if !exists $from->{$next} || $stops{$next} || $cycles{"$key $next"};
      if (!$state{$next}) {
        $visit->($next);
      } elsif ($state{$next} eq 'open' && !$nodes->{$key}{aliases}{$next}) {
        my ($begin) = grep { $trail[$_] eq $next } 0 .. $#trail;
        push @breaches, "a cycle of calls\n" . join('', map { '    > ' . said($_) . "\n" } @trail[$begin .. $#trail],
          $next);
      }
    }
    pop @trail;
    $state{$key} = 'done';
  };
  for (@entries) { $visit->($_) unless $state{$_} }

  # Symbols of others.
  my (%allowed, %optional);
  for (lines_of($symbols_file)) {
    /^(\??)(\S.*?)\s+:\s+(\S.*)$/ or die "$symbols_file: expected 'symbol : reason', found '$_'\n";
    $allowed{$2} = 1;
    $optional{$2} = 1 if $1;
  }
  my $shipped = read_objects($shipped_list, 0);
  my $ours = $shipped->{nodes};
  my %seen;  # -> the function of the graph objects that brought it in
  for my $key (grep { $ours->{$_}{is_function} } keys %$ours) {
    my $parent = $ours->{$key}{name} =~ s/(?<=.)\..*//sr;  # of a clone: .cold, .part.0, .constprop.0
    my ($by) = grep { exists $from->{$_} && !$stops{$_} } "$ours->{$key}{object}:$parent", $parent;
    $seen{$key} = $by if defined $by;
  }
  my @queue = sort keys %seen;
  die "$shipped_list: none of the functions that a handler reaches is in there\n" unless @queue;
  my %outside;
  while (defined(my $key = shift @queue)) {
    for my $next (sort(keys %{$ours->{$key}{edges}}, keys %{$ours->{$key}{aliases}})) {
      if (!$ours->{$next}) {
        $outside{$next} //= $key;
      } elsif ($ours->{$next}{is_function} && !$seen{$next} && !$stops{$next}) {
        $seen{$next} = $seen{$key};
        push @queue, $next;
      }
    }
  }
  my @outside = sort keys %outside;
  learn_names(grep { !$full{$_} } @outside);
  my %used;
  for (@outside) {
    $used{$full{$_}} = 1;
    next if $allowed{$full{$_}};
    # The path by the source, or, where only the compiler calls it, to the function of the shipped objects.
    my $symbol = $_;
    my ($path) = sort { ($a =~ tr{\n}{}) <=> ($b =~ tr{\n}{}) || $a cmp $b } map { path_to($from, $_) }
      grep { !$stops{$_} && $nodes->{$_}{edges}{$symbol} } keys %$from;
    my $key = $outside{$symbol};
    $path //= path_to($from, $seen{$key}) . ($ours->{$key}{name} eq $nodes->{$seen{$key}}{name} ? '' :
      "    > $ours->{$key}{name}\n");
    push @breaches, "$full{$symbol} is not in " . basename($symbols_file) . "\n$path    > $full{$symbol}\n";
  }
  for (%stops ? () : sort keys %allowed) {
    push @breaches, "$_ is in " . basename($symbols_file) . ', but no handler needs it: take it off the list'
      unless $used{$_} || $optional{$_};
  }
  $summary = sprintf '%d of %d functions reached in %d objects, %d symbols of others',
    scalar(grep { $nodes->{$_}{is_function} } keys %$from), scalar(grep { $_->{is_function} } values %$nodes),
    $graph->{count},
    scalar(@outside);
} else {
  my ($root) = @rest;
  my $from = walk(1);
  my (%known, %unseen, $mark_count);  # known: last part of a marked function's name -> 1 in an object, 2 reached too
  my $last = sub { my ($name) = @_; return $name =~ s/<.*>//sr =~ s/.*:://sr };
  my @unreached;
  for my $key (sort keys %$nodes) {
    next unless $nodes->{$key}{is_function} && is_marked($key);
    ++$mark_count;
    my $is_elsewhere = ($elsewhere{$short{$key}} // $cpu) ne $cpu;
    my $is_reached = exists $from->{$key};
    $known{$last->($short{$key})} |= $is_reached || $is_elsewhere ? 2 : 1;
    push @unreached, $key unless $is_reached || $is_elsewhere;
    push @breaches, "$short{$key} is reached on this CPU too: take it off " . basename($calls_file) if $is_reached &&
      $is_elsewhere;
  }
  # One of several functions of a name, for which the text of the headers is not enough; one use of a template is.
  for (grep { $short{$_} !~ /</ } @unreached) {
    push @breaches, "$full{$_} ($nodes->{$_}{object}) is marked, but no handler reaches it"
      if $known{$last->($short{$_})} & 2;
  }
  for (sort keys %elsewhere) {
    next if $elsewhere{$_} eq $cpu;
    $unseen{$last->($_)} = $_;
    $known{$last->($_)} |= 2;
  }
  # Functions that nothing calls by name, so that their marks tell the reader: "file:name" -> 1, those of .cc files.
  my %unmarked;
  for (grep { $nodes->{$_}{is_function} && !$nodes->{$_}{is_public} } @entries,
      map { @{$_->{targets}} } values %listed) {
    $unmarked{"$nodes->{$_}{object}:" . $last->($short{$_})} = 1;
  }
  my %is_root = %unmarked;
  find({no_chdir => 1, wanted => sub {
    my $file = substr $_, length($root) + 1;
    return unless -f && $file =~ /\.(h|cc|c|S|inc|def)$/ && $file ne 'platform/base/attributes.h';
    my $is_header = $file =~ /\.h$/;
    my $is_compiled = $file =~ m{^platform/.*/(aarch64|x86_64)/} ? $1 eq $cpu : 1;
    open my $in, '<', $_ or die "$_: $!\n";
    local $/;
    my $text = <$in>;
    $text =~ s{//[^\n]*|/\*.*?\*/}{"\n" x ($& =~ tr/\n//)}gse;
    while ($text =~ /\bSOFTLBR_HANDLER_SAFE\b/g) {
      my ($before, $after) = (substr($text, 0, $-[0]), substr($text, $+[0], 600));
      my $where = "$file:" . (1 + ($before =~ tr/\n//));
      my $name = $after =~ /^[^;{(]*?(~?\w+|operator\s*[^\s(]+)\s*\(/ ? $1 : undef;
      if (!defined $name) { push @breaches, "$where: a mark on what is no function"; next }
      delete $unseen{$name};
      if (!$is_header) {
        my $root_name = basename($file) . ":$name";
        delete $unmarked{$root_name};
        push @breaches, "$where: $name is marked outside of a header" unless $is_root{$root_name};
      } elsif ($is_compiled && !$known{$name}) {
        push @breaches, "$where: $name is marked, but in no object";
      } elsif ($is_compiled && $known{$name} == 1) {
        push @breaches, "$where: $name is marked, but no handler reaches it";
      }
    }
  }}, map { "$root/$_" } qw(platform decoders runtime));
  push @breaches, s/:/: /r . ' is called from outside or through a pointer and is not marked' for sort keys %unmarked;
  push @breaches, basename($calls_file) . ": $unseen{$_} is not marked: take it off the list" for sort keys %unseen;
  $summary = ($mark_count // 0) . ' marked functions';
}

print "$_\n" =~ s/\n+\z/\n/r for @breaches;
print "$rule: $summary, ", scalar(@breaches), " breaches\n";
exit(@breaches ? 1 : 0);

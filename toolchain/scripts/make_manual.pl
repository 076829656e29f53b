#!/usr/bin/perl
# Makes the manual pages and the shell completions from docs/cli.md, the one description of the command.
#
# Use: perl make_manual.pl CLI.MD FOLDER VERSION
# Writes FOLDER/softlbr.bash and FOLDER/_softlbr (zsh), and, where scdoc is installed, FOLDER/softlbr.1 and a page
# softlbr-VERB.1 for each verb.
#
# What it reads: the table of commands ("| [`softlbr VERB`](#VERB) | does |"), and a section "## VERB" for each. A
# section begins with its synopsis, an indented block, of which the options and their arguments are taken; the words
# that an argument EVENT can be are those in `code` in its row of the table of options. Text: paragraphs, tables, lists
# with "- " or numbers, indented blocks, `code`, links.
use strict;
use warnings;

my ($source, $folder, $version) = @ARGV;
die "use: make_manual.pl CLI.MD FOLDER VERSION\n" unless defined $version;
open my $in, '<', $source or die "$source: $!\n";
my ($top, @verbs, %does, %section, $verb) = ('');
while (my $line = <$in>) {
  if ($line =~ /^# /) { next }
  if ($line =~ /^\| \[`softlbr ([a-z-]+)`\]\(#[a-z-]+\) \| (.*) \|$/) {
    push @verbs, $1;
    $does{$1} = $2;
  }
  if ($line =~ /^## ([a-z-]+)$/) { $verb = $1; $section{$verb} = ''; next }
  if (defined $verb) { $section{$verb} .= $line } else { $top .= $line }
}
die "$source: no table of commands\n" unless @verbs;
defined $section{$_} or die "$source: no section ## $_\n" for @verbs;

# The text of cli.md as scdoc reads it: code and titles in bold, and each row of a table as a paragraph below its first
# column.
sub inline {
  my ($text) = @_;
  $text =~ s/\[([^\]]*)\]\([^)]*\)/$1/g;
  my @parts = split /`([^`]*)`|\*{1,2}(\w[^*]*)\*{1,2}/, $text;
  my $out = '';
  while (@parts) {
    my ($plain, $code, $title) = splice @parts, 0, 3;
    $out .= $plain =~ s/([\\*_#|~<>])/\\$1/gr;
    my $bold = $code // $title // '';
    $out .= '*' . $bold =~ s/([\\*_#|~<>])/\\$1/gr . '*' if $bold ne '';
  }
  return $out =~ s/^(?=[.\-\[\];`])/\\/mgr;
}

sub table {
  my ($titles, undef, @rows) = map { [split /\s\|(?:\s|$)/, s/^\| ?|\s*\|\s*$//gr] } @_;
  my $out = '';
  for (@rows) {
    my ($tag, $text, @cells) = @$_;
    $text = inline($text // '');
    for my $i (0 .. $#cells) {
      $text .= ($text eq '' ? '' : '. ') . ucfirst($titles->[$i + 2] // '') . ': ' . inline($cells[$i])
        if $cells[$i] =~ /\S/;
    }
    $out .= inline($tag) . "\n\t$text\n\n";
  }
  return $out;
}

sub blocks {
  my ($text) = @_;
  my $out = '';
  for my $block (split /\n\n+/, $text =~ s/^\n+//r) {
    chomp $block;
    if ($block =~ /^\|/) { $out .= table(split /\n/, $block) }
    elsif ($block =~ /^    /) { $out .= "```\n" . $block =~ s/^    //mgr . "\n```\n\n" }
    elsif ($block =~ s/^##+ //) { $out .= '## ' . inline($block) . "\n\n" }
    elsif ($block =~ /^(?:-|\d+\.) /) { $out .= inline($block) =~ s/^\\- /- /mgr =~ s/^\d+\. /. /mgr =~ s/^ +/  /mgr .
      "\n\n" }
    else { $out .= inline($block) . "\n\n" }
  }
  return $out;
}

sub put {
  my ($name, $text) = @_;
  open my $file, '>', "$folder/$name" or die "$folder/$name: $!\n";
  print $file $text;
  close $file or die "$folder/$name: $!\n";
}

# The date is left out, so that each build makes the same page; no word and no
# option is divided at the end of a line.
my $has_scdoc = grep { -x "$_/scdoc" } split /:/, $ENV{PATH};
sub page {
  my ($name, $does, $synopsis, $description, $others) = @_;
  return unless $has_scdoc;
  put("$name.scd", "$name(1) \"softlbr $version\" \"softlbr manual\"\n\n# NAME\n\n$name - $does\n\n# SYNOPSIS\n\n```\n$synopsis```\n\n" .
    "# DESCRIPTION\n\n$description# SEE ALSO\n\n$others\n");
  my $roff = `scdoc < "$folder/$name.scd"`;
  $? == 0 or die "scdoc: status $? of $name.scd\n";
  $roff =~ s/^(\.TH "[^"]*" "1") "[^"]*"(.*)/$1 ""$2\n.nh\n.ad l/m;
  put("$name.1", $roff =~ s/^(?!\.|\\h).+/$& =~ s{-}{\\-}gr/mger);
}

my (%options, %values, %takes);
for my $verb (@verbs) {
  my ($synopsis, $rest) = $section{$verb} =~ /^\n*((?:    [^\n]*\n)+)(.*)$/s or
    die "$source: ## $verb has no synopsis\n";
  $synopsis =~ s/^    //mg;
  while ($synopsis =~ /(?<![\w-])(--?[A-Za-z][\w-]*)(?: ([A-Z]+|[a-z]+(?:\|[a-z]+)+)(?![\w]))?/g) {
    my ($option, $argument) = ($1, $2);
    push @{$options{$verb}}, $option;
    next unless defined $argument;
    $takes{"$verb $option"} = $argument;
    my @words = $argument =~ /\|/ ? split /\|/, $argument : ();
    if ($argument eq 'EVENT' && $rest =~ /^\| `\Q$option\E EVENT` \| ([^|]*)/m) { @words = $1 =~ /`([^`]*)`/g }
    $values{"$verb $option"} = [@words] if @words;
  }
  page("softlbr-$verb", inline($does{$verb}), $synopsis, blocks($rest), join ', ', '*softlbr*(1)',
    map { "*softlbr-$_*(1)" } grep { $_ ne $verb } @verbs);
}
page('softlbr', 'last branch records in software', "softlbr COMMAND [OPTIONS]\nsoftlbr help [COMMAND]\n", blocks($top),
  join ', ', map { "*softlbr-$_*(1)" } @verbs);

# Which arguments are files; those of other names are numbers and the like, for which there is nothing to offer.
my %is_file = map { $_ => 1 } qw(F OUT BINARY);

sub bash_words {
  my $out = '';
  for my $key (sort keys %takes) {
    next if $is_file{$takes{$key}};
    $out .= "    \"$key\") words=\"@{$values{$key} // []}\" ;;\n";
  }
  return $out;
}
my $bash_options = join '', map { "    $_) options=\"@{$options{$_}} --help\" ;;\n" } @verbs;
my $file_options = join '|', map { "\"$_\"" } sort grep { $is_file{$takes{$_}} } keys %takes;
put('softlbr.bash', <<"END");
# Completes the softlbr command in bash. Made of docs/cli.md.
_softlbr() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" verb="\${COMP_WORDS[1]}" options= words= i
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=(\$(compgen -W "@verbs help --help --version" -- "\$cur"))
    return
  fi
  if [[ \$verb == help ]]; then
    (( COMP_CWORD == 2 )) && COMPREPLY=(\$(compgen -W "@verbs" -- "\$cur"))
    return
  fi
  if [[ \$verb == record ]]; then
    for (( i = 2; i < COMP_CWORD; ++i )); do
      [[ \${COMP_WORDS[i]} == -- ]] || continue
      if declare -F _command_offset > /dev/null; then
        _command_offset \$((i + 1))
      elif (( COMP_CWORD == i + 1 )); then
        COMPREPLY=(\$(compgen -c -- "\$cur"))
      fi
      return
    done
  fi
  case "\$verb \$prev" in
    $file_options) return ;;  # any file
${\bash_words()}    *) words=none ;;
  esac
  if [[ \$words != none ]]; then
    COMPREPLY=(\$(compgen -W "\$words" -- "\$cur"))
    return
  fi
  case "\$verb" in
$bash_options  esac
  if [[ \$cur == -* ]]; then
    [[ \$verb == record ]] && options+=" --"
    COMPREPLY=(\$(compgen -W "\$options" -- "\$cur"))
  elif [[ \$verb == record ]]; then
    COMPREPLY=(\$(compgen -c -- "\$cur"))
  else
    compopt -o filenames 2> /dev/null
    COMPREPLY=(\$(compgen -f -X '!*.slbr' -- "\$cur") \$(compgen -d -- "\$cur"))
  fi
}
complete -o bashdefault -o default -F _softlbr softlbr
END

my $zsh_cases = '';
for my $verb (@verbs) {
  my @specs;
  my %seen;
  for my $option (@{$options{$verb}}) {
    next if $seen{$option}++;
    my $argument = $takes{"$verb $option"};
    my $repeat = $option eq '-b' ? '*' : '';
    if (!defined $argument) { push @specs, "'$option'" }
    elsif ($is_file{$argument}) { push @specs, "'$repeat$option:$argument:_files'" }
    elsif ($values{"$verb $option"}) { push @specs, "'$option:value:(@{$values{\"$verb $option\"}})'" }
    else { push @specs, "'$option:$argument: '" }
  }
  push @specs, "'--help'", $verb eq 'record' ? "'*::program:_normal'" : "'*:profile:_files -g \"*.slbr\"'";
  $zsh_cases .= "    $verb) _arguments -S @specs ;;\n";
}
my $zsh_verbs = join "\n", map { my $text = $does{$_}; $text =~ s/[`']//g; "    '$_:$text'" } @verbs;
put('_softlbr', <<"END");
#compdef softlbr
# Completes the softlbr command in zsh. Made of docs/cli.md.
_softlbr() {
  local -a verbs
  verbs=(
$zsh_verbs
    'help:shows the usage of a command'
  )
  if (( CURRENT == 2 )); then
    _describe command verbs
    return
  fi
  shift words
  (( CURRENT-- ))
  case \$words[1] in
    help) _describe command verbs ;;
$zsh_cases  esac
}
_softlbr "\$@"
END

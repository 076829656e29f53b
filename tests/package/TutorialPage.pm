# A part of a page of docs/ that shows commands and what they print: runs the commands, and compares.
#
# The part: what follows its heading ("## ..."), up to the next heading like it. Indented blocks are shell commands, run
# in order by one shell in one new folder; DIR in them is the source tree. A block fenced as "text" is what the commands
# since the last such block print: each of its lines must be among theirs, where numbers, blanks and the folders of
# paths may differ. A first line that begins with the command given as `fetch` may fail: a mirror that cannot be reached
# is no fault of the page.
#
#   my $page = TutorialPage->new($sources, 'docs/tutorial.md', 'A faster compiler', $fetch); # dies if there is no such
#   part $page->run($path, $prelude, $epilogue); # in the current folder; shell code before and after the commands exit
#   1 if $page->differences; # prints each line that was not printed
package TutorialPage;
use strict;
use warnings;

# Ends the test as one that cannot be done here.
sub skip { print "skipped: missing: $_[0]\n"; exit 77 }

# Skips unless each of the programs is there, and BIN/softlbr can record on this machine.
sub needs {
  my ($bin, @tools) = @_;
  for my $tool (@tools) { system("command -v $tool >/dev/null") == 0 or skip($tool) }
  system("'$bin/softlbr' doctor >/dev/null") == 0 or skip('recording on this machine (softlbr doctor)');
}

sub read_file { open my $in, '<', $_[0] or die "$_[0]: $!\n"; local $/; return scalar <$in> }

sub new {
  my ($class, $sources, $name, $part, $fetch) = @_;
  open my $page, '<', "$sources/$name" or die "$name: $!\n";
  my (@blocks, $is_fenced, $is_open, $is_in_part, $was_found);
  while (<$page>) {
    if (!$is_fenced && /^## (.*)$/) {
      $is_in_part = $1 eq $part;
      $was_found ||= $is_in_part;
      $is_open = 0;
    } elsif (!$is_in_part) {
      next;
    } elsif (/^```(\w*)$/) {
      $is_fenced = !$is_fenced;
      push @blocks, ['text', ''] if $is_fenced;
      $is_open = 0;
    } elsif ($is_fenced) {
      $blocks[-1][1] .= $_;
    } elsif (/^    (.*)$/s) {
      push @blocks, ['commands', ''] unless $is_open;
      $blocks[-1][1] .= $1 =~ s/\bDIR\b/$sources/gr;
      $is_open = 1;
    } else {
      $is_open = 0;
    }
  }
  die "$name has no part '$part'\n" unless $was_found;
  return bless {name => $name, fetch => $fetch, blocks => \@blocks}, $class;
}

sub blocks_of { my ($self, $kind) = @_; return grep { $_->[0] eq $kind } @{$self->{blocks}} }

sub run {
  my ($self, $bin, $prelude, $epilogue) = @_;
  my $script = $prelude;
  my $count = 0;
  for my $block ($self->blocks_of('commands')) {
    $block->[2] = 'log.' . $count++;
    my ($first, $rest) = $block->[1] =~ /^(.*?\n)(.*)$/s;
    $script .= "exec >$block->[2] 2>&1\n" . ($block->[1] =~ /^\Q$self->{fetch}/ ? "{ $first } || exit 77\n" : $first) .
      $rest;
  }
  open my $out, '>', 'script' or die "script: $!\n";
  print $out $script, $epilogue;
  close $out;
  my $code = system("PATH='$bin':\"\$PATH\" sh script") >> 8;
  return if $code == 0;
  skip("what the page fetches\n" . read_file((glob 'log.*')[0])) if $code == 77;
  print "a command of $self->{name} failed (exit code $code); what the last ones printed:\n";
  system("ls -tr log.* | tail -n 2 | xargs tail -n 40");
  exit 1;
}

sub shape {
  my ($text) = @_;
  $text =~ s{(?<![\w.])/\S*/(?=[\w.-])}{/}g;
  $text =~ s/\d[\d,.]*/N/g;
  $text =~ s/\bN (sample|trace|thread)\b/N $1s/g;  # a short run may have one, on a busy machine
  $text =~ s/ +/ /g;
  return $text;
}

# may_replace: what may be printed instead of a line. A pair of regular expressions: for the line, and for what is
# printed.
sub differences {
  my ($self, $may_replace) = @_;
  my ($printed, $failures) = ('', 0);
  for my $block (@{$self->{blocks}}) {
    if ($block->[0] eq 'commands') { $printed .= shape(read_file($block->[2])); next }
    for my $line (split /\n/, $block->[1]) {
      my $shape = shape($line);
      next if index($printed, "$shape\n") >= 0;
      next if $may_replace && $shape =~ $may_replace->[0] && $printed =~ $may_replace->[1];
      print "$self->{name} shows this, which was not printed:\n  $line\nThis was:\n", $printed =~ s/^/  /gmr;
      ++$failures;
    }
    $printed = '';
  }
  return $failures;
}

1;

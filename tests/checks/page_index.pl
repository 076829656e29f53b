#!/usr/bin/perl
# Checks that the index of the pages (docs/README.md) and that of the decisions (docs/decisions/README.md) name every
# page beside them, and no page that is not there. There are few enough pages to choose from. A decision has a status,
# and one that is replaced says so in its own first lines.
#
# Use: page_index.pl ROOT        Exit 1 with one line per breach.
use strict;
use warnings;
use File::Basename qw(basename);

my $root = shift // die "usage: page_index.pl ROOT\n";
my @breaches;
# The index included. A reader finds the page for a question at a glance; a new subject joins the page of those who need
# it.
my $most_pages = 16;

sub text_of {
  my ($file) = @_;
  open my $in, '<', $file or die "$file: $!\n";
  local $/;
  return <$in>;
}

for my $folder ('docs', 'docs/decisions') {
  my $index = text_of("$root/$folder/README.md");
  my %named = map { $_ => 1 } $index =~ /\]\(([^)#]+)\)/g;
  for my $name (sort keys %named) {
    push @breaches, "$folder/README.md: there is no $name" unless -e "$root/$folder/$name";
  }
  for my $page (map { basename($_) } glob "$root/$folder/*.md") {
    push @breaches, "$folder/README.md: $page is missing" unless $page eq 'README.md' || $named{$page};
  }
}
my $pages = () = glob "$root/docs/*.md";
push @breaches, "docs has $pages pages, more than $most_pages: join pages of the same readers" if $pages > $most_pages;
for my $row (text_of("$root/docs/decisions/README.md") =~ /^(\| \[\d{4}\].*)$/mg) {
  my ($number, $page, $status) = $row =~ /^\| \[(\d{4})\]\(([^)]+)\) \| .* \| (\S.*\S) \|$/;
  if (!defined $status) { push @breaches, "docs/decisions/README.md: not a number, a decision and a status: $row";
  next }
  push @breaches, "decision $number: its link is $page" unless $page =~ /^$number-/;
  next unless $status =~ /^replaced by (\d{4})/ && -e "$root/docs/decisions/$page";
  push @breaches, "$page: does not say that it is replaced by $1"
    unless text_of("$root/docs/decisions/$page") =~ /\A# .*\n\nReplaced by $1/;
}
print "$_\n" for @breaches;
print scalar(@breaches), " breaches\n";
exit(@breaches ? 1 : 0);

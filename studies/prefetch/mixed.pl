# A mixed program: parse, compile and run generated source; regular expressions, hashes, sort, formats, closures,
# packing. Needs no module.
my $rounds = shift // 10;
my $seed = 12345;
sub rnd { $seed = ($seed * 1103515245 + 12345) % 2147483648; return $seed % $_[0] }
my @words = map { join '', map { chr(97 + rnd(26)) } 0 .. rnd(8) + 2 } 1 .. 200;
package Account;
sub new { my ($class, $name) = @_; return bless {name => $name, sum => 0, log => []}, $class }
sub add { my ($self, $value) = @_; $self->{sum} += $value; push @{$self->{log}}, $value; return $self }
package Account::Fee;
our @ISA = ('Account');
sub add { my ($self, $value) = @_; return $self->Account::add($value * 0.99) }
package main;
my $total = 0;
for my $round (1 .. $rounds) {
  my $code = "my \@v = (0) x 10; my \$s = 0;\n";
  for my $i (1 .. 12) {
    my ($a, $b, $c) = (rnd(10), rnd(100) + 1, rnd(7) + 1);
    $code .= ("\$v[$a] += $b * \$_ % $c for 1 .. 3;\n",
      "if (\$v[$a] > $b) { \$s .= 'x' } elsif (\$v[$a] < $c) { \$s += $b } else { \$s = length(\$s) }\n",
      "\$v[$a] = (sub { my \$n = shift; return \$n < 2 ? \$n : \$n * $c - 1 })->($b);\n",
      "{ local \$_ = 'w$b'; \$s += /(\\d+)/ ? \$1 : 0 }\n")[rnd(4)];
  }
  my $value = eval "$code; \$s =~ tr/0-9//cd; \$s + \$v[3] + \$v[7]";
  $total += defined $value ? $value : -1;
  my %count;
  for (1 .. 60) { my $word = $words[rnd(200)]; $count{substr $word, 0, 2}++; $count{length $word} .= chr(65 + rnd(5)) }
  my $text = join ' ', map { "$_=$count{$_}" } sort { length $count{$b} <=> length $count{$a} ||
    $a cmp $b } keys %count;
  $total += () = $text =~ /\b[aeiou]\w*=\d+/g;
  (my $swapped = $text) =~ s/(\w+)=(\w+)/$2:$1/g;
  $swapped =~ s/([a-f]+)/uc $1/e for 1 .. 4;
  my @fields = split /[:\s]+/, $swapped;
  $total += scalar(grep { /^\d+$/ && $_ > 2 } @fields) + index($swapped, 'B:');
  my @accounts = map { (rnd(2) ? 'Account' : 'Account::Fee')->new($words[$_]) } 1 .. 8;
  $_->add(rnd(50))->add(rnd(9)) for @accounts;
  @accounts = sort { $a->{sum} <=> $b->{sum} or $a->{name} cmp $b->{name} } @accounts;
  my $line = sprintf '%-10s|%08.3f|%5d|%x', $accounts[0]{name}, $accounts[-1]{sum}, $round, $total;
  $total += unpack '%32C*', $line;
  my ($x, $y) = unpack 'nN', pack 'nNa*', rnd(60000), $total % 100000, $line;
  $total += $x ^ $y;
  my @stack = map { [$_, rnd(30)] } 1 .. 10;
  while (my $top = pop @stack) { my ($depth, $n) = @$top; $total += $n; push @stack, [$depth - 1, $n >> 1] if $n > 3 &&
    $depth; splice @stack, 1, 1 if @stack > 15 }
  my $reversed = reverse join ',', map { ucfirst lc } @words[0 .. 9];
  $total += length($reversed) + ord substr $reversed, rnd(20), 1;
}
print "$total\n";

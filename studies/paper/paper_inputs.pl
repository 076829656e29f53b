#!/usr/bin/perl
# paper_inputs.pl FOLDER: the inputs of programs.table that overhead_inputs.pl does not make. Call that first. The same
# on every machine.
use strict;
use warnings;

my $folder = shift // die "usage: paper_inputs.pl FOLDER\n";
chdir $folder or die "$folder: $!\n";

sub make {
  my ($name, $text) = @_;
  open my $out, '>', $name or die "$name: $!\n";
  print $out $text;
  close $out or die "$name: $!\n";
}
sub first_bytes {
  my ($name, $count) = @_;
  open my $in, '<', $name or die "$name: $!\n";
  my $text;
  read $in, $text, $count;
  return $text;
}

my $state = 7;
sub draw { $state = ($state * 1103515245 + 12345) & 0x7fffffff; return int(($state >> 8) * $_[0] / (1 << 23)) }

make('less.c', join '', (split /^/, first_bytes('unit.c', 10_000_000))[0 .. 102]);
make('more.c', join '', (split /^/, first_bytes('unit.c', 10_000_000))[0 .. 402]);
make('few.fa', first_bytes('proteins.fa', 130_000));
make('text_half', first_bytes('text', 4_500_000));
make('less.xml', join('', (split /^/, first_bytes('data.xml', 100_000_000))[0 .. 30000]) . "</list>\n");

# A flow from node 1 to the last one, in the DIMACS form. The path along all nodes makes it feasible.
my ($nodes, $arcs) = (1100, 8500);
my $flow = "p min $nodes $arcs\nn 1 2000\nn $nodes -2000\n";
for my $arc (1 .. $arcs) {
  my ($from, $to) = (1 + draw($nodes), 1 + draw($nodes));
  $to = $from % $nodes + 1 if $from == $to;
  $flow .= $arc < $nodes ? sprintf("a %d %d 0 2000 500\n", $arc, $arc + 1)
                         : sprintf("a %d %d 0 %d %d\n", $from, $to, 1 + draw(200), 1 + draw(1000));
}
make('flow.min', $flow);

make('transport.mod', <<'END');
param n := 100; set I := 1..n; set J := 1..n; param c{i in I, j in J} := 1 + (i*7919 + j*104729) mod 997;
param s{i in I} := 50 + (i*31) mod 50; param d{j in J} := 20 + (j*17) mod 40;
var x{i in I, j in J} >= 0, <= 25; var y{i in I} >= 0;
minimize cost: sum{i in I, j in J} c[i,j]*x[i,j] + sum{i in I} 300*y[i];
s.t. supply{i in I}: sum{j in J} x[i,j] <= s[i] + y[i];
s.t. demand{j in J}: sum{i in I} x[i,j] >= d[j];
s.t. mix{k in 1..n-1}: sum{i in I, j in J: (i*j) mod n = k} x[i,j] <= 60 + k;
end;
END

make('scene.pov', <<'END');
camera { location <0, 2, -6> look_at <0, 1, 0> }
light_source { <5, 9, -9> rgb 1 }
plane { y, 0 pigment { checker rgb 0 rgb 1 } finish { reflection .2 } }
#declare i = 0;
#while (i < 40)
  sphere { <sin(i*2.4)*i/14, .3+mod(i,7)*.3, cos(i*2.4)*i/14>, .3 pigment { marble turbulence 1 } finish { phong 1 reflection .2 } }
  #declare i = i + 1;
#end
END

my $clip = '';
for my $frame (0 .. 29) {
  for my $y (0 .. 359) {
    $clip .= join '', map { chr(((($_ + 2 * $frame) * ($y + $frame) >> 6) + draw(8)) & 255) } 0 .. 319;
  }
}
make('clip.yuv', $clip);

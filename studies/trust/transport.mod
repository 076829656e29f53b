/* A transport problem with random costs: what glpsol solves in the place of 429.mcf. */
param sources := 90;
param sinks := 120;
param supply{i in 1..sources} := 100 + floor(Uniform01() * 200);
param demand{j in 1..sinks} := 20 + floor(Uniform01() * 60);
param cost{i in 1..sources, j in 1..sinks} := 1 + floor(Uniform01() * 999);
var flow{1..sources, 1..sinks} >= 0;
minimize total: sum{i in 1..sources, j in 1..sinks} cost[i, j] * flow[i, j];
s.t. sent{i in 1..sources}: sum{j in 1..sinks} flow[i, j] <= supply[i];
s.t. received{j in 1..sinks}: sum{i in 1..sources} flow[i, j] >= demand[j];
solve;
end;

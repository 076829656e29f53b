-- Distances of taken branches in cache lines: percent of each kind's branches within so many lines, or in another module
WITH taken AS (SELECT kind, count, from_module = to_module AS is_inside,
                      abs((to_address // 64)::HUGEINT - (from_address // 64)::HUGEINT) AS lines
               FROM edge WHERE kind NOT IN ('fallthrough', 'none'))
SELECT kind, sum(count) AS branches,
       coalesce(sum(count) FILTER (is_inside AND lines <= 1), 0) * 100 / sum(count) AS within_1,
       coalesce(sum(count) FILTER (is_inside AND lines <= 8), 0) * 100 / sum(count) AS within_8,
       coalesce(sum(count) FILTER (is_inside AND lines <= 64), 0) * 100 / sum(count) AS within_64,
       coalesce(sum(count) FILTER (is_inside AND lines <= 512), 0) * 100 / sum(count) AS within_512,
       coalesce(sum(count) FILTER (is_inside AND lines <= 16384), 0) * 100 / sum(count) AS within_16384,
       coalesce(sum(count) FILTER (NOT is_inside), 0) * 100 / sum(count) AS other_module
FROM taken GROUP BY kind ORDER BY branches DESC, kind

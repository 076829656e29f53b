-- Distances of taken branches in cache lines: percent of each kind's branches within so many lines, or in another module
WITH
by_distance AS ( -- of each server
  SELECT kind, is_inside, CASE WHEN lines <= 1 THEN 1 WHEN lines <= 8 THEN 8 WHEN lines <= 64 THEN 64
    WHEN lines <= 512 THEN 512
                               WHEN lines <= 16384 THEN 16384 ELSE 16385 END AS within, sum(exact(count)) AS n
  FROM (SELECT kind, count, from_module = to_module AS is_inside,
               CASE WHEN to_address >= from_address THEN line_of(to_address) - line_of(from_address)
                    ELSE line_of(from_address) - line_of(to_address) END AS lines
        FROM edge WHERE kind NOT IN ('fallthrough', 'none')) AS taken
  GROUP BY kind, is_inside, within
)
SELECT kind, sum(n) AS branches, coalesce(sum(n) FILTER (is_inside AND within <= 1), 0) * 100 / sum(n) AS within_1,
       coalesce(sum(n) FILTER (is_inside AND within <= 8), 0) * 100 / sum(n) AS within_8,
       coalesce(sum(n) FILTER (is_inside AND within <= 64), 0) * 100 / sum(n) AS within_64,
       coalesce(sum(n) FILTER (is_inside AND within <= 512), 0) * 100 / sum(n) AS within_512,
       coalesce(sum(n) FILTER (is_inside AND within <= 16384), 0) * 100 / sum(n) AS within_16384,
       coalesce(sum(n) FILTER (NOT is_inside), 0) * 100 / sum(n) AS other_module
FROM by_distance GROUP BY kind ORDER BY branches DESC, kind

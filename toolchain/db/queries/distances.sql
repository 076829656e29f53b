-- Distances of taken branches in cache lines: percent of each kind's branches within so many lines, or in another module
WITH
by_distance AS ( -- of each server
  SELECT kind, sum(exact(count)) AS n,
         sum(exact(CASE WHEN is_inside AND lines <= 1 THEN count ELSE 0 END)) AS to_1,
         sum(exact(CASE WHEN is_inside AND lines <= 8 THEN count ELSE 0 END)) AS to_8,
         sum(exact(CASE WHEN is_inside AND lines <= 64 THEN count ELSE 0 END)) AS to_64,
         sum(exact(CASE WHEN is_inside AND lines <= 512 THEN count ELSE 0 END)) AS to_512,
         sum(exact(CASE WHEN is_inside AND lines <= 16384 THEN count ELSE 0 END)) AS to_16384,
         sum(exact(CASE WHEN is_inside THEN 0 ELSE count END)) AS outside
  FROM (SELECT kind, count, from_module = to_module AS is_inside,
               CASE WHEN to_address >= from_address THEN line_of(to_address) - line_of(from_address)
                    ELSE line_of(from_address) - line_of(to_address) END AS lines
        FROM edge WHERE kind NOT IN ('fallthrough', 'none')) AS taken
  GROUP BY kind
)
SELECT kind, sum(n) AS branches, sum(to_1) * 100 / sum(n) AS within_1, sum(to_8) * 100 / sum(n) AS within_8,
       sum(to_64) * 100 / sum(n) AS within_64, sum(to_512) * 100 / sum(n) AS within_512,
       sum(to_16384) * 100 / sum(n) AS within_16384, sum(outside) * 100 / sum(n) AS other_module
FROM by_distance GROUP BY kind ORDER BY branches DESC, kind

-- Functions by size: how many there are, and how much is executed in them
WITH
by_function AS ( -- of each server
  SELECT module, coalesce(function, 0) AS number, sum(exact(count)) AS instructions FROM instruction
  WHERE coalesce(function, 0) <> 0 GROUP BY module, number
),
function_size AS ( -- of each server
  SELECT module, id, bytes FROM function
),
sized AS (SELECT instructions, greatest(6, ceil(log2(greatest(f.bytes, 1))))::INTEGER AS power
          FROM by_function i JOIN function_size f ON f.module = i.module AND f.id = i.number)
SELECT power AS log2_bytes, count(*)::UBIGINT AS functions, sum(instructions) AS instructions,
       sum(instructions) * 100 / sum(sum(instructions)) OVER () AS percent,
       sum(sum(instructions)) OVER (ORDER BY power) * 100 / sum(sum(instructions)) OVER () AS percent_so_far
FROM sized GROUP BY power ORDER BY power

-- Functions by executed instructions, with the share of all functions up to each
WITH
by_function AS ( -- of each server
  SELECT module, coalesce(function, 0) AS number, sum(exact(count)) AS instructions, sum(exact(samples)) AS sampled
  FROM instruction GROUP BY module, number
),
named_function AS ( -- of each server
  SELECT module, id, name, start, bytes FROM function
),
named_module AS ( -- of each server
  SELECT id, name, build_id FROM module
)
SELECT row_number() OVER hottest AS rank, instructions, instructions * 100 / sum(instructions) OVER () AS percent,
       sum(instructions) OVER hottest * 100 / sum(instructions) OVER () AS percent_so_far, sampled AS samples, f.bytes,
       coalesce(f.name, '(no symbols)') AS function, b.name AS module
FROM by_function i JOIN named_module b ON b.id = i.module LEFT JOIN named_function f ON f.module = i.module AND f.id = i.number
WINDOW hottest AS (ORDER BY instructions DESC, b.name, b.build_id, f.start ROWS UNBOUNDED PRECEDING)
ORDER BY rank LIMIT 100

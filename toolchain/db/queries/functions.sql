-- Functions by executed instructions, with the share of all functions up to each
WITH
by_function AS ( -- of each server
  SELECT module, coalesce(function, 0) AS number, sum(exact(count)) AS instructions, sum(exact(samples)) AS sampled
  FROM instruction GROUP BY module, number
  HAVING sum(count * 1e0) >= (SELECT min(about) * 0.999999 FROM (
    SELECT sum(count * 1e0) AS about FROM instruction GROUP BY module, coalesce(function, 0)
      ORDER BY about DESC LIMIT 100) AS first_100)
),
hot_function AS ( -- of each server
  SELECT module, id, name, start, bytes FROM function
  WHERE (module, id) IN answer(module, number FROM by_function)
),
named_module AS ( -- of each server
  SELECT id, name, build_id FROM module
),
executed AS ( -- of each server
  SELECT sum(exact(count)) AS instructions FROM instruction
),
total AS (SELECT sum(instructions) AS n FROM executed)
SELECT row_number() OVER hottest AS rank, instructions, instructions * 100 / total.n AS percent,
       sum(instructions) OVER hottest * 100 / total.n AS percent_so_far, sampled AS samples, f.bytes,
       coalesce(f.name, '(no symbols)') AS function, b.name AS module
FROM total, by_function i JOIN named_module b ON b.id = i.module LEFT JOIN hot_function f ON f.module = i.module
  AND f.id = i.number
WINDOW hottest AS (ORDER BY instructions DESC, b.name, b.build_id, f.start ROWS UNBOUNDED PRECEDING)
ORDER BY rank LIMIT 100

-- Functions that copy, compare or set memory: cache lines that 90, 99 and 100 % of their executed instructions need
WITH
chosen AS ( -- of each server
  SELECT module, id, name, start, bytes FROM function
  WHERE matches(name, '^_*(mem|str)(cmp|cpy|move|set|len|chr|ncmp|ncpy)[a-z0-9_.]*$') AND NOT is_stub
),
by_line AS ( -- of each server
  SELECT module, function, line_of(address) AS cache_line, sum(exact(count)) AS n
    FROM instruction_where(function IN answer(id FROM chosen)) AS chosen_rows
  WHERE (module, function) IN answer(module, id FROM chosen)
  GROUP BY module, function, cache_line
),
named_module AS ( -- of each server
  SELECT id, name, build_id FROM module
),
ranked AS (SELECT module, function, n, row_number() OVER hottest AS rank, sum(n) OVER hottest AS covered,
                  sum(n) OVER (PARTITION BY module, function) AS total
           FROM by_line WINDOW hottest AS (PARTITION BY module, function ORDER BY n DESC,
             cache_line ROWS UNBOUNDED PRECEDING))
SELECT c.name AS function, b.name AS module, any_value(r.total) AS instructions, c.bytes,
       min(rank) FILTER (covered >= total * 0.9::DOUBLE)::UBIGINT AS lines_90,
       min(rank) FILTER (covered >= total * 0.99::DOUBLE)::UBIGINT AS lines_99, max(rank)::UBIGINT AS lines_100
FROM ranked r JOIN chosen c ON c.module = r.module AND c.id = r.function JOIN named_module b ON b.id = r.module
GROUP BY c.module, c.id, c.name, c.start, b.name, b.build_id, c.bytes ORDER BY instructions DESC, b.name, c.name,
  b.build_id, c.start

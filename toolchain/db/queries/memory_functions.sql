-- Functions that copy, compare or set memory: cache lines that 90, 99 and 100 % of their executed instructions need
WITH chosen AS (SELECT f.id, f.name, f.bytes, b.name AS module FROM function f JOIN module b ON b.id = f.module
                WHERE regexp_matches(f.name, '^_*(mem|str)(cmp|cpy|move|set|len|chr|ncmp|ncpy)') AND NOT f.is_stub),
     line AS (SELECT function, address // 64 AS line, sum(count) AS n FROM instruction WHERE function IN (SELECT id FROM chosen)
              GROUP BY ALL),
     ranked AS (SELECT function, n, row_number() OVER hottest AS rank, sum(n) OVER hottest AS covered,
                       sum(n) OVER (PARTITION BY function) AS total
                FROM line WINDOW hottest AS (PARTITION BY function ORDER BY n DESC, line ROWS UNBOUNDED PRECEDING))
SELECT c.name AS function, c.module, any_value(r.total) AS instructions, c.bytes,
       min(rank) FILTER (covered >= total * 0.9::DOUBLE)::UBIGINT AS lines_90,
       min(rank) FILTER (covered >= total * 0.99::DOUBLE)::UBIGINT AS lines_99, max(rank)::UBIGINT AS lines_100
FROM ranked r JOIN chosen c ON c.id = r.function
GROUP BY c.id, c.name, c.module, c.bytes ORDER BY instructions DESC, c.module, c.name

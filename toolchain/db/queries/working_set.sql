-- Working set: cache lines of 64 bytes that hold a share of the executed instructions
WITH
alike_line AS ( -- of each server
  SELECT n, count(*) AS line_rows
  FROM (SELECT module, line_of(address) AS cache_line, sum(exact(count)) AS n FROM instruction GROUP BY module,
    cache_line) AS by_line GROUP BY n
),
alike AS (SELECT n, sum(line_rows) AS lines FROM alike_line GROUP BY n),
ranked AS (SELECT n, sum(lines) OVER hottest - lines AS rank_before, sum(n * lines) OVER hottest AS covered,
                  sum(n * lines) OVER hottest - n * lines AS covered_before, sum(n * lines) OVER () AS total
           FROM alike WINDOW hottest AS (ORDER BY n DESC ROWS UNBOUNDED PRECEDING)),
share AS (SELECT unnest([50, 80, 90, 95, 99, 99.9, 100])::DOUBLE AS percent),
needed AS (SELECT percent, min(rank_before + greatest(1, ceil((total * (percent / 100) - covered_before) / n))) AS lines
           FROM share JOIN ranked ON covered >= total * (percent / 100) GROUP BY percent)
SELECT percent, lines::UBIGINT AS lines, lines * 64 / 1024 AS kib FROM needed ORDER BY percent

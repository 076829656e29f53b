-- Working set: cache lines of 64 bytes that hold a share of the executed instructions
WITH line AS (SELECT sum(count) AS n FROM instruction GROUP BY module, address // 64),
     ranked AS (SELECT row_number() OVER hottest AS rank, sum(n) OVER hottest AS covered, sum(n) OVER () AS total FROM line
                WINDOW hottest AS (ORDER BY n DESC ROWS UNBOUNDED PRECEDING)),
     share AS (SELECT unnest([50, 80, 90, 95, 99, 99.9, 100])::DOUBLE AS percent)
SELECT percent, min(rank)::UBIGINT AS lines, min(rank) * 64 / 1024 AS kib
FROM share JOIN ranked ON covered >= total * (percent / 100)
GROUP BY percent ORDER BY percent

-- Functions by size: how many there are, and how much is executed in them
WITH by_function AS (SELECT function, sum(count) AS instructions FROM instruction WHERE function IS NOT NULL GROUP BY function),
     sized AS (SELECT instructions, greatest(6, ceil(log2(greatest(f.bytes, 1))))::INTEGER AS power
               FROM by_function i JOIN function f ON f.id = i.function)
SELECT power AS log2_bytes, count(*)::UBIGINT AS functions, sum(instructions) AS instructions,
       sum(instructions) * 100 / sum(sum(instructions)) OVER () AS percent,
       sum(sum(instructions)) OVER (ORDER BY power) * 100 / sum(sum(instructions)) OVER () AS percent_so_far
FROM sized GROUP BY power ORDER BY power

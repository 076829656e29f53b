-- Fragmentation within cache lines, of the 100 hottest functions: percent of executed lines of which half or less serves 90, 99 % of use
WITH hottest AS (SELECT function, sum(count) AS instructions FROM instruction WHERE function IS NOT NULL GROUP BY function
                 ORDER BY instructions DESC, function LIMIT 100),
     used AS (SELECT function, h.instructions, address // 64 AS line, i.bytes, i.count,
                     sum(i.count) OVER (PARTITION BY function, address // 64 ORDER BY i.count DESC, address ROWS UNBOUNDED PRECEDING)
                       - i.count AS before,
                     sum(i.count) OVER (PARTITION BY function, address // 64) AS total
              FROM instruction i JOIN hottest h USING (function)),
     line AS (SELECT function, instructions, line, sum(bytes) FILTER (before < total * 0.9::DOUBLE) AS for_90,
                     sum(bytes) FILTER (before < total * 0.99::DOUBLE) AS for_99
              FROM used GROUP BY function, instructions, line)
SELECT f.name AS function, b.name AS module, l.instructions, f.bytes, count(*)::UBIGINT AS lines,
       count(*) FILTER (for_90 <= 32) * 100 / count(*) AS fragmented_90, count(*) FILTER (for_99 <= 32) * 100 / count(*) AS fragmented_99
FROM line l JOIN function f ON f.id = l.function JOIN module b ON b.id = f.module
GROUP BY f.id, f.name, b.name, l.instructions, f.bytes, f.start ORDER BY l.instructions DESC, b.name, f.start

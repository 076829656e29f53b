-- Fragmentation of the 100 hottest functions: percent of their bytes that the last 10, 1 and 0.1 % of execution need, or nothing
WITH hottest AS (SELECT function, sum(count) AS instructions FROM instruction WHERE function IS NOT NULL GROUP BY function
                 ORDER BY instructions DESC, function LIMIT 100),
     covered AS (SELECT function, i.bytes, h.instructions,
                        sum(i.count) OVER (PARTITION BY function ORDER BY i.count DESC, address ROWS UNBOUNDED PRECEDING) - i.count AS before
                 FROM instruction i JOIN hottest h USING (function))
SELECT f.name AS function, b.name AS module, c.instructions, f.bytes,
       100 - sum(c.bytes) FILTER (before < c.instructions * 0.9::DOUBLE) * 100 / f.bytes AS cold_10,
       100 - sum(c.bytes) FILTER (before < c.instructions * 0.99::DOUBLE) * 100 / f.bytes AS cold_1,
       100 - sum(c.bytes) FILTER (before < c.instructions * 0.999::DOUBLE) * 100 / f.bytes AS cold_01
FROM covered c JOIN function f ON f.id = c.function JOIN module b ON b.id = f.module
GROUP BY f.id, f.name, b.name, c.instructions, f.bytes, f.start ORDER BY c.instructions DESC, b.name, f.start

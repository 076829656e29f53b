-- Functions by executed instructions, with the share of all functions up to each
WITH by_function AS (SELECT module, function, sum(count) AS instructions, sum(samples) AS samples FROM instruction GROUP BY ALL)
SELECT row_number() OVER hottest AS rank, instructions, instructions * 100 / sum(instructions) OVER () AS percent,
       sum(instructions) OVER hottest * 100 / sum(instructions) OVER () AS percent_so_far, samples, f.bytes,
       coalesce(f.name, '(no symbols)') AS function, b.name AS module
FROM by_function i JOIN module b ON b.id = i.module LEFT JOIN function f ON f.id = i.function
WINDOW hottest AS (ORDER BY instructions DESC, b.name, b.build_id, f.start ROWS UNBOUNDED PRECEDING)
ORDER BY rank LIMIT 100

-- Indirect branches by the number of their targets
WITH branch AS (SELECT kind, count(*) AS number, sum(count) AS count FROM edge WHERE kind IN ('indirect_jump', 'indirect_call')
                GROUP BY kind, from_module, from_address),
     sized AS (SELECT kind, count, number, CASE WHEN number <= 2 THEN number::VARCHAR WHEN number <= 4 THEN '3 to 4'
                                                WHEN number <= 16 THEN '5 to 16' ELSE 'over 16' END AS targets
               FROM branch)
SELECT kind, targets, count(*)::UBIGINT AS instructions, sum(count) AS executions,
       sum(count) * 100 / sum(sum(count)) OVER (PARTITION BY kind) AS percent
FROM sized GROUP BY kind, targets ORDER BY kind, min(number)

-- Indirect branches by the number of their targets
WITH
alike_branch AS ( -- of each server
  SELECT kind, targets, count(*) AS branch_rows, sum(n) AS executions
  FROM (SELECT kind, from_module, from_address, count(*) AS targets, sum(exact(count)) AS n FROM edge
        WHERE kind IN ('indirect_jump', 'indirect_call') GROUP BY kind, from_module, from_address) AS branch
  GROUP BY kind, targets
),
sized AS (SELECT kind, branch_rows, executions, targets AS number,
                 CASE WHEN number <= 2 THEN number::VARCHAR WHEN number <= 4 THEN '3 to 4'
                   WHEN number <= 16 THEN '5 to 16'
                      ELSE 'over 16' END AS class
          FROM alike_branch)
SELECT kind, class AS targets, sum(branch_rows)::UBIGINT AS instructions, sum(executions) AS executions,
       sum(executions) * 100 / sum(sum(executions)) OVER (PARTITION BY kind) AS percent
FROM sized GROUP BY kind, class ORDER BY kind, min(number)

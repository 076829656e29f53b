-- Loops: executed instructions by nesting depth (0: in no loop)
WITH
by_depth AS ( -- of each server
  SELECT depth, count(*) AS instruction_rows, sum(exact(count)) AS n FROM instruction GROUP BY depth
),
loop_of_depth AS ( -- of each server
  SELECT depth, count(*) AS loop_rows, sum(CASE WHEN is_reducible THEN 0 ELSE 1 END) AS others FROM loop GROUP BY depth
),
counted AS (SELECT depth, sum(loop_rows) AS loops, sum(others) AS irreducible FROM loop_of_depth GROUP BY depth)
SELECT i.depth, coalesce(any_value(l.loops), 0)::UBIGINT AS loops, coalesce(any_value(l.irreducible),
  0)::UBIGINT AS irreducible,
       sum(i.instruction_rows) AS rows, sum(i.n) AS instructions, sum(i.n) * 100 / sum(sum(i.n)) OVER () AS percent
FROM by_depth i LEFT JOIN counted l USING (depth)
GROUP BY i.depth ORDER BY i.depth

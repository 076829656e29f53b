-- Loops: executed instructions by nesting depth (0: in no loop)
SELECT i.depth, any_value(coalesce(l.loops, 0)) AS loops, any_value(coalesce(l.irreducible, 0)) AS irreducible, sum(i.rows) AS rows,
       sum(i.instructions) AS instructions, sum(i.instructions) * 100 / sum(sum(i.instructions)) OVER () AS percent
FROM (SELECT depth, count(*)::UBIGINT AS rows, sum(count) AS instructions FROM instruction GROUP BY depth) i
     LEFT JOIN (SELECT depth, count(*)::UBIGINT AS loops, count(*) FILTER (NOT is_reducible)::UBIGINT AS irreducible FROM loop
                GROUP BY depth) l USING (depth)
GROUP BY i.depth ORDER BY i.depth

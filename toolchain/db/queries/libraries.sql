-- Programs and libraries by executed instructions
SELECT b.name AS module, b.build_id, i.instructions, i.instructions * 100 / sum(i.instructions) OVER () AS percent, i.rows,
       b.undecodable_ranges
FROM (SELECT module, sum(count) AS instructions, count(*)::UBIGINT AS rows FROM instruction GROUP BY module) i
     JOIN module b ON b.id = i.module
ORDER BY i.instructions DESC, b.name, b.build_id

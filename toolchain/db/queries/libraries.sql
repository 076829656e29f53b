-- Programs and libraries by executed instructions
WITH
by_module AS ( -- of each server
  SELECT module, sum(exact(count)) AS instructions, count(*) AS instruction_rows FROM instruction GROUP BY module
),
named_module AS ( -- of each server
  SELECT id, name, build_id, undecodable_ranges FROM module
)
SELECT b.name AS module, b.build_id, i.instructions, i.instructions * 100 / sum(i.instructions) OVER () AS percent,
       i.instruction_rows::UBIGINT AS rows, b.undecodable_ranges
FROM by_module i JOIN named_module b ON b.id = i.module
ORDER BY i.instructions DESC, b.name, b.build_id

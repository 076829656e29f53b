-- Inlining: the 100 hottest functions with inlined code, and how many calls deep it is (only where there is debug information)
WITH
by_function AS ( -- of each server
  SELECT module, function AS number, sum(exact(count)) AS instructions
  FROM instruction_where(function IN (SELECT id FROM function WHERE inline_depth > 0)) AS inlined_rows
  WHERE (module, function) IN (SELECT module, id FROM function WHERE inline_depth > 0) GROUP BY module, number
),
inlined AS ( -- of each server
  SELECT module, id, name, start, bytes, inline_depth FROM function WHERE inline_depth > 0
),
named_module AS ( -- of each server
  SELECT id, name, build_id FROM module
)
SELECT f.name AS function, b.name AS module, i.instructions, f.bytes, f.inline_depth
FROM inlined f JOIN by_function i ON i.module = f.module AND i.number = f.id JOIN named_module b ON b.id = f.module
ORDER BY i.instructions DESC, b.name, b.build_id, f.start LIMIT 100

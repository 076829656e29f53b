-- Calls: the 100 functions that are called most, with their size (jumps through pointers and stubs count, direct tail calls do not)
WITH
by_target AS ( -- of each server
  SELECT to_module, to_address, sum(exact(count)) AS n FROM edge WHERE kind IN ('call', 'indirect_call', 'indirect_jump')
  GROUP BY to_module, to_address
),
called_function AS ( -- of each server
  SELECT module, id, name, start, bytes FROM function WHERE NOT is_stub
),
by_function AS ( -- of each server
  SELECT module, coalesce(function, 0) AS number, sum(exact(count)) AS instructions FROM instruction
  WHERE coalesce(function, 0) <> 0 GROUP BY module, number
),
named_module AS ( -- of each server
  SELECT id, name, build_id FROM module
),
called AS (SELECT to_module, to_address, sum(n) AS calls FROM by_target GROUP BY to_module, to_address),
-- Apart from the join below: the engine would join all three by their module alone.
executed AS MATERIALIZED (SELECT f.module, f.start, f.name, f.bytes, i.instructions
                          FROM called_function f JOIN by_function i ON i.module = f.module AND i.number = f.id)
SELECT f.name AS function, b.name AS module, c.calls, c.calls * 100 / max(c.calls) OVER () AS percent_of_most, f.bytes,
       f.instructions, f.instructions / c.calls AS instructions_per_call
FROM called c JOIN executed f ON f.module = c.to_module AND f.start = c.to_address JOIN named_module b ON b.id = f.module
ORDER BY c.calls DESC, b.name, b.build_id, f.start LIMIT 100

-- Calls: the 100 functions that are called most, with their size (jumps through pointers and stubs count, direct tail calls do not)
WITH
by_target AS ( -- of each server
  SELECT to_module, to_address, sum(exact(count)) AS n FROM edge WHERE kind IN ('call', 'indirect_call', 'indirect_jump')
  GROUP BY to_module, to_address
),
called_function AS ( -- of each server
  SELECT module, id, name, start, bytes FROM function WHERE NOT is_stub
),
named_module AS ( -- of each server
  SELECT id, name, build_id FROM module
),
called AS (SELECT to_module, to_address, sum(n) AS calls FROM by_target GROUP BY to_module, to_address)
SELECT f.name AS function, b.name AS module, c.calls, c.calls * 100 / max(c.calls) OVER () AS percent_of_most, f.bytes
FROM called c JOIN called_function f ON f.module = c.to_module AND f.start = c.to_address JOIN named_module b ON b.id = f.module
ORDER BY c.calls DESC, b.name, b.build_id, f.start LIMIT 100

-- Calls: the 100 functions that are called most, with their size (jumps through pointers and stubs count, direct tail calls do not)
WITH
by_target AS ( -- of each server
  SELECT to_module, to_address, sum(exact(count)) AS n FROM edge WHERE kind IN ('call', 'indirect_call',
    'indirect_jump')
  GROUP BY to_module, to_address
),
called_function AS ( -- of each server
  SELECT module, id, start, bytes FROM function WHERE NOT is_stub
),
function_name AS ( -- of each server
  SELECT module, id, name FROM function WHERE (module, id) IN answer(module, id FROM (
    SELECT f.module, f.id FROM by_target c JOIN called_function f ON f.module = c.to_module AND f.start = c.to_address
    GROUP BY f.module, f.id QUALIFY rank() OVER (ORDER BY sum(c.n) DESC) <= 100) AS most_called)
),
named_module AS ( -- of each server
  SELECT id, name, build_id FROM module
),
called AS (SELECT to_module, to_address, sum(n) AS calls FROM by_target GROUP BY to_module, to_address)
SELECT n.name AS function, b.name AS module, c.calls, c.calls * 100 / max(c.calls) OVER () AS percent_of_most, f.bytes
FROM called c JOIN called_function f ON f.module = c.to_module AND f.start = c.to_address LEFT JOIN function_name n ON
  n.module = f.module AND n.id = f.id
     JOIN named_module b ON b.id = f.module
ORDER BY c.calls DESC, b.name, b.build_id, f.start LIMIT 100

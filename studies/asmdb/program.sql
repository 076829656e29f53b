-- One row about a database of one program's profile: run.sh.
WITH
hottest AS (SELECT count, bytes, sum(count * instructions) OVER (ORDER BY count DESC, id ROWS UNBOUNDED PRECEDING) -
  count * instructions AS before,
                   sum(count * instructions) OVER () AS total FROM block),
branch AS (SELECT kind, count, explained FROM edge WHERE kind <> 'fallthrough')
SELECT (SELECT sum(taken_branches) FROM upload)::UBIGINT AS taken,
       (SELECT sum(bytes) FROM upload)::UBIGINT AS profile_bytes,
       (SELECT count(DISTINCT module) FROM instruction)::UBIGINT AS files,
       (SELECT count(*) FROM instruction)::UBIGINT AS instruction_rows,
       (SELECT sum(count) FROM instruction)::VARCHAR AS executed,
       (SELECT count(*) FROM function WHERE NOT is_stub)::UBIGINT AS functions,
       (SELECT count(*) FROM block)::UBIGINT AS blocks,
       (SELECT count(*) FROM loop)::UBIGINT AS loops,
       (SELECT count(*) FROM loop WHERE NOT is_reducible)::UBIGINT AS irreducible,
       (SELECT sum(count) FILTER (depth > 0) * 100 / sum(count) FROM instruction)::DOUBLE AS in_loops,
       (SELECT sum(i.count) FILTER (m.is_main) * 100 / sum(i.count) FROM instruction i
         JOIN module m ON m.id = i.module)::DOUBLE AS in_main,
       (SELECT sum(i.count) FILTER (f.id IS NOT NULL) * 100 / sum(i.count)
         FROM instruction i LEFT JOIN function f ON f.id = i.function)::DOUBLE AS with_symbols,
       (SELECT count(*) FROM branch)::UBIGINT AS edges,
       (SELECT count(*) FILTER (explained = 'yes') * 100 / count(*) FROM branch)::DOUBLE AS edges_explained,
       (SELECT sum(count) FILTER (explained = 'yes') * 100 / sum(count) FROM branch)::DOUBLE AS branches_explained,
       (SELECT sum(count) FILTER (explained = 'outside') * 100 / sum(count) FROM branch)::DOUBLE AS branches_outside,
       (SELECT sum(undecodable_ranges) FROM module)::UBIGINT AS undecodable,
       (SELECT string_agg(name, ', ' ORDER BY name) FROM module m WHERE is_pending AND EXISTS (FROM range_count r
         WHERE r.module = m.id)) AS not_found,
       (SELECT sum(bytes) FROM hottest)::UBIGINT AS executed_bytes,
       (SELECT sum(bytes) FILTER (before < total * 0.99::DOUBLE) FROM hottest)::UBIGINT AS hot_bytes

-- Fragmentation within cache lines, of the 100 hottest functions: percent of executed lines of which half or less serves 90, 99 % of use
WITH
hot_number AS ( -- of each server
  SELECT module, function AS number FROM instruction WHERE coalesce(function, 0) <> 0 GROUP BY module, function
  HAVING sum(count * 1e0) >= (SELECT min(about) * 0.999999 FROM (
    SELECT sum(count * 1e0) AS about FROM instruction WHERE coalesce(function, 0) <> 0 GROUP BY module, function
    ORDER BY about DESC LIMIT 100) AS first_100)
),
hot AS ( -- of each server
  SELECT module, function, address, line_of(address) AS cache_line, bytes, count
  FROM instruction_where(function IN answer(number FROM hot_number)) AS hot_rows
  WHERE (module, function) IN answer(module, number FROM hot_number)
),
hot_function AS ( -- of each server
  SELECT module, id, name, start, bytes FROM function WHERE (module, id) IN answer(module, number FROM hot_number)
),
named_module AS ( -- of each server
  SELECT id, name, build_id FROM module
),
hottest AS (SELECT h.module, h.function, any_value(f.name) AS name, any_value(f.start) AS start,
  any_value(f.bytes) AS size,
                   any_value(b.name) AS of, any_value(b.build_id) AS build_id, sum(count) AS instructions
            FROM hot h JOIN hot_function f ON f.module = h.module AND f.id = h.function
              JOIN named_module b ON b.id = h.module
            GROUP BY h.module, h.function ORDER BY instructions DESC, of, build_id, start LIMIT 100),
used AS (SELECT module, function, cache_line, bytes, count,
                sum(count) OVER (PARTITION BY module, function, cache_line ORDER BY count DESC,
                  address ROWS UNBOUNDED PRECEDING)
                  - count AS before,
                sum(count) OVER (PARTITION BY module, function, cache_line) AS total
         FROM hot),
used_line AS (SELECT module, function, cache_line, sum(bytes) FILTER (before < total * 0.9::DOUBLE) AS for_90,
                     sum(bytes) FILTER (before < total * 0.99::DOUBLE) AS for_99
              FROM used GROUP BY module, function, cache_line)
SELECT h.name AS function, h.of AS module, h.instructions, h.size AS bytes, count(*)::UBIGINT AS lines,
       count(*) FILTER (for_90 <= 32) * 100 / count(*) AS fragmented_90, count(*)
         FILTER (for_99 <= 32) * 100 / count(*) AS fragmented_99
FROM used_line l JOIN hottest h ON h.module = l.module AND h.function = l.function
GROUP BY h.module, h.function, h.name, h.of, h.build_id, h.instructions, h.size, h.start
ORDER BY h.instructions DESC, h.of, h.build_id, h.start

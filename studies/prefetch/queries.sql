.mode list
CREATE TABLE IF NOT EXISTS item(id INTEGER PRIMARY KEY, name TEXT, price REAL, kind INT, note TEXT);
DELETE FROM item;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
  INSERT INTO item SELECT i, 'item' || (i * 7919 % 1000), i * 1.25, i % 17, hex(i * 104729) FROM n;
CREATE INDEX IF NOT EXISTS item_name ON item(name);
CREATE INDEX IF NOT EXISTS item_kind ON item(kind, price);
SELECT kind, count(*), sum(price), max(name) FROM item GROUP BY kind ORDER BY 3 DESC LIMIT 5;
SELECT a.id, b.id FROM item a JOIN item b ON a.name = b.name AND a.id < b.id WHERE a.kind = 3 ORDER BY a.price,
  b.id LIMIT 7;
SELECT count(*) FROM item WHERE name LIKE '%9_' AND note GLOB '*3*' OR price BETWEEN 100 AND 200;
UPDATE item SET note = substr(note, 2) || upper(name) WHERE id % 5 = 0;
SELECT name, row_number() OVER (PARTITION BY kind ORDER BY price) AS r FROM item WHERE kind < 4 ORDER BY r,
  name LIMIT 6;
SELECT json_group_array(id) FROM (SELECT id FROM item WHERE kind = 5 ORDER BY name LIMIT 12);
SELECT json_extract('{"a":[1,2,{"b":"c"}]}', '$.a[2].b'), printf('%08.3f|%-9s|%x', 3.14159, 'left', 255);
BEGIN; DELETE FROM item WHERE id IN (SELECT id FROM item WHERE kind = 9); ROLLBACK;
WITH t AS (SELECT kind k, avg(price) p FROM item GROUP BY kind HAVING count(*) > 50)
  SELECT k, round(p, 2), (SELECT min(id) FROM item WHERE kind = k) FROM t WHERE p > (SELECT avg(price) FROM item)
    ORDER BY k;
SELECT date('2024-02-29', '+1 year'), strftime('%j', '2024-12-31'), coalesce(NULL, abs(-3)), instr('hello', 'l'),
  quote(x'00ff');
SELECT length(group_concat(name, ';')) FROM (SELECT DISTINCT name FROM item ORDER BY name);
EXPLAIN QUERY PLAN SELECT * FROM item WHERE name = 'item5' UNION SELECT * FROM item WHERE kind = 2 ORDER BY 3;

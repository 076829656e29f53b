-- Extensions of the instruction set by executed instructions
WITH
by_opcode AS ( -- of each server
  SELECT opcode, sum(exact(count)) AS n FROM instruction GROUP BY opcode
),
opcode_extension AS ( -- of each server
  SELECT id, extension FROM opcode
),
known AS (SELECT DISTINCT id, extension FROM opcode_extension)
SELECT o.extension, sum(i.n) AS instructions, sum(i.n) * 100 / sum(sum(i.n)) OVER () AS percent
FROM by_opcode i JOIN known o ON o.id = i.opcode
GROUP BY o.extension ORDER BY instructions DESC, o.extension

-- Control flow: executed instructions by kind of branch
WITH
by_opcode AS ( -- of each server
  SELECT opcode, sum(exact(count)) AS n FROM instruction GROUP BY opcode
),
opcode_branch AS ( -- of each server
  SELECT id, branch FROM opcode
),
known AS (SELECT DISTINCT id, branch FROM opcode_branch)
SELECT o.branch, sum(i.n) AS instructions, sum(i.n) * 100 / sum(sum(i.n)) OVER () AS percent
FROM by_opcode i JOIN known o ON o.id = i.opcode
GROUP BY o.branch ORDER BY instructions DESC, o.branch

-- Control flow: executed instructions by kind of branch
SELECT o.branch, sum(i.count) AS instructions, sum(i.count) * 100 / sum(sum(i.count)) OVER () AS percent
FROM (SELECT opcode, sum(count) AS count FROM instruction GROUP BY opcode) i JOIN opcode o ON o.id = i.opcode
GROUP BY o.branch ORDER BY instructions DESC, o.branch

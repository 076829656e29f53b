-- Extensions of the instruction set by executed instructions
SELECT o.extension, sum(i.count) AS instructions, sum(i.count) * 100 / sum(sum(i.count)) OVER () AS percent
FROM (SELECT opcode, sum(count) AS count FROM instruction GROUP BY opcode) i JOIN opcode o ON o.id = i.opcode
GROUP BY o.extension ORDER BY instructions DESC, o.extension

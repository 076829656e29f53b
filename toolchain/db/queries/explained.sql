-- Recorded branches that the decoder explains ("yes"), or why it does not
SELECT explained, count(*)::UBIGINT AS edges, sum(count) AS branches, sum(count) * 100 / sum(sum(count)) OVER () AS percent
FROM edge WHERE kind <> 'fallthrough' GROUP BY explained ORDER BY branches DESC, explained

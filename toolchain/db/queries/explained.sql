-- Recorded branches that the decoder explains ("yes"), or why it does not
WITH
by_cause AS ( -- of each server
  SELECT explained, count(*) AS edge_rows, sum(exact(count)) AS n FROM edge WHERE kind <> 'fallthrough'
    GROUP BY explained
)
SELECT explained, sum(edge_rows)::UBIGINT AS edges, sum(n) AS branches, sum(n) * 100 / sum(sum(n)) OVER () AS percent
FROM by_cause GROUP BY explained ORDER BY branches DESC, explained

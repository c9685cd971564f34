-- question: decisions whose odds differ between two sides, and what their code cost
-- about: Of each call the part of the runs of a side in which it is inlined. A run counts as what most of its compilations say. Noise is how runs of one side differ: p is that of two proportions with a correction for small numbers, q the false discovery rate of Benjamini and Hochberg over all calls that both sides have.
-- parameter: runs = 3; a side with fewer runs of a call is left out
-- parameter: rate = 0.05; the false discovery rate
-- parameter: top = 100; how many rows
-- column: root; the compiled method
-- column: bcis; bytecode indices of the calls from the compiled method inwards
-- column: callee; what is called
-- column: runs_a; runs of A that decided it
-- column: inlined_a %; of these, with the call inlined
-- column: runs_b; runs of B that decided it
-- column: inlined_b %; of these, with the call inlined
-- column: cost_a %; of the run's samples in the compilations that have the call, on average
-- column: cost_b %; the same of B
-- column: p; how likely chance alone gives so much
-- column: q; false discovery rate
WITH sides AS (
	SELECT run, 1 AS family, 1 AS number, samples FROM runs WHERE {side a}
	UNION ALL
	SELECT run, 1 AS family, 2 AS number, samples FROM runs WHERE {side b}
),
{part odds}
SELECT n.root, n.bcis, n.callee, m.runs_before AS runs_a, round(100 * m.share_before, 1) AS inlined_a, m.runs AS runs_b, round(100 * m.share, 1) AS inlined_b,
	round(m.cost_before, 3) AS cost_a, round(m.cost, 3) AS cost_b, round(m.p, 5) AS p, round(m.q, 5) AS q
FROM most m
JOIN names n ON n.site = m.site
ORDER BY greatest(coalesce(m.cost_before, 0), coalesce(m.cost, 0)) DESC, m.site, m.number

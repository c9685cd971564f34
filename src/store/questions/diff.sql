-- question: decisions whose odds differ between two sides, and what their code cost
-- about: Of each call the part of the runs of a side in which it is inlined. A run counts as what most of its compilations say. Noise is how runs of one side differ: p is that of two proportions with a correction for small numbers, q the false discovery rate of Benjamini and Hochberg over all calls that both sides have.
-- parameter: runs = 3; a side with fewer runs of a call is left out
-- parameter: rate = 0.05; the false discovery rate
-- parameter: top = 100; how many rows
-- column: root; the compiled method
-- column: signature; of the compiled method
-- column: bcis; bytecode indices of the calls from the compiled method inwards
-- column: caller; the method that holds the call
-- column: callee; what is called
-- column: runs_a; runs of A that decided it
-- column: inlined_a; of these, with the call inlined
-- column: runs_b; runs of B that decided it
-- column: inlined_b; of these, with the call inlined
-- column: cost_a %; of the run's samples in the compilations that have the call, on average
-- column: cost_b %; the same of B
-- column: p; how likely chance alone gives so much
-- column: q; false discovery rate
-- column: verdict_a; what A most often decided: of the side that inlines more often, inlined; of the other what it did instead
-- column: reason_a; why
-- column: verdict_b; the same of B
-- column: reason_b; why
-- column: differing; calls whose odds differ at all
-- column: calls; calls that runs of both sides decided
WITH sides AS (
	SELECT run, 1 AS family, 1 AS number, samples FROM runs WHERE {side a}
	UNION ALL
	SELECT run, 1 AS family, 2 AS number, samples FROM runs WHERE {side b}
),
{part odds},
counted AS (
	SELECT s.number, d.site, d.verdict, coalesce(d.reason, '') AS reason, {inlined d} AS inlined, count(*) AS times
	FROM decisions d JOIN sides s ON s.run = d.run
	WHERE {days d} AND {decided d} AND d.site IN (SELECT site FROM most)
	GROUP BY s.number, d.site, d.verdict, coalesce(d.reason, ''), {inlined d}
),
said AS (
	SELECT *, row_number() OVER (PARTITION BY number, site, inlined ORDER BY times DESC, verdict, reason) AS place FROM counted
)
SELECT n.root, n.signature, n.bcis, n.caller, n.callee, m.runs_before AS runs_a, m.inlined_before AS inlined_a, m.runs AS runs_b, m.inlined AS inlined_b,
	m.cost_before AS cost_a, m.cost AS cost_b, m.p, m.q, a.verdict AS verdict_a, a.reason AS reason_a, b.verdict AS verdict_b, b.reason AS reason_b,
	m.differing, m.calls
FROM most m
JOIN names n ON n.site = m.site
LEFT JOIN said a ON a.site = m.site AND a.number = 1 AND a.place = 1 AND a.inlined = CASE WHEN m.share_before > m.share THEN 1 ELSE 0 END
LEFT JOIN said b ON b.site = m.site AND b.number = 2 AND b.place = 1 AND b.inlined = CASE WHEN m.share_before > m.share THEN 0 ELSE 1 END
ORDER BY round(greatest(coalesce(m.cost_before, 0), coalesce(m.cost, 0)), 6) DESC, m.site, m.number

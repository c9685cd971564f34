-- question: decisions whose odds moved from one build to the next, and what their code cost
-- about: Of each call the part of the runs in which it is inlined, per build, against the build that started before. A run counts as what most of its compilations say. Noise is how runs of one build differ: p is that of two proportions with a correction for small numbers, q the false discovery rate of Benjamini and Hochberg over all calls that both builds have.
-- parameter: runs = 3; builds with fewer runs of a call are left out
-- parameter: rate = 0.05; the false discovery rate
-- parameter: top = 100; how many rows
-- column: before; the earlier build
-- column: root; the compiled method
-- column: bcis; bytecode indices of the calls from the compiled method inwards
-- column: callee; what is called
-- column: runs_before; runs of the earlier build that decided it
-- column: inlined_before %; of these, with the call inlined
-- column: runs; runs of the build that decided it
-- column: inlined %; of these, with the call inlined
-- column: cost_before %; of the run's samples in the compilations that have the call, on average
-- column: cost %; the same of the build
-- column: p; how likely chance alone gives so much
-- column: q; false discovery rate
WITH chosen AS (
	SELECT run, coalesce(service, '') AS service, build, started_ms, samples FROM runs WHERE {where} AND build IS NOT NULL
),
ordered AS (
	SELECT service, build, row_number() OVER (ORDER BY service, min(started_ms), build) AS place, dense_rank() OVER (ORDER BY service) AS family
	FROM chosen
	GROUP BY service, build
),
builds AS (
	-- No service's first build stands next to another's last.
	SELECT service, build, family, place + family AS number FROM ordered
),
sides AS (
	SELECT c.run, b.family, b.number, c.samples FROM chosen c JOIN builds b ON b.service = c.service AND b.build = c.build
),
{part odds}
SELECT b.service, a.build AS before, b.build, n.root, n.bcis, n.callee, m.runs_before, round(100 * m.share_before, 1) AS inlined_before,
	m.runs, round(100 * m.share, 1) AS inlined, round(m.cost_before, 3) AS cost_before, round(m.cost, 3) AS cost, round(m.p, 5) AS p, round(m.q, 5) AS q
FROM most m
JOIN builds b ON b.number = m.number
JOIN builds a ON a.number = m.number - 1
JOIN names n ON n.site = m.site
ORDER BY round(greatest(coalesce(m.cost_before, 0), coalesce(m.cost, 0)), 6) DESC, m.site, m.number

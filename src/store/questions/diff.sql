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
WITH chosen AS (
	SELECT run, '' AS service, samples, 1 AS number FROM runs WHERE {side a}
	UNION ALL
	SELECT run, '' AS service, samples, 2 AS number FROM runs WHERE {side b}
),
verdicts AS (
	SELECT d.run, d.compilation, d.site, d.samples, CASE WHEN d.verdict = 'inlined' THEN 1 ELSE 0 END AS inlined
	FROM decisions d
	WHERE {days d} AND d.pass <> 'c1' AND d.verdict IN ('inlined', 'refused', 'direct', 'indirect')
),
calls AS (
	SELECT c.service, v.site, min(v.inlined) AS least, max(v.inlined) AS most, min(c.number) AS first_build, max(c.number) AS last_build
	FROM verdicts v JOIN chosen c ON c.run = v.run
	GROUP BY c.service, v.site
),
tested AS (
	SELECT service, sum(CASE WHEN first_build < last_build THEN 1 ELSE 0 END) AS calls FROM calls GROUP BY service
),
by_run AS (
	SELECT service, number, run, site,
		CASE WHEN 2 * sum(inlined) > count(*) THEN 1 ELSE 0 END AS inlined,
		sum(samples) AS samples, max(all_samples) AS all_samples
	FROM (
		SELECT c.service, c.number, v.run, v.compilation, v.site, max(v.inlined) AS inlined, max(v.samples) AS samples, max(c.samples) AS all_samples
		FROM verdicts v JOIN chosen c ON c.run = v.run
		JOIN calls k ON k.service = c.service AND k.site = v.site
		WHERE k.least < k.most AND k.first_build < k.last_build
		GROUP BY c.service, c.number, v.run, v.compilation, v.site
	) compiled
	GROUP BY service, number, run, site
),
by_build AS (
	SELECT service, number, site, count(*) AS runs, sum(inlined) AS inlined,
		avg(100.0E0 * CAST(samples AS DOUBLE) / CASE WHEN all_samples > 0 THEN CAST(all_samples AS DOUBLE) END) AS cost
	FROM by_run
	GROUP BY service, number, site
	HAVING count(*) >= {runs}
),
pairs AS (
	SELECT a.service, b.number, a.site, a.runs AS runs_a, a.inlined AS inlined_a, b.runs, b.inlined, a.cost AS cost_a, b.cost,
		CAST(a.inlined AS DOUBLE) / a.runs AS share_before, CAST(b.inlined AS DOUBLE) / b.runs AS share,
		CAST(a.inlined + b.inlined AS DOUBLE) / (a.runs + b.runs) AS pooled,
		1.0E0 / a.runs + 1.0E0 / b.runs AS inverse
	FROM by_build a JOIN by_build b ON b.service = a.service AND b.site = a.site AND b.number = a.number + 1
	WHERE a.inlined + b.inlined BETWEEN 1 AND a.runs + b.runs - 1
),
scored AS (
	SELECT *,
		CASE WHEN pooled <= 0 OR pooled >= 1 OR abs(share - share_before) <= inverse / 2 THEN 0.0E0
			ELSE (abs(share - share_before) - inverse / 2) / sqrt(pooled * (1 - pooled) * inverse) / sqrt(2.0E0) END AS x
	FROM pairs
),
likely AS (
	SELECT *,
		CASE WHEN x = 0 THEN 1.0E0 ELSE exp(-x * x) * (1 / (1 + 0.3275911E0 * x)) * (0.254829592E0 + (1 / (1 + 0.3275911E0 * x)) * (-0.284496736E0
			+ (1 / (1 + 0.3275911E0 * x)) * (1.421413741E0 + (1 / (1 + 0.3275911E0 * x)) * (-1.453152027E0 + (1 / (1 + 0.3275911E0 * x)) * 1.061405429E0)))) END AS p
	FROM scored
),
ranked AS (
	SELECT l.*, t.calls, row_number() OVER (PARTITION BY l.service, l.number ORDER BY l.p, l.site) AS place
	FROM likely l JOIN tested t ON t.service = l.service
),
discovered AS (
	SELECT *, least(1.0E0, min(p * calls / place) OVER (PARTITION BY service, number ORDER BY place ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)) AS q
	FROM ranked
),
most AS (
	SELECT * FROM discovered WHERE q <= {rate}
	ORDER BY greatest(coalesce(cost_a, 0), coalesce(cost, 0)) DESC, site, service, number
	LIMIT {top}
),
names AS (
	SELECT s.site, min(s.root) AS root, min(s.bcis) AS bcis, min(s.callee) AS callee
	FROM sites s
	WHERE {days s} AND s.site IN (SELECT site FROM most)
	GROUP BY s.site
)
SELECT n.root, n.bcis, n.callee, m.runs_a, round(100 * m.share_before, 1) AS inlined_a, m.runs AS runs_b, round(100 * m.share, 1) AS inlined_b,
	round(m.cost_a, 3) AS cost_a, round(m.cost, 3) AS cost_b, round(m.p, 5) AS p, round(m.q, 5) AS q
FROM most m
JOIN names n ON n.site = m.site
ORDER BY greatest(coalesce(m.cost_a, 0), coalesce(m.cost, 0)) DESC, m.site, m.service, m.number

-- What moved.sql and diff.sql have in common. Before it stands sides (run, family, number, samples): what is compared is of one kind, and a side with the one that has the number before.
-- Behind it are most and names.
calls AS (
	SELECT s.family, d.site, min(d.inlined) AS least, max(d.inlined) AS most,
		min(CASE WHEN d.inlined IS NOT NULL THEN s.number END) AS first_number, max(CASE WHEN d.inlined IS NOT NULL THEN s.number END) AS last_number
	FROM (SELECT e.run, e.site, {outcome e} AS inlined FROM decisions e WHERE {days e} AND e.pass <> 'c1') d
	JOIN sides s ON s.run = d.run
	GROUP BY s.family, d.site
),
candidates AS (
	SELECT family, site FROM calls WHERE least < most AND first_number < last_number
),
tested AS (
	SELECT family, sum(CASE WHEN first_number < last_number THEN 1 ELSE 0 END) AS calls FROM calls GROUP BY family
),
by_run AS (
	SELECT family, number, run, site,
		CASE WHEN 2 * sum(inlined) > count(*) THEN 1 ELSE 0 END AS inlined,
		sum(samples) AS samples, max(all_samples) AS all_samples
	FROM (
		SELECT s.family, s.number, d.run, d.compilation, d.site, max(d.inlined) AS inlined, max(d.samples) AS samples, max(s.samples) AS all_samples
		FROM (
			SELECT e.run, e.compilation, e.site, {outcome e} AS inlined, e.samples
			FROM decisions e
			WHERE {days e} AND e.pass <> 'c1' AND e.site IN (SELECT site FROM candidates)
		) d
		JOIN sides s ON s.run = d.run
		JOIN candidates k ON k.family = s.family AND k.site = d.site
		GROUP BY s.family, s.number, d.run, d.compilation, d.site
		HAVING max(d.inlined) IS NOT NULL
	) compiled
	GROUP BY family, number, run, site
),
by_side AS (
	SELECT family, number, site, count(*) AS runs, sum(inlined) AS inlined,
		avg(100.0E0 * CAST(samples AS DOUBLE) / CASE WHEN all_samples > 0 THEN CAST(all_samples AS DOUBLE) END) AS cost
	FROM by_run
	GROUP BY family, number, site
	HAVING count(*) >= {runs}
),
pairs AS (
	SELECT a.family, b.number, a.site, a.runs AS runs_before, a.inlined AS inlined_before, b.runs, b.inlined, a.cost AS cost_before, b.cost,
		CAST(a.inlined AS DOUBLE) / a.runs AS share_before, CAST(b.inlined AS DOUBLE) / b.runs AS share,
		CAST(a.inlined + b.inlined AS DOUBLE) / (a.runs + b.runs) AS pooled,
		1.0E0 / a.runs + 1.0E0 / b.runs AS inverse
	FROM by_side a JOIN by_side b ON b.family = a.family AND b.site = a.site AND b.number = a.number + 1
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
	SELECT l.*, t.calls, count(*) OVER (PARTITION BY l.number) AS differing, row_number() OVER (PARTITION BY l.number ORDER BY l.p, l.site) AS place
	FROM likely l JOIN tested t ON t.family = l.family
),
discovered AS (
	SELECT *, least(1.0E0, min(p * calls / place) OVER (PARTITION BY number ORDER BY place ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)) AS q
	FROM ranked
),
most AS (
	SELECT * FROM discovered WHERE q <= {rate}
	ORDER BY round(greatest(coalesce(cost_before, 0), coalesce(cost, 0)), 6) DESC, site, number
	LIMIT {top}
),
names AS (
	SELECT s.site, min(s.root) AS root, min(s.signature) AS signature, min(s.bcis) AS bcis, min(s.caller) AS caller, min(s.callee) AS callee
	FROM sites s
	WHERE {days s} AND s.site IN (SELECT site FROM most)
	GROUP BY s.site
)

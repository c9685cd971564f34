-- question: what is new on the last day: not seen in the days before
-- about: Deoptimizations (method and reason), findings (kind and method), code that delays safepoints, and methods that the compilers gave up, which no run of the same service had in the days before.
-- parameter: window = 30; how many days before are looked at
-- parameter: top = 200; how many rows
-- column: day; the last day that has runs
-- column: what; deoptimization, finding, safepoint delay, failed compilation
-- column: name; the method, where it is about one
-- column: detail; reason, kind, or why
-- column: runs; on the day, that have it
-- column: times; how often, in these runs
WITH chosen AS (
	SELECT run, coalesce(service, '') AS service, CAST(dt AS DATE) AS day FROM runs WHERE {where}
),
today AS (
	SELECT max(day) AS day FROM chosen
),
known AS (
	SELECT c.run, c.service, CASE WHEN c.day = t.day THEN 1 ELSE 0 END AS is_today
	FROM chosen c CROSS JOIN today t
	WHERE c.day >= t.day - INTERVAL '{window}' DAY
),
seen AS (
	SELECT run, 'deoptimization' AS what, name, reason AS detail FROM deoptimizations d WHERE {days d}
	UNION ALL
	SELECT run, 'finding' AS what, coalesce(method, '') AS name, kind AS detail FROM findings f WHERE {days f}
	UNION ALL
	SELECT run, 'safepoint delay' AS what, culprit AS name, coalesce(culprit_why, '') AS detail FROM pauses p WHERE {days p} AND culprit IS NOT NULL
	UNION ALL
	SELECT run, 'failed compilation' AS what, name, failure AS detail FROM compilations c WHERE {days c} AND failure IS NOT NULL
),
counted AS (
	SELECT k.service, s.what, s.name, s.detail, sum(k.is_today) AS times, sum(1 - k.is_today) AS times_before,
		count(DISTINCT CASE WHEN k.is_today = 1 THEN k.run END) AS runs
	FROM seen s JOIN known k ON k.run = s.run
	GROUP BY k.service, s.what, s.name, s.detail
)
SELECT c.service, CAST(t.day AS VARCHAR) AS day, c.what, c.name, c.detail, c.runs, c.times
FROM counted c CROSS JOIN today t
WHERE c.times > 0 AND c.times_before = 0
ORDER BY c.runs DESC, c.times DESC, c.service, c.what, c.name, c.detail
LIMIT {top}

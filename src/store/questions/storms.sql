-- question: deoptimization storms that began with a build
-- about: Methods whose code threads left for the interpreter much more often, per run, than with the build before. Builds are in the order of their first runs.
-- parameter: least = 5; deoptimizations in a run, on average
-- parameter: times = 5; and so many times as many as with the build before
-- parameter: top = 100; how many rows
-- column: before; the earlier build
-- column: name; the compiled method
-- column: reason; in the JVM's words
-- column: runs; of the build
-- column: runs_with; of these, with such a deoptimization
-- column: per_run; deoptimizations in a run, on average
-- column: per_run_before; the same of the earlier build
-- column: most; in one run of the build
WITH chosen AS (
	SELECT run, coalesce(service, '') AS service, build, started_ms FROM runs WHERE {where} AND build IS NOT NULL
),
builds AS (
	SELECT service, build, count(*) AS runs, row_number() OVER (PARTITION BY service ORDER BY min(started_ms), build) AS number
	FROM chosen
	GROUP BY service, build
),
by_run AS (
	SELECT c.service, c.build, c.run, d.name, d.reason, count(*) AS times
	FROM deoptimizations d JOIN chosen c ON c.run = d.run
	WHERE {days d}
	GROUP BY c.service, c.build, c.run, d.name, d.reason
),
by_build AS (
	SELECT b.service, b.number, b.build, b.runs, r.name, r.reason, count(*) AS runs_with, sum(r.times) AS times, max(r.times) AS most
	FROM by_run r JOIN builds b ON b.service = r.service AND b.build = r.build
	GROUP BY b.service, b.number, b.build, b.runs, r.name, r.reason
)
SELECT n.service, p.build AS before, n.build, n.name, n.reason, n.runs, n.runs_with,
	round(CAST(n.times AS DOUBLE) / n.runs, 2) AS per_run, round(CAST(coalesce(o.times, 0) AS DOUBLE) / p.runs, 2) AS per_run_before, n.most
FROM by_build n
JOIN builds p ON p.service = n.service AND p.number = n.number - 1
LEFT JOIN by_build o ON o.service = n.service AND o.number = n.number - 1 AND o.name = n.name AND o.reason = n.reason
WHERE CAST(n.times AS DOUBLE) / n.runs >= {least} AND CAST(n.times AS DOUBLE) / n.runs >= {times} * CAST(coalesce(o.times, 0) AS DOUBLE) / p.runs
ORDER BY CAST(n.times AS DOUBLE) / n.runs DESC, n.service, n.number, n.name, n.reason
LIMIT {top}

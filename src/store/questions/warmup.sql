-- question: how long runs take to warm up, by build and flags
-- about: A run is warm from the time on after which a given part of what follows, of its samples in Java code, lies in code of the top tier.
-- parameter: share = 0.9; that part, 0 to 1
-- column: flags; of the runtime
-- column: runs; with samples over time
-- column: never_warm; runs that do not come to it
-- column: warm_ms ms; until a run is warm: the median of those that are
-- column: first_ms ms; the fastest
-- column: last_ms ms; the slowest
WITH chosen AS (
	SELECT run, service, build, jdk, coalesce(flags, '') AS flags FROM runs WHERE {where}
),
rest AS (
	SELECT w.run, w.from_ms,
		sum(w.samples) OVER (PARTITION BY w.run ORDER BY w.from_ms ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS samples,
		sum(w.samples_top_tier) OVER (PARTITION BY w.run ORDER BY w.from_ms ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS top
	FROM warmup w JOIN chosen c ON c.run = w.run
	WHERE {days w}
),
warm AS (
	SELECT run, min(CASE WHEN top >= {share} * samples THEN from_ms END) AS warm_ms FROM rest GROUP BY run
),
placed AS (
	SELECT c.service, c.build, c.jdk, c.flags, w.warm_ms,
		row_number() OVER (PARTITION BY c.service, c.build, c.jdk, c.flags ORDER BY w.warm_ms, c.run) AS place,
		count(w.warm_ms) OVER (PARTITION BY c.service, c.build, c.jdk, c.flags) AS size
	FROM warm w JOIN chosen c ON c.run = w.run
)
SELECT service, build, jdk, flags, count(*) AS runs, count(*) - count(warm_ms) AS never_warm,
	round(avg(CASE WHEN 2 * place BETWEEN size AND size + 2 THEN warm_ms END), 1) AS warm_ms, min(warm_ms) AS first_ms, max(warm_ms) AS last_ms
FROM placed
GROUP BY service, build, jdk, flags
ORDER BY service, build, jdk, flags

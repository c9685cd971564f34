-- question: decisions that differ between hosts of one build, hottest first
-- about: A call that one host's top tier inlines and another's leaves as a call. A host counts as the one that most of its compilations of the call say; a tie is neither.
-- parameter: top = 100; how many rows
-- column: root; the compiled method
-- column: bcis; bytecode indices of the calls from the compiled method inwards
-- column: callee; what is called
-- column: hosts_inlined; hosts on which it is inlined
-- column: hosts_refused; hosts on which it stays a call
-- column: hosts_mixed; hosts with as many of one as of the other
-- column: samples_inlined samples; in compilations that inlined it
-- column: samples_refused samples; in compilations that did not
-- column: runs_inlined; runs with a compilation that inlined it
-- column: runs_refused; runs with a compilation that did not
-- column: reason; the most frequent one of those that did not
WITH chosen AS (
	SELECT run, service, build, dense_rank() OVER (ORDER BY service, build) AS number, dense_rank() OVER (ORDER BY service, build, host) AS host
	FROM runs WHERE {where} AND host IS NOT NULL
),
candidates AS (
	SELECT c.number, d.site
	FROM (SELECT e.run, e.site, {outcome e} AS inlined FROM decisions e WHERE {days e} AND e.pass <> 'c1') d
	JOIN chosen c ON c.run = d.run
	GROUP BY c.number, d.site
	HAVING min(d.inlined) < max(d.inlined)
),
decided AS (
	SELECT c.number, c.host, d.run, d.compilation, d.site, d.inlined, d.reason, d.samples
	FROM (
		SELECT e.run, e.compilation, e.site, {outcome e} AS inlined, e.reason, e.samples
		FROM decisions e
		WHERE {days e} AND e.pass <> 'c1'
	) d
	JOIN chosen c ON c.run = d.run
	JOIN candidates k ON k.site = d.site AND k.number = c.number
),
compiled AS (
	SELECT number, host, run, compilation, site, max(inlined) AS inlined, max(samples) AS samples
	FROM decided
	GROUP BY number, host, run, compilation, site
	HAVING max(inlined) IS NOT NULL
),
by_host AS (
	SELECT number, host, site,
		sum(inlined) AS inlined, sum(1 - inlined) AS refused,
		sum(inlined * coalesce(samples, 0)) AS samples_inlined, sum((1 - inlined) * coalesce(samples, 0)) AS samples_refused,
		count(DISTINCT CASE WHEN inlined = 1 THEN run END) AS runs_inlined, count(DISTINCT CASE WHEN inlined = 0 THEN run END) AS runs_refused
	FROM compiled
	GROUP BY number, host, site
),
flipped AS (
	SELECT number, site,
		sum(CASE WHEN inlined > refused THEN 1 ELSE 0 END) AS hosts_inlined,
		sum(CASE WHEN inlined < refused THEN 1 ELSE 0 END) AS hosts_refused,
		sum(CASE WHEN inlined = refused THEN 1 ELSE 0 END) AS hosts_mixed,
		sum(samples_inlined) AS samples_inlined, sum(samples_refused) AS samples_refused,
		sum(runs_inlined) AS runs_inlined, sum(runs_refused) AS runs_refused
	FROM by_host
	GROUP BY number, site
	HAVING sum(CASE WHEN inlined > refused THEN 1 ELSE 0 END) > 0 AND sum(CASE WHEN inlined < refused THEN 1 ELSE 0 END) > 0
),
hottest AS (
	SELECT * FROM flipped
	ORDER BY samples_inlined + samples_refused DESC, hosts_inlined + hosts_refused DESC, site, number
	LIMIT {top}
),
reasons AS (
	SELECT number, site, reason, row_number() OVER (PARTITION BY number, site ORDER BY times DESC, reason) AS place
	FROM (
		SELECT d.number, d.site, d.reason, count(*) AS times
		FROM decided d JOIN hottest h ON h.number = d.number AND h.site = d.site
		WHERE d.inlined = 0 AND d.reason IS NOT NULL
		GROUP BY d.number, d.site, d.reason
	) counted
),
names AS (
	SELECT s.site, min(s.root) AS root, min(s.bcis) AS bcis, min(s.callee) AS callee
	FROM sites s
	WHERE {days s} AND s.site IN (SELECT site FROM hottest)
	GROUP BY s.site
),
builds AS (
	SELECT DISTINCT number, service, build FROM chosen
)
SELECT b.service, b.build, n.root, n.bcis, n.callee, h.hosts_inlined, h.hosts_refused, h.hosts_mixed,
	h.samples_inlined, h.samples_refused, h.runs_inlined, h.runs_refused, r.reason
FROM hottest h
JOIN builds b ON b.number = h.number
JOIN names n ON n.site = h.site
LEFT JOIN reasons r ON r.site = h.site AND r.place = 1 AND r.number = h.number
ORDER BY h.samples_inlined + h.samples_refused DESC, h.hosts_inlined + h.hosts_refused DESC, h.site, h.number

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
	SELECT run, service, build, host, dense_rank() OVER (ORDER BY coalesce(service, ''), coalesce(build, '')) AS number
	FROM runs WHERE {where} AND host IS NOT NULL
),
candidates AS (
	SELECT c.number, d.site
	FROM decisions d JOIN chosen c ON c.run = d.run
	WHERE {days d} AND {decided d}
	GROUP BY c.number, d.site
	HAVING min({inlined d}) < max({inlined d})
),
compiled AS (
	SELECT c.service, c.build, c.host, d.run, d.compilation, d.site, max({inlined d}) AS inlined, max(d.samples) AS samples
	FROM decisions d JOIN chosen c ON c.run = d.run
	JOIN candidates k ON k.site = d.site AND k.number = c.number
	WHERE {days d} AND {decided d}
	GROUP BY c.service, c.build, c.host, d.run, d.compilation, d.site
),
by_host AS (
	SELECT service, build, site, host,
		sum(inlined) AS inlined, sum(1 - inlined) AS refused,
		sum(inlined * coalesce(samples, 0)) AS samples_inlined, sum((1 - inlined) * coalesce(samples, 0)) AS samples_refused,
		count(DISTINCT CASE WHEN inlined = 1 THEN run END) AS runs_inlined, count(DISTINCT CASE WHEN inlined = 0 THEN run END) AS runs_refused
	FROM compiled
	GROUP BY service, build, site, host
),
flipped AS (
	SELECT service, build, site,
		sum(CASE WHEN inlined > refused THEN 1 ELSE 0 END) AS hosts_inlined,
		sum(CASE WHEN inlined < refused THEN 1 ELSE 0 END) AS hosts_refused,
		sum(CASE WHEN inlined = refused THEN 1 ELSE 0 END) AS hosts_mixed,
		sum(samples_inlined) AS samples_inlined, sum(samples_refused) AS samples_refused,
		sum(runs_inlined) AS runs_inlined, sum(runs_refused) AS runs_refused
	FROM by_host
	GROUP BY service, build, site
	HAVING sum(CASE WHEN inlined > refused THEN 1 ELSE 0 END) > 0 AND sum(CASE WHEN inlined < refused THEN 1 ELSE 0 END) > 0
),
hottest AS (
	SELECT * FROM flipped
	ORDER BY samples_inlined + samples_refused DESC, hosts_inlined + hosts_refused DESC, site, service, build
	LIMIT {top}
),
reasons AS (
	SELECT service, build, site, reason, row_number() OVER (PARTITION BY service, build, site ORDER BY times DESC, reason) AS place
	FROM (
		SELECT c.service, c.build, d.site, d.reason, count(*) AS times
		FROM decisions d JOIN chosen c ON c.run = d.run
		WHERE {days d} AND {decided d} AND {inlined d} = 0 AND d.reason IS NOT NULL AND d.site IN (SELECT site FROM hottest)
		GROUP BY c.service, c.build, d.site, d.reason
	) counted
),
names AS (
	SELECT s.site, min(s.root) AS root, min(s.bcis) AS bcis, min(s.callee) AS callee
	FROM sites s
	WHERE {days s} AND s.site IN (SELECT site FROM hottest)
	GROUP BY s.site
)
SELECT h.service, h.build, n.root, n.bcis, n.callee, h.hosts_inlined, h.hosts_refused, h.hosts_mixed,
	h.samples_inlined, h.samples_refused, h.runs_inlined, h.runs_refused, r.reason
FROM hottest h
JOIN names n ON n.site = h.site
LEFT JOIN reasons r ON r.site = h.site AND r.place = 1 AND coalesce(r.service, '') = coalesce(h.service, '') AND coalesce(r.build, '') = coalesce(h.build, '')
ORDER BY h.samples_inlined + h.samples_refused DESC, h.hosts_inlined + h.hosts_refused DESC, h.site, h.service, h.build

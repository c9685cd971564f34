-- question: hosts that fall into two groups in speed, and the decisions that separate them
-- about: Speed is how long runs of one build take on a host, on average. Hosts are divided where the groups differ most; separation is the part of all differences that lies between the groups. A decision agrees with a host if hosts of one group inline the call and those of the other do not.
-- parameter: separation = 0.8; what the groups have to explain of the differences, 0 to 1
-- parameter: agreement = 0.9; what part of the hosts a decision has to agree with, 0 to 1
-- parameter: top = 100; how many rows
-- column: fast_hosts; hosts of the faster group
-- column: slow_hosts; hosts of the slower group
-- column: fast_seconds s; a run on these, on average
-- column: slow_seconds s; a run on these, on average
-- column: separation; of the differences between hosts, the part that lies between the groups
-- column: root; the compiled method
-- column: bcis; bytecode indices of the calls from the compiled method inwards
-- column: callee; what is called
-- column: inlined_on; which group inlines it: fast, slow
-- column: agreement; part of the hosts that decide it whose group says how
-- column: hosts; that decide it
-- column: samples samples; in the compilations that have the call
WITH chosen AS (
	SELECT run, coalesce(service, '') AS service, coalesce(build, '') AS build, host, seconds FROM runs WHERE {where} AND host IS NOT NULL AND seconds > 0
),
speeds AS (
	SELECT service, build, host, avg(seconds) AS seconds FROM chosen GROUP BY service, build, host
),
sums AS (
	SELECT service, build, host, seconds,
		row_number() OVER (PARTITION BY service, build ORDER BY seconds, host) AS place,
		count(*) OVER (PARTITION BY service, build) AS hosts,
		sum(seconds) OVER (PARTITION BY service, build ORDER BY seconds, host ROWS UNBOUNDED PRECEDING) AS below,
		sum(seconds) OVER (PARTITION BY service, build) AS total,
		sum(seconds * seconds) OVER (PARTITION BY service, build) AS squares
	FROM speeds
),
splits AS (
	SELECT service, build, place, hosts, below / place AS fast_seconds, (total - below) / (hosts - place) AS slow_seconds,
		place * (hosts - place) * power(below / place - (total - below) / (hosts - place), 2) / hosts
			/ CASE WHEN squares - total * total / hosts > 0 THEN squares - total * total / hosts END AS separation
	FROM sums
	WHERE place < hosts AND hosts >= 3
),
best AS (
	SELECT * FROM (
		SELECT *, row_number() OVER (PARTITION BY service, build ORDER BY separation DESC, place) AS rank FROM splits WHERE separation IS NOT NULL
	) ordered
	WHERE rank = 1 AND separation >= {separation}
),
members AS (
	SELECT s.service, s.build, s.host, CASE WHEN s.place <= b.place THEN 1 ELSE 0 END AS fast
	FROM sums s JOIN best b ON b.service = s.service AND b.build = s.build
),
compiled AS (
	SELECT c.service, c.build, c.host, d.run, d.compilation, d.site, max(CASE WHEN d.verdict = 'inlined' THEN 1 ELSE 0 END) AS inlined, max(d.samples) AS samples
	FROM decisions d JOIN chosen c ON c.run = d.run JOIN best b ON b.service = c.service AND b.build = c.build
	WHERE {days d} AND d.pass <> 'c1' AND d.verdict IN ('inlined', 'refused', 'direct', 'indirect')
	GROUP BY c.service, c.build, c.host, d.run, d.compilation, d.site
),
by_host AS (
	SELECT service, build, host, site, CASE WHEN 2 * sum(inlined) > count(*) THEN 1 ELSE 0 END AS inlined, sum(coalesce(samples, 0)) AS samples
	FROM compiled
	GROUP BY service, build, host, site
	HAVING 2 * sum(inlined) <> count(*)
),
agreed AS (
	SELECT h.service, h.build, h.site, count(*) AS hosts, sum(h.samples) AS samples,
		sum(CASE WHEN h.inlined = m.fast THEN 1 ELSE 0 END) AS with_fast, sum(h.inlined) AS inlined
	FROM by_host h JOIN members m ON m.service = h.service AND m.build = h.build AND m.host = h.host
	GROUP BY h.service, h.build, h.site
),
separating AS (
	SELECT a.*, CAST(greatest(a.with_fast, a.hosts - a.with_fast) AS DOUBLE) / a.hosts AS agreement
	FROM agreed a JOIN best b ON b.service = a.service AND b.build = a.build
	WHERE a.inlined > 0 AND a.inlined < a.hosts AND 2 * a.hosts >= b.hosts
),
most AS (
	SELECT * FROM separating WHERE agreement >= {agreement} ORDER BY agreement DESC, samples DESC, site, service, build LIMIT {top}
),
names AS (
	SELECT s.site, min(s.root) AS root, min(s.bcis) AS bcis, min(s.callee) AS callee
	FROM sites s
	WHERE {days s} AND s.site IN (SELECT site FROM most)
	GROUP BY s.site
)
SELECT b.service, b.build, b.place AS fast_hosts, b.hosts - b.place AS slow_hosts, round(b.fast_seconds, 3) AS fast_seconds, round(b.slow_seconds, 3) AS slow_seconds,
	round(b.separation, 3) AS separation, n.root, n.bcis, n.callee,
	CASE WHEN m.site IS NULL THEN NULL WHEN 2 * m.with_fast > m.hosts THEN 'fast' ELSE 'slow' END AS inlined_on,
	round(m.agreement, 3) AS agreement, m.hosts, m.samples
FROM best b
LEFT JOIN most m ON m.service = b.service AND m.build = b.build
LEFT JOIN names n ON n.site = m.site
ORDER BY b.service, b.build, m.agreement DESC, m.samples DESC, m.site

-- question: which profiler lies about which service
-- about: How far what a profiler says of methods is from the samples with addresses: half the sum of all differences of shares (total variation), over methods alone, on average over runs; and the method that it blames too much, and too little.
-- parameter: top = 100; how many rows
-- column: profiler; its file and event; (at safepoints) is what one at safepoints would say
-- column: runs; of which both are known
-- column: distance %; 0: it says the same, 100: nothing is the same
-- column: worst %; the largest distance of a run
-- column: over_blamed; the method that gets most on top of its share
-- column: over %; how much, on average
-- column: under_blamed; the method that loses most
-- column: under %; how much, on average
WITH chosen AS (
	SELECT run, coalesce(service, '') AS service FROM runs WHERE {where}
),
methods AS (
	SELECT c.service, b.profiler, b.run, b.name,
		sum(b.true_percent) AS true_percent, sum(b.said_percent) AS said_percent
	FROM bias b JOIN chosen c ON c.run = b.run
	WHERE {days b} AND b.name NOT LIKE '(%'
	GROUP BY c.service, b.profiler, b.run, b.name
),
totals AS (
	SELECT service, profiler, run, sum(true_percent) AS true_percent, sum(said_percent) AS said_percent
	FROM methods
	GROUP BY service, profiler, run
	HAVING sum(true_percent) > 0 AND sum(said_percent) > 0
),
differences AS (
	SELECT m.service, m.profiler, m.run, m.name, 100 * m.said_percent / t.said_percent - 100 * m.true_percent / t.true_percent AS difference
	FROM methods m JOIN totals t ON t.service = m.service AND t.profiler = m.profiler AND t.run = m.run
),
distances AS (
	SELECT service, profiler, run, sum(abs(difference)) / 2 AS distance FROM differences GROUP BY service, profiler, run
),
summary AS (
	SELECT service, profiler, count(*) AS runs, avg(distance) AS distance, max(distance) AS worst FROM distances GROUP BY service, profiler
),
blamed AS (
	SELECT d.service, d.profiler, d.name, sum(d.difference) / s.runs AS difference
	FROM differences d JOIN summary s ON s.service = d.service AND s.profiler = d.profiler
	GROUP BY d.service, d.profiler, d.name, s.runs
),
placed AS (
	SELECT *,
		row_number() OVER (PARTITION BY service, profiler ORDER BY round(difference, 6) DESC, name) AS most,
		row_number() OVER (PARTITION BY service, profiler ORDER BY round(difference, 6), name) AS least
	FROM blamed
)
SELECT s.service, s.profiler, s.runs, round(s.distance, 3) AS distance, round(s.worst, 3) AS worst,
	o.name AS over_blamed, round(o.difference, 3) AS over, u.name AS under_blamed, round(u.difference, 3) AS under
FROM summary s
JOIN placed o ON o.service = s.service AND o.profiler = s.profiler AND o.most = 1
JOIN placed u ON u.service = s.service AND u.profiler = s.profiler AND u.least = 1
ORDER BY round(s.distance, 6) DESC, s.service, s.profiler
LIMIT {top}

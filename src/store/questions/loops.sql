-- question: code that delays safepoints, by service
-- about: Pauses that were long because threads did not stop, and where these threads were: by samples, or because the JVM named them.
-- parameter: top = 100; how many rows
-- column: culprit; the method that was waited for
-- column: line; in it
-- column: why; why it did not stop
-- column: pauses; that it delayed
-- column: runs; in which it did
-- column: builds; of which it is told
-- column: reaching_ms ms; all that was waited, until the last thread stood
-- column: longest_ms ms; the longest time to safepoint
-- column: samples samples; that say so
WITH chosen AS (
	SELECT run, service, build FROM runs WHERE {where}
)
SELECT c.service, p.culprit, p.culprit_line AS line, min(p.culprit_why) AS why, count(*) AS pauses, count(DISTINCT p.run) AS runs, count(DISTINCT c.build) AS builds,
	round(sum(CAST(p.reaching_ns AS DOUBLE)) / 1000000, 3) AS reaching_ms, round(max(CAST(p.reaching_ns AS DOUBLE)) / 1000000, 3) AS longest_ms,
	sum(p.culprit_samples) AS samples
FROM pauses p JOIN chosen c ON c.run = p.run
WHERE {days p} AND p.culprit IS NOT NULL
GROUP BY c.service, p.culprit, p.culprit_line
ORDER BY sum(p.reaching_ns) DESC, c.service, p.culprit, p.culprit_line
LIMIT {top}

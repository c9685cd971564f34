-- question: time behind refused inlining, by reason and flag
-- about: Samples in code of the top tier that has a call which was not inlined, by the reason that the compiler gave. A compilation counts once for each of its reasons: rows overlap, and do not add up.
-- parameter: top = 100; how many rows
-- column: reason; in the compiler's words
-- column: flag; of HotSpot, that decides about it; null where none does
-- column: samples samples; in compilations with such a call
-- column: percent %; of all samples of the service
-- column: compilations; with such a call
-- column: calls; such calls
-- column: runs; that have one
WITH chosen AS (
	SELECT run, coalesce(service, '') AS service, samples FROM runs WHERE {where}
),
totals AS (
	SELECT service, sum(samples) AS samples FROM chosen GROUP BY service
),
compiled AS (
	SELECT c.service, d.run, d.compilation, d.reason, max(d.samples) AS samples, count(*) AS calls
	FROM (
		-- Of LLVM's inliner without the figures of single calls.
		SELECT run, compilation, samples, dt, pass, verdict, regexp_replace(reason, ': cost=[^:]*$', '') AS reason FROM decisions
	) d JOIN chosen c ON c.run = d.run
	WHERE {days d} AND d.pass <> 'c1' AND d.verdict IN ('refused', 'direct', 'indirect') AND d.reason IS NOT NULL
	GROUP BY c.service, d.run, d.compilation, d.reason
)
SELECT r.service, r.reason,
	{flag r.reason} AS flag,
	sum(r.samples) AS samples, round(100.0E0 * CAST(sum(r.samples) AS DOUBLE) / CAST(max(t.samples) AS DOUBLE), 3) AS percent,
	count(*) AS compilations, sum(r.calls) AS calls, count(DISTINCT r.run) AS runs
FROM compiled r JOIN totals t ON t.service = r.service
GROUP BY r.service, r.reason
ORDER BY sum(r.samples) DESC, sum(r.calls) DESC, r.service, r.reason
LIMIT {top}

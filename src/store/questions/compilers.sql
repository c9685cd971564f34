-- question: what the compilers themselves cost
-- about: Processor time of compiler threads, of all samples that count, and what the compilers did for it.
-- column: runs; of the build
-- column: compiler_percent %; samples of compiler threads, of all; null where nothing tells threads
-- column: c1_percent %; of C1's threads
-- column: c2_percent %; of C2's threads
-- column: jvmci_percent %; of Graal's threads
-- column: compilations; in a run, on average
-- column: top_tier; of these, of the top tier
-- column: failed; of these, given up
-- column: not_entrant; of these, whose code was given up later
-- column: compile_ms ms; from start to end of all compilations of a run, on average
-- column: code_bytes bytes; machine code that a run's compilations made, on average
-- column: peak_bytes bytes; the most that one compilation took
WITH chosen AS (
	SELECT run, service, build, jdk, samples, samples_c1, samples_c2, samples_jvmci FROM runs WHERE {where}
),
compiled AS (
	SELECT c.run, count(*) AS compilations, sum(CASE WHEN c.level = 4 THEN 1 ELSE 0 END) AS top_tier, sum(CASE WHEN c.failure IS NOT NULL THEN 1 ELSE 0 END) AS failed,
		sum(CASE WHEN c.not_entrant_ms IS NOT NULL THEN 1 ELSE 0 END) AS not_entrant,
		sum(CASE WHEN c.done_ms > c.started_ms THEN c.done_ms - c.started_ms ELSE 0 END) AS compile_ms, sum(c.code_bytes) AS code_bytes, max(c.memory_bytes) AS peak_bytes
	FROM compilations c JOIN chosen h ON h.run = c.run
	WHERE {days c} AND c.kind <> 'native wrapper'
	GROUP BY c.run
)
SELECT h.service, h.build, h.jdk, count(*) AS runs,
	round(100.0E0 * CAST(sum(h.samples_c1 + h.samples_c2 + h.samples_jvmci) AS DOUBLE) / CAST(sum(CASE WHEN h.samples_c1 IS NOT NULL THEN h.samples END) AS DOUBLE), 3) AS compiler_percent,
	round(100.0E0 * CAST(sum(h.samples_c1) AS DOUBLE) / CAST(sum(CASE WHEN h.samples_c1 IS NOT NULL THEN h.samples END) AS DOUBLE), 3) AS c1_percent,
	round(100.0E0 * CAST(sum(h.samples_c2) AS DOUBLE) / CAST(sum(CASE WHEN h.samples_c1 IS NOT NULL THEN h.samples END) AS DOUBLE), 3) AS c2_percent,
	round(100.0E0 * CAST(sum(h.samples_jvmci) AS DOUBLE) / CAST(sum(CASE WHEN h.samples_c1 IS NOT NULL THEN h.samples END) AS DOUBLE), 3) AS jvmci_percent,
	round(avg(CAST(c.compilations AS DOUBLE)), 1) AS compilations, round(avg(CAST(c.top_tier AS DOUBLE)), 1) AS top_tier,
	round(avg(CAST(c.failed AS DOUBLE)), 1) AS failed, round(avg(CAST(c.not_entrant AS DOUBLE)), 1) AS not_entrant,
	round(avg(c.compile_ms), 1) AS compile_ms, round(avg(CAST(c.code_bytes AS DOUBLE)), 0) AS code_bytes, max(c.peak_bytes) AS peak_bytes
FROM chosen h LEFT JOIN compiled c ON c.run = h.run
GROUP BY h.service, h.build, h.jdk
ORDER BY h.service, h.build, h.jdk

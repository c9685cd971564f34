-- question: compilations that took far more memory than others, and the arena and phase behind them
-- about: Of each compiler the compilations whose peak is many times the median of all its compilations, with the largest of their arenas and phases at that peak.
-- parameter: times = 10; from so many times the median on
-- parameter: top = 100; how many rows
-- column: run; the run, by which its files are called
-- column: compilation; the compiler's id
-- column: name; the compiled method
-- column: peak_bytes bytes; the most that all arenas held together
-- column: times_median; the peak, in medians of the compiler
-- column: times_own; the peak, in medians of the compilations of this method by this compiler
-- column: arena; the largest part of the peak: as the compiler spells it
-- column: phase; in which that was allocated
-- column: bytes bytes; how much that is
WITH chosen AS (
	SELECT run, name AS run_name, service, build FROM runs WHERE {where}
),
compiled AS (
	SELECT c.service, c.build, a.run, c.run_name, a.compilation, a.compiler, a.name, a.method, max(a.peak_bytes) AS peak_bytes
	FROM arenas a JOIN chosen c ON c.run = a.run
	WHERE {days a}
	GROUP BY c.service, c.build, a.run, c.run_name, a.compilation, a.compiler, a.name, a.method
),
placed AS (
	SELECT *,
		row_number() OVER (PARTITION BY compiler ORDER BY peak_bytes, run, compilation) AS place, count(*) OVER (PARTITION BY compiler) AS size,
		row_number() OVER (PARTITION BY compiler, method ORDER BY peak_bytes, run, compilation) AS own_place, count(*) OVER (PARTITION BY compiler, method) AS own_size
	FROM compiled
),
medians AS (
	SELECT compiler, avg(CAST(peak_bytes AS DOUBLE)) AS median FROM placed WHERE 2 * place BETWEEN size AND size + 2 GROUP BY compiler
),
own_medians AS (
	SELECT compiler, method, avg(CAST(peak_bytes AS DOUBLE)) AS median FROM placed WHERE 2 * own_place BETWEEN own_size AND own_size + 2 GROUP BY compiler, method
),
outliers AS (
	SELECT p.*, p.peak_bytes / m.median AS times_median, p.peak_bytes / o.median AS times_own
	FROM placed p JOIN medians m ON m.compiler = p.compiler JOIN own_medians o ON o.compiler = p.compiler AND o.method = p.method
	WHERE p.peak_bytes >= {times} * m.median
	ORDER BY p.peak_bytes DESC, p.run, p.compilation
	LIMIT {top}
),
largest AS (
	SELECT a.run, a.compilation, a.compiler, a.arena, a.phase, a.bytes,
		row_number() OVER (PARTITION BY a.run, a.compilation, a.compiler ORDER BY a.bytes DESC, a.arena, a.phase) AS place
	FROM arenas a JOIN outliers o ON o.run = a.run AND o.compilation = a.compilation AND o.compiler = a.compiler
	WHERE {days a}
)
SELECT o.service, o.build, o.run_name AS run, o.compilation, o.compiler, o.name, o.peak_bytes, round(o.times_median, 1) AS times_median,
	round(o.times_own, 1) AS times_own, l.arena, l.phase, l.bytes
FROM outliers o JOIN largest l ON l.run = o.run AND l.compilation = o.compilation AND l.compiler = o.compiler AND l.place = 1
ORDER BY o.peak_bytes DESC, o.run, o.compilation

-- question: the order file of a fleet: functions by the share of devices that run them, and their median rank
-- about: Functions of native programs that ran at the start, first those that all devices run. A device is a host; without a label each run is one. The list, top down, is an order file.
-- parameter: share = 0; leave out functions that run on a smaller part of the devices, 0 to 1
-- parameter: top = 100000; how many rows
-- column: symbol; as the linker has it
-- column: module; the file that it is local to
-- column: devices; that run it
-- column: share; of the devices
-- column: median_rank; of its places in the orders of first execution
-- column: first_rank; the earliest
-- column: last_rank; the latest
WITH chosen AS (
	SELECT run, service, build, coalesce(host, name) AS device FROM runs WHERE {where}
),
ran AS (
	SELECT coalesce(c.service, '') AS service, coalesce(c.build, '') AS build, c.device, f.run, f.trace, f.symbol, coalesce(f.module, '') AS module, f.rank
	FROM first_executions f JOIN chosen c ON c.run = f.run
	WHERE {days f}
),
fleets AS (
	SELECT service, build, count(DISTINCT device) AS devices FROM ran GROUP BY service, build
),
placed AS (
	SELECT *,
		row_number() OVER (PARTITION BY service, build, symbol, module ORDER BY rank, run, trace) AS place,
		count(*) OVER (PARTITION BY service, build, symbol, module) AS size
	FROM ran
),
functions AS (
	SELECT service, build, symbol, module, count(DISTINCT device) AS devices,
		avg(CASE WHEN 2 * place BETWEEN size AND size + 2 THEN CAST(rank AS DOUBLE) END) AS median_rank, min(rank) AS first_rank, max(rank) AS last_rank
	FROM placed
	GROUP BY service, build, symbol, module
)
SELECT f.service, f.build, f.symbol, f.module, f.devices, round(CAST(f.devices AS DOUBLE) / d.devices, 4) AS share, f.median_rank, f.first_rank, f.last_rank
FROM functions f JOIN fleets d ON d.service = f.service AND d.build = f.build
WHERE f.devices >= {share} * d.devices
ORDER BY f.service, f.build, f.devices DESC, f.median_rank, f.first_rank, f.symbol, f.module
LIMIT {top}

/** Loaded before the measured program: writes what it used when it ends. */
import fs from 'node:fs';

process.on('exit', () => {
	const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
	// Linux counts the parent's memory into maxRSS of a forked child; VmHWM starts anew with the program.
	const status = fs.existsSync('/proc/self/status') ? fs.readFileSync('/proc/self/status', 'utf8') : '';
	const highWater = /VmHWM:\s*(\d+)/.exec(status)?.[1];
	const usage = { peakMegabytes: Number(highWater ?? maxRSS) / 1024, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 };
	fs.writeFileSync(/** @type {string} */ (process.env.ASSAY_BENCH_USAGE), JSON.stringify(usage));
});

/** Which profiler a recording gets: perf, else async-profiler, else none; and how each is had. */
import { type AsyncProfiler, findAsyncProfiler } from './async-profiler.js';
import { findPerf, hasHardwareCycles, type Perf } from './perf.js';
import { HARDWARE_EVENT, SOFTWARE_EVENT } from './record-request.js';

export interface Profilers {
	readonly perf: Perf | null;
	/** Whether perf can count cycles by hardware. */
	readonly hasHardwareCycles: boolean;
	readonly asyncProfiler: AsyncProfiler | null;
}

export async function findProfilers(folder: string, environment: NodeJS.ProcessEnv): Promise<Profilers> {
	const perf = process.platform === 'linux' ? await findPerf(folder, environment.PATH) : null;
	return { perf, hasHardwareCycles: perf !== null && (await hasHardwareCycles(perf)), asyncProfiler: findAsyncProfiler(folder, environment) };
}

export function defaultEvent(profilers: Profilers): string {
	return profilers.hasHardwareCycles ? HARDWARE_EVENT : SOFTWARE_EVENT;
}

export const HOW_TO_GET_PERF =
	'install perf (Debian: apt-get install linux-perf; Ubuntu: linux-tools-$(uname -r); Fedora: dnf install perf), or unpack async-profiler 4 and set ASPROF_HOME';
/** When perf is there and may not. */
export const HOW_TO_PERMIT_PERF = 'allow it with sysctl kernel.perf_event_paranoid=1, run as root, or in a container with --cap-add PERFMON';

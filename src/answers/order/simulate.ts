/** The pages that runs touch, as linked and under candidate orders, before anything is linked. */
import { type Problem, UsageError } from '../../model/problem.js';
import type { TextLayout } from '../../model/text-layout.js';
import type { Simulation } from '../../startup/results.js';
import { simulate } from '../../startup/simulate.js';
import type { OrderSimulateResult } from '../results.js';
import type { Streamed } from '../streamed.js';
import { OrderInputs } from './open-layout.js';
import { simulateResult } from './simulate-result.js';
import { shortName } from './trace-names.js';

export interface SimulateRequest {
	/** Linked programs, or listings of them: nm -n --print-size, readelf -SsW, the map of a linker. Orders are applied to the first. */
	readonly programs: readonly string[];
	/** What ran: executed instructions, or functions by first execution. */
	readonly traces: readonly string[];
	/** Order files. */
	readonly orders?: readonly string[] | undefined;
	/** What the addresses of the traces belong to; left out: the first program. */
	readonly recordedOn?: string | undefined;
	/** Maps of the build, for dumps. */
	readonly maps?: readonly string[] | undefined;
	/** Relative paths start here. */
	readonly workingDirectory: string;
}

export interface SimulateAnswer {
	readonly simulation: Simulation;
	/** A program may lie at any page: windows hold on average only. */
	readonly isRelocatable: boolean;
	readonly problems: readonly Problem[];
	result(): Streamed<OrderSimulateResult>;
}

/** Throws an InputError for a file that cannot be used, a UsageError where a program or a trace is missing. */
export async function simulateOrders({
	programs,
	traces: names,
	orders = [],
	recordedOn: on,
	maps = [],
	workingDirectory,
}: SimulateRequest): Promise<SimulateAnswer> {
	const inputs = new OrderInputs(workingDirectory);
	const binaries: TextLayout[] = [];
	for (const name of programs) {
		binaries.push(await inputs.layout(name));
	}
	const [first] = binaries;
	const [firstTrace] = names;
	if (first === undefined || firstTrace === undefined) {
		throw new UsageError(first === undefined ? 'a program is missing' : 'what ran is missing');
	}
	const recordedOn = on === undefined ? first : await inputs.layout(on);
	const traces = (await inputs.traces(names, maps, on ?? programs[0])).map(({ trace }) => trace);
	const candidates = [];
	for (const name of orders) {
		candidates.push({ name: shortName(name), symbols: (await inputs.order(name))(first).names });
	}
	const simulation = simulate(binaries, candidates, traces, recordedOn);
	inputs.checkBlocks(recordedOn, binaries);
	inputs.checkTraces(simulation.traces, firstTrace, recordedOn.name);
	return {
		simulation,
		isRelocatable: binaries.some(({ isRelocatable }) => isRelocatable === true),
		problems: inputs.problems,
		result: () => simulateResult(simulation),
	};
}

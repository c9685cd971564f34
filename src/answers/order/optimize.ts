/** An order for several runs at once, by the pages that they touch. */
import { InputError, type Problem, UsageError } from '../../model/problem.js';
import type { TextLayout } from '../../model/text-layout.js';
import { coldCode } from '../../startup/cold-code.js';
import { optimizeBlocks } from '../../startup/optimize-blocks.js';
import { optimizeOrder } from '../../startup/optimize-order.js';
import { withParts } from '../../startup/part-order.js';
import type { OptimizeMethod, OptimizeObjective } from '../../startup/results.js';
import { simulate } from '../../startup/simulate.js';
import { withStartUpCode } from '../../startup/start-up-code.js';
import { carryTrace, type LaidTrace, layTrace } from '../../startup/trace-on-layout.js';
import type { OrderOptimizeResult } from '../results.js';
import type { Streamed } from '../streamed.js';
import { blocksOf, OrderInputs, type WeightedTrace, weighted } from './open-layout.js';
import { type MadeOrder, optimizeResult } from './optimize-result.js';
import { shortName } from './trace-names.js';

export interface OptimizeRequest {
	/** The program that is to be linked again, or a listing of it. */
	readonly program: string;
	/** What ran; a name counts once. */
	readonly traces: readonly (string | WeightedTrace)[];
	/** `pages` where it is left out. */
	readonly method?: OptimizeMethod | undefined;
	/** `pages` where it is left out. */
	readonly objective?: OptimizeObjective | undefined;
	/** What the addresses of the traces belong to; left out: the program. */
	readonly recordedOn?: string | undefined;
	/** Maps of the build, for dumps. */
	readonly maps?: readonly string[] | undefined;
	/** The file that the order goes to, as the result tells it; nothing is written. */
	readonly output?: string | undefined;
	/** The file that a list of blocks goes to, as the result tells it; nothing is written. Left out: functions stay whole. */
	readonly blocks?: string | undefined;
	/** The program is known to have been compiled with -ffunction-sections. */
	readonly hasFunctionSections?: boolean | undefined;
	/** Relative paths start here. */
	readonly workingDirectory: string;
}

export interface OptimizeAnswer extends MadeOrder {
	readonly problems: readonly Problem[];
	result(): Streamed<OrderOptimizeResult>;
}

/** Throws an InputError for a file that cannot be used, a UsageError where a trace is missing. */
export async function optimizeTraces(request: OptimizeRequest): Promise<OptimizeAnswer> {
	const { program, method = 'pages', objective = 'pages', recordedOn: on, maps = [], output, workingDirectory } = request;
	const [first] = request.traces;
	if (first === undefined) {
		throw new UsageError('what ran is missing: name one trace or more');
	}
	const inputs = new OrderInputs(workingDirectory);
	const layout = await inputs.layout(program);
	if (request.hasFunctionSections !== true) {
		inputs.problems.push(...untoldSections(layout, program));
	}
	const recordedOn = on === undefined ? layout : await inputs.layout(on);
	const traces = (await inputs.traces(request.traces, maps, on ?? program)).map(({ trace }) => trace);
	const laid = traces.map((trace) => carryTrace(layTrace(trace, recordedOn), recordedOn, layout));
	const completed = withStartUpCode(laid, layout);
	const whole = optimizeOrder(layout, completed.traces, { method, objective });
	if (request.blocks !== undefined) {
		checkExecuted(laid);
	}
	const split = request.blocks === undefined ? null : optimizeBlocks(layout, blocksOf(layout, program), laid, { method, objective });
	const order = split === null ? { ...whole, symbols: withParts(layout, whole.symbols) } : split.order;
	const united = optimizeOrder(layout, completed.traces, { method: 'first-execution', objective });
	const simulation = simulate(
		[layout],
		[
			{ name: 'first execution', symbols: united.symbols },
			...(split === null ? [] : [{ name: 'whole functions', symbols: whole.symbols }]),
			{ name: output === undefined ? 'this order' : shortName(output), symbols: order.symbols, ...(split === null ? {} : { layout: split.layout }) },
		],
		traces,
		recordedOn,
	);
	inputs.checkBlocks(recordedOn, [layout]);
	inputs.checkTraces(simulation.traces, weighted(first).file, recordedOn.name);
	const made = {
		simulation,
		order,
		startUpCode: completed.added,
		cold: coldCode(layout, laid),
		objective,
		output: output ?? null,
		blocks: split === null ? null : { ...split, output: request.blocks ?? '' },
	};
	return { ...made, problems: inputs.problems, result: () => optimizeResult(made) };
}

function untoldSections({ touching = 0, functionNames }: TextLayout, program: string): Problem[] {
	return touching === 0
		? []
		: [
				{
					severity: 'warning',
					file: program,
					message: `nothing lies between ${touching} of its ${functionNames.length} functions and the one before: each is taken for a section of its own, as -ffunction-sections makes it`,
					action: "give the linker's map instead (-Wl,-Map=FILE), which tells sections",
				},
			];
}

/** Lists of blocks are made of what ran of functions. */
function checkExecuted(traces: readonly LaidTrace[]): void {
	const whole = traces.find(({ ranges }) => ranges === null);
	if (whole !== undefined) {
		throw new InputError({
			severity: 'error',
			file: whole.name,
			message: 'tells which functions ran, and not what of them',
			action: 'lists of blocks need executed instructions: valgrind --tool=lackey --trace-mem=yes (docs/order.md)',
		});
	}
}

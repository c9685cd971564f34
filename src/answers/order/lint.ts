/** An order file against the program that it is for. */
import type { Problem } from '../../model/problem.js';
import { coldCode } from '../../startup/cold-code.js';
import { lintBlocks } from '../../startup/lint-blocks.js';
import { lintOrder } from '../../startup/lint-order.js';
import type { ColdCode, OrderLint } from '../../startup/results.js';
import { carryTrace } from '../../startup/trace-on-layout.js';
import type { OrderLintResult } from '../results.js';
import type { Streamed } from '../streamed.js';
import { lintResult } from './lint-result.js';
import { blocksOf, laidOn, OrderInputs } from './open-layout.js';

export interface LintRequest {
	/** The order file, or a list of blocks. */
	readonly order: string;
	/** The program, best with debug information, or a listing of it. */
	readonly program: string;
	/** What ran: how much of it the order covers. */
	readonly traces?: readonly string[] | undefined;
	/** With traces: less than this share, 0 to 1, is a finding. */
	readonly leastCoverage?: number | undefined;
	/** What the addresses of the traces belong to; left out: the program. */
	readonly recordedOn?: string | undefined;
	/** Maps of the build, for dumps. */
	readonly maps?: readonly string[] | undefined;
	/** Relative paths start here. */
	readonly workingDirectory: string;
}

export interface LintAnswer {
	readonly lint: OrderLint;
	/** A list of blocks (`v1`), not of symbols: its functions were compared with those of the program. */
	readonly isBlockList: boolean;
	/** What of the functions that ran was not executed; null where no trace tells, or one does not. */
	readonly cold: ColdCode | null;
	readonly problems: readonly Problem[];
	result(): Streamed<OrderLintResult>;
}

/** Throws an InputError for a file that cannot be used. */
export async function lintOrderFile({
	order: name,
	program,
	traces = [],
	leastCoverage,
	recordedOn: on,
	maps = [],
	workingDirectory,
}: LintRequest): Promise<LintAnswer> {
	const inputs = new OrderInputs(workingDirectory);
	const given = await inputs.blockListOrOrder(name);
	if (given.list !== null) {
		const { list } = given;
		const { layout } = await inputs.program(program, null);
		const lint = lintBlocks(layout, blocksOf(layout, program), list);
		return { lint, cold: null, isBlockList: true, problems: inputs.problems, result: () => lintResult(lint, null) };
	}
	const { orderFor } = given;
	// Only ELF files are asked for names of debug information.
	const { layout, debugNames } = await inputs.program(program, () => new Set(orderFor({ machOArchitecture: null }).names));
	const order = orderFor(layout);
	const recordedOn = on === undefined ? layout : await inputs.layout(on);
	const laid = (await inputs.traces(traces, maps, on ?? program)).map(({ trace }) => carryTrace(laidOn(trace, recordedOn), recordedOn, layout));
	const lint = lintOrder(layout, order.names, { debugNames, repeated: order.repeated, traces: laid, leastCoverage: leastCoverage ?? null });
	const cold = coldCode(layout, laid);
	return { lint, cold, isBlockList: false, problems: inputs.problems, result: () => lintResult(lint, cold) };
}

/** The result of `assay order measure`: docs/schema/order-measure.json. */
import type { MeasuredRun } from '../../startup/results.js';
import type { OrderMeasureResult } from '../results.js';
import { mapped, type Streamed } from '../streamed.js';

export interface Measured {
	readonly program: string;
	readonly command: readonly string[];
	readonly runs: readonly MeasuredRun[];
	/** What the numbers do not say. */
	readonly notes: readonly string[];
	/** A function of a page, given its address. */
	readonly functionAt: (pageAddress: number) => string | null;
}

export function measureResult({ program, command, runs, notes, functionAt }: Measured): Streamed<OrderMeasureResult> {
	return {
		program,
		command,
		notes,
		runs: mapped(runs, ({ isMapped: _, places, pages, ...counts }) => ({
			...counts,
			places: [...places],
			pages: pages.map((page) => ({ address: `0x${page.toString(16)}`, function: functionAt(page) })),
		})),
	};
}

/**
 * perf.data read for the order of functions, as perf-order/read.ts reads what perf script prints of it: of a sample with a stack the callers ran before; of page faults
 * (`perf record -e page-faults -c 1 -d`) those at the instruction itself tell of code.
 */
import type { Source } from '../../bytes/source.js';
import type { ListedFunction } from '../../model/listed-function.js';
import { isFetch } from '../shared/page-fault.js';
import type { PerfOrder } from '../shared/perf-order.js';
import { readPerfAddresses } from './read.js';

const PAGE_FAULTS = /^(?:page-faults|faults|minor-faults|major-faults)$/;

/** Rows have addresses and files; names of functions come from the program. Never throws on content. */
export function readPerfDataOrder(source: Source): PerfOrder {
	const { samples, stacks, touched, mappings, problems } = readPerfAddresses(source);
	const isFault = samples.events.map((event) => PAGE_FAULTS.test(event));
	const rows: ListedFunction[] = [];
	const add = (address: number, place: number): void => {
		// The kernel's are negative.
		if (address >= 0) {
			rows.push({ symbol: null, module: samples.places[place]?.library ?? null, address });
		}
	};
	for (let i = 0; i < samples.length; i++) {
		const address = Number(samples.address[i]!);
		const data = touched[i]!;
		if (isFault[samples.event[i]!] === true && !Number.isNaN(data)) {
			if (address >= 0 && isFetch(data, address)) {
				add(data, samples.place[i]!);
			}
			continue;
		}
		const innermost = stacks?.of[i] ?? -1;
		if (stacks === null || innermost < 0) {
			add(address, samples.place[i]!);
			continue;
		}
		const chain: number[] = [];
		for (let node = innermost; node >= 0; node = stacks.parent[node]!) {
			chain.push(node);
		}
		for (const node of chain.reverse()) {
			add(stacks.address[node]!, stacks.place[node]!);
		}
	}
	return { rows, mappings, problems };
}

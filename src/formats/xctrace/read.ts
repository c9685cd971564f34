/**
 * What `xctrace export` writes of an Instruments recording: a table of samples, in XML. An element may be `<x ref="N"/>`, which
 * stands for the earlier one with `id="N"`. The first frame of a backtrace is the sampled one; its address is one too high (as
 * JMH's xctraceasm has it). Up to Xcode 14.2 backtraces have no frames: their attribute `fmt` begins with the name or the address of the sampled one,
 * and addresses stand in lists inside, as they are.
 */
import type { Source } from '../../bytes/source.js';
import type { Problem } from '../../model/problem.js';
import { type Samples, SamplesBuilder } from '../../model/samples.js';
import { parseXml } from './xml.js';

export interface XctraceTable {
	readonly samples: Samples;
	readonly problems: readonly Problem[];
}

/** Whether the first bytes of a file are those of an exported table. */
export function isXctraceTable(head: string): boolean {
	return head.includes('<trace-query-result');
}

interface Frame {
	address: bigint | null;
	name: string | null;
	library: string | null;
}

/** A row in the making. */
interface Row {
	timeNs: number | null;
	frame: Frame | null;
	/** What the sampled frame of a backtrace of the old form is called: a name or an address. */
	legacyName: string | null;
}

/** Samples in nanoseconds since the recording began, as seconds. Those without an address, or with address 0, are left out and counted. */
export function readXctraceTable(source: Source): XctraceTable {
	const builder = new SamplesBuilder();
	const event = builder.eventNumber('sampled_pc');
	const times = new Map<string, number>();
	const frames = new Map<string, Frame>();
	const binaries = new Map<string, string>();
	const addresses = new Map<string, bigint | null>();
	const backtraces = new Map<string, Frame | null>();
	const openBacktraces: string[] = [];
	let row: Row | null = null;
	let frame: Frame | null = null;
	let text = '';
	let withoutAddress = 0;
	const problem = parseXml(source, {
		open: ({ name, attributes }) => {
			text = '';
			const { id, ref } = attributes;
			switch (name) {
				case 'row':
					row = { timeNs: null, frame: null, legacyName: null };
					break;
				case 'sample-time':
					if (row !== null && ref !== undefined) {
						row.timeNs = times.get(ref) ?? null;
					}
					break;
				case 'tagged-backtrace':
				case 'backtrace':
					if (row !== null && ref !== undefined) {
						row.frame ??= backtraces.get(`${name} ${ref}`) ?? null;
					} else if (id !== undefined) {
						openBacktraces.push(`${name} ${id}`);
					}
					if (row !== null && name === 'backtrace' && attributes.fmt !== undefined) {
						row.legacyName = attributes.fmt.split('←', 1)[0]!.trim();
					}
					break;
				case 'frame':
					frame = ref === undefined ? newFrame(attributes) : (frames.get(ref) ?? null);
					if (id !== undefined && frame !== null) {
						frames.set(id, frame);
					}
					if (row !== null) {
						row.frame ??= frame;
					}
					break;
				case 'binary': {
					const library = ref === undefined ? (attributes.name ?? null) : (binaries.get(ref) ?? null);
					if (id !== undefined && library !== null) {
						binaries.set(id, library);
					}
					if (frame !== null) {
						frame.library = library;
					}
				}
			}
		},
		text: (part) => {
			text += part;
		},
		close: (name, { id, ref }) => {
			if (row === null) {
				return;
			}
			switch (name) {
				case 'sample-time':
					if (ref === undefined) {
						row.timeNs = Number(text);
						if (id !== undefined) {
							times.set(id, row.timeNs);
						}
					}
					break;
				case 'text-addresses': {
					const address = ref === undefined ? firstAddress(text) : (addresses.get(ref) ?? null);
					if (id !== undefined) {
						addresses.set(id, address);
					}
					row.frame ??= legacyFrame(address, row.legacyName);
					break;
				}
				case 'tagged-backtrace':
				case 'backtrace':
					if (ref === undefined && id !== undefined) {
						backtraces.set(openBacktraces.pop() ?? '', row.frame);
					}
					break;
				case 'frame':
					frame = null;
					break;
				case 'row': {
					const { timeNs, frame: top } = row;
					if (timeNs !== null && top !== null && top.address !== null && top.address > 0n) {
						const symbol = top.name;
						const library = top.library;
						const key = JSON.stringify([library === null ? null : symbol, library]);
						const place = builder.placeNumber(key, () => ({ symbol: library === null ? null : symbol, library }));
						builder.add(timeNs / 1e9, BigInt.asIntN(64, top.address), event, place);
					} else {
						withoutAddress++;
					}
					row = null;
				}
			}
		},
	});
	const problems = problem === null ? [] : [problem];
	if (withoutAddress > 0) {
		problems.push({
			severity: 'warning',
			file: source.name,
			message: `${withoutAddress} samples have no time or no address`,
			action: 'they are left out',
		});
	}
	return { samples: builder.build(), problems };
}

function newFrame({ addr, name }: Record<string, string>): Frame {
	const address = addr !== undefined && /^(0x[0-9a-fA-F]{1,16}|\d{1,20})$/.test(addr) ? BigInt(addr) - 1n : null;
	return { address, name: name ?? null, library: null };
}

function firstAddress(list: string): bigint | null {
	const [first = ''] = list.trimStart().split(/[\s,]/, 1);
	return /^\d{1,20}$/.test(first) ? BigInt(first) : null;
}

/** The table does not say of which library a function with a name is; code of a JVM has none. */
function legacyFrame(address: bigint | null, name: string | null): Frame {
	const isNamed = name !== null && name !== '' && !name.startsWith('0x');
	return { address, name: isNamed ? name : null, library: isNamed ? UNKNOWN_LIBRARY : null };
}

/** As perf writes it. */
const UNKNOWN_LIBRARY = '[unknown]';

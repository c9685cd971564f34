/** Pieces of generated code and samples for tests. */
import type { PrintedMethod } from '../src/bias/printed-method.js';
import { instructionsOfRows, type Row } from '../src/formats/hotspot-code/instructions.js';
import type { GeneratedCode } from '../src/model/generated-code.js';
import { type Samples, SamplesBuilder } from '../src/model/samples.js';

export function piece(start: number, end: number, more: Partial<GeneratedCode> = {}): GeneratedCode {
	return {
		kind: 'compilation',
		name: 'a.B.f',
		signature: null,
		compileId: '1',
		compiler: 'c2',
		level: 4,
		osrBci: null,
		start,
		end,
		installedSeconds: null,
		notEntrant: null,
		...more,
	};
}

/** An instruction and what is printed beside it. */
export type PrintedLine = readonly [text: string, ...comments: string[]];

/** Printed code with instructions of four bytes each; the entry is the first. */
export function printedMethod(name: string, lines: readonly PrintedLine[], start = 0x100, more: Partial<GeneratedCode> = {}): PrintedMethod {
	const code = piece(start, start + 4 * lines.length, { name, ...more });
	const rows = lines.map(
		([text, ...comments], i): Row => ({ address: start + 4 * i, end: Number.NaN, text, comments, label: i === 0 ? 'Verified Entry Point' : null }),
	);
	return { code, ...instructionsOfRows(rows, code.end) };
}

/** A call of a method, as it is printed, with what is told of its bytecode. */
export const call = (name: string, ...chain: string[]): PrintedLine => [
	'call 0x9000',
	'ImmutableOopMap {}',
	`*invokestatic ${name} {reexecute=0}`,
	...chain,
	'{static_call}',
];

/** A call into the JVM that is a safepoint. */
export const vmCall = (...chain: string[]): PrintedLine => ['call 0x9000', 'ImmutableOopMap {}', '{runtime_call new_instance}', ...chain];

export interface SampleRow {
	readonly time?: number;
	/** Negative: of the kernel. */
	readonly at: number;
	readonly event?: string;
	readonly processId?: number;
	readonly library?: string | null;
	readonly symbol?: string | null;
}

export function samplesOf(rows: readonly SampleRow[]): Samples {
	const builder = new SamplesBuilder();
	for (const { time = 0, at, event = 'cpu-clock', processId = -1, library = null, symbol = null } of rows) {
		const place = builder.placeNumber(`${library}\0${symbol}`, () => ({ symbol, library }));
		builder.add(time, BigInt(at), builder.eventNumber(event), place, processId);
	}
	return builder.build();
}

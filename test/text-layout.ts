/** Layouts of programs made by hand, for tests of orders and pages. */
import type { ExecutionTrace } from '../src/model/executed-code.js';
import type { TextLayout, TextRegion } from '../src/model/text-layout.js';

export interface HandFunction {
	readonly name: string;
	readonly size: number;
	/** Further symbols at the same address. */
	readonly aliases?: readonly string[];
	readonly file?: string | null;
	readonly isLocal?: boolean;
	/** Begins a section unless it goes on in the one before. */
	readonly sharesSection?: boolean;
	/** Of its section; 1 by default. */
	readonly alignment?: number;
}

/** One region that begins at `start`; sections lie one behind the other, each at a multiple of its alignment. */
export function handLayout(start: number, functions: readonly HandFunction[], more: Partial<TextLayout> = {}): TextLayout {
	const sections = { starts: [] as number[], sizes: [] as number[], alignments: [] as number[] };
	const columns = { sections: [] as number[], offsets: [] as number[] };
	const symbols = { names: [] as string[], functions: [] as number[], isLocal: [] as number[], files: [] as (string | null)[] };
	let position = start;
	functions.forEach(({ name, size, aliases = [], file = null, isLocal = false, sharesSection = false, alignment = 1 }, f) => {
		if (!sharesSection) {
			position = Math.ceil(position / alignment) * alignment;
			sections.starts.push(position);
			sections.sizes.push(0);
			sections.alignments.push(alignment);
		}
		const section = sections.starts.length - 1;
		columns.sections.push(section);
		columns.offsets.push(position - sections.starts[section]!);
		position += size;
		sections.sizes[section] = position - sections.starts[section]!;
		for (const symbol of [name, ...aliases]) {
			symbols.names.push(symbol);
			symbols.functions.push(f);
			symbols.isLocal.push(isLocal ? 1 : 0);
			symbols.files.push(file);
		}
	});
	const region: TextRegion = { name: '.text', start, alignment: 16, precededBy: [], firstSection: 0, endSection: sections.starts.length };
	return {
		name: 'app',
		machine: 'X86_64',
		machOArchitecture: null,
		pageBytes: 4096,
		isRelocatable: true,
		entry: null,
		code: [],
		regions: [region],
		sectionStarts: Float64Array.from(sections.starts),
		sectionSizes: Float64Array.from(sections.sizes),
		sectionAlignments: Float64Array.from(sections.alignments),
		functionSections: Int32Array.from(columns.sections),
		functionOffsets: Float64Array.from(columns.offsets),
		functionSizes: Float64Array.from(functions, ({ size }) => size),
		functionNames: functions.map(({ name }) => name),
		symbolNames: symbols.names,
		symbolFunctions: Int32Array.from(symbols.functions),
		symbolIsLocal: Uint8Array.from(symbols.isLocal),
		symbolFiles: symbols.files,
		elsewhere: [],
		...more,
	};
}

/** A run that executed instructions at these addresses, of these sizes. */
export const ran = (...bytes: readonly (readonly [address: number, size: number])[]): ExecutionTrace => ({
	name: 'run',
	weight: 1,
	instructions: { addresses: Float64Array.from(bytes, ([address]) => address), sizes: Uint8Array.from(bytes, ([, size]) => size) },
	functions: null,
});

/** A run that called functions of these names. */
export const called = (...symbols: readonly string[]): ExecutionTrace => ({
	name: 'calls',
	weight: 1,
	instructions: null,
	functions: symbols.map((symbol) => ({ symbol, address: null, module: null })),
});

/** A small profile made by hand, from which profile formats of other tools are written. */
import type { GeneratedCode } from '../src/model/generated-code.js';
import type { StackedSamples, StackFrame } from '../src/model/stacked-samples.js';

export const ORIGIN = { title: 'a recording', producer: 'assay 1' };

export const RUN: GeneratedCode = {
	kind: 'compilation',
	name: 'a.Main.run',
	signature: '()V',
	compileId: '7',
	compiler: 'c2',
	level: 4,
	osrBci: null,
	start: 0x1000,
	end: 0x1100,
	installedSeconds: 1,
	notEntrant: null,
};

/** A stub, below the compiled method. */
const STUB: GeneratedCode = { ...RUN, kind: 'stub', name: 'StubRoutines (1)', compileId: null, compiler: null, level: null, start: 0xf00, end: 0xf40 };

function frame(name: string, kind: StackFrame['kind'], more: Partial<StackFrame> = {}): StackFrame {
	return { name, kind, library: null, line: null, bci: null, code: null, address: Number.NaN, inlineDepth: 0, ...more };
}

export const FRAMES: readonly StackFrame[] = [
	frame('a.Main.run', 'method', { code: RUN, address: 0x1010, line: 10, bci: 5 }),
	frame('a.Main.step', 'method', { code: RUN, address: 0x1010, line: 20, bci: 3, inlineDepth: 1 }),
	frame('memcpy', 'native', { library: '/lib/libc.so', address: 0x5000 }),
	frame('(schedule)', 'kernel', { address: -0x100 }),
	frame('(Interpreter)', 'interpreter'),
	frame('(StubRoutines (1))', 'stub', { code: STUB, address: 0xf04 }),
	frame('memcpy', 'native', { library: '/lib/libc.so', address: 0x5020 }),
];

/** Stacks: step in run; memcpy called by step in run; schedule called by memcpy there; the interpreter; a stub in the interpreter; memcpy elsewhere. */
const NODES: readonly (readonly [frame: number, parent: number])[] = [
	[0, -1],
	[1, 0],
	[2, 1],
	[3, 2],
	[4, -1],
	[5, 4],
	[6, 4],
];

/** Samples of three threads, not in the order of time. The clock of the profile stands at 100 s when the JVM starts. */
export const STACKED: StackedSamples = {
	event: 'cpu-clock',
	processId: 50,
	frames: FRAMES,
	nodeFrame: Int32Array.from(NODES, ([own]) => own),
	nodeParent: Int32Array.from(NODES, ([, parent]) => parent),
	length: 7,
	node: Int32Array.of(1, 1, 2, 3, 5, 1, 6),
	thread: Int32Array.of(1, 1, 1, 0, 0, 1, 2),
	threads: [
		{ name: 'main', id: 50 },
		{ name: 'worker', id: 51 },
		{ name: '', id: -1 },
		{ name: 'idle', id: 52 },
	],
	timeSeconds: Float64Array.of(100.5, 100.001, 100.25, 100.012, 100.013, 100.002, 100.0415),
	periods: Float64Array.of(10, 20, 30, 40, 50, 60, 70),
	intervalNs: 1_000_000,
	originSeconds: 100,
	originEpochMs: 1_700_000_000_000,
};

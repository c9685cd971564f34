/** Samples as stacks: what the sampled instruction is inlined into, the profiler's callers at the sample's own time, and frames of which only a name is told. */
import { describe, expect, test } from 'vitest';
import { assemble, CODE_START } from '../../test/assemble.js';
import { piece, type SampleRow, samplesOf } from '../../test/code.js';
import { codeMap } from '../model/code-map.js';
import type { Frame } from '../model/instructions.js';
import type { SampleDetails, SampleStacks } from '../model/samples.js';
import { framesOfNode } from '../model/stacked-samples.js';
import { attributeSamples } from './attribute.js';
import { stackedCode, stackSamples } from './stack-samples.js';

const OUTER: Frame = { method: 'a.B.f', bci: 1, line: 10 };
const INNER: Frame = { method: 'a.C.inner', bci: 3, line: 30 };
const TEXT = assemble(['push %rbp', 'inc %ebx', 'ret'], [[OUTER], [INNER, OUTER], null]);
const END = CODE_START + 12;
const MAP = codeMap([
	piece(CODE_START, END, { name: 'a.B.f' }),
	piece(0x9000, 0x9100, { name: 'a.B.old', compileId: '2', installedSeconds: 0, notEntrant: { seconds: 5, reason: null } }),
	piece(0x9000, 0x9100, { name: 'a.B.new', compileId: '3', installedSeconds: 50 }),
	piece(0xa000, 0xa100, { kind: 'stub', name: 'arraycopy', compileId: null, compiler: null, level: null }),
	piece(0xb000, 0xb100, { kind: 'interpreter', name: 'iload', compileId: null, compiler: null, level: null }),
]);

interface Given {
	readonly rows: readonly SampleRow[];
	readonly stacks?: SampleStacks | null;
	readonly more?: Partial<SampleDetails>;
	readonly startSeconds?: number | null;
	readonly startedEpochMs?: number | null;
	readonly to?: number;
}

function stacked({ rows, stacks = null, more = {}, startSeconds = 0, startedEpochMs = null, to = Number.POSITIVE_INFINITY }: Given) {
	const attribution = attributeSamples(samplesOf(rows), MAP, {
		event: 0,
		processId: null,
		window: { from: Number.NEGATIVE_INFINITY, to },
		clock: startSeconds === null ? null : { startSeconds, uncertaintySeconds: 0, source: 'recorded' },
	});
	const source = { attribution, details: { threads: null, periods: null, stacks, ...more }, processId: 7, intervalNs: 1000, startedEpochMs };
	return { source, result: stackSamples(source, (position) => (position === MAP.code.findIndex(({ name }) => name === 'a.B.f') ? TEXT : null)) };
}

/** Names of each sample's frames, the outermost first. */
function names(given: Given): string[] {
	const { result } = stacked(given);
	return [...result.node].map((node) =>
		framesOfNode(result, node)
			.map((frame) => result.frames[frame]!.name)
			.join(' '),
	);
}

describe('the sampled instruction', () => {
	test('with what is inlined around it; code without text by its name', () => {
		expect(names({ rows: [CODE_START, CODE_START + 5, CODE_START + 8, 0x9010].map((at) => ({ at, time: 1 })) })).toEqual([
			'a.B.f',
			'a.B.f a.C.inner',
			'a.B.f',
			'a.B.old',
		]);
		const { result } = stacked({ rows: [{ at: CODE_START + 5, time: 1 }] });
		expect(result.frames.map(({ name, line, bci, inlineDepth, address, kind }) => [name, line, bci, inlineDepth, address, kind])).toEqual([
			['a.B.f', 10, 1, 0, CODE_START + 4, 'method'],
			['a.C.inner', 30, 3, 1, CODE_START + 4, 'method'],
		]);
	});

	test('outside of compilations by what it is', () => {
		const at = (address: number, symbol: string | null, library: string | null): SampleRow => ({ at: address, symbol, library, time: 1 });
		const rows = [
			at(-5, 'do_page_fault+0x1f', '[kernel.kallsyms]'),
			at(-6, '[unknown]', '[kernel.kallsyms]'),
			at(5, 'memcpy', '/usr/lib/libc.so.6'),
			at(6, null, '/usr/lib/libc.so.6'),
			at(0xa010, null, null),
			at(0xb010, null, null),
			at(7, null, null),
		];
		expect(names({ rows })).toEqual(['(do_page_fault)', '(kernel)', '(memcpy)', '(libc.so.6)', '(arraycopy)', '(interpreter)', '(unknown)']);
		const { result } = stacked({ rows });
		expect(result.frames.map(({ kind, library }) => [kind, library])).toEqual([
			['kernel', null],
			['kernel', null],
			['native', 'libc.so.6'],
			['native', 'libc.so.6'],
			['stub', null],
			['interpreter', null],
			['unknown', null],
		]);
	});

	test('what is the same is one node; threads, periods and times go along with what counts', () => {
		const rows: SampleRow[] = [
			{ at: CODE_START, time: 2 },
			{ at: CODE_START, time: 3 },
			{ at: CODE_START, time: 9 },
			{ at: CODE_START + 5, time: 4 },
		];
		const threads = {
			of: Int32Array.of(1, 0, 1, 1),
			threads: [
				{ name: 'a', id: 1 },
				{ name: 'b', id: 2 },
			],
		};
		const { result } = stacked({ rows, more: { threads, periods: Float64Array.of(10, 20, 30, 40) }, to: 3 });
		expect(result).toMatchObject({ length: 3, event: 'cpu-clock', processId: 7, intervalNs: 1000 });
		expect([[...result.node], [...result.thread], [...(result.timeSeconds ?? [])], [...(result.periods ?? [])]]).toEqual([
			[0, 0, 2],
			[1, 0, 1],
			[2, 3, 4],
			[10, 20, 40],
		]);
		expect(stacked({ rows }).result.threads).toEqual([{ name: '', id: -1 }]);
		expect(stacked({ rows }).result.periods).toBeNull();
	});

	test('from where times are counted: the start of the JVM, or the first sample where that is earlier or all that is known', () => {
		const origin = (given: Partial<Given>) => {
			const { originSeconds, originEpochMs } = stacked({
				rows: [
					{ at: CODE_START, time: 8 },
					{ at: CODE_START, time: 6 },
				],
				...given,
			}).result;
			return [originSeconds, originEpochMs];
		};
		expect(origin({ startSeconds: 5, startedEpochMs: 1000 })).toEqual([5, 1000]);
		expect(origin({ startSeconds: 5 })).toEqual([5, null]);
		expect(origin({ rows: [{ at: CODE_START, time: 8 }], startSeconds: 9, startedEpochMs: 5000 })[0]).toBeLessThanOrEqual(9);
		expect(origin({ rows: [{ at: CODE_START }] })).toEqual([0, null]);
	});
});

describe('callers', () => {
	/** Nodes of `[caller, address, place]`; each sample's innermost node. */
	function tree(of: readonly number[], nodes: readonly (readonly [number, number, number])[]): SampleStacks {
		return {
			of: Int32Array.from(of),
			parent: Int32Array.from(nodes, ([parent]) => parent),
			address: Float64Array.from(nodes, ([, address]) => address),
			place: Int32Array.from(nodes, ([, , place]) => place),
		};
	}

	test('are looked up before the return address, in the code of the sample’s own time', () => {
		const rows: SampleRow[] = [
			{ at: CODE_START, time: 1, symbol: 'x', library: '/lib/x.so' },
			{ at: CODE_START + 5, time: 60, symbol: 'x', library: '/lib/x.so' },
			{ at: CODE_START, time: 60, symbol: 'x', library: '/lib/x.so' },
		];
		const stacks = tree(
			[2, 3, -1],
			[
				[-1, 5, 0],
				[0, 0x9100, 0],
				[1, CODE_START, 0],
				[1, CODE_START + 5, 0],
			],
		);
		expect(names({ rows, stacks })).toEqual(['(x) a.B.old a.B.f', '(x) a.B.new a.B.f a.C.inner', 'a.B.f']);
		const { source } = stacked({ rows, stacks });
		expect([...stackedCode(source)].map((position) => MAP.code[position]!.name).sort()).toEqual(['a.B.f', 'a.B.new', 'a.B.old']);
		expect([...stackedCode(stacked({ rows }).source)].map((position) => MAP.code[position]?.name)).toEqual(['a.B.f']);
	});

	test('of which only names are told: ours from the innermost frame of the sampled method on', () => {
		const place = (symbol: string | null, library: string | null = null): SampleRow => ({ at: 1, time: 1, symbol, library });
		// Places in the order of the rows.
		const rows: SampleRow[] = [
			{ ...place('a/B.f'), at: CODE_START + 5 },
			place('main'),
			place('a/C.inner'),
			place('sys_read', '[kernel.kallsyms]'),
			place('memcpy.cold'),
			{ ...place(null), at: 0xa010 },
		];
		const none = Number.NaN;
		const named = (innermost: number, nodes: readonly (readonly [number, number])[]) =>
			names({
				rows,
				stacks: tree(
					[innermost, ...rows.slice(1).map(() => -1)],
					nodes.map(([parent, number]) => [parent, none, number] as const),
				),
			})[0];
		// main → a.B.f → a.C.inner: the compilation's own frames replace the last two.
		expect(
			named(2, [
				[-1, 1],
				[0, 0],
				[1, 2],
			]),
		).toBe('(main) a.B.f a.C.inner');
		expect(
			named(1, [
				[-1, 1],
				[0, 2],
			]),
		).toBe('(main) a.C.inner a.B.f a.C.inner');
		// A native frame lies between.
		expect(
			named(2, [
				[-1, 0],
				[0, 4],
				[1, 2],
			]),
		).toBe('a.B.f (memcpy.cold) a.C.inner a.B.f a.C.inner');
		const outside = (sample: number, nodes: readonly (readonly [number, number])[]) =>
			names({
				rows,
				stacks: tree(
					rows.map((_, i) => (i === sample ? nodes.length - 1 : -1)),
					nodes.map(([parent, number]) => [parent, none, number] as const),
				),
			})[sample];
		// In a stub ours stands behind.
		expect(outside(5, [[-1, 0]])).toBe('a.B.f (arraycopy)');
		// Native: the profiler named it itself.
		expect(
			outside(4, [
				[-1, 0],
				[0, 4],
			]),
		).toBe('a.B.f (memcpy.cold)');
		expect(
			outside(3, [
				[-1, 0],
				[0, 3],
			]),
		).toMatch(/^a\.B\.f \(sys_read\)/);
	});

	test('that are native functions, stubs, the interpreter and the kernel, looked up by their addresses', () => {
		const rows: SampleRow[] = [
			{ at: CODE_START + 8, time: 60 },
			{ at: 5, time: 60, symbol: 'memcpy', library: '/usr/lib/libc.so.6' },
			{ at: -5, time: 60, symbol: 'schedule', library: '[kernel.kallsyms]' },
			{ at: 9, time: 60 },
		];
		const stacks = tree(
			[5, -1, -1, -1],
			[
				[-1, 5, 1],
				[0, -7, 2],
				[1, 0xa011, 0],
				[2, 0xb011, 0],
				[3, 77, 3],
				[4, CODE_START + 8, 0],
			],
		);
		const { result } = stacked({ rows, stacks });
		expect(
			framesOfNode(result, result.node[0]!).map((frame) => [result.frames[frame]!.name, result.frames[frame]!.kind, result.frames[frame]!.library]),
		).toEqual([
			['(memcpy)', 'native', 'libc.so.6'],
			['(schedule)', 'kernel', null],
			['(arraycopy)', 'stub', null],
			['(interpreter)', 'interpreter', null],
			['(unknown)', 'unknown', null],
			['a.B.f', 'method', null],
		]);
	});

	test('of which only names are told: methods of Java, functions with the names of their files, the kernel', () => {
		const none = Number.NaN;
		const named = (symbol: string | null, library: string | null) => {
			const rows: SampleRow[] = [
				{ at: 0xa010, time: 1 },
				{ at: 1, time: 1, symbol, library },
			];
			const { result } = stacked({ rows, stacks: tree([0, -1], [[-1, none, 1]]) });
			const [frame, leaf] = framesOfNode(result, result.node[0]!).map((number) => result.frames[number]!);
			expect(leaf?.name).toBe('(arraycopy)');
			return [frame?.name, frame?.kind, frame?.library];
		};
		expect(named('java/util/HashMap.get', null)).toEqual(['java.util.HashMap.get', 'method', null]);
		expect(named('a.B.<init>', null)).toEqual(['a.B.<init>', 'method', null]);
		expect(named('a.B.f+0x1f', null)).toEqual(['a.B.f', 'method', null]);
		expect(named('a.B.f', '/usr/lib/libc.so.6')).toEqual(['(a.B.f)', 'native', 'libc.so.6']);
		expect(named('memcpy.isra.0', null)).toEqual(['(memcpy.isra.0)', 'native', null]);
		expect(named('std::sort', null)).toEqual(['(std::sort)', 'native', null]);
		expect(named('main', null)).toEqual(['(main)', 'native', null]);
		expect(named('[libc.so.6]', null)).toEqual(['(libc.so.6)', 'native', null]);
		expect(named(null, '/usr/lib/libc.so.6')).toEqual(['(libc.so.6)', 'native', 'libc.so.6']);
		expect(named('[unknown]', null)).toEqual(['(unknown)', 'unknown', null]);
		expect(named('schedule', '[kernel.kallsyms]')).toEqual(['(schedule)', 'kernel', null]);
		expect(named(null, '[guest.kernel.kallsyms]')).toEqual(['(kernel)', 'kernel', null]);
	});
});

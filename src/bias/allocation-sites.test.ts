import { describe, expect, test } from 'vitest';
import { type PrintedLine, printedMethod } from '../../test/code.js';
import { allocationSites } from './allocation-sites.js';
import type { PrintedMethod } from './printed-method.js';
import { Walks } from './walks.js';

const RETURN: readonly PrintedLine[] = [['cmp (%r15),%rsp', '{poll_return}'], ['ret']];
const slowCall = (stub: string, line: number): PrintedLine => [
	'call 0x9000',
	'ImmutableOopMap {}',
	'*new {reexecute=0}',
	`- a.B::f@${line} (line ${line})`,
	`{runtime_call ${stub}}`,
];

/** Makes an object with each pass of a loop: where the buffer is full, the call at `slow` does, and goes back to `done`. */
function allocation(
	size: string,
	slow: number,
	done: number,
): { readonly fast: readonly PrintedLine[]; readonly slow: (stub: string, line: number) => readonly PrintedLine[] } {
	return {
		fast: [['mov 0x108(%r15),%rax'], ['mov %rax,%r10'], [size], ['cmp 0x118(%r15),%r10'], [`jae 0x${slow.toString(16)}`], ['mov %r10,0x108(%r15)']],
		slow: (stub, line) => [slowCall(stub, line), [`jmp 0x${done.toString(16)}`]],
	};
}

const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

function sitesOf(method: PrintedMethod, counts: readonly number[]) {
	const sampled = [{ method, counts: Float64Array.from({ length: method.instructions.length }, (_, i) => counts[i] ?? 0), ...ALWAYS }];
	return allocationSites(new Walks({ sampled, cold: [], methods: [method], native: [] })).map(({ frames, percent }) => [frames[0]?.line, Math.round(percent)]);
}

/** Instructions 0 to 5 allocate at line 1, 6 to 11 at line 2; then the way out, and the slow paths. */
function twoSites(first: string, second: string, stub = '_new_instance_Java'): PrintedMethod {
	const [one, two] = [allocation(first, 0x138, 0x118), allocation(second, 0x140, 0x130)];
	return printedMethod('a.B.f', [...one.fast, ...two.fast, ...RETURN, ...one.slow(stub, 1), ...two.slow(stub, 2)]);
}

describe('what sampled code allocates', () => {
	const counts = [10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10];

	test('as often as the code before it runs, times the size that stands in it', () => {
		expect(sitesOf(twoSites('add $0x18,%r10', 'add $0x48,%r10'), counts)).toEqual([
			[2, 75],
			[1, 25],
		]);
		expect(sitesOf(twoSites('lea 0x48(%rax),%r10', 'lea 0x18(%rax),%r10'), counts)).toEqual([
			[1, 75],
			[2, 25],
		]);
	});

	test('where the size varies, 64 bytes are assumed', () => {
		expect(sitesOf(twoSites('add %r11,%r10', 'add $0x40,%r10'), counts)).toEqual([
			[1, 50],
			[2, 50],
		]);
		expect(sitesOf(twoSites('lea 0x10(%rax,%r11,1),%r10', 'add $0x40,%r10'), counts)).toEqual([
			[2, 51],
			[1, 49],
		]);
	});

	test.each([
		'_new_instance_Java',
		'_new_array_nozero_Java',
		'_multianewarray2_Java',
		'fast_new_instance Runtime1 stub',
		'C2 Runtime new_array',
		'C1 Runtime new_type_array_blob',
	])('%s is a call that allocates', (stub) => {
		expect(sitesOf(twoSites('add $0x18,%r10', 'add $0x18,%r10', stub), counts)).toHaveLength(2);
	});

	test.each(['a.B.new_instance', 'a.NativeArray.newObject', 'throw_array_store_exception Runtime1 stub', 'jint_disjoint_arraycopy'])('%s is none', (stub) => {
		expect(sitesOf(twoSites('add $0x18,%r10', 'add $0x18,%r10', stub), counts)).toEqual([]);
	});

	test('code without samples, where the chain alone would have it run, counts for little', () => {
		// A branch over the second one, of which the samples say that it is always taken.
		const [one, two] = [allocation('add $0x18,%r10', 0x140, 0x118), allocation('add $0x18,%r10', 0x148, 0x138)];
		const method = printedMethod('a.B.f', [
			...one.fast,
			['test %ecx,%ecx'],
			['jne 0x138'],
			...two.fast,
			...RETURN,
			...one.slow('_new_instance_Java', 1),
			...two.slow('_new_instance_Java', 2),
		]);
		const [first, second] = sitesOf(method, [100, 100, 100, 100, 100, 100, 100, 100]);
		expect(first?.[0]).toBe(1);
		expect(first?.[1]).toBeGreaterThan(90);
		expect(second?.[1]).toBeLessThan(10);
	});

	test('nothing sampled, nothing told', () => {
		expect(allocationSites(new Walks({ sampled: [], cold: [], methods: [], native: [] }))).toEqual([]);
	});
});

import { describe, expect, test } from 'vitest';
import { decodedColumns } from '../../../test/decoded-columns.js';
import { rowsOfMachineCode } from './machine-code.js';

/** Instructions one after the other from address 0, as `[bytes, text]`, and notes by address → comments by text. */
function beside(listed: readonly (readonly [number, string])[], notes: Record<number, string[]>): Record<string, readonly string[]> {
	let address = 0;
	const decoded = listed.map(([sizeBytes, text]) => {
		address += sizeBytes;
		return [address - sizeBytes, sizeBytes, text] as const;
	});
	const chunk = {
		address: 0,
		bytes: new Uint8Array(address),
		notes: Object.entries(notes).map(([at, comments]) => ({ address: Number(at), comments, label: null })),
	};
	return Object.fromEntries(rowsOfMachineCode(chunk, decodedColumns(decoded)).flatMap(({ text, comments }) => (comments.length > 0 ? [[text, comments]] : [])));
}

describe('what is said of four bytes goes beside', () => {
	test('the instruction that ends there: debug information', () => {
		expect(
			beside(
				[
					[3, 'a'],
					[4, 'b'],
					[2, 'c'],
					[5, 'd'],
				],
				{ 4: ['*iadd', '- T::f@2 (line 3)'], 8: ['*goto'] },
			),
		).toEqual({ b: ['*iadd', '- T::f@2 (line 3)'], c: ['*goto'] });
	});

	test('the call, whose return address it is, though another one ends there too', () => {
		expect(
			beside(
				[
					[5, 'call 0x10'],
					[1, 'nop'],
					[1, 'pop %rbx'],
				],
				{ 4: ['ImmutableOopMap {}', '*invokevirtual f'] },
			),
		).toEqual({
			'call 0x10': ['ImmutableOopMap {}', '*invokevirtual f'],
		});
	});

	test('the instruction that begins there: relocations; a poll at the one that reads memory', () => {
		expect(
			beside(
				[
					[2, 'xor %eax,%eax'],
					[3, 'test %eax,(%r10)'],
					[5, 'jmp 0x10'],
				],
				{ 0: ['{poll}'], 4: ['{runtime_call Stub}'] },
			),
		).toEqual({
			'test %eax,(%r10)': ['{poll}'],
			'jmp 0x10': ['{runtime_call Stub}'],
		});
		expect(
			beside(
				[
					[1, 'pop %rbp'],
					[7, 'cmp 0x28(%r15),%rsp'],
					[2, 'ja 0x20'],
				],
				{ 0: ['{poll_return}'] },
			),
		).toEqual({ 'cmp 0x28(%r15),%rsp': ['{poll_return}'] });
	});

	test('of several that begin there the one that has room for it: metadata', () => {
		expect(
			beside(
				[
					[1, 'ret'],
					[10, 'movabs $0x7c499b78,%r10'],
					[5, 'mov %r10,0x8(%rsp)'],
				],
				{ 0: ['{metadata(x)}'] },
			),
		).toEqual({ 'movabs $0x7c499b78,%r10': ['{metadata(x)}'] });
	});

	test('the one that covers it where none begins', () => {
		expect(
			beside(
				[
					[10, 'movabs $0x7c,%r10'],
					[1, 'ret'],
				],
				{ 4: ['{oop(x)}', '*aload'] },
			),
		).toEqual({ 'movabs $0x7c,%r10': ['{oop(x)}', '*aload'] });
	});
});

test('labels; no instructions at all', () => {
	const notes = [{ address: 1, comments: [], label: 'Stub Code' }];
	const decoded = decodedColumns([0, 1].map((address) => [address, 1, 'nop']));
	expect(rowsOfMachineCode({ address: 0, bytes: new Uint8Array(2), notes }, decoded).map(({ label }) => label)).toEqual([null, 'Stub Code']);
	expect(rowsOfMachineCode({ address: 0, bytes: new Uint8Array(0), notes }, decodedColumns([]))).toEqual([]);
});

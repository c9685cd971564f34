import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textSource } from '../../../test/recordings.js';
import { type CodeText, readCodeText } from './read-text.js';
import type { LoggedCode } from './scan.js';

const PIECE: LoggedCode = {
	kind: 'compilation',
	name: 'T.f',
	signature: null,
	compileId: '1',
	compiler: 'c2',
	level: 4,
	osrBci: null,
	start: 0x7f00,
	end: 0x8000,
	installedSeconds: 0,
	notEntrant: null,
	textRanges: [],
};

function read(text: string, isEscaped = false, ranges: readonly number[] = [0, Buffer.byteLength(text)], indent = 0): CodeText {
	return readCodeText(textSource(text), { ...PIECE, textRanges: ranges }, { isEscaped, indent });
}

describe('disassembled', () => {
	test('instructions with comments on their own and the following lines, and labels', () => {
		const { rows, chunks, lostLines } = read(
			'Compiled method (c2) 1 1 4 T::f (3 bytes)\n main code      [0x00007f00,0x00008000] = 256\n\n[Disassembly]\n[Constant Pool (empty)]\n[Entry Point]\n' +
				'  # {method} {0x00007f9b574002d8} &apos;f&apos; in &apos;T&apos;\n[Verified Entry Point]\n' +
				'  0x00007f00:   movabs $0x7f24fb400530,%rdi         ;   {metadata(&apos;java/lang/Integer&apos;)}\n' +
				'  0x00007f0a:   mov    0xc(%rsi),%edi               ; implicit exception: dispatches to 0x00007f2565401018\n' +
				'                                                            ;*iaload {reexecute=0 rethrow=0 return_oop=0}\n' +
				'                                                            ; - T::f@2 (line 3)\r\n' +
				'[Stub Code]\n  0x00007f10:   hlt\n[/Disassembly]',
			true,
		);
		expect({ chunks, lostLines }).toEqual({ chunks: [], lostLines: 0 });
		expect(rows).toEqual([
			{ address: 0x7f00, end: Number.NaN, text: 'movabs $0x7f24fb400530,%rdi', comments: ["{metadata('java/lang/Integer')}"], label: 'Verified Entry Point' },
			{
				address: 0x7f0a,
				end: Number.NaN,
				text: 'mov 0xc(%rsi),%edi',
				comments: ['implicit exception: dispatches to 0x00007f2565401018', '*iaload {reexecute=0 rethrow=0 return_oop=0}', '- T::f@2 (line 3)'],
				label: null,
			},
			{ address: 0x7f10, end: Number.NaN, text: 'hlt', comments: [], label: 'Stub Code' },
		]);
	});

	test('constants are no instructions', () => {
		const { rows, lostLines } = read(
			'[Constant Pool]\n             Address          hex4                    hex8      \n  0x00007f00:   0x3f400000      0xf4f4f4f43f400000      \n  0x00007f04:   0xf4f4f4f4                              \n  0x00007f10:   ret\n',
		);
		expect({ rows: rows.map(({ address }) => address), lostLines }).toEqual({ rows: [0x7f10], lostLines: 0 });
	});

	test('a line that another thread cut is put together again', () => {
		const text =
			'  0x00007f00:   nop\n  0x00007f01:   \n<writer/>\nmovabs $0x7f6143000000,%r10\n  0x00007f0b:   mov    0x8(\n<writer/>\n%rsi),%eax\n  0x00007f0e:   ret\n<writer/>\n  0x00007f0f:   hlt\n';
		const marks = [...text.matchAll(/<writer\/>/g)].flatMap(({ index }) => [index, index + '<writer/>'.length]);
		const { rows, lostLines } = read(text, false, [0, ...marks, text.length]);
		expect(lostLines).toBe(0);
		expect(rows.map((row) => row.text)).toEqual(['nop', 'movabs $0x7f6143000000,%r10', 'mov 0x8(%rsi),%eax', 'ret', 'hlt']);
	});

	test('lines without an instruction are counted', () => {
		expect(read('  0x00007f00:   nop\n  0x00007f01:\n  0x00007f\n').lostLines).toBe(2);
	});

	test("behind JMH's columns", () => {
		expect(read('  12.34%    0x00007f00:   nop\n', false, undefined, 10).rows).toMatchObject([{ address: 0x7f00, text: 'nop' }]);
	});
});

describe('machine code', () => {
	const ROWS =
		'[MachCode]\n[Verified Entry Point]\n  # {method}\n  0x00007f00: 8984 2400 | c0fe ff55 | 48\n\n  0x00007f09: ; ImmutableOopMap {rsi=Oop }\n' +
		'              ;*goto {reexecute=1 rethrow=0 return_oop=0}\n              ;   {poll}\n  0x00007f09: 83ec 40\n[Stub Code]\n  0x00007f0c: f4f4\n  0x00007f20: 90\n[/MachCode]';

	test('bytes that lie together, with notes and labels', () => {
		const { chunks, rows, lostLines } = read(ROWS);
		expect({ rows, lostLines }).toEqual({ rows: [], lostLines: 0 });
		expect(chunks.map(({ address, bytes }) => [address, Buffer.from(bytes).toString('hex')])).toEqual([
			[0x7f00, '89842400c0feff554883ec40f4f4'],
			[0x7f20, '90'],
		]);
		expect(chunks[0]?.notes).toEqual([
			{ address: 0x7f00, comments: [], label: 'Verified Entry Point' },
			{ address: 0x7f09, comments: ['ImmutableOopMap {rsi=Oop }', '*goto {reexecute=1 rethrow=0 return_oop=0}', '{poll}'], label: null },
			{ address: 0x7f0c, comments: [], label: 'Stub Code' },
		]);
	});

	test('a row that is cut counts as far as it goes, one that is damaged not', () => {
		const [chunk] = read('[MachCode]\n  0x00007f00: 8984 240').chunks;
		expect(Buffer.from(chunk?.bytes ?? []).toString('hex')).toBe('898424');
		expect(read(`[MachCode]\n  0x00007f00: 898x\n  0x00007f00: 898 9090\n  0x00007f00: ${'0a'.repeat(40)}!\n`)).toEqual({ rows: [], chunks: [], lostLines: 3 });
	});

	test('any bytes in any rows come back', () => {
		fc.assert(
			fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 32 }), { minLength: 1, maxLength: 5 }), (rows) => {
				let address = 0x7f00;
				let text = '[MachCode]\n';
				for (const row of rows) {
					const words =
						Buffer.from(row)
							.toString('hex')
							.match(/.{1,8}/g) ?? [];
					text += `  0x${address.toString(16)}: ${words.map((word) => (word.match(/.{1,4}/g) ?? []).join(' ')).join(' | ')} \n`;
					address += row.length;
				}
				const { chunks, lostLines } = read(text);
				expect(lostLines).toBe(0);
				expect(chunks.map(({ bytes }) => Buffer.from(bytes).toString('hex'))).toEqual([Buffer.concat(rows).toString('hex')]);
			}),
		);
	});
});

describe('damaged addresses', () => {
	test.each(['[MachCode]', '[Disassembly]'])('lines of %s beyond 2^53 are lost', (section) => {
		const rest = section === '[MachCode]' ? '5590' : 'ret';
		const { rows, chunks, lostLines } = read(`${section}\n  0x7f007f0000007f00: ${rest}\n  0x0000000000007f00: ${rest}\n  0x${'f'.repeat(300)}: ${rest}\n`);
		expect([...rows, ...chunks].map(({ address }) => address)).toEqual([0x7f00]);
		expect(lostLines).toBe(2);
	});

	test('rows that do not follow each other have their own notes', () => {
		const lines = Array.from(
			{ length: 20_000 },
			(_, i) => `  0x${(0x7f00 + 16 * i).toString(16)}: ; {poll ${i}}\n  0x${(0x7f00 + 16 * i).toString(16)}: 5590\n`,
		);
		const { chunks } = read(`[MachCode]\n${lines.join('')}`);
		expect(chunks).toHaveLength(20_000);
		expect(chunks.every(({ notes }, i) => notes.length === 1 && notes[0]?.comments[0] === `{poll ${i}}`)).toBe(true);
	});
});

/** Code whose bytes are read once more is the code that was decoded first, whatever was let go in between. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Flow } from '../model/instructions.js';
import { RecentColumns } from '../model/recent-columns.js';
import type { DecodedCode } from './decoded-code.js';
import { openDisassembler } from './disassembler.js';

const x86 = await openDisassembler('x86-64');
/** A jump, a call, moves, a compare and data that is no instruction. */
const ENCODINGS = ['55', '89842400c0feff', '4883ec10', 'eb02', 'e8fbffffff', '0f8500000000', '418502', '488b0510000000', 'f7f9', '06', 'c3'];

const columnsOf = (code: DecodedCode) => ({
	length: code.length,
	all: code.look(({ address, end, target, flow }) => [[...address], [...end], [...target], [...flow]]),
	columns: [[...code.address], [...code.end], [...code.target], [...code.flow]],
	ends: Array.from({ length: code.length }, (_, i) => code.endAt(i)),
	targets: Array.from({ length: code.length }, (_, i) => code.targetAt(i)),
	texts: Array.from({ length: code.length }, (_, i) => [code.text(i), code.form(i)]),
});

test('in any order of looking', () => {
	const bytes = fc.array(fc.constantFrom(...ENCODINGS), { minLength: 1, maxLength: 30 }).map((parts) => Buffer.from(parts.join(''), 'hex'));
	fc.assert(
		fc.property(fc.array(bytes, { minLength: 1, maxLength: 5 }), fc.array(fc.nat(4), { maxLength: 12 }), fc.nat(400), (pieces, looks, mostBytes) => {
			const recent = new RecentColumns(mostBytes);
			const again = (piece: Uint8Array) => ({ read: () => Uint8Array.from(piece), recent, recentShapes: recent, recentColumns: recent });
			const codes = pieces.map((piece, i) => x86.decodeColumns(piece, 0x1000 * (i + 1), again(piece)));
			const whole = pieces.map((piece, i) => columnsOf(x86.decodeColumns(piece, 0x1000 * (i + 1))));
			for (const look of looks) {
				const i = look % codes.length;
				expect(columnsOf(codes[i]!)).toEqual(whole[i]);
			}
		}),
	);
});

test('calls by where they end, in code of any length', () => {
	fc.assert(
		fc.property(fc.array(fc.constantFrom(...ENCODINGS), { maxLength: 300 }), (parts) => {
			const code = x86.decodeColumns(Buffer.from(parts.join(''), 'hex'), 0x1000);
			const { end, flow, target, length } = code;
			const calls = new Map(Array.from({ length }, (_, i) => [end[i]!, i] as const).filter(([, i]) => flow[i] === Flow.Call));
			for (let address = 0xff0; address <= (end.at(-1) ?? 0x1000) + 10; address++) {
				expect(code.callEndingAt(address)).toBe(calls.get(address) ?? -1);
			}
			expect(Array.from({ length }, (_, i) => code.targetAt(i))).toEqual([...target]);
		}),
	);
});

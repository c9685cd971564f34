import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordedText, textSource } from '../../../test/recordings.js';
import { type DeoptimizationLog, isDeoptimizationLog, readDeoptimizationLog } from './read.js';

const read = (text: string): DeoptimizationLog => readDeoptimizationLog(textSource(text));

const OSR =
	'[15399025688609ns][149514396ns][8322][8325][debug][deoptimization] cid=  12 osr level=4 D.run([LD$S;I)I trap_bci=6 osr_bci=4 unstable_if reinterpret pc=0x00007f3d6bec8380 relative_pc=0x0000000000000400\n';
const PLAIN =
	'[0.178s][debug][deoptimization] cid= 493     level=4 a.B.f(ILjava/lang/String;)I trap_bci=19 profile_predicate maybe_recompile pc=0x00007f06dbeef2c4 relative_pc=0x0000000000000344\n';

test('a trap, in an OSR compilation and in another one', () => {
	expect(read(OSR + PLAIN)).toEqual({
		rows: [
			{
				timeMs: 149.514396,
				clockNs: 15399025688609,
				epochMs: null,
				threadId: 8325,
				compileId: '12%',
				level: 4,
				osrBci: 4,
				method: 'D.run',
				signature: '([LD$S;I)I',
				bci: 6,
				reason: 'unstable_if',
				action: 'reinterpret',
				pc: 0x7f3d6bec8380,
				codeOffsetBytes: 0x400,
				line: 1,
			},
			{
				timeMs: 178,
				clockNs: null,
				epochMs: null,
				threadId: null,
				compileId: '493',
				level: 4,
				osrBci: null,
				method: 'a.B.f',
				signature: '(ILjava/lang/String;)I',
				bci: 19,
				reason: 'profile_predicate',
				action: 'maybe_recompile',
				pc: 0x7f06dbeef2c4,
				codeOffsetBytes: 0x344,
				line: 2,
			},
		],
		lostLines: 0,
		problems: [],
	});
});

test('lines of other kinds are passed over, cut ones counted', () => {
	const log = read(`hello cid=3\n[0.1s][info][gc] cid= 1\n[0.1s][debug][deoptimization] something else\n${PLAIN.slice(0, -5)}\n${PLAIN}`);
	expect(log.rows).toHaveLength(1);
	expect(log.lostLines).toBe(1);
	expect(log.problems).toMatchObject([{ line: 4 }]);
});

test('a recording of javac on JDK 25: every line, as an independent count has it', () => {
	const text = recordedText('../compilation/jdk25', 'deopt.log.gz');
	const log = read(text);
	expect(isDeoptimizationLog(text.slice(0, 4096))).toBe(true);
	expect(log.lostLines).toBe(0);
	expect(log.rows).toHaveLength(text.trimEnd().split('\n').length);
	for (const reason of new Set(log.rows.map((row) => row.reason))) {
		expect(log.rows.filter((row) => row.reason === reason)).toHaveLength([...text.matchAll(new RegExp(` trap_bci=\\d+ ${reason} `, 'g'))].length);
	}
	const ids = log.rows.map(({ compileId }) => compileId);
	expect(ids).toEqual([...text.matchAll(/cid= *(\d+) /g)].map(([, id]) => id));
});

test('cut anywhere: never throws, and keeps the lines before the cut', () => {
	const text = OSR + PLAIN + OSR;
	const whole = read(text).rows;
	fc.assert(
		fc.property(fc.nat(text.length), (length) => {
			const { rows } = read(text.slice(0, length));
			expect(rows).toEqual(whole.slice(0, rows.length));
			expect(rows.length).toBeGreaterThanOrEqual(text.slice(0, length).split('\n').length - 1);
		}),
	);
	fc.assert(
		fc.property(
			fc.string({ unit: fc.constantFrom('[0.1s]', '[deoptimization]', ' cid= 3 ', 'level=4 ', 'a.b()', ' trap_bci=1 ', '\n', 'pc=0x') }),
			(damaged) => void read(damaged),
		),
	);
});

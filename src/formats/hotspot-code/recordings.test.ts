/** Code in logs of real JVMs: all of it is found, the same from bytes as from a disassembler's text, and a cut log keeps what comes before. */
import { expect, test } from 'vitest';
import { recordedText, textSource } from '../../../test/recordings.js';
import { openDisassembler } from '../../disassembly/disassembler.js';
import type { Instructions } from '../../model/instructions.js';
import { instructionsOfRows } from './instructions.js';
import { rowsOfMachineCode } from './machine-code.js';
import { readCodeText } from './read-text.js';
import { type CodeLog, scanCode } from './scan.js';

const scan = (text: string): CodeLog => scanCode(textSource(text, 'hotspot.log'));

test('a log cut at any byte holds the pieces before the cut', () => {
	const whole = recordedText('jdk17-arraySum');
	const from = whole.indexOf("<writer thread='14983'/>\n<nmethod compile_id='7'");
	const log = whole.slice(0, 1200) + whole.slice(from, from + 60_000);
	const all = scan(log).code;
	expect(all.length).toBeGreaterThan(4);
	for (let end = 0; end < log.length; end += 197) {
		const { code } = scan(log.slice(0, end));
		const finished = all.filter(({ textRanges }) => textRanges.length > 0 && textRanges.at(-1)! <= end);
		const found = new Set(code.map(({ name, start, end }) => `${name} ${start} ${end}`));
		expect(finished.filter((piece) => !found.has(`${piece.name} ${piece.start} ${piece.end}`))).toEqual([]);
		expect(code.length).toBeLessThanOrEqual(all.length);
	}
});

test.each(['jdk17-arraySum', 'jdk25-arraySum-nohsdis', 'jdk25-mapGet', 'jdk17-virtualDispatch-intel'])(
	'%s: as many pieces as a plain search finds',
	(recording) => {
		const text = recordedText(recording);
		const count = (pattern: RegExp): number => new Set([...text.matchAll(pattern)].map(([, key]) => key)).size;
		const { code, problems } = scan(text);
		expect(problems).toEqual([]);
		expect(code.filter(({ compileId }) => compileId !== null)).toHaveLength(count(/^<nmethod compile_id='(\d+)'/gm));
		expect(code.filter(({ compileId }) => compileId?.endsWith('%'))).toHaveLength(count(/^<nmethod compile_id='(\d+)' compile_kind='osr'/gm));
		expect(code.filter(({ kind }) => kind === 'native wrapper')).toHaveLength(count(/^<nmethod compile_id='(\d+)' compile_kind='c\w+'/gm));
		expect(code.filter(({ kind }) => kind === 'interpreter')).toHaveLength(count(/(\[0x\w+, 0x\w+\]) {2}\d+ bytes$/gm));
		expect(code.filter(({ kind }) => kind === 'stub')).toHaveLength(
			count(/(\[0x\w+, 0x\w+[\][]) \(\d+ bytes\)$/gm) + count(/^(?:i2c )?argument handler (#\d+)/gm),
		);
		expect(code.filter(({ notEntrant }) => notEntrant !== null)).toHaveLength(count(/^<make_not_entrant .*(compile_id='\d+')/gm));
		expect(code.filter(({ osrBci, compileId }) => (osrBci === null) === compileId?.endsWith('%'))).toEqual([]);
		expect(code.filter(({ textRanges, start, end }) => textRanges.length === 0 || start >= end)).toEqual([]);
	},
);

test('cut at any byte it does not throw, and what comes before is the same', () => {
	const text = recordedText('jdk25-arraySum-nohsdis');
	const source = textSource(text);
	const { code, form } = scanCode(source);
	const piece = code.find(({ name }) => name === 'java.lang.String.isLatin1')!;
	const [from = 0, to = 0] = piece.textRanges;
	const all = Buffer.concat(readCodeText(source, piece, form).chunks.map(({ bytes }) => bytes));
	expect(all).toHaveLength(piece.end - piece.start);
	for (let end = from; end < to; end += 13) {
		const bytes = Buffer.concat(readCodeText(source, { ...piece, textRanges: [from, end] }, form).chunks.map((chunk) => chunk.bytes));
		expect(all.subarray(0, bytes.length).equals(bytes)).toBe(true);
	}
});

test.each([
	['jdk17-arraySum', 0],
	['jdk17-virtualDispatch-intel', 0],
	['jdk25-arraySum-nohsdis', 0],
] as const)('%s: no line is lost, and every compilation lies where its text is', (recording, lost) => {
	const source = textSource(recordedText(recording));
	const { code, form } = scanCode(source);
	let lostLines = 0;
	const outside: string[] = [];
	for (const piece of code) {
		const text = readCodeText(source, piece, form);
		lostLines += text.lostLines;
		const bytes = text.chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0);
		const isInside = [...text.rows, ...text.chunks].every(({ address }) => address >= piece.start && address < piece.end);
		if (!isInside || (bytes > 0 && bytes !== piece.end - piece.start)) {
			outside.push(piece.name);
		}
	}
	expect({ lostLines, outside }).toEqual({ lostLines: lost, outside: [] });
});

/** Instructions of a recording's compilation with the loop of the benchmark, with and without hsdis. */
async function hottest(recording: string): Promise<{ code: Instructions; sizes: boolean }> {
	const source = textSource(recordedText(recording));
	const log = scanCode(source);
	const piece = log.code.filter(({ name, level }) => name.endsWith('Benches_arraySum_jmhTest.arraySum_avgt_jmhStub') && level === 4).at(-1);
	if (piece === undefined) {
		throw new Error('no such compilation');
	}
	const text = readCodeText(source, piece, log.form);
	const disassembler = await openDisassembler('x86-64');
	const rows = text.chunks.flatMap((chunk) => rowsOfMachineCode(chunk, disassembler.decodeColumns(chunk.bytes, chunk.address)));
	const bytes = text.chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0);
	const covered = rows.reduce((sum, { address, end }) => sum + end - address, 0);
	return { code: instructionsOfRows(text.chunks.length > 0 ? rows : text.rows, piece.end).instructions, sizes: bytes === covered };
}

test('the loop of arraySum is the same, with its polls and frames, from bytes as from hsdis', async () => {
	const printed = await hottest('jdk25-arraySum');
	const decoded = await hottest('jdk25-arraySum-nohsdis');
	expect(decoded.sizes).toBe(true);
	const lines = ({ code }: { code: Instructions }): unknown[] =>
		code.text.map((text, i) => [text.replace(/0x0*[0-9a-f]{7,}|Stub::\w+/g, 'ADDRESS'), code.comments[i]?.filter((comment) => comment.startsWith('{poll'))]);
	expect(lines(decoded)).toEqual(lines(printed));
	// Of two instructions that end in the same four bytes the printed bytes do not tell which one is described.
	const bytecodes = ({ code }: { code: Instructions }): string[] =>
		[...code.position].map((position) => (code.positions[position] ?? []).map(({ method, bci }) => `${method}@${bci}`).join(' '));
	const wanted = bytecodes(printed);
	const same = bytecodes(decoded).filter((bytecode, i) => bytecode === wanted[i]).length;
	expect(same / wanted.length).toBeGreaterThan(0.96);
});

/** Machine code that is read over its bytes, and what is said of it on demand, against a reading of every line. */
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readPacked } from '../../test/packed.js';
import { memorySource, type Source } from '../bytes/source.js';
import { openDisassembler } from '../disassembly/disassembler.js';
import { instructionsOfRows, type PrintedCode } from '../formats/hotspot-code/instructions.js';
import { rowsOfMachineCode } from '../formats/hotspot-code/machine-code.js';
import { readCodeText } from '../formats/hotspot-code/read-text.js';
import { type CodeLog, type LoggedCode, scanCode } from '../formats/hotspot-code/scan.js';
import { withoutLateCalls } from '../formats/shared/hotspot/late-calls.js';
import { PrintedCodeReader } from './printed-code.js';
import { PrintedInstructions } from './printed-instructions.js';

const ROOT = path.resolve(import.meta.dirname, '..', '..');
const sourceOf = (file: string): Source => memorySource('hotspot.log', readPacked(path.join(ROOT, file)));

async function lineByLine(source: Source, log: CodeLog, code: LoggedCode): Promise<PrintedCode & { readonly lostLines: number }> {
	const disassembler = await openDisassembler('x86-64');
	const { chunks, rows, lostLines } = readCodeText(source, code, log.form);
	const decoded = chunks.flatMap((chunk) => rowsOfMachineCode(chunk, disassembler.decodeColumns(chunk.bytes, chunk.address)));
	return { ...instructionsOfRows(chunks.length > 0 ? decoded : rows, code.end), lostLines };
}

/** What both have to say alike; frames first, one instruction after the other, before all are asked for. */
function told({ instructions, labels }: PrintedCode): unknown {
	const frames = Array.from({ length: instructions.length }, (_, i) => instructions.frames(i));
	const { length, address, end, flow, target, traits, debugInfo, text } = instructions;
	const calledNames = Array.from({ length }, (_, i) => instructions.calledName(i));
	const runtimeCalls = Array.from({ length }, (_, i) => instructions.runtimeCalls(i));
	const texts = Array.from({ length }, (_, i) => instructions.textAt(i));
	return {
		lateCalls: instructions.lateCalls(),
		frames,
		labels: [...labels],
		length,
		address,
		end,
		flow,
		target,
		traits,
		debugInfo,
		calledNames,
		runtimeCalls,
		text,
		texts,
	};
}

function toldOnDemand({ comments, position, positions }: PrintedCode['instructions']): unknown {
	return { comments, position, positions };
}

test.each([
	['examples/hot/hotspot.log.gz', 11],
	['fixtures/joined/jdk25-c2/hotspot.log.gz', 11],
	['fixtures/jvm/perfasm/jdk25-arraySum-nohsdis/hotspot.log.zst', 9],
])('%s', async (file, step) => {
	const source = sourceOf(file);
	const log = scanCode(source);
	const reader = new PrintedCodeReader(source, log);
	let onDemand = 0;
	let lostLines = 0;
	for (const code of log.code.filter((_, i) => i % step === 0)) {
		const printed = (await reader.read([code])).get(code);
		const wanted = await lineByLine(source, log, code);
		lostLines += wanted.lostLines;
		if (printed === undefined) {
			expect(wanted.instructions.length).toBe(0);
			continue;
		}
		const { instructions, labels } = wanted;
		const corrected = code.compiler === 'c2' ? withoutLateCalls(instructions, labels) : instructions;
		expect(told(printed), code.name).toEqual(told({ instructions: corrected, labels }));
		expect(toldOnDemand(printed.instructions)).toEqual(toldOnDemand(corrected));
		onDemand += printed.instructions instanceof PrintedInstructions ? 1 : 0;
	}
	expect(onDemand).toBeGreaterThan(20);
	expect(reader.lostLines).toBe(lostLines);
});

test('of damaged text the same is read', async () => {
	const source = sourceOf('examples/hot/hotspot.log.gz');
	const log = scanCode(source);
	const pieces = log.code.filter(({ textRanges: [from = 0, to = 0] }) => to > from && to - from < 6000);
	const damage = fc.record({
		piece: fc.nat(pieces.length - 1),
		at: fc.double({ min: 0, max: 1, noNaN: true }),
		length: fc.nat(40),
		by: fc.constantFrom('', '\n', '0', '  0x00007f', '[Stub Code]\n', ';', '; - T::f@2 (line 3)\n', 'zz', '[MachCode]\n', ' | ab', '\r', '{poll}', ':'),
	});
	await fc.assert(
		fc.asyncProperty(damage, async ({ piece, at, length, by }) => {
			const [from = 0, to = 0] = pieces[piece]!.textRanges;
			const bytes = new Uint8Array(to - from);
			source.read(bytes, 0, bytes.length, from);
			const cut = Math.floor(at * bytes.length);
			const damaged = Buffer.concat([bytes.subarray(0, cut), Buffer.from(by), bytes.subarray(cut + length)]);
			const code = { ...pieces[piece]!, textRanges: [0, damaged.length] };
			const text = memorySource('hotspot.log', damaged);
			const reader = new PrintedCodeReader(text, log);
			const printed = (await reader.read([code])).get(code)!;
			const wanted = await lineByLine(text, log, code);
			expect(told(printed)).toEqual(told(wanted));
			expect(toldOnDemand(printed.instructions)).toEqual(toldOnDemand(wanted.instructions));
			expect(reader.lostLines).toBe(wanted.lostLines);
		}),
		{ numRuns: 150 },
	);
});

test('calls that C2 inlines late are told without reading their text', async () => {
	const remarks = [
		'*invokestatic valueOf {reexecute=0}',
		'*invokespecial &lt;init&gt; {reexecute=0}',
		'*invokespecial <init> {reexecute=0}',
		'*invokestatic valid',
		'*invokevirtual v <',
	];
	const text = (remark: string): string =>
		`Compiled method (c2) 21    1       4       a.B::f (35 bytes)\n total in heap  [0x0000000000001000,0x0000000000001300] = 768\n main code      [0x0000000000001100,0x0000000000001104] = 4\n[MachCode]\n[Verified Entry Point]\n` +
		`  0x0000000000001100: 9090 90c3\n  0x0000000000001104: ;   {poll_return}\n  0x0000000000001102: ; ${remark}\n  0x0000000000001102: ; - a.B::f@2 (line 3)\n[/MachCode]\n`;
	for (const remark of remarks) {
		const source = memorySource('hotspot.log', Buffer.from(text(remark)));
		const log = scanCode(source);
		const code = { ...log.code[0]!, compiler: 'c1' };
		const wanted = await lineByLine(source, log, code);
		const printed = (await new PrintedCodeReader(source, log).read([code])).get(code)!;
		expect(printed.instructions.lateCalls(), remark).toEqual(wanted.instructions.lateCalls());
		expect(printed.instructions.lateCalls().length, remark).toBe(remark.includes('valueOf') || remark.includes('<init>') ? 1 : 0);
	}
});

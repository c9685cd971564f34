import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource, type Source } from '../../../bytes/source.js';
import { openDebugInformation } from './debug-information.js';

const FOLDER = 'fixtures/native/dwarf';
const PROGRAMS = ['demo', 'demo4', 'demo5split', 'demogcc'];

const open = (name: string): Source => memorySource(name, fs.readFileSync(path.join(FOLDER, path.basename(name))));
/** A damaged name may be that of a folder, or of nothing. */
const openDamaged = (name: string): Source | null =>
	fs.statSync(path.join(FOLDER, path.basename(name).replaceAll('\0', '_')), { throwIfNoEntry: false })?.isFile() === true ? open(name) : null;

/** Lines of `ADDRESS CHAIN`, each up to the next. */
function expectedChains(program: string): { from: number; to: number; chain: string }[] {
	const rows = fs
		.readFileSync(path.join(FOLDER, `${program}.chains.txt`), 'utf8')
		.trimEnd()
		.split('\n');
	return rows.slice(0, -1).map((row, i) => ({
		from: Number.parseInt(row, 16),
		to: Number.parseInt(rows[i + 1]!, 16),
		chain: row.slice(row.indexOf(' ') + 1),
	}));
}

/** The tool names the outermost function as the symbol table does: `sum.constprop.0`; and the file, where debug information has none. */
function withoutOuterName(frames: readonly string[]): string[] {
	return frames.map((frame, i) => (i === frames.length - 1 ? frame.replace(/^\S*/, '').replace(/^ crtstuff.c:0:0$/, ' :0:0') : frame));
}

describe('as llvm-symbolizer --inlines', () => {
	test.each(PROGRAMS)('%s, every address of its code', (program) => {
		const problems: string[] = [];
		const information = openDebugInformation(open(`${program}.elf`), open, (message) => problems.push(message));
		expect(information?.producers.length ?? 0).toBe(program === 'demo5split' ? 0 : 1);
		for (const { from, to, chain } of expectedChains(program)) {
			const frames = withoutOuterName(chain.split(';'));
			for (let address = from; address < to; address++) {
				const own = information?.chainAt(address) ?? [];
				const texts = own.map(({ function: name, file, line, column }) => `${name} ${path.basename(file ?? '')}:${line}:${column}`);
				// Where nothing is told the tool says so with a line of 0.
				expect(own.length === 0 ? [' :0:0'] : withoutOuterName(texts), address.toString(16)).toEqual(frames);
			}
		}
		expect(problems).toEqual([]);
	});
});

test('a split part that is not there is told; lines are still known', () => {
	const problems: string[] = [];
	const information = openDebugInformation(
		open('demo5split.elf'),
		() => null,
		(message) => problems.push(message),
	);
	const inlined = expectedChains('demo5split').find(({ chain }) => chain.includes(';'))!;
	expect(information?.chainAt(inlined.from)).toEqual([expect.objectContaining({ function: null, line: expect.any(Number) })]);
	expect(problems).toEqual(['demo5split-demo.dwo, the rest of its debug information, is not there']);
});

test('split parts in a package', () => {
	const problems: string[] = [];
	const told = (message: string): number => problems.push(message);
	const apart = openDebugInformation(open('demo5split.elf'), open, told);
	const packed = openDebugInformation(
		open('demo5split.elf'),
		() => null,
		told,
		null,
		() => open('demo5split.dwp'),
	);
	let frames = 0;
	for (let address = 0x1000; address < 0x1400; address++) {
		const chain = packed?.chainAt(address) ?? [];
		expect(chain).toEqual(apart?.chainAt(address));
		frames += chain.length;
	}
	expect(frames).toBeGreaterThan(500);
	expect(problems).toEqual([]);
	const damaged = fs.readFileSync(path.join(FOLDER, 'demo5split.dwp'));
	fc.assert(
		fc.property(fc.nat(damaged.length - 1), fc.nat(255), (at, value) => {
			const bytes = Uint8Array.from(damaged);
			bytes[at] = value;
			const information = openDebugInformation(
				open('demo5split.elf'),
				() => null,
				() => undefined,
				null,
				() => memorySource('a', bytes),
			);
			information?.chainAt(0x1200);
		}),
	);
});

test('what has no debug information', () => {
	expect(
		openDebugInformation(
			memorySource('a', new Uint8Array(100)),
			() => null,
			() => undefined,
		),
	).toBeNull();
});

test('damage never throws', () => {
	const files = PROGRAMS.map((program) => fs.readFileSync(path.join(FOLDER, `${program}.elf`)));
	fc.assert(
		fc.property(fc.constantFrom(...files), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 40 }), (whole, changes) => {
			const bytes = Buffer.from(whole);
			for (const [at, value] of changes) {
				bytes[0x1000 + (at % (bytes.length - 0x1000))] = value;
			}
			const information = openDebugInformation(memorySource('a', bytes), openDamaged, () => undefined);
			for (let address = 0x1060; address < 0x1300; address += 7) {
				information?.chainAt(address);
			}
		}),
		{ numRuns: 150 },
	);
});

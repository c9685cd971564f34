/** The JVM's own code, disassembled by assay and by GNU objdump, in both syntaxes. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openDisassembler } from '../src/disassembly/disassembler.js';
import { type Syntax, spelledText } from '../src/disassembly/spelled-instructions.js';
import { findJdk } from './jdks.js';

/** Some 100,000 instructions. */
const TEXT_BYTES = 0x70000;

interface Line {
	readonly address: number;
	readonly bytes: Buffer;
	readonly text: string;
}

function objdump(...argv: string[]): string {
	return execFileSync('objdump', argv, { encoding: 'utf8', maxBuffer: 1 << 28 });
}

/** Without names of symbols, and with jumps' targets as numbers of C. */
function linesOf(library: string, start: number, syntax: Syntax): Line[] {
	const range = [`--start-address=${start}`, `--stop-address=${start + TEXT_BYTES}`];
	const text = objdump('-d', '-w', '-M', syntax === 'att' ? 'att' : 'intel', '-j', '.text', ...range, library);
	return [...text.matchAll(/^ +([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t(.*)$/gm)].map(([, address = '', bytes = '', printed = '']) => ({
		address: Number.parseInt(address, 16),
		bytes: Buffer.from(bytes.replaceAll(' ', ''), 'hex'),
		text: plain(printed).replace(/^((?:\w+ )?(?:j\w+|call|loop\w*) )([0-9a-f]+)$/, '$10x$2'),
	}));
}

function plain(text: string): string {
	return text
		.replace(/ *#.*$/, '')
		.replace(/ *<.*$/, '')
		.replace(/ +/g, ' ')
		.trim();
}

test('each instruction of a part of libjvm.so is as objdump prints it, but for the padding of one in a hundred', async () => {
	const library = path.join(findJdk(25).home, 'lib', 'server', 'libjvm.so');
	const start = Number.parseInt(/ \.text +[0-9a-f]+ +([0-9a-f]+)/.exec(objdump('-h', library))?.[1] ?? '', 16);
	const disassembler = await openDisassembler('x86-64');
	const [att, intel] = [linesOf(library, start, 'att'), linesOf(library, start, 'intel')];
	expect(att.length).toBeGreaterThan(50_000);
	expect(intel.map(({ address }) => address)).toEqual(att.map(({ address }) => address));
	const wrong = { att: [] as string[], intel: [] as string[] };
	let onlyIntel = 0;
	att.forEach(({ address, bytes, text }, i) => {
		const own = disassembler.decode(bytes, address)[0]?.text ?? '';
		const shown = plain(spelledText(own, 'intel'));
		if (plain(own) !== text) {
			wrong.att.push(`${text} | ${own}`);
		}
		if (shown !== intel[i]?.text) {
			wrong.intel.push(`${intel[i]?.text} | ${shown}`);
			onlyIntel += plain(own) === text ? 1 : 0;
		}
	});
	console.log(`${att.length} instructions, other than objdump's: ${wrong.att.length} in the syntax of AT&T, ${wrong.intel.length} in that of Intel`);
	expect(wrong.att.length, wrong.att.slice(0, 10).join('\n')).toBeLessThan(0.01 * att.length);
	expect(wrong.intel.length, wrong.intel.slice(0, 10).join('\n')).toBeLessThan(0.01 * att.length);
	// What is right in the one is right in the other.
	expect(onlyIntel, wrong.intel.slice(0, 10).join('\n')).toBe(0);
});

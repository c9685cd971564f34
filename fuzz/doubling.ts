/**
 * Inputs that double: what regular expressions, lists that are searched and nesting stumble over, alone, behind the beginning of a real input, and within its
 * lines. A reader whose work grows with the square of its input takes sixteen times as long for four times the size.
 */
import { RUNS } from './repeated.js';

const SEED_BYTES = 2048;

export interface Growing {
	readonly name: string;
	readonly make: (sizeBytes: number) => Uint8Array;
}

/** `seed` null: those that begin with nothing. */
export function growing(seed: Uint8Array | null): readonly Growing[] {
	const text = seed === null ? '' : Buffer.from(seed.subarray(0, SEED_BYTES)).toString('latin1');
	const lines = text.split('\n').slice(0, 14);
	const all: Growing[] = RUNS.map((run) => ({ name: `${JSON.stringify(run)} behind the beginning`, make: (size) => bytesOf(text + filled(run, size)) }));
	lines.forEach((line, i) => {
		const [before, behind] = [
			lines
				.slice(0, i)
				.map((one) => `${one}\n`)
				.join(''),
			lines.slice(i + 1).join('\n'),
		];
		all.push({ name: `line ${i} again and again`, make: (size) => bytesOf(before + filled(`${line}\n`, size) + behind) });
		all.push({ name: `line ${i}, longer and longer`, make: (size) => bytesOf(`${before}${filled(line, size)}\n${behind}`) });
		for (const word of line.matchAll(/[^\w\s]+|\s+|\w+/g)) {
			const at = word.index;
			if (at < 160) {
				all.push({
					name: `line ${i}, word ${at} ${JSON.stringify(word[0].slice(0, 20))}`,
					make: (size) => bytesOf(`${before}${line.slice(0, at)}${filled(word[0], size)}${line.slice(at)}\n${behind}`),
				});
			}
		}
		for (const run of [' ', '0', 'a', '"', '(', ': ']) {
			all.push({
				name: `line ${i} with ${JSON.stringify(run)}`,
				make: (size) => bytesOf(`${before}${line.slice(0, line.length >> 1)}${filled(run, size)}${line.slice(line.length >> 1)}\n${behind}`),
			});
		}
	});
	return all;
}

function filled(run: string, sizeBytes: number): string {
	return run === '' ? '' : run.repeat(Math.ceil(sizeBytes / run.length));
}

function bytesOf(text: string): Uint8Array {
	return Buffer.from(text, 'latin1');
}

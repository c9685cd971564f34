/**
 * `npm run fuzz -- --doubling`: every reader on inputs that double. Of each kind of growth four times the bytes may take some more than four times the time: a
 * reader whose work grows with the square takes sixteen times as long. The whole of a seed again and again is among them, which binary formats grow by.
 */
import { performance } from 'node:perf_hooks';
import { InputError } from '../src/model/problem.js';
import { growing } from './doubling.js';
import { randomOf } from './random.js';
import { type FuzzedReader, sourceOf } from './readers.js';
import { type Seed, seedsOf } from './seeds.js';

const SMALL_BYTES = 64 << 10;
const TIMES = 4;
/** What takes less is noise. */
const LEAST_MS = 60;
/** Between 4 and 16; caches and the collector of garbage cost something, too. */
const MOST_RATIO = 10;
const TRIES = 3;

export interface Steeper {
	readonly reader: string;
	readonly growth: string;
	readonly ratio: number;
	readonly ms: number;
}

/** Those that are steeper than linear in each of several tries; `most`: kinds of growth for each reader. */
export async function steeperThanLinear(reader: FuzzedReader, seeds: readonly Seed[], most: number): Promise<Steeper[]> {
	const found: Steeper[] = [];
	for (const { name, make } of growthsOf(reader, seeds, most)) {
		// The first time is that of the compilers.
		await cpuMs(reader, make(SMALL_BYTES));
		// The shortest of all: what else runs on the machine only makes it longer.
		let small = Number.POSITIVE_INFINITY;
		let steepest: { ratio: number; ms: number } | null = null;
		for (let attempt = 0; attempt < TRIES; attempt++) {
			small = Math.min(small, await cpuMs(reader, make(SMALL_BYTES)), await cpuMs(reader, make(SMALL_BYTES)));
			const large = await cpuMs(reader, make(TIMES * SMALL_BYTES));
			const ratio = large / Math.max(small, 1);
			const isSteep = large >= LEAST_MS && ratio > MOST_RATIO;
			steepest = isSteep && (steepest === null || ratio < steepest.ratio) ? { ratio, ms: large } : isSteep ? steepest : null;
			if (!isSteep) {
				break;
			}
		}
		if (steepest !== null) {
			found.push({ reader: reader.name, growth: name, ...steepest });
		}
	}
	return found;
}

function growthsOf(reader: FuzzedReader, seeds: readonly Seed[], most: number) {
	const own = seedsOf(reader, seeds).map(({ bytes }) => bytes);
	const random = randomOf('doubling', reader.name, 0);
	const texts = own.filter((bytes) => !bytes.subarray(0, 4096).includes(0));
	const whole = own.slice(0, 4).map((bytes, i) => ({ name: `seed ${i} again and again`, make: (size: number) => repeated(bytes, size) }));
	const cases = [null, ...texts.slice(0, 3)].flatMap((text) => growing(text));
	return [...whole, ...Array.from({ length: Math.max(0, most - whole.length) }, () => random.one(cases))];
}

function repeated(bytes: Uint8Array, size: number): Uint8Array {
	const result = new Uint8Array(size);
	for (let at = 0; at < size; at += bytes.length) {
		result.set(bytes.subarray(0, Math.min(bytes.length, size - at)), at);
	}
	return result;
}

async function cpuMs(reader: FuzzedReader, bytes: Uint8Array): Promise<number> {
	const before = process.cpuUsage();
	const started = performance.now();
	try {
		await reader.read(sourceOf(bytes));
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
	}
	const { user, system } = process.cpuUsage(before);
	return Math.min((user + system) / 1000, performance.now() - started);
}

/**
 * `npm run fuzz`: damaged inputs for every reader, each with a limit of time and of memory, in worker threads that are ended when they go over. Prints what
 * failed with the smallest input that was found and the command that repeats it; the exit status is 1 then.
 *
 *   --minutes N     all readers together (2)
 *   --count N       inputs of each reader, however long it takes
 *   --reader NAME   only this one; several times: these. `folders` are whole commands on folders
 *   --seed TEXT     the inputs that are made (the day); --from N: from this one on
 *   --file PATH     this input, with --reader
 *   --jobs N        at a time (the processors)
 *   --doubling      no damage: inputs that double, so many kinds of each reader (--count, 24); fails where work grows faster than the input
 *   --results PATH  writes how many readers passed and failed, as Vitest's JSON does
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { FOLDERS } from './folders.js';
import { inputOf } from './inputs.js';
import { steeperThanLinear } from './linear.js';
import { AT, DONE, type Report, type Work } from './protocol.js';
import { openReaders } from './readers.js';
import { readSeeds, type Seed, seedsOf } from './seeds.js';

/** Much more than any input of up to 2 MiB takes, also on a busy machine. */
const LIMIT_MS = 60_000;
const FOLDER_LIMIT_MS = 300_000;
/** Of a try to make an input smaller. */
const SMALLER_LIMIT_MS = 10_000;
const HEAP_MEGABYTES = 1024;
const RESIDENT_BYTES = 2 ** 31;
const SHRINK_MS = 90_000;
const POLL_MS = 100;
const SHOWN_BYTES = 400;
/** So many failures of a reader are enough to look at. */
const MOST_FAILURES = 5;

interface Failure {
	readonly reader: string;
	readonly number: number;
	readonly message: string;
	readonly bytes: Uint8Array | null;
}

interface Task {
	readonly reader: string;
	readonly seed: string;
	readonly from: number;
	readonly end: number;
	readonly untilMs: number;
	readonly seeds: readonly Seed[];
	readonly given: Uint8Array | null;
	readonly limitMs: number;
}

interface Outcome {
	readonly done: number;
	readonly failures: readonly Failure[];
}

export async function fuzz(argv: readonly string[], workerFile: string, root: string): Promise<number> {
	const { values } = parseArgs({
		args: [...argv],
		options: {
			minutes: { type: 'string' },
			count: { type: 'string' },
			reader: { type: 'string', multiple: true },
			seed: { type: 'string' },
			from: { type: 'string' },
			file: { type: 'string' },
			jobs: { type: 'string' },
			doubling: { type: 'boolean' },
			results: { type: 'string' },
		},
	});
	const seeds = await readSeeds(root);
	if (values.doubling === true) {
		return doubled(seeds, values.reader ?? null, Number(values.count ?? 24));
	}
	const known = [
		...(await openReaders()).map((reader) => ({ name: reader.name, share: reader.isFirst === true ? 3 : 1, seeds: () => seedsOf(reader, seeds) })),
		{ name: FOLDERS, share: 6, seeds: () => seeds },
	];
	const wanted = values.reader === undefined ? known : known.filter(({ name }) => values.reader?.includes(name));
	if (wanted.length === 0 || wanted.length < new Set(values.reader ?? []).size) {
		console.error(`fuzz: readers are ${known.map(({ name }) => name).join(', ')}`);
		return 2;
	}
	const jobs = Number(values.jobs ?? os.availableParallelism());
	const seed = values.seed ?? new Date().toISOString().slice(0, 10);
	const from = Number(values.from ?? 0);
	const given = values.file === undefined ? null : new Uint8Array(fs.readFileSync(values.file));
	const count = given !== null ? 1 : values.count === undefined ? null : Number(values.count);
	const budgetMs = Number(values.minutes ?? 2) * 60_000;
	const workers = keptWorkers(workerFile);
	const runner = (task: Task): Promise<Outcome> => run(task, workers, root);
	const found =
		given !== null
			? []
			: foundInputs(
					root,
					wanted.map(({ name }) => name),
				);
	const outcomes: Outcome[] = [];
	const shares = wanted.reduce((sum, { share }) => sum + share, 0);
	const work = wanted.map(({ name, share, seeds: chooseSeeds }) => async (): Promise<void> => {
		const own = given === null ? chooseSeeds() : [];
		const limitMs = name === FOLDERS ? FOLDER_LIMIT_MS : LIMIT_MS;
		const started = performance.now();
		const all: Outcome[] = [];
		for (const bytes of found.flatMap((one) => (one.reader === name ? [one.bytes] : []))) {
			all.push(await runner({ reader: name, seed, from: 0, end: 1, untilMs: Number.POSITIVE_INFINITY, seeds: [], given: bytes, limitMs }));
		}
		const untilMs = count === null ? started + (budgetMs * jobs * share) / shares : Number.POSITIVE_INFINITY;
		all.push(await runner({ reader: name, seed, from, end: count === null ? 2 ** 31 - 1 : from + count, untilMs, seeds: own, given, limitMs }));
		const failures = all.flatMap((outcome) => outcome.failures);
		const done = all.reduce((sum, outcome) => sum + outcome.done, 0);
		console.log(
			`${name.padEnd(28)}${String(done).padStart(9)} inputs${failures.length === 0 ? '' : `, ${failures.length} failed`}  ${((performance.now() - started) / 1000).toFixed(1)} s`,
		);
		for (const failure of failures) {
			await tell(failure, seed, own, runner, root);
		}
		outcomes.push({ done, failures });
	});
	await Promise.all(
		Array.from({ length: Math.min(jobs, work.length) }, async () => {
			for (let next = work.shift(); next !== undefined; next = work.shift()) {
				await next();
			}
		}),
	);
	workers.end();
	const failed = outcomes.reduce((sum, { failures }) => sum + failures.length, 0);
	console.log(
		`${outcomes.reduce((sum, { done }) => sum + done, 0)} inputs of ${outcomes.length} readers, seed ${seed}: ${failed === 0 ? 'none failed' : `${failed} failed`}`,
	);
	if (values.results !== undefined) {
		const numFailedTests = outcomes.filter(({ failures }) => failures.length > 0).length;
		fs.writeFileSync(values.results, JSON.stringify({ numPassedTests: outcomes.length - numFailedTests, numFailedTests }));
	}
	return failed === 0 ? 0 : 1;
}

async function doubled(seeds: readonly Seed[], names: readonly string[] | null, count: number): Promise<number> {
	const readers = (await openReaders()).filter(({ name }) => names?.includes(name) ?? true);
	let failed = 0;
	for (const reader of readers) {
		for (const { growth, ratio, ms } of await steeperThanLinear(reader, seeds, count)) {
			failed++;
			console.log(`${reader.name}, ${growth}: four times the bytes take ${ratio.toFixed(1)} times as long (${ms.toFixed(0)} ms)`);
		}
	}
	console.log(`${readers.length} readers, ${count} kinds of growth each: ${failed === 0 ? 'none grows faster than its input' : `${failed} grow faster`}`);
	return failed === 0 ? 0 : 1;
}

/** What failed once stays: fuzz/found/READER/NAME.gz, packed, as most are one character many times. */
function foundInputs(root: string, readers: readonly string[]): { readonly reader: string; readonly bytes: Uint8Array }[] {
	return readers.flatMap((reader) => {
		const folder = path.join(root, 'fuzz', 'found', reader);
		return fs.existsSync(folder)
			? fs.readdirSync(folder).map((name) => ({ reader, bytes: new Uint8Array(gunzipSync(fs.readFileSync(path.join(folder, name)))) }))
			: [];
	});
}

/** Works through the inputs; where one hangs, takes too much or throws it goes on behind it. */
async function run(task: Task, workers: Workers, root: string): Promise<Outcome> {
	const failures: Failure[] = [];
	let done = 0;
	for (let from = task.from; from < task.end && failures.length < MOST_FAILURES; ) {
		const piece = await runPiece({ ...task, from }, workers, root, (failure) => failures.push(failure) >= MOST_FAILURES);
		done += piece.done;
		if (piece.next === null) {
			break;
		}
		from = piece.next;
	}
	return { done, failures };
}

/** Until the end, the time or the first input that ends the worker: `next` is the one behind it, null where nothing is to be done. */
function runPiece(
	{ reader, seed, from, end, untilMs, seeds, given, limitMs }: Task,
	workers: Workers,
	root: string,
	fail: (failure: Failure) => boolean,
): Promise<{ readonly done: number; readonly next: number | null }> {
	const state = new Int32Array(new SharedArrayBuffer(8));
	const work: Work = { reader, seed, from, end, seeds, given, state, root };
	const worker = workers.take();
	return new Promise((resolve) => {
		let isReady = false;
		let last = -1;
		let lastMs = performance.now();
		let residentBytes = 0;
		const finish = (next: number | null): void => {
			clearInterval(poll);
			void endWorker(worker).then(() => resolve({ done: state[DONE]!, next }));
		};
		const end_ = (message: string): void => {
			const number = state[AT]!;
			const isEnough = fail({ reader, number, message, bytes: given });
			finish(isEnough || given !== null ? null : number + 1);
		};
		const poll = setInterval(() => {
			const now = performance.now();
			const resident = process.memoryUsage.rss();
			if (!isReady) {
				lastMs = now;
				residentBytes = resident;
				return;
			}
			if (state[DONE] !== last) {
				last = state[DONE]!;
				lastMs = now;
			}
			if (now - lastMs > limitMs) {
				end_(`takes more than ${limitMs / 1000} s`);
			} else if (resident - residentBytes > RESIDENT_BYTES) {
				end_(`takes more than ${RESIDENT_BYTES / 2 ** 20} MiB`);
			} else if (now > untilMs) {
				finish(null);
			}
		}, POLL_MS);
		worker.on('message', (report: Report) => {
			if (report.kind === 'ready') {
				isReady = true;
			} else if (report.kind === 'done') {
				clearInterval(poll);
				workers.giveBack(worker);
				resolve({ done: state[DONE]!, next: null });
			} else if (fail({ reader, number: report.number, message: report.message, bytes: report.bytes })) {
				finish(null);
			}
		});
		worker.on('error', (error: NodeJS.ErrnoException) =>
			end_(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? `takes more than ${HEAP_MEGABYTES} MiB of heap` : (error.stack ?? error.message)),
		);
		worker.on('exit', () => end_('the worker ended'));
		worker.postMessage(work);
	});
}

/** A worker loads all readers, which takes longer than a few inputs: one that has done its work does another's. */
interface Workers {
	take(): Worker;
	giveBack(worker: Worker): void;
	end(): void;
}

function keptWorkers(workerFile: string): Workers {
	const idle: Worker[] = [];
	return {
		take: () => idle.pop() ?? new Worker(workerFile, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES } }),
		giveBack(worker) {
			forget(worker);
			idle.push(worker);
		},
		end() {
			for (const worker of idle.splice(0)) {
				void endWorker(worker);
			}
		},
	};
}

async function endWorker(worker: Worker): Promise<void> {
	forget(worker);
	worker.on('error', () => {});
	await worker.terminate();
}

/** By their names: without one Node's own listeners would go too, and the worker hears nothing more. */
function forget(worker: Worker): void {
	for (const event of ['message', 'error', 'exit']) {
		worker.removeAllListeners(event);
	}
}

/** The smallest input that still fails, and how to try it again. */
async function tell(failure: Failure, seed: string, seeds: readonly Seed[], runner: (task: Task) => Promise<Outcome>, root: string): Promise<void> {
	const { reader, number, message } = failure;
	console.log(`\n${reader}, input ${number}: ${message}\n  npm run fuzz -- --reader ${reader} --seed ${seed} --from ${number} --count 1`);
	const whole = failure.bytes ?? (reader === FOLDERS ? null : madeAgain(failure, seed, seeds));
	if (whole === null) {
		return;
	}
	const fails = async (bytes: Uint8Array): Promise<boolean> =>
		(await runner({ reader, seed, from: 0, end: 1, untilMs: Number.POSITIVE_INFINITY, seeds: [], given: bytes, limitMs: SMALLER_LIMIT_MS })).failures.length >
		0;
	const smallest = await shrunk(whole, fails);
	const file = path.join('.cache', 'fuzz', 'failed', `${reader}-${createHash('sha256').update(smallest).digest('hex').slice(0, 12)}`);
	fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
	fs.writeFileSync(path.join(root, file), smallest);
	console.log(`  ${smallest.length} of ${whole.length} bytes are enough: ${JSON.stringify(Buffer.from(smallest.subarray(0, SHOWN_BYTES)).toString('latin1'))}`);
	console.log(
		`  npm run fuzz -- --reader ${reader} --file ${file}\n  when it is mended: mkdir -p fuzz/found/${reader} && gzip -9nc ${file} > fuzz/found/${reader}/NAME.gz\n`,
	);
}

/** An input that ended its worker is made again here. */
function madeAgain({ reader, number }: Failure, seed: string, seeds: readonly Seed[]): Uint8Array {
	return inputOf(
		seeds.map(({ bytes }) => bytes),
		seed,
		reader,
		number,
	);
}

/** Takes away parts as long as it fails: halves first, then ever smaller ones. */
async function shrunk(whole: Uint8Array, fails: (bytes: Uint8Array) => Promise<boolean>): Promise<Uint8Array> {
	const untilMs = performance.now() + SHRINK_MS;
	let bytes = whole;
	for (let part = Math.ceil(bytes.length / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2)) {
		for (let at = 0; at < bytes.length; ) {
			if (performance.now() > untilMs) {
				return bytes;
			}
			const smaller = new Uint8Array(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + part)]));
			if (await fails(smaller)) {
				bytes = smaller;
			} else {
				at += part;
			}
		}
	}
	return bytes;
}

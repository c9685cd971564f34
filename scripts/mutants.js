/**
 * Mutation tests: Stryker changes a source at one place at a time (a comparison, a sum, a condition) and runs the tests that lie near it; a
 * change that no test notices is a number that could be wrong unseen. Prints how many changes were noticed, by room, and ends with 1 where it
 * is less than 80 %. What was not noticed stands in .cache/mutants/ROOM/survivors.txt. docs/mutation-tests.md says how to read it.
 *
 *   npm run test:mutants -- [ROOM…] [--sample N] [--seed S] [--files GLOB]
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ROOMS } from './mutants/rooms.js';

const WANTED_SCORE = 0.8;
const root = path.resolve(import.meta.dirname, '..');
const cache = path.join(root, '.cache', 'mutants');

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { sample: { type: 'string' }, seed: { type: 'string', default: '1' }, files: { type: 'string' } },
});
const sample = values.sample === undefined ? Number.POSITIVE_INFINITY : Number(values.sample);
const seed = Number(values.seed);
const names = positionals.length === 0 ? Object.keys(ROOMS) : positionals;
const unknown = names.filter((name) => !Object.hasOwn(ROOMS, name));
if (unknown.length > 0 || !(sample >= 1) || !Number.isInteger(seed)) {
	console.error(unknown.length > 0 ? `There is no room ${unknown.join(', ')}.` : '--sample and --seed take whole numbers.');
	console.error(`usage: npm run test:mutants -- [ROOM…] [--sample N] [--seed S] [--files GLOB]\nrooms: ${Object.keys(ROOMS).join(', ')}`);
	process.exit(2);
}

const rows = [];
for (const name of names) {
	rows.push(await runRoom(name));
}
printTable(rows);
process.exitCode = rows.some((row) => row.score === undefined || row.score < WANTED_SCORE) ? 1 : 0;

/** @param {string} name */
async function runRoom(name) {
	const room = ROOMS[name];
	const folder = path.join(cache, name);
	fs.rmSync(folder, { recursive: true, force: true });
	fs.mkdirSync(folder, { recursive: true });
	const results = path.join(folder, 'mutants.json');
	const configuration = path.join(folder, 'stryker.json');
	fs.writeFileSync(
		configuration,
		JSON.stringify({
			testRunner: 'vitest',
			// Commands load their parts when they run, which vitest does not follow: the patterns alone say which tests are near.
			vitest: { configFile: 'scripts/mutants/vitest.config.ts', related: false },
			plugins: ['@stryker-mutator/vitest-runner', path.join(root, 'scripts', 'mutants', 'sample.js')],
			checkers: ['drawn'],
			reporters: ['draw', 'json', 'progress-append-only'],
			jsonReporter: { fileName: results },
			mutate: values.files === undefined ? room.sources : [values.files, '!**/*.test.ts'],
			// Texts are compared where they are printed, by the goldens of the commands.
			mutator: { excludedMutations: ['StringLiteral'] },
			coverageAnalysis: 'perTest',
			ignoreStatic: true,
			// Endless loops are told by counting; time alone must not kill on a busy machine.
			timeoutMS: 30_000,
			timeoutFactor: 3,
			dryRunTimeoutMinutes: 20,
			concurrency: 1,
			tempDirName: path.join('.cache', 'mutants', name, 'copy'),
			cleanTempDir: 'always',
			ignorePatterns: ['.cache', 'dist', 'bench', 'live', 'web'],
			disableTypeChecks: false,
			// Stryker would rewrite tsconfig.json with the API of TypeScript, which version 7 does not have; the tests run without it.
			tsconfigFile: 'none',
			packageManager: 'npm',
			thresholds: { break: null },
			allowConsoleColors: false,
			logLevel: 'warn',
		}),
	);
	console.error(`\n${name}`);
	const status = await run(process.execPath, [path.join(root, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js'), 'run', configuration], {
		ASSAY_MUTANTS_FOLDER: folder,
		...(Number.isFinite(sample) ? { ASSAY_MUTANTS_SAMPLE: String(sample) } : {}),
		ASSAY_MUTANTS_SEED: String(seed),
		ASSAY_MUTANTS_TESTS: JSON.stringify(room.tests),
		ASSAY_MUTANTS_GRAAL: room.graalRecordings ? '1' : '0',
	});
	if (status !== 0 || !fs.existsSync(results)) {
		console.error(`Stryker ended with ${status} in ${name}.`);
		return { name, counts: undefined, mutants: 0, score: undefined, interval: '' };
	}
	return summarize(name, folder, JSON.parse(fs.readFileSync(results, 'utf8')));
}

/**
 * @param {string} name
 * @param {string} folder
 * @param {{ files: Record<string, { source: string, mutants: Mutant[] }> }} report mutation-testing-report-schema
 * @typedef {{ id: string, status: string, mutatorName: string, replacement?: string, location: { start: Place, end: Place } }} Mutant
 * @typedef {{ line: number, column: number }} Place
 */
function summarize(name, folder, report) {
	const drawn = JSON.parse(fs.readFileSync(path.join(folder, 'drawn.json'), 'utf8'));
	const ids = new Set(drawn.ids);
	const counts = { killed: 0, survived: 0, timedOut: 0, noCoverage: 0 };
	const survivors = [];
	for (const [file, { source, mutants }] of Object.entries(report.files).sort(([left], [right]) => (left < right ? -1 : 1))) {
		const lines = source.split('\n');
		for (const mutant of mutants) {
			if (!ids.has(mutant.id)) {
				continue;
			}
			if (mutant.status === 'Killed') {
				counts.killed++;
			} else if (mutant.status === 'Timeout') {
				counts.timedOut++;
			} else if (mutant.status === 'Survived' || mutant.status === 'NoCoverage') {
				counts[mutant.status === 'Survived' ? 'survived' : 'noCoverage']++;
				survivors.push(describe(file, lines, mutant));
			}
		}
	}
	fs.writeFileSync(path.join(folder, 'survivors.txt'), survivors.join('\n'));
	const mutants = counts.killed + counts.survived + counts.timedOut + counts.noCoverage;
	const noticed = counts.killed + counts.timedOut;
	return {
		name,
		counts,
		mutants,
		score: mutants === 0 ? undefined : noticed / mutants,
		interval: drawn.ids.length === drawn.of ? 'all mutants' : wilson(noticed, mutants),
	};
}

/**
 * @param {string} file
 * @param {string[]} lines
 * @param {Mutant} mutant
 */
function describe(file, lines, { status, mutatorName, replacement, location: { start, end } }) {
	const first = lines[start.line - 1] ?? '';
	const changed = start.line === end.line ? first.slice(start.column - 1, end.column - 1) : `${first.slice(start.column - 1).trim()} … (to line ${end.line})`;
	return `${file}:${start.line}:${start.column} ${status} ${mutatorName}\n\t${first.trim()}\n\t${changed}  →  ${(replacement ?? '').replace(/\s+/g, ' ')}\n`;
}

/**
 * Wilson's 95 % interval of a share (Wilson 1927), in percent.
 * @param {number} count
 * @param {number} total
 */
function wilson(count, total) {
	if (total === 0) {
		return '';
	}
	const z = 1.959964;
	const share = count / total;
	const middle = (share + (z * z) / (2 * total)) / (1 + (z * z) / total);
	const half = (z / (1 + (z * z) / total)) * Math.sqrt((share * (1 - share)) / total + (z * z) / (4 * total * total));
	return `${(100 * (middle - half)).toFixed(0)} to ${(100 * (middle + half)).toFixed(0)} %`;
}

/** @param {Awaited<ReturnType<typeof runRoom>>[]} rows */
function printTable(rows) {
	const head = ['room', 'mutants', 'killed', 'survived', 'timed out', 'no coverage', 'score', '95 % interval'];
	const cells = rows.map(({ name, counts, mutants, score, interval }) => [
		name,
		...[mutants, counts?.killed, counts?.survived, counts?.timedOut, counts?.noCoverage].map((count) => String(count ?? '?')),
		score === undefined ? '?' : `${(100 * score).toFixed(1)} %`,
		interval,
	]);
	const widths = head.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)));
	for (const row of [head, ...cells]) {
		console.log(row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  '));
	}
}

/**
 * @param {string} program
 * @param {string[]} programArguments
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<number | null>}
 */
function run(program, programArguments, environment) {
	return new Promise((resolve, reject) => {
		const child = spawn(program, programArguments, { cwd: root, stdio: ['ignore', 2, 2], env: { ...process.env, ...environment } });
		child.on('error', reject);
		child.on('close', resolve);
	});
}

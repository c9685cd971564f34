/**
 * What recording costs the recorded program: CPU time (user and system) and wall time of a plain run and of each way to record, one after the other in turns,
 * and the medians' ratios to the plain run. Two programs: Lucene (Maven Central) indexing documents, which keeps the compilers busy all the time, and one that
 * is compiled once and then only runs (live/programs/HotLoop.java).
 *
 *   npm run bench:record [-- ROUNDS [DOCUMENTS [JDK_HOME…]]]      default 5, 6000, and the JDKs of /usr/lib/jvm that have headers
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const assay = path.join(root, 'bin', 'assay.js');
const [rounds = '5', documents = '6000', ...homes] = process.argv.slice(2);
const LUCENE = '9.11.1';
const JARS = ['lucene-core', 'lucene-analysis-common'];
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-record-'));

try {
	for (const home of homes.length > 0 ? homes : jdksHere()) {
		await measure(home);
	}
} finally {
	fs.rmSync(folder, { recursive: true });
}

/** @param {string} home */
async function measure(home) {
	const classes = fs.mkdtempSync(path.join(folder, 'classes-'));
	const jars = await Promise.all(JARS.map(fetchJar));
	const classPath = [classes, ...jars].join(':');
	const sources = [path.join(root, 'bench', 'programs', 'LuceneIndex.java'), path.join(root, 'live', 'programs', 'HotLoop.java')];
	mustRun([path.join(home, 'bin', 'javac'), '-cp', classPath, '-d', classes, ...sources]);
	for (const [title, program] of /** @type {const} */ ([
		[`Lucene, ${documents} documents`, ['LuceneIndex', documents]],
		['a loop of 4 s', ['HotLoop', '4000']],
	])) {
		const java = ['-cp', classPath, ...program];
		const agent = flagsOf(home, 'agent', classPath);
		// As `assay record` starts it. Only the program is measured: perf takes half a second before it starts and after it has ended, whatever it does.
		const sampled = ['-k', 'CLOCK_MONOTONIC', '-F', '999', '-e', 'cpu-clock', '--call-graph', 'dwarf,256', '--user-regs=sp'];
		const perf = ['perf', 'record', ...sampled, '-o', path.join(folder, 'perf.data'), '--'];
		const print = flagsOf(home, 'print', classPath);
		const recorded = (/** @type {string} */ code) => [
			process.execPath,
			assay,
			'record',
			'--force',
			'-o',
			path.join(folder, 'out'),
			'--jdk',
			home,
			'--code',
			code,
			'--',
			'java',
			...java,
		];
		/** @type {readonly (readonly [string, string[], string[]?])[]} */
		const ways = [
			['plain', [path.join(home, 'bin', 'java'), ...java]],
			['flags of --code none', [path.join(home, 'bin', 'java'), ...flagsOf(home, 'none', classPath), ...java]],
			['flags of --code agent', [path.join(home, 'bin', 'java'), ...agent, ...java]],
			['the same, sampled by perf', [path.join(home, 'bin', 'java'), ...agent, ...java], perf],
			['flags of --code print', [path.join(home, 'bin', 'java'), ...print, ...java]],
			['assay record, with perf', recorded('agent')],
			['assay record --code print', recorded('print')],
		];
		/** @type {Map<string, { cpu: number, wall: number }[]>} */
		const times = new Map(ways.map(([way]) => [way, []]));
		for (let round = 0; round < Number(rounds); round++) {
			for (const [way, argv, recorder] of ways) {
				times.get(way)?.push(timed(argv, recorder));
			}
		}
		const plain = times.get('plain') ?? [];
		console.log(`${path.basename(home)}: ${title}; medians of ${rounds} rounds, and their ratio to the plain run`);
		for (const [way, runs] of times) {
			const cpu = median(runs.map((run) => run.cpu));
			const wall = median(runs.map((run) => run.wall));
			const ratio = (/** @type {number} */ value, /** @type {'cpu' | 'wall'} */ key) => (value / median(plain.map((run) => run[key]))).toFixed(2);
			console.log(
				`  ${way.padEnd(28)} CPU ${cpu.toFixed(2).padStart(6)} s ${ratio(cpu, 'cpu').padStart(5)} ×   wall ${wall.toFixed(2).padStart(6)} s ${ratio(wall, 'wall').padStart(5)} ×`,
			);
		}
	}
}

/** What `assay record` passes to the JVM. @param {string} home @param {string} code @param {string} classPath @returns {string[]} */
function flagsOf(home, code, classPath) {
	const output = path.join(folder, `flags-${code}`);
	mustRun([process.execPath, assay, 'record', '--force', '-o', output, '--jdk', home, '--code', code, '--', 'java', '-cp', classPath, '-version']);
	return JSON.parse(fs.readFileSync(path.join(output, 'assay-recording.json'), 'utf8')).flags;
}

/** CPU time of the process and all that it waited for; of `assay record` that is the program, not perf. @param {string[]} argv @param {string[]} recorder */
function timed(argv, recorder = []) {
	const report = path.join(folder, 'time');
	const script = 'report=$1; shift; TIMEFORMAT="%R %U %S"; { time "$@" >/dev/null 2>/dev/null; } 2>"$report"';
	const [program = '', ...args] = [...recorder, 'bash', '-c', script, 'bash', report, ...argv];
	const { status } = spawnSync(program, args, { cwd: folder, stdio: 'ignore' });
	const [wall = Number.NaN, user = Number.NaN, system = Number.NaN] = fs.readFileSync(report, 'utf8').trim().split(' ').map(Number);
	if (status !== 0) {
		throw new Error(`${argv.join(' ')} ended with ${status}`);
	}
	return { wall, cpu: user + system };
}

/** @param {string} name */
async function fetchJar(name) {
	const file = path.join(folder, `${name}.jar`);
	if (!fs.existsSync(file)) {
		const response = await fetch(`https://repo.maven.apache.org/maven2/org/apache/lucene/${name}/${LUCENE}/${name}-${LUCENE}.jar`);
		if (!response.ok) {
			throw new Error(`${name}: ${response.status} from Maven Central`);
		}
		fs.writeFileSync(file, new Uint8Array(await response.arrayBuffer()));
	}
	return file;
}

/** @param {string[]} argv */
function mustRun([program = '', ...args]) {
	const { status, stderr } = spawnSync(program, args, { encoding: 'utf8', cwd: folder });
	if (status !== 0) {
		throw new Error(`${program} ended with ${status}: ${stderr}`);
	}
}

function jdksHere() {
	const all = '/usr/lib/jvm';
	const found = fs.readdirSync(all).map((name) => fs.realpathSync(path.join(all, name)));
	return [...new Set(found)].filter((home) => fs.existsSync(path.join(home, 'include', 'jvmti.h')) && fs.existsSync(path.join(home, 'bin', 'javac')));
}

/** @param {number[]} values */
function median(values) {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

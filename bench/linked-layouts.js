/**
 * Ways to lay out a program for its start, side by side: each is linked for real, its pages are counted by valgrind, its page faults by perf, and its runs are timed in
 * turn with its file dropped from the page cache. Compilers and linkers are clang and lld 22; clang 19 is the last but one that has order-file instrumentation.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const assay = path.join(root, 'bin', 'assay.js');
const startup = path.join(import.meta.dirname, 'programs', 'startup');
const CLANG = 'clang-22';
const LLD = '--ld-path=/usr/bin/ld.lld-22';
/** Debian puts them beside clang, not on the path. */
const BOLT = '/usr/lib/llvm-22/bin/llvm-bolt';
const MERGE_FDATA = '/usr/lib/llvm-22/bin/merge-fdata';
const TIMED_ROUNDS = 20;
const EXECUTABLE = 1;
const PAGE = 4096;
const PAGES_OF_WINDOW = 16;

/**
 * @typedef {import('./programs/startup/programs.js').StartUpProgram} StartUpProgram
 * @typedef {{ argv: string[], input: string | null }} Workload
 * @typedef {{ name: string, program: string }} Layout
 */

/**
 * Builds all layouts of a program from its source and prints the table.
 * @param {string} name @param {StartUpProgram} recipe @param {string} source
 */
export function compareLayouts(name, recipe, source) {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), `assay-bench-${name}-`));
	try {
		const workloads = recipe.workloads.map((workload, i) => {
			const file = typeof workload === 'string' ? path.join(folder, `workload${i}${recipe.extension}`) : workload.file;
			if (typeof workload === 'string') {
				fs.writeFileSync(file, workload);
			}
			return recipe.isStandardInput ? { argv: [...recipe.argv], input: file } : { argv: [...recipe.argv, file], input: null };
		});
		const layouts = buildLayouts(folder, recipe, source, workloads);
		checkOutputs(layouts, workloads);
		const pages = layouts.map(({ program }) => workloads.map((workload) => executedPages(program, trace(program, workload, path.join(folder, 'insns')))));
		const traced = workloads.slice(0, -1);
		printTable(name, layouts, pages, coldFaults(layouts, traced), roundTimes(layouts, traced));
	} finally {
		fs.rmSync(folder, { recursive: true, force: true });
	}
}

/**
 * The last workload is not traced.
 * @param {string} folder @param {StartUpProgram} recipe @param {string} source @param {readonly Workload[]} workloads
 * @returns {Layout[]}
 */
function buildLayouts(folder, recipe, source, workloads) {
	const at = (/** @type {string} */ name) => path.join(folder, name);
	const traced = workloads.slice(0, -1);
	const files = recipe.files(source);
	const compile = (/** @type {string} */ kind, /** @type {readonly string[]} */ flags, clang = CLANG, more = /** @type {string[]} */ ([])) => {
		fs.mkdirSync(at(kind));
		return [...files, ...more].map((file, i) => {
			const object = at(`${kind}/${i}.o`);
			run(clang, ['-O2', '-w', '-ffunction-sections', `-I${source}`, ...recipe.flags, ...flags, '-c', file, '-o', object], { cwd: folder });
			return object;
		});
	};
	const link = (/** @type {string} */ name, /** @type {readonly string[]} */ objects, /** @type {readonly string[]} */ flags) => {
		run(CLANG, [LLD, '-no-pie', ...objects, ...flags, ...recipe.libraries, '-Wl,--no-warn-symbol-ordering', '-o', at(name)]);
		return at(name);
	};
	const ordered = (/** @type {string} */ name, /** @type {readonly string[]} */ objects, order = at(`${name}.order`)) =>
		link(name, objects, [`-Wl,--symbol-ordering-file=${order}`]);
	const order = (/** @type {string[]} */ ...argv) => run(process.execPath, [assay, 'order', ...argv]);

	// The map of the blocks changes no code.
	const objects = compile('plain', ['-fbasic-block-address-map']);
	const plain = link('default', objects, []);
	const traces = traced.map((workload, i) => trace(plain, workload, at(`plain.${i}.insns`)));

	const instrumented19 = ['-forder-file-instrumentation', '-mllvm', `-orderfile-write-mapping=${at('map19')}`];
	const objects19 = compile('clang19', instrumented19, 'clang-19', [path.join(startup, 'order-buffer.c')]);
	run('clang-19', ['-forder-file-instrumentation', '--ld-path=/usr/bin/ld.lld-19', '-no-pie', ...objects19, ...recipe.libraries, '-o', at('program19')]);
	const buffers = traced.map((workload, i) => {
		execute(at('program19'), workload, { LLVM_PROFILE_FILE: at(`${i}.profraw`) });
		return run(process.execPath, [assay, 'order', 'decode', at(`${i}.profraw.order`), '--map', at('map19')]);
	});
	fs.writeFileSync(at('order19.order'), [...new Set(buffers.flatMap((text) => text.split('\n')))].filter((line) => !line.startsWith('#')).join('\n'));

	const temporal = link('temporal', compile('temporal.o', ['-fprofile-generate', '-mllvm', '-pgo-temporal-instrumentation']), ['-fprofile-generate']);
	const rawProfiles = traced.map((workload, i) => {
		const raw = at(`temporal.${i}.profraw`);
		execute(temporal, workload, { LLVM_PROFILE_FILE: raw });
		return raw;
	});
	const profile = at('temporal.profdata');
	run('llvm-profdata-22', ['merge', ...rawProfiles, '-o', profile]);
	fs.writeFileSync(at('profdata.order'), run('llvm-profdata-22', ['order', profile]));

	const relocatable = link('relocatable', objects, ['-Wl,--emit-relocs']);
	run(BOLT, [relocatable, '-instrument', `-instrumentation-file=${at('bolt')}`, '-instrumentation-file-append-pid', '-o', at('bolt-instrumented')]);
	for (const workload of traced) {
		execute(at('bolt-instrumented'), workload);
	}
	const counts = fs.readdirSync(folder).filter((file) => /^bolt\.\d+\.fdata$/.test(file));
	fs.writeFileSync(at('all.fdata'), run(MERGE_FDATA, counts.map(at)));
	const bolt = (/** @type {string} */ name, /** @type {readonly string[]} */ flags) => {
		run(BOLT, [relocatable, `-data=${at('all.fdata')}`, '-reorder-functions=cdsort', ...flags, '-o', at(name)]);
		return at(name);
	};

	order('optimize', ...traces, '--elf', plain, '--method', 'first-execution', '-o', at('first.order'));
	order('optimize', ...traces, '--elf', plain, '-o', at('functions.order'));
	order('optimize', ...traces, '--elf', plain, '--blocks', at('list'), '-o', at('estimated.order'));
	const split = compile('split', ['-fbasic-block-address-map', `-fbasic-block-sections=list=${at('list')}`]);
	const unordered = link('unordered', split, []);
	order('optimize', ...traces, '--elf', unordered, '--recorded-on', plain, '-o', at('blocks.order'));

	return [
		{ name: 'default', program: plain },
		{ name: "clang 19's order", program: ordered('order19', objects) },
		{ name: "llvm-profdata's order", program: ordered('profdata', objects) },
		{ name: 'lld --bp-startup-sort', program: link('bp', objects, ['-Wl,--bp-startup-sort=function', `-Wl,--irpgo-profile=${profile}`]) },
		{ name: 'BOLT, functions', program: bolt('bolt-functions', []) },
		{ name: 'BOLT, blocks split', program: bolt('bolt-blocks', ['-reorder-blocks=ext-tsp', '-split-functions', '-split-all-cold']) },
		{ name: 'first execution', program: ordered('first', objects) },
		{ name: 'assay, functions', program: ordered('functions', objects) },
		{ name: 'assay, blocks', program: ordered('blocks', split) },
	];
}

/** What valgrind wrote of a run. @param {string} program @param {Workload} workload @param {string} log */
function trace(program, { argv, input }, log) {
	run('valgrind', ['--vex-guest-chase=no', '--tool=lackey', '--trace-mem=yes', `--log-file=${log}`, program, ...argv], {
		input: input === null ? '' : fs.readFileSync(input),
	});
	return log;
}

/** Pages of the program's own code with a byte of an instruction that ran. @param {string} program @param {string} log */
function executedPages(program, log) {
	const segments = executableSegments(program);
	/** @type {Set<number>} */
	const pages = new Set();
	/** @type {Set<string>} */
	const seen = new Set();
	const descriptor = fs.openSync(log, 'r');
	const buffer = Buffer.alloc(1 << 22);
	let rest = '';
	for (let count = fs.readSync(descriptor, buffer); count > 0; count = fs.readSync(descriptor, buffer)) {
		const lines = (rest + buffer.toString('latin1', 0, count)).split('\n');
		rest = lines.pop() ?? '';
		for (const line of lines) {
			if (!line.startsWith('I') || seen.has(line)) {
				continue;
			}
			seen.add(line);
			const comma = line.indexOf(',');
			const start = Number.parseInt(line.slice(1, comma), 16);
			const last = start + Number(line.slice(comma + 1)) - 1;
			if (segments.some((segment) => start >= segment.start && last < segment.end)) {
				pages.add(Math.floor(start / PAGE));
				pages.add(Math.floor(last / PAGE));
			}
		}
	}
	fs.closeSync(descriptor);
	return { pages: pages.size, windows: new Set([...pages].map((page) => Math.floor(page / PAGES_OF_WINDOW))).size };
}

/** Of a 64-bit little-endian ELF file. @param {string} program */
function executableSegments(program) {
	const elf = fs.readFileSync(program);
	const first = Number(elf.readBigUInt64LE(32));
	const segments = [];
	for (let i = 0; i < elf.readUInt16LE(56); i++) {
		const header = first + i * elf.readUInt16LE(54);
		if (elf.readUInt32LE(header) === 1 && (elf.readUInt32LE(header + 4) & EXECUTABLE) !== 0) {
			const start = Number(elf.readBigUInt64LE(header + 16));
			segments.push({ start, end: start + Number(elf.readBigUInt64LE(header + 40)) });
		}
	}
	return segments;
}

/** @param {readonly Layout[]} layouts @param {readonly Workload[]} workloads */
function checkOutputs(layouts, workloads) {
	for (const workload of workloads) {
		const outputs = layouts.map(({ program }) => execute(program, workload));
		const other = outputs.findIndex((output) => output !== outputs[0]);
		if (other >= 0) {
			throw new Error(`${layouts[other]?.name}: another output than the default layout's in ${workload.argv.join(' ')} ${workload.input}`);
		}
	}
}

/** Faults in the programs' code, cold, summed over the workloads. @param {readonly Layout[]} layouts @param {readonly Workload[]} workloads */
function coldFaults(layouts, workloads) {
	return layouts.map(({ program }) => {
		let faults = 0;
		for (const { argv, input } of workloads) {
			const options = [...(input === null ? [] : ['--input', input]), '--runs', '1', '--json'];
			const told = run(process.execPath, [assay, 'order', 'measure', ...options, '--', program, ...argv]);
			faults += JSON.parse(told).result.runs[0].codeFaults;
		}
		return faults;
	});
}

/**
 * Milliseconds of all workloads by layout and round. In each round the layouts run in turn, beginning with another one.
 * @param {readonly Layout[]} layouts @param {readonly Workload[]} workloads
 */
function roundTimes(layouts, workloads) {
	const times = layouts.map(() => /** @type {number[]} */ ([]));
	for (const { program } of layouts) {
		run('sync', [program]);
	}
	for (let round = 0; round < TIMED_ROUNDS; round++) {
		for (let turn = 0; turn < layouts.length; turn++) {
			const which = (round + turn) % layouts.length;
			const { program = '' } = layouts[which] ?? {};
			let milliseconds = 0;
			for (const workload of workloads) {
				run('dd', [`if=${program}`, 'iflag=nocache', 'count=0', 'status=none']);
				const start = performance.now();
				execute(program, workload);
				milliseconds += performance.now() - start;
			}
			times[which]?.push(milliseconds);
		}
	}
	return times;
}

/**
 * @param {string} name @param {readonly Layout[]} layouts @param {readonly (readonly { pages: number, windows: number }[])[]} pages
 * @param {readonly number[]} faults @param {readonly (readonly number[])[]} times
 */
function printTable(name, layouts, pages, faults, times) {
	const count = (pages[0]?.length ?? 1) - 1;
	console.log(`\n${name}: ${count} workloads traced and one not; sums over the traced ones, ${TIMED_ROUNDS} rounds timed with a cold file`);
	console.log('layout                   pages  windows  pages not traced  faults   ms     less than by default (95 %)');
	layouts.forEach((layout, i) => {
		const own = pages[i] ?? [];
		const traced = own.slice(0, -1);
		const saved = (times[i] ?? []).map((time, round) => (times[0]?.[round] ?? 0) - time).sort((a, b) => a - b);
		const columns = [
			String(sum(traced.map((one) => one.pages))).padStart(5),
			String(sum(traced.map((one) => one.windows))).padStart(7),
			String(own.at(-1)?.pages).padStart(16),
			String(faults[i]).padStart(6),
			medianOf(times[i] ?? []).toFixed(2),
			...(i === 0
				? []
				: [
						`${medianOf(saved).toFixed(2)} (${intervalOf(saved)
							.map((end) => end.toFixed(2))
							.join(' to ')})`,
					]),
		];
		console.log(`${layout.name.padEnd(24)} ${columns.join('  ')}`);
	});
}

/** The interval between two of the sorted values that holds the median in 95 % of all cases, by the binomial distribution. @param {readonly number[]} sorted */
function intervalOf(sorted) {
	const { length } = sorted;
	let below = 0;
	let probability = 0.5 ** length;
	for (let outside = 2 * probability; outside < 0.05; outside += 2 * probability) {
		below++;
		probability *= (length - below + 1) / below;
	}
	return [sorted[below - 1] ?? Number.NaN, sorted[length - below] ?? Number.NaN];
}

/** @param {readonly number[]} values */
function medianOf(values) {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length / 2;
	return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

/** @param {readonly number[]} values */
function sum(values) {
	return values.reduce((total, value) => total + value, 0);
}

/** @param {string} program @param {Workload} workload @param {NodeJS.ProcessEnv} more */
function execute(program, { argv, input }, more = {}) {
	return run(program, argv, { input: input === null ? '' : fs.readFileSync(input), env: { ...process.env, ...more } });
}

/** @param {string} command @param {readonly string[]} argv @param {import('node:child_process').SpawnSyncOptions} options */
function run(command, argv, options = {}) {
	const { status, signal, stdout, stderr, error } = spawnSync(command, argv, { maxBuffer: 1 << 28, ...options, encoding: 'utf8' });
	if (status !== 0) {
		throw new Error(`${command} ${argv.join(' ').slice(0, 500)}: ${error?.message ?? `status ${status ?? signal}`}\n${stderr?.slice(-2000)}`);
	}
	return stdout;
}

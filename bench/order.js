/**
 * What order-file instrumentation costs: instructions (callgrind), sizes and the speed of `assay order instrument`, on the SQLite shell. Needs clang-22,
 * lld-22, gcc, binutils and valgrind.
 *
 *   npm run bench:order [-- MEGABYTES]     how large the module is that speed is measured on (300)
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { median, runAssay } from './measure.js';

const root = path.resolve(import.meta.dirname, '..');
const fixtures = path.join(root, 'fixtures', 'orderfile');
const megabytes = Number(process.argv[2] ?? 300);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-order-'));
const RUNS = 3;

process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
const at = (/** @type {string} */ name) => path.join(folder, name);

fs.mkdirSync(at('ll'));
run('tar', ['xzf', path.join(fixtures, 'll', 'sqlite3-3.40.1_O2_92modules_plus_shell.ll.tar.gz'), '-C', at('ll')]);
const modules = fs.readdirSync(at('ll')).map((name) => at(`ll/${name}`));
speed('93 modules', modules);
speed('one module', [largeModule()]);

const base = link('base', modules, []);
console.log('\n            instructions, ratio to the plain program           sizes');
console.log('bitmap      startup      workload_a   workload_b      .text    file');
for (const bitmap of ['byte', 'bit']) {
	run(process.execPath, [
		path.join(root, 'bin', 'assay.js'),
		'order',
		'instrument',
		...modules,
		'-o',
		at(bitmap),
		'--map',
		at(`${bitmap}.json`),
		'--bitmap',
		bitmap,
	]);
	run('cc', ['-O2', '-c', path.join(root, 'runtime', 'assay_order.c'), '-o', at('assay_order.o')]);
	const program = link(
		`${bitmap}-program`,
		modules.map((file) => at(`${bitmap}/${path.basename(file)}`)),
		[at('assay_order.o')],
	);
	const ratios = ['startup', 'workload_a', 'workload_b'].map((workload) => (instructions(program, workload) / instructions(base, workload)).toFixed(3));
	const text = (textBytes(program) / textBytes(base)).toFixed(3);
	const file = (fs.statSync(program).size / fs.statSync(base).size).toFixed(3);
	console.log(`${bitmap.padEnd(12)}${ratios.map((ratio) => ratio.padEnd(13)).join('')}   ${text}    ${file}`);
}

/**
 * @param {string} name
 * @param {readonly string[]} files
 */
function speed(name, files) {
	const bytes = files.reduce((sum, file) => sum + fs.statSync(file).size, 0);
	const result = median(
		RUNS,
		() => runAssay(['order', 'instrument', ...files, '-o', at('speed'), '--map', at('speed.json')]),
		({ seconds }) => seconds,
	);
	const rate = (bytes / 1e6 / result.seconds).toFixed(0);
	console.log(
		`instrument, ${name}: ${(bytes / 1e6).toFixed(0)} MB in ${result.seconds.toFixed(2)} s, ${rate} MB/s, ${result.peakMegabytes.toFixed(0)} MB of memory`,
	);
	fs.rmSync(at('speed'), { recursive: true, force: true });
}

/** The functions of all modules in one file, again and again. */
function largeModule() {
	const file = at('large.ll');
	const descriptor = fs.openSync(file, 'w');
	const texts = modules.map((one) => fs.readFileSync(one));
	for (let written = 0; written < megabytes * 1e6; ) {
		for (const text of texts) {
			written += fs.writeSync(descriptor, text);
		}
	}
	fs.closeSync(descriptor);
	return file;
}

/**
 * @param {string} name
 * @param {readonly string[]} files
 * @param {readonly string[]} more
 */
function link(name, files, more) {
	const objects = files.map((file) => at(`${name}-${path.basename(file)}.o`));
	files.forEach((file, i) => {
		run('clang-22', ['-w', '-O2', '-Xclang', '-disable-llvm-passes', '-ffunction-sections', '-c', file, '-o', /** @type {string} */ (objects[i])]);
	});
	run('clang-22', ['-fuse-ld=lld', '-no-pie', ...objects, ...more, '-lm', '-o', at(name)]);
	return at(name);
}

/**
 * Of the whole process, the dump included.
 * @param {string} program
 * @param {string} workload
 */
function instructions(program, workload) {
	const said = run('valgrind', ['--tool=callgrind', '--callgrind-out-file=/dev/null', program, ':memory:'], {
		input: fs.readFileSync(path.join(fixtures, 'src', `${workload}.sql`)),
		env: { ...process.env, ASSAY_ORDER_FILE: at('x.order') },
	});
	return Number(/refs:\s+([\d,]+)/.exec(said)?.[1]?.replaceAll(',', ''));
}

/** @param {string} program */
function textBytes(program) {
	return Number(/^\.text\s+(\d+)/m.exec(run('size', ['-A', program]))?.[1]);
}

/**
 * @param {string} command
 * @param {readonly string[]} argv
 * @param {import('node:child_process').SpawnSyncOptions} [options]
 */
function run(command, argv, options = {}) {
	const { status, error, stdout, stderr } = spawnSync(command, argv, { ...options, encoding: 'utf8', maxBuffer: 1 << 28 });
	if (error !== undefined || status !== 0) {
		throw new Error(`${command} failed (${error?.message ?? status})\n${stderr ?? ''}`);
	}
	return `${stdout}${stderr}`;
}

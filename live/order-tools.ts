/** What the live tests of order files share: the compilers, programs built twice from the same IR, and what ptrace says they ran first. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
export const assay = path.join(root, 'bin', 'assay.js');
export const programs = path.join(root, 'live', 'programs', 'order');
export const fixtures = path.join(root, 'fixtures', 'orderfile');
const runtime = path.join(root, 'runtime', 'assay_order.c');

/** A tool on the path; the error says what is missing. */
export function tool(name: string): string {
	const found = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
	if (found === '') {
		throw new Error(
			`${name} is missing: the live tests of order files need clang-22, lld-22, llvm-22, clang-19, clang-16, clang-15, gcc, binutils, mold and valgrind (.ci/run installs them)`,
		);
	}
	return found;
}

/** Runs a command that has to succeed; gives its standard output. */
export function run(command: string, argv: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv; input?: string } = {}): string {
	const { status, signal, stdout, stderr, error } = spawnSync(command, argv, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
	if (error !== undefined || status !== 0) {
		throw new Error(
			`${command} ${argv.join(' ').slice(0, 300)}: status ${status ?? signal}\n${error?.message ?? ''}${stdout.slice(0, 1000)}${stderr.slice(0, 3000)}`,
		);
	}
	return stdout;
}

/** Runs commands, two at a time; all have to succeed. */
function runAll(commands: readonly (readonly string[])[]): void {
	const lines = commands.map((words) => words.map((word) => `'${word}'`).join(' '));
	const { status, stderr } = spawnSync('xargs', ['-0', '-P', '2', '-n', '1', 'sh', '-c'], { input: lines.join('\0'), encoding: 'utf8', maxBuffer: 1 << 26 });
	if (status !== 0) {
		throw new Error(`a command failed: ${stderr.slice(0, 3000)}`);
	}
}

export interface Built {
	readonly base: string;
	readonly instrumented: string;
	readonly map: string;
	readonly omitted: ReadonlySet<string>;
}

export interface BuildOptions {
	/** Of the code generator: level, -fPIC. */
	readonly flags?: readonly string[];
	readonly clang?: string;
	/** The optimizer is to run: the IR is of before. */
	readonly optimize?: boolean;
	readonly verify?: boolean;
	readonly link?: readonly string[];
	readonly instrument?: readonly string[];
}

/** Instruments modules, checks them, and links them with the runtime; the same modules without, for comparison. */
export function buildFromIr(folder: string, modules: readonly string[], options: BuildOptions = {}): Built {
	const { flags = ['-O2'], clang = 'clang-22', optimize = false, verify = true, link = [], instrument = [] } = options;
	fs.mkdirSync(folder, { recursive: true });
	const map = path.join(folder, 'map.json');
	const output = path.join(folder, 'instrumented');
	const told = run(process.execPath, [assay, 'order', 'instrument', ...modules, '-o', output, '--map', map, '--json', ...instrument]);
	const { result } = JSON.parse(told) as { result: { modules: { input: string; output: string; omitted: { symbol: string; reason: string }[] }[] } };
	const compile = (file: string, kind: string, i: number): string[] => [
		tool(clang),
		'-w',
		...flags,
		...(optimize ? [] : ['-Xclang', '-disable-llvm-passes']),
		'-ffunction-sections',
		'-c',
		file,
		'-o',
		path.join(folder, `${kind}${i}.o`),
	];
	const objects = (kind: string): string[] => modules.map((_, i) => path.join(folder, `${kind}${i}.o`));
	runAll([
		...result.modules.map(({ input }, i) => compile(input, 'base', i)),
		...result.modules.map((module, i) => compile(module.output, 'instrumented', i)),
		...(verify ? result.modules.map((module) => [tool('opt-22'), '-passes=verify', '-disable-output', module.output]) : []),
	]);
	const runtimeObject = path.join(folder, 'assay_order.o');
	run('cc', ['-O2', '-c', runtime, '-o', runtimeObject]);
	const base = path.join(folder, 'base');
	const instrumented = path.join(folder, 'program');
	const linker = [tool('clang++-22'), '-no-pie', `--ld-path=${tool('ld.lld-22')}`];
	run(linker[0]!, [...linker.slice(1), ...objects('base'), '-lm', ...link, '-o', base]);
	run(linker[0]!, [...linker.slice(1), ...objects('instrumented'), runtimeObject, '-lm', ...link, '-o', instrumented]);
	const omitted = result.modules.flatMap((module) => module.omitted).filter(({ reason }) => reason !== 'available_externally');
	return { base, instrumented, map, omitted: new Set(omitted.map(({ symbol }) => symbol)) };
}

/** Symbols in the order of a decoded dump. */
export function decode(dump: string, ...maps: readonly string[]): string[] {
	return run(process.execPath, [assay, 'order', 'decode', dump, ...maps.flatMap((map) => ['--map', map])])
		.split('\n')
		.filter((line) => line !== '' && !line.startsWith('#'));
}

/** What the C library's start files bring along: there is no IR of it. */
const START_FILES = new Set([
	'_start',
	'_init',
	'_fini',
	'frame_dummy',
	'register_tm_clones',
	'deregister_tm_clones',
	'__do_global_dtors_aux',
	'_dl_relocate_static_pie',
]);

export function withoutStartFiles(firstExecuted: string): string[] {
	return firstExecuted
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => line.split(' ').slice(2).join(' '))
		.filter((symbol) => !START_FILES.has(symbol));
}

/**
 * What a program runs first, by breakpoints on the first byte of every function of the plain binary: for each the names that its address has.
 * Functions that were left out are not in it, and of several functions of a name the first only, as in an order file.
 */
export function firstExecuted(folder: string, built: Built, argv: readonly string[], input = ''): { names: Set<string>[]; status: number; stdout: string } {
	const tracer = path.join(folder, 'firstexec');
	run('cc', ['-O2', '-w', path.join(fixtures, 'src', 'firstexec.c'), '-o', tracer]);
	const symbols = run('nm', ['-n', built.base])
		.split('\n')
		.map((line) => /^([0-9a-f]+) [tTwWi] (.*)$/.exec(line))
		.filter((match) => match !== null)
		.map(([, address = '', name = '']) => ({ address: Number.parseInt(address, 16), name }));
	const list = path.join(folder, 'symbols');
	const log = path.join(folder, 'firstexec.txt');
	fs.writeFileSync(list, symbols.map(({ address, name }) => `${address.toString(16)} ${name}\n`).join(''));
	const { status, stdout } = spawnSync(tracer, [list, log, '--', built.base, ...argv], { encoding: 'utf8', input });
	const namesAt = new Map<number, Set<string>>();
	for (const { address, name } of symbols) {
		namesAt.set(address, (namesAt.get(address) ?? new Set()).add(name));
	}
	const seen = new Set<string>();
	const names: Set<string>[] = [];
	for (const line of fs.readFileSync(log, 'utf8').split('\n').filter(Boolean)) {
		const [, address = ''] = line.split(' ');
		const all = namesAt.get(Number.parseInt(address, 16)) ?? new Set<string>();
		const isKnown = [...all].some((name) => seen.has(name) || START_FILES.has(name) || built.omitted.has(name));
		if (!isKnown) {
			names.push(all);
			for (const name of all) {
				seen.add(name);
			}
		}
	}
	return { names, status: status ?? -1, stdout };
}

/** As {@link decode}, each symbol replaced by the names of its address where it is one of them: equal lists are then equal orders. */
export function asNames(symbols: readonly string[], names: readonly Set<string>[]): (string | Set<string>)[] {
	return symbols.map((symbol, i) => (names[i]?.has(symbol) ? (names[i] as Set<string>) : symbol));
}

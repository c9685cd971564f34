/** Runs a command of the user under valgrind, and keeps of each run of a program in it the instructions that it executed, each once. */
import fs from 'node:fs';
import path from 'node:path';
import { readInstructionList } from '../../formats/executed-instructions/read.js';
import { InputError } from '../../model/problem.js';
import { openFile } from '../file-source.js';
import { findExecutable } from '../record/find-executable.js';
import { runLogged } from './run-logged.js';

export interface TracedRun {
	/** A list of executed instructions, as `assay order` reads them. */
	readonly file: string;
	readonly instructions: number;
}

export interface TraceOptions {
	/** What is run there. */
	readonly command: readonly string[];
	readonly folder: string;
	readonly environment: NodeJS.ProcessEnv;
	/** The file of the program whose runs are kept. */
	readonly program: string;
	/** Where lists go; what valgrind writes is there for a while, too: some 20 bytes for each instruction that runs, as often as it runs. */
	readonly traces: string;
	/** What the command says. */
	readonly logFile: string;
	/** Lists are called `NAME.1.insns` and so on. */
	readonly name: string;
	readonly signal: AbortSignal;
}

const HEAD_BYTES = 4096;

/** Throws an {@link InputError} where there is no valgrind. */
export function findValgrind(folder: string): string {
	const valgrind = findExecutable('valgrind', folder);
	if (valgrind === null) {
		throw new InputError({
			severity: 'error',
			file: 'valgrind',
			message: 'is not on the path, and tells what of a function runs',
			action: 'install it (Debian: valgrind), or leave --blocks out',
		});
	}
	return valgrind;
}

/** The status of the command, the runs of the program, those with most instructions first, and whether valgrind could not read the debug information of a program. */
export async function traceInstructions(valgrind: string, options: TraceOptions): Promise<{ status: number; runs: TracedRun[]; hasGivenUp: boolean }> {
	const { command, folder, environment, program, traces, logFile, name, signal } = options;
	fs.mkdirSync(traces, { recursive: true });
	const written = path.join(traces, 'valgrind');
	fs.rmSync(written, { recursive: true, force: true });
	fs.mkdirSync(written);
	// When it follows conditional jumps it lets instructions run ahead (of `a && b` those of b) and says that they ran.
	const argv = [
		'--vex-guest-chase=no',
		'--tool=lackey',
		'--trace-mem=yes',
		'--trace-children=yes',
		`--log-file=${path.join(written.replaceAll('%', '%%'), '%p')}`,
	];
	const { status } = await runLogged([valgrind, ...argv, ...command], { folder, environment, logFile, signal });
	const runs: TracedRun[] = [];
	let hasGivenUp = false;
	for (const entry of fs.readdirSync(written).sort((a, b) => Number(a) - Number(b))) {
		signal.throwIfAborted();
		const log = path.join(written, entry);
		const head = headOf(log);
		hasGivenUp ||= head.includes('corrupted debuginfo');
		if (isOf(head, program, folder)) {
			const file = path.join(traces, `${name}.${runs.length + 1}.insns`);
			runs.push({ file, instructions: await writeList(log, file) });
		}
		fs.rmSync(log);
	}
	fs.rmSync(written, { recursive: true, force: true });
	return { status, runs: runs.filter(({ instructions }) => instructions > 0).sort((a, b) => b.instructions - a.instructions), hasGivenUp };
}

function headOf(log: string): string {
	const head = Buffer.alloc(HEAD_BYTES);
	const descriptor = fs.openSync(log, 'r');
	try {
		return head.toString('utf8', 0, fs.readSync(descriptor, head, 0, HEAD_BYTES, 0));
	} finally {
		fs.closeSync(descriptor);
	}
}

/** By the command that valgrind says at the beginning. */
function isOf(head: string, program: string, folder: string): boolean {
	const command = /^==\d{1,20}== Command: (.*)$/m.exec(head)?.[1] ?? '';
	// Words are not quoted there: a path with spaces is known by its beginning.
	const isNamed = [program, fs.realpathSync(program)].some((file) => command === file || command.startsWith(`${file} `));
	return isNamed || isSameFile(command.split(' ')[0]!, program, folder);
}

function isSameFile(word: string, program: string, folder: string): boolean {
	const file = path.resolve(folder, word);
	if (word !== '' && fs.existsSync(file)) {
		return fs.realpathSync(file) === fs.realpathSync(program);
	}
	// A command that changes its folder calls it by a path that starts elsewhere.
	return path.basename(word) === path.basename(program);
}

/** How many instructions there are. */
async function writeList(log: string, file: string): Promise<number> {
	const { source } = await openFile(log, log);
	try {
		const { addresses, sizes } = readInstructionList(source).instructions;
		const lines: string[] = [];
		for (let i = 0; i < addresses.length; i++) {
			lines.push(`${addresses[i]!.toString(16)} ${sizes[i]}\n`);
		}
		fs.writeFileSync(file, lines.join(''));
		return addresses.length;
	} catch (error) {
		if (error instanceof InputError) {
			return 0;
		}
		throw error;
	} finally {
		source.close();
	}
}

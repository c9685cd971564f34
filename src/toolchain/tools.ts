/** Running compilers: with our streams, and with long command lines in a response file. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A tool ended with this status; it has said why. */
export class ToolFailed extends Error {
	readonly status: number;
	constructor(status: number) {
		super(`a tool failed with status ${status}`);
		this.status = status;
	}
}

/** A tool cannot be started. */
export class ToolMissing extends Error {}

export interface Workshop {
	/** The compiler's program and what stands before its arguments (a launcher such as ccache comes first). */
	readonly compiler: readonly string[];
	readonly workingDirectory: string;
	/** Temporary files; gone when the command ends. */
	readonly folder: string;
}

/** Linux takes 128 KiB a word and about 2 MiB in all. */
const MAX_COMMAND_BYTES = 100_000;

/** Runs the compiler. `isQuiet`: what it says is kept and told only when it fails. Throws ToolFailed. */
export function runCompiler(shop: Workshop, argv: readonly string[], isQuiet = false): void {
	const [program = '', ...before] = shop.compiler;
	let words = argv;
	if (argv.reduce((sum, word) => sum + word.length + 1, 0) > MAX_COMMAND_BYTES) {
		const file = temporary(shop, 'arguments.rsp');
		fs.writeFileSync(file, argv.map((word) => `"${word.replace(/[\\"]/g, '\\$&')}"\n`).join(''));
		words = [`@${file}`];
	}
	const { status, signal, error, stderr, stdout } = spawnSync(program, [...before, ...words], {
		cwd: shop.workingDirectory,
		stdio: isQuiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
		maxBuffer: 1 << 28,
	});
	if (error !== undefined && (error as NodeJS.ErrnoException).code !== 'ENOBUFS') {
		throw new ToolMissing(`${program} cannot be run (${(error as NodeJS.ErrnoException).code ?? error.message})`);
	}
	if (status !== 0) {
		if (isQuiet) {
			fs.writeSync(2, Buffer.concat([stdout, stderr]));
		}
		throw new ToolFailed(status ?? (signal === null ? 1 : 128 + (os.constants.signals[signal] ?? 0)));
	}
}

/** Runs a program that belongs to the compiler, such as `llvm-ar`, with our streams. Throws ToolFailed or ToolMissing. */
export function runToolOf([program = '', ...before]: readonly string[], tool: string, argv: readonly string[], workingDirectory: string): void {
	const asked = spawnSync(program, [...before, `-print-prog-name=${tool}`], { cwd: workingDirectory, encoding: 'utf8' });
	const found = asked.status === 0 ? asked.stdout.trim() : '';
	if (!path.isAbsolute(found)) {
		throw new ToolMissing(`${program} has no ${tool} beside it: install the package of LLVM that it belongs to`);
	}
	const { status, signal, error } = spawnSync(found, argv, { cwd: workingDirectory, stdio: 'inherit' });
	if (error !== undefined) {
		throw new ToolMissing(`${found} cannot be run (${(error as NodeJS.ErrnoException).code ?? error.message})`);
	}
	if (status !== 0) {
		throw new ToolFailed(status ?? (signal === null ? 1 : 128 + (os.constants.signals[signal] ?? 0)));
	}
}

let count = 0;

/** A new name in the temporary folder, with the given end. */
export function temporary(shop: Workshop, name: string): string {
	const file = path.join(shop.folder, `${count++}`, name);
	fs.mkdirSync(path.dirname(file), { recursive: true });
	return file;
}

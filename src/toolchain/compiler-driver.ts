/**
 * The compiler driver: compiles and links as the given clang does, and makes the program log the first execution of its functions. What compiles nothing goes
 * to clang as it is.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { compileInput } from './compile.js';
import { type CompilerArguments, type CompilerInput, isTrial, parseCompilerArguments, responseWords } from './compiler-arguments.js';
import type { Choice } from './instrument-modules.js';
import { link } from './link.js';
import { runCompiler, temporary, type Workshop } from './tools.js';

export interface DriverRequest {
	/** The compiler's program and what stands before its arguments: see {@link splitCompilerCommand}, {@link findCompiler}. */
	readonly compiler: readonly string[];
	/** As clang takes them. */
	readonly arguments: readonly string[];
	/** Which functions are instrumented, and how. */
	readonly choice: Choice;
	/** Where linking writes the map; null: beside the output. */
	readonly mapFile: string | null;
	/** Where relative paths start. */
	readonly workingDirectory: string;
	/** Told what was left out. */
	readonly warn: (text: string) => void;
}

/** Runs the tools; what they say goes to the streams of this process. Throws {@link ToolFailed} or {@link ToolMissing} where one fails or is not there. */
export async function driveCompiler(request: DriverRequest): Promise<void> {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-cc-'));
	const remove = (): void => fs.rmSync(folder, { recursive: true, force: true });
	process.once('exit', remove);
	try {
		await drive({ compiler: request.compiler, workingDirectory: request.workingDirectory, folder }, request);
	} finally {
		remove();
		process.removeListener('exit', remove);
	}
}

async function drive(shop: Workshop, { arguments: argv, choice, mapFile, warn }: DriverRequest): Promise<void> {
	const line = parseCompilerArguments(argv, (file) => {
		try {
			return fs.readFileSync(path.resolve(shop.workingDirectory, file), 'utf8');
		} catch {
			return null;
		}
	});
	const sources = line.inputs.filter(({ kind }) => kind === 'source' || kind === 'assembly');
	if (line.mode !== 'pass-through') {
		for (const { file } of line.inputs.filter(({ kind }) => kind === 'fortran')) {
			warn(`${file} is Fortran, which is compiled as it is: its functions log nothing`);
		}
	}
	if (line.mode === 'pass-through' || isTrial(line, shop.workingDirectory) || (line.mode !== 'link' && sources.length === 0)) {
		runCompiler(shop, argv);
		return;
	}
	if (line.mode !== 'link') {
		if (line.output !== null && sources.length > 1) {
			// clang says why that cannot be.
			runCompiler(shop, argv);
			return;
		}
		for (const input of sources) {
			await compileInput(shop, line, input, line.output ?? defaultOutput(line, input), choice);
		}
		return;
	}
	const objects = new Map<number, string>();
	for (const input of sources) {
		const object = temporary(shop, `${path.basename(input.file)}.o`);
		await compileInput(shop, line, input, object, choice, line.hasSplitDwarf ? debugFileOf(line, input) : null);
		objects.set(input.index, object);
	}
	await link(shop, line, objects, choice, mapFile, warn);
}

/** As clang calls the debug information of a source that it compiles and links at once. */
function debugFileOf({ output }: CompilerArguments, { file }: CompilerInput): string {
	return `${output ?? 'a'}-${path.parse(file).name}.dwo`;
}

function defaultOutput(line: CompilerArguments, { file }: CompilerInput): string {
	const base = path.basename(file);
	return `${base.slice(0, base.length - path.extname(base).length)}.${line.mode === 'assembly' ? 's' : 'o'}`;
}

/** A launcher, such as ccache, may stand before the compiler. */
export function splitCompilerCommand(words: readonly string[]): [string[], string[]] {
	const length = /(?:^|\/)(?:ccache|sccache|distcc|icecc|env)$/.test(words[0] ?? '') ? 2 : 1;
	return [words.slice(0, length), words.slice(length)];
}

/** Compilers by language: the variable of the environment that names one, and what it is called otherwise. */
export const COMPILERS = {
	c: { variable: 'ASSAY_CC', name: 'clang' },
	'c++': { variable: 'ASSAY_CXX', name: 'clang++' },
} as const;

const NEWEST = 40;
const OLDEST = 15;

/** What the variable of the environment names, which may have several words; else clang, else the newest clang-N on the path; null: there is none. */
export function findCompiler(language: keyof typeof COMPILERS, environment: Readonly<Record<string, string | undefined>>): string[] | null {
	const { variable, name } = COMPILERS[language];
	const chosen = responseWords(environment[variable] ?? '');
	if (chosen.length > 0) {
		return chosen;
	}
	const folders = (environment.PATH ?? '').split(path.delimiter);
	for (const program of [name, ...Array.from({ length: NEWEST - OLDEST + 1 }, (_, i) => `${name}-${NEWEST - i}`)]) {
		if (folders.some((folder) => folder !== '' && fs.existsSync(path.join(folder, program)))) {
			return [program];
		}
	}
	return null;
}

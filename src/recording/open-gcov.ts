/** A folder with the profiles that a program compiled by GCC wrote: `.gcda` files, each beside the `.gcno` file of its compilation. */
import fs from 'node:fs';
import path from 'node:path';
import { readGcda, readGcno } from '../formats/gcov/read.js';
import { FunctionTracesBuilder, type ReadTraces } from '../model/function-trace.js';
import { InputError, type Problem } from '../model/problem.js';
import { openFile } from './file-source.js';
import type { LogFile } from './log-file.js';

const MOST_FILES = 100_000;

/** `.gcda` files below a folder, as paths from it, in the order of their names. */
export function gcdaFiles(folder: string): string[] {
	const found: string[] = [];
	const walk = (below: string): void => {
		for (const entry of fs.readdirSync(path.join(folder, below), { withFileTypes: true })) {
			const name = path.join(below, entry.name);
			if (entry.isDirectory()) {
				walk(name);
			} else if (entry.isFile() && name.endsWith('.gcda') && found.length < MOST_FILES) {
				found.push(name);
			}
		}
	};
	walk('');
	return found.sort();
}

interface Ran {
	readonly place: number;
	readonly symbol: string;
	readonly file: string;
	readonly line: number;
}

/** One trace of all files. Throws an {@link InputError} when no file tells in which order functions ran. */
export async function openGcov({ filePath, name }: LogFile, files: readonly string[]): Promise<ReadTraces> {
	const ran: Ran[] = [];
	const problems: Problem[] = [];
	let timed = 0;
	for (const file of files) {
		const shown = `${name.replace(/\/$/, '')}/${file}`;
		const note = file.replace(/\.gcda$/, '.gcno');
		try {
			const data = await read(path.join(filePath, file), shown, readGcda);
			if (data.functions.every(({ place }) => place === null)) {
				continue;
			}
			timed++;
			if (!fs.existsSync(path.join(filePath, note))) {
				throw new InputError({
					severity: 'error',
					file: shown,
					message: 'has no .gcno file beside it, which names its functions',
					action: 'compile with -ftest-coverage, and leave both files in one folder',
				});
			}
			const { stamp, functions } = await read(path.join(filePath, note), `${name.replace(/\/$/, '')}/${note}`, readGcno);
			if (stamp !== data.stamp) {
				throw new InputError({
					severity: 'error',
					file: shown,
					message: 'is of another compilation than the .gcno file beside it',
					action: 'run the program again',
				});
			}
			const notes = new Map(functions.map((one) => [one.ident, one]));
			for (const { ident, place } of data.functions) {
				const known = notes.get(ident);
				if (place !== null && place > 0 && known !== undefined) {
					ran.push({ place, symbol: known.symbol, file: known.file, line: known.line });
				}
			}
		} catch (error) {
			if (!(error instanceof InputError)) {
				throw error;
			}
			problems.push(error.problem);
		}
	}
	const [first] = problems;
	if (timed === 0) {
		throw new InputError(
			first ?? {
				severity: 'error',
				file: name,
				message: 'the profiles of GCC in it do not tell in which order functions ran',
				action: 'compile with -fprofile-generate -fprofile-reorder-functions -ftest-coverage',
			},
		);
	}
	return { ...tracesOf(name, ran), problems };
}

function tracesOf(name: string, ran: readonly Ran[]): Omit<ReadTraces, 'problems'> {
	const builder = new FunctionTracesBuilder();
	const files = new Map<string, Set<string>>();
	for (const { symbol, file } of ran) {
		files.set(symbol, (files.get(symbol) ?? new Set()).add(file));
	}
	const inOrder = ran.toSorted((a, b) => a.place - b.place);
	// Linkage is not told: a name that several files have, and that is no inline function of C++, is local to each.
	const order = inOrder.map(({ symbol, file, line }) => {
		const isLocal = (files.get(symbol)?.size ?? 0) > 1 && !(symbol.startsWith('_Z') && !/^_Z(?:L|N12_GLOBAL__N_1)/.test(symbol));
		return builder.functionNumber({ symbol, module: file, isLocal, file, line });
	});
	builder.addTrace(name, 1, order);
	return builder.build();
}

async function read<T>(filePath: string, name: string, reader: (source: Parameters<typeof readGcda>[0]) => T): Promise<T> {
	const { source } = await openFile(filePath, name);
	try {
		return reader(source);
	} finally {
		source.close();
	}
}

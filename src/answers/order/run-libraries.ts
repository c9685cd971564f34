/** Programs and the shared libraries of the same build: an order is of one of them, and what ran in the others is said. */
import path from 'node:path';
import { type DynamicNames, readDynamicNames } from '../../formats/shared/elf/dynamic.js';
import { InputError } from '../../model/problem.js';
import type { BuiltProgram, ProcessDump } from '../../recording/build/built-programs.js';
import { openFile } from '../../recording/file-source.js';

interface RanTogether {
	/** What the order is for. */
	readonly program: BuiltProgram;
	readonly programs: readonly BuiltProgram[];
	/** Of the processes that count. */
	readonly dumps: readonly ProcessDump[];
	/** Of a build: its folder, and where it ran and workloads do. */
	readonly folder: string;
	readonly place: string;
}

/** Throws an InputError where an order of a library cannot be made as it is asked for. */
export function checkLibrary(
	{ file, isLibrary }: BuiltProgram,
	{ workloads, hasBlocks }: { readonly workloads: readonly string[]; readonly hasBlocks: boolean },
): void {
	const wrong = (message: string, action: string): InputError => new InputError({ severity: 'error', file, message, action });
	if (isLibrary && workloads.length === 0) {
		throw wrong('is a shared library, and does not run by itself', "name workloads that load it: -w 'LD_LIBRARY_PATH=. ./app'");
	}
	if (isLibrary && hasBlocks) {
		throw wrong('is a shared library, of which the blocks are not told', 'leave --blocks out, or name a program with --program');
	}
}

/** Sentences without a full stop. */
export async function libraryNotes({ program, programs, dumps, folder, place }: RanTogether): Promise<string[]> {
	const own = functionsIn(dumps, programs.indexOf(program));
	const notes: string[] = [];
	for (const [i, { file, isLibrary }] of programs.entries()) {
		const ran = functionsIn(dumps, i);
		if (isLibrary && programs[i] !== program && ran > 0) {
			notes.push(
				`${file}, which the build made too, ran ${ran} functions in a process, ${program.file} ${own}: an order of its own it gets by --program ${file}`,
			);
		}
	}
	const { needed } = await namesOf(path.join(folder, program.file));
	for (const [i, { file, isLibrary }] of programs.entries()) {
		const isLoaded = dumps.some(({ functions }) => functions.has(i));
		const name = isLibrary && !isLoaded ? ((await namesOf(path.join(folder, file))).soname ?? path.basename(file)) : null;
		if (name !== null && needed.includes(name)) {
			const where = path.relative(place, path.dirname(path.join(folder, file))) || '.';
			notes.push(
				`${program.file} asks for ${name}, and got another one than that of the build (${file}): with LD_LIBRARY_PATH=${where} before it a workload takes that of the build`,
			);
		}
	}
	return notes;
}

/** Of the process that ran most of them. */
function functionsIn(dumps: readonly ProcessDump[], program: number): number {
	return dumps.reduce((most, { functions }) => Math.max(most, functions.get(program) ?? 0), 0);
}

async function namesOf(file: string): Promise<DynamicNames> {
	const { source } = await openFile(file, file);
	try {
		return readDynamicNames(source);
	} finally {
		source.close();
	}
}

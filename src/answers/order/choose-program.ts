/** Which of the programs and shared libraries that a build made the order is for. */
import fs from 'node:fs';
import path from 'node:path';
import { InputError } from '../../model/problem.js';
import type { BuiltProgram, ProcessDump } from '../../recording/build/built-programs.js';

interface Wanted {
	/** As it was named, from `place` on; null: it was not. */
	readonly named: string | null;
	readonly workloads: readonly string[];
	/** Of the build: the copy of the source, where it ran, and its log as messages name it. */
	readonly folder: string;
	readonly place: string;
	readonly log: string;
}

/** Of copies of one program the one that counts: the one that was named, or that a workload names, or the first of those that lie highest. */
export function withoutCopies(programs: readonly BuiltProgram[], { named, workloads, folder, place }: Omit<Wanted, 'log'>): BuiltProgram[] {
	const words = new Set(workloads.flatMap((line) => line.split(/[\s"'`;&|()<>=]/)).map((word) => path.relative(folder, path.resolve(place, word))));
	const wanted = named === null ? null : fileOf(named, { folder, place });
	const rank = ({ file }: BuiltProgram): number => (file === wanted ? 0 : words.has(file) ? 1 : 1 + file.split(path.sep).length);
	const kept = new Map<string, BuiltProgram>();
	for (const program of programs) {
		const { buildId } = program.map;
		const known = kept.get(buildId);
		if (known === undefined || rank(program) < rank(known)) {
			kept.set(buildId, program);
		}
	}
	return programs.filter((program) => kept.get(program.map.buildId) === program);
}

/** The only program, or the program or library that was named; null: the workloads have to tell. Throws an InputError where nothing can. */
export function chooseEarly(built: readonly BuiltProgram[], { named, workloads, folder, place, log }: Wanted): BuiltProgram | null {
	if (built.length === 0) {
		throw new InputError({
			severity: 'error',
			file: log,
			message: 'the build made no program that assay-cc linked',
			action:
				'it has to call its compiler as $CC, cc, gcc or clang, not by a path, and to compile everything anew: begin it with make clean, as in -- sh -c "make clean && make"; a stripped program has lost its map',
		});
	}
	if (named !== null) {
		const wanted = fileOf(named, { folder, place });
		const found = built.find(({ file }) => file === wanted);
		if (found === undefined) {
			throw new InputError({
				severity: 'error',
				file: named,
				message: 'is no program and no shared library that the build made',
				action: `it made ${listed(built)}`,
			});
		}
		return found;
	}
	const programs = built.filter(({ isLibrary }) => !isLibrary);
	const [first] = programs;
	if (programs.length === 1 && first !== undefined) {
		return first;
	}
	if (workloads.length === 0 || workloads.some((line) => /\$\{?PROGRAM\b/.test(line))) {
		throw programs.length === 0
			? severalPrograms('the build made no program, but shared libraries: workloads have to name what loads them', built)
			: severalPrograms('the build made several programs', programs);
	}
	return null;
}

/** The one that the workloads ran: `dumps` of each, by the numbers of the programs that they may be of. A library only where what loads it is none of the build's. */
export function chooseByDumps(built: readonly BuiltProgram[], workloads: readonly { readonly dumps: readonly ProcessDump[] }[]): BuiltProgram {
	const ran = new Set(workloads.flatMap(({ dumps }) => dumps.flatMap(({ functions }) => [...functions.keys()])));
	const all = built.filter((_, i) => ran.has(i));
	const own = all.filter(({ isLibrary }) => !isLibrary);
	const found = own.length > 0 ? own : all;
	const programs = built.some(({ isLibrary }) => !isLibrary) ? built.filter(({ isLibrary }) => !isLibrary) : built;
	const [only] = found;
	if (only === undefined || found.length > 1) {
		throw severalPrograms(
			only === undefined ? 'the workloads ran none of the programs that the build made' : 'the workloads ran several programs',
			only === undefined ? programs : found,
		);
	}
	return only;
}

/** In the folder of the build; of a link what it leads to, as of `libz.so` to `libz.so.1.3`. */
function fileOf(named: string, { folder, place }: Pick<Wanted, 'folder' | 'place'>): string {
	const file = path.resolve(place, named);
	return path.relative(folder, fs.existsSync(file) && fs.lstatSync(file).isSymbolicLink() ? fs.realpathSync(file) : file);
}

function listed(programs: readonly BuiltProgram[]): string {
	return programs.map(({ file }) => file).join(', ');
}

function severalPrograms(message: string, programs: readonly BuiltProgram[]): InputError {
	return new InputError({ severity: 'error', file: 'PROGRAM', message, action: `name one with --program: ${listed(programs)}` });
}

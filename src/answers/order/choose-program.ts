/** Which of the programs that a build made the order is for. */
import path from 'node:path';
import { InputError } from '../../model/problem.js';
import type { BuiltProgram, findDumps } from '../../recording/build/built-programs.js';

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
	const wanted = named === null ? null : path.relative(folder, path.resolve(place, named));
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

/** The only program, or the one that was named; null: the workloads have to tell. Throws an InputError where nothing can. */
export function chooseEarly(programs: readonly BuiltProgram[], { named, workloads, folder, place, log }: Wanted): BuiltProgram | null {
	if (programs.length === 0) {
		throw new InputError({
			severity: 'error',
			file: log,
			message: 'the build made no program that assay-cc linked',
			action:
				'it has to call its compiler as $CC, cc, gcc or clang, not by a path, and to compile everything anew: begin it with make clean, as in -- sh -c "make clean && make"; a stripped program has lost its map',
		});
	}
	if (named !== null) {
		const wanted = path.relative(folder, path.resolve(place, named));
		const found = programs.find(({ file }) => file === wanted);
		if (found === undefined) {
			throw new InputError({ severity: 'error', file: named, message: 'is no program that the build made', action: `it made ${listed(programs)}` });
		}
		return found;
	}
	const [first] = programs;
	if (programs.length === 1 && first !== undefined) {
		return first;
	}
	if (workloads.length === 0 || workloads.some((line) => /\$\{?PROGRAM\b/.test(line))) {
		throw severalPrograms('the build made several programs', programs);
	}
	return null;
}

/** The one that the workloads ran: `dumps` of each, by the numbers of the programs that they may be of. */
export function chooseByDumps(
	programs: readonly BuiltProgram[],
	workloads: readonly { readonly dumps: Awaited<ReturnType<typeof findDumps>> }[],
): BuiltProgram {
	const ran = new Set(workloads.flatMap(({ dumps }) => dumps.flatMap((dump) => [...dump.programs])));
	const found = [...ran].sort((a, b) => a - b).map((i) => programs[i]!);
	const [only] = found;
	if (only === undefined || found.length > 1) {
		throw severalPrograms(
			only === undefined ? 'the workloads ran none of the programs that the build made' : 'the workloads ran several programs',
			only === undefined ? programs : found,
		);
	}
	return only;
}

function listed(programs: readonly BuiltProgram[]): string {
	return programs.map(({ file }) => file).join(', ');
}

function severalPrograms(message: string, programs: readonly BuiltProgram[]): InputError {
	return new InputError({ severity: 'error', file: 'PROGRAM', message, action: `name one with --program: ${listed(programs)}` });
}

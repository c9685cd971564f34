/**
 * A comparison takes methods for the same whose names are the same. Programs that write classes at run time give several of them one name: of these, methods whose
 * bytecode has the same length are compared with each other. Numbers of classes, which an agent tells, are those of one run.
 */
import { methodWithParameters } from '../model/java-descriptor.js';
import { type JitCompilation, plainId } from '../model/jit-compilation.js';
import { namesakesOf } from '../model/namesakes.js';
import type { Evidence } from '../recording/evidence.js';

/** What stands behind a method's name, ` [154 bytes]`, by compile id without mark; nothing for methods whose name no others have. */
export type NamesApart = ReadonlyMap<string, string>;

export const NOTHING_APART: NamesApart = new Map();

/** Of each run. Nothing is told apart where a log of some run does not tell how long bytecode is. */
export async function namesApart(runs: readonly Evidence[]): Promise<NamesApart[]> {
	if (runs.some(({ files }) => files.graalLog.length > 0 || files.logCompilation.length === 0)) {
		return runs.map(() => NOTHING_APART);
	}
	const histories = await Promise.all(runs.map(async (run) => (await run.compilationLog()).history.compilations));
	const several = new Set<string>();
	for (const compilations of histories) {
		namesakesOf(compilations, new Map()).forEach((namesake, at) => {
			if (namesake !== null) {
				several.add(keyOf(compilations[at]!));
			}
		});
	}
	for (const compilations of histories) {
		for (const key of withoutLength(compilations)) {
			several.delete(key);
		}
	}
	return several.size === 0 ? runs.map(() => NOTHING_APART) : histories.map((compilations) => labelsOf(compilations, several));
}

/** Methods of which no compilation tells how long their bytecode is. */
function withoutLength(compilations: readonly JitCompilation[]): Set<string> {
	const untold = new Set(compilations.filter(({ bytecodeBytes }) => bytecodeBytes === null).map(keyOf));
	for (const compilation of compilations) {
		if (compilation.bytecodeBytes !== null) {
			untold.delete(keyOf(compilation));
		}
	}
	return untold;
}

/** What is not known of one, such as of an attempt that failed, is taken from the one before, or from the first. */
function labelsOf(compilations: readonly JitCompilation[], several: ReadonlySet<string>): NamesApart {
	const meant = compilations.filter((compilation) => several.has(keyOf(compilation)));
	const last = new Map<string, number>();
	for (const compilation of [...meant].reverse()) {
		if (compilation.bytecodeBytes !== null) {
			last.set(keyOf(compilation), compilation.bytecodeBytes);
		}
	}
	const labels = new Map<string, string>();
	for (const compilation of meant) {
		const bytes = compilation.bytecodeBytes ?? last.get(keyOf(compilation));
		if (bytes !== undefined) {
			last.set(keyOf(compilation), bytes);
			labels.set(plainId(compilation.compileId), ` [${bytes} bytes]`);
		}
	}
	return labels;
}

function keyOf({ method, signature }: JitCompilation): string {
	return `${method} ${signature}`;
}

/** The method of a compilation in comparisons: with its parameters, and with what tells it from others of that name. */
export function comparedName(method: string, signature: string | null, compileId: string | null, apart: NamesApart): string {
	return methodWithParameters(method, signature, false) + (compileId === null ? '' : (apart.get(plainId(compileId)) ?? ''));
}

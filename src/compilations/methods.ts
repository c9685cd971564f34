/** The life of every method: its versions, and why each was replaced. */
import type { CompilationHistory, JitCompilation } from '../model/jit-compilation.js';
import { compileMs } from '../model/jit-compilation.js';
import type { MethodLife, Version, VersionEnd } from './results.js';

/** A trap is hit and the next version installed at about the time the code is given up. */
const SAME_TIME_MS = 5;

/** By time spent compiling, then by code size: handles are ranks. */
export function methodLives({ compilations }: CompilationHistory): MethodLife[] {
	const groups = new Map<string, JitCompilation[]>();
	for (const compilation of compilations) {
		const key = `${compilation.method} ${compilation.signature} ${compilation.namesake ?? ''}`;
		const group = groups.get(key);
		if (group === undefined) {
			groups.set(key, [compilation]);
		} else {
			group.push(compilation);
		}
	}
	return [...groups.values()]
		.map(lifeOf)
		.sort((a, b) => b.compileMs - a.compileMs || b.sizeBytes - a.sizeBytes || (a.method < b.method ? -1 : a.method > b.method ? 1 : 0))
		.map((life, i) => ({ ...life, handle: `m${i + 1}` }));
}

function lifeOf(group: readonly JitCompilation[]): Omit<MethodLife, 'handle'> {
	const [first] = group as readonly [JitCompilation];
	const versions = group.map((compilation) => versionOf(compilation, group));
	return {
		method: first.method,
		signature: first.signature,
		namesake: first.namesake ?? null,
		versions,
		compileMs: versions.reduce((sum, version) => sum + (version.compileMs ?? 0), 0),
		sizeBytes: group.reduce((sum, { sizeBytes, nmethodBytes }) => sum + (sizeBytes ?? nmethodBytes ?? 0), 0),
		deoptimizations: group.reduce((sum, { deoptimizations }) => sum + deoptimizations.length, 0),
		failures: group.filter(({ failure }) => failure !== null).length,
	};
}

function versionOf(compilation: JitCompilation, group: readonly JitCompilation[]): Version {
	const { queuedMs, startedMs } = compilation;
	return {
		compilation,
		waitedMs: queuedMs === null || startedMs === null ? null : Math.max(0, startedMs - queuedMs),
		compileMs: compileMs(compilation),
		end: endOf(compilation, group),
	};
}

/** JDK 17 does not say why. A trap at that time that gives the code up, or a version of a higher tier installed then, is the likely cause. */
function endOf(compilation: JitCompilation, group: readonly JitCompilation[]): VersionEnd | null {
	const { notEntrant, deoptimizations } = compilation;
	if (notEntrant === null) {
		return null;
	}
	const { ms, reason } = notEntrant;
	const trap = deoptimizations.findLast(
		(hit) => hit.kind === 'uncommon trap' && hit.action !== 'none' && hit.ms !== null && Math.abs(hit.ms - ms) <= SAME_TIME_MS,
	);
	const later = group
		.flatMap((other) => (other.installedMs === null ? [] : [{ other, installedMs: other.installedMs }]))
		.filter(({ other, installedMs }) => other !== compilation && installedMs + SAME_TIME_MS >= ms && other.osrBci === compilation.osrBci)
		.sort((a, b) => a.installedMs - b.installedMs);
	const successor = later.find(({ other, installedMs }) => Math.abs(installedMs - ms) <= SAME_TIME_MS && isHigher(other, installedMs, compilation))?.other;
	const next = successor ?? later.find(({ installedMs }) => installedMs > (compilation.installedMs ?? -1))?.other ?? null;
	const place = trap?.method == null ? '' : ` in ${trap.method}@${trap.bci}`;
	return {
		ms,
		reason,
		sign: trap !== undefined ? `trap ${trap.reason}${place}` : successor !== undefined ? `replaced by level ${successor.level}` : null,
		nextCompileId: next?.compileId ?? null,
	};
}

function isHigher(other: JitCompilation, installedMs: number, compilation: JitCompilation): boolean {
	return other.level !== compilation.level || installedMs > (compilation.installedMs ?? 0);
}

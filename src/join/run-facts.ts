/** What several findings ask of a run: a method's time over all its versions, lines of bytecodes, time of kinds of work. */
import { isDispatchStub } from '../model/generated-code.js';
import { withoutHiddenAddress } from '../model/hidden-class.js';
import { parametersOfSignature } from '../model/java-descriptor.js';
import { plainId, TOP_TIER } from '../model/jit-compilation.js';
import type { JoinedCompilation, RefusedCall } from '../model/joined-recording.js';
import { splitMethodName } from '../model/method-name.js';
import { isOfThreads } from '../model/sample-filter.js';
import type { ThreadClass } from '../model/thread-class.js';
import { wilsonInterval } from '../statistics/shares.js';
import type { JoinedRun } from './joined-run.js';

/** `of all samples`, or of which. */
export function ofAll({ chosen }: Pick<JoinedRun, 'chosen'>): string {
	return isOfThreads(chosen) ? 'of these samples' : 'of all samples';
}

/** `of the samples`, or of which. */
export function ofThe({ chosen }: Pick<JoinedRun, 'chosen'>): string {
	return isOfThreads(chosen) ? 'of these samples' : 'of the samples';
}

/** Its code was there before it ran. */
export function isNativeProgram({ hot }: Pick<JoinedRun, 'hot'>): boolean {
	return hot?.code.some(({ code }) => code.library !== undefined) === true;
}

export function percentText(percent: number): string {
	return `${percent.toFixed(1)} %`;
}

type Method = Pick<JoinedCompilation, 'method' | 'signature' | 'namesake'>;

/** Whether two compilations are of one method: several have one name. Where a signature is not told, the name decides. */
export function isSameMethod(a: Method, b: Method): boolean {
	const isSameSignature = a.signature === b.signature || a.signature === null || b.signature === null;
	return a.method === b.method && isSameSignature && (a.namesake ?? b.namesake) === (b.namesake ?? a.namesake);
}

/** As {@link RefusedCall.targets} have it where methods of one name are told apart: `a.B.f(int)`. */
export function nameWithParameters({ method, signature }: Method): string {
	return `${withoutHiddenAddress(method)}${parametersOfSignature(signature) ?? ''}`;
}

/** What {@link percentInLowerTiers} calls a method. */
export function methodKey({ method, signature, namesake }: Method): string {
	return `${method}${signature ?? ''}${namesake === undefined ? '' : ` ${namesake}`}`;
}

/** Percent of all samples in code of the method: C1, C2, OSR. */
export function percentOfMethod({ compilations }: JoinedRun, method: Method): number {
	return compilations.reduce((sum, row) => sum + (isSameMethod(row, method) ? row.percent : 0), 0);
}

/** Percent of all samples in code of lower tiers, by {@link methodKey}. Native wrappers have no better code to wait for. */
export function percentInLowerTiers({ compilations }: JoinedRun): ReadonlyMap<string, number> {
	const percents = new Map<string, number>();
	for (const row of compilations) {
		if (row.level !== null && row.level > 0 && row.level < TOP_TIER) {
			const key = methodKey(row);
			percents.set(key, (percents.get(key) ?? 0) + row.percent);
		}
	}
	return percents;
}

/** Of one method in what {@link percentInLowerTiers} found, with code whose signature is not told. */
export function percentOfKey(percents: ReadonlyMap<string, number>, key: string): number {
	const name = splitMethodName(key).method;
	return (percents.get(key) ?? 0) + (name === key ? 0 : (percents.get(name) ?? 0));
}

/** null where nobody says which it was. */
export function compilerName(compiler: string | null): string | null {
	return { c1: 'C1', c2: 'C2', jvmci: 'Graal', graal: 'Graal' }[compiler ?? ''] ?? null;
}

/** Of all samples; the 95 % interval's lower limit decides whether it is worth a sentence. */
export interface TimeShare {
	readonly percent: number;
	readonly low: number;
}

/** Samples of the JVM in threads of these classes whose activity is one of these; null: any. */
export function activityShare({ threadTime }: JoinedRun, classes: readonly ThreadClass[], activities: readonly string[] | null): TimeShare {
	const counted = threadTime?.counted ?? 0;
	let samples = 0;
	for (const row of threadTime?.classes ?? []) {
		if (classes.includes(row.class)) {
			samples += activities === null ? row.samples : row.activities.reduce((sum, { name, samples: own }) => sum + (activities.includes(name) ? own : 0), 0);
		}
	}
	const { percent, low } = wilsonInterval(samples, counted);
	return { percent: counted === 0 ? 0 : percent, low: counted === 0 ? 0 : low };
}

/** In the stubs by which compiled code calls a method of several receivers, of all samples. */
export function dispatchShare({ threadTime }: JoinedRun): TimeShare {
	const stubs = threadTime?.libraries.find(({ library }) => library === 'runtime stub')?.symbols ?? [];
	const samples = stubs.reduce((sum, { symbol, samples: own }) => sum + (isDispatchStub(symbol ?? '') ? own : 0), 0);
	return wilsonInterval(samples, threadTime?.counted ?? 0);
}

/** What Graal's own code does in its threads: it is Java code, unless the JDK carries it as a native library. */
const JAVA_ACTIVITIES = ['interpreter', 'compiled code', 'stubs'];

/** Graal's own code, where it is Java code: in the interpreter and compiled, of all samples. */
export function graalItself(run: JoinedRun, activities: readonly string[] = JAVA_ACTIVITIES): TimeShare {
	return activityShare(run, ['jvmci'], activities);
}

/** In the interpreter, of all samples; without what Graal, as Java code, runs there of itself. */
export function interpreterPercent(run: JoinedRun): number {
	const { hot } = run;
	if (hot === null || hot.attribution.counted === 0) {
		return 0;
	}
	return hasGraalInterpreted(run)
		? activityShare(run, ['java'], ['interpreter']).percent
		: (100 * (hot.reasons.get('interpreter') ?? 0)) / hot.attribution.counted;
}

/** By what `assay hot` shows {@link interpreterPercent}. */
export function interpreterBy(run: JoinedRun): 'class' | 'method' {
	return hasGraalInterpreted(run) ? 'class' : 'method';
}

function hasGraalInterpreted(run: JoinedRun): boolean {
	return graalItself(run, ['interpreter']).percent >= 0.05;
}

/**
 * The line of a bytecode, from stacks or from the debug information of sampled code: its own, else that of the nearest one before it; null where none has one, and
 * where methods of that name have different ones.
 */
export function lineOf({ hot, log }: JoinedRun, method: string, bci: number): number | null {
	if (hot?.lines !== undefined) {
		return hot.lines.lineOf(method, bci);
	}
	const lines = new Map<number, number>();
	let best = -1;
	for (const { instructions } of hot?.code ?? []) {
		for (const frames of instructions?.positions ?? []) {
			for (const frame of frames) {
				if (frame.method === method && frame.line !== null && frame.bci <= bci && frame.bci >= 0) {
					if ((lines.get(frame.bci) ?? frame.line) !== frame.line) {
						return null;
					}
					lines.set(frame.bci, frame.line);
					best = Math.max(best, frame.bci);
				}
			}
		}
	}
	const signatures = new Set((log?.history.compilations ?? []).flatMap((one) => (one.method === method && one.signature !== null ? [one.signature] : [])));
	return signatures.size > 1 ? null : (lines.get(best) ?? null);
}

/** The same of a call in a compilation, by the calls around it: which of several methods of a name holds it is sure. */
export function lineOfCall(run: JoinedRun, compileId: string, method: string, { bci, bcis = [] }: Pick<RefusedCall, 'bci' | 'bcis'>): number | null {
	const depth = bcis.length - 1;
	let best = -1;
	let line: number | null = null;
	for (const { code, instructions } of depth < 0 ? [] : (run.hot?.code ?? [])) {
		for (const frames of code.compileId !== null && plainId(code.compileId) === plainId(compileId) ? (instructions?.positions ?? []) : []) {
			const frame = frames[frames.length - 1 - depth];
			const isInside = frame?.method === method && frame.line !== null && frame.bci <= bci && frame.bci > best;
			if (isInside && bcis.every((at, k) => k === depth || frames[frames.length - 1 - k]!.bci === at)) {
				best = frame.bci;
				line = frame.line;
			}
		}
	}
	return line ?? lineOf(run, method, bci);
}

/** The line of a method with most samples in its code; null where none has one. */
export function hottestLine({ hot, compilations }: JoinedRun, method: Method): number | null {
	if (hot?.lines !== undefined) {
		return hot.lines.hottestLine(method.method);
	}
	const others = new Set(compilations.filter((row) => row.method === method.method && !isSameMethod(row, method)).map(({ compileId }) => plainId(compileId)));
	const lines = new Map<number, number>();
	for (const heat of hot?.code ?? []) {
		const { instructions } = heat;
		if (instructions === null || heat.code.name !== method.method || others.has(plainId(heat.code.compileId ?? ''))) {
			continue;
		}
		const { rows, values } = heat.seenAt;
		for (let k = 0; k < rows.length; k++) {
			const line = instructions.frames(rows[k]!).at(-1)?.line;
			if (line != null) {
				lines.set(line, (lines.get(line) ?? 0) + values[k]!);
			}
		}
	}
	return [...lines].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}

/**
 * Causes of lost time, each as a sentence: what went wrong, where, what it costs, what to do. Each is told from what the run left behind: samples by class of
 * thread and by what the JVM was doing, the log of compilations, generated code. A cause is named only where its share of the samples is beyond chance.
 */

import { lastAtOrBelow } from '../model/binary-search.js';
import { compileMs, type JitCompilation, TOP_TIER } from '../model/jit-compilation.js';
import type { RecordingFinding } from '../model/joined-recording.js';
import { majorVersion } from '../model/jvm-version.js';
import { nanosecondsText } from '../model/nanoseconds-text.js';
import { wilsonInterval } from '../statistics/shares.js';
import { durationText, type Finding, LEAST_PERCENT, LOGGED, MOST_READ, type Place, SAMPLED, spelled, sum, thousands } from './cause-words.js';
import { commandsOf, compilationsCommand, hotCommand, hotJavaCommand, regionsCommand, reportCommand, safepointsCommand } from './commands.js';
import { classLoading, compilersTime, queueBacklog, thrownAway } from './compiler-causes.js';
import { hugeMethod } from './huge-method.js';
import type { JoinedRun } from './joined-run.js';
import {
	activityShare,
	compilerName,
	graalItself,
	hottestLine,
	interpreterPercent,
	isNativeProgram,
	isSameMethod,
	lineOf,
	lineOfCall,
	methodKey,
	ofAll,
	percentInLowerTiers,
	percentOfKey,
	percentOfMethod,
	percentText,
} from './run-facts.js';
import { WHOLE_RUN } from './whole-run.js';

export function causesOf(run: JoinedRun): RecordingFinding[] {
	const storms = stormOfMethods(run);
	const slow = slowCompilation(run);
	const isExplained = shareOfCompiling(run, [...storms, ...(slow === null ? [] : [slow])]) >= 0.5;
	const interpreted = hugeMethod(run) ?? keptFromCompiling(run);
	const contended = contention(run);
	const findings: Finding[] = [
		...storms,
		slow,
		interpreted,
		onlyOsr(run),
		codeCache(run),
		contended,
		contended === null ? slowInstruction(run) : null,
		slowLoad(run),
		scalarLoop(run),
		exceptions(run),
		collector(run),
		classLoading(run),
		isExplained ? null : compilersTime(run),
		interpreted === null ? queueBacklog(run) : null,
	];
	return findings.filter((finding) => finding !== null);
}

/** Of the time that was compiled, what went into the methods of these findings, 0 to 1. */
function shareOfCompiling({ log }: JoinedRun, findings: readonly RecordingFinding[]): number {
	const compilations = log?.history.compilations ?? [];
	const methods = new Set(findings.map(({ place }) => place?.method));
	const all = sum(compilations, (one) => compileMs(one) ?? 0);
	return all === 0 ? 0 : sum(compilations, (one) => (methods.has(one.method) ? (compileMs(one) ?? 0) : 0)) / all;
}

/** More are not named in a command. */
const MOST_VERSIONS = 24;

/** Cheaper storms are told where nothing else tells what they cost, and where threads leave the code all the time. */
const LEAST_STORM_PERCENT = 1;
const MANY_TRAPS = 1000;

/** Of methods whose names a damaged recording has lost: many, not one. */
const LOST_NAME = '?';

/** A method that is compiled, left and compiled again. */
function stormOfMethods(run: JoinedRun): RecordingFinding[] {
	const { summary, log, compilations } = run;
	const storms = new Map<string, { count: number; reasons: Set<string>; ids: Set<string> }>();
	for (const { method, reason, count, compileIds } of summary?.storms ?? []) {
		if (method === LOST_NAME) {
			continue;
		}
		const row = storms.get(method) ?? { count: 0, reasons: new Set(), ids: new Set() };
		row.count += count;
		row.reasons.add(reason);
		for (const id of compileIds) {
			row.ids.add(id);
		}
		storms.set(method, row);
	}
	const compilersPercent = activityShare(run, ['c1', 'c2', 'jvmci'], null).percent;
	const logged = log?.history.compilations ?? [];
	const allMs = sum(logged, (one) => compileMs(one) ?? 0);
	const slower = percentInLowerTiers(run);
	const [byMethod, byId] = [placesBy(logged, ({ method }) => method), placesBy(logged, ({ compileId }) => compileId)];
	// Threads that each leave one version of OSR code once are at the end of its loop.
	const isLeftAgain = ({ ids }: { readonly ids: ReadonlySet<string> }): boolean => ids.size > 1 || ![...ids].every((id) => id.endsWith('%'));
	const ranked = [...storms]
		.filter(([, storm]) => isLeftAgain(storm))
		.map(([method, storm]) => {
			// In the order of the log, each once.
			const places = new Set([...(byMethod.get(method) ?? []), ...[...storm.ids].flatMap((id) => byId.get(id) ?? [])]);
			const named = [...places].sort((a, b) => a - b).map((at) => logged[at]!);
			// Of several methods of one name those that were left.
			const leftOnes = named.filter((one) => one.method === method && storm.ids.has(one.compileId));
			const isOther = (one: Pick<JitCompilation, 'method' | 'signature' | 'namesake'>): boolean =>
				one.method === method && leftOnes.length > 0 && !leftOnes.some((left) => isSameMethod(one, left));
			const versions = named.filter((one) => !isOther(one));
			const ownMs = sum(versions, (one) => compileMs(one) ?? 0);
			const keys = leftOnes.length === 0 ? [method] : leftOnes.map(methodKey);
			const slow = sum([...new Set(keys)], (key) => percentOfKey(slower, key));
			const cost = slow + (allMs === 0 ? 0 : ((compilersPercent + interpreterPercent(run)) * ownMs) / allMs);
			return { ...storm, method, versions, isOther, slow, cost, worth: cost + Math.min(5, storm.count / 20) };
		})
		// A second of the compilers in a run of minutes is no loss, and a few deoptimizations are none.
		.filter(({ cost, count }) => run.threadTime === null || cost >= LEAST_STORM_PERCENT || count >= MANY_TRAPS);
	ranked.sort((a, b) => b.worth - a.worth);
	return ranked.slice(0, 3).map(({ method, count, reasons, ids, versions, isOther, slow, worth }): RecordingFinding => {
		const left = versions.filter((one) => ids.has(one.compileId));
		const slowRows = compilations.filter((row) => row.method === method && !isOther(row) && (row.level ?? TOP_TIER) < TOP_TIER);
		const [first] = versions.flatMap(({ deoptimizations }) => deoptimizations.filter((one) => one.method === method && reasons.has(one.reason)));
		const place: Place = {
			method,
			bci: first?.bci ?? null,
			line:
				first?.bci == null ? hottestLine(run, versions.find((one) => one.method === method) ?? { method, signature: null }) : lineOf(run, method, first.bci),
		};
		const handles = [...ids].map((id) => `c${id}`);
		const spentMs = sum(left, (one) => compileMs(one) ?? 0);
		// A log may have no times of these compilations.
		const costs = [
			...(spentMs === 0 ? [] : [`compiling ${handles.length === 1 ? 'it' : 'these'} took ${durationText(spentMs)} of the compilers' time`]),
			...(slow < 0.05 ? [] : [`${percentText(slow)} ${ofAll(run)} are in its slower code of C1 meanwhile`]),
		];
		return {
			kind: 'deoptimization-storm',
			place,
			text: `${spelled(place)} is ${handles.length === 1 ? 'left again and again' : 'compiled, left and compiled again'}: ${count} deoptimizations (${[...reasons].join(', ')}) in ${handles.length === 1 ? 'one version' : `${handles.length} versions`} of its code${costs.length === 0 ? '' : `; ${costs.join(', and ')}`}. The code relies on what was seen so far: warm it up with all the kinds of input that it will see, or take the rare way out of the hot method`,
			handles: handles.slice(0, 4),
			evidence: ['logCompilation'],
			command: commandsOf(compilationsCommand(run, ...handles.slice(0, MOST_VERSIONS)), slow < 0.05 ? null : regionsCommand(run, slowRows)),
			worth,
		};
	});
}

/** Where in the log the compilations stand of each method, or of each id. */
function placesBy(compilations: readonly JitCompilation[], key: (one: JitCompilation) => string): ReadonlyMap<string, readonly number[]> {
	const places = new Map<string, number[]>();
	compilations.forEach((one, at) => {
		const known = places.get(key(one));
		if (known === undefined) {
			places.set(key(one), [at]);
		} else {
			known.push(at);
		}
	});
	return places;
}

/** Longer for a byte of bytecode, with what was inlined, and the method is not the reason. */
const SLOW_GRAAL_MS = 1;

/** Shorter compilations of a method are the usual course of tiers, not what keeps a compiler thread. */
const LONG_COMPILATION_MS = 100;

/** A method whose long compilations keep a compiler thread, while it runs in slower code: one compilation, or several of its loops and versions. */
function slowCompilation(run: JoinedRun): Finding {
	const { log, seconds, compilations } = run;
	if (log === null || seconds === null) {
		return null;
	}
	const endMs = seconds * 1000;
	const tookMs = (one: JitCompilation): number => compileMs(one) ?? (one.startedMs === null || one.failure !== null ? 0 : Math.max(0, endMs - one.startedMs));
	const long = log.history.compilations.filter((one) => one.method !== LOST_NAME && tookMs(one) >= LONG_COMPILATION_MS);
	const [most] = [...placesBy(long, (one) => JSON.stringify([one.compiler, methodKey(one)])).values()]
		.map((places) => places.map((at) => long[at]!).sort((a, b) => tookMs(b) - tookMs(a)))
		.map((of) => ({ of, totalMs: sum(of, tookMs) }))
		.sort((a, b) => b.totalMs - a.totalMs);
	const longest = most?.of[0];
	if (most === undefined || longest === undefined || most.totalMs < Math.max(500, 0.1 * endMs)) {
		return null;
	}
	const { compiler, method } = longest;
	const rows = compilations.filter((row) => isSameMethod(row, longest));
	const slow = percentOfKey(percentInLowerTiers(run), methodKey(longest));
	const share = (100 * most.totalMs) / endMs;
	const isOne = most.of.length === 1;
	const never = most.of.some(({ doneMs }) => doneMs === null) ? `, and${isOne ? '' : ' the last of them'} had not ended when the log did` : '';
	const place: Place = { method, bci: null, line: hottestLine(run, longest) };
	const handles = most.of.map(({ compileId }) => `c${compileId}`);
	const versions = isOne ? '' : ` ${thousands(most.of.length)} times, for ${durationText(tookMs(longest))} at the longest (${handles[0]})`;
	const bytes = (longest.bytecodeBytes ?? 0) + (longest.inlinedBytes ?? 0);
	const isCold = compiler === 'jvmci' && bytes > 0 && tookMs(longest) > SLOW_GRAAL_MS * bytes && graalItself(run).percent > 0;
	const advice = isCold
		? `It has only ${thousands(bytes)} bytes of bytecode, with what was inlined: Graal is Java code here, and was not compiled itself then. A JDK that has it as a native library (libgraal) starts with it compiled`
		: 'Split the method, or keep it from being inlined into larger ones';
	const meanwhile = slow < 0.05 ? '' : `; ${percentText(slow)} ${ofAll(run)} are in slower code of the method`;
	const again = thrownAway(most.of);
	return {
		kind: 'slow-compilation',
		place,
		text: `${compilerName(compiler) ?? 'The compiler'} took ${durationText(most.totalMs)} of the run's ${durationText(endMs)} to compile ${isOne ? `${handles[0]} ` : ''}${spelled(place)}${versions}${never}; its thread could compile nothing else meanwhile${meanwhile}. ${again}${advice}`,
		handles: handles.slice(0, 4),
		evidence: LOGGED,
		command: commandsOf(compilationsCommand(run, ...handles.slice(0, MOST_VERSIONS)), regionsCommand(run, rows)),
		worth: Math.max(slow, share / 3),
	};
}

/** Flags that keep code in the interpreter or in C1. */
function keptFromCompiling(run: JoinedRun): Finding {
	const flags = run.jvm.arguments ?? '';
	const percent = interpreterPercent(run);
	const excluded = [...flags.matchAll(/-XX:CompileCommand=exclude,(\S+)/g)].map(([, pattern = '']) => pattern);
	const isInterpreted = /(?:^|\s)-Xint(?=\s|$)/.test(flags);
	const level = /-XX:TieredStopAtLevel=([0-3])(?=\s|$)/.exec(flags)?.[1];
	const lower = run.compilations.filter(({ level: own }) => own !== null && own > 0 && own < TOP_TIER).reduce((total, row) => total + row.percent, 0);
	const finding = (text: string, worth: number, by: string, method: string | null = null): Finding => ({
		kind: 'excluded',
		place: method === null ? null : { method, line: null, bci: null },
		text,
		handles: [],
		evidence: SAMPLED,
		command: hotCommand(run, '--by', by),
		worth,
	});
	if (percent >= LEAST_PERCENT && isInterpreted) {
		return finding(
			`Nothing is compiled: the JVM was started with -Xint, and ${percentText(percent)} ${ofAll(run)} are in the interpreter. Leave the flag out`,
			percent,
			'method',
		);
	}
	if (percent >= LEAST_PERCENT && excluded.length > 0) {
		return finding(
			`${excluded.join(', ')} is kept in the interpreter by -XX:CompileCommand=exclude: ${percentText(percent)} ${ofAll(run)} are there. Leave the command out`,
			percent,
			'method',
			methodOfPattern(excluded[0]!),
		);
	}
	if (percent >= LEAST_PERCENT && isWithoutC1(flags)) {
		return finding(
			`C1 is switched off: the JVM was started with -XX:-TieredCompilation, and ${percentText(percent)} ${ofAll(run)} are in the interpreter, where methods stay until C2 has compiled them. Leave the flag out`,
			percent / 2,
			'method',
		);
	}
	return level !== undefined && lower >= LEAST_PERCENT
		? finding(
				`C2 is switched off: the JVM was started with -XX:TieredStopAtLevel=${level}, and ${percentText(lower)} ${ofAll(run)} are in code of C1. Leave the flag out`,
				lower / 2,
				'library',
			)
		: null;
}

/** The last of several counts. */
function isWithoutC1(flags: string): boolean {
	return [...flags.matchAll(/(?:^|\s)-XX:([+-])TieredCompilation(?=\s|$)/g)].at(-1)?.[1] === '-';
}

/** `java/lang/String.indexOf(I)I` and `java.lang.String::indexOf` name a method; a pattern with stars may be any. */
function methodOfPattern(pattern: string): string | null {
	const [name = ''] = pattern.split(/[(,]/, 1);
	const method = name.replace('::', '.').replaceAll('/', '.');
	return method.includes('*') || !method.includes('.') ? null : method;
}

const OSR_PERCENT = 30;

/** A method that is entered once and never left: its loop is all that was compiled. */
function onlyOsr(run: JoinedRun): Finding {
	const [most] = [...run.compilations].sort((a, b) => b.percent - a.percent);
	if (most === undefined || most.kind !== 'osr' || most.percent < OSR_PERCENT || most.level !== TOP_TIER) {
		return null;
	}
	const versions = run.compilations.filter((one) => isSameMethod(one, most));
	if (versions.some(({ kind, percent: own }) => kind !== 'osr' && own > 0)) {
		return null;
	}
	const percent = percentOfMethod(run, most);
	const place: Place = { method: most.method, bci: most.osrBci, line: hottestLine(run, most) };
	return {
		kind: 'osr-only',
		place,
		text: `${spelled(place)} runs as OSR code only, with ${percentText(percent)} ${ofAll(run)}: the method was entered once and its loop never left, so what was compiled begins in the middle of a loop, where C2 knows less of the values. Move the loop's body, or the inner loop, into a method of its own`,
		handles: versions.map(({ handle }) => handle).slice(0, 4),
		evidence: LOGGED,
		command: regionsCommand(run, versions) ?? hotCommand(run),
		worth: percent / 10,
	};
}

const MANY_FLUSHED = 20;
/** Code is thrown out as long as there is room, too, only less of it. */
const NARROW_BYTES = 1.5 * (1 << 20);
const NARROW_SHARE = 0.1;

/** Code that was given up for its room, and compiled again. */
function codeCache(run: JoinedRun): Finding {
	const { log, summary } = run;
	const compilations = log?.history.compilations ?? [];
	if (compilations.filter(({ notEntrant }) => notEntrant !== null).length < MANY_FLUSHED) {
		return null;
	}
	const keyOf = ({ method, signature }: JitCompilation): string => `${method}${signature}`;
	const installs = new Map([...placesBy(compilations, keyOf)].map(([key, places]) => [key, installTimes(places.map((at) => compilations[at]!))]));
	const levelOf = (one: JitCompilation): string => `${keyOf(one)} ${one.level}`;
	const lastStarts = new Map<string, number>();
	for (const one of compilations) {
		lastStarts.set(levelOf(one), Math.max(lastStarts.get(levelOf(one)) ?? 0, one.startedMs ?? 0));
	}
	const flushed = compilations.filter((one) => wasFlushed(one, installs.get(keyOf(one))!));
	const again = flushed.filter((one) => lastStarts.get(levelOf(one))! > (one.notEntrant?.ms ?? 0));
	const heap = summary?.codeHeap ?? null;
	if (
		heap === null ||
		flushed.length < MANY_FLUSHED ||
		heap.leastFreeBytes > Math.max(NARROW_BYTES, NARROW_SHARE * (heap.reservedBytes ?? heap.firstFreeBytes))
	) {
		return null;
	}
	const compilers = activityShare(run, ['c1', 'c2', 'jvmci'], null).percent;
	const share = compilations.length === 0 ? 0 : again.length / compilations.length;
	const reserved = heap.reservedBytes === null ? '' : ` of ${(heap.reservedBytes / (1 << 20)).toFixed(1)} MB`;
	return {
		kind: 'code-cache',
		place: null,
		text: `The code cache${reserved} has no room for the program's code: the code of ${flushed.length} compilations was thrown out because it had not been executed for a while, ${again.length} of them were compiled again later; at times only ${(heap.leastFreeBytes / 1024).toFixed(0)} KB were free. The interpreter has ${percentText(interpreterPercent(run))} ${ofAll(run)}, the compilers ${percentText(compilers)}. Give it more: -XX:ReservedCodeCacheSize (240m by default)`,
		handles: [],
		evidence: ['logCompilation'],
		command: compilationsCommand(run),
		worth: interpreterPercent(run) + compilers * Math.max(share, 0.5),
	};
}

/** When the versions of a method were installed, ascending. */
function installTimes(versions: readonly JitCompilation[]): Float64Array {
	return Float64Array.from(versions, ({ installedMs }) => installedMs ?? 0).sort();
}

/** JDK 20 and later say so; before, it was made not entrant and removed, though no trap was hit in it and no other version had come. */
function wasFlushed({ notEntrant, removedMs, deoptimizations, installedMs }: JitCompilation, installs: Float64Array): boolean {
	if (notEntrant === null || notEntrant.reason !== null) {
		return notEntrant?.reason === 'not used';
	}
	const last = lastAtOrBelow(installs, notEntrant.ms + 1);
	const isReplaced = last >= 0 && installs[last]! > (installedMs ?? 0);
	return removedMs !== null && deoptimizations.length === 0 && !isReplaced;
}

/** Only a thread whose lock another one has spins or queues up; most of its waiting takes no samples. */
const CONTENDED_PERCENT = 0.3;

/** Threads that wait for each other's locks. */
function contention(run: JoinedRun): Finding {
	const { low, percent: spun } = activityShare(run, ['java'], ['contended monitors']);
	const percent = spun + activityShare(run, ['java'], ['monitors']).percent;
	if (low < CONTENDED_PERCENT) {
		return null;
	}
	const atomics = run.slowInstructions.filter(({ kind }) => kind === 'atomic');
	const [where] = atomics;
	const spinning = atomics.reduce((total, row) => total + row.percent, 0);
	const place: Place | null = where === undefined ? null : { method: where.method, line: where.line, bci: where.bci };
	return {
		kind: 'contention',
		place,
		text: `Threads contend for monitors: ${percentText(percent)} ${ofAll(run)} are in the JVM's slow way to a lock${place === null ? '' : `, and ${percentText(spinning)} wait for atomic instructions, most in ${spelled(place)}`}; the time in which threads are blocked takes no samples and comes on top. Hold the lock for less, split it, or keep the data by thread`,
		handles: where === undefined ? [] : [`c${where.compileId}`],
		evidence: SAMPLED,
		command: hotJavaCommand(run, '--by', 'class'),
		worth: 5 * spun + spinning,
	};
}

const SLOW_PERCENT = 10;
const SLOW_WORDS = { division: 'a division, ', atomic: 'an atomic access, ', barrier: 'the barrier behind a write to a volatile field, ', other: '' };

function slowInstruction(run: JoinedRun): Finding {
	const rows = run.slowInstructions;
	const [first] = rows;
	if (first === undefined || first.kind === 'load') {
		return null;
	}
	const same = rows.filter(({ method, kind }) => method === first.method && kind === first.kind);
	const percent = sum(same, (row) => row.percent);
	if (percent < SLOW_PERCENT || !isBeyondChance(run, percent)) {
		return null;
	}
	const place: Place = { method: first.method, line: first.line, bci: first.bci };
	const handles = [...new Set(same.map(({ compileId }) => `c${compileId}`))];
	const advice = {
		division: 'Divide by constants, multiply by a reciprocal, or take powers of two',
		atomic: isNativeProgram(run) ? 'Count by thread, or do it less often' : 'Count by thread (LongAdder), or do it less often',
		barrier: isNativeProgram(run) ? 'Order memory less often, once behind the loop' : 'Write the volatile field less often, once behind the loop',
		other: 'Keep it out of the loop',
	}[first.kind];
	return {
		kind: 'slow-instructions',
		place,
		text: `${percentText(percent)} ${ofAll(run)} wait for a slow instruction in ${spelled(place)}: ${first.kind === 'barrier' && isNativeProgram(run) ? 'a fence, ' : SLOW_WORDS[first.kind]}${first.text}. ${advice}`,
		handles,
		evidence: ['samples', 'assembly'],
		command: hotCommand(run, ...handles),
		worth: percent / 2,
	};
}

/** A load of which what is read comes late. */
function slowLoad(run: JoinedRun): Finding {
	const first = run.slowInstructions.find(({ kind }) => kind === 'load');
	if (first === undefined || !isBeyondChance(run, first.percent)) {
		return null;
	}
	const { method, line, bci, text, percent, compileId } = first;
	const place: Place = { method, line, bci };
	return {
		kind: 'slow-instructions',
		isLoad: true,
		place,
		text: `${percentText(percent)} ${ofAll(run)} wait for a load in a loop of ${spelled(place)}: ${text}. Most likely what is read there is in none of the processor's near caches: lay side by side what is read together (arrays of values, not of ${isNativeProgram(run) ? 'pointers' : 'references'}), or read less of it`,
		handles: [`c${compileId}`],
		evidence: ['samples', 'assembly'],
		command: hotCommand(run, `c${compileId}`),
		worth: percent / 3,
	};
}

/** Whether a share of all samples is sure to be worth a word. */
function isBeyondChance({ hot }: JoinedRun, percent: number): boolean {
	const counted = hot?.attribution.counted ?? 0;
	return wilsonInterval((percent * counted) / 100, counted).low >= LEAST_PERCENT;
}

const SCALAR_PERCENT = 10;

/** A loop over arrays that C2 did not vectorize, where the code shows why. */
function scalarLoop(run: JoinedRun): Finding {
	const major = majorVersion(run.jvm.version ?? '');
	// From JDK 26 on C2 looks while it runs whether arrays are one; that it wants them to begin at one place was seen of 17, and not of 25.
	const loop = run.scalarLoops.find(({ reason }) => !(reason === 'alias' && (major ?? 0) >= 26) && !(reason === 'shifted' && (major ?? 18) > 17));
	if (loop === undefined || loop.percent < SCALAR_PERCENT || !isBeyondChance(run, loop.percent)) {
		return null;
	}
	const { method, line, bci, percent, boundsChecks, sums } = loop;
	const [why, advice] = {
		uncounted: ['C2 does not count its ways round', 'Compare the counter itself with a limit that does not change: i < n - 1, not i + 1 < n'],
		division: ['it divides integers, for which there is no vector instruction', 'Multiply by the inverse, or shift, where the range allows it'],
		gaps: ['it leaves out elements, or passes more of one array than of another', 'Keep what is used together in an array of its own'],
		directions: ['it goes up in one array and down in the other', 'Turn one of them round before, or walk both in the same direction'],
		alias: [
			'what it writes may be what it reads later, in one array or in two that may be one; only from JDK 26 on C2 looks whether it is',
			'Reach both by the same index, or take the Vector API (jdk.incubator.vector), which does as it is told',
		],
		shifted: ['C2 of this JDK wants all of its arrays from the same index on', 'Use a later JDK (25 does not want that), or shift one of the arrays before'],
		bounds: [
			`it checks bounds ${boundsChecks === 1 ? 'once' : `${boundsChecks} times`} on each way round`,
			'Count with an int from start to end by a constant step: C2 moves the checks out of such loops',
		],
		exit: ['it may be left in its middle', 'Look for the way out behind a block of elements, or take a method of java.util.Arrays that does it'],
		branch: ['its body branches', 'Choose values without branches: min, max, masks'],
		reduction:
			sums < 2
				? [
						'each element goes into one value after the other',
						'Keep several such values and join them behind the loop; float and double sums change in their last digits then',
					]
				: [`elements go into ${sums} values, each in its order`, 'The Vector API (jdk.incubator.vector) computes such values side by side'],
		recurrence: ['each element needs the one before', 'Compute several rows at once where there are any'],
	}[loop.reason];
	const place: Place = { method, line, bci };
	return {
		kind: 'not-vectorized',
		place,
		text: `${percentText(percent)} ${ofAll(run)} are in a loop over arrays in ${spelled(place)} that C2 did not vectorize: ${why}. ${advice}`,
		handles: [`c${loop.compileId}`],
		evidence: ['samples', 'assembly'],
		command: hotCommand(run, `c${loop.compileId}`),
		worth: percent / 3,
	};
}

/** Exceptions that are made again and again: their stack traces are what costs. */
function exceptions(run: JoinedRun): Finding {
	const { compilations, log } = run;
	const inJvm = activityShare(run, ['java'], ['exceptions and stack walks']);
	const ownCode = compilations
		.filter(({ method }) => /^java\.lang\.Throwable\.|(?:Exception|Error)\.<init>$/.test(method))
		.reduce((total, row) => total + row.percent, 0);
	const percent = inJvm.percent + ownCode;
	if (inJvm.low + ownCode < LEAST_PERCENT) {
		return null;
	}
	let place: Place | null = null;
	let handle: string | null = null;
	let callee = '';
	const byId = placesBy(log?.history.compilations ?? [], ({ compileId }) => compileId);
	for (const row of compilations.slice(0, MOST_READ)) {
		const at = byId.get(row.compileId)?.[0];
		const own = at === undefined ? undefined : log?.history.compilations[at];
		const call = own === undefined ? undefined : log?.readDecisions(own).find((one) => isOwnException(one.callee, one.caller ?? row.method));
		if (call !== undefined) {
			const caller = call.caller ?? row.method;
			const bci = call.bcis.at(-1) ?? 0;
			place = { method: caller, bci, line: lineOfCall(run, row.compileId, caller, { bci, bcis: call.bcis }) };
			handle = row.handle;
			callee = (call.callee ?? '').replace(/\.<init>$/, '');
			break;
		}
	}
	return {
		kind: 'exceptions',
		place,
		text: `Exceptions are control flow here: ${percentText(percent)} ${ofAll(run)} make exceptions and fill in their stack traces, and unwinding comes on top${place === null ? '' : `; ${spelled(place)} makes ${callee}`}. Return a value, make one exception for all, or override fillInStackTrace (the constructor with writableStackTrace false)`,
		handles: handle === null ? [] : [handle],
		evidence: LOGGED,
		command: hotJavaCommand(run),
		worth: 2 * percent,
	};
}

function isOwnException(callee: string | null, caller: string): boolean {
	return callee !== null && /(?:Exception|Error|Throwable)\.<init>$/.test(callee) && !/(?:Exception|Error|Throwable)\.<init>$/.test(caller);
}

const MOST_ALLOCATIONS = 3;

/** By the samples of its threads; without them by how long it stopped the program. */
function collector(run: JoinedRun): Finding {
	const { threadTime, delays, bias, compilations, collector: pauses } = run;
	const threads = activityShare(run, ['gc'], null);
	const serial = activityShare(run, ['jvm'], ['garbage collection']);
	const inJava = activityShare(run, ['java'], ['garbage collection', 'allocation']);
	const percent = threads.percent + serial.percent + inJava.percent;
	const [most, ...others] = (bias?.allocations ?? []).slice(0, MOST_ALLOCATIONS).map(({ frames: [leaf], code, percent }) => ({
		place: { method: leaf?.method ?? code.name, bci: leaf?.bci ?? null, line: leaf?.line ?? null },
		compileId: code.compileId,
		percent,
	}));
	const allocated = (site: { readonly percent: number }): string => percentText(site.percent);
	const place: Place | null = most?.place ?? null;
	// Most of the time was not for want of memory.
	const isAsked = pauses !== null && pauses.askedNs >= pauses.totalNs / 2;
	const advice = isAsked
		? `${pauses.askedCount === pauses.count ? 'All' : `${thousands(pauses.askedCount)} of the ${thousands(pauses.count)}`} pauses, ${nanosecondsText(pauses.askedNs)}, are collections that were asked for: System.gc(), or jcmd and the like from outside. Call it less; -XX:+DisableExplicitGC ignores the calls`
		: most === undefined
			? 'Allocate less, or give more heap (-Xmx)'
			: `Of the bytes that sampled code allocates, ${allocated(most)} are made in ${[spelled(most.place), ...others.map((site) => `${allocated(site)} in ${spelled(site.place)}`)].join(', ')} (estimated). Allocate less there, or give more heap (-Xmx)`;
	const found = {
		kind: 'collector' as const,
		place: isAsked ? null : place,
		handles: isAsked ? [] : compilations.filter(({ compileId }) => compileId !== null && compileId === most?.compileId).map(({ handle }) => handle),
	};
	if (threadTime === null) {
		const stopped = pauses?.percentOfRun ?? 0;
		return pauses === null || stopped < WHOLE_RUN.collector.leastPercent
			? null
			: {
					...found,
					text: `The garbage collector stops the program for ${percentText(stopped)} of the run: ${nanosecondsText(pauses.totalNs)} in ${pauses.count} ${pauses.counted}, the longest ${nanosecondsText(pauses.longestNs)}. ${advice}`,
					evidence: ['safepoints'],
					command: safepointsCommand(run),
					worth: stopped * WHOLE_RUN.collector.worthOfPercent,
				};
	}
	if (threads.low + serial.low + inJava.low < WHOLE_RUN.collector.leastPercent) {
		return null;
	}
	const stops = pauses?.percentOfRun == null ? '' : `; its pauses stop the program for ${percentText(pauses.percentOfRun)} of the run`;
	return {
		...found,
		text: `Garbage collection and allocation take ${percentText(percent)} ${ofAll(run)} (the collector's threads ${percentText(threads.percent)}, the VM thread ${percentText(serial.percent)}, Java threads ${percentText(inJava.percent)})${stops}. ${advice}`,
		evidence: delays.length > 0 ? ['samples', 'safepoints'] : SAMPLED,
		command: commandsOf(
			hotCommand(run, '--by', 'class'),
			isAsked ? safepointsCommand(run) : most === undefined ? null : reportCommand(run, '--section', 'allocations'),
		),
		worth: percent * WHOLE_RUN.collector.worthOfPercent,
	};
}

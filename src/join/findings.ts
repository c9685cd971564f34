/** What is worth a look in a recording, as sentences with their numbers, most worth first. */

import type { Culprit } from '../bias/safepoint-delay.js';
import { type EvidenceKind, tellsCompilations } from '../model/evidence.js';
import { withoutHiddenAddress } from '../model/hidden-class.js';
import { explainReason, flagTextOfRuns } from '../model/inlining-reasons.js';
import { TOP_TIER } from '../model/jit-compilation.js';
import type { JoinedCompilation, RecordingFinding, RefusedCall } from '../model/joined-recording.js';
import { jvmFlags } from '../model/jvm-flags.js';
import { nanosecondsText } from '../model/nanoseconds-text.js';
import { neverReached } from '../model/never-reached.js';
import { MOST_UNKNOWN_PERCENT } from '../model/prediction-coverage.js';
import { isOfThreads } from '../model/sample-filter.js';
import { vmOperations } from '../model/vm-operations.js';
import { wilsonInterval } from '../statistics/shares.js';
import { LEAST_PERCENT, thousands } from './cause-words.js';
import { causesOf } from './causes.js';
import { biasCommand, command, commandsOf, compilationsCommand, hotCommand, regionsCommand, reportCommand, safepointsCommand } from './commands.js';
import { isOfFewCalls } from './join-compilations.js';
import type { JoinedRun } from './joined-run.js';
import { nativeWorkFindings } from './native-work-findings.js';
import { remarkFindings } from './remark-findings.js';
import {
	compilerName,
	dispatchShare,
	graalItself,
	hottestLine,
	interpreterBy,
	interpreterPercent,
	isSameMethod,
	lineOfCall,
	methodKey,
	nameWithParameters,
	ofAll,
	ofThe,
	percentText,
} from './run-facts.js';
import { startupFinding, startupInliningFinding } from './startup-finding.js';
import { stubFindings } from './stub-findings.js';
import { WHOLE_RUN } from './whole-run.js';

type Finding = RecordingFinding | null;

/** Compilations below this share of the run are not looked into. */
const HOT_PERCENT = 1;
/** Of code, what its later versions have. */
const NEXT_TO_NO_SAMPLES = 0.05;
/** Of callers whose decisions are read. */
const CALLER_PERCENT = 0.1;
const MOST_CALLERS = 200;
/** A call of code that is this hot is told even where the caller has hardly a sample. */
const HOT_CALLEE_PERCENT = 5;
/** On a first screen. */
export const MOST_OF_A_KIND = 3;
/** Nobody expects such calls to be inlined. */
const NOT_TO_INLINE: ReadonlySet<string> = new Set(['native method', 'exception method']);
const MEBIBYTE = 1 << 20;
/** Shares that come to all of the calls, rounded. */
const LEAST_OF_ALL = 0.9995;
/** Percent are worth less. */
const NEVER_ENDING = 1000;

/** They weigh threads of several classes against each other. */
const OF_ALL_CLASSES: ReadonlySet<RecordingFinding['kind']> = new Set(['compilers', 'collector', 'code-cache']);

export function reportFindings(report: JoinedRun, mostOfAKind = MOST_OF_A_KIND): RecordingFinding[] {
	const causes = causesOf(report);
	const refused = notInlined(report, mostOfAKind);
	const findings: Finding[] = [
		neverEnding(report),
		...causes,
		...stubFindings(report, refused),
		...nativeWorkFindings(report),
		...refused,
		...remarkFindings(report, mostOfAKind),
		biased(report),
		slowSafepoints(report),
		threadDumps(report),
		memoryHungry(report),
		...thrownAway(report, mostOfAKind),
		failed(report),
		causes.some(({ kind }) => kind === 'huge-method' || kind === 'excluded') ? null : withoutCode(report),
		startupFinding(report),
		startupInliningFinding(report),
	];
	return findings
		.filter((finding) => finding !== null)
		.filter(({ kind }) => !isOfThreads(report.chosen) || !OF_ALL_CLASSES.has(kind))
		.map((finding) => ({ ...finding, evidence: [...new Set(finding.evidence.map((kind) => evidenceOfRun(report, kind)))] }))
		.sort((a, b) => b.worth - a.worth);
}

/** What stands for the samples with addresses and the log that most runs have. */
function evidenceOfRun({ hot, log }: JoinedRun, kind: EvidenceKind): EvidenceKind {
	return kind === 'samples' && hot?.lines !== undefined ? 'stacks' : kind === 'logCompilation' && log?.origin === 'flightRecorder' ? 'flightRecorder' : kind;
}

/** Calls in hot code that stayed, to code that is hot itself or to several receivers. */
function notInlined(run: JoinedRun, mostOfAKind: number): RecordingFinding[] {
	const { compilations, refused, hot, jvm } = run;
	const set = jvmFlags(jvm.arguments);
	return compilations
		.filter(({ percent, level }) => percent >= CALLER_PERCENT && (level ?? TOP_TIER) >= TOP_TIER)
		.slice(0, MOST_CALLERS)
		.flatMap((row): (RecordingFinding & { about: string; isDispatched: boolean })[] => {
			// A caller with little code of its own counts by the time in what it calls.
			const calls = refused(row).map((one) => ({ ...one, ...timeFromHere(run, row, one) }));
			const [call] = (calls.some(({ partFromHere }) => partFromHere !== null) ? calls.sort((a, b) => b.calleePercent - a.calleePercent) : calls).filter(
				({ calleePercent, receivers, reason, callShare }) =>
					!NOT_TO_INLINE.has(reason) &&
					!isOfFewCalls({ callShare }) &&
					(row.percent >= HOT_PERCENT ? calleePercent >= HOT_PERCENT / 2 || receivers.length > 1 : calleePercent >= HOT_CALLEE_PERCENT),
			);
			if (call === undefined) {
				return [];
			}
			const { callee, bci, reason, receivers, targets, calleePercent, codePercent, partFromHere, caller = null, place } = call;
			const holder = caller ?? row.method;
			const line = place == null ? lineOfCall(run, row.compileId, holder, call) : Number(/:(\d+):\d+$/.exec(place)?.[1] ?? Number.NaN);
			const at =
				place != null
					? `${place}${holder === row.method ? '' : ` (in ${holder})`}`
					: `bci ${bci}${holder === row.method ? '' : ` of ${holder}`}${line === null ? '' : ` (line ${line})`}`;
			const explanation = explainReason(reason);
			const flags =
				explanation === null || explanation.flags.length === 0 ? '' : ` [${explanation.flags.map((flag) => flagTextOfRuns(flag, [set])).join('; ')}]`;
			const callees = compilations.filter(({ percent, ...one }) => percent > 0 && isTarget(one, targets));
			// Nothing shows the shares of a profile without samples by method.
			const where = new Set(callees.map(({ method }) => withoutHiddenAddress(method))).size > 1 ? 'the code of what it may be' : 'its own code';
			const fromHere = partFromHere === null ? '' : `, ${Math.round(100 * partFromHere)} % of them called from here`;
			const heat = codePercent > 0 && hot !== null ? `; ${percentText(codePercent)} ${ofAll(run)} are in ${where}${fromHere}` : '';
			return [
				{
					about: `${holder} ${bci} ${callee}`,
					isDispatched: DISPATCHED.has(reason) && receivers.length > 1,
					kind: 'not-inlined',
					place: { method: holder, line, bci: place == null ? bci : null },
					text: `${row.handle} ${row.method}: ${percentText(row.percent)} ${ofThe(run)}; ${compilerName(row.compiler) ?? 'the compiler'} did not inline ${callee ?? 'a call'} at ${at}: ${reason === '' ? 'no reason given' : reason}${flags}${receiversText(receivers)}${heat}`,
					handles: [row.handle, ...callees.filter(({ method }) => method === callee).map(({ handle }) => handle)].slice(0, 4),
					evidence: row.evidence.filter(
						(kind) =>
							kind === 'logCompilation' ||
							kind === 'remarks' ||
							kind === 'flightRecorder' ||
							kind === 'graalLog' ||
							kind === 'samples' ||
							kind === 'stacks' ||
							kind === 'proftoolProfile',
					),
					command: commandsOf(reportCommand(run, row.handle), regionsCommand(run, [row, ...callees])),
					worth: Math.max(Math.min(row.percent, Math.max(calleePercent, row.percent / 10)), calleePercent / 8),
				},
			];
		})
		.sort((a, b) => b.worth - a.worth)
		.filter(({ about }, i, all) => all.findIndex((other) => other.about === about) === i)
		.slice(0, mostOfAKind)
		.map(({ about: _, isDispatched, ...finding }, i, all) => {
			const dispatch = isDispatched && all.findIndex((other) => other.isDispatched) === i ? dispatchStubs(run, finding) : null;
			return dispatch === null ? finding : { ...finding, text: `${finding.text}; ${dispatch.text}`, command: commandsOf(finding.command, dispatch.command) };
		});
}

/** Of the time in what a call goes to, what came by this call: all of it where no stack tells. */
function timeFromHere(
	{ callers, compilations }: JoinedRun,
	row: JoinedCompilation,
	{ targets, bci, caller, calleePercent }: RefusedCall,
): { readonly calleePercent: number; readonly codePercent: number; readonly partFromHere: number | null } {
	const known = targets.flatMap((target) => callers.get(target) ?? []);
	const [samples, seen] = [known.reduce((sum, one) => sum + one.samples, 0), known.reduce((sum, one) => sum + one.seen, 0)];
	if (seen === 0 || 2 * seen < samples) {
		return { calleePercent, codePercent: calleePercent, partFromHere: null };
	}
	const holder = withoutHiddenAddress(caller ?? row.method);
	const versions = new Set(compilations.filter((one) => isSameMethod(one, row)).map(({ compileId }) => compileId));
	const isHere = (one: (typeof known)[number]['rows'][number]): boolean =>
		one.bci === bci && withoutHiddenAddress(one.method) === holder && one.compileId !== null && versions.has(one.compileId);
	const part = known.flatMap(({ rows }) => rows).reduce((sum, one) => sum + (isHere(one) ? one.samples : 0), 0) / seen;
	return { calleePercent: calleePercent * part, codePercent: calleePercent, partFromHere: part };
}

/** What the stubs take that look up the method of a virtual call, and how much of that for this one, as far as stacks tell; null where it is little. */
function dispatchStubs(run: JoinedRun, { place }: RecordingFinding): { readonly text: string; readonly command: string | null } | null {
	const what = 'stubs that look up the method of a virtual call (vtable, itable) take';
	const seen = run.stubWork.find(({ kind }) => kind === 'dispatch');
	if (seen === undefined) {
		const { percent, low } = dispatchShare(run);
		return low < LEAST_PERCENT ? null : { text: `${what} ${percentText(percent)} ${ofAll(run)}`, command: null };
	}
	const { percent, low } = wilsonInterval(seen.samples, run.hot?.attribution.counted ?? 0);
	const isHere = seen.caller.method === place?.method && seen.caller.line === place.line;
	return low < LEAST_PERCENT
		? null
		: {
				text: `${what} ${percentText(percent)} ${ofAll(run)}${isHere ? `, ${Math.round(100 * seen.share)} % of that from here` : ''}`,
				command: hotCommand(run, ...seen.regions),
			};
}

/** Why a call of several receivers stays. */
const DISPATCHED: ReadonlySet<string> = new Set(['virtual call', 'no static binding']);

function isTarget({ method, signature }: Pick<JoinedCompilation, 'method' | 'signature'>, targets: readonly string[]): boolean {
	return targets.includes(withoutHiddenAddress(method)) || targets.includes(nameWithParameters({ method, signature }));
}

const MOST_RECEIVERS = 3;

/** `; receivers: a.Square 50.0 %, a.Disc 25.0 % and others`: shares of the calls that were counted. */
function receiversText(receivers: RefusedCall['receivers']): string {
	if (receivers.length === 0) {
		return '';
	}
	const named = receivers.slice(0, MOST_RECEIVERS);
	const share = named.reduce((sum, one) => sum + one.share, 0);
	return `; receivers: ${named.map((one) => `${withoutHiddenAddress(one.name)} ${percentText(100 * one.share)}`).join(', ')}${share < LEAST_OF_ALL ? ' and others' : ''}`;
}

/** What a profiler at safepoints would say, where that is something else. */
function biased(run: JoinedRun): Finding {
	const { bias, compilations, threadTime } = run;
	if (bias === null || bias.unknownPercent > MOST_UNKNOWN_PERCENT || bias.distance.totalVariation < Math.max(0.05, 2 * bias.distance.expectedFromSampling)) {
		return null;
	}
	const { methods, distance } = bias;
	// What is predicted is of the time of which code tells where it stops; that of the interpreter and the like is nobody's.
	const known = methods.reduce((sum, { unbiasedPercent }) => sum + unbiasedPercent, 0) / 100;
	const change = (one: (typeof methods)[number]): number => one.predictedPercent * known - one.unbiasedPercent;
	const ranked = [...methods].sort((a, b) => change(b) - change(a));
	const most = ranked.find(({ predictedPercent, unbiasedInterval }) => predictedPercent * known > unbiasedInterval.high);
	const least = ranked.findLast(({ predictedPercent, unbiasedInterval }) => predictedPercent < unbiasedInterval.low);
	if (most === undefined || least === undefined) {
		return null;
	}
	const said = ({ method, predictedPercent, unbiasedPercent }: typeof most): string =>
		`${method} ${percentText(predictedPercent)} (true: ${percentText(unbiasedPercent)})`;
	return {
		kind: 'biased',
		text: `${threadTime === null ? 'A' : 'Of the time of Java threads, a'} profiler that sees threads only at safepoints would report ${said(most)} and ${said(least)}: ${(100 * distance.totalVariation).toFixed(0)} % of its profile would be wrong, ${(100 * distance.expectedFromSampling).toFixed(0)} % is chance${bias.unknownPercent < 10 ? '' : `; of ${bias.unknownPercent.toFixed(0)} % ${ofThe(run)} no printed code tells`}`,
		handles: [most, least]
			.flatMap(({ method }) => compilations.filter((row) => row.method === method && row.percent > 0).slice(0, 1))
			.map(({ handle }) => handle),
		evidence: ['samples', 'assembly'],
		command: biasCommand(run),
		// What a profiler would say wrongly costs the program nothing: below every cause of lost time.
		worth: distance.totalVariation / 100,
	};
}

/** Before all others: the JVM hangs. */
function neverEnding(run: JoinedRun): Finding {
	const { delays, evidence } = run;
	const delay = delays.find(({ safepoint }) => safepoint.unfinished !== null);
	if (delay === undefined) {
		return null;
	}
	const [culprit] = delay.culprits;
	return {
		kind: 'safepoint',
		place: placeOf(culprit),
		text: neverReached(delay)!,
		handles: culprit?.compileId == null ? [] : [`c${culprit.compileId}`],
		evidence: delay.safepoint.unfinished === 'silent' ? ['samples'] : evidence.samples.present ? ['safepoints', 'samples'] : ['safepoints'],
		command: safepointsCommand(run),
		worth: NEVER_ENDING,
	};
}

/** Null where nobody knows who was waited for, or it was no method: `(unknown)`, `(stub …)`. */
function placeOf(culprit: Culprit | undefined): NonNullable<RecordingFinding['place']> | null {
	return culprit === undefined || culprit.method.startsWith('(') ? null : { method: culprit.method, line: culprit.line, bci: null };
}

/** Below that a thread may have had no processor, where no sample tells who was waited for. */
const UNEXPLAINED_NS = 100e6;

function slowSafepoints(run: JoinedRun): Finding {
	const { delays, evidence, seconds } = run;
	const slow = delays.filter(({ isSlow, safepoint }) => isSlow && safepoint.unfinished === null);
	if (slow.length === 0) {
		return null;
	}
	const reachings = slow.map(({ safepoint }) => safepoint.reachingNs ?? safepoint.totalNs);
	const slowestNs = reachings.reduce((most, ns) => Math.max(most, ns), 0);
	const culprits = new Map<string, { culprit: Culprit; safepoints: number }>();
	for (const { culprits: own } of slow) {
		const [worst] = own;
		if (worst !== undefined) {
			const key = `${worst.compileId} ${worst.method}`;
			const known = culprits.get(key) ?? { culprit: worst, safepoints: 0 };
			known.safepoints++;
			culprits.set(key, known);
		}
	}
	const [first] = [...culprits.values()].sort((a, b) => b.safepoints - a.safepoints);
	const longest = nanosecondsText(slowestNs);
	const subject = `${slow.length} of ${delays.length} safepoints took 10 ms or more to reach, the slowest ${longest}`;
	const why =
		first === undefined
			? 'no sample tells who was waited for'
			: `${first.safepoints === slow.length ? 'all' : first.safepoints} waited for ${first.culprit.compileId === null ? '' : `c${first.culprit.compileId} `}${first.culprit.method}${first.culprit.thread === null ? '' : ` in thread ${first.culprit.thread}`}: ${first.culprit.why}`;
	const share = seconds === null ? 0 : reachings.reduce((sum, ns) => sum + ns, 0) / (seconds * 1e7);
	// A thread that was ready to stop and had no processor is late, too.
	if (first === undefined && evidence.samples.present && slowestNs < UNEXPLAINED_NS) {
		return null;
	}
	return {
		kind: 'safepoint',
		place: placeOf(first?.culprit),
		text: `${subject}; ${why}`,
		handles: first?.culprit.compileId == null ? [] : [`c${first.culprit.compileId}`],
		evidence: evidence.samples.present ? ['safepoints', 'samples'] : ['safepoints'],
		command: safepointsCommand(run),
		worth: Math.max(share, Math.min(10, slowestNs / 1e8)),
	};
}

/** What being sampled by thread dumps cost, where it is a percent or more. */
function threadDumps(run: JoinedRun): Finding {
	const { delays, evidence, seconds } = run;
	const dumps = vmOperations(delays, seconds === null ? null : seconds * 1e9).filter(({ takesStacks }) => takesStacks);
	const sum = (of: 'safepoints' | 'totalNs' | 'percentOfRun'): number => dumps.reduce((all, row) => all + (row[of] ?? 0), 0);
	const percent = sum('percentOfRun');
	if (percent < HOT_PERCENT) {
		return null;
	}
	return {
		kind: 'safepoint',
		text: `${sum('safepoints')} thread dumps stopped all threads for ${(sum('totalNs') / 1e9).toFixed(2)} s, ${percentText(percent)} of the run: that is what being sampled by thread dumps cost`,
		handles: [],
		evidence: evidence.samples.present ? ['safepoints', 'samples'] : ['safepoints'],
		command: safepointsCommand(run),
		worth: percent,
	};
}

function memoryHungry(run: JoinedRun): Finding {
	const { memory, compilations, name } = run;
	const [most] = [...memory].sort((a, b) => b.totalBytes - a.totalBytes);
	if (most === undefined || most.totalBytes < MEBIBYTE) {
		return null;
	}
	const total = memory.reduce((sum, { totalBytes }) => sum + totalBytes, 0);
	const arenas = most.byArena.arenas
		.map((arena, i) => ({ arena, bytes: most.byArena.bytes[i] ?? 0 }))
		.sort((a, b) => b.bytes - a.bytes)
		.slice(0, 2)
		.filter(({ bytes }) => bytes > 0)
		.map(({ arena, bytes }) => `${arena} ${((100 * bytes) / most.totalBytes).toFixed(0)} %`);
	const row = compilations.find(({ handle, method }) => handle.replace('%', '') === most.handle && method === most.method);
	const heat = row === undefined || row.samples === 0 ? '' : `; it has ${percentText(row.percent)} ${ofThe(run)}`;
	return {
		kind: 'memory',
		text: `${row?.handle ?? most.handle} ${most.method} took ${(most.totalBytes / MEBIBYTE).toFixed(2)}M of compiler memory, the most of ${memory.length} compilations and ${percentText((100 * most.totalBytes) / total)} of their peaks together${arenas.length === 0 ? '' : ` (${arenas.join(', ')})`}${heat}`,
		handles: row === undefined ? [] : [row.handle],
		evidence: ['compilerMemory'],
		command: commandsOf(command('memory', name), row === undefined ? null : regionsCommand(run, [row])),
		worth: Math.min(20, most.totalBytes / (64 * MEBIBYTE)),
	};
}

/** Code of the top tier that had samples and was thrown away, so that slower code ran, and code that is left again and again. */
function thrownAway(run: JoinedRun, mostOfAKind: number): RecordingFinding[] {
	const { compilations } = run;
	const lost = compilations
		.filter(({ level, notEntrantMs, percent }) => level === TOP_TIER && notEntrantMs !== null && percent >= HOT_PERCENT / 2)
		.filter((row) => !isEndOfLoop(row, compilations) && !isReplaced(row, compilations))
		.filter((row, i, all) => all.findIndex((other) => isSameMethod(other, row)) === i)
		.map((row) => ({ row, ...slowerAfter(run, row) }))
		.filter(({ percent }) => percent >= HOT_PERCENT / 2)
		.sort((a, b) => b.percent - a.percent)
		.map(({ row, slower, percent }): RecordingFinding => {
			const versions = compilations.filter((other) => isSameMethod(other, row) && other.level === TOP_TIER && other.kind === row.kind);
			const again = versions.length > 1 ? `; the method was compiled ${versions.length} times at this tier` : '';
			const after = slower.length > 0 ? `; ${percentText(percent)} ${ofThe(run)} are in its slower code after that` : '; it was not compiled again';
			return {
				kind: 'recompiled-hot',
				text: `${row.handle} ${row.method} was thrown away at ${((row.notEntrantMs ?? 0) / 1000).toFixed(2)} s after ${percentText(row.percent)} ${ofThe(run)}${row.notEntrantReason === null ? '' : `: ${row.notEntrantReason}`}${again}${after}`,
				handles: [row.handle, ...versions.filter((other) => other !== row).map(({ handle }) => handle)].slice(0, 4),
				evidence: row.evidence.filter((kind) => kind !== 'compilerMemory' && kind !== 'assembly'),
				command: commandsOf(
					compilationsCommand(run, ...[row, ...versions.filter((other) => other !== row)].map(({ handle }) => handle)),
					regionsCommand(run, [row, ...slower]),
				),
				worth: percent,
			};
		});
	const left = compilations
		.filter(({ deoptimizations, percent }) => deoptimizations >= 10 && percent >= HOT_PERCENT)
		.filter((row) => !isEndOfLoop(row, compilations))
		.map(
			(row): RecordingFinding => ({
				kind: 'deoptimized-hot',
				text: `${row.handle} ${row.method} has ${percentText(row.percent)} ${ofThe(run)} and was deoptimized ${row.deoptimizations} times`,
				handles: [row.handle],
				evidence: row.evidence.filter((kind) => kind !== 'compilerMemory' && kind !== 'assembly'),
				command: commandsOf(compilationsCommand(run, row.handle), regionsCommand(run, [row])),
				// Each costs little; what was compiled anew is told above.
				worth: Math.min(row.percent / 2, row.deoptimizations / 20),
			}),
		);
	return [...lost.slice(0, mostOfAKind), ...left.slice(0, mostOfAKind)];
}

/** What ran instead of code that was thrown away, with its share; where the method was not compiled again, the interpreter, which has no more than that of its code. */
function slowerAfter(run: JoinedRun, row: JoinedCompilation): { readonly slower: readonly JoinedCompilation[]; readonly percent: number } {
	const later = run.compilations.filter((other) => isSameMethod(other, row) && begin(other) > (row.notEntrantMs ?? 0));
	const slower = later.filter((other) => other.percent > 0 && other.level !== null && other.level > 0 && other.level < TOP_TIER);
	return { slower, percent: later.length === 0 ? Math.min(row.percent, interpreterPercent(run)) : slower.reduce((sum, other) => sum + other.percent, 0) };
}

/** What Truffle compiles is told of only when it is installed. */
function begin({ startedMs, installedMs }: JoinedCompilation): number {
	return startedMs ?? installedMs ?? 0;
}

/** Whether newer code of its tier was installed before it was given up: Truffle's second tier takes over from its first. */
function isReplaced(row: JoinedCompilation, compilations: readonly JoinedCompilation[]): boolean {
	const { kind, level, installedMs, notEntrantMs } = row;
	return (
		installedMs !== null &&
		compilations.some(
			(other) =>
				other.level === level &&
				other.kind === kind &&
				(other.installedMs ?? 0) > installedMs &&
				(other.installedMs ?? 0) <= (notEntrantMs ?? 0) &&
				isSameMethod(other, row),
		)
	);
}

/**
 * OSR code is left by a trap at the end of its loop, once by each thread that is in it. Where the method was not compiled again, or what was compiled then has next to no
 * samples, the loop was not needed any more.
 */
function isEndOfLoop(row: JoinedCompilation, compilations: readonly JoinedCompilation[]): boolean {
	const { kind, notEntrantMs, samples } = row;
	const isLater = (other: JoinedCompilation): boolean => isSameMethod(other, row) && begin(other) > (notEntrantMs ?? 0);
	const later = compilations.reduce((sum, other) => sum + (isLater(other) ? other.samples : 0), 0);
	return kind === 'osr' && notEntrantMs !== null && later <= NEXT_TO_NO_SAMPLES * samples;
}

/** A task that was not wanted any more, and code that the world had changed under (ciEnv::validate_compile_task_dependencies): the method is compiled again. */
const NO_FAILURES: ReadonlySet<string | null> = new Set([
	null,
	'stale task',
	'concurrent class loading',
	'Jvmti state change invalidated dependencies',
	'DTrace flags change invalidated dependencies',
]);

function failed(run: JoinedRun): Finding {
	const { compilations } = run;
	const rows = compilations.filter(({ failure }) => !NO_FAILURES.has(failure));
	if (rows.length === 0) {
		return null;
	}
	const heat = new Map<string, number>();
	for (const row of compilations) {
		heat.set(methodKey(row), (heat.get(methodKey(row)) ?? 0) + row.percent);
	}
	const heatOf = (row: JoinedCompilation): number => heat.get(methodKey(row)) ?? 0;
	const ranked = [...rows].sort((a, b) => heatOf(b) - heatOf(a));
	const first = ranked[0]!;
	const percent = heatOf(first);
	const hasCode = compilations.some((row) => isSameMethod(row, first) && row.failure === null);
	if (run.hot !== null && percent < HOT_PERCENT / 2 && (hasCode || interpreterPercent(run) < HOT_PERCENT)) {
		return null;
	}
	const line = percent > 0 ? hottestLine(run, first) : null;
	const slower = compilations.some((row) => isSameMethod(row, first) && row.percent > 0 && (row.level ?? TOP_TIER) < TOP_TIER);
	return {
		kind: 'failed',
		place: { method: first.method, line, bci: null },
		text: `${rows.length} ${rows.length === 1 ? 'compilation' : 'compilations'} failed; ${first.handle} ${first.method}: ${first.failure}${percent > 0 ? `, a method with ${percentText(percent)} ${ofThe(run)}${line === null ? '' : `, most at line ${line}`}${slower ? ', which stays in slower code' : ''}${percent >= HOT_PERCENT ? '. Make the method smaller, or keep calls out of it' : ''}` : ''}`,
		handles: ranked.slice(0, 4).map(({ handle }) => handle),
		evidence: first.evidence.filter(tellsCompilations),
		command: commandsOf(
			compilationsCommand(run, '--failed'),
			regionsCommand(
				run,
				compilations.filter((row) => isSameMethod(row, first)),
			),
		),
		worth: Math.max(percent, 0.2),
	};
}

/** The methods with most of the time in the interpreter, where it is not spread over many. */
function interpretedText({ interpreted, hot }: JoinedRun): string {
	const known = interpreted.reduce((sum, { samples }) => sum + samples, 0);
	const most = interpreted.slice(0, MOST_INTERPRETED).filter(({ samples }) => samples >= LEAST_INTERPRETED * known);
	const [first] = interpreted;
	const share = (samples: number): string => percentText((100 * samples) / (hot?.attribution.counted ?? Number.NaN));
	if (first === undefined) {
		return '';
	}
	return most.length === 0
		? `; of ${thousands(interpreted.length)} methods none has more than ${share(first.samples)}`
		: `; most in ${most.map(({ name, samples }) => `${name} (${share(samples)})`).join(', ')}`;
}

const MOST_INTERPRETED = 3;
/** Of the time in the interpreter. */
const LEAST_INTERPRETED = 0.05;

/** Time in the interpreter; where it was not printed, in code that nobody knows. */
function withoutCode(run: JoinedRun): Finding {
	const { hot, jvm, evidence } = run;
	if (hot === null || hot.attribution.counted === 0) {
		return null;
	}
	const share = (samples: number): number => (100 * samples) / hot.attribution.counted;
	const interpreted = interpreterPercent(run);
	const ofGraal = graalItself(run, ['interpreter']).percent;
	const unknown = share(hot.reasons.get('unknown') ?? 0);
	const isUnknown = unknown > interpreted;
	const isByStacks = hot.lines !== undefined;
	const hint = !evidence.logCompilation.present
		? ': there is no log of the code that the JVM generated'
		: jvm.arguments?.includes('-XX:+PrintInterpreter')
			? ''
			: ': interpreter and stubs are told only with -XX:+PrintInterpreter -XX:+PrintStubCode';
	const percent = Math.max(interpreted, unknown);
	const { counted } = hot.attribution;
	if (wilsonInterval((percent * counted) / 100, counted).low < WHOLE_RUN.interpreter.leastPercent) {
		return null;
	}
	return {
		kind: 'interpreter',
		text: isUnknown
			? isByStacks
				? `${percentText(unknown)} ${ofThe(run)} have no stack: the profiler could not walk it`
				: `${percentText(unknown)} ${ofThe(run)} lie in code that no file names${hint}`
			: `${percentText(interpreted)} ${ofThe(run)} are in the interpreter: code that was not compiled, or not yet${interpretedText(run)}${interpreterBy(run) === 'class' ? `; Graal's own ${percentText(ofGraal)} are not among them` : ''}`,
		handles: [],
		evidence: ['samples'],
		command: hotCommand(run, '--by', isUnknown ? 'method' : interpreterBy(run)),
		worth: percent * WHOLE_RUN.interpreter.worthOfPercent,
	};
}

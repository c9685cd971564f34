/** What is worth a look in a recording, as sentences with their numbers, most worth first. */

import type { Culprit } from '../bias/safepoint-delay.js';
import { explainReason, flagText } from '../model/inlining-reasons.js';
import type { JoinedCompilation, RecordingFinding } from '../model/joined-recording.js';
import { isCompilerClass, THREAD_CLASS_WORDS } from '../model/thread-class.js';
import { wilsonInterval } from '../statistics/shares.js';
import type { JoinedRun } from './joined-run.js';
import { startupFinding } from './startup-finding.js';

type Finding = RecordingFinding | null;

/** Compilations below this share of the run are not looked into. */
const HOT_PERCENT = 1;
const MAX_OF_A_KIND = 3;
const TOP_TIER = 4;
const MEBIBYTE = 1 << 20;

export function reportFindings(report: JoinedRun): RecordingFinding[] {
	const findings: Finding[] = [
		...notInlined(report),
		biased(report),
		slowSafepoints(report),
		memoryHungry(report),
		...storms(report),
		...thrownAway(report),
		failed(report),
		withoutCode(report),
		compilersTime(report),
		startupFinding(report),
	];
	return findings.filter((finding) => finding !== null).sort((a, b) => b.worth - a.worth);
}

/** Calls in hot code that stayed, to code that is hot itself or to several receivers. */
function notInlined({ compilations, refused, name }: JoinedRun): RecordingFinding[] {
	return compilations
		.filter(({ percent, level }) => percent >= HOT_PERCENT && (level ?? TOP_TIER) >= TOP_TIER)
		.flatMap((row): (RecordingFinding & { about: string })[] => {
			const [call] = refused(row).filter(({ calleePercent, receivers }) => calleePercent >= HOT_PERCENT / 2 || receivers > 1);
			if (call === undefined) {
				return [];
			}
			const { callee, bci, reason, receivers, topTwo, calleePercent } = call;
			const explanation = explainReason(reason);
			const flags = explanation === null || explanation.flags.length === 0 ? '' : ` [${explanation.flags.map(flagText).join('; ')}]`;
			const seen =
				receivers === 0
					? ''
					: `; ${receivers} ${receivers === 1 ? 'receiver was' : 'receivers were'} seen, ${receivers > 2 ? 'two of them ' : receivers > 1 ? 'together ' : ''}${percentText(100 * topTwo)}`;
			const heat = calleePercent > 0 ? `; ${percentText(calleePercent)} of all samples are in its own code` : '';
			return [
				{
					about: `${row.method} ${callee}`,
					kind: 'not-inlined',
					text: `${row.handle} ${row.method}: ${percentText(row.percent)} of the samples; ${compilerName(row)} did not inline ${callee ?? 'a call'} at bci ${bci}: ${reason === '' ? 'no reason given' : reason}${flags}${seen}${heat}`,
					handles: [row.handle, ...compilations.filter(({ method, percent }) => method === callee && percent > 0).map(({ handle }) => handle)].slice(0, 4),
					evidence: row.evidence.filter(
						(kind) => kind === 'logCompilation' || kind === 'flightRecorder' || kind === 'graalLog' || kind === 'samples' || kind === 'proftoolProfile',
					),
					command: `assay report ${name} ${row.handle}`,
					worth: Math.min(row.percent, Math.max(calleePercent, row.percent / 10)),
				},
			];
		})
		.sort((a, b) => b.worth - a.worth)
		.filter(({ about }, i, all) => all.findIndex((other) => other.about === about) === i)
		.slice(0, MAX_OF_A_KIND)
		.map(({ about: _, ...finding }) => finding);
}

/** What a profiler at safepoints would say, where that is something else. */
function biased({ bias, compilations, name }: JoinedRun): Finding {
	const distance = bias?.distances.find(({ a, b }) => a === 'unbiased' && b === 'predicted');
	if (bias === null || distance === undefined || distance.totalVariation < Math.max(0.05, 2 * (distance.expectedFromSampling ?? 0))) {
		return null;
	}
	const methods = bias.methods.filter(({ method }) => !method.startsWith('('));
	const change = (one: (typeof methods)[number]): number => one.predictedPercent - one.unbiasedPercent;
	const ranked = [...methods].sort((a, b) => change(b) - change(a));
	const most = ranked.find(({ predictedPercent, unbiasedInterval }) => predictedPercent > unbiasedInterval.high);
	const least = ranked.findLast(({ predictedPercent, unbiasedInterval }) => predictedPercent < unbiasedInterval.low);
	if (most === undefined || least === undefined) {
		return null;
	}
	const said = ({ method, predictedPercent, unbiasedPercent }: typeof most): string =>
		`${method} ${percentText(predictedPercent)} (true: ${percentText(unbiasedPercent)})`;
	return {
		kind: 'biased',
		text: `A profiler that sees threads only at safepoints would report ${said(most)} and ${said(least)}: ${(100 * distance.totalVariation).toFixed(0)} % of its profile would be wrong, ${(100 * (distance.expectedFromSampling ?? 0)).toFixed(0)} % is chance${bias.unknownPercent < 10 ? '' : `; of ${bias.unknownPercent.toFixed(0)} % of the samples no printed code tells`}`,
		handles: [most, least]
			.flatMap(({ method }) => compilations.filter((row) => row.method === method && row.percent > 0).slice(0, 1))
			.map(({ handle }) => handle),
		evidence: ['samples', 'assembly'],
		command: `assay bias ${name}`,
		// What a profiler would say wrongly costs the program nothing: below every cause of lost time.
		worth: distance.totalVariation / 100,
	};
}

function slowSafepoints({ delays, evidence, seconds, name }: JoinedRun): Finding {
	const slow = delays.filter(({ isSlow }) => isSlow);
	if (slow.length === 0) {
		return null;
	}
	const reachings = slow.map(({ safepoint }) => safepoint.reachingNs ?? safepoint.totalNs);
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
	const longest = `${(Math.max(...reachings) / 1e6).toFixed(1)} ms`;
	const subject = `${slow.length} of ${delays.length} safepoints took 10 ms or more to reach, the slowest ${longest}`;
	const why =
		first === undefined
			? 'no sample tells who was waited for'
			: `${first.safepoints === slow.length ? 'all' : first.safepoints} waited for ${first.culprit.compileId === null ? '' : `c${first.culprit.compileId} `}${first.culprit.method}${first.culprit.thread === null ? '' : ` in thread ${first.culprit.thread}`}: ${first.culprit.why}`;
	const share = seconds === null ? 0 : reachings.reduce((sum, ns) => sum + ns, 0) / (seconds * 1e7);
	return {
		kind: 'safepoint',
		text: `${subject}; ${why}`,
		handles: first?.culprit.compileId == null ? [] : [`c${first.culprit.compileId}`],
		evidence: evidence.samples.present ? ['safepoints', 'samples'] : ['safepoints'],
		command: `assay bias --ttsp ${name}`,
		worth: Math.max(share, Math.min(10, Math.max(...reachings) / 1e8)),
	};
}

function memoryHungry({ memory, compilations, name }: JoinedRun): Finding {
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
	const heat = row === undefined || row.samples === 0 ? '' : `; it has ${percentText(row.percent)} of the samples`;
	return {
		kind: 'memory',
		text: `${row?.handle ?? most.handle} ${most.method} took ${(most.totalBytes / MEBIBYTE).toFixed(2)}M of compiler memory, the most of ${memory.length} compilations and ${percentText((100 * most.totalBytes) / total)} of their peaks together${arenas.length === 0 ? '' : ` (${arenas.join(', ')})`}${heat}`,
		handles: row === undefined ? [] : [row.handle],
		evidence: ['compilerMemory'],
		command: `assay memory ${name} ${most.handle}`,
		worth: Math.min(20, most.totalBytes / (64 * MEBIBYTE)),
	};
}

function storms({ summary, compilations, name }: JoinedRun): RecordingFinding[] {
	return (summary?.storms ?? []).slice(0, MAX_OF_A_KIND).map(({ method, reason, count, fromMs, toMs, compileIds }) => {
		const handles = compileIds.map((id) => `c${id}`);
		const heat = compilations.filter(({ handle }) => handles.includes(handle)).reduce((sum, { percent }) => sum + percent, 0);
		return {
			kind: 'deoptimization-storm',
			text: `${method}: ${count} deoptimizations (${reason}) within ${Math.max(1, Math.round(toMs - fromMs))} ms, in ${handles.slice(0, 3).join(', ')}${handles.length > 3 ? ` and ${handles.length - 3} more` : ''}`,
			handles: handles.slice(0, 4),
			evidence: ['logCompilation'],
			command: `assay compilations ${name} ${handles[0]}`,
			worth: Math.max(heat, Math.min(5, count / 20)),
		};
	});
}

/** Code of the top tier that had samples and was thrown away, and code that is left again and again. */
function thrownAway({ compilations, name }: JoinedRun): RecordingFinding[] {
	const lost = compilations
		.filter(({ level, notEntrantMs, percent }) => level === TOP_TIER && notEntrantMs !== null && percent >= HOT_PERCENT / 2)
		.filter(({ method }, i, all) => all.findIndex((other) => other.method === method) === i)
		.map((row): RecordingFinding => {
			const versions = compilations.filter((other) => other.method === row.method && other.level === TOP_TIER && other.kind === row.kind);
			const again = versions.length > 1 ? `; the method was compiled ${versions.length} times at this tier` : '';
			return {
				kind: 'recompiled-hot',
				text: `${row.handle} ${row.method} was thrown away at ${((row.notEntrantMs ?? 0) / 1000).toFixed(2)} s after ${percentText(row.percent)} of the samples${row.notEntrantReason === null ? '' : `: ${row.notEntrantReason}`}${again}`,
				handles: [row.handle, ...versions.filter((other) => other !== row).map(({ handle }) => handle)].slice(0, 4),
				evidence: row.evidence.filter((kind) => kind !== 'compilerMemory' && kind !== 'assembly'),
				command: `assay compilations ${name} ${row.handle}`,
				worth: row.percent / 2,
			};
		});
	const left = compilations
		.filter(({ deoptimizations, percent }) => deoptimizations >= 10 && percent >= HOT_PERCENT)
		.map(
			(row): RecordingFinding => ({
				kind: 'deoptimized-hot',
				text: `${row.handle} ${row.method} has ${percentText(row.percent)} of the samples and was deoptimized ${row.deoptimizations} times`,
				handles: [row.handle],
				evidence: row.evidence.filter((kind) => kind !== 'compilerMemory' && kind !== 'assembly'),
				command: `assay compilations ${name} ${row.handle}`,
				worth: row.percent / 2,
			}),
		);
	return [...lost.slice(0, MAX_OF_A_KIND), ...left.slice(0, MAX_OF_A_KIND)];
}

/** A stale task was not wanted any more: that is no failure. */
function failed({ compilations, log, name }: JoinedRun): Finding {
	const rows = compilations.filter(({ failure }) => failure !== null && failure !== 'stale task');
	if (rows.length === 0) {
		return null;
	}
	const heat = new Map<string, number>();
	for (const { method, percent } of compilations) {
		heat.set(method, (heat.get(method) ?? 0) + percent);
	}
	const ranked = [...rows].sort((a, b) => (heat.get(b.method) ?? 0) - (heat.get(a.method) ?? 0));
	const first = ranked[0]!;
	const percent = heat.get(first.method) ?? 0;
	return {
		kind: 'failed',
		text: `${rows.length} ${rows.length === 1 ? 'compilation' : 'compilations'} failed; ${first.handle} ${first.method}: ${first.failure}${percent > 0 ? `, a method with ${percentText(percent)} of the samples` : ''}`,
		handles: ranked.slice(0, 4).map(({ handle }) => handle),
		evidence: first.evidence.filter((kind) => kind === 'logCompilation' || kind === 'flightRecorder' || kind === 'printCompilation'),
		command: log === null ? null : `assay compilations ${name} --failed`,
		worth: Math.max(percent, 0.2),
	};
}

/** Time in the interpreter; where it was not printed, in code that nobody knows. */
function withoutCode({ hot, jvm, evidence, name }: JoinedRun): Finding {
	if (hot === null || hot.attribution.counted === 0) {
		return null;
	}
	const share = (samples: number): number => (100 * samples) / hot.attribution.counted;
	const interpreted = share(hot.reasons.get('interpreter') ?? 0);
	const unknown = share(hot.reasons.get('unknown') ?? 0);
	const isUnknown = unknown > interpreted;
	const hint = !evidence.logCompilation.present
		? ': there is no log of the code that the JVM generated'
		: jvm.arguments?.includes('-XX:+PrintInterpreter')
			? ''
			: ': interpreter and stubs are told only with -XX:+PrintInterpreter -XX:+PrintStubCode';
	const percent = Math.max(interpreted, unknown);
	if (percent < 5) {
		return null;
	}
	return {
		kind: 'interpreter',
		text: isUnknown
			? `${percentText(unknown)} of the samples lie in code that no file names${hint}`
			: `${percentText(interpreted)} of the samples are in the interpreter: code that was not compiled, or not yet`,
		handles: [],
		evidence: ['samples'],
		command: isUnknown ? `assay doctor ${name}` : `assay hot ${name} --by method`,
		worth: percent / 2,
	};
}

/** Compiler threads from this share of all samples on are worth a sentence. */
const COMPILERS_PERCENT = 20;

/** Time of the threads that compile: the program's start, or code that is compiled again and again. */
function compilersTime({ threadTime, seconds, log, name }: JoinedRun): Finding {
	const rows = (threadTime?.classes ?? []).filter((row) => isCompilerClass(row.class));
	const samples = rows.reduce((sum, row) => sum + row.samples, 0);
	const share = wilsonInterval(samples, threadTime?.counted ?? 0);
	if (threadTime === null || share.low < COMPILERS_PERCENT) {
		return null;
	}
	const parts = rows.map((row) => `${THREAD_CLASS_WORDS[row.class]} ${percentText(row.share.percent)}`).join(', ');
	const count = log === null ? '' : `; ${log.history.compilations.length} compilations${seconds === null ? '' : ` in ${seconds.toFixed(1)} s`}`;
	return {
		kind: 'compilers',
		text: `The JVM's compilers take ${percentText(share.percent)} of all samples (${parts})${count}: the run is mostly the program's start. Measure later parts of a longer run, or start from an archive of classes and profiles (-XX:AOTCache on JDK 25, -XX:SharedArchiveFile before)`,
		handles: [],
		evidence: ['samples'],
		command: `assay hot ${name} --by class`,
		worth: share.percent / 4,
	};
}

function compilerName({ compiler }: JoinedCompilation): string {
	return { c1: 'C1', c2: 'C2', jvmci: 'Graal', graal: 'Graal' }[compiler ?? ''] ?? 'the compiler';
}

function percentText(percent: number): string {
	return `${percent.toFixed(1)} %`;
}

/** Time that went into loading classes and into the compilers, and methods that waited for them: some of the causes. */
import { compileMs, type JitCompilation, TOP_TIER } from '../model/jit-compilation.js';
import { isCompilerClass, THREAD_CLASS_WORDS } from '../model/thread-class.js';
import { wilsonInterval } from '../statistics/shares.js';
import { durationText, type Finding, LEAST_PERCENT, LOGGED, SAMPLED, sum, thousands } from './cause-words.js';
import { classArchiveAdvice, profileArchiveAdvice } from './class-archives.js';
import { commandsOf, compilationsCommand, hotCommand, hotJavaCommand } from './commands.js';
import type { JoinedRun } from './joined-run.js';
import { activityShare, compilerName, graalItself, interpreterPercent, methodKey, ofAll, percentInLowerTiers, percentOfKey, percentText } from './run-facts.js';
import { WHOLE_RUN } from './whole-run.js';

export function classLoading(run: JoinedRun): Finding {
	const { percent, low } = activityShare(run, ['java'], ['class loading']);
	const interpreted = interpreterPercent(run);
	return low < WHOLE_RUN['class-loading'].leastPercent
		? null
		: {
				kind: 'class-loading',
				place: null,
				text: `Java threads load, verify and link classes in ${percentText(percent)} ${ofAll(run)}${interpreted < 1 ? '' : `; ${percentText(interpreted)} are in the interpreter, where new code begins`}. ${classArchiveAdvice(run.jvm)}; a program that goes on makes classes as it runs (proxies, generated code): keep and share them`,
				handles: [],
				evidence: SAMPLED,
				command: hotJavaCommand(run, '--by', 'class'),
				worth: percent * WHOLE_RUN['class-loading'].worthOfPercent,
			};
}

/** What the times of compilations tell of a run in which much is compiled. */
function whenCompiled({ log, seconds }: JoinedRun): string {
	const halfMs = (seconds ?? 0) * 500;
	const timed = (log?.history.compilations ?? []).filter((one) => compileMs(one) !== null);
	const all = sum(timed, (one) => compileMs(one) ?? 0);
	if (all === 0 || halfMs === 0) {
		return '.';
	}
	const early = sum(timed, ({ startedMs, doneMs }) => Math.max(0, Math.min(doneMs ?? 0, halfMs) - (startedMs ?? 0)));
	return early >= 0.8 * all
		? ", nearly all of it in the run's first half: the program's start."
		: ", until the run's end: it is too short to have warmed up, or new code keeps coming.";
}

/** Classes of one name, from which on the program makes them again and again. */
const MANY_CLASSES = 10;
/** Of the compilers' time. */
const LEAST_GENERATED = 0.05;

/** What is compiled of classes that a program makes anew under the same name, as those that write code for each query do. */
function generatedAgain({ log }: JoinedRun): string {
	const compilations = (log?.history.compilations ?? []).filter(({ kind }) => kind !== 'native wrapper');
	const byName = new Map<string, { classes: Set<string>; compilations: JitCompilation[] }>();
	for (const one of compilations) {
		if (one.namesake !== undefined) {
			const key = `${one.method}${one.signature}`;
			const row = byName.get(key) ?? { classes: new Set<string>(), compilations: [] };
			byName.set(key, row);
			row.classes.add(one.namesake);
			row.compilations.push(one);
		}
	}
	const again = [...byName.values()].filter(({ classes }) => classes.size >= MANY_CLASSES).sort((a, b) => b.classes.size - a.classes.size);
	const [most] = again;
	const ms = (rows: readonly JitCompilation[]): number => sum(rows, (one) => compileMs(one) ?? 0);
	const share = ms(again.flatMap((row) => row.compilations)) / ms(compilations);
	return most === undefined || !(share >= LEAST_GENERATED)
		? ''
		: ` ${thousands(sum(again, (row) => row.compilations.length))} of ${thousands(compilations.length)} compilations, ${percentText(100 * share)} of their time, are of classes that the program makes anew under the same name (${most.compilations[0]!.method} in ${thousands(most.classes.size)}): keep and share them.`;
}

/** Of Graal's own code, of all samples. */
const LEAST_GRAAL_PERCENT = 5;

/** Time of the threads that compile: the program's start, or much code. */
export function compilersTime(run: JoinedRun): Finding {
	const { threadTime } = run;
	const rows = (threadTime?.classes ?? []).filter((row) => isCompilerClass(row.class));
	const samples = rows.reduce((total, row) => total + row.samples, 0);
	const share = wilsonInterval(samples, threadTime?.counted ?? 0);
	if (threadTime === null || share.low < WHOLE_RUN.compilers.leastPercent) {
		return null;
	}
	const itself = graalItself(run);
	const hasGraal = rows.some((row) => row.class === 'jvmci');
	const graal =
		itself.low < LEAST_GRAAL_PERCENT
			? ''
			: ` Graal is Java code here, which has to be loaded, interpreted and compiled by ${rows.some((row) => row.class === 'c2') ? 'C1 and C2' : 'C1'} itself: ${percentText(graalItself(run, ['interpreter']).percent)} ${ofAll(run)} are of its own code in the interpreter, ${percentText(graalItself(run, ['compiled code']).percent)} of it compiled. A JDK that has it as a native library (libgraal) starts with it compiled.`;
	const parts = rows.map((row) => `${THREAD_CLASS_WORDS[row.class]} ${percentText(row.share.percent)}`).join(', ');
	return {
		kind: 'compilers',
		place: null,
		text: `The JVM's compilers take ${percentText(share.percent)} ${ofAll(run)} (${parts})${whenCompiled(run)}${graal}${generatedAgain(run)} Measure later parts of a longer run${hasGraal ? '' : profileArchiveAdvice(run.jvm)}`,
		handles: [],
		evidence: SAMPLED,
		command: hotCommand(run, '--by', 'class'),
		worth: share.percent * WHOLE_RUN.compilers.worthOfPercent,
	};
}

/** A queue is a backlog where a tenth of what was compiled stood in it as long. */
const LONG_WAIT_MS = 500;
/** Shorter, and a method has hardly waited. */
const WAIT_MS = 100;
/** A queue that was never longer is none. */
const LEAST_QUEUE = 10;

interface Backlog {
	readonly text: string;
	/** What `assay hot` shows the slower code by. */
	readonly by: string;
	/** A part of that code is Graal's own. */
	readonly hasGraal: boolean;
	readonly worth: number;
}

/** Methods that wait for a compiler run in slower code meanwhile: in the interpreter, and, where C1 compiles too, in its code while they wait for C2. */
export function queueBacklog(run: JoinedRun): Finding {
	const { log, summary } = run;
	const logged = log?.history.compilations ?? [];
	const lowerTiers = percentInLowerTiers(run);
	const c1Percent = sum([...lowerTiers.values()], (percent) => percent);
	// That is not code that waits for Graal.
	const ofGraal = graalItself(run, ['compiled code']).percent;
	const isTiered = logged.some(({ level }) => (level ?? TOP_TIER) < TOP_TIER);
	const backlogs = (summary?.queues ?? []).flatMap(({ compiler, longest, longestAtMs, longestWaitMs, tenthWaitMs, neverStarted }): Backlog[] => {
		if (longest < LEAST_QUEUE || tenthWaitMs < LONG_WAIT_MS) {
			return [];
		}
		const waitsInC1 = isTiered && compiler !== 'c1';
		const isLong = ({ queuedMs, startedMs, failure }: JitCompilation): boolean =>
			queuedMs !== null && (startedMs === null ? failure === null : startedMs - queuedMs >= WAIT_MS);
		const waited = new Set(logged.filter((one) => one.compiler === compiler && isLong(one)).map(methodKey));
		const slower = waitsInC1 ? sum([...waited], (key) => percentOfKey(lowerTiers, key)) : interpreterPercent(run);
		const name = compilerName(compiler) ?? compiler;
		const never = neverStarted > 0 ? `, and ${thousands(neverStarted)} ${neverStarted === 1 ? 'was' : 'were'} never compiled` : '';
		const meanwhile = waitsInC1
			? `${percentText(c1Percent)} ${ofAll(run)} are in C1's code${ofGraal < 0.05 ? '' : `, ${percentText(ofGraal)} of Graal itself`}`
			: `${percentText(slower)} ${ofAll(run)} are in the interpreter`;
		const text = `Methods wait for ${name}: a tenth of what was to be compiled stood in its queue for ${durationText(tenthWaitMs)} or longer, up to ${durationText(longestWaitMs)}, ${thousands(longest)} at once at ${(longestAtMs / 1000).toFixed(2)} s${never}; ${meanwhile}. More processors help, or -XX:CICompilerCount`;
		return slower < LEAST_PERCENT ? [] : [{ text, worth: slower / 2, by: waitsInC1 ? 'library' : 'method', hasGraal: waitsInC1 && ofGraal >= 0.05 }];
	});
	const [worst] = backlogs.sort((a, b) => b.worth - a.worth);
	if (worst === undefined) {
		return null;
	}
	return {
		kind: 'compile-queue',
		place: null,
		text: worst.text,
		handles: [],
		evidence: LOGGED,
		command: commandsOf(compilationsCommand(run), hotCommand(run, '--by', worst.by), worst.hasGraal ? hotCommand(run, '--by', 'class') : null),
		worth: worst.worth,
	};
}

/** Why a method is compiled again: its code relied on what was seen so far, and something else came. Empty where that is not the rule. */
export function thrownAway(versions: readonly JitCompilation[]): string {
	const reasons = new Map<string, number>();
	let left = 0;
	for (const { deoptimizations, notEntrant } of versions) {
		const traps = deoptimizations.filter(({ kind, action }) => kind === 'uncommon trap' && (action === 'reinterpret' || action === 'make_not_entrant'));
		left += notEntrant !== null && traps.length > 0 ? 1 : 0;
		for (const reason of notEntrant === null ? [] : new Set(traps.map((trap) => trap.reason))) {
			reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
		}
	}
	if (left < 2 || 2 * left < versions.length) {
		return '';
	}
	const told = [...reasons].sort((a, b) => b[1] - a[1]).map(([reason, count]) => `${reason} ${count}`);
	return `${left} of these versions were given up when something came that they had not seen (${told.join(', ')}): warm it up with all the kinds of input that it will see. `;
}

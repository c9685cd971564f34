/** The head of `assay diff`: whether the sides differ by more than chance, what was read of each, and whose time it was. */
import type { DiffReport, StoreSides } from '../answers/diff-report.js';
import type { RunEvidence } from '../answers/run-evidence.js';
import type { ThreadTime } from '../hot/thread-time.js';
import { THREAD_CLASS_WORDS, type ThreadClass } from '../model/thread-class.js';
import { moreRunsText, shorten, verdictText, wrapList } from './diff-view.js';
import { thousands } from './quantities.js';
import { sideNames } from './side-names.js';
import { columns, type Terminal } from './terminal.js';
import { visible } from './visible.js';

export function diffEvidenceLines(report: DiffReport, terminal: Terminal, width: number): string[] {
	return [...verdictLines(report, terminal), ...comparedLines(report, terminal, width)];
}

/** Whether the sides differ by more than chance: the first line, where that can be told. */
function verdictLines({ comparison, runsA, runsB, runsNeeded, store }: DiffReport, { paint }: Terminal): string[] {
	if (store !== undefined) {
		return [paint('bold', storeVerdict(store, comparison))];
	}
	const test = comparison.noiseTest;
	const sizes = { a: runsA.length, b: runsB.length };
	if (test === null) {
		return [];
	}
	if (test.verdict === 'too few runs') {
		return [paint('bold', `nothing can be called a difference: ${runsNeeded} + ${runsNeeded} runs are needed, there are ${sizes.a} + ${sizes.b}`)];
	}
	const lines = [paint('bold', verdictText(test, sizes))];
	return test.verdict === 'within chance' ? [...lines, `   ${moreRunsText(sizes)}`] : lines;
}

/** `changed: of 1,234 calls that both sides decide, 12 differ by more than chance; one in 20 of them may be chance` */
export function storeVerdict({ calls, rate }: StoreSides, { changes }: Pick<DiffReport['comparison'], 'changes'>): string {
	const changed = changes.filter(({ noise }) => noise !== true).length;
	const of = `of ${thousands(calls)} calls that both sides decide`;
	return changed === 0
		? `within chance: ${of}, none differs by more (false discovery rate ${percentText(rate)})`
		: `changed: ${of}, ${thousands(changed)} differ by more than chance (false discovery rate ${percentText(rate)})`;
}

function percentText(share: number): string {
	return `${Number((100 * share).toPrecision(3))} %`;
}

function comparedLines(report: DiffReport, terminal: Terminal, width: number): string[] {
	const { runsA, runsB, comparison, runsNeeded, differentFlags, threadTime, store } = report;
	const kinds = new Set([...runsA, ...runsB].map((run) => run.kind));
	const kind = kinds.size === 1 ? (runsA[0]?.kind ?? null) : null;
	const logs = [...new Set([...runsA, ...runsB].map(logText))].join(' and ');
	const what = kind === null || logs !== 'Graal log' ? `${logs}s` : `Graal ${kind} logs`;
	const runCount = `${what}, ${runsA.length} + ${runsB.length} ${runsA.length + runsB.length > 2 ? 'runs' : 'runs without repeats'}`;
	const given = [runsA[0]?.name ?? '', runsB[0]?.name ?? ''] as const;
	const room = width - columns(runCount) - 3;
	// As they were given, where that fits and tells them apart.
	const isTold = given[0] !== given[1] && columns(given.join(' → ')) <= room;
	const names = isTold ? given : sideNames(...given);
	const lines = [`${terminal.paint('bold', shorten(names.join(' → '), room))}   ${runCount}`];
	lines.push(...sideLines('A', runsA, names[0], terminal, width), ...sideLines('B', runsB, names[1], terminal, width));
	const compared = comparison.methods.length;
	if (store !== undefined) {
		lines.push(`   compared: the calls of the top tier in ${visible(store.name)}, run by run`);
	} else if (!comparison.hasProfiles) {
		lines.push(
			comparison.hasCounts
				? `   no profile: ${compared} methods by invocations and loops counted when compiled`
				: `   no profile: all ${compared} methods count as equally hot (see --profile-a)`,
		);
	} else if (comparison.unsampledMethods > 0) {
		lines.push(`   compared: ${compared} methods with samples in some run; not: ${comparison.unsampledMethods} without (--all)`);
	} else {
		lines.push(`   compared: all ${compared} methods`);
	}
	if (comparison.rewordedRefusals > 0) {
		const { rewordedRefusals } = comparison;
		lines.push(
			`   not counted: ${rewordedRefusals === 1 ? '1 place' : `${rewordedRefusals} places`} where neither side vectorizes, for other reasons or in other words`,
		);
	}
	lines.push(...flagLines(differentFlags, width), ...threadLines(threadTime, width));
	if (store === undefined && runsA.length + runsB.length === 2) {
		lines.push(`   noise unknown: ${runsNeeded} runs a side tell it from change (--repeat-a, --repeat-b)`);
	}
	const unread = comparison.problems.length;
	if (unread > 0) {
		lines.push(terminal.paint('yellow', `   ${unread} compilations could not be read and are left out (see standard error)`));
	}
	return lines;
}

/** What told of the compilations. */
export function logText({ logKind, toldBy }: Pick<RunEvidence, 'logKind' | 'toldBy'>): string {
	return toldBy === 'flightRecorder' ? 'Flight Recorder recording' : toldBy === 'printCompilation' ? "HotSpot's printed log" : `${logKind} log`;
}

/** `   flags that differ: A -Xmx1g, B -XX:MaxInlineLevel=1` */
function flagLines(flags: DiffReport['differentFlags'], width: number): string[] {
	const texts = [...(flags?.a ?? []).map((flag) => `A ${visible(flag)}`), ...(flags?.b ?? []).map((flag) => `B ${visible(flag)}`)];
	return texts.length === 0 ? [] : wrapList(texts, width - 22).map((text, i) => `${i === 0 ? '   flags that differ: ' : '                      '}${text}`);
}

/** `   threads: Java 55.1→40.2, C2 30.1→44.0, C1 8.0→9.1, GC 5.0→5.1 % of the samples` */
function threadLines(threadTime: DiffReport['threadTime'], width: number): string[] {
	if (threadTime === null) {
		return [];
	}
	const { a, b } = threadTime;
	const shareOf = (side: ThreadTime, name: ThreadClass): number => side.classes.find((row) => row.class === name)?.share.percent ?? 0;
	const texts = [...new Set([...a.classes, ...b.classes].map((row) => row.class))]
		.map((name) => ({ name, a: shareOf(a, name), b: shareOf(b, name) }))
		.sort((x, y) => Math.max(y.a, y.b) - Math.max(x.a, x.b))
		.map((row) => `${THREAD_CLASS_WORDS[row.name]} ${row.a.toFixed(1)}→${row.b.toFixed(1)}`);
	const lines = wrapList(texts, width - 15);
	return lines.map((text, i) => `${i === 0 ? '   threads, %: ' : '               '}${text}`);
}

/** ` (jdk.CPUTimeSample, 12 more lost)`: of all runs of a side, where they have stacks and no addresses. */
function sampledText(profiles: readonly NonNullable<RunEvidence['profile']>[]): string {
	const stacks = profiles.flatMap(({ ofStacks }) => ofStacks ?? []);
	if (stacks.length === 0) {
		return '';
	}
	const events = [...new Set(stacks.map(({ event }) => event))];
	const sum = (value: (one: (typeof stacks)[number]) => number): number => stacks.reduce((total, one) => total + value(one), 0);
	const [failed, lost] = [sum((one) => one.failed), sum((one) => one.lost)];
	return ` (${visible(events.join(', '))}${failed === 0 ? '' : `, ${failed} without stack`}${lost === 0 ? '' : `, ${lost} more lost`})`;
}

function sideLines(side: string, runs: readonly RunEvidence[], name: string, { paint }: Terminal, width: number): string[] {
	const counts = range(runs.map((run) => run.compilations));
	const profiles = runs.flatMap((run) => (run.profile === null ? [] : [run.profile]));
	const shares = profiles.map(({ compiledPeriod, totalPeriod }) => (totalPeriod > 0 ? (compiledPeriod / totalPeriod) * 100 : 0));
	const profile =
		profiles.length === 0
			? paint('yellow', 'no profile')
			: `${range(shares, 1)} % of the samples${sampledText(profiles)} in them${profiles.length < runs.length ? ` (${runs.length - profiles.length} without profile)` : ''}`;
	// Of HotSpot's log only these are compared: code of lower tiers is replaced by theirs.
	const tier = runs.some(({ logKind }) => logKind === 'HotSpot') ? ' top-tier' : '';
	const details = `${counts}${tier} compilations, ${profile}`;
	const repeats = runs.length > 1 ? ` + ${runs.length - 1}` : '';
	const names = shorten(name.replace(/^[AB]: /, ''), Math.max(8, width - columns(details) - columns(repeats) - 5)) + repeats;
	const lines = [`${side}  ${names}  ${details}`];
	const duplicates = runs.reduce((sum, run) => sum + run.duplicateIds, 0);
	const duplicateEntries = profiles.reduce((sum, one) => sum + one.duplicateEntries, 0);
	if (duplicates > 0) {
		lines.push(paint('yellow', `   ${duplicates} compile ids occur twice in the log: several runs in one folder?`));
	}
	if (duplicateEntries > 0) {
		lines.push(`   ${duplicateEntries === 1 ? '1 profile entry shares' : `${duplicateEntries} profile entries share`} an id with another; the last one counts`);
	}
	if (profiles.some((one) => one.forced)) {
		lines.push(paint('yellow', '   the profile is not of this run (--force): shares mean nothing'));
	}
	return lines;
}

/** `490` or `490 to 522`. */
function range(values: readonly number[], digits = 0): string {
	const [low, high] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits));
	return low === high ? `${low}` : `${low} to ${high}`;
}

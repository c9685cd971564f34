/** What ran, what matters, what is missing. */

import { useMemo } from 'preact/hooks';
import { EVIDENCE, isOfOtherJit, isStartupOnly } from '../../src/model/evidence.js';
import { isCompilerClass, THREAD_CLASS_WORDS, THREAD_CLASSES } from '../../src/model/thread-class.js';
import { shown, titleOf, titleOfLines } from '../names.js';
import { count, counted, milliseconds, percent, rangeText } from '../numbers.js';
import { Empty, Handle, Pane } from '../parts/basics.js';
import { usePage } from '../parts/context.js';
import { pausesOf } from '../pauses.js';
import { CATEGORIES, type Filtered, type Side } from '../side.js';
import { CompilationTable } from './compilations.js';
import { touchedPages } from './startup.js';
import { ThreadTime } from './thread-time.js';
import { Timeline } from './timeline.js';

export function Overview() {
	const { side, filtered } = usePage();
	const { range } = filtered;
	const findings = side.page.report.findings;
	const shownFindings =
		range === null ? findings : findings.filter(({ handles }) => handles.length === 0 || handles.some((handle) => isHandleIn(side, handle, filtered.isThere)));
	const hasTime = side.endMs > 0;
	return (
		<div class="view overview">
			<h1>{useMemo(() => sentence(side, filtered), [side, filtered])}</h1>
			<Chips side={side} />
			<div class={`above ${hasTime ? '' : 'no-time'}`}>
				<Pane
					title="Findings"
					note={
						findings.length === 0 || hasStartupOnly(side)
							? undefined
							: range === null
								? `by samples at stake${filtered.isWhole ? '' : ', of all threads'}`
								: `${shownFindings.length} of ${findings.length} are about this range; their numbers are of the whole run`
					}
					class="findings"
				>
					{shownFindings.length === 0 ? (
						<Empty what={findings.length === 0 ? 'Nothing stands out: no finding.' : 'None of the findings is about this time range.'} />
					) : (
						<ol class="findings-list">
							{shownFindings.map((finding, i) => (
								<li key={i}>
									<span class="number">{findings.indexOf(finding) + 1}</span>
									<p title={titleOf(finding.text)}>
										<Sentence text={finding.text} />
									</p>
									<span class="handles">
										{finding.handles
											.slice(0, 2)
											.map((handle) => (side.byHandle.has(handle) ? <Handle key={handle} handle={handle} /> : <span key={handle}>{shown(handle)}</span>))}
									</span>
								</li>
							))}
						</ol>
					)}
				</Pane>
				{hasTime && (
					<Pane
						title="Timeline"
						note={
							range === null
								? side.samples?.isOnJvmClock === false && !side.isNative
									? "samples' own clock: it does not meet the JVM's"
									: 'drag or press b to choose a range'
								: side.samples?.hasTimes === false
									? `${rangeText(range)}; samples do not tell when`
									: `${rangeText(range)}: ${count(filtered.counted)} samples`
						}
						right={<Legend />}
					>
						<Timeline />
					</Pane>
				)}
			</div>
			<ThreadTime />
			{hasStartupOnly(side) ? <StartupTable side={side} /> : <CompilationTable isOverview />}
		</div>
	);
}

function isHandleIn(side: Side, handle: string, isIn: (row: Side['rows'][number]) => boolean): boolean {
	const row = side.byHandle.get(handle);
	return row === undefined || isIn(row);
}

/** What stands before the first colon or bracket carries the finding. */
function Sentence({ text }: { readonly text: string }) {
	const cut = /^[^(:;]{12,160}?(?=[:;]\s|\s\(|\.\s|$)[:;.]?/su.exec(text)?.[0];
	const whole = shown(text, 600);
	return cut === undefined ? (
		whole
	) : (
		<>
			<b>{shown(cut)}</b>
			{shown(text.slice(cut.length), 600)}
		</>
	);
}

function Legend() {
	const { side } = usePage();
	const names: Record<string, string> = {
		top: topCode(side) ?? 'code',
		c1: 'C1 code',
		interpreter: 'interpreter, stubs',
		compiler: 'compiler threads',
		other: 'kernel, native, other',
	};
	const { samples } = side;
	if (samples === null) {
		return null;
	}
	return (
		<span class="legend">
			{CATEGORIES.filter((_, i) => samples.category.includes(i)).map((name) => (
				<span key={name}>
					<i class={`box cat-${name}`} /> {names[name]}
				</span>
			))}
		</span>
	);
}

/** What the samples' code above C1 is made by; null: no sample is in code that is known. */
function topCode({ rows }: Side): string | null {
	const compilers = new Set(rows.filter(({ summary }) => summary.samples > 0).map(({ summary }) => summary.compiler));
	if (compilers.has('c2')) {
		return 'C2 code';
	}
	if (rows.some(({ tier }) => tier === 'JVMCI')) {
		return 'JVMCI code';
	}
	// Of a JVM whose samples were all elsewhere C2 code is what is missed; native programs and other runtimes have compilers of many names.
	return rows.some(({ summary }) => summary.compiler === 'c2') ? 'C2 code' : compilers.size > 0 ? 'known code' : null;
}

function hasStartupOnly({ page, rows }: Side): boolean {
	return rows.length === 0 && isStartupOnly(page.report.evidence);
}

/** Layouts in place of compilations; what was left out below. */
function StartupTable({ side }: { readonly side: Side }) {
	const { router } = usePage();
	const { startup } = side.page.report;
	if (startup === null) {
		return null;
	}
	return (
		<Pane
			title="Start-up"
			class="page-maps"
			note={startup.traces.length > 1 ? `sums of ${count(startup.traces.length)} traces` : undefined}
			right={
				startup.layouts.length > 0 && (
					<button type="button" class="plain" onClick={() => router.open('startup')}>
						Show the pages
					</button>
				)
			}
		>
			{startup.layouts.length === 0 ? (
				<Empty what="The program that ran does not lie beside its traces." flag="the program before strip, or the output of nm -n --print-size of it" />
			) : (
				<div class="scroll" tabIndex={0} role="group" aria-label="layouts">
					<table class="maps">
						<thead>
							<tr>
								<th>Layout</th>
								<th class="number">Text pages touched</th>
								<th class="number">64 KiB faults</th>
								<th class="number">Area</th>
							</tr>
						</thead>
						<tbody>
							{startup.layouts.map((layout, i) => (
								<tr key={i}>
									<th scope="row" title={titleOf(layout.name)}>
										{shown(layout.name, 60)}
									</th>
									<td class="number">{count(touchedPages(layout))}</td>
									<td class="number">{count(layout.windows64k)}</td>
									<td class="number">{count(layout.areaUnderCurve)}</td>
								</tr>
							))}
						</tbody>
					</table>
				</div>
			)}
			{startup.leftOut.map(({ file, why }, i) => (
				<p key={i} class="empty" title={titleOf(file)}>
					Left out: <b>{shown(file, 80)}</b>: {shown(why, 200)}
				</p>
			))}
		</Pane>
	);
}

function sentence(side: Side, filtered: Filtered): string {
	const { page } = side;
	const name = shown(page.name.replace(/(?<!\/)\/+$/, '').replace(/^.*\//s, ''), 60);
	const { startup } = page.report;
	if (startup !== null && hasStartupOnly(side)) {
		const traces = `${count(startup.traces.length)} ${startup.traces.length === 1 ? 'trace' : 'traces'}`;
		const program = startup.program?.file.replace(/^.*\//s, '').replace(/\.(?:gz|zst)$/, '');
		return program === undefined ? `${name}: ${traces} of first executions, without the program.` : `${name}: start-up of ${shown(program, 60)}, ${traces}.`;
	}
	const jvm = jvmName(page.compilations?.recording.jvm ?? page.hot?.recording.jvm ?? null);
	const { seconds } = page.report.recording;
	const ran = seconds === null ? 'ran' : `ran ${milliseconds(1000 * seconds)}`;
	const parts: string[] = [];
	const { threadClass, thread, categories, counted: taken } = filtered;
	const range = side.samples?.hasTimes === false ? null : filtered.range;
	if (page.hot !== null && side.counted > 0 && side.samples !== null) {
		const share = (samples: number): string => `${percent(taken === 0 ? 0 : (100 * samples) / taken)} %`;
		const code = topCode(side);
		const which = `${counted(taken, 'sample')}${threadClass === null ? '' : ` of ${THREAD_CLASS_WORDS[threadClass]} threads`}${thread === null ? '' : ` of thread ${shown(thread, 40)}`}`;
		parts.push(code === null ? `none of its ${which} are in code that a file tells of` : `${share(categories[0] ?? 0)} of its ${which} are in ${code}`);
		if (threadClass === null && thread === null && (categories[3] ?? 0) > 0) {
			parts.push(`${compilingShare(side, filtered) ?? share(categories[3] ?? 0)} went into compiling`);
		}
	} else if (side.rows.length > 0) {
		parts.push(counted(side.rows.length, 'compilation'));
	}
	const pauses = pausesOf(side.page).filter(({ ms }) => range === null || (ms >= range.from && ms <= range.to));
	if (pauses.length > 0) {
		parts.push(`${counted(pauses.length, 'safepoint')} stopped it for ${milliseconds(pauses.reduce((sum, pause) => sum + pause.totalNs, 0) / 1e6)}`);
	}
	const rest = parts.length > 1 ? `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}` : (parts[0] ?? '');
	return `${name} ${ran}${jvm === '' ? '' : ` on ${jvm}`}.${rest === '' ? '' : range === null ? ` ${rest.charAt(0).toUpperCase()}${rest.slice(1)}.` : ` In ${rangeText(range)}, ${rest}.`}${windowSentence(side)}`;
}

/** Which samples are shown, where it is not all of them. */
function windowSentence({ page }: Side): string {
	const { window } = page.report.samples;
	if (window === null) {
		return '';
	}
	if (window.measured !== null) {
		return ` Only ${shown(window.measured, 120)} count.`;
	}
	return ` Only samples from ${milliseconds(window.delayMs)} on count${window.lengthMs === null ? '' : `, ${milliseconds(window.lengthMs)} long`}.`;
}

/** As in the table of thread classes: what the recording cost is not compiling. null: the samples do not tell. */
function compilingShare({ page }: Side, { isWhole, classes, counted }: Filtered): string | null {
	const whole = page.report.threadTime?.classes;
	if (isWhole && whole != null && whole.length > 0) {
		return `${percent(whole.filter((row) => isCompilerClass(row.class)).reduce((sum, row) => sum + row.percent, 0))} %`;
	}
	if (classes === null || counted === 0) {
		return null;
	}
	return `${percent((100 * THREAD_CLASSES.reduce((sum, one, i) => sum + (isCompilerClass(one) ? (classes[i] ?? 0) : 0), 0)) / counted)} %`;
}

/** `HotSpot 25.0.3` of the JVM's version line. */
function jvmName(version: string | null): string {
	const number = /(?:^|\()(\d[\w.]*)/.exec(version ?? '')?.[1];
	return version === null ? '' : number === undefined ? shown(version, 40) : `HotSpot ${number}`;
}

/** Kinds that this page does not know yet are called as in the JSON. */
const CHIPS: Readonly<Record<string, { readonly name: string; readonly what: string; readonly isMissed: boolean }>> = Object.fromEntries(
	Object.entries(EVIDENCE).map(([kind, { chip }]) => [kind, chip]),
);

function Chips({ side }: { readonly side: Side }) {
	const entries = Object.entries(side.page.report.evidence)
		.map(([kind, evidence]) => ({ kind, ...evidence, ...(CHIPS[kind] ?? { name: kind, what: '', isMissed: false }) }))
		.filter(
			({ present, isMissed }) => present || (isMissed && !hasStartupOnly(side) && !isOfOtherJit((kind) => side.page.report.evidence[kind]?.present === true)),
		);
	entries.sort((a, b) => Number(b.present) - Number(a.present));
	return (
		<ul class="chips" aria-label="evidence">
			{entries.map(({ kind, name, what, present, files, records }) => (
				<li key={kind} class={present ? 'chip' : 'chip missing'} title={present ? titleOfLines(files) : 'assay doctor tells how to record it'}>
					<span aria-hidden="true">{present ? '✓' : '✗'}</span> <b>{shown(name)}</b> {present ? [what, count(records)].filter(Boolean).join(', ') : 'missing'}
				</li>
			))}
		</ul>
	);
}

/** Overview, Compilations and the title of a compilation, as the commands' results say that they have to be. */
import { expect } from 'vitest';
import { sizeText } from '../../src/render/memory-view.js';
import { halfInterval } from '../../src/statistics/shares.js';
import { type Choice, counted, type Facts, grouped, rowsOf, share, textOf } from './facts.js';

type Compilation = Facts['report']['compilations'][number];

export function checkOverview(box: Element, facts: Facts, choice: Choice): void {
	const { report, ttsp } = facts;
	const heading = textOf(box.querySelector('h1'));
	checkHeading(heading, facts, choice);
	if (choice.range === null) {
		expect([...box.querySelectorAll('.findings-list p')].map(textOf)).toEqual(report.findings.map(({ text }) => text.replace(/\s+/g, ' ')));
	}
	const chips = [...box.querySelectorAll('.chips .chip:not(.missing)')].map(textOf);
	const present = Object.values(report.evidence).filter((one) => one.present);
	expect(chips.map((text) => /\b([\d,]{1,20})$/.exec(text)?.[1])).toEqual(present.map(({ records }) => grouped(records)));
	const parts = [...box.querySelectorAll('.thread-time .parts')].map((one) => [...one.querySelectorAll('summary .value')].map(textOf));
	const { classes = [], libraries = [] } = report.threadTime ?? {};
	expect(parts.filter((rows) => rows.length > 0)).toEqual(
		[classes, libraries].filter((rows) => rows.length > 0).map((rows) => rows.map(({ percent }) => percent.toFixed(1))),
	);
	const pauses = /\b([\d,]{1,20}) safepoints? stopped it for ([\d.]{1,20} m?s)/.exec(heading);
	if (ttsp !== null && choice.range === null && pauses !== null) {
		const timed = ttsp.safepoints.filter(({ startedNs }) => startedNs !== null);
		expect([pauses[1], pauses[2]]).toEqual([grouped(timed.length), duration(timed.reduce((sum, { totalNs }) => sum + (totalNs ?? 0), 0) / 1e6)]);
	}
}

const duration = (ms: number): string => (ms >= 1000 ? `${(ms / 1000).toFixed(ms >= 10_000 ? 0 : 1)} s` : `${Math.round(ms)} ms`);

function checkHeading(heading: string, { report, hot }: Facts, { inside }: Choice): void {
	const { seconds } = report.recording;
	expect([heading, /\bran ([\d.]+ m?s)/.exec(heading)?.[1] ?? null]).toEqual([heading, seconds === null ? null : duration(seconds * 1000)]);
	const told = /\b([\d.]{1,20}) % of its ([\d,]{1,20}) samples[^%]{0,80} are in ([\w ]{1,40}) code/.exec(heading);
	if (hot === null || hot.samples.counted === 0 || hot.compilations.length === 0) {
		expect([heading, told]).toEqual([heading, null]);
		return;
	}
	const compilers = new Map(report.compilations.map(({ compileId, compiler }) => [compileId, compiler]));
	const top = inside.filter(({ compileId }) => (compilers.get(compileId ?? '') ?? 'c1') !== 'c1');
	const names = new Set(hot.compilations.flatMap(({ compileId }) => compilers.get(compileId) ?? []).filter((name) => name !== 'c1'));
	// Of a JVM whose samples were all elsewhere C2's code is what is missed.
	const isMissed = [...compilers.values()].includes('c2');
	const words = names.has('c2') ? 'C2' : names.has('jvmci') || names.has('graal') ? 'JVMCI' : isMissed ? 'C2' : 'known';
	expect([heading, told?.slice(1)]).toEqual([heading, [share(top.length, inside.length), grouped(inside.length), words]]);
}

export function checkCompilations(box: Element, facts: Facts, choice: Choice): void {
	const { report, compilations } = facts;
	const samples = counted(choice.inside.map(({ compileId }) => compileId));
	const lives = new Map(compilations?.compilations.map((one) => [one.handle, one]));
	const byHandle = new Map(report.compilations.map((one) => [one.handle, one]));
	const rows = rowsOf(box, 'compilations');
	if (choice.isWhole && choice.range === null) {
		expect(rows.length).toBe(Math.min(report.compilations.length, rows.length));
		expect(rows.length > 0).toBe(report.compilations.length > 0);
	}
	for (const row of rows) {
		const handle = row.get('handle')?.text ?? '';
		const one = byHandle.get(handle)!;
		const n = facts.hot === null ? one.samples : (samples.get(one.compileId) ?? 0);
		const seen = new Map([...row].map(([head, { text }]) => [head, text]));
		const expected = cellsOf(one, n, facts, choice, lives.get(handle));
		for (const [head, text] of expected) {
			if (seen.has(head)) {
				expect([facts.name, choice.query, handle, head, seen.get(head)]).toEqual([facts.name, choice.query, handle, head, text]);
			}
		}
		if (n > 0 && facts.hot !== null) {
			expect(row.get('Samples, %')?.titles).toEqual([`${grouped(n)} of ${grouped(choice.inside.length)} samples`]);
		}
		if (one.memoryBytes !== undefined && row.has('Memory')) {
			expect(row.get('Memory')?.titles).toEqual([`${grouped(one.memoryBytes)} bytes of the compiler at its peak`]);
		}
		if (one.installedMs !== undefined && row.has('Installed')) {
			const end = one.notEntrantMs === undefined ? '' : `, not entrant at ${grouped(one.notEntrantMs)} ms`;
			expect(row.get('Installed')?.titles).toEqual([`installed at ${grouped(one.installedMs)} ms${end}`]);
		}
	}
}

function cellsOf(one: Compilation, n: number, facts: Facts, choice: Choice, life: NonNullable<Facts['compilations']>['compilations'][number] | undefined) {
	const total = facts.hot === null ? facts.report.samples.counted : choice.inside.length;
	const orDash = (value: number | undefined): string => (value === undefined ? '–' : grouped(value));
	const percent = choice.isWhole ? one.percent.toFixed(1) : share(n, total);
	const half = choice.isWhole && one.halfInterval !== undefined ? one.halfInterval : halfInterval(n, total);
	const refused = counted((life?.callSites ?? []).filter(({ inlined, intrinsic }) => !inlined && !intrinsic).map(({ reason }) => reason));
	const refusals = [...refused.values()].reduce((sum, count) => sum + count, 0);
	const cells: [string, string][] = [
		['Samples, %', n === 0 ? '0' : `${percent} ±${half.toFixed(1)}`],
		['Code, B', one.codeBytes === 0 ? '–' : grouped(one.codeBytes)],
		['Inlined', orDash(one.inlinedCalls)],
		['Not', orDash(one.notInlinedCalls)],
		['Memory', one.memoryBytes === undefined ? '–' : sizeText(one.memoryBytes)],
		['Compiled, ms', one.startedMs === undefined || one.doneMs === undefined ? '–' : grouped(Math.max(0, one.doneMs - one.startedMs))],
		[choice.isWhole ? 'Seen | biased, %' : 'Of whole run, %', biasedCell(one, facts)],
	];
	if (life !== undefined && one.failure === undefined && one.notInlinedCalls !== undefined && !one.evidence.includes('graalLog')) {
		expect([facts.name, one.handle, 'refused', one.notInlinedCalls]).toEqual([facts.name, one.handle, 'refused', refusals]);
	}
	return cells;
}

/** What is predicted is of the method: it stands once, at the hottest of its compilations. */
function biasedCell(one: Compilation, { report }: Facts): string {
	const ofMethod = report.compilations.filter(({ method }) => method === one.method);
	const most = Math.max(...ofMethod.map(({ percent }) => percent));
	const hottest = ofMethod.find(({ percent }) => percent === most)!;
	if (hottest.handle !== one.handle) {
		return `with ${hottest.handle}`;
	}
	const { predictedBiasedPercent: predicted } = one;
	return predicted === undefined ? '–' : predicted === 0 && most === 0 ? '0' : predicted.toFixed(1);
}

/** The title of one compilation, its code and the counts of its inlining tree. */
export function checkCompilation(box: Element, facts: Facts, choice: Choice, one: Compilation): void {
	const inside = choice.inside.filter(({ compileId }) => compileId === one.compileId).length;
	const n = facts.hot === null ? one.samples : inside;
	const total = facts.hot === null ? facts.report.samples.counted : choice.inside.length;
	const told = textOf(box.querySelector('.facts'));
	const at = `${facts.name} ${choice.query} ${one.handle}: ${told}`;
	if (total > 0) {
		const percent = choice.isWhole ? one.percent.toFixed(1) : share(n, total);
		expect(at).toContain(`${percent} % ±${halfInterval(n, total).toFixed(1)} of the samples (${grouped(n)})`);
	}
	expect(/\b([\d,]{1,20}) inlined, ([\d,]{1,20}) not/.exec(told)?.slice(1) ?? null, at).toEqual(
		one.inlinedCalls === undefined ? null : [grouped(one.inlinedCalls), grouped(one.notInlinedCalls ?? 0)],
	);
	expect(/\b([\d.]{1,20}[KM]) at the compiler's peak/.exec(told)?.[1], at).toBe(one.memoryBytes === undefined ? undefined : sizeText(one.memoryBytes));
	expect(/would say ([\d.]+) %/.exec(told)?.[1], at).toBe(one.predictedBiasedPercent?.toFixed(1));
	checkCode(box, facts, choice, one, at);
}

function checkCode(box: Element, { hot }: Facts, { inside, isWhole }: Choice, { compileId }: Compilation, at: string): void {
	const code = hot?.code?.find((own) => own.compileId === compileId);
	if (code === undefined || box.querySelector('#code') === null) {
		return;
	}
	const seen = code.offset.map(() => 0);
	for (const sample of inside) {
		if (sample.compileId === compileId && sample.instruction >= 0) {
			seen[sample.instruction] = seen[sample.instruction]! + 1;
		}
	}
	if (isWhole) {
		expect(seen, at).toEqual(code.seen);
	}
	const total = seen.reduce((sum, count) => sum + count, 0);
	const note = textOf(box.querySelector('.pane.code .note'));
	expect(note, at).toContain(`${grouped(code.text.length)} instructions · ${total === 0 ? 'no samples' : `% of its ${grouped(total)} samples`}`);
	const cellOf = (count: number): string => (count === 0 || total === 0 ? '' : share(count, total));
	for (const row of box.querySelectorAll('#code .rows > .row.instruction')) {
		const i = code.offset.indexOf(Number(/\d+/.exec(row.querySelector('.address')?.getAttribute('title') ?? '')?.[0]));
		const cells = [...row.querySelectorAll('.pct')].map(textOf);
		expect([at, i, ...cells]).toEqual([at, i, cellOf(seen[i]!), isWhole ? cellOf(code.analysed?.[i] ?? 0) : '']);
	}
}

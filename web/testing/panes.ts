/** Samples, Bias, Memory and Start-up, as the commands' results say that they have to be. */
import { expect } from 'vitest';
import { sizeText } from '../../src/render/memory-view.js';
import { visible } from '../../src/render/visible.js';
import { type Choice, type Facts, grouped, isCompiledIn, rowsOf, share, textOf } from './facts.js';

/** Stacks of a source: what `assay export --to collapsed` prints, or chains of inlining. */
export interface CountedStacks {
	/** The innermost frame first. */
	readonly stacks: readonly { readonly frames: readonly string[]; readonly samples: number }[];
	readonly total: number;
}

/** Of the lines of collapsed stacks. */
export function collapsedStacks(text: string): CountedStacks {
	const stacks = text
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => ({ frames: line.slice(0, line.lastIndexOf(' ')).split(';').reverse(), samples: Number(line.slice(line.lastIndexOf(' ') + 1)) }));
	return { stacks, total: stacks.reduce((sum, { samples }) => sum + samples, 0) };
}

/** The samples of a recording as chains of inlining. */
export function inlinedStacks({ inside }: Choice): CountedStacks {
	return { stacks: inside.map(({ frames }) => ({ frames, samples: 1 })), total: inside.length };
}

/** The table and the heading of Samples: what methods hold themselves, and with what is inside. */
export function checkSamples(box: Element, at: string, { stacks, total }: CountedStacks): void {
	const self = new Map<string, number>();
	const whole = new Map<string, number>();
	for (const { frames, samples } of stacks) {
		const [innermost] = frames;
		for (const name of new Set(frames)) {
			whole.set(name, (whole.get(name) ?? 0) + samples);
		}
		if (innermost !== undefined) {
			self.set(innermost, (self.get(innermost) ?? 0) + samples);
		}
	}
	const rows = rowsOf(box, 'methods').filter((row) => !row.get('Method')?.titles[0]?.startsWith('('));
	for (const row of rows) {
		const name = row.get('Method')?.titles[0] ?? '';
		const expected = [share(self.get(name) ?? 0, total), share(whole.get(name) ?? 0, total)];
		expect([at, name, row.get('Self, %')?.text, row.get('Total, %')?.text]).toEqual([at, name, ...expected]);
	}
	const names = [...whole.keys()].filter((name) => !name.startsWith('('));
	const heading = textOf(box.querySelector('h1'));
	const hottest = Math.max(0, ...names.map((name) => self.get(name) ?? 0));
	if (names.length > 0) {
		expect(`${at}: ${heading}`).toContain(` holds ${share(hottest, total)} % of the samples itself`);
	} else {
		expect(heading, at).toMatch(total === 0 ? /^No sample/ : /(?:^|: )\(.+ holds /);
	}
	expect(`${at}: ${textOf(box.querySelector('.controls .note'))}`).toContain(` · ${grouped(total)} samples`);
	checkFlame(box, at, { stacks, total });
}

/** Each box of the flame graph: the samples whose outermost frames are those around it and its own. */
function checkFlame(box: Element, at: string, { stacks, total }: CountedStacks): void {
	const sums = new Map<string, number>();
	for (const { frames, samples } of stacks) {
		let path = '';
		for (const name of [...frames].reverse()) {
			path += `\n${name}`;
			sums.set(path, (sums.get(path) ?? 0) + samples);
		}
	}
	const boxes = [...box.querySelectorAll('#flame [role=treeitem]')];
	const names = new Map(boxes.map((one) => [one.id, (one.querySelector('title')?.textContent ?? '').split('\n')[0] ?? '']));
	for (const one of boxes) {
		const steps = one.id.slice('flame-'.length).split('.');
		const path = steps.map((_, i) => names.get(`flame-${steps.slice(0, i + 1).join('.')}`) ?? '');
		// What lies outside of methods has names of its own on the page.
		if (one.id === 'flame-' || path.some((name) => name.startsWith('('))) {
			continue;
		}
		const seen = /: ([\d.]{1,12}) % seen/.exec(one.getAttribute('aria-label') ?? '')?.[1];
		expect([at, path.join(' < '), seen]).toEqual([at, path.join(' < '), share(sums.get(`\n${path.join('\n')}`) ?? 0, total, 2)]);
	}
}

export function checkBias(box: Element, { bias, ttsp, name, hot }: Facts, choice: Choice): void {
	const at = `${name} ${choice.query}`;
	const rows = rowsOf(box, 'bias-methods');
	expect([at, rows.length > 0]).toEqual([at, bias?.methods.some(({ predictedPercent }) => predictedPercent > 0) ?? false]);
	const methods = new Map(bias?.methods.map((one) => [one.method, one]));
	for (const row of rows) {
		const method = row.get('Method')?.titles[0] ?? '';
		const one = methods.get(method)!;
		const zero = (value: number): string => (value === 0 ? '0' : value.toFixed(1));
		const difference = one.predictedPercent - one.unbiasedPercent;
		const observed = [...row].slice(4).map(([head, { text }]) => [head, text] as const);
		expect([at, method, row.get('Seen, %')?.text, row.get('Predicted, %')?.text, row.get('Difference, pp')?.text, ...observed.map(([, text]) => text)]).toEqual(
			[
				at,
				method,
				zero(one.unbiasedPercent),
				zero(one.predictedPercent),
				`${difference > 0 ? '+' : difference < 0 ? '−' : ''}${Math.abs(difference).toFixed(1)}`,
				...observed.map(([head]) => zero(one.observed[head] ?? 0)),
			],
		);
		expect([at, method, row.get('Seen, %')?.titles.at(-1)]).toEqual([
			at,
			method,
			one.unbiasedPercent === 0
				? row.get('Seen, %')?.titles.at(-1)
				: `${one.unbiasedPercent} % (${one.unbiasedInterval.low} to ${one.unbiasedInterval.high}), ${grouped(one.unbiasedSamples)} samples`,
		]);
	}
	if (bias !== null && rows.length > 0) {
		expect(`${at}: ${textOf(box.querySelector('.pane.methods .note'))}`).toContain(
			`${grouped(bias.samples)} samples · ${bias.unknownPercent.toFixed(1)} % could not be followed`,
		);
	}
	checkDelays(box, ttsp, hot, choice, at);
}

function checkDelays(box: Element, ttsp: Facts['ttsp'], hot: Facts['hot'], { range }: Choice, at: string): void {
	const note = textOf(box.querySelector('.pane.delays .note'));
	expect([at, note !== '']).toEqual([at, (ttsp?.safepoints.length ?? 0) > 0]);
	if (ttsp === null || note === '') {
		return;
	}
	const start = ttsp.clock.startSeconds ?? hot?.clock.startSeconds ?? null;
	const inside = ttsp.safepoints.filter(({ startedNs, startedClock }) => {
		if (range === null) {
			return true;
		}
		const ms = startedNs === null ? Number.NaN : startedClock === 'samples' ? startedNs / 1e6 - (start ?? Number.NaN) * 1000 : startedNs / 1e6;
		return ms >= range[0] && ms <= range[1];
	});
	const times = inside.map(({ reachingNs }) => reachingNs ?? 0).filter((ns) => ns > 0);
	expect([at, note]).toEqual([at, expect.stringMatching(new RegExp(`^${grouped(times.length)} safepoints?[, ]`))]);
	const foot = textOf(box.querySelector('.pane.delays .foot'));
	if (times.length > 0) {
		const slow = inside.filter(({ isSlow }) => isSlow).length;
		expect([at, foot]).toEqual([at, expect.stringContaining(`; ${slow === 0 ? 'none' : grouped(slow)} over 10 ms`)]);
	}
}

export function checkMemory(box: Element, { memory, report, name }: Facts, { range, query }: Choice): void {
	const at = `${name} ${query}`;
	const rows = rowsOf(box, 'memory-table');
	const inside = report.compilations.filter((one) => one.memoryBytes !== undefined && isCompiledIn(one, range));
	expect([at, rows.length]).toEqual([at, Math.min(inside.length, rows.length)]);
	expect([at, rows.length > 0]).toEqual([at, inside.length > 0]);
	if (rows.length === 0) {
		return;
	}
	const byHandle = new Map(report.compilations.map((one) => [one.handle, one]));
	const total = inside.reduce((sum, { memoryBytes = 0 }) => sum + memoryBytes, 0);
	for (const row of rows) {
		const one = byHandle.get(row.get('handle')?.text ?? '')!;
		expect([at, one.handle, row.get('Peak')?.text, row.get('Peak')?.titles[0], row.get('Of all, %')?.text]).toEqual([
			at,
			one.handle,
			sizeText(one.memoryBytes ?? 0),
			`${grouped(one.memoryBytes ?? 0)} bytes`,
			share(one.memoryBytes ?? 0, total),
		]);
	}
	const largest = Math.max(...inside.map(({ memoryBytes = 0 }) => memoryBytes));
	const heading = textOf(box.querySelector('h1'));
	const words = `${grouped(inside.length)} ${inside.length === 1 ? 'compilation' : 'compilations'}`;
	expect(`${at}: ${heading}`).toMatch(new RegExp(`: ${words} (?:of .* )?needed ${sizeText(total).replace('.', '\\.')} at `));
	expect(`${at}: ${heading}`).toContain(` alone ${sizeText(largest)}.`);
	if (range === null && memory !== null && memory.compilations.length === inside.length) {
		expect([at, total]).toEqual([at, memory.totalBytes]);
		const arenas = new Map<string, number>();
		for (const { byArena } of memory.compilations) {
			for (const [arena, bytes] of Object.entries(byArena)) {
				arenas.set(arena, (arenas.get(arena) ?? 0) + bytes);
			}
		}
		for (const row of box.querySelectorAll('table.bars tr')) {
			const bytes = arenas.get(row.querySelector('th')?.getAttribute('title') ?? '') ?? -1;
			expect([at, textOf(row.querySelector('td'))]).toEqual([at, sizeText(bytes)]);
		}
	}
}

/** The arenas of one compilation at its peak, in KiB. */
export function checkMemoryOf(box: Element, { memory, name }: Facts, handle: string): void {
	const one = memory?.compilations.find((own) => own.handle === handle || own.handle === handle.replace('%', ''));
	const sums = [...box.querySelectorAll('.pane.memory .heat-map tr.sum td')].map((cell) => cell.getAttribute('title')).filter((title) => title !== null);
	// A file of a page has the details of so many compilations.
	if (one === undefined || textOf(box).includes('The details of this compilation are not in this file')) {
		return;
	}
	const arenas = Object.values(one.byArena)
		.filter((bytes) => bytes > 0)
		.sort((a, b) => b - a);
	const drawn = arenas.length > 7 ? arenas.slice(0, 6) : arenas;
	expect([name, handle, sums]).toEqual([name, handle, [...drawn, one.totalBytes].map((bytes) => `${grouped(bytes)} bytes`)]);
	const totals = [...box.querySelectorAll('.pane.memory .heat-map tbody tr:not(.sum) td.total')].map((cell) => cell.getAttribute('title'));
	const phases = one.phases.filter(({ totalBytes }) => totalBytes > 0).map(({ totalBytes }) => totalBytes);
	expect([name, handle, totals]).toEqual([name, handle, (phases.length > 0 ? phases : [one.totalBytes]).map((bytes) => `${grouped(bytes)} bytes`)]);
}

/** What each phase added, by the steps that `assay memory` prints: bytes held, and nodes of the graph. */
export function checkPhases(box: Element, { memory, name }: Facts, handle: string): void {
	const one = memory?.compilations.find((own) => own.handle === handle);
	const rows = [...box.querySelectorAll('.phase-table tbody tr')];
	if (one === undefined || one.timeline.length === 0 || rows.length === 0) {
		return;
	}
	const bytes = new Map<string, number>();
	const nodes = new Map<string, number>();
	let before = { bytes: 0, nodes: 0 };
	for (const step of one.timeline) {
		bytes.set(step.phase, (bytes.get(step.phase) ?? 0) + step.bytes - before.bytes);
		nodes.set(step.phase, (nodes.get(step.phase) ?? 0) + (step.nodes ?? before.nodes) - before.nodes);
		before = { bytes: step.bytes, nodes: step.nodes ?? before.nodes };
	}
	const drawn = rows.map((row) => [row.querySelector('td')?.getAttribute('title'), row.querySelector('td:last-child')?.getAttribute('title')]);
	expect([name, handle, drawn]).toEqual([name, handle, [...bytes].map(([phase, sum]) => [visible(phase), `${grouped(sum)} bytes`])]);
	if (one.timeline.every((step) => step.nodes !== null)) {
		const signed = (value: number): string => (value > 0 ? `+${grouped(value)}` : value < 0 ? `−${grouped(-value)}` : '0');
		expect([name, handle, rows.map((row) => textOf(row.querySelector('td:nth-child(4)')))]).toEqual([name, handle, [...nodes.values()].map(signed)]);
	}
}

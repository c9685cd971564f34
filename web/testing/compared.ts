/** Compare and Start-up, as the commands' results say that they have to be. */
import { expect } from 'vitest';
import type { DiffResult, ReportResult } from '../../src/answers/results.js';
import type { PageHotPairs } from '../../src/page/data.js';
import { grouped, rowsOf, textOf } from './facts.js';

export function checkCompare(box: Element, at: string, diff: DiffResult, pairs: PageHotPairs | null): void {
	const { inTheirOwnRight, changed, noise, noiseTest } = diff.summary;
	const heading = textOf(box.querySelector('h1'));
	const told = noiseTest?.verdict === 'within chance' ? [grouped(noise)] : [grouped(inTheirOwnRight), `${grouped(changed - inTheirOwnRight)} more with them`];
	for (const text of told) {
		expect(`${at}: ${heading}`).toContain(text);
	}
	const keyOf = ({ method, signature }: { readonly method: string; readonly signature: string | null }): string => `${method}${signature ?? ''}`;
	const rows = rowsOf(box, 'differences');
	for (const row of rows) {
		const name = row.get('Method')?.titles[0] ?? '';
		const own = diff.methods.filter(({ method }) => method === name);
		const expected = own.map((one) => {
			const changes = diff.changes.filter((change) => keyOf(change) === keyOf(one));
			const real = changes.filter((change) => change.noise !== true && change.cause === null).length;
			const delta = one.periodShareA === null && one.periodShareB === null ? null : 100 * ((one.periodShareB ?? 0) - (one.periodShareA ?? 0));
			const text = delta === null ? '–' : `${delta > 0 ? '+' : delta < 0 ? '−' : ''}${Math.abs(delta).toFixed(2)}`;
			return [text, real === 0 ? '–' : grouped(real), grouped(changes.filter((change) => change.noise === true).length)];
		});
		const seen = [row.get('Δ, pp')?.text.replace('≈ ', ''), row.get('Real')?.text, row.get('Noise')?.text];
		expect([at, name, expected]).toEqual([at, name, expect.arrayContaining([seen])]);
	}
	const isDifferent = new Set(diff.changes.filter(({ noise: isNoise, cause }) => isNoise !== true && cause === null).map(keyOf));
	const methods = diff.methods.filter((one) => isDifferent.has(keyOf(one))).length;
	expect([at, rows.length >= Math.min(methods, 200)]).toEqual([at, true]);
	checkAligned(box, at, pairs);
}

function checkAligned(box: Element, at: string, pairs: PageHotPairs | null): void {
	const option = box.querySelector('.pane.aligned select option[selected], .pane.aligned select option');
	if (option === null || pairs === null) {
		return;
	}
	const own = pairs.pairs.filter(({ a, b, lines }) => a !== null && b !== null && lines.length > 0);
	const notes = own.map(({ a, b, isSure, lines }) => {
		const only = (side: 'a' | 'b'): number => lines.filter((line) => line[side === 'a' ? 'b' : 'a'] === null).length;
		return `${a?.percent.toFixed(2)} → ${b?.percent.toFixed(2)} % ${isSure ? '' : '(within chance)'}; ${only('a')} only in a, ${only('b')} only in b`.replace(
			/\s+/g,
			' ',
		);
	});
	expect([at, notes]).toEqual([at, expect.arrayContaining([textOf(box.querySelector('.pane.aligned .note'))])]);
}

interface Layout {
	readonly name: string;
	readonly counts: readonly string[];
}

/** Each layout's touched pages, faults and area in the tables of Start-up or of the overview. */
function layoutsIn(box: Element): Layout[] {
	return [...box.querySelectorAll('table.maps tbody tr')].map((row) => ({
		name: row.querySelector('th')?.getAttribute('title') ?? '',
		counts: [...row.querySelectorAll('td.number')].map(textOf),
	}));
}

const countsOf = (one: {
	readonly execPages: number | null;
	readonly wholeFunctionPages: number;
	readonly windows64k: number;
	readonly areaUnderCurve: number;
}) => [one.execPages ?? one.wholeFunctionPages, one.windows64k, one.areaUnderCurve].map(grouped);

/** `show` opens a view: the overview sums traces up, Start-up shows one. */
export function checkStartup(show: (view: string, more?: string) => Element, at: string, startup: NonNullable<ReportResult['startup']>): void {
	const shown = layoutsIn(show('overview'));
	expect([at, shown]).toEqual([at, startup.layouts.map((one) => ({ name: one.name, counts: countsOf(one) }))]);
	for (const { name } of startup.layouts.length === 0 ? [] : startup.traces) {
		const traced = startup.layouts.flatMap((layout) =>
			layout.byTrace.filter(({ trace }) => trace === name).map((one) => ({ name: layout.name, counts: countsOf(one) })),
		);
		const box = show('startup', `trace=${encodeURIComponent(name)}`);
		expect([at, name, layoutsIn(box)]).toEqual([at, name, traced]);
		const best = Math.min(...traced.map(({ counts }) => Number(counts[1]!.replaceAll(',', ''))));
		expect(`${at} ${name}: ${textOf(box.querySelector('h1'))}`).toMatch(new RegExp(`(?:in|faults) ${grouped(best)} (?:windows|times)`));
	}
}

/** A range of time on the page: every number is that of its samples, as `assay hot --each-sample` tells them one by one, or is said to be of the whole run. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SampleColumns } from '../src/hot/sample-columns.js';
import { runAssay } from '../test/run-assay.js';
import { type PageTools, pageTools, root, settled } from './page.js';

let tools: PageTools;
beforeAll(async () => {
	tools = await pageTools();
});
afterAll(() => tools?.close());

interface Sample {
	readonly ms: number;
	readonly compileId: string | null;
	/** The innermost method; of native code its reason. */
	readonly method: string | null;
}

interface Code {
	readonly compileId: string;
	readonly method: string;
	readonly position: readonly number[];
	readonly positions: readonly (readonly { readonly method: string }[])[];
}

interface Compilation {
	readonly handle: string;
	readonly compiler: string | null;
	readonly startedMs?: number;
	readonly doneMs?: number;
	readonly memoryBytes?: number;
}

interface Hot {
	readonly sampleColumns: SampleColumns;
	readonly clock: { readonly startSeconds: number | null };
	readonly code: readonly Code[];
}

async function jsonOf<T>(...argv: string[]): Promise<T> {
	return JSON.parse((await runAssay([...argv, '--json'], root)).stdout).result;
}

/** Counted anew from what the command prints, by none of the page's own code. */
async function samplesOf(recording: string): Promise<Sample[]> {
	const { sampleColumns: columns, clock, code } = await jsonOf<Hot>('hot', recording, '--each-sample', '--code');
	const codeOf = new Map(code.map((one) => [one.compileId, one]));
	let us = (columns.startSeconds - (clock.startSeconds ?? columns.startSeconds)) * 1e6;
	return columns.deltaUs.map((delta, i) => {
		us += delta;
		const { compileId } = columns.places[columns.place[i]!]!;
		const own = codeOf.get(compileId ?? '');
		const frames = own?.positions[own.position[columns.instruction[i]!] ?? -1];
		return { ms: us / 1000, compileId, method: frames?.[0]?.method ?? own?.method ?? null };
	});
}

const percentOf = (part: number, whole: number): string => ((100 * part) / whole).toFixed(1);

/** A third of the run, from where `share` of the samples are over. */
function rangeOf(samples: readonly Sample[], share: number): [number, number] {
	const at = (one: number): number => Math.round(samples[Math.floor(one * (samples.length - 1))]!.ms);
	return [at(share), at(share + 0.34)];
}

function counted<T>(values: Iterable<T>): Map<T, number> {
	const counts = new Map<T, number>();
	for (const value of values) {
		counts.set(value, (counts.get(value) ?? 0) + 1);
	}
	return counts;
}

const heading = async (page: Page): Promise<string> => (await page.locator('h1').textContent()) ?? '';

/** In a browser two are enough: `web/page-numbers.test.ts` and `.live.ts` draw every view of every recording without one. */
const RECORDINGS = ['fixtures/agent/jdk25', 'fixtures/joined/jdk25-c2'];

describe.each(RECORDINGS)('%s', (recording) => {
	let url: string;
	let samples: Sample[];
	let compilers: ReadonlyMap<string, Compilation>;
	beforeAll(async () => {
		url = await tools.write(['report', recording], recording.replaceAll('/', '-'));
		samples = await samplesOf(recording);
		const { compilations } = await jsonOf<{ compilations: readonly Compilation[] }>('report', recording, '--no-index');
		compilers = new Map(compilations.map((one) => [one.handle.slice(1), one]));
	});

	test('headline, table, Samples and one compilation count the samples of the range, and without one all', async () => {
		for (const share of [null, 0.1, 0.6]) {
			const [from, to] = share === null ? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] : rangeOf(samples, share);
			const address = share === null ? '' : `?t=${from}-${to}`;
			const inside = samples.filter(({ ms }) => ms >= from && ms <= to);
			expect(inside.length).toBeGreaterThan(20);
			const top = inside.filter(({ compileId }) => (compilers.get(compileId ?? '')?.compiler ?? 'c1') !== 'c1');
			const { page, complaints } = await tools.open(`${url}#/overview${address}`);
			expect(await heading(page)).toContain(`${percentOf(top.length, inside.length)} % of its ${inside.length.toLocaleString('en-US')} samples are in C2 code`);
			await page.goto(`${url}#/compilations${address}`);
			await page.locator('.compilations').waitFor();
			const byId = counted(inside.map(({ compileId }) => compileId));
			byId.delete(null);
			const [id, most] = [...byId].sort((a, b) => b[1] - a[1])[0]!;
			const row = page.locator('#compilations .row', { has: page.getByText(`c${id}`, { exact: true }) }).locator('[title*=" samples"]');
			expect(await row.getAttribute('title')).toBe(`${most.toLocaleString('en-US')} of ${inside.length.toLocaleString('en-US')} samples`);
			await page.goto(`${url}#/compilation/${encodeURIComponent(`c${id}`)}${address}`);
			await page.locator('.facts').waitFor();
			expect(await page.locator('.facts').textContent()).toContain(`${percentOf(most, inside.length)} %`);
			expect(await page.locator('.facts').textContent()).toContain(`(${most.toLocaleString('en-US')})`);
			await page.goto(`${url}#/samples${address}`);
			await settled(page);
			const byMethod = counted(inside.flatMap(({ method }) => method ?? []));
			const hottest = Math.max(...byMethod.values());
			expect(await heading(page)).toContain(` holds ${percentOf(hottest, inside.length)} % of the samples itself`);
			await expect.poll(() => page.locator('.controls .note').textContent()).toContain(` · ${inside.length.toLocaleString('en-US')} samples`);
			const shares = await page
				.locator('#methods .row')
				.evaluateAll((rows) => rows.map((one) => [one.querySelector('.method')?.getAttribute('title') ?? '', one.children[1]?.textContent ?? '']));
			for (const [method = '', self] of shares.filter(([name]) => !name?.startsWith('('))) {
				expect([method, self]).toEqual([method, percentOf(byMethod.get(method) ?? 0, inside.length)]);
			}
			expect(await page.locator('.whole-run').count()).toBe(0);
			await page.goto(`${url}#/bias${address}`);
			await page.locator('#bias-methods').waitFor();
			expect(await page.locator('.whole-run').allTextContents()).toEqual(
				share === null ? [] : [expect.stringMatching(/^The prediction is of the whole run: /)],
			);
			expect(complaints).toEqual([]);
			await page.close();
		}
	});
});

test('Samples opens on the samples that all views count, before thread dumps, and says so; inside out, its first row has what methods hold themselves', async () => {
	const recording = 'fixtures/jvm/safepoint/jdk25-serial';
	const { page } = await tools.open(`${await tools.write(['report', recording], 'best')}#/samples`);
	expect(await page.locator('select[aria-label=stacks] option').first().textContent()).toBe('dump.collapsed');
	expect(await page.locator('.controls .note').textContent()).toMatch(/^samples, by inlining: /);
	const samples = await samplesOf(recording);
	const [[hottest, most]] = [...counted(samples.flatMap(({ method }) => method ?? []))].sort((a, b) => b[1] - a[1]) as [[string, number]];
	expect(await heading(page)).toContain(` holds ${percentOf(most, samples.length)} % of the samples itself`);
	await page.getByRole('button', { name: 'inside out' }).click();
	const share = `${((100 * most) / samples.length).toFixed(2)} % seen`;
	await expect.poll(() => page.locator(`#flame [aria-level="2"]`).first().getAttribute('aria-label')).toContain(`${hottest}: ${share}`);
	await page.getByRole('searchbox', { name: 'mark frames' }).fill(hottest.toUpperCase());
	await page.locator('#flame .box.found').first().waitFor();
	await expect.poll(() => page.locator('output').textContent()).toContain(' % of the samples are in or below ');
	await page.close();
});

test('stacks of other profilers are of the whole run, and the page says so', async () => {
	const url = await tools.write(['report', 'fixtures/jvm/safepoint/strip-jdk17-serial'], 'others');
	const { page } = await tools.open(`${url}#/samples?t=1000-2000&source=2`);
	const whole = await heading(page);
	expect(await page.locator('.whole-run').textContent()).toContain('do not tell when');
	expect(await page.locator('.controls .note').textContent()).toContain('396 samples of the whole run');
	await page.goto(`${url}#/samples?source=2`);
	await page.locator('.whole-run').waitFor({ state: 'detached' });
	expect(await heading(page)).toBe(whole);
	await page.close();
});

test('samples without times: no range leaves any out, and the page says so', async () => {
	const { page } = await tools.open(`${await tools.write(['report', 'fixtures/jvm/async-profiler'], 'timeless')}#/overview?t=100-200`);
	const inRange = await heading(page);
	expect(
		await page
			.locator('.pane', { has: page.locator('#timeline') })
			.locator('.note')
			.textContent(),
	).toContain('samples do not tell when');
	await page.locator('header .range button').click();
	await page.locator('header .range').waitFor({ state: 'detached' });
	expect(inRange).toBe(await heading(page));
	await page.close();
});

test('memory: the compilations that a compiler worked on in the range', async () => {
	const recording = 'fixtures/jvm/memstat/events';
	const { compilations } = await jsonOf<{ compilations: readonly Compilation[] }>('report', recording, '--no-index');
	const withMemory = compilations.filter(({ memoryBytes }) => memoryBytes !== undefined);
	const times = withMemory.map(({ startedMs = 0 }) => startedMs).sort((a, b) => a - b);
	const [from = 0, to = 0] = [times[Math.floor(times.length / 3)], times[Math.floor((2 * times.length) / 3)]];
	const inside = withMemory.filter(({ startedMs = 0, doneMs = startedMs }) => startedMs <= to && doneMs >= from);
	expect(inside.length).toBeGreaterThan(2);
	expect(inside.length).toBeLessThan(withMemory.length);
	const url = await tools.write(['report', recording], 'memory');
	const { page } = await tools.open(`${url}#/memory?t=${from}-${to}`);
	expect(await heading(page)).toContain(`${inside.length} compilations of `);
	await page.goto(`${url}#/memory`);
	await expect.poll(() => heading(page)).toContain(`${withMemory.length} compilations needed`);
	await page.close();
});

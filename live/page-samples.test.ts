/** The page's samples: threads and their classes as filters, the tree, transforms, the order of time; numbers are those of the commands. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from '../test/run-assay.js';
import { type PageTools, pageTools, root, settled } from './page.js';

const RECORDING = 'fixtures/agent/jdk25';
let tools: PageTools;
let url: string;
beforeAll(async () => {
	tools = await pageTools();
	url = await tools.write(['report', RECORDING], 'recording');
});
afterAll(() => tools?.close());

async function jsonOf<T>(...argv: string[]): Promise<T> {
	return JSON.parse((await runAssay([...argv, '--json'], root)).stdout).result;
}

interface Report {
	readonly samples: { readonly counted: number };
	readonly compilations: readonly { readonly handle: string; readonly samples: number }[];
	readonly threadTime: {
		readonly classes: readonly { readonly class: string; readonly samples: number }[];
		readonly threads: readonly { readonly name: string; readonly id: number; readonly class: string; readonly samples: number }[];
		readonly libraries: readonly {
			readonly library: string;
			readonly percent: number;
			readonly symbols: readonly { readonly symbol: string | null; readonly percent: number }[];
		}[];
	};
}

/** Rows of the call tree in sight: total, self, name. */
const treeRows = (page: Page): Promise<[string, string, string][]> =>
	page
		.locator('#call-tree .row')
		.evaluateAll((rows) =>
			rows.map((row): [string, string, string] => [
				row.children[0]?.textContent ?? '',
				row.children[1]?.textContent ?? '',
				row.querySelector('.method')?.getAttribute('title') ?? '',
			]),
		);

const noteOf = (page: Page): Promise<string | null> => page.locator('.controls .note').first().textContent();

test('a thread is chosen in the overview or a list, and every view counts its samples as assay report --thread does', async () => {
	const { threadTime } = await jsonOf<Report>('report', RECORDING, '--no-index');
	const { page, complaints } = await tools.open(`${url}#/overview`);
	// The command chooses by the name alone.
	const ofOneName = threadTime.threads.filter(({ name }) => threadTime.threads.filter((one) => one.name === name).length === 1);
	for (const { name, id, samples } of ofOneName.slice(0, 3)) {
		const own = await jsonOf<Report>('report', RECORDING, '--no-index', '--thread', name);
		await page.goto(`${url}#/samples?thread=${encodeURIComponent(`${name}/${id}`)}`);
		await settled(page);
		await expect.poll(() => noteOf(page)).toContain(` · ${samples} samples`);
		expect(own.samples.counted).toBe(samples);
		await page.goto(`${url}#/compilations?thread=${encodeURIComponent(`${name}/${id}`)}`);
		await page.locator('.compilations').waitFor();
		const shown = await page
			.locator('#compilations .row')
			.evaluateAll((rows) =>
				rows.map((row) => [row.querySelector('.handle')?.textContent ?? '', row.querySelector('[title*=" samples"]')?.getAttribute('title') ?? '0']),
			);
		const expected = own.compilations.filter((row) => row.samples > 0).map((row) => [row.handle, `${row.samples} of ${samples} samples`]);
		expect(shown.filter(([, title]) => title !== '0')).toEqual(expected.slice(0, shown.length));
	}
	await page.goto(`${url}#/overview`);
	await settled(page);
	await page.locator('.thread-time summary').first().click();
	const main = threadTime.threads[0]!;
	await page
		.locator('.thread-time')
		.getByRole('button', { name: `${main.name}/${main.id}`, exact: true })
		.click();
	await page.locator('header .range', { hasText: `thread ${main.name}/${main.id}` }).waitFor();
	await expect.poll(() => page.locator('h1').textContent()).toContain(` of thread ${main.name}/${main.id}`);
	await page.getByRole('button', { name: 'show every thread' }).click();
	// Libraries and functions of native code open as callers and callees.
	const library = threadTime.libraries[0]!;
	await page.locator('.thread-time summary', { hasText: library.library }).click();
	const symbol = library.symbols.find((one) => one.symbol !== null)?.symbol ?? '';
	await page.locator('.thread-time').getByRole('button', { name: symbol, exact: true }).first().click();
	await page.waitForSelector('#callers');
	expect(await page.locator('#callers [aria-level="2"]').getAttribute('aria-label')).toContain(`(${symbol})`);
	await page.goto(`${url}#/samples`);
	await settled(page);
	await page.locator('select[aria-label="only samples of threads of"]').selectOption({ label: 'C2' });
	await expect.poll(() => noteOf(page)).toContain(` · ${threadTime.classes.find((one) => one.class === 'c2')!.samples} samples`);
	expect(complaints).toEqual([]);
	await page.close();
});

test('the tree has the numbers of assay report, opens by keys, turns inside out, and marks what is searched', async () => {
	const { page, complaints } = await tools.open(`${url}#/samples?graph=tree`);
	const rows = await treeRows(page);
	const { threadTime, samples } = await jsonOf<Report>('report', RECORDING, '--no-index');
	const shareOf = (name: string): number => Number(rows.find(([, , one]) => one === name)?.[0]);
	expect(rows[0]).toEqual(['100.00', '0.00', 'all']);
	expect(shareOf('(libjvm.so)')).toBeCloseTo(threadTime.libraries.find(({ library }) => library === 'libjvm.so')!.percent, 2);
	// Self times of all frames are all samples.
	await page.locator('#call-tree').focus();
	await page.keyboard.press('Home');
	await page.keyboard.press('*');
	const whole = await page.evaluate<string>(`new Promise((resolve) => {
		addEventListener('copy', (event) => resolve(event.clipboardData.getData('text/plain')), { once: true });
		document.execCommand('copy');
	})`);
	const lines = whole.trimEnd().split('\n');
	const self = lines.reduce((sum, line) => sum + Number(/^ *[\d.]+ % +([\d.]+) %/.exec(line)?.[1]), 0);
	expect(Math.abs(self - 100)).toBeLessThan(0.005 * lines.length);
	expect(samples.counted).toBeGreaterThan(lines.length);
	await page.keyboard.press('ArrowLeft');
	await expect.poll(async () => (await treeRows(page)).length).toBe(1);
	await page.keyboard.press('ArrowRight');
	await expect.poll(async () => (await treeRows(page)).length).toBeGreaterThan(3);
	await page.getByRole('button', { name: 'inside out' }).click();
	await expect.poll(async () => (await treeRows(page))[1]?.[2]).toBe('Ledger.steps');
	await page.getByRole('searchbox', { name: 'mark frames' }).fill('ledger.steps');
	await page.locator('#call-tree .found-frame').first().waitFor();
	expect(complaints).toEqual([]);
	await page.close();
});

test('focus, drop, merge and collapsed recursion change the graph, are in the address, and are taken back', async () => {
	const { page, complaints } = await tools.open(`${url}#/samples?graph=tree`);
	const choose = async (name: string): Promise<void> => {
		await page
			.locator('#call-tree .row', { has: page.locator(`.method[title="${name}"]`) })
			.first()
			.click();
	};
	const native = (await treeRows(page)).find(([, , name]) => name === '(native)')!;
	await choose('(native)');
	await page.getByRole('button', { name: 'drop its samples' }).click();
	await expect.poll(async () => (await treeRows(page)).some(([, , name]) => name === '(native)')).toBe(false);
	expect(Number((await treeRows(page))[0]![0])).toBeCloseTo(100 - Number(native[0]), 1);
	expect(await page.locator('.transforms .hint').textContent()).toContain('shares are of all');
	await page.reload();
	await settled(page);
	await page.getByRole('button', { name: /^take back/ }).click();
	await expect.poll(async () => (await treeRows(page))[0]![0]).toBe('100.00');
	await choose('(native)');
	await page.locator('#call-tree').focus();
	await page.keyboard.press('f');
	await expect.poll(async () => (await treeRows(page))[0]![0]).toBe(native[0]);
	expect((await treeRows(page))[1]).toEqual(native);
	await choose('(native)');
	await page.locator('#call-tree').focus();
	await page.keyboard.press('m');
	await expect.poll(async () => (await treeRows(page))[1]![2]).toBe('(libjvm.so)');
	expect((await treeRows(page))[0]![0]).toBe(native[0]);
	await page.goBack();
	await expect.poll(async () => (await treeRows(page))[1]![2]).toBe('(native)');
	await page.keyboard.press('r');
	expect(complaints).toEqual([]);
	await page.close();
});

test('in the order of time the whole has all samples, and a range those in it', async () => {
	const { page, complaints } = await tools.open(`${url}#/samples`);
	await page.getByRole('tab', { name: 'time order' }).click();
	await expect.poll(() => page.url()).toContain('graph=time');
	expect(await page.locator('#flame [aria-level="1"]').getAttribute('aria-label')).toContain('100.00 % seen');
	// The same names come again.
	const names = await page.locator('#flame [aria-level="2"]').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')?.replace(/:.*$/, '')));
	expect(new Set(names).size).toBeLessThan(names.length);
	await page.goto(`${url}#/samples?graph=time&t=2500-3200`);
	await settled(page);
	expect(await page.locator('#flame [aria-level="1"]').getAttribute('aria-label')).toContain('100.00 % seen');
	expect(complaints).toEqual([]);
	await page.close();
});

/** The page at every size, in both themes, by keys alone, in forced colours and on paper. */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from '../test/run-assay.js';
import { type PageTools, pageTools, root, settled } from './page.js';

let tools: PageTools;
const urls: Record<string, string> = {};
beforeAll(async () => {
	tools = await pageTools();
	urls.joined = await tools.write(['report', 'fixtures/joined/jdk25-c2'], 'joined');
	urls.diff = await tools.write(['diff', 'examples/a', 'examples/b'], 'diff');
	urls.order = await tools.write(['report', 'examples/order'], 'order');
});
afterAll(() => tools?.close());

/** A view of each kind, some with a part of it chosen, some with nothing to show. */
const VIEWS = [
	['joined', 'overview'],
	['joined', 'compilations?t=1000-3000'],
	['joined', 'compilation/c355?at=150'],
	['joined', 'samples'],
	['joined', 'samples?graph=tree&x=drop:(native)'],
	['joined', 'samples?method=java.util.HashMap.merge&mode=difference'],
	['joined', 'bias?t=1000-3000'],
	['joined', 'memory'],
	['joined', 'compare'],
	['diff', 'compare'],
	['order', 'startup'],
] as const;

const addressOf = (recording: string, view: string): string => `${urls[recording]}#/${view}`;

/** CSS pixels: 320 is 400 % zoom on a screen of 1280, 640 is 200 %, 3840 is 50 % on one of 1920. */
const WIDTHS = [320, 640, 1000, 1280, 1920, 3840];

/** Runs in the page: what is flat, drawn over another, outside of its pane or cut. */
const FAULTS = `(() => {
	const nameOf = (one) => one.querySelector('h2')?.textContent ?? one.className;
	const main = document.querySelector('main').getBoundingClientRect();
	// What lies in what scrolls is seen as far as that reaches.
	const boxOf = (one) => {
		const { left, right, top, bottom } = one.getBoundingClientRect();
		return one.closest('main') === null ? { left, right, top, bottom } : { left, right, top: Math.max(top, main.top), bottom: Math.min(bottom, main.bottom) };
	};
	const faults = [];
	const panes = [...document.querySelectorAll('.pane')];
	for (const pane of panes) {
		const { left, right, top, bottom, height } = pane.getBoundingClientRect();
		if (height < 50) faults.push('flat: ' + nameOf(pane));
		if (left < -1 || right > innerWidth + 1) faults.push('outside of the window: ' + nameOf(pane));
		for (const child of getComputedStyle(pane).overflowY === 'visible' ? pane.children : []) {
			const box = child.getBoundingClientRect();
			if (box.height > 0 && (box.bottom > bottom + 2 || box.top < top - 2)) faults.push('outside of ' + nameOf(pane) + ': ' + (child.id || child.className));
		}
	}
	for (const text of document.querySelectorAll('main svg text')) {
		const [own, around] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
		if (own.width > 0 && around.width > 60 && (own.left < around.left - 1 || own.right > around.right + 1)) faults.push('label cut: ' + text.textContent);
	}
	const blocks = [...panes, ...document.querySelectorAll('.view > h1, .chips, .controls, .compilation > .title, .key-line, header.bar, .whole-run')];
	blocks.forEach((a, i) => blocks.slice(i + 1).forEach((b) => {
		const [one, other] = [boxOf(a), boxOf(b)];
		const isOver = Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
		if (isOver && !a.contains(b) && !b.contains(a)) faults.push(nameOf(a) + ' over ' + nameOf(b));
	}));
	for (const list of document.querySelectorAll('.virtual, .scroll')) {
		if (list.getBoundingClientRect().height < 40) faults.push('flat: ' + (list.id || list.className));
	}
	for (const text of document.querySelectorAll('svg text')) {
		const [around, box] = [text.ownerSVGElement.getBoundingClientRect(), text.getBoundingClientRect()];
		if (text.textContent !== '' && (box.left < around.left - 1 || box.right > around.right + 1 || box.top < around.top - 2 || box.bottom > around.bottom + 2)) {
			faults.push('cut: ' + text.textContent);
		}
	}
	for (const one of document.querySelectorAll('.cell.number, .head .cell, td.number, th.number, .asm .value, h2, .facts, .pane-head .right, .bar nav a, .tabs button')) {
		if (one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1) faults.push('cut: ' + one.textContent.slice(0, 60));
	}
	if (document.documentElement.scrollWidth > innerWidth) faults.push('scrolls sideways: ' + document.documentElement.scrollWidth);
	return faults;
})()`;

const focused = (page: Page): Promise<string> =>
	page.evaluate<string>(`document.activeElement.id || document.activeElement.getAttribute('aria-label') || document.activeElement.textContent.slice(0, 30)`);

const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function violations(page: Page, options: string): Promise<unknown[]> {
	const results = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
	return results.violations.map(({ id, impact, nodes }) => ({ id, impact, where: nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)) }));
}

test.each(VIEWS)('%s %s: right at every size, for axe in both themes, by Tab, and on paper', async (recording, view) => {
	const { page, complaints } = await tools.open(addressOf(recording, view));
	await page.evaluate(axe);
	expect(await violations(page, '{}')).toEqual([]);
	expect(await page.locator('h1').count()).toBe(1);
	// Whatever scrolls or is a list is reached.
	const wanted = await page
		.locator('main .virtual, main .flame, main .scroll, main .timeline, main .loops')
		.evaluateAll((all) => all.map((one) => one.id || one.getAttribute('aria-label') || ''));
	const reached = new Set<string>();
	for (let i = 0; i < 90 && wanted.some((one) => !reached.has(one)); i++) {
		await page.keyboard.press('Tab');
		reached.add(await focused(page));
	}
	expect(wanted.filter((one) => !reached.has(one))).toEqual([]);
	for (const width of WIDTHS) {
		await page.setViewportSize({ width, height: width < 1000 ? 500 : width > 2000 ? 2000 : 800 });
		await page.waitForTimeout(80);
		expect({ width, faults: await page.evaluate<string[]>(FAULTS) }).toEqual({ width, faults: [] });
	}
	await page.setViewportSize({ width: 1280, height: 800 });
	await page.emulateMedia({ colorScheme: 'dark' });
	expect(await violations(page, `{ runOnly: ['color-contrast'] }`)).toEqual([]);
	// Of the width of a sheet. What is printed is dark on white in the dark theme too, and nothing is cut off.
	await page.setViewportSize({ width: 794, height: 1000 });
	await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
	const [ink = '', ...cut] = await page.evaluate<
		string[]
	>(`[getComputedStyle(document.body).color, ...[...document.querySelectorAll('.virtual, .scroll, .loops, .findings-list, .pane')]
			.filter((one) => getComputedStyle(one).overflowY !== 'visible' && one.scrollHeight > one.clientHeight + 1).map((one) => one.id || one.className)]`);
	expect(cut).toEqual([]);
	expect(Math.max(...(ink.match(/\d+/g) ?? ['255']).map(Number))).toBeLessThan(80);
	expect(await page.locator('.search').isVisible()).toBe(false);
	expect(complaints).toEqual([]);
	await page.close();
});

test('in forced colours the row that is active and the bars are seen', async () => {
	const { page } = await tools.open(addressOf('joined', 'overview'), { forcedColors: 'active' });
	const styleOf = (selector: string, property: string): Promise<string> =>
		page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)}))[${JSON.stringify(property)}]`);
	expect(await styleOf('#compilations .row.active', 'outlineStyle')).toBe('solid');
	expect(await styleOf('#compilations .row span.bar i', 'backgroundColor')).not.toBe(await styleOf('#compilations .row', 'backgroundColor'));
	await page.close();
});

test('views without data are dimmed and say in one sentence what would fill them', async () => {
	const { page } = await tools.open(addressOf('order', 'overview'));
	expect(await page.locator('nav a.without').allTextContents()).toEqual(['Compilations', 'Compare', 'Samples', 'Bias', 'Memory']);
	for (const name of ['Compilations', 'Compare', 'Samples', 'Bias', 'Memory']) {
		await page.getByRole('link', { name, exact: true }).click();
		await settled(page);
		expect(await page.locator('.empty').first().textContent()).toMatch(/^[A-Z].* (?:by|with|without) .*\.$/);
	}
	await page.close();
});

test('a comparison opens on what differs, equal calls folded; n and N go from change to change in trees and code', async () => {
	const { stdout } = await runAssay(['diff', 'examples/a', 'examples/b', '--json'], root);
	const { changes } = JSON.parse(stdout).result as { changes: { method: string }[] };
	const { page, complaints } = await tools.open(addressOf('diff', '').replace('#/', ''));
	expect(await page.locator('nav a[aria-current=page]').textContent()).toBe('Compare');
	const method = await page.locator('#differences .row.active .method').getAttribute('title');
	expect(changes.map((change) => change.method)).toContain(method);
	const isChange = (list: string): Promise<boolean> =>
		page.evaluate<boolean>(`document.querySelector('#${list} .row.active')?.matches('.star, .plus, .minus') ?? false`);
	const activeId = (list: string): Promise<string> => page.evaluate<string>(`document.querySelector('#${list} .row.active').id`);
	const shows = await page.locator('#trees .row').count();
	const walk = async (list: string): Promise<void> => {
		expect(await isChange(list)).toBe(true);
		await page.locator(`#${list}`).focus();
		const first = await activeId(list);
		await page.keyboard.press('n');
		expect(await isChange(list)).toBe(true);
		await page.keyboard.press('N');
		expect(await activeId(list)).toBe(first);
	};
	await walk('trees');
	// Anywhere in the view the trees move.
	const before = await activeId('trees');
	await page.locator('#differences').focus();
	await page.keyboard.press('n');
	await page.keyboard.press('N');
	expect(await activeId('trees')).toBe(before);
	// However fast the keys come.
	await page.evaluate(`for (const key of 'nnNnNN') document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))`);
	await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
	expect(await activeId('trees')).toBe(before);
	const folds = page.locator('#trees .equal-fold');
	const folded = await folds.count();
	expect(folded).toBeGreaterThan(0);
	await folds.first().click();
	await expect.poll(() => folds.count()).toBe(folded - 1);
	await page.locator('#trees').focus();
	await page.keyboard.press('e');
	await expect.poll(() => page.url()).toContain('all=1');
	expect(await page.locator('.equal-fold').count()).toBe(0);
	expect(await page.locator('#trees .row').count()).toBeGreaterThanOrEqual(shows);
	await page.goto(await tools.write(['diff', 'fixtures/jvm/perfasm/jdk25-mapGet', 'fixtures/jvm/perfasm/jdk25-mapGet-2events'], 'code'));
	await page.locator('#aligned .row.active').waitFor();
	await walk('aligned');
	expect(complaints).toEqual([]);
	await page.close();
});

test('two recordings of one name are told apart', async () => {
	const folders = ['first', 'second'].map((name) => `${tools.folder}/${name}/run`);
	for (const [i, folder] of folders.entries()) {
		fs.cpSync(['examples/a', 'examples/b'][i]!, folder, { recursive: true });
	}
	const { page } = await tools.open(`${await tools.write(['diff', ...folders], 'same-name')}#/compare`);
	expect(await page.locator('.recording button').allTextContents()).toEqual(['a first/run', 'b second/run']);
	await page.goto(`${urls.diff}#/compare`);
	await settled(page);
	expect(await page.locator('.recording button').allTextContents()).toEqual(['a', 'b']);
	// Its trees open at their first change.
	await page.locator('#trees .row.active.star, #trees .row.active.plus, #trees .row.active.minus').waitFor();
	await page.close();
});

/** Finding and taking along: search, hidden classes, values in the timeline, its zoom, rows and code on the clipboard. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from '../test/run-assay.js';
import { type PageTools, pageTools, root, settled } from './page.js';

const JOINED = 'fixtures/joined/jdk25-c2';
const AGENT = 'fixtures/agent/jdk25';
let tools: PageTools;
let joined: string;
let agent: string;
beforeAll(async () => {
	tools = await pageTools();
	joined = await tools.write(['report', JOINED], 'joined');
	agent = await tools.write(['report', AGENT], 'agent');
});
afterAll(() => tools?.close());

async function jsonOf<T>(...argv: string[]): Promise<T> {
	return JSON.parse((await runAssay([...argv, '--json'], root)).stdout).result;
}

/** What is found for a text, each as its words. */
async function search(page: Page, text: string): Promise<string[]> {
	await page.keyboard.press('/');
	await page.keyboard.type(text);
	const options = page.locator('.found [role=option]');
	await options.first().waitFor();
	await page.waitForTimeout(100);
	return (await options.allTextContents()).map((one) => one.replace(/\s+/g, ' ').trim());
}

/** What Ctrl+C puts on the clipboard while an element has the focus. */
async function copied(page: Page, selector: string): Promise<string> {
	await page.locator(selector).focus();
	return page.evaluate<string>(`new Promise((resolve) => {
		const take = (event) => { removeEventListener('copy', take); resolve(event.clipboardData.getData('text/plain')); };
		addEventListener('copy', take);
		document.execCommand('copy');
	})`);
}

test('search: names as they are displayed, instructions by address, methods that were only inlined, native functions', async () => {
	const { page, complaints } = await tools.open(joined);
	expect((await search(page, 'j.u.HashMap.merge'))[0]).toContain('j.u.HashMap.merge');
	await page.keyboard.press('Escape');
	// A hidden class is told apart from others of its name by the end of its address.
	expect((await search(page, 'Words.λ40210'))[0]).toContain('Words.λ40210 apply');
	await page.keyboard.press('Escape');
	const { code } = await jsonOf<{ code: { handle: string; compileId: string; start: string; offset: number[]; text: string[]; seen: number[] }[] }>(
		'hot',
		JOINED,
		'--code',
	);
	const hottest = code[0]!;
	const instruction = Math.floor(hottest.offset.length / 2);
	const address = (Number.parseInt(hottest.start, 16) + hottest.offset[instruction]!).toString(16);
	for (const text of [`0x${address}`, address.slice(-6)]) {
		expect(await search(page, text)).toContainEqual(expect.stringMatching(new RegExp(`^c${hottest.compileId} .*at ${address.slice(-6)}`)));
		await page
			.locator('.found [role=option]', { hasText: `c${hottest.compileId}` })
			.first()
			.dispatchEvent('pointerdown');
		await page.waitForSelector('#code .row.active.instruction');
		await expect.poll(() => page.locator('#code .row.active .address').textContent()).toBe(address.slice(-6));
		await page.goto(`${joined}#/overview`);
		await settled(page);
	}
	// A method without a compilation of its own leads to the hottest compilation that has it inside.
	const { compilations } = await jsonOf<{ compilations: { method: string; handle: string; callSites: { callee: string; inlined: boolean }[] }[] }>(
		'compilations',
		JOINED,
	);
	const own = new Set(compilations.map(({ method }) => method));
	const only = compilations.flatMap(({ callSites }) => callSites).find(({ callee, inlined }) => inlined && callee !== null && !own.has(callee))!;
	const holders = compilations.filter(({ callSites }) => callSites.some(({ callee, inlined }) => inlined && callee === only.callee));
	const found = (await search(page, only.callee)).find((one) => one.includes('only inlined'));
	expect(found).toContain(`${holders.length} ×`);
	await page.locator('.found [role=option]', { hasText: 'only inlined' }).first().dispatchEvent('pointerdown');
	await expect.poll(() => page.locator('.selected b').textContent()).toContain(only.callee.replace(/^.*\./, ''));
	await page.goto(`${agent}#/overview`);
	await settled(page);
	// Native functions lead to their callers and callees.
	const { threadTime } = await jsonOf<{ threadTime: { libraries: { library: string; symbols: { symbol: string | null; percent: number }[] }[] } }>(
		'report',
		AGENT,
	);
	const { symbols } = threadTime.libraries.find(({ library }) => library === 'libjvm.so')!;
	const symbol = symbols.find((one) => one.symbol !== null)?.symbol ?? '';
	expect((await search(page, symbol)).some((one) => one.includes('native'))).toBe(true);
	await page.locator('.found [role=option]', { hasText: 'native' }).first().dispatchEvent('pointerdown');
	await page.waitForSelector('#callers');
	expect(complaints).toEqual([]);
	await page.close();
});

test('the timeline tells what is under the pointer, and zooms by mouse and keys', async () => {
	const { page, complaints } = await tools.open(joined);
	const box = (await page.locator('#timeline').boundingBox())!;
	const readout = page.locator('.timeline-foot .readout');
	await page.mouse.move(box.x + box.width / 2, box.y + 60);
	await expect.poll(() => readout.textContent()).toMatch(/^[\d.]+ m?s · .*samples? from /);
	// The values of all bins are those of the run.
	let sum = 0;
	let last = '';
	for (let x = 50; x < box.width - 10; x += 3) {
		await page.mouse.move(box.x + x, box.y + 60);
		const [, samples = '0', from = ''] = /· ([\d,]+) samples? from (\S+ \S+)/.exec((await readout.textContent()) ?? '') ?? [];
		if (from !== last) {
			sum += Number(samples.replaceAll(',', ''));
			last = from;
		}
	}
	const { samples } = await jsonOf<{ samples: { counted: number } }>('report', JOINED);
	expect(sum).toBe(samples.counted);
	const ticks = (): Promise<string[]> => page.locator('#timeline .tick text').allTextContents();
	const whole = await ticks();
	await page.goto(`${joined}#/overview?t=1000-2000`);
	await page.getByRole('button', { name: 'zoom to the range' }).click();
	await expect.poll(() => page.url()).toContain('z=1000-2000');
	const zoomed = await ticks();
	expect(zoomed.every((tick) => Number.parseFloat(tick) >= 1 && Number.parseFloat(tick) <= 2)).toBe(true);
	expect(zoomed.length).toBeGreaterThan(3);
	// The range is inside; what is counted is the same.
	expect(await page.locator('h1').textContent()).toContain('2.0 s');
	await page.locator('#timeline').focus();
	await page.keyboard.press('+');
	await page.keyboard.press('-');
	await page.keyboard.press('0');
	await expect.poll(() => page.url()).not.toContain('z=');
	expect(await ticks()).toEqual(whole);
	await page.mouse.move(box.x + box.width / 2, box.y + 60);
	await page.keyboard.down('Control');
	await page.mouse.wheel(0, -100);
	await page.keyboard.up('Control');
	await expect.poll(() => page.url()).toContain('z=');
	expect(complaints).toEqual([]);
	await page.close();
});

test('a table is copied with its head and whole names, code as lines, trees with their depth', async () => {
	const { page, complaints } = await tools.open(`${joined}#/compilations`);
	const { compilations } = await jsonOf<{ compilations: { handle: string; method: string; samples: number }[] }>('report', JOINED, '--no-index');
	const [head = '', ...rows] = (await copied(page, '#compilations')).trimEnd().split('\n');
	expect(head.split('\t').slice(0, 3)).toEqual(['handle', 'Method', 'Tier']);
	expect(rows.map((row) => row.split('\t').slice(0, 2))).toEqual(compilations.map(({ handle, method }) => [handle, method]));
	expect(new Set([head, ...rows].map((row) => row.split('\t').length)).size).toBe(1);
	// Marked by the mouse: those rows alone.
	await page.evaluate(`getSelection().setBaseAndExtent(document.querySelector('#compilations-1'), 0, document.querySelector('#compilations-3'), 1)`);
	expect((await copied(page, '#compilations')).trimEnd().split('\n')).toEqual(rows.slice(1, 4));
	await page.goto(`${joined}#/compilation/c355`);
	await page.waitForSelector('#code .instruction');
	await page.evaluate('getSelection().removeAllRanges()');
	await page.locator('#code').focus();
	await page.keyboard.press('f');
	const { code } = await jsonOf<{ code: { start: string; offset: number[]; text: string[] }[] }>('hot', JOINED, '--code', 'c355');
	const lines = (await copied(page, '#code')).trimEnd().split('\n');
	const instructions = lines.flatMap((line) => /0x[0-9a-f]+: .*$/.exec(line)?.[0] ?? []);
	expect(instructions).toHaveLength(code[0]!.text.length);
	code[0]!.text.forEach((text, i) => {
		expect(instructions[i]).toContain(`0x${(Number.parseInt(code[0]!.start, 16) + code[0]!.offset[i]!).toString(16)}: ${text}`);
	});
	const tree = await copied(page, '#inlining');
	expect(tree).toMatch(/\n {2}\S.*\n/);
	expect(complaints).toEqual([]);
	await page.close();
});

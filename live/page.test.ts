/** The page in a real browser: from a file and from `assay open`, by mouse and by keys, with friendly and hostile names. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runAssay } from '../test/run-assay.js';
import { findFirefox } from './browser.js';
import { type PageTools, pageTools, root, settled } from './page.js';

const MAP_GET = 'fixtures/jvm/perfasm/jdk25-mapGet';
let tools: PageTools;
let folder: string;

beforeAll(async () => {
	tools = await pageTools();
	folder = tools.folder;
});
afterAll(() => tools?.close());

const writePage: PageTools['write'] = (...all) => tools.write(...all);
const open: PageTools['open'] = (...all) => tools.open(...all);

/** Runs in the page: boxes of panes that lie in each other, and numbers that are cut. */
const LAYOUT = `(() => {
	const boxes = [...document.querySelectorAll('.pane')].map((pane) => ({ name: pane.querySelector('h2')?.textContent ?? '', box: pane.getBoundingClientRect() }));
	const overlaps = boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) =>
		Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left) > 1 && Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top) > 1,
	).map((b) => a.name + ' × ' + b.name));
	const cut = [...document.querySelectorAll('.cell.number, .heat-map td.number, .phase-table td.number, .asm .value')]
		.filter((cell) => cell.scrollWidth > cell.clientWidth + 1 && cell.clientWidth > 0).map((cell) => cell.textContent);
	return { overlaps, cut, panes: boxes.map(({ name }) => name), scrolls: document.documentElement.scrollWidth > innerWidth };
})()`;

interface Layout {
	readonly overlaps: string[];
	readonly cut: string[];
	readonly panes: string[];
	readonly scrolls: boolean;
}

const layoutOf = (page: Page): Promise<Layout> => page.evaluate<Layout>(LAYOUT);

let mapGet: string;
let diff: string;
let memory: string;
let order: string;
beforeAll(async () => {
	mapGet = await writePage(['report', MAP_GET], 'map-get');
	diff = await writePage(['diff', 'examples/a', 'examples/b'], 'diff');
	memory = await writePage(['report', 'examples/memory'], 'memory');
	order = await writePage(['report', 'examples/order'], 'order');
});

/** The handle of the hottest compilation. */
async function hottest(page: Page): Promise<string> {
	return (await page.locator('#compilations-0 .handle').textContent()) ?? '';
}

describe('layout', () => {
	const VIEWS: readonly (readonly [string, () => string, string])[] = [
		['overview', () => mapGet, '#/overview'],
		['compilations', () => mapGet, '#/compilations'],
		['bias', () => mapGet, '#/bias'],
		['samples', () => mapGet, '#/samples'],
		['memory', () => memory, '#/memory'],
		['compilation with memory', () => memory, '#/compilation/c13'],
		['compare', () => diff, '#/compare'],
		['start-up without evidence', () => mapGet, '#/startup'],
		['start-up of a program', () => order, '#/startup'],
		['overview of a program without a JVM', () => order, '#/overview'],
	];
	test.each(VIEWS)('%s: nothing overlaps, is cut or scrolls sideways, light and dark alike; no complaint, no request', async (_, url, hash) => {
		const layouts: Layout[] = [];
		for (const scheme of ['light', 'dark'] as const) {
			const { page, complaints, requests } = await open(url() + hash, { scheme });
			const layout = await layoutOf(page);
			expect(layout).toMatchObject({ overlaps: [], cut: [], scrolls: false });
			expect({ complaints, requests }).toEqual({ complaints: [], requests: [url() + hash].map((one) => one.split('#')[0]) });
			layouts.push(layout);
			await page.close();
		}
		expect(layouts[0]).toEqual(layouts[1]);
	});

	test('a compilation with code, at 1280 and at twice the size of everything', async () => {
		const { page } = await open(mapGet);
		const handle = await hottest(page);
		for (const [width, height] of [
			[1280, 800],
			[640, 400],
		] as const) {
			const opened = await open(`${mapGet}#/compilation/${encodeURIComponent(handle)}`, { width, height });
			await opened.page.waitForSelector('#code .instruction');
			expect(await layoutOf(opened.page)).toMatchObject({ overlaps: [], cut: [], scrolls: false });
			expect(opened.complaints).toEqual([]);
			await opened.page.close();
		}
		await page.close();
	});

	test('dark has light text on a dark ground', async () => {
		const lightness = async (scheme: 'light' | 'dark'): Promise<number[]> => {
			const { page } = await open(mapGet, { scheme });
			const colours = await page.evaluate<string[]>('[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]');
			await page.close();
			return colours.map((colour) => (colour.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, one) => sum + Number(one), 0) / 3);
		};
		const [light, dark] = [await lightness('light'), await lightness('dark')];
		expect(light[0]).toBeGreaterThan(220);
		expect(light[1]).toBeLessThan(60);
		expect(dark[0]).toBeLessThan(40);
		expect(dark[1]).toBeGreaterThan(200);
	});

	test('printed, tables have their rows and no bars stand around', async () => {
		const { page } = await open(`${mapGet}#/compilations`);
		await page.emulateMedia({ media: 'print' });
		expect(await page.locator('.search').isVisible()).toBe(false);
		expect((await page.pdf()).length).toBeGreaterThan(10_000);
		await page.close();
	});
});

describe('the numbers', () => {
	test('are those of the JSON and of the text', async () => {
		const { stdout } = await runAssay(['report', MAP_GET, '--json'], root);
		const { compilations, samples } = JSON.parse(stdout).result as {
			compilations: { handle: string; samples: number; percent: number; codeBytes: number; inlinedCalls?: number }[];
			samples: { counted: number };
		};
		const { page } = await open(`${mapGet}#/compilations`);
		for (const [i, row] of compilations.slice(0, 8).entries()) {
			const cells = await page.locator(`#compilations-${i} [role=gridcell]`).allTextContents();
			expect(cells[0]).toBe(row.handle);
			expect(cells[3]).toMatch(new RegExp(`^${row.samples === 0 ? '0' : row.percent.toFixed(1).replace('.', '\\.')}\\b`));
			expect(cells[5]).toBe(row.codeBytes === 0 ? '–' : row.codeBytes.toLocaleString('en-US'));
			if (row.samples > 0) {
				await expect
					.poll(() => page.locator(`#compilations-${i} [role=gridcell]:nth-child(4) span`).first().getAttribute('title'))
					.toBe(`${row.samples.toLocaleString('en-US')} of ${samples.counted.toLocaleString('en-US')} samples`);
			}
		}
		await page.close();
	});

	test('of samples by instruction add up to the compilation', async () => {
		const { page } = await open(mapGet);
		const handle = await hottest(page);
		const { stdout } = await runAssay(['hot', MAP_GET, '--json', '--code', '--each-sample', handle], root);
		const { code, compilations, sampleColumns } = JSON.parse(stdout).result;
		const seen = (code[0].seen as number[]).reduce((sum, one) => sum + one, 0) + code[0].withoutInstruction;
		const row = compilations.find((one: { handle: string }) => one.handle === handle);
		expect(seen).toBe(row.samples);
		const place = sampleColumns.places.findIndex(({ compileId }: { compileId: string | null }) => `c${compileId}` === handle);
		expect(sampleColumns.place.filter((one: number) => one === place)).toHaveLength(row.samples);
		await page.goto(`${mapGet}#/compilation/${encodeURIComponent(handle)}`);
		await page.waitForSelector('.facts');
		await expect.poll(() => page.locator('.facts').textContent()).toContain(`(${row.samples.toLocaleString('en-US')})`);
		await page.close();
	});
});

test('the table of compilations of one class of threads: the numbers of assay report --class, by keys', async () => {
	const recording = 'fixtures/agent/jdk25';
	const report = async (...options: string[]) =>
		JSON.parse((await runAssay(['report', recording, '--json', '--no-index', ...options], root)).stdout).result as {
			readonly samples: { readonly counted: number };
			readonly compilations: readonly { readonly handle: string; readonly samples: number }[];
		};
	const java = await report('--class', 'java');
	const { page, complaints } = await open(`${await writePage(['report', recording], 'classes')}#/compilations`);
	const choice = page.locator('select[aria-label="only samples of threads of"]');
	const shares = () =>
		page
			.locator('#compilations .row')
			.evaluateAll((rows) =>
				rows.map((row) => [row.querySelector('.handle')?.textContent ?? '', row.querySelector('[title*=" samples"]')?.getAttribute('title') ?? '0'] as const),
			);
	const whole = await shares();
	await choice.focus();
	await page.keyboard.press('ArrowDown');
	await page
		.locator('.pane', { hasText: `${java.samples.counted} samples of Java` })
		.first()
		.waitFor();
	expect(await choice.inputValue()).toBe('java');
	await expect.poll(() => page.url()).toContain('class=java');
	const shown = await shares();
	expect(shown.length).toBeLessThanOrEqual(whole.length);
	const expected = java.compilations
		.filter(({ samples }) => samples > 0)
		.map(({ handle, samples }) => [handle, `${samples} of ${java.samples.counted} samples`]);
	expect(expected.length).toBeGreaterThan(10);
	// Only the rows in sight are drawn.
	expect(shown.length).toBeGreaterThan(10);
	for (const row of shown) {
		expect(expected).toContainEqual([...row]);
	}
	// It stays in the other views, and is told there.
	const [[handle = '', share = ''] = []] = shown;
	await page.locator('#compilations .row').first().dblclick();
	await page.locator('.facts', { hasText: `(${share.split(' ')[0]})` }).waitFor();
	await expect.poll(() => page.url()).toMatch(new RegExp(`#/compilation/${encodeURIComponent(handle)}\\?.*class=java`));
	const chip = page.locator('header .range', { hasText: 'Java threads' });
	await chip.getByRole('button', { name: 'show all threads' }).click();
	await chip.waitFor({ state: 'detached' });
	await expect.poll(() => page.url()).not.toContain('class=');
	await page.goBack();
	await choice.selectOption({ label: 'Java' });
	await chip.waitFor();
	await choice.selectOption({ label: 'C2' });
	await page.getByText('No compilation fits.').waitFor();
	await choice.selectOption({ label: 'all threads' });
	await page.getByText('No compilation fits.').waitFor({ state: 'detached' });
	expect(await shares()).toEqual(whole);
	expect(complaints).toEqual([]);
	await page.close();
});

describe('one selection runs through all panes', () => {
	test('from a call to the code and the address, and from an instruction to the call', async () => {
		const { page, complaints } = await open(mapGet);
		const handle = await hottest(page);
		await page.locator('#compilations-0').dblclick();
		await page.waitForSelector('#code .instruction');
		await expect.poll(() => page.url()).toContain(`#/compilation/${encodeURIComponent(handle)}`);
		// An instruction inside an inlined call.
		const inlined = page.locator('#code .row.frame', { has: page.locator('.outer') }).first();
		await inlined.click();
		await expect.poll(() => page.url()).toMatch(/[?&]at=-?\d+(?:\.-?\d+)+/);
		await expect.poll(() => page.locator('#code .row.within').count()).toBeGreaterThan(0);
		const selected = page.locator('#inlining .row.active');
		await selected.waitFor();
		await expect.poll(() => page.locator('.selected b').textContent()).toMatch(/^Selected: bci \d+/);
		// Another call.
		await page.locator('#inlining-0').click();
		const before = page.url();
		const call = page.locator('#inlining .row:not(.receivers)', { has: page.locator('.share') }).nth(1);
		await call.click();
		await expect.poll(() => page.url()).not.toBe(before);
		await expect.poll(() => page.locator('#code .row.within').count()).toBeGreaterThan(0);
		// The address alone gives the same.
		const again = await open(page.url());
		await again.page.waitForSelector('#inlining .row.active');
		expect(await again.page.locator('#inlining .row.active').getAttribute('id')).toBe(await page.locator('#inlining .row.active').getAttribute('id'));
		expect(complaints).toEqual([]);
		await again.page.close();
		await page.close();
	});

	test('from an optimization', async () => {
		const { page } = await open(`${diff}#/overview`);
		await page.locator('#compilations-0').dblclick();
		await page.waitForSelector('#optimizations .row');
		await page
			.locator('#optimizations .row', { has: page.locator('.name') })
			.first()
			.click();
		await page.waitForSelector('#inlining .row.active');
		await expect.poll(() => page.url()).toMatch(/[?&]at=/);
		await page.close();
	});
});

describe('a range of time', () => {
	test('brushed by the mouse filters the table, is in the address, and goes away', async () => {
		const { page } = await open(mapGet);
		const whole = await page.locator('.table-pane .note').textContent();
		const box = await page.locator('#timeline').boundingBox();
		const at = (share: number): [number, number] => [(box?.x ?? 0) + (box?.width ?? 0) * share, (box?.y ?? 0) + 60];
		await page.mouse.move(...at(0.5));
		await page.mouse.down();
		await page.mouse.move(...at(0.7), { steps: 4 });
		await page.mouse.up();
		await page.locator('header .range').waitFor();
		await page.waitForURL(/[?&]t=\d+-\d+/);
		await expect.poll(() => page.locator('.table-pane .note').textContent()).not.toBe(whole);
		const counted = Number(
			/: ([\d,]+) samples/
				.exec(
					(await page
						.locator('.pane', { has: page.locator('#timeline') })
						.locator('.note')
						.textContent()) ?? '',
				)?.[1]
				?.replaceAll(',', ''),
		);
		const { stdout } = await runAssay(['hot', MAP_GET, '--json', '--each-sample'], root);
		const { sampleColumns, clock } = JSON.parse(stdout).result;
		const [from = 0, to = 0] = /t=(\d+)-(\d+)/.exec(page.url())?.slice(1).map(Number) ?? [];
		let us = (sampleColumns.startSeconds - (clock.startSeconds ?? sampleColumns.startSeconds)) * 1e6;
		const inside = (sampleColumns.deltaUs as number[]).filter((delta) => {
			us += delta;
			return us / 1000 >= from && us / 1000 <= to;
		}).length;
		expect(counted).toBe(inside);
		await page.locator('.range button').click();
		await expect.poll(() => page.locator('.table-pane .note').textContent()).toBe(whole);
		await page.close();
	});
});

test('by keys alone: search, open, walk, fold, go back, views, help', async () => {
	const { page, complaints } = await open(mapGet);
	const handle = await hottest(page);
	await page.keyboard.press('/');
	await page.keyboard.type(handle);
	await expect.poll(() => page.locator('.found [role=option]').first().textContent()).toContain(handle);
	await page.keyboard.press('Enter');
	await page.waitForSelector('#code .instruction');
	await expect.poll(() => page.url()).toContain('#/compilation/');
	for (const pane of ['inlining', 'code']) {
		await page.locator(`#${pane}`).focus();
		await page.keyboard.press('j');
		await page.keyboard.press('j');
		await expect.poll(() => page.locator(`#${pane}`).getAttribute('aria-activedescendant')).toMatch(new RegExp(`^${pane}-\\d+$`));
	}
	await page.keyboard.press('n');
	await page.waitForSelector('#code .row.active .value');
	await page.keyboard.press('Escape');
	await page.waitForFunction("!location.hash.includes('compilation/')");
	await page.keyboard.press('2');
	await expect.poll(() => page.url()).toContain('#/compilations');
	await page.keyboard.press('j');
	await page.keyboard.press('o');
	await expect.poll(() => page.url()).toMatch(/sort=/);
	await page.keyboard.press('Enter');
	await page.waitForFunction("location.hash.includes('compilation/')");
	await page.keyboard.press('1');
	await page.keyboard.press('b');
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('ArrowRight');
	await expect.poll(() => page.url()).toMatch(/[?&]t=/);
	await page.keyboard.press('Escape');
	await expect.poll(() => page.url()).not.toMatch(/[?&]t=/);
	await page.keyboard.press('?');
	await page.waitForSelector('dialog.keys[open]');
	await page.keyboard.press('Escape');
	await page.waitForSelector('dialog.keys', { state: 'detached' });
	expect(complaints).toEqual([]);
	await page.close();
});

test('roles say what is there', async () => {
	const { page } = await open(mapGet);
	await expect.poll(() => page.locator('[role=grid]').getAttribute('aria-rowcount')).toMatch(/^\d+$/);
	await expect.poll(() => page.locator('[role=columnheader][aria-sort=descending]').count()).toBe(1);
	await expect.poll(() => page.locator('nav[aria-label=views] a[aria-current=page]').textContent()).toBe('Overview');
	await page.locator('#compilations-0').dblclick();
	await page.waitForSelector('#inlining [role=treeitem]');
	await expect.poll(() => page.locator('#inlining [role=treeitem]').first().getAttribute('aria-level')).toBe('1');
	await page.close();
});

test('flame graphs of other profilers: the source is chosen, and is in the address', async () => {
	const url = await writePage(['report', 'fixtures/jvm/safepoint/strip-jdk17-serial'], 'profiled');
	const { page, complaints } = await open(`${url}#/samples`);
	const choice = page.locator('select[aria-label=stacks]');
	expect(await choice.locator('option').allTextContents()).toEqual([
		...['dump.collapsed', 'dump.lines.collapsed', 'rec.jfr.gz: jdk.ExecutionSample', 'rec.jfr.gz: jdk.NativeMethodSample', 'samples, by inlining'],
	]);
	await choice.selectOption({ label: 'rec.jfr.gz: jdk.ExecutionSample' });
	const note = page.locator('.samples-view .note', { hasText: '396 samples' });
	await note.waitFor();
	await expect.poll(() => page.url()).toMatch(/[?&]source=2/);
	await page.reload();
	await note.waitFor();
	await settled(page);
	await expect.poll(() => page.locator('#flame [role=treeitem]').count()).toBeGreaterThan(3);
	expect(await layoutOf(page)).toMatchObject({ overlaps: [], cut: [], scrolls: false });
	expect(complaints).toEqual([]);
	await page.close();
});

describe('compare', () => {
	test('trees side by side, decisions with signs, both recordings in the other views', async () => {
		const { page, complaints } = await open(`${diff}#/compare`);
		await page.waitForSelector('#trees .row');
		const { stdout } = await runAssay(['diff', 'examples/a', 'examples/b', '--json'], root);
		const { summary } = JSON.parse(stdout).result;
		await expect.poll(() => page.locator('h1').textContent()).toContain(`${summary.inTheirOwnRight} decisions differ`);
		await expect.poll(() => page.locator('#differences .sign').count()).toBeGreaterThan(0);
		await page.locator('#differences').focus();
		await page.keyboard.press('j');
		await expect.poll(() => page.url()).toMatch(/[?&]m=m\d+/);
		const folded = await page.locator('#trees .row').count();
		await page.keyboard.press('e');
		await expect.poll(() => page.url()).toContain('all=1');
		await expect.poll(() => page.locator('#trees .row').count()).toBeGreaterThanOrEqual(folded);
		await page.locator('.recording button').nth(1).click();
		await page.keyboard.press('2');
		await expect.poll(() => page.url()).toContain('side=1');
		expect(complaints).toEqual([]);
		await page.close();
	});
});

describe('the policy', () => {
	test('no script but its own runs, and nothing is asked elsewhere', async () => {
		const { page } = await open(mapGet);
		await page.evaluate(`(() => {
			const script = document.createElement('script');
			script.textContent = 'window.injected = 1';
			document.body.append(script);
			const image = document.createElement('div');
			image.innerHTML = '<img src="x" onerror="window.injected = 2"><a id="evil" href="javascript:window.injected=3">x</a>';
			document.body.append(image);
			document.getElementById('evil').click();
		})()`);
		const asked = await page.evaluate(`fetch('http://127.0.0.1:9/').then(() => 'answered', () => 'refused')`);
		await page.waitForTimeout(200);
		expect([asked, await page.evaluate('window.injected ?? null')]).toEqual(['refused', null]);
		await page.close();
	});
});

describe('start-up of a native program', () => {
	test('shows the numbers of assay order simulate for each trace, as linked and under orders', async () => {
		const trace = ['--nm', 'examples/order/sqlite.nm.gz', '--trace', 'examples/order/startup.gz'];
		const { stdout } = await runAssay(['order', 'simulate', ...trace, '--json'], root);
		const [linked] = JSON.parse(stdout).result.layouts as { textPages: number; execPages: number; windows64k: number; areaUnderCurve: number }[];
		const { result } = JSON.parse((await runAssay(['report', 'examples/order', '--json'], root)).stdout);
		for (const scheme of ['light', 'dark'] as const) {
			const { page, complaints } = await open(`${order}#/startup`, { scheme });
			await page.selectOption('select[aria-label=trace]', 'startup.gz');
			await settled(page);
			const rows = await page
				.locator('table.maps tbody tr')
				.evaluateAll((all) => all.map((row) => [...row.querySelectorAll('td.number')].map((cell) => cell.textContent)));
			const number = (text: string | null | undefined): number => Number(text?.replaceAll(/\D/g, ''));
			expect(rows[0]?.map(number)).toEqual([linked?.execPages, linked?.windows64k, linked?.areaUnderCurve]);
			const layouts = result.startup.layouts as { byTrace: { trace: string; execPages: number; windows64k: number; areaUnderCurve: number }[] }[];
			expect(rows.map((row) => row.map(number))).toEqual(
				layouts.map(({ byTrace }) => {
					const own = byTrace.find((one) => one.trace === 'startup.gz');
					return [own?.execPages, own?.windows64k, own?.areaUnderCurve];
				}),
			);
			const maps = await page.locator('svg.page-map').evaluateAll((all) => all.map((map) => map.getAttribute('viewBox')));
			expect(maps).toEqual(layouts.map(() => `0 0 ${linked?.textPages} 14`));
			await expect.poll(() => page.locator('h1').textContent()).toContain(` text pages instead of ${linked?.execPages}`);
			expect(await layoutOf(page)).toMatchObject({ overlaps: [], cut: [], scrolls: false });
			expect(complaints).toEqual([]);
			await page.close();
		}
	});

	test('the overview leads there, and has no tables of a JVM', async () => {
		const { page } = await open(order);
		await expect.poll(() => page.locator('#compilations-0').count()).toBe(0);
		await expect.poll(() => page.locator('.chip.missing').count()).toBe(0);
		await expect.poll(() => page.locator('h1').textContent()).toBe('order: start-up of sqlite.nm, 3 traces.');
		await page.getByRole('button', { name: 'Show the pages' }).click();
		await page.waitForSelector('svg.page-map');
		await page.close();
	});

	test('names of files and symbols are text', async () => {
		const recording = path.join(folder, 'start"><img src=x onerror="window.injected=1">');
		fs.mkdirSync(recording);
		const evil = '<script>window.injected=2<_script>\u202e\u001b[2J';
		const lines = Array.from({ length: 20 }, (_, n) => (0x401000 + 16 * n).toString(16));
		const nm = lines.map((address, n) => `${address.padStart(16, '0')} 0000000000000010 T ${evil}${n}\n`).join('');
		fs.writeFileSync(path.join(recording, `${evil}.nm`), nm);
		fs.writeFileSync(path.join(recording, '<img src=x onerror=window.injected=3>.txt'), lines.map((address) => `${address} 4\n`).join(''));
		const url = await writePage(['report', path.basename(recording)], 'hostile-start-up', folder);
		for (const hash of ['#/overview', '#/startup']) {
			const { page, complaints } = await open(url + hash);
			const text = await page.evaluate<string>('document.body.innerText');
			expect(text).toContain('<script>window');
			expect(text).not.toMatch(/[\u001b\u202e]/);
			expect(await page.evaluate('[window.injected ?? null, document.querySelectorAll("img, main script").length]')).toEqual([null, 0]);
			expect(complaints).toEqual([]);
			await page.close();
		}
	});
});

describe('hostile names', () => {
	const evil = 'Evil.\u001b[2J\u0007\u202eabc\u2066</script><script>window.injected = 1</script><img src=x onerror="window.injected=2">\u2028"\'&amp;()';
	const long = `${'Long.'.repeat(200_000)}name()`;

	test('are shown as text, a megabyte of name too', async () => {
		const unit = (name: string, id: number): string => {
			const call = `{"methodName":${JSON.stringify(name)},"callsiteBci":3,"inlined":true,"reason":[${JSON.stringify(evil)}],"indirect":false,"alive":false}`;
			const tree = `{"methodName":${JSON.stringify(name)},"callsiteBci":-1,"inlined":true,"reason":null,"indirect":false,"alive":false,"invokes":[${call}]}`;
			const phases = `{"phaseName":"RootPhase","optimizations":[{"phaseName":${JSON.stringify(evil)},"optimizations":[{"optimizationName":${JSON.stringify(evil)},"eventName":"E","position":{${JSON.stringify(name)}:1}}]}]}`;
			return `{"methodName":${JSON.stringify(name)},"compilationId":"${id}","inliningTree":${tree},"optimizationTree":${phases}}`;
		};
		const recording = path.join(folder, 'evil"><script>window.injected=3<');
		fs.mkdirSync(recording);
		fs.writeFileSync(path.join(recording, 'log'), `${[unit(evil, 1), unit(long, 2)].join('\n')}\n`);
		const url = await writePage(['report', path.basename(recording)], 'hostile', folder);
		for (const hash of ['', '#/compilation/c1', '#/compilation/c2', '#/compilation/%3Cscript%3E', '#/compilations?q=%3Cimg%3E']) {
			const { page, complaints } = await open(url + hash);
			const text = await page.evaluate<string>('document.body.innerText');
			expect(text).not.toMatch(/[\u0007\u001b\u202a-\u202e\u2066-\u2069]/);
			expect(await page.evaluate('[window.injected ?? null, document.querySelectorAll("img, main script").length]')).toEqual([null, 0]);
			expect(await page.evaluate('Math.max(...[...document.querySelectorAll("main *")].map((one) => one.textContent.length)) < 2500000')).toBe(true);
			expect(await layoutOf(page)).toMatchObject({ scrolls: false });
			expect(complaints).toEqual([]);
			if (hash === '#/compilation/c1') {
				expect(text).toContain('\\u202e');
				expect(text).toContain('<script>');
			}
			await page.close();
		}
	});
});

describe('assay open', () => {
	let server: ChildProcess;
	let url = '';
	let ended: Promise<number | null>;
	beforeAll(async () => {
		server = spawn(process.execPath, ['bin/assay.js', 'open', MAP_GET, '--no-browser'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
		ended = new Promise((resolve) => server.once('exit', (status) => resolve(status)));
		url = await new Promise<string>((resolve, reject) => {
			let text = '';
			server.stdout?.on('data', (piece: Buffer) => {
				text += piece;
				const line = /^(http:\S+)\n/m.exec(text);
				if (line !== null) {
					resolve(line[1]!);
				}
			});
			ended.then((status) => reject(new Error(`assay open ended with ${status}`)));
		});
	});
	afterAll(() => {
		server.kill('SIGKILL');
	});

	test.each(['overview', 'compilations', 'bias', 'memory', 'samples'])('%s: no error, nothing asked elsewhere', async (view) => {
		const { page, complaints, requests } = await open(`${url}#/${view}`);
		await page.waitForSelector('main .pane');
		expect(complaints).toEqual([]);
		expect(requests.filter((one) => !one.startsWith(url))).toEqual([]);
		await page.close();
	});

	test('details are read when they are wanted, code without samples too', async () => {
		const { page, requests, complaints } = await open(`${url}#/compilations?tier=top`);
		const before = requests.length;
		await page.keyboard.press('End');
		await page.locator('#compilations').focus();
		await page.keyboard.press('End');
		await page.keyboard.press('Enter');
		await page.waitForSelector('#code .instruction');
		expect(requests.length).toBe(before + 1);
		expect(requests.at(-1)).toMatch(/\/data\/detail\/0\/c\d+/);
		expect(complaints).toEqual([]);
		await page.close();
	});

	test('binds to this machine, wants the token, checks Host and Origin, answers only its own files', async () => {
		const { hostname, port, pathname } = new URL(url);
		expect(hostname).toBe('127.0.0.1');
		const ask = (target: string, headers: Record<string, string> = {}, method = 'GET'): Promise<number> =>
			new Promise((resolve, reject) => {
				const request = http.request({ host: '127.0.0.1', port, path: target, method, headers }, (response) => {
					response.resume();
					resolve(response.statusCode ?? 0);
				});
				request.on('error', reject);
				request.end();
			});
		expect(await ask(pathname)).toBe(200);
		expect(await ask('/')).toBe(404);
		expect(await ask(`/${'x'.repeat(pathname.length - 2)}/`)).toBe(404);
		expect(await ask(pathname, { host: `evil.example:${port}` })).toBe(403);
		expect(await ask(pathname, { origin: 'http://evil.example' })).toBe(403);
		expect(await ask(pathname, { 'sec-fetch-site': 'cross-site' })).toBe(403);
		expect(await ask(`${pathname}data/main`, { origin: 'null' })).toBe(403);
		expect(await ask(`${pathname}data/main`, {}, 'POST')).toBe(405);
		for (const name of [
			'../package.json',
			'..%2f..%2fpackage.json',
			'data/../../package.json',
			'data/%00',
			'package.json',
			'data/detail/0/__proto__/x',
			'page.js',
			'data/%ff',
		]) {
			expect(await ask(pathname + name), name).toBe(404);
		}
		expect(gunzipSync(await body(`${url}data/main`)).toString()).toContain('"isServed":true');
	});

	test('stops with the command, connections and all', async () => {
		const { page } = await open(url);
		server.kill('SIGINT');
		expect(await ended).toBe(0);
		await expect(fetch(url)).rejects.toThrow();
		await page.close();
	});
});

function body(url: string): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		http
			.get(url, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
				const pieces: Buffer[] = [];
				response.on('data', (piece: Buffer) => pieces.push(piece));
				response.on('end', () => resolve(Buffer.concat(pieces)));
			})
			.on('error', reject);
	});
}

test('the shell without data is below 200 KB compressed', async () => {
	const { gzipSync } = await import('node:zlib');
	const bytes = ['page.js', 'page.css'].map((name) => gzipSync(fs.readFileSync(path.join(root, 'dist', 'web', name))).length);
	expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(200_000);
});

test('Firefox shows it too', () => {
	const picture = path.join(folder, 'firefox.png');
	const profile = fs.mkdtempSync(path.join(folder, 'firefox-'));
	execFileSync(findFirefox(), ['--headless', '--profile', profile, '--screenshot', picture, '--window-size=1280,800', mapGet], {
		stdio: 'ignore',
		timeout: 120_000,
	});
	// An empty page of that size is some 10 KB.
	expect(fs.statSync(picture).size).toBeGreaterThan(40_000);
});

test('the picture of the README is of this page', async () => {
	const url = await writePage(['report', 'fixtures/joined/jdk25-c2'], 'joined');
	const { page } = await open(`${url}#/compilation/c355?at=150`, { width: 1200, height: 640 });
	await page.waitForSelector('#code .instruction');
	await settled(page);
	const picture = path.join(root, 'docs', 'page.jpg');
	const shot = await page.screenshot({ type: 'jpeg', quality: 45 });
	if (process.env.UPDATE_PICTURES === '1') {
		fs.writeFileSync(picture, shot);
	}
	const committed = fs.readFileSync(picture);
	expect(committed.length).toBeLessThan(150_000);
	expect(jpegSize(committed)).toEqual(jpegSize(shot));
	await page.close();
});

/** Width and height stand in the frame header, behind a marker from FFC0 to FFC2. */
function jpegSize(bytes: Buffer): [number, number] {
	let at = 2;
	while (bytes[at] === 0xff && !(bytes.readUInt8(at + 1) >= 0xc0 && bytes.readUInt8(at + 1) <= 0xc2)) {
		at += 2 + bytes.readUInt16BE(at + 2);
	}
	return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
}

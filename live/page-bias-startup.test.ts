/** The page's Bias beside what other profilers said, and its Start-up: numbers are those of the commands. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from '../test/run-assay.js';
import { type PageTools, pageTools, root, settled } from './page.js';

let tools: PageTools;
beforeAll(async () => {
	tools = await pageTools();
});
afterAll(() => tools?.close());

async function jsonOf<T>(...argv: string[]): Promise<T> {
	return JSON.parse((await runAssay([...argv, '--json'], root)).stdout).result;
}

interface Bias {
	readonly methods: readonly {
		readonly method: string;
		readonly unbiasedPercent: number;
		readonly predictedPercent: number;
		readonly observed: Readonly<Record<string, number>>;
	}[];
	readonly distances: readonly { readonly a: string; readonly b: string; readonly totalVariation: number }[];
}

test('profiles that lie in the recording stand beside seen and predicted, as assay bias --against has them', async () => {
	const recording = 'fixtures/jvm/safepoint/strip-jdk17-serial';
	const profiles = ['dump.collapsed', 'dump.lines.collapsed', 'rec.jfr.gz'];
	const bias = await jsonOf<Bias>('bias', recording, '--rounds', '0', ...profiles.flatMap((name) => ['--against', `${name}=${recording}/${name}`]));
	const { page, complaints } = await tools.open(`${await tools.write(['report', recording], 'profiled')}#/bias`);
	const spelled = (value: number): string => (value === 0 ? '0' : value.toFixed(1));
	const shown = await page
		.locator('#bias-methods .row')
		.evaluateAll((rows) =>
			rows.map((row) => [
				row.querySelector('.method')?.getAttribute('title') ?? '',
				...[...row.children].slice(1).map((cell) => (cell.textContent ?? '').trim()),
			]),
		);
	const expected = new Map(bias.methods.map((row) => [row.method, row]));
	expect(shown.length).toBeGreaterThan(5);
	for (const [method = '', seen, predicted, , ...observed] of shown) {
		const row = expected.get(method)!;
		expect([method, seen, predicted, ...observed]).toEqual([
			method,
			spelled(row.unbiasedPercent),
			spelled(row.predictedPercent),
			...profiles.map((name) => spelled(row.observed[name] ?? 0)),
		]);
	}
	const distances = await page.locator('.distances').textContent();
	for (const { a, b, totalVariation } of bias.distances.filter((one) => one.a === 'unbiased')) {
		expect([a, distances]).toEqual([a, expect.stringContaining(`${b} ${totalVariation.toFixed(2)}`)]);
	}
	expect(complaints).toEqual([]);
	await page.close();
});

interface Simulated {
	readonly traces: readonly { readonly name: string; readonly functions: number }[];
	readonly layouts: readonly {
		readonly execPages: number;
		readonly windows64k: number;
		readonly textPages: number;
		readonly byTrace: readonly {
			readonly map: { readonly touchedAt: readonly number[]; readonly firstFunctions: readonly { readonly name: string; readonly page: number }[] };
		}[];
	}[];
}

test('start-up: curve, map, windows and table tell the same pages; other workloads; first functions with their pages', async () => {
	const program = ['--nm', 'examples/order/sqlite.nm.gz', '--trace', 'examples/order/startup.gz'];
	const simulated = await jsonOf<Simulated>('order', 'simulate', ...program);
	const linked = simulated.layouts[0]!;
	const { touchedAt, firstFunctions } = linked.byTrace[0]!.map;
	expect(touchedAt.filter((at) => at > 0)).toHaveLength(linked.execPages);
	expect(Math.max(...touchedAt)).toBeLessThanOrEqual(simulated.traces[0]!.functions);
	const url = await tools.write(['report', 'examples/order'], 'order');
	const { page, complaints } = await tools.open(`${url}#/startup?trace=startup.gz`);
	await settled(page);
	const rows = await page.locator('table.maps tbody tr').evaluateAll((all) =>
		all.map((row) => ({
			numbers: [...row.querySelectorAll('td.number')].map((cell) => Number(cell.textContent?.replaceAll(',', ''))),
			label: row.querySelector('svg')?.getAttribute('aria-label') ?? '',
			windows: (row.querySelector('path.window')?.getAttribute('d') ?? '').split('M').length - 1,
			cells: [...row.querySelectorAll('path')]
				.filter((path) => /^(?:early|late)/.test(path.getAttribute('class') ?? ''))
				.reduce((sum, path) => sum + [...(path.getAttribute('d') ?? '').matchAll(/M\d+ 0h(\d+)/g)].reduce((all, [, cells]) => all + Number(cells), 0), 0),
		})),
	);
	expect(rows[0]?.numbers.slice(0, 2)).toEqual([linked.execPages, linked.windows64k]);
	const ends = await page.locator('.curve .layout text').allTextContents();
	rows.forEach(({ numbers: [pages, faults], windows, cells }, i) => {
		expect([cells, windows]).toEqual([pages, faults]);
		expect(ends[i]).toMatch(new RegExp(`, ${pages}$`));
	});
	// One column of pages and one of faults for each workload; that of the chosen one is the table above.
	const workloads = await page
		.locator('.workloads tbody tr')
		.evaluateAll((all) => all.map((row) => [...row.querySelectorAll('td')].map((cell) => Number(cell.textContent?.replaceAll(',', '')))));
	const chosen = (await page.locator('.workloads thead th.number').evaluateAll((all) => all.map((one) => one.getAttribute('aria-current')))).indexOf('true');
	expect(workloads.map((cells) => cells.slice(2 * chosen, 2 * chosen + 2))).toEqual(rows.map(({ numbers }) => numbers.slice(0, 2)));
	const first = await page
		.locator('.first-functions tbody tr')
		.evaluateAll((all) =>
			all.map((row) => [row.querySelector('code')?.textContent, Number.parseInt(row.lastElementChild?.textContent?.replaceAll(',', '') ?? '', 10)]),
		);
	expect(first).toEqual(firstFunctions.map((one) => [one.name, one.page]));
	await page.locator('.workloads').getByRole('button', { name: 'queries' }).click();
	await expect.poll(() => page.url()).toContain('trace=queries');
	expect(complaints).toEqual([]);
	await page.close();
});

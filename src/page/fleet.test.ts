/** The page of a store without a browser: what it has at once, what it answers, and when it opens a run. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { collectAll, temporaryFolder } from '../../test/stores.js';
import type { FleetAnswer, FleetOpened, PageMain } from './data.js';
import { FleetPage } from './fleet.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const SHELL = { script: '', style: '', scriptHash: '', styleHash: '' };
const HOSTILE = `</script>'; DROP TABLE runs --`;
const RECORDINGS = [
	{ files: ['examples/a'], labels: { service: 's', build: '1', host: HOSTILE } },
	{ files: ['examples/b'], labels: { service: 's', build: '2', host: 'h2' } },
];

const folder = temporaryFolder();
const store = path.join(folder, 'store');
let runs: string[] = [];
const opened: string[] = [];

const openStore = (folders: readonly string[]) =>
	FleetPage.open(SHELL, {
		store: { filePath: store, name: 'store' },
		folders,
		openRun: async ({ filePath }) => {
			opened.push(filePath);
			return `http://127.0.0.1:1/${opened.length}/`;
		},
	});

const mainOf = (page: FleetPage): PageMain => JSON.parse(gunzipSync(page.parts.get('main') ?? Buffer.alloc(0)).toString());
const asked = (page: FleetPage, asks: Record<string, string>): Promise<FleetAnswer | FleetOpened> => page.detail(0, String(new URLSearchParams(asks)));

beforeAll(async () => {
	runs = await collectAll(store, folder, RECORDINGS);
});

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

test('runs, labels and questions; what a run was called and whether it lies here', async () => {
	const { fleet, sides } = mainOf(await openStore([root]));
	expect(sides).toEqual([]);
	expect(fleet).toMatchObject({ store: 'store', totalRuns: 2, problems: [] });
	expect(fleet?.runs.map(({ name }) => name).sort()).toEqual([...runs].sort());
	expect(fleet?.labels).toEqual([
		{ label: 'service', values: ['s'] },
		{ label: 'build', values: ['1', '2'] },
		{ label: 'host', values: [HOSTILE, 'h2'] },
	]);
	expect(fleet?.questions.map(({ name }) => name)).toContain('flips');
	expect(fleet?.questions.every(({ title, about }) => title !== '' && about !== '')).toBe(true);
});

test('a question answers what assay query prints of the runs that are chosen; labels are values', async () => {
	const page = await openStore([]);
	for (const [question, where] of [
		['compilers', {}],
		['refused', { build: '2' }],
		['refused', { host: HOSTILE }],
	] as const) {
		const answer = await asked(page, { question, ...where });
		const words = Object.entries(where).flatMap(([label, value]) => ['--where', `${label}=${value}`]);
		const { stdout } = await runAssay(['query', store, question, '--json', ...words], root);
		expect(answer).toMatchObject({ rows: JSON.parse(stdout).result.rows });
	}
	expect(await asked(page, { question: 'refused', host: HOSTILE })).toMatchObject({
		command: `assay query store refused --where 'host=</script>'\\''; DROP TABLE runs --'`,
	});
	expect(await asked(page, { question: 'runs; DROP TABLE runs' })).toMatchObject({ error: expect.stringContaining('there is no question') });
});

test('a run opens where its recording lies, and only if it is made of that', async () => {
	const [first = ''] = runs;
	const here = await openStore([folder, root]);
	const recording = mainOf(here).fleet?.runs.find(({ name }) => name === first)?.recording ?? '';
	expect(await asked(here, { run: first })).toEqual({ url: 'http://127.0.0.1:1/1/' });
	expect(opened).toHaveLength(1);
	const elsewhere = path.join(folder, 'elsewhere');
	expect(await asked(await openStore([elsewhere]), { run: first })).toEqual({ error: 'its recording is not at hand' });
	fs.cpSync(path.join(root, 'examples', 'b'), path.join(elsewhere, recording), { recursive: true });
	expect(await asked(await openStore([elsewhere]), { run: first })).toMatchObject({ error: expect.stringContaining('not what this run was collected from') });
	expect(await asked(here, { run: '0000000000000000' })).toEqual({ error: 'its recording is not at hand' });
	expect(opened).toHaveLength(1);
});

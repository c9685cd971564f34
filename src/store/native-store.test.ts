/** A store of native programs: what is collected is what the answers about single recordings say, and the questions know no figures of single calls. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, collectAll, temporaryFolder } from '../../test/stores.js';
import { openReport } from '../answers/report.js';
import { openEvidence } from '../recording/evidence.js';

const folder = temporaryFolder();
const store = path.join(folder, 'store');
const DEMO = 'fixtures/native/demo';

const refusal = (line: number, cost: number): string => `--- !Missed
Pass:            inline
Name:            TooCostly
DebugLoc:        { File: 'a.c', Line: ${line}, Column: 3 }
Function:        f
Args:
  - Callee:          g
  - String:          ' not inlined into '
  - Caller:          f
    DebugLoc:        { File: 'a.c', Line: 2, Column: 0 }
  - Cost:            '${cost}'
  - Threshold:       '225'
...
`;

beforeAll(async () => {
	fs.mkdirSync(path.join(folder, 'costs'));
	fs.writeFileSync(path.join(folder, 'costs', 'a.opt.yaml'), refusal(10, 605) + refusal(11, 230));
	await collectAll(store, folder, [
		{ files: [DEMO], labels: { service: 'demo', build: 'a' } },
		{ files: ['fixtures/native/grown'], labels: { service: 'demo', build: 'b' } },
		{ files: [path.relative('.', path.join(folder, 'costs'))], labels: { service: 'costs' } },
	]);
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

test('runs, compilations, decisions and heat are those of the report', async () => {
	const evidence = await openEvidence([{ filePath: DEMO, name: 'demo' }]);
	try {
		const report = await openReport(evidence);
		const of = "IN (SELECT run FROM runs WHERE build = 'a')";
		expect(await ask(store, "SELECT runtime, samples, jdk, seconds > 2 AS long FROM runs WHERE build = 'a'")).toEqual([
			{ runtime: 'native', samples: 294, jdk: null, long: true },
		]);
		expect(await ask(store, `SELECT compilation, name, samples, code_bytes FROM compilations WHERE run ${of} ORDER BY compilation`)).toEqual(
			[...report.compilations]
				.sort((x, y) => Number(x.compileId) - Number(y.compileId))
				.map(({ compileId, method, samples, codeBytes }) => ({ compilation: compileId, name: method, samples, code_bytes: codeBytes })),
		);
		const { log } = report;
		const decided = (log?.history.compilations ?? []).flatMap((one) => log?.readDecisions(one) ?? []);
		expect(decided.length).toBe(7);
		const counts = (inlined: boolean): number => decided.filter((one) => one.inlined === inlined).length;
		expect(await ask(store, `SELECT verdict, count(*) AS n FROM decisions WHERE run ${of} GROUP BY verdict ORDER BY verdict`)).toEqual([
			{ verdict: 'inlined', n: counts(true) },
			{ verdict: 'refused', n: counts(false) },
		]);
		expect(await ask(store, `SELECT name, samples FROM heat WHERE run ${of} AND what = 'method' ORDER BY samples DESC LIMIT 2`)).toEqual(
			report.hot?.methods.slice(0, 2).map(({ method, samples }) => ({ name: method, samples })),
		);
	} finally {
		evidence.close();
	}
});

test('refused calls by what the compiler says, not by the cost of each', async () => {
	const rows = await ask(store, 'refused');
	expect(rows.map(({ service, reason, calls }) => [service, reason, calls])).toEqual(
		expect.arrayContaining([
			['demo', 'never inline: noinline function attribute', 3],
			['demo', 'no definition in this module', 6],
			['costs', 'too costly', 2],
		]),
	);
});

test('the call that one build inlines and the other does not', async () => {
	const rows = await ask(store, 'moved', ['service=demo'], { runs: 1, rate: 1 });
	expect(rows.map(({ root, callee, before, build, inlined_before, inlined }) => ({ root, callee, before, build, inlined_before, inlined }))).toEqual([
		{ root: 'main', callee: 'hash_all', before: 'a', build: 'b', inlined_before: 100, inlined: 0 },
	]);
});

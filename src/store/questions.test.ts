/** Each question gives what a plain count over the same recordings gives: no table, no SQL. */
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import {
	ask,
	collectAll,
	grouped,
	type LabelledRecording,
	type PlainDecision,
	type PlainRecording,
	readPlainly,
	sure,
	temporaryFolder,
} from '../../test/stores.js';
import { explainReason } from '../model/inlining-reasons.js';

const poly = (run: string, build: string, host: string): LabelledRecording => ({
	files: [`fixtures/graal/repeats/poly-${run}.tar.zst`, `fixtures/graal/repeats/poly-${run}.prof.json.gz`],
	labels: { service: 'poly', build, host },
});
const one = (file: string, service: string, build: string, host: string): LabelledRecording => ({ files: [file], labels: { service, build, host } });

const RECORDINGS: readonly LabelledRecording[] = [
	poly('a1', 'a', 'h1'),
	poly('a2', 'a', 'h2'),
	poly('b1', 'b', 'h1'),
	poly('b2', 'b', 'h2'),
	one('fixtures/jvm/ledger/jdk17', 'ledger', '17', 'h1'),
	one('fixtures/agent/jdk17', 'ledger', '17', 'h2'),
	one('fixtures/jvm/ledger/jdk25', 'ledger', '25', 'h3'),
	one('fixtures/agent/jdk25', 'ledger', '25', 'h4'),
	one('fixtures/jvm/safepoint/ttsp-sampled', 'late', '1', 'h1'),
	one('fixtures/jvm/memstat/huge', 'huge', '1', 'h1'),
	one('examples/memory', 'huge', '2', 'h1'),
	one('fixtures/orderfile/temporal/startup.traces.txt.gz', 'native', '1', 'h1'),
	one('fixtures/orderfile/temporal/workload_a.traces.txt.gz', 'native', '1', 'h2'),
];

const root = path.resolve(import.meta.dirname, '..', '..');
const folder = temporaryFolder();
const store = path.join(folder, 'store');
let runs: string[] = [];
let plain: PlainRecording[] = [];

beforeAll(async () => {
	runs = await collectAll(store, folder, RECORDINGS);
	plain = await readPlainly(folder, RECORDINGS);
}, 120_000);

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const ofService = (service: string): PlainRecording[] => plain.filter(({ labels }) => labels.service === service);
const sum = <T>(items: Iterable<T>, value: (item: T) => number): number => [...items].reduce((total, item) => total + value(item), 0);
const round = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits;
const median = (values: readonly number[]): number => {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

/** By site, then by host, then by compilation: whether the top tier inlined the call there. */
interface PlainCall {
	readonly decision: PlainDecision;
	readonly inlined: boolean;
}

function calls(decisions: readonly PlainDecision[]): PlainCall[] {
	const decided = decisions.filter(({ isTop, verdict }) => isTop && verdict !== 'other');
	return [...grouped(decided, ({ recording, compilation, site }) => JSON.stringify([recording, compilation, site])).values()].map((same) => ({
		decision: same[0]!,
		inlined: same.some(({ verdict }) => verdict === 'inlined'),
	}));
}

describe('flips', () => {
	test.each([
		['poly', 'a'],
		['poly', 'b'],
		['ledger', '17'],
		['ledger', '25'],
	])('%s %s', async (service, build) => {
		const of = plain.filter(({ labels }) => labels.service === service && labels.build === build).flatMap(({ decisions }) => decisions);
		const expected = [...grouped(calls(of), ({ decision }) => decision.site).values()].flatMap((same) => {
			const hosts = [...grouped(same, ({ decision }) => sure(decision.labels.host)).values()].map((host) =>
				Math.sign(sum(host, ({ inlined }) => (inlined ? 1 : -1))),
			);
			const [yes, no] = [hosts.filter((host) => host > 0).length, hosts.filter((host) => host < 0).length];
			const { root, bcis, callee } = same[0]!.decision;
			const samplesOf = (wanted: boolean): number =>
				sum(
					same.filter(({ inlined }) => inlined === wanted),
					({ decision }) => decision.samples,
				);
			return yes > 0 && no > 0
				? [{ root, bcis, callee, hosts_inlined: yes, hosts_refused: no, samples_inlined: samplesOf(true), samples_refused: samplesOf(false) }]
				: [];
		});
		const rows = await ask(store, 'flips', [`service=${service}`, `build=${build}`], { top: 10_000 });
		const told = rows.map(({ root, bcis, callee, hosts_inlined, hosts_refused, samples_inlined, samples_refused }) => ({
			...{ root, bcis, callee, hosts_inlined, hosts_refused, samples_inlined, samples_refused },
		}));
		expect(told.length > 0).toBe(service === 'poly');
		expect(sorted(told)).toEqual(sorted(expected));
		const heat = rows.map((row) => Number(row.samples_inlined) + Number(row.samples_refused));
		expect(heat).toEqual([...heat].sort((a, b) => b - a));
	});
});

test('moved: odds by build, the cost of the code, p and q', async () => {
	const rows = await ask(store, 'moved', ['service=poly'], { runs: 2, rate: 1, top: 100_000 });
	const all = ofService('poly').flatMap(({ decisions }) => decisions);
	const bySite = grouped(calls(all), ({ decision }) => decision.site);
	const inBoth = [...bySite.values()].filter((same) => new Set(same.map(({ decision }) => decision.labels.build)).size === 2);
	const expected = inBoth.flatMap((same) => {
		if (same.every(({ inlined }) => inlined === same[0]!.inlined)) {
			return [];
		}
		const [before, after] = ['a', 'b'].map((build) => {
			const byRun = [
				...grouped(
					same.filter(({ decision }) => decision.labels.build === build),
					({ decision }) => String(decision.recording),
				).values(),
			];
			const inlined = byRun.filter((run) => sum(run, (call) => (call.inlined ? 1 : -1)) > 0).length;
			return { runs: byRun.length, inlined };
		});
		const { root, bcis, callee } = same[0]!.decision;
		const inlined = sure(before).inlined + sure(after).inlined;
		return sure(before).runs < 2 || sure(after).runs < 2 || inlined === 0 || inlined === sure(before).runs + sure(after).runs
			? []
			: [
					{
						root,
						bcis,
						callee,
						inlined_before: round((100 * sure(before).inlined) / sure(before).runs, 1),
						inlined: round((100 * sure(after).inlined) / sure(after).runs, 1),
						p: pOf(sure(before), sure(after)),
					},
				];
	});
	const told = rows.map(({ root, bcis, callee, inlined_before, inlined, p }) => ({ root, bcis, callee, inlined_before, inlined, p }));
	expect(expected.length).toBeGreaterThan(20);
	expect(sorted(told)).toEqual(sorted(expected));
	// The smallest p has the smallest q, and q counts all calls that both builds have.
	const smallest = rows.map(({ p }) => Number(p)).sort((a, b) => a - b);
	const benjaminiHochberg = smallest.map((p, i) => (p * inBoth.length) / (i + 1));
	const least = Math.min(...benjaminiHochberg);
	expect(Math.min(...rows.map(({ q }) => Number(q)))).toBeCloseTo(Math.min(least, 1), 1);
});

/** Two proportions, with a correction for continuity; the normal tail by numerical integration. */
function pOf(a: { runs: number; inlined: number }, b: { runs: number; inlined: number }): number {
	const [shareA, shareB] = [a.inlined / a.runs, b.inlined / b.runs];
	const pooled = (a.inlined + b.inlined) / (a.runs + b.runs);
	const inverse = 1 / a.runs + 1 / b.runs;
	const excess = Math.abs(shareA - shareB) - inverse / 2;
	if (pooled === 0 || pooled === 1 || excess <= 0) {
		return 1;
	}
	const z = excess / Math.sqrt(pooled * (1 - pooled) * inverse);
	let tail = 0;
	const step = 1e-4;
	for (let x = z + step / 2; x < z + 12; x += step) {
		tail += Math.exp((-x * x) / 2) * step;
	}
	return round((2 * tail) / Math.sqrt(2 * Math.PI), 5);
}

test('memory: outliers of each compiler', async () => {
	const all = ofService('huge').flatMap(({ report, labels }) =>
		report.memory.map((compilation) => ({ ...compilation, labels, id: compilation.handle.replace(/^c/, '') })),
	);
	const expected = [...grouped(all, ({ compiler }) => compiler).values()].flatMap((same) => {
		const middle = median(same.map(({ totalBytes }) => totalBytes));
		return same
			.filter(({ totalBytes }) => totalBytes >= 10 * middle)
			.map(({ id, labels, method, totalBytes }) => ({
				build: labels.build,
				compilation: id,
				name: method,
				peak_bytes: totalBytes,
				times_median: round(totalBytes / middle, 1),
			}));
	});
	const rows = await ask(store, 'memory', ['service=huge']);
	expect(expected.length).toBeGreaterThan(0);
	expect(sorted(rows.map(({ build, compilation, name, peak_bytes, times_median }) => ({ build, compilation, name, peak_bytes, times_median })))).toEqual(
		sorted(expected),
	);
	const [worst] = rows;
	const { byArena } = all.find(({ id, totalBytes }) => id === sure(worst).compilation && totalBytes === sure(worst).peak_bytes)!;
	const cells = byArena.arenas.map((arena, i) => ({ phase: null, arena, bytes: byArena.bytes[i]! }));
	const largest = Math.max(...cells.map(({ bytes }) => bytes));
	expect(cells).toContainEqual({ phase: sure(worst).phase, arena: sure(worst).arena, bytes: largest });
	expect(sure(worst).bytes).toBe(largest);
});

test('storms: deoptimizations that began with a build', async () => {
	const counts = (build: string): Map<string, number> => {
		const all = ofService('ledger')
			.filter(({ labels }) => labels.build === build)
			.flatMap(({ report }) =>
				sure(report.log).history.compilations.flatMap(({ method, deoptimizations }) => deoptimizations.map(({ reason }) => JSON.stringify([method, reason]))),
			);
		return new Map([...grouped(all, (key) => key)].map(([key, same]) => [key, same.length / 2]));
	};
	const [before, after] = [counts('17'), counts('25')];
	const expected = [...after]
		.filter(([key, perRun]) => perRun >= 1 && perRun >= 2 * (before.get(key) ?? 0))
		.map(([key, perRun]) => {
			const [name, reason] = JSON.parse(key) as [string, string];
			return { name, reason, per_run: perRun, per_run_before: before.get(key) ?? 0 };
		});
	const rows = await ask(store, 'storms', ['service=ledger'], { least: 1, times: 2 });
	expect(expected.length).toBeGreaterThan(0);
	expect(sorted(rows.map(({ name, reason, per_run, per_run_before }) => ({ name, reason, per_run, per_run_before })))).toEqual(sorted(expected));
	expect(await ask(store, 'storms', ['service=ledger'], { least: 1000 })).toEqual([]);
});

test('refused: samples of compilations by the reasons of their calls', async () => {
	const all = ofService('ledger').flatMap(({ decisions }) => decisions.filter(({ isTop, verdict, reason }) => isTop && verdict === 'refused' && reason !== ''));
	const total = sum(ofService('ledger'), ({ report }) => sure(report.heat).attribution.counted);
	const expected = [...grouped(all, ({ reason }) => reason)].map(([reason, same]) => {
		const compiled = [...grouped(same, ({ recording, compilation }) => `${recording} ${compilation}`).values()];
		const samples = sum(compiled, ([first]) => sure(first).samples);
		return {
			...{ reason, flag: explainReason(reason)?.flags[0]?.name ?? null, samples, percent: round((100 * samples) / total, 3) },
			...{ compilations: compiled.length, calls: same.length, runs: new Set(same.map(({ recording }) => recording)).size },
		};
	});
	const rows = await ask(store, 'refused', ['service=ledger']);
	expect(expected.length).toBeGreaterThan(5);
	expect(sorted(rows.map(({ service: _, ...row }) => row))).toEqual(sorted(expected));
});

test('loops: who delays safepoints', async () => {
	const late = ofService('late').flatMap(({ report }) => report.delays.filter(({ culprits }) => culprits.length > 0));
	const expected = [...grouped(late, ({ culprits: [first] }) => JSON.stringify([sure(first).method, sure(first).line]))].map(([key, same]) => {
		const [culprit, line] = JSON.parse(key) as [string, number | null];
		return {
			...{ culprit, line, pauses: same.length, reaching_ms: round(sum(same, ({ safepoint }) => sure(safepoint.reachingNs)) / 1e6, 3) },
			...{
				longest_ms: round(Math.max(...same.map(({ safepoint }) => sure(safepoint.reachingNs))) / 1e6, 3),
				samples: sum(same, ({ culprits: [first] }) => sure(first).samples),
			},
		};
	});
	const rows = await ask(store, 'loops', ['service=late']);
	expect(expected.length).toBeGreaterThan(0);
	expect(
		sorted(rows.map(({ culprit, line, pauses, reaching_ms, longest_ms, samples }) => ({ culprit, line, pauses, reaching_ms, longest_ms, samples }))),
	).toEqual(sorted(expected));
});

test('warmup: from when on nine of ten samples of Java code are in the top tier', async () => {
	const warm = ofService('ledger').map(({ labels, report: { hot } }) => {
		const { samples, target, reason, byReason, map, clock } = sure(hot).attribution;
		expect(byReason.size).toBeGreaterThan(0);
		const java = Array.from({ length: samples.length }, (_, i) => i)
			.filter((i) => reason[i] === -1 || reason[i] === 2)
			.map((i) => ({ ms: (samples.timeSeconds[i]! - clock.startSeconds) * 1000, isTop: reason[i] === -1 && map.code[target[i]!]!.level === 4 }));
		// Pieces of 50 ms, as the table has them.
		const begins = [...new Set(java.map(({ ms }) => Math.floor(ms / 50) * 50))].sort((a, b) => a - b);
		const first = begins.find((begin) => {
			const rest = java.filter(({ ms }) => ms >= begin);
			return rest.filter(({ isTop }) => isTop).length >= 0.9 * rest.length;
		});
		return { build: labels.build, first: first ?? null };
	});
	const rows = await ask(store, 'warmup', ['service=ledger']);
	for (const [build, same] of grouped(warm, (run) => sure(run.build))) {
		const told = same.flatMap(({ first }) => first ?? []);
		const of = rows.filter((row) => row.build === build);
		expect(sum(of, (row) => Number(row.runs))).toBe(same.length);
		expect(sum(of, (row) => Number(row.never_warm))).toBe(same.length - told.length);
		expect(Math.min(...of.flatMap(({ first_ms }) => (first_ms === null ? [] : Number(first_ms))))).toBe(Math.min(...told));
		expect(Math.max(...of.flatMap(({ last_ms }) => (last_ms === null ? [] : Number(last_ms))))).toBe(Math.max(...told));
	}
});

test('order: functions by devices and median rank', async () => {
	const ranks = ['startup', 'workload_a'].flatMap((name) => {
		const file = path.join(import.meta.dirname, '..', '..', 'fixtures', 'orderfile', 'temporal', `${name}.traces.txt.gz`);
		const lines = zlib.gunzipSync(fs.readFileSync(file)).toString().split('\n');
		const first = lines.findIndex((line) => line.includes('Trace 0'));
		return lines
			.slice(first + 1)
			.filter((line) => /^ {4}\S/.test(line))
			.map((line, i) => ({ name, symbol: line.trim(), rank: i + 1 }));
	});
	const expected = [...grouped(ranks, ({ symbol }) => symbol)].map(([full, same]) => {
		const [module, symbol] = full.includes(';') ? full.split(';') : ['', full];
		const devices = new Set(same.map(({ name }) => name)).size;
		return { symbol, module, devices, share: devices / 2, median_rank: median(same.map(({ rank }) => rank)) };
	});
	const rows = await ask(store, 'order', ['service=native']);
	expect(rows.length).toBeGreaterThan(700);
	expect(sorted(rows.map(({ symbol, module, devices, share, median_rank }) => ({ symbol, module, devices, share, median_rank })))).toEqual(sorted(expected));
	const places = rows.map((row) => Number(row.median_rank) - 1e6 * Number(row.devices));
	expect(places).toEqual([...places].sort((a, b) => a - b));
});

test('compilers: what they cost', async () => {
	const rows = await ask(store, 'compilers', ['service=ledger']);
	for (const row of rows) {
		const of = ofService('ledger').filter(({ labels }) => labels.build === row.build);
		const samples = (...classes: string[]): number =>
			sum(of, ({ report }) =>
				sum(
					sure(report.threadTime).classes.filter((one) => classes.includes(one.class)),
					(one) => one.samples,
				),
			);
		const all = sum(of, ({ report }) => sure(report.hot).attribution.counted);
		expect(row.compiler_percent).toBe(round((100 * samples('c1', 'c2', 'jvmci')) / all, 3));
		expect(row.c2_percent).toBe(round((100 * samples('c2')) / all, 3));
		const compiled = of.flatMap(({ report }) => sure(report.log).history.compilations.filter(({ kind }) => kind !== 'native wrapper'));
		expect(row.compilations).toBe(round(compiled.length / of.length, 1));
		expect(row.top_tier).toBe(round(compiled.filter(({ level }) => level === 4).length / of.length, 1));
		expect(row.failed).toBe(round(compiled.filter(({ failure }) => failure !== null).length / of.length, 1));
		const ms = sum(compiled, ({ startedMs, doneMs }) => (startedMs === null || doneMs === null ? 0 : Math.max(0, doneMs - startedMs)));
		expect(row.compile_ms).toBeCloseTo(ms / of.length, 0);
	}
	expect(rows.map(({ build }) => build)).toEqual(['17', '25']);
});

test('profilers: total variation of what one at safepoints would say', async () => {
	const [row] = await ask(store, 'profilers', ['service=ledger']);
	const distances = ofService('ledger').flatMap(({ report: { bias } }) => {
		const methods = (bias?.methods ?? []).filter(({ method }) => !method.startsWith('('));
		const [all, said] = [sum(methods, ({ unbiasedPercent }) => unbiasedPercent), sum(methods, ({ predictedPercent }) => predictedPercent)];
		return all > 0 && said > 0
			? [sum(methods, ({ unbiasedPercent, predictedPercent }) => Math.abs((100 * unbiasedPercent) / all - (100 * predictedPercent) / said)) / 2]
			: [];
	});
	expect(distances.length).toBe(2);
	expect(row).toMatchObject({ profiler: '(at safepoints)', runs: 2 });
	expect(sure(row).distance).toBeCloseTo(sum(distances, (one) => one) / 2, 2);
	expect(sure(row).worst).toBeCloseTo(Math.max(...distances), 2);
});

test('profilers: others that lie in the recording, as assay bias has them', async () => {
	const alone = path.join(folder, 'profiled');
	await collectAll(alone, folder, [one('fixtures/jvm/safepoint/strip-jdk17-serial', 'loop', '1', 'h1')]);
	const rows = await ask(alone, 'profilers');
	const { stdout } = await runAssay(
		['bias', 'fixtures/jvm/safepoint/strip-jdk17-serial', '--against', 'jfr=fixtures/jvm/safepoint/strip-jdk17-serial/rec.jfr.gz', '--rounds', '0', '--json'],
		root,
	);
	const { methods } = JSON.parse(stdout).result as { methods: { method: string; unbiasedPercent: number; observed: Record<string, number> }[] };
	const named = methods.filter(({ method }) => !method.startsWith('('));
	const [name = ''] = Object.keys(named[0]?.observed ?? {});
	const [all, said] = [sum(named, ({ unbiasedPercent }) => unbiasedPercent), sum(named, ({ observed }) => observed[name]!)];
	const distance = sum(named, ({ unbiasedPercent, observed }) => Math.abs((100 * unbiasedPercent) / all - (100 * observed[name]!) / said)) / 2;
	expect(said).toBeGreaterThan(0);
	expect(rows.find(({ profiler }) => String(profiler).startsWith('rec.jfr.gz: '))?.distance).toBeCloseTo(distance, 1);
	expect(rows.map(({ profiler }) => profiler)).toContain('(at safepoints)');
});

test('every run is in the store once, with its labels', async () => {
	const rows = await ask(store, 'SELECT name, service, build, host FROM runs');
	expect(sorted(rows)).toEqual(sorted(RECORDINGS.map(({ labels: { service = '', build = '', host = '' } }, i) => ({ name: runs[i]!, service, build, host }))));
	const [counted] = await ask(store, 'SELECT count(*) AS decisions FROM decisions');
	expect(sure(counted).decisions).toBe(sum(plain, ({ decisions }) => decisions.length));
});

function sorted<T extends object>(rows: readonly T[]): T[] {
	return [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** Questions that compare hosts and days, against plain counts: runs of one program on four hosts, of which two are faster; and a day after another. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, collectAll, grouped, type LabelledRecording, type PlainRecording, readPlainly, sure, temporaryFolder } from '../../test/stores.js';

const one = (file: string, host: string): LabelledRecording => ({ files: [file], labels: { service: 'ledger', build: '1', host } });
const RECORDINGS = [
	one('fixtures/jvm/ledger/jdk17', 'h1'),
	one('fixtures/jvm/ledger/jdk25', 'h2'),
	one('fixtures/agent/jdk25', 'h3'),
	one('fixtures/jvm/recorded-compilations/jdk17', 'h4'),
];

const folder = temporaryFolder();
const store = path.join(folder, 'store');
let plain: PlainRecording[] = [];

beforeAll(async () => {
	await collectAll(store, folder, RECORDINGS);
	plain = await readPlainly(folder, RECORDINGS);
}, 120_000);

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** The best of all divisions of the hosts in two, by trying each. */
function division(): { fast: string[]; slow: string[]; separation: number } {
	const speeds = plain.map(({ labels, report }) => ({ host: sure(labels.host), seconds: sure(report.seconds) })).sort((a, b) => a.seconds - b.seconds);
	const mean = (of: readonly { seconds: number }[]): number => of.reduce((sum, { seconds }) => sum + seconds, 0) / of.length;
	const spread = (of: readonly { seconds: number }[]): number => of.reduce((sum, { seconds }) => sum + (seconds - mean(of)) ** 2, 0);
	return speeds
		.slice(1)
		.map((_, i) => {
			const [fast, slow] = [speeds.slice(0, i + 1), speeds.slice(i + 1)];
			return { fast: fast.map(({ host }) => host), slow: slow.map(({ host }) => host), separation: 1 - (spread(fast) + spread(slow)) / spread(speeds) };
		})
		.reduce((best, next) => (next.separation > best.separation + 1e-12 ? next : best));
}

test('groups: hosts in two groups, and the decisions that say which', async () => {
	const { fast, slow, separation } = division();
	const decided = plain.flatMap(({ decisions }) => decisions).filter(({ isTop, verdict }) => isTop && verdict !== 'other');
	const expected = [...grouped(decided, ({ site }) => site).values()].flatMap((same) => {
		const hosts = [...grouped(same, ({ labels }) => sure(labels.host))].flatMap(([host, of]) => {
			const compiled = [...grouped(of, ({ compilation }) => compilation).values()].map((calls) =>
				calls.some(({ verdict }) => verdict === 'inlined') ? 1 : -1,
			);
			const sign = Math.sign(compiled.reduce<number>((sum, next) => sum + next, 0));
			return sign === 0 ? [] : [{ isInlined: sign > 0, isFast: fast.includes(host) }];
		});
		const inlined = hosts.filter(({ isInlined }) => isInlined).length;
		const withFast = hosts.filter(({ isInlined, isFast }) => isInlined === isFast).length;
		const agreement = Math.max(withFast, hosts.length - withFast) / hosts.length;
		const { root, bcis, callee } = same[0]!;
		return inlined > 0 && inlined < hosts.length && 2 * hosts.length >= 4 && agreement >= 0.9
			? [{ root, bcis, callee, inlined_on: 2 * withFast > hosts.length ? 'fast' : 'slow', hosts: hosts.length }]
			: [];
	});
	const rows = await ask(store, 'groups', [], { separation: 0, top: 10_000 });
	expect(rows[0]).toMatchObject({ fast_hosts: fast.length, slow_hosts: slow.length });
	expect(rows[0]!.separation).toBeCloseTo(separation, 3);
	const told = rows.filter(({ root }) => root !== null).map(({ root, bcis, callee, inlined_on, hosts }) => ({ root, bcis, callee, inlined_on, hosts }));
	expect(expected.length).toBeGreaterThan(0);
	expect(sorted(told)).toEqual(sorted(expected));
});

test('new: what the last day has, and no day before', async () => {
	const seen = plain.flatMap(({ report }) => {
		const day = new Date(sure(report.jvm.startedEpochMs)).toISOString().slice(0, 10);
		return [
			...sure(report.log).history.compilations.flatMap(({ method, deoptimizations }) =>
				deoptimizations.map(({ reason }) => ({ day, what: 'deoptimization', name: method, detail: reason })),
			),
			...report.findings.map(({ kind, place }) => ({ day, what: 'finding', name: place?.method ?? '', detail: kind as string })),
			...report.compilations.flatMap(({ method, failure }) => (failure === null ? [] : [{ day, what: 'failed compilation', name: method, detail: failure }])),
		];
	});
	const last = seen.reduce((latest, { day }) => (day > latest ? day : latest), '');
	const expected = [...grouped(seen, ({ what, name, detail }) => JSON.stringify([what, name, detail])).values()]
		.filter((same) => same.every(({ day }) => day === last))
		.map((same) => ({ day: last, what: same[0]!.what, name: same[0]!.name, detail: same[0]!.detail, times: same.length }));
	expect(new Set(seen.map(({ day }) => day)).size).toBeGreaterThan(1);
	expect(expected.length).toBeGreaterThan(0);
	const rows = await ask(store, 'new', [], { top: 10_000 });
	expect(sorted(rows.map(({ day, what, name, detail, times }) => ({ day, what, name, detail, times })))).toEqual(sorted(expected));
});

function sorted<T extends object>(rows: readonly T[]): T[] {
	return [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

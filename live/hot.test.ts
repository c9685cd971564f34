/** `assay hot` on what `assay record` left of real programs, on JDK 17 and 25, under perf, without hsdis. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileProgram, findJdk, type LiveJdk } from './jdks.js';
import { downloadFromMaven } from './packages.js';
import { perfText } from './perf-text.js';

const assay = path.resolve(import.meta.dirname, '..', 'bin', 'assay.js');

const VECTORS = ['--add-modules', 'jdk.incubator.vector'];

interface HotResult {
	readonly samples: { readonly total: number; readonly counted: number; readonly byReason: Record<string, number> };
	readonly clock: { readonly source: string };
	readonly skid: { readonly shifted: boolean; readonly share: number };
	readonly regions: {
		readonly method: string;
		readonly compileId: string | null;
		readonly compiler: string | null;
		readonly samples: number;
		readonly percent: number;
		readonly loop: { readonly depth: number } | null;
		readonly lines: { readonly text: string; readonly samples: number; readonly analysedPercent: number | null; readonly line?: number }[];
	}[];
	readonly by: { readonly rows: readonly { readonly name: string; readonly percent: number }[] } | null;
	readonly compilations: { readonly compileId: string; readonly method: string; readonly samples: number }[];
}

describe.each([17, 25])('on JDK %i', (major) => {
	let folder = '';
	let jdk: LiveJdk;

	beforeAll(() => {
		jdk = findJdk(major);
		folder = fs.mkdtempSync(path.join(os.tmpdir(), `assay-hot-${major}-`));
		compileProgram(jdk, 'HotLoop', folder);
		compileProgram(jdk, 'ManyLoaders', folder);
		compileProgram(jdk, 'Boxes', folder);
	});

	afterAll(() => {
		fs.rmSync(folder, { recursive: true, force: true });
	});

	const record = (output: string, ...args: string[]): void => {
		execFileSync(process.execPath, [assay, 'record', '-o', output, '--jdk', jdk.home, '--', 'java', '-cp', '.', ...args], { cwd: folder, stdio: 'ignore' });
	};
	const hot = (...args: string[]): HotResult =>
		JSON.parse(
			execFileSync(process.execPath, [assay, 'hot', ...args, '--json'], {
				cwd: folder,
				encoding: 'utf8',
				maxBuffer: 1 << 28,
				stdio: ['ignore', 'pipe', 'ignore'],
			}),
		).result;

	test('names the loop that the program spends its time in, and the division in it', () => {
		record('loop', 'HotLoop', '3000');
		const { regions, samples, compilations, clock, skid } = hot('loop');
		const [first] = regions;
		expect(first).toMatchObject({ method: 'HotLoop.divide', compiler: 'c2', loop: { depth: expect.any(Number) } });
		expect(first?.percent).toBeGreaterThan(60);
		const reasons = Object.values(samples.byReason).reduce((a, b) => a + b, 0);
		expect(compilations.reduce((sum, { samples: count }) => sum + count, 0) + reasons).toBe(samples.total);
		expect(clock.source).toBe('recorded');
		// vtable stubs and adapters are named by the JVM's own map.
		expect(samples.byReason.unknown ?? 0).toBeLessThan(samples.total / 100);
		// On most processors a timer's samples come late, and what was seen right after the divisions is moved to them; others stop at the division itself.
		expect(skid.shifted ? skid.share < 0.5 : skid.share > 0.9, JSON.stringify(skid)).toBe(true);
		const lines = first?.lines.filter(({ text }) => text !== '') ?? [];
		const shareOf = (line: (typeof lines)[number] | undefined): number =>
			skid.shifted ? (line?.analysedPercent ?? 0) : (100 * (line?.samples ?? 0)) / samples.counted;
		const divisions = lines.flatMap(({ text }, at) => (text.startsWith('idiv') ? [at] : []));
		const onDivisions = divisions.reduce((sum, at) => sum + shareOf(lines[at]), 0);
		// How large a part of the loop the divisions are depends on the processor (40 to 65 % were seen); that one takes far longer than another instruction is true of all.
		const others = lines.length - divisions.length;
		expect(onDivisions / divisions.length).toBeGreaterThan((10 * ((first?.percent ?? 0) - onDivisions)) / others);
		if (skid.shifted) {
			// Counted from what was seen: the next instruction holds what belongs to the division, but for what its own cost keeps.
			const seenAfter = divisions.reduce((sum, at) => sum + (100 * (lines[at + 1]?.samples ?? 0)) / samples.counted, 0);
			expect(onDivisions / seenAfter).toBeGreaterThan(0.9);
			expect(onDivisions / seenAfter).toBeLessThan(1.1);
		}
		const source = fs.readFileSync(path.join(import.meta.dirname, 'programs', 'HotLoop.java'), 'utf8').split('\n');
		const hottest = lines.reduce((best, line) => (line.samples > best.samples ? line : best));
		expect(source.slice((hottest.line ?? 0) - 2, hottest.line).join('\n')).toMatch(/sum \+= \(n - i\)|for \(int i = 1/);
	});

	test('what C2 says wrongly of code in which it boxed a value is told as where it does not', () => {
		const shares = ['+', '-'].map((sign) => {
			record(`boxes${sign}`, `-XX:${sign}EliminateAutoBox`, 'Boxes', '2000');
			// Of the time of Java threads: how much the compilers take beside them depends on the machine.
			const { by } = hot(`boxes${sign}`, '--by', 'line', '--class', 'java');
			const shareOf = (isWanted: (name: string) => boolean): number =>
				(by?.rows ?? []).reduce((sum, { name, percent }) => sum + (isWanted(name) ? percent : 0), 0);
			return { find: shareOf((name) => name.startsWith('Boxes$Sorted.find:')), boxing: shareOf((name) => name === 'Boxes.row:34') };
		});
		const [boxed, plain] = shares;
		expect(boxed?.boxing, JSON.stringify(shares)).toBeLessThan(5);
		expect(plain?.find, JSON.stringify(shares)).toBeGreaterThan(60);
		const ofBoth = (one: (typeof shares)[number] | undefined): number => (100 * (one?.find ?? 0)) / ((one?.find ?? 0) + (one?.boxing ?? 0));
		expect(Math.abs(ofBoth(boxed) - ofBoth(plain)), JSON.stringify(shares)).toBeLessThan(3);
	});

	test('the same of a virtual call, in Groovy', () => {
		const jar = downloadFromMaven(folder, 'org.apache.groovy:groovy:4.0.23');
		fs.writeFileSync(path.join(folder, 'unique.groovy'), 'println((0..<40000).collect { (it * 7919) % 20011 }.sort().unique().size())\n');
		const shares = ['+', '-'].map((sign) => {
			record(`groovy${sign}`, '-XX:+UnlockDiagnosticVMOptions', `-XX:${sign}IncrementalInlineVirtual`, '-cp', jar, 'groovy.ui.GroovyMain', 'unique.groovy');
			const rows = hot(`groovy${sign}`, '--by', 'method', '--class', 'java').by?.rows ?? [];
			const shareOf = (wanted: string): number => rows.find(({ name }) => name === wanted)?.percent ?? 0;
			const holder = 'org.codehaus.groovy.runtime';
			const hottest = rows.slice(0, 9).map(({ name, percent }) => `${name} ${percent}`);
			return { equals: shareOf(`${holder}.DefaultGroovyMethods.coercedEquals`), compare: shareOf(`${holder}.NumberAwareComparator.compare`), hottest };
		});
		const [late, plain] = shares;
		expect(plain?.equals, JSON.stringify(shares)).toBeGreaterThan(15);
		expect(late?.compare, JSON.stringify(shares)).toBeLessThan(20);
		// The loop is compiled a little otherwise in each run.
		expect(late?.equals, JSON.stringify(shares)).toBeGreaterThan((plain?.equals ?? 0) / 2);
	});

	test('operations on vectors, which C2 expands late, belong to the method that does them', () => {
		execFileSync(jdk.javac, [...VECTORS, '-d', folder, path.join(import.meta.dirname, 'programs', 'Vectors.java')], { stdio: 'ignore' });
		const shares = ['', 'dontinline,Vectors.*'].map((command, i) => {
			record(`vectors${i}`, ...VECTORS, ...(command === '' ? [] : [`-XX:CompileCommand=${command}`]), 'Vectors', '2000');
			const stacks = execFileSync(process.execPath, [assay, 'export', `vectors${i}`, '--to', 'collapsed', '--thread', 'java'], {
				cwd: folder,
				encoding: 'utf8',
			})
				.trim()
				.split('\n')
				.map((line) => /(?<frames>.*) (?<count>\d+)$/.exec(line)?.groups ?? {});
			const sumOf = (wanted: string): number => stacks.reduce((sum, { frames = '', count = 0 }) => sum + (frames.includes(wanted) ? Number(count) : 0), 0);
			return { dot: (100 * sumOf('Vectors.dot')) / sumOf(''), lines: (100 * sumOf('Vectors.lines')) / sumOf('') };
		});
		const [inlined, alone] = shares;
		expect(alone?.dot, JSON.stringify(shares)).toBeGreaterThan(15);
		expect(Math.abs((inlined?.dot ?? 0) - (alone?.dot ?? 0)), JSON.stringify(shares)).toBeLessThan(12);
	});

	test('where code lies at addresses that other code had, samples land in the one of their time', () => {
		record('loaders', '-XX:+UseSerialGC', '-XX:ReservedCodeCacheSize=4m', 'ManyLoaders');
		const { compilations } = hot('loaders');
		const expected = ownersByTime(path.join(folder, 'loaders'));
		expect(expected.reused.size).toBeGreaterThan(5);
		const counts = new Map(compilations.map(({ compileId, samples }) => [compileId, samples]));
		let different = 0;
		let total = 0;
		for (const [id, { samples, unsure }] of expected.samples) {
			different += Math.max(0, Math.abs((counts.get(id) ?? 0) - samples) - unsure);
			total += samples;
		}
		expect(total).toBeGreaterThan(100);
		expect(different).toBe(0);
	});
});

/** By compile id and address: where the code ends. */
function endsOfAgentLog(bytes: Buffer): Map<string, number> {
	const ends = new Map<string, number>();
	for (let at = 40; at + 16 <= bytes.length; at += bytes.readUInt32LE(at)) {
		if (bytes.readUInt16LE(at + 4) === 3) {
			const start = Number(bytes.readBigUInt64LE(at + 16));
			ends.set(`${bytes.readInt32LE(at + 36)} ${start}`, start + bytes.readUInt32LE(at + 28));
		}
	}
	return ends;
}

const STUB = 'stub';

/** Where stubs lie, and when they came, on the clock of the samples: one can come to where code had been. */
function stubsOfAgentLog(bytes: Buffer): { entry: number; end: number; seconds: number }[] {
	const stubs = [];
	for (let at = 40; at + 16 <= bytes.length; at += bytes.readUInt32LE(at)) {
		if (bytes.readUInt16LE(at + 4) === 5) {
			const entry = Number(bytes.readBigUInt64LE(at + 16));
			stubs.push({ entry, end: entry + bytes.readUInt32LE(at + 24), seconds: Number(bytes.readBigUInt64LE(at + 8)) / 1e9 });
		}
	}
	return stubs;
}

/** An independent reckoning from the texts: for each sample the newest code at its address at its time. */
function ownersByTime(folder: string): { samples: Map<string, { samples: number; unsure: number }>; reused: Set<string> } {
	const log = fs.readFileSync(path.join(folder, 'hotspot.log'), 'utf8');
	const { clocks, processId } = JSON.parse(fs.readFileSync(path.join(folder, 'assay-recording.json'), 'utf8'));
	const start = Number(/time_ms='(\d+)'/.exec(log)?.[1]) / 1000 + clocks.monotonicMinusRealtimeSeconds;
	const code = [...log.matchAll(/<nmethod compile_id='(\d+)'( compile_kind='osr')?.*? entry='(0x[0-9a-f]+)'.*? stamp='([\d.]+)'/g)].map(
		([, id = '', osr, entry, stamp]) => ({
			id: osr === undefined ? id : `${id}%`,
			entry: Number(entry),
			end: 0,
			stamp: Number(stamp),
		}),
	);
	// How long each is stands in the agent's log, which has fields of fixed places (docs/formats/agent-log.md).
	const agentLog = fs.readFileSync(path.join(folder, fs.readdirSync(folder).find((name) => name.startsWith('agent-')) ?? ''));
	const ends = endsOfAgentLog(agentLog);
	for (const piece of code) {
		piece.end = ends.get(`${piece.id.replace('%', '')} ${piece.entry}`) ?? piece.entry;
	}
	for (const { entry, end, seconds } of stubsOfAgentLog(agentLog)) {
		code.push({ id: STUB, entry, end, stamp: seconds - start });
	}
	const samples = new Map<string, { samples: number; unsure: number }>();
	const reused = new Set<string>();
	for (const line of perfText(path.join(folder, 'perf.data')).split('\n')) {
		const [, pid, time, address] = / (\d+)\/\d+ +(\d+\.\d+): \S+ +([0-9a-f]+) /.exec(line) ?? [];
		const at = Number.parseInt(address ?? '', 16);
		const seconds = Number(time) - start;
		const there = code.filter((piece) => at >= piece.entry && at < piece.end);
		const before = there.filter(({ stamp }) => stamp <= seconds);
		const soon = there.find(({ stamp }) => stamp - seconds < 0.012);
		const owner = before.length > 0 ? before.reduce((newest, piece) => (piece.stamp >= newest.stamp ? piece : newest)) : soon;
		if (Number(pid) !== processId || owner === undefined) {
			continue;
		}
		const count = samples.get(owner.id) ?? { samples: 0, unsure: 0 };
		count.samples++;
		samples.set(owner.id, count);
		if (there.length > 1) {
			reused.add(owner.id);
			// Stamps are in milliseconds: a sample so near to one can belong to either.
			for (const { id } of there.filter(({ stamp }) => Math.abs(stamp - seconds) < 0.004).length > 0 ? there : []) {
				const near = samples.get(id) ?? { samples: 0, unsure: 0 };
				near.unsure++;
				samples.set(id, near);
			}
		}
	}
	samples.delete(STUB);
	return { samples, reused };
}

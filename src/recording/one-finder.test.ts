/** One finder for all: a folder with folders, the same as an archive, and logs that stand behind other output give every command the same evidence, each file opened once. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { bias, compilations, diff, doctor, exportTables, hotspots, memory, report } from '../library/commands.js';

const examples = path.resolve(import.meta.dirname, '..', '..', 'examples');
const SAMPLES = 2126;
const SECTIONS = ['hot', 'compilations', 'memory', 'bias'];
const OTHER_OUTPUT = 'Iteration 12: 1234.567 ops/s, nothing that is known\n';
const FORMS = ['folders', 'archive', 'archive of packed files', 'archives in an archive', 'behind 36 KB', 'behind 3 MB'];

const FILES: Record<string, string> = {
	folders: 'c',
	archive: 'run.tar.gz',
	'archive of packed files': 'packed.tar',
	'archives in an archive': 'nested.tar.zst',
	'behind 36 KB': 'behind-36k',
	'behind 3 MB': 'behind-3m',
};

/** A Zstandard frame (RFC 8878) of blocks that are not compressed. */
function zstdFrame(bytes: Uint8Array): Buffer {
	const parts: Uint8Array[] = [Buffer.from('28b52ffd0048', 'hex')];
	for (let at = 0; at < bytes.length; at += 1 << 17) {
		const block = bytes.subarray(at, at + (1 << 17));
		const header = (block.length << 3) | (at + block.length === bytes.length ? 1 : 0);
		parts.push(Buffer.from([header & 0xff, (header >> 8) & 0xff, header >> 16]), block);
	}
	return Buffer.concat(parts);
}

let root = '';
const pathOf = (form: string): string => path.join(root, FILES[form] ?? form);

beforeAll(() => {
	root = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-one-finder-'));
	const unpacked = (...name: string[]): Buffer => gunzipSync(fs.readFileSync(path.join(examples, ...name)));
	const log = unpacked('hot', 'hotspot.log.gz');
	const write = (folder: string, before: string): void => {
		fs.mkdirSync(path.join(root, folder, 'logs'), { recursive: true });
		fs.mkdirSync(path.join(root, folder, 'samples'));
		fs.writeFileSync(path.join(root, folder, 'logs', 'hotspot.log'), Buffer.concat([Buffer.from(before), log]));
		fs.writeFileSync(path.join(root, folder, 'logs', 'memory.txt'), unpacked('memory', 'jvm-output.txt.gz'));
		fs.writeFileSync(path.join(root, folder, 'samples', 'perf.script.txt'), unpacked('hot', 'perf.script.txt.gz'));
	};
	write('c', '');
	write('behind-36k', OTHER_OUTPUT.repeat(Math.ceil((36 << 10) / OTHER_OUTPUT.length)));
	write('behind-3m', OTHER_OUTPUT.repeat(Math.ceil((3 << 20) / OTHER_OUTPUT.length)));
	const tar = (archive: string, folder: string, ...names: string[]): void => {
		execFileSync('tar', ['-caf', path.join(root, archive), '-C', path.join(root, folder), ...names]);
	};
	tar('run.tar.gz', 'c', 'logs', 'samples');
	for (const [side, name] of [
		['a', 'graal'],
		['b', 'other'],
	] as const) {
		fs.cpSync(path.join(examples, side), path.join(root, name), { recursive: true });
	}
	fs.mkdirSync(path.join(root, 'order'));
	fs.writeFileSync(path.join(root, 'order', 'program.nm'), '0000000000001000 0000000000000010 T main\n0000000000001010 0000000000000010 T work\n');
	fs.writeFileSync(path.join(root, 'order', 'a.order'), 'work\nmain\n');
	const names = ['logs/hotspot.log', 'logs/memory.txt', 'samples/perf.script.txt'];
	for (const [i, name] of names.entries()) {
		const bytes = fs.readFileSync(path.join(root, 'c', name));
		fs.mkdirSync(path.join(root, 'p', path.dirname(name)), { recursive: true });
		fs.writeFileSync(path.join(root, 'p', `${name}.${i === 1 ? 'zst' : 'gz'}`), i === 1 ? zstdFrame(bytes) : gzipSync(bytes));
	}
	tar('packed.tar', 'p', 'logs', 'samples');
	fs.mkdirSync(path.join(root, 'n'));
	tar('n/logs.tar.gz', 'p', 'logs');
	tar('n/samples.tar', 'c', 'samples');
	tar('nested.tar', 'n', 'logs.tar.gz', 'samples.tar');
	fs.writeFileSync(path.join(root, 'nested.tar.zst'), zstdFrame(fs.readFileSync(path.join(root, 'nested.tar'))));
	fs.rmSync(path.join(root, 'nested.tar'));
});

afterAll(() => fs.rmSync(root, { recursive: true }));

async function json(...argv: string[]) {
	const { stdout, stderr, exit } = await runAssay(argv, root);
	expect({ exit, argv, stderr: exit === 0 ? '' : stderr }).toEqual({ exit: 0, argv, stderr: '' });
	return JSON.parse(stdout).result;
}

/** What commands count in a recording. */
async function countsOf(name: string): Promise<Record<string, unknown>> {
	const wholeReport = await json('report', name, '--no-index', '--json');
	const hot = await json('hot', name, '--json');
	const { tables } = await json('export', name, '--to', 'json');
	const inspected = await json('doctor', name, '--json');
	const compared = await json('diff', name, name, '--json');
	return {
		reportSamples: wholeReport.samples.counted,
		reportCompilations: wholeReport.compilations.map(({ handle, samples, memoryBytes }: Record<string, unknown>) => [handle, samples, memoryBytes]),
		reportMemory: wholeReport.evidence.compilerMemory.records,
		hotSamples: hot.samples,
		regions: hot.regions.map(({ method, samples }: Record<string, unknown>) => [method, samples]),
		compilations: (await json('compilations', name, '--json')).compilations.map(({ handle }: Record<string, unknown>) => handle),
		memory: (await json('memory', name, '--json')).compilations.map(({ handle, totalBytes }: Record<string, unknown>) => [handle, totalBytes]),
		bias: (await json('bias', name, '--rounds', '0', '--json')).methods.map(({ method, predictedPercent }: Record<string, unknown>) => [
			method,
			predictedPercent,
		]),
		exported: Object.entries<unknown[]>(tables).map(([table, rows]) => [table, rows.length]),
		inspectedSamples: inspected.recording.files.flatMap(({ samples }: { samples: { total: number } | null }) => samples?.total ?? []),
		changed: compared.summary.changed,
		comparedSamples: compared.runsA[0].profile.totalPeriod,
	};
}

/** The same by functions. */
async function libraryCountsOf(name: string): Promise<Record<string, unknown>> {
	const wholeReport = await report(name);
	const { tables } = await exportTables(name);
	return {
		samples: [wholeReport.samples.counted, (await hotspots(name)).samples.counted, tables.samples?.length],
		compilations: [wholeReport.compilations.length, (await compilations(name)).compilations.length, tables.compilations?.length],
		memory: [wholeReport.evidence.compilerMemory.records, (await memory(name)).compilations.length, tables.memory?.length],
		predicted: (await bias(name, { rounds: 0 })).methods.length,
		changed: (await diff(name, name)).summary.changed,
		inspected: (await doctor(name)).recording.files.flatMap(({ samples }) => samples?.total ?? []),
	};
}

describe('the same counts in all forms', () => {
	test('as commands', async () => {
		const expected = await countsOf(pathOf('folders'));
		expect(expected).toMatchObject({
			reportSamples: SAMPLES,
			hotSamples: { counted: SAMPLES },
			inspectedSamples: [expect.any(Number)],
			changed: 0,
			comparedSamples: SAMPLES,
		});
		expect(expected.memory).toHaveLength(expected.reportMemory as number);
		const { compilations: logged } = await json('compilations', path.join(examples, 'hot'), '--json');
		expect(expected.compilations).toEqual(logged.map(({ handle }: Record<string, unknown>) => handle));
		for (const form of FORMS.slice(1)) {
			expect(await countsOf(pathOf(form)), form).toEqual(expected);
		}
	}, 300_000);

	test('as functions', async () => {
		const expected = await libraryCountsOf(pathOf('folders'));
		expect(expected).toMatchObject({ samples: [SAMPLES, SAMPLES, SAMPLES], changed: 0 });
		for (const form of FORMS.slice(1)) {
			expect(await libraryCountsOf(pathOf(form)), form).toEqual(expected);
		}
	}, 300_000);

	test('in sections of the report', async () => {
		const sections = async (form: string): Promise<string> => {
			const { stdout, stderr, exit } = await runAssay(['report', pathOf(form), '--no-index', ...SECTIONS.flatMap((name) => ['--section', name])], root);
			expect({ exit, failed: /^assay /m.test(stderr) }).toEqual({ exit: 0, failed: false });
			return stdout.replaceAll(pathOf(form), 'RECORDING');
		};
		const expected = await sections('folders');
		for (const form of FORMS.slice(1)) {
			// Columns have the width of names.
			expect((await sections(form)).replace(/\s+/g, ' '), form).toEqual(expected.replace(/\s+/g, ' '));
		}
	}, 300_000);
});

/** How often each file of the folder is opened meanwhile. */
async function opensOf(run: () => Promise<unknown>, folder = pathOf('folders')): Promise<Record<string, number>> {
	const counts: Record<string, number> = {};
	const count = (file: unknown): void => {
		const name = path.relative(folder, String(file));
		if (!name.startsWith('..') && String(file) !== '' && !name.endsWith('.assay-index') && !/\.assay-index\./.test(name)) {
			counts[name] = (counts[name] ?? 0) + 1;
		}
	};
	const { openSync, createReadStream, readFileSync } = fs;
	const spies = [
		vi.spyOn(fs, 'openSync').mockImplementation((...args) => {
			count(args[0]);
			return openSync(...args);
		}),
		vi.spyOn(fs, 'createReadStream').mockImplementation((...args) => {
			count(args[0]);
			return createReadStream(...args);
		}),
		vi.spyOn(fs, 'readFileSync').mockImplementation(((...args: Parameters<typeof fs.readFileSync>) => {
			count(args[0]);
			return readFileSync(...args);
		}) as typeof fs.readFileSync),
	];
	try {
		await run();
	} finally {
		for (const spy of spies) {
			spy.mockRestore();
		}
	}
	return counts;
}

const ONCE = { 'logs/hotspot.log': 1, 'logs/memory.txt': 1, 'samples/perf.script.txt': 1 };

test.each([
	['diff', ['diff', 'c', 'behind-36k'], ['c', 'behind-36k']],
	['regions compared', ['hot', 'c', '--compare', 'behind-36k'], ['c', 'behind-36k']],
	['memory compared', ['memory', 'c', '--compare', 'behind-36k'], ['c', 'behind-36k']],
	['an experiment of Graal', ['profdiff', 'report', 'graal/log', 'graal/prof.json'], ['graal']],
	['two experiments of Graal', ['profdiff', 'jit-vs-jit', 'graal/log', 'graal/prof.json', 'other/log', 'other/prof.json'], ['graal', 'other']],
	['experiments of Graal in a report', ['diff', 'graal', 'other'], ['graal', 'other']],
	['an order', ['order', 'lint', 'order/a.order', '--nm', 'order/program.nm'], ['order']],
])('%s opens each file of two recordings once', async (_, argv, folders) => {
	const counts = await opensOf(async () => {
		expect((await runAssay(argv, root)).exit).toBeLessThan(2);
	}, root);
	const files = folders.flatMap((folder) =>
		fs
			.readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
			.flatMap((entry) => (entry.isFile() ? [path.relative(root, path.join(entry.parentPath, entry.name))] : [])),
	);
	expect(counts).toEqual(Object.fromEntries(files.filter((file) => !file.endsWith('.assay-index')).map((file) => [file, 1])));
});

test.each([
	['a report', ['report', 'c']],
	['hot', ['hot', 'c']],
	['compilations', ['compilations', 'c']],
	['memory', ['memory', 'c']],
	['bias', ['bias', 'c', '--rounds', '0']],
	['decisions of a HotSpot log', ['profdiff', 'report', 'c']],
	['a report with four sections', ['report', 'c', '--no-index', ...SECTIONS.flatMap((name) => ['--section', name])]],
	['a report with decisions', ['report', 'c', '--no-index', '--section', 'decisions', '--json']],
	['a page', ['report', 'c', '-o', 'page.html']],
	['doctor', ['doctor', 'c']],
	['tables', ['export', 'c', '--to', 'json']],
])('%s opens each file once', async (_, argv) => {
	expect(
		await opensOf(async () => {
			expect((await runAssay(argv, root)).exit).toBe(0);
		}),
	).toEqual(ONCE);
});

test('a zip archive that is named is told to be one', async () => {
	fs.writeFileSync(path.join(root, 'run.zip'), Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(100)]));
	for (const command of ['report', 'hot', 'compilations', 'memory', 'bias', 'doctor']) {
		const { stdout, stderr } = await runAssay([command, 'run.zip'], root);
		expect(`${command}: ${stdout}${stderr}`).toContain('run.zip: is a zip archive, which is not looked into; unpack it, or give a tar archive');
	}
	// Beside what is known of the run it is left out; archives of classes nobody takes for evidence.
	const folder = path.join(root, 'beside');
	fs.cpSync(pathOf('folders'), folder, { recursive: true });
	for (const name of ['more.zip', 'classes.jar']) {
		fs.copyFileSync(path.join(root, 'run.zip'), path.join(folder, name));
	}
	const { problems } = JSON.parse((await runAssay(['report', 'beside', '--no-index', '--json'], root)).stdout);
	expect(problems.filter(({ message }: { message: string }) => message.includes('zip')).map(({ file }: { file: string }) => file)).toEqual(['beside/more.zip']);
});

/**
 * docs/adding-a-format.md, tried: a copy of the sources with one folder and one row more is type-checked and built, and finder, doctor, report, JSON and library
 * speak of the new format, with nothing else changed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-toy-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const READER = `/** Toy stacks: a line \`toy METHOD COUNT\` each. */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import type { ReadProfile } from '../format.js';

export function isToyStacks(head: string): boolean {
	return head.startsWith('TOYSTACKS 1\\n');
}

export function readToyStacks(source: Source): ReadProfile {
	const leaves: { thread: null; method: string; line: null; samples: number }[] = [];
	forEachLine(source, (line) => {
		const [, method, count] = /^toy (\\S+) (\\d+)$/.exec(line) ?? [];
		if (method !== undefined) {
			leaves.push({ thread: null, method, line: null, samples: Number(count) });
		}
	});
	const kinds = [{ kind: 'toy', event: 'toy', number: -1 }];
	return { file: { kinds, stacks: null, leaves, isCounted: true, lostSamples: 0, jvmStartEpochNs: null }, problems: [] };
}
`;
const ROW = `	{
		name: 'toy-stacks',
		title: 'stacks of a toy',
		kinds: ['stacks'],
		place: 'file',
		is: isToyStacks,
		flag: 'toyprof',
		stacks: { format: 'collapsed-stacks', words: 'stacks of a toy', read: readToyStacks },
	},
`;

function assay(...argv: string[]): string {
	return execFileSync(process.execPath, [path.join(folder, 'dist', 'cli.js'), ...argv], { encoding: 'utf8', cwd: folder });
}

beforeAll(async () => {
	fs.cpSync(path.join(root, 'src'), path.join(folder, 'src'), { recursive: true, filter: (file) => !file.endsWith('.test.ts') });
	for (const file of ['package.json', 'tsconfig.json']) {
		fs.copyFileSync(path.join(root, file), path.join(folder, file));
	}
	fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
	fs.mkdirSync(path.join(folder, 'src', 'formats', 'toy-stacks'));
	fs.writeFileSync(path.join(folder, 'src', 'formats', 'toy-stacks', 'read.ts'), READER);
	const registry = path.join(folder, 'src', 'formats', 'registry.ts');
	const text = fs.readFileSync(registry, 'utf8');
	fs.writeFileSync(
		registry,
		text
			.replace('import { isUftraceText }', "import { isToyStacks, readToyStacks } from './toy-stacks/read.js';\nimport { isUftraceText }")
			.replace('export const FORMATS: readonly Format[] = [\n', `export const FORMATS: readonly Format[] = [\n${ROW}`),
	);
	fs.mkdirSync(path.join(folder, 'run'));
	fs.writeFileSync(path.join(folder, 'run', 'profile'), 'TOYSTACKS 1\ntoy a.B.hot 41\ntoy a.B.cold 1\n');
	await build({
		cwd: folder,
		input: { cli: 'src/cli/entry.ts', index: 'src/index.ts' },
		platform: 'node',
		logLevel: 'silent',
		external: [/^node:/, /capstone-js/, /gecko-profiler-demangle/, /^@duckdb\//],
		output: { dir: path.join(folder, 'dist'), format: 'esm', entryFileNames: '[name].js' },
	});
});

/** What the type checker prints. */
function typeErrors(): string {
	fs.writeFileSync(path.join(folder, 'tsconfig.toy.json'), '{ "extends": "./tsconfig.json", "compilerOptions": { "rootDir": "." }, "include": ["src"] }');
	const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
	return spawnSync(process.execPath, [tsc, '-p', path.join(folder, 'tsconfig.toy.json')], { encoding: 'utf8', cwd: folder }).stdout;
}

test('the type checker has nothing to say', () => {
	expect(typeErrors()).toBe('');
});

test('doctor, report and JSON speak of it', () => {
	expect(assay('doctor', 'run')).toContain('stacks of a toy');
	const doctor = JSON.parse(assay('doctor', 'run', '--json'));
	expect(doctor.result.recording.files).toMatchObject([{ name: 'run/profile', kind: 'toy-stacks', profile: { events: [{ name: 'toy', count: 42 }] } }]);
	expect(assay('report', 'run')).toContain('stacks ✓');
	const report = JSON.parse(assay('report', 'run', '--json'));
	expect(report.result.evidence.stacks).toEqual({ present: true, files: ['run/profile'], records: 42 });
});

test('the library too', async () => {
	const library = (await import(pathToFileURL(path.join(folder, 'dist', 'index.js')).href)) as typeof import('../src/index.js');
	const { evidence } = await library.report(path.join(folder, 'run'));
	expect(evidence.stacks).toMatchObject({ present: true, records: 42 });
});

test('of a new kind of evidence the type checker names the places that lack it: where it is read, and what JSON has of it', () => {
	const evidence = path.join(folder, 'src', 'model', 'evidence.ts');
	const toy = "	toys: { words: 'toys', chip: { name: 'toys', what: '', isMissed: false }, isExpected: false, ...ANY },\n	orderTraces: {";
	fs.writeFileSync(evidence, fs.readFileSync(evidence, 'utf8').replace('	orderTraces: {', toy));
	const places = new Set([...typeErrors().matchAll(/^(src\S+?)\(.*'toys'/gm)].map(([, file]) => file));
	expect([...places]).toEqual(expect.arrayContaining(['src/answers/report.ts', 'src/render/report-text.ts']));
});

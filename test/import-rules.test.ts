/**
 * Data moves one way through the house: bytes, formats, model, analyses, reports, command line. This test reads the imports of
 * all sources and fails on one that goes against it, with the rule and its reason.
 */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..', 'src');
const ANALYSES = ['profdiff', 'hotspots', 'compilations', 'bias', 'footprint', 'startup'];

interface Import {
	readonly file: string;
	readonly target: string;
	readonly isTypeOnly: boolean;
}

/** The rooms that a room may import from, and why no other. */
interface Rule {
	readonly mayImport: readonly string[];
	/** Packages from the registry. */
	readonly packages?: readonly string[];
	/** Whether Node's own modules may be used. */
	readonly node: boolean;
	readonly reason: string;
}

const RULES: Record<string, Rule> = {
	bytes: { mayImport: [], packages: ['@noble/hashes/legacy.js'], node: false, reason: 'reading bytes knows no format and no file system' },
	model: { mayImport: [], node: false, reason: 'the facts depend on nothing' },
	formats: {
		mayImport: ['bytes', 'model'],
		packages: ['saxes', 'fflate', 'pprof-format', 'hyparquet-writer'],
		node: false,
		reason: 'a reader gets a Source and gives model rows; it opens nothing and analyses nothing',
	},
	disassembly: { mayImport: [], packages: ['@alexaltea/capstone-js'], node: true, reason: 'bytes to text, nothing else' },
	demangling: { mayImport: [], packages: ['gecko-profiler-demangle/index_bg.js'], node: true, reason: 'names to names, nothing else' },
	recording: {
		mayImport: ['bytes', 'formats', 'model', 'disassembly'],
		packages: ['fflate', 'zstddec/stream'],
		node: true,
		reason: 'recordings are opened and joined here, not analysed',
	},
	report: { mayImport: ['model', ...ANALYSES], packages: ['string-width'], node: false, reason: 'reports show results; they neither read nor compute' },
	web: {
		mayImport: ['model', 'report', ...ANALYSES],
		packages: ['preact', 'preact/hooks', 'fflate'],
		node: false,
		reason: 'the page shows the JSON of the commands: result types, and what reports have to spell them',
	},
	cli: { mayImport: ['bytes', 'model', 'formats', 'demangling', 'recording', 'report', ...ANALYSES], node: true, reason: 'the outermost room' },
	library: { mayImport: ['cli', 'model', 'recording', 'report', ...ANALYSES], node: true, reason: 'functions over what the commands do' },
	...Object.fromEntries(ANALYSES.map((name) => [name, { mayImport: ['model'], node: false, reason: 'an analysis is a function of the model alone' }])),
};

test('imports go one way', () => {
	expect(imports().flatMap(violations)).toEqual([]);
});

test('the rules find what they are for', () => {
	const violation = (file: string, target: string, isTypeOnly = false): string[] => violations({ file, target, isTypeOnly });
	expect(violation('model/problem.ts', 'formats/x/read.ts')).toHaveLength(1);
	expect(violation('formats/a/read.ts', 'formats/b/read.ts')).toHaveLength(1);
	expect(violation('formats/a/read.ts', 'node:fs')).toHaveLength(1);
	expect(violation('profdiff/run.ts', 'hotspots/run.ts')).toHaveLength(1);
	expect(violation('report/text.ts', 'profdiff/run.ts')).toHaveLength(1);
	expect(violation('report/text.ts', 'profdiff/run.ts', true)).toHaveLength(0);
	expect(violation('report/text.ts', 'profdiff/results.ts')).toHaveLength(0);
	expect(violation('cli/main.ts', 'profdiff/run.ts')).toHaveLength(0);
	expect(violation('web/app.tsx', 'hotspots/hot-results.ts')).toHaveLength(1);
	expect(violation('web/app.tsx', 'hotspots/hot-results.ts', true)).toHaveLength(0);
	expect(violation('web/app.tsx', 'report/hot-json.ts', true)).toHaveLength(0);
	expect(violation('web/app.tsx', 'cli/main.ts', true)).toHaveLength(1);
	expect(violation('report/text.ts', 'web/app.tsx')).toHaveLength(1);
});

function violations({ file, target, isTypeOnly }: Import): string[] {
	const room = file.split(path.sep)[0]!;
	const rule = RULES[room];
	if (room === 'index.ts') {
		return [];
	}
	if (rule === undefined) {
		return [`${file}: the folder '${room}' has no import rule; add one to ${path.basename(import.meta.filename)}`];
	}
	const complaint = (why: string): string[] => [`${file} imports ${target}: ${why}`];
	if (target.startsWith('node:')) {
		return rule.node ? [] : complaint(rule.reason);
	}
	if (rule.packages?.includes(target)) {
		return [];
	}
	const targetRoom = target.split(path.sep)[0]!;
	if (room === 'web' && target.endsWith('.css')) {
		return [];
	}
	if (targetRoom === '..') {
		return room === 'cli' ? [] : complaint('nothing outside src is part of the program');
	}
	if (targetRoom === room) {
		const [, format] = file.split(path.sep);
		const [, targetFormat] = target.split(path.sep);
		return room === 'formats' && format !== targetFormat ? complaint('a format does not know another') : [];
	}
	if (!rule.mayImport.includes(targetRoom)) {
		return complaint(rule.reason);
	}
	if (room === 'web' && targetRoom !== 'report' && !isTypeOnly) {
		return complaint(rule.reason);
	}
	const isResult = path.basename(target) === 'results.ts';
	return room === 'report' && ANALYSES.includes(targetRoom) && !isTypeOnly && !isResult
		? complaint('a report takes from an analysis types and its results.ts; it does not compute')
		: [];
}

/** Files of src by their place in it; those of the page, which stands beside it, below `web`. */
function imports(): Import[] {
	const web = path.resolve(root, '..', 'web');
	const sources = (folder: string): string[] =>
		fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file) && !/(?:\.test|\.config|\.d)\.ts$/.test(file));
	const files = [...sources(root), ...sources(web).map((file) => path.join('web', file))];
	expect(files.length).toBeGreaterThan(20);
	return files.flatMap((file) => {
		const place = path.resolve(file.startsWith(`web${path.sep}`) ? path.dirname(web) : root, file);
		const text = fs.readFileSync(place, 'utf8');
		const found = [...text.matchAll(/^(?:import|export)\s+(type\s)?[^;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm)];
		return found.map(([, type, from, bare, dynamic]) => {
			const specifier = from ?? bare ?? dynamic ?? '';
			const target = specifier.startsWith('.') ? roomPath(path.resolve(path.dirname(place), specifier)).replace(/\.js$/, '.ts') : specifier;
			return { file, target, isTypeOnly: type !== undefined };
		});
	});
}

function roomPath(file: string): string {
	const web = path.resolve(root, '..', 'web');
	return file.startsWith(web + path.sep) ? path.join('web', path.relative(web, file)) : path.relative(root, file);
}

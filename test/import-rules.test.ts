/**
 * Data moves one way through the house: bytes, formats, recording, analyses, answers, faces (ARCHITECTURE.md). This test reads the imports of all sources and
 * fails on one that goes against it, with the rule and its reason, and on every circle of files.
 */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { circles, type Import, importsOf, sourceFiles } from './source-files.js';

const ANALYSES = ['profdiff', 'hot', 'compilations', 'bias', 'footprint', 'startup'];

/** The rooms that a room may import from, and why no other. */
interface Rule {
	readonly mayImport: readonly string[];
	/** Rooms of which only types may be taken, and what stands in files that {@link mayUse} names. */
	readonly typesOf?: readonly string[];
	/** Files of those rooms of which more than types may be taken. */
	readonly mayUse?: RegExp;
	/** Packages from the registry. */
	readonly packages?: readonly string[];
	/** Whether Node's own modules may be used. */
	readonly node: boolean;
	readonly reason: string;
}

const BELOW_ANSWERS = ['bytes', 'model', 'formats', 'disassembly', 'demangling', 'recording', 'statistics', ...ANALYSES, 'join'];

const RULES: Readonly<Record<string, Rule>> = {
	bytes: { mayImport: [], packages: ['@noble/hashes/legacy.js'], node: false, reason: 'reading bytes knows no format and no file system' },
	model: { mayImport: [], node: false, reason: 'the facts depend on nothing' },
	statistics: { mayImport: [], node: false, reason: 'laws of numbers know nothing of what is counted' },
	formats: {
		mayImport: ['bytes', 'model'],
		packages: ['saxes', 'fflate', 'pprof-format', 'hyparquet-writer'],
		node: false,
		reason: 'a reader gets a Source and gives facts; it opens nothing and analyses nothing',
	},
	disassembly: {
		mayImport: ['model'],
		packages: ['@alexaltea/capstone-js'],
		node: true,
		reason: 'bytes to text and where it goes, nothing of what they belong to',
	},
	demangling: { mayImport: [], packages: ['gecko-profiler-demangle/index_bg.js'], node: true, reason: 'names to names, nothing else' },
	recording: {
		mayImport: ['bytes', 'formats', 'model', 'disassembly', 'demangling'],
		packages: ['fflate', 'zstddec/stream'],
		node: true,
		reason: 'recordings are found and opened here, not analysed',
	},
	...Object.fromEntries(
		ANALYSES.map((name) => [
			name,
			{ mayImport: ['model', 'statistics'], node: false, reason: 'an analysis is a function of the model alone, and knows no other' },
		]),
	),
	join: {
		mayImport: ['model', 'statistics'],
		typesOf: ANALYSES,
		node: false,
		reason: 'the join puts together what analyses found; it neither reads nor computes it',
	},
	toolchain: {
		mayImport: ['bytes', 'formats', 'model', 'recording', 'startup'],
		node: true,
		reason: 'compilers are driven for whoever asks: the command line is one of them',
	},
	answers: { mayImport: BELOW_ANSWERS, node: true, reason: 'a typed request becomes a typed result; nothing is printed, and no argument parsed' },
	render: {
		mayImport: ['model', 'statistics'],
		typesOf: [...ANALYSES, 'join', 'answers', 'store'],
		mayUse: /^src\/\w+\/results\.ts$/,
		packages: ['string-width'],
		node: false,
		reason: 'results are spelled here; what they are is computed elsewhere',
	},
	store: {
		mayImport: [...BELOW_ANSWERS, 'answers'],
		packages: ['@duckdb/node-api'],
		node: true,
		reason: 'the store keeps what answers say of many runs, and asks engines about it; it prints nothing',
	},
	page: {
		mayImport: [...BELOW_ANSWERS, 'answers', 'store', 'render'],
		packages: ['fflate'],
		node: true,
		reason: 'the page is made of results, whichever command wants it',
	},
	cli: {
		mayImport: [...BELOW_ANSWERS, 'toolchain', 'answers', 'store', 'render', 'page'],
		packages: ['leven', '@modelcontextprotocol/sdk/server/index.js', '@modelcontextprotocol/sdk/server/stdio.js', '@modelcontextprotocol/sdk/types.js'],
		node: true,
		reason: 'the outermost room',
	},
	web: {
		mayImport: ['statistics'],
		typesOf: ['model', ...ANALYSES, 'join', 'answers', 'page', 'render'],
		// How names and sizes are spelled is the same on the page and in the text; the page checks the version of its data.
		mayUse: /^src\/(?:render\/(?:memory-view|side-names|visible)|page\/data|model\/(?:ahead-of-time|evidence|method-name|thread-class))\.ts$/,
		packages: ['preact', 'preact/hooks', 'fflate'],
		node: false,
		reason: 'the page shows results: their types, and what text has to spell them',
	},
};

/** May take from everywhere: the library's door, and what moves into the answers. */
const FREE = ['src/index.ts', 'src/library/'];

/** What tests of the page share lies beside it: only there its parts have types. */
const isTest = (file: string): boolean => /\.(?:test|config|live)\.ts$|^web\/testing\//.test(file);

test('imports go one way', () => {
	const files = sourceFiles('src', 'web').filter((file) => !isTest(file));
	expect(files.length).toBeGreaterThan(500);
	expect(files.flatMap(importsOf).flatMap(violations)).toEqual([]);
});

test('no circle of files', () => {
	const files = sourceFiles('src', 'web', 'live', 'test', 'fuzz');
	const imports = new Map(files.map((file) => [file, importsOf(file).map(({ target }) => target)]));
	expect(circles(imports).map((circle) => [...circle, circle[0]].join(' → '))).toEqual([]);
});

describe('the rules find what they are for', () => {
	const violation = (file: string, target: string, isTypeOnly = false): string[] => violations({ file, target, isTypeOnly });

	test.each<[string, string]>([
		['src/model/problem.ts', 'src/formats/x/read.ts'],
		['src/model/problem.ts', 'src/statistics/shares.ts'],
		['src/statistics/shares.ts', 'src/model/problem.ts'],
		['src/formats/a/read.ts', 'src/formats/b/read.ts'],
		['src/formats/shared/elf/read.ts', 'src/formats/a/read.ts'],
		['src/formats/a/read.ts', 'node:fs'],
		['src/formats/a/read.ts', 'left-pad'],
		['src/profdiff/run.ts', 'src/hot/run.ts'],
		['src/profdiff/run.ts', 'src/formats/shared/java/frame-spelling.ts'],
		['src/join/findings.ts', 'src/bias/predict.ts'],
		['src/join/findings.ts', 'src/answers/report.ts'],
		['src/answers/hot.ts', 'src/cli/io.ts'],
		['src/answers/hot.ts', 'src/render/hot-text.ts'],
		['src/answers/hot.ts', 'src/page/data.ts'],
		['src/toolchain/link.ts', 'src/cli/io.ts'],
		['src/render/text.ts', 'src/profdiff/run.ts'],
		['src/render/text.ts', 'src/answers/hot.ts'],
		['src/render/text.ts', 'web/app.tsx'],
		['src/page/gather.ts', 'src/cli/hot-command.ts'],
		['src/cli/main.ts', 'src/library/run.ts'],
		['src/cli/main.ts', 'scripts/build.js'],
		['web/app.tsx', 'src/hot/hot-results.ts'],
		['web/app.tsx', 'src/page/gather.ts'],
		['web/app.tsx', 'src/render/hot-text.ts'],
		['web/app.tsx', 'node:fs'],
		['src/new-room/a.ts', 'src/model/problem.ts'],
	])('%s may not import %s', (file, target) => {
		expect(violation(file, target)).toHaveLength(1);
	});

	test.each<[string, string]>([
		['src/answers/hot.ts', 'src/cli/io.ts'],
		['src/join/findings.ts', 'src/answers/report.ts'],
		['src/render/text.ts', 'src/page/data.ts'],
		['web/app.tsx', 'src/cli/main.ts'],
		['web/app.tsx', 'src/recording/log-file.ts'],
		['src/hot/hot.ts', 'src/bias/predict.ts'],
	])('%s may not take even types of %s', (file, target) => {
		expect(violation(file, target, true)).toHaveLength(1);
	});

	test.each<[string, string, boolean]>([
		['src/formats/a/read.ts', 'src/formats/shared/elf/read.ts', false],
		['src/formats/shared/elf/read.ts', 'src/formats/shared/elf/other.ts', false],
		['src/join/findings.ts', 'src/bias/predict.ts', true],
		['src/render/text.ts', 'src/profdiff/run.ts', true],
		['src/render/text.ts', 'src/profdiff/results.ts', false],
		['src/render/text.ts', 'src/answers/results.ts', false],
		['src/page/gather.ts', 'src/answers/report.ts', false],
		['src/cli/main.ts', 'src/profdiff/run.ts', false],
		['src/library/run.ts', 'src/cli/main.ts', false],
		['web/app.tsx', 'src/hot/hot-results.ts', true],
		['web/app.tsx', 'src/statistics/shares.ts', false],
		['web/app.tsx', 'src/page/data.ts', false],
		['web/app.tsx', 'web/style.css', false],
	])('%s may import %s', (file, target, isTypeOnly) => {
		expect(violation(file, target, isTypeOnly)).toEqual([]);
	});

	test('circles', () => {
		const imports = (text: string): Map<string, string[]> => new Map(text.split(' ').map((line) => [line.slice(0, 1), [...line.slice(1)]]));
		expect(circles(imports('abc bc c'))).toEqual([]);
		expect(circles(imports('abcd bd cd d'))).toEqual([]);
		expect(circles(imports('ab bc ca'))).toEqual([['a', 'b', 'c']]);
		expect(circles(imports('xa ab ba'))).toEqual([['a', 'b']]);
		expect(circles(imports('aa'))).toEqual([['a']]);
		expect(circles(imports('ab ba cd dc'))).toHaveLength(2);
		// Of a way with branches only the circle is told.
		expect(circles(imports('ab bcd c db'))).toEqual([['b', 'd']]);
		const chain = Array.from({ length: 100_000 }, (_, i): [string, string[]] => [`${i}`, [`${i + 1}`]]);
		expect(circles(new Map(chain))).toEqual([]);
		expect(circles(new Map([...chain, ['100000', ['0']]]))).toHaveLength(1);
	});
});

/** What is wrong with an import: nothing, or a sentence. */
function violations({ file, target, isTypeOnly }: Import): string[] {
	if (FREE.some((free) => file.startsWith(free))) {
		return [];
	}
	const room = roomOf(file);
	const rule = RULES[room];
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
	const targetRoom = roomOf(target);
	if (targetRoom === room) {
		const [format, targetFormat] = [file.split('/')[2], target.split('/')[2]];
		// What stands beside the folders (the registry, and what it is made of) knows them all; of it a format knows the shape of its row.
		const isOfAll = format?.endsWith('.ts') === true;
		const isKnown = format === targetFormat || targetFormat === 'shared' || (isTypeOnly && targetFormat === 'format.ts');
		return room === 'formats' && !isOfAll && !isKnown ? complaint('a format does not know another') : [];
	}
	// What the package says of itself: its version.
	if (target === 'package.json') {
		return rule.node ? [] : complaint(rule.reason);
	}
	const isAllowed = rule.mayImport.includes(targetRoom) || (rule.typesOf?.includes(targetRoom) === true && (isTypeOnly || rule.mayUse?.test(target) === true));
	return isAllowed ? [] : complaint(rule.reason);
}

/** `hot` of `src/hot/…`, `web` of `web/…`. */
function roomOf(place: string): string {
	const [top = '', second = ''] = place.split('/');
	return top === 'src' ? second : top;
}

import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { runAssayOnce } from '../../test/run-assay.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const runs = path.join(root, 'fixtures', 'jvm', 'safepoint');
const isValid = new Ajv2020({ allowUnionTypes: true }).compile(JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'bias.json'), 'utf8')));

const RUN = 'strip-jdk25-g1';
const WINDOW = ['--from', '1982.113221942', '--to', '1986.113386842'];

test('a table, distances, transfers and loops in 80 columns', async () => {
	const { stdout, stderr, exit } = await runAssayOnce(['bias', RUN, '--thread', 'S8Strip', ...WINDOW, '--against', `dump=${RUN}/dump.collapsed`], runs);
	expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
	expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
	expect(stdout).toMatch(/^m1 +S8Strip\.a +67\.4 ± +\d\.\d +68\.\d ± +\d\.\d +\d+\.\d +67\.0$/m);
	expect(stdout).toMatch(/^predicted - dump +0\.02\d +\(0\.0\d\d\)$/m);
	expect(stdout).toContain('strip-mined');
});

test('JSON as documented', async () => {
	const { stdout, exit } = await runAssayOnce(
		[
			'bias',
			'--json',
			RUN,
			'--thread',
			'S8*',
			...WINDOW,
			'--rounds',
			'0',
			'--against',
			`dump=${RUN}/dump.collapsed`,
			'--against',
			`lines=${RUN}/dump.lines.collapsed`,
		],
		runs,
	);
	const output = JSON.parse(stdout) as {
		result: {
			methods: { method: string; unbiasedSamples: number; predictedPercent: number; nearestDebugInfoPercent: number; observed: Record<string, number> }[];
			distances: { a: string; b: string; totalVariation: number }[];
			loops: { poll: string }[];
			debugInfo: string;
		};
	};
	expect(isValid(output), JSON.stringify(isValid.errors)).toBe(true);
	expect(exit).toBe(0);
	const { methods, distances, loops, debugInfo } = output.result;
	expect(methods[0]).toMatchObject({
		method: 'S8Strip.a',
		unbiasedSamples: 2208,
		observed: { dump: expect.closeTo(66.99, 1), lines: expect.closeTo(66.99, 1) },
	});
	expect(methods.reduce((sum, { predictedPercent }) => sum + predictedPercent, 0)).toBeCloseTo(100, 1);
	expect(distances).toHaveLength(10);
	expect(debugInfo).toBe('every instruction');
	expect(methods[0]?.nearestDebugInfoPercent).toBeGreaterThan(0);
	expect(distances.find(({ a, b }) => a === 'dump' && b === 'lines')?.totalVariation).toBe(0);
	expect(loops.some(({ poll }) => poll === 'strip')).toBe(true);
});

test('the instructions between the samples of a method and the poll that it is blamed at', async () => {
	const argv = ['bias', 'jdk25-serial', '--thread', 'S5Chain', '--rounds', '0'];
	const { stdout, stderr, exit } = await runAssayOnce([...argv, '--explain', 'hot'], runs);
	expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
	expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
	await expect(stdout).toMatchFileSnapshot(path.join(root, 'fixtures', 'golden', 'bias-explained-80.txt'));
	const { result } = JSON.parse((await runAssayOnce([...argv, '--json'], runs)).stdout);
	const handle = 1 + result.methods.findIndex(({ method }: { method: string }) => method === 'S5Chain.hot');
	expect((await runAssayOnce([...argv, `m${handle}`], runs)).stdout).toBe(stdout);
	const [first] = result.explanations;
	expect(first).toMatchObject({ from: 'S5Chain.hot', to: 'S5Chain.c5', compileId: '1240', probability: expect.closeTo(1, 1) });
	expect(first.poll.frames[0]).toEqual({ method: 'S5Chain.c5', bci: 1, line: 179 });
	expect(first.steps.filter(({ note }: { note: string }) => note === 'leaves the loop')).toHaveLength(2);
	expect(first.steps.at(-1)).toMatchObject({ compileId: '1241', instruction: 'cmp 0x28(%r15),%rsp', address: first.poll.address });
	expect(await runAssayOnce([...argv, 'm99'], runs)).toMatchObject({ exit: 2 });
	expect(await runAssayOnce([...argv, 'm1', '--explain', 'nobody'], runs)).toMatchObject({ exit: 2 });
	const intel = await runAssayOnce([...argv, '--explain', 'hot', '--syntax', 'intel'], runs);
	expect([intel.exit, /\(%|\$0x/.test(stdout), /\(%|\$0x/.test(intel.stdout), intel.stdout.includes('PTR [')]).toEqual([0, true, false, true]);
});

test.each([80, 200])('all of it, with the loops of the bytecode, in %i columns', async (columns) => {
	const classes = path.join('..', 'classes', 'S6Long.javap.txt');
	const argv = ['bias', 'jdk25-serial', '--thread', 'S6Long', '--rounds', '0', '--classes', classes];
	const { stdout, exit } = await runAssayOnce(argv, runs, { isTerminal: true, columns, hasColour: false });
	expect(exit).toBe(0);
	expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
	await expect(stdout).toMatchFileSnapshot(path.join(root, 'fixtures', 'golden', `bias-${columns}.txt`));
});

test.each([80, 200])('by line, beside profiles with lines and without, in %i columns', async (columns) => {
	const against = ['--against', `dump=${RUN}/dump.lines.collapsed`, '--against', `nolines=${RUN}/dump.collapsed`];
	const { stdout, exit } = await runAssayOnce(['bias', RUN, '--by', 'line', '--thread', 'S8Strip', ...WINDOW, ...against], runs, {
		isTerminal: true,
		columns,
		hasColour: false,
	});
	expect(exit).toBe(0);
	expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
	await expect(stdout).toMatchFileSnapshot(path.join(root, 'fixtures', 'golden', `bias-lines-${columns}.txt`));
});

test('JSON by line: intervals as methods have them, distances and transfers by line; the line that is explained', async () => {
	const argv = ['bias', 'jdk25-serial', '--thread', 'S2NoInline', '--json', '--against', 'dump=jdk25-serial/dump.lines.collapsed'];
	const output = JSON.parse((await runAssayOnce([...argv, '--by', 'line'], runs)).stdout);
	expect(isValid(output), JSON.stringify(isValid.errors)).toBe(true);
	const { by, lines, methods, distances, transfers } = output.result;
	const line = (name: string) => lines.find((row: { line: string }) => row.line === name);
	expect(by).toBe('line');
	expect(line('S2NoInline.run:123')).toMatchObject({ predictedPercent: expect.closeTo(70, 0), observed: { dump: expect.closeTo(70.6, 1) } });
	expect(line('S2NoInline.run:123').predictedInterval.low).toBeLessThan(line('S2NoInline.run:123').predictedPercent);
	expect(line('S2NoInline.a:117').unbiasedSamples).toBeGreaterThan(3000);
	expect(methods.find(({ method }: { method: string }) => method === 'S2NoInline.run').predictedInterval).toBe(null);
	expect(distances.find(({ a, b }: { a: string; b: string }) => a === 'predicted' && b === 'dump').totalVariation).toBeLessThan(0.05);
	expect(transfers[0]).toMatchObject({ from: 'S2NoInline.a:117', to: 'S2NoInline.run:123' });
	// By method nothing is said of it.
	const plain = JSON.parse((await runAssayOnce(argv, runs)).stdout);
	expect(plain.result.by).toBe(undefined);
	expect(Object.keys(plain.result.lines[0])).toEqual(['line', 'unbiasedPercent', 'predictedPercent', 'nearestDebugInfoPercent', 'observed']);
	const handle = 1 + lines.findIndex((row: { line: string }) => row.line === 'S2NoInline.a:117');
	const explained = await runAssayOnce(['bias', 'jdk25-serial', `l${handle}`, '--thread', 'S2NoInline', '--rounds', '0', '--by', 'line'], runs);
	expect(explained.stdout).toContain('S2NoInline.a:117 → S2NoInline.run:123');
	const named = await runAssayOnce(['bias', RUN, '--thread', 'S8Strip', '--rounds', '0', '--by', 'line', '--explain', 'S8Strip.a'], runs);
	expect(named.stdout).toMatch(/S8Strip\.\w+:\d+ → S8Strip\.\w+:\d+/);
	expect(await runAssayOnce(['bias', RUN, '--rounds', '0', '--by', 'line', 'l9999'], runs)).toMatchObject({ exit: 2 });
	expect(await runAssayOnce(['bias', RUN, '--rounds', '0', 'l1'], runs)).toMatchObject({ exit: 2, stderr: expect.stringContaining('--by line') });
	expect(await runAssayOnce(['bias', RUN, '--by', 'bytecode'], runs)).toMatchObject({
		exit: 2,
		stderr: expect.stringContaining('--by takes method, line, tree'),
	});
});

test.each([80, 200])('call trees of what is inlined, beside stacks of another profiler, in %i columns', async (columns) => {
	const argv = ['bias', RUN, '--by', 'tree', '--rounds', '0', '--thread', 'S8Strip', ...WINDOW, '--against', `dump=${RUN}/dump.lines.collapsed`];
	const { stdout, exit } = await runAssayOnce(argv, runs, { isTerminal: true, columns, hasColour: false });
	expect(exit).toBe(0);
	expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
	await expect(stdout).toMatchFileSnapshot(path.join(root, 'fixtures', 'golden', `bias-tree-${columns}.txt`));
});

interface TreeNode {
	readonly depth: number;
	readonly method: string;
	readonly unbiasedPercent: number;
	readonly unbiasedSelfPercent: number;
	readonly predictedPercent: number;
	readonly predictedSelfPercent: number;
	readonly observed: Readonly<Record<string, number>>;
}

/** Of each method what is in it alone, over the tree. */
function selfOf(nodes: readonly TreeNode[], of: 'unbiasedSelfPercent' | 'predictedSelfPercent'): Map<string, number> {
	const result = new Map<string, number>();
	for (const node of nodes) {
		result.set(node.method, (result.get(node.method) ?? 0) + node[of]);
	}
	return result;
}

test('a tree in JSON: its nodes add up, and to what the methods have', async () => {
	const argv = ['bias', 'jdk25-serial', '--by', 'tree', '--rounds', '0', '--json', '--thread', 'S7Objects', '--against', 'jfr=jdk25-serial/rec.jfr.gz'];
	const output = JSON.parse((await runAssayOnce(argv, runs)).stdout);
	expect(isValid(output), JSON.stringify(isValid.errors)).toBe(true);
	const { by, tree, methods, distances } = output.result;
	const nodes: TreeNode[] = tree.nodes;
	expect([by, tree.frames]).toEqual(['tree', 'inlining']);
	nodes.forEach((node, i) => {
		const after = nodes.slice(i + 1);
		const end = after.findIndex(({ depth }) => depth <= node.depth);
		const callees = (end < 0 ? after : after.slice(0, end)).filter(({ depth }) => depth === node.depth + 1);
		// Callees below 0.01 % are left out.
		expect(callees.reduce((sum, callee) => sum + callee.unbiasedPercent, node.unbiasedSelfPercent)).toBeCloseTo(node.unbiasedPercent, 0);
		expect(callees.reduce((sum, callee) => sum + callee.predictedPercent, node.predictedSelfPercent)).toBeCloseTo(node.predictedPercent, 0);
	});
	const unbiased = selfOf(nodes, 'unbiasedSelfPercent');
	const predicted = selfOf(nodes, 'predictedSelfPercent');
	for (const { method, unbiasedPercent, predictedPercent } of methods) {
		expect(Math.abs((unbiased.get(method) ?? 0) - unbiasedPercent), method).toBeLessThan(0.05);
		expect(Math.abs((predicted.get(method) ?? 0) - predictedPercent), method).toBeLessThan(0.3);
	}
	expect(distances.map(({ a, b }: { a: string; b: string }) => `${a} - ${b}`)).toEqual(['unbiased - predicted', 'unbiased - jfr', 'predicted - jfr']);
	// Of the paths of inlining, as of the methods, Flight Recorder is nearer to the samples than what is predicted of thread dumps.
	expect(distances[1].totalVariation).toBeLessThan(distances[0].totalVariation);
});

test('a tree of the samples’ own stacks', async () => {
	const folder = path.join('..', 'async-profiler');
	const { result } = JSON.parse((await runAssayOnce(['bias', folder, '--by', 'tree', '--rounds', '0', '--json'], runs)).stdout);
	const nodes: TreeNode[] = result.tree.nodes;
	expect(result.tree.frames).toBe('stacks');
	expect(nodes[0]).toMatchObject({ depth: 0, method: 'Hot.main', predictedPercent: expect.closeTo(100, 0) });
	const collatz = nodes.find(({ method }) => method === 'Hot.collatz');
	expect(collatz).toMatchObject({ depth: 1, unbiasedPercent: expect.closeTo(34.8, 1), predictedSelfPercent: expect.closeTo(91.6, 0) });
	const lines = gunzipSync(fs.readFileSync(path.join(runs, folder, 'cpu.collapsed.gz')))
		.toString()
		.split('\n');
	const inMain = lines.filter((line) => line.includes('Hot.main')).reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
	expect((nodes[0]!.unbiasedPercent * result.samples) / 100).toBeCloseTo(inMain, 0);
});

test('loops of the bytecode in JSON; what is none', async () => {
	const argv = ['bias', 'jdk25-serial', '--thread', 'S6Long', '--rounds', '0', '--json', '--classes'];
	const { stdout } = await runAssayOnce([...argv, path.join('..', 'classes')], runs);
	const output = JSON.parse(stdout);
	expect(isValid(output), JSON.stringify(isValid.errors)).toBe(true);
	// A folder is looked through for class files only.
	expect(output.result.loops.every(({ bytecode }: { bytecode: unknown }) => bytecode === null)).toBe(true);
	const { result } = JSON.parse((await runAssayOnce([...argv, path.join('..', 'classes', 'S6Long.javap.txt')], runs)).stdout);
	expect(result.loops[0]).toMatchObject({
		method: 'S6Long.longIndex',
		kind: 'long index',
		bytecode: { header: 2, backEdge: 34, test: 'top', index: { type: 'long', step: 1 } },
	});
	expect(result.versionDifferences).toMatchObject([
		{ method: 'S6Long.longIndex', line: 194, versions: [{ isOsr: true, poll: 'iteration' }, { isOsr: false, poll: 'strip' }, {}] },
	]);
	for (const wrong of ['nowhere', path.join('jdk25-serial', 'windows.json')]) {
		expect(await runAssayOnce([...argv, wrong], runs), wrong).toMatchObject({ exit: 3 });
	}
});

test('a thread that is not there, and a profile that is none', async () => {
	const nobody = await runAssayOnce(['bias', RUN, '--thread', 'nobody', '--json'], runs);
	expect(isValid(JSON.parse(nobody.stdout))).toBe(true);
	expect(nobody.stdout).toContain('no samples of a thread nobody');
	expect(nobody.stdout).toContain('check --thread, --from and --to; most samples are of S');
	const none = await runAssayOnce(['bias', RUN, '--rounds', '0', '--against', `x=${RUN}/windows.json`], runs);
	expect(none.stderr).toContain('holds no profile that is known');
});

test('wrong use and unusable input', async () => {
	expect(await runAssayOnce(['bias'], runs)).toMatchObject({ exit: 2 });
	expect(await runAssayOnce(['bias', RUN, '--from', 'x'], runs)).toMatchObject({ exit: 2 });
	expect(await runAssayOnce(['bias', RUN, '--against', 'dump'], runs)).toMatchObject({ exit: 2 });
	expect(await runAssayOnce(['bias', 'nowhere', '--json'], runs)).toMatchObject({ exit: 3 });
});

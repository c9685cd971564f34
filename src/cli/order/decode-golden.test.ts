/** `assay order decode` on recordings of a real program: each order is the one that LLVM's own tool, or a tracer, told. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { type AssayRun, runAssay } from '../../../test/run-assay.js';

const root = path.resolve(import.meta.dirname, '..', '..', '..');
const recordings = path.join(root, 'fixtures', 'orderfile');
const golden = path.join(root, 'fixtures', 'golden');
const validate = new Ajv2020({ allErrors: true, strict: false }).compile(
	JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'order-decode.json'), 'utf8')),
);

const decode = (...argv: string[]): Promise<AssayRun> => runAssay(['order', 'decode', ...argv], recordings);
const unpacked = (name: string): string => gunzipSync(fs.readFileSync(path.join(recordings, `${name}.gz`))).toString();
const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
/** The traces that llvm-profdata printed, as `file;name` or name. */
const printedTraces = (name: string): string[][] =>
	unpacked(`temporal/${name}.traces.txt`)
		.split(/^ {2}Temporal Profile Trace .*$/m)
		.slice(1)
		.map((trace) => linesOf(trace).map((line) => line.trim()));
const symbolsOf = (traces: readonly string[][]): string[] => [...new Set(traces.flat().map((name) => name.replace(/^[^;]*;/, '')))];

interface DecodeJson {
	readonly result: {
		readonly functions: readonly { readonly symbol: string; readonly module: string | null; readonly file?: string; readonly line?: number }[];
		readonly traces: readonly { readonly functions: number; readonly isComplete: boolean; readonly format: string }[];
		readonly collisions: readonly unknown[];
		readonly sharedNames: readonly { readonly symbol: string; readonly ran: number; readonly inMap: number }[];
	};
	readonly problems: readonly { readonly severity: string; readonly message: string }[];
}
async function decodeJson(...argv: string[]): Promise<DecodeJson> {
	const { stdout } = await decode(...argv, '--json');
	const json = JSON.parse(stdout);
	validate(json);
	expect(validate.errors).toBeNull();
	return json;
}

describe('temporal profiles of LLVM', () => {
	test.each(['startup', 'workload_a', 'workload_b'].flatMap((run) => ['profraw', 'profdata', 'traces.txt'].map((form) => [run, form])))(
		'%s.%s',
		async (run, form) => {
			const { stdout, stderr, exit } = await decode(`temporal/${run}.${form}.gz`);
			expect([stderr, exit]).toEqual(['', 0]);
			expect(linesOf(stdout)).toEqual(symbolsOf(printedTraces(run as string)));
			const { result } = await decodeJson(`temporal/${run}.${form}.gz`);
			expect(result.functions.map(({ symbol, module }) => (module === null ? symbol : `${module};${symbol}`))).toEqual(printedTraces(run as string)[0]);
		},
	);

	test.each(['profdata', 'traces.txt'])('several traces are united in order, or one is taken (%s)', async (form) => {
		const traces = printedTraces('all3');
		expect(traces).toHaveLength(3);
		expect(linesOf((await decode(`temporal/all3.${form}.gz`)).stdout)).toEqual(symbolsOf(traces));
		for (const [number, trace] of traces.entries()) {
			expect(linesOf((await decode(`temporal/all3.${form}.gz`, '--trace', String(number))).stdout)).toEqual(symbolsOf([trace]));
		}
		const wrong = await decode(`temporal/all3.${form}.gz`, '--trace', '3');
		expect([wrong.stdout, wrong.exit]).toEqual(['', 2]);
		expect(wrong.stderr).toContain('there is no trace 3: they are numbered 0 to 2');
	});

	test('several files', async () => {
		const { stdout } = await decode('temporal/startup.profraw.gz', 'temporal/workload_b.profdata.gz');
		expect(linesOf(stdout)).toEqual(symbolsOf([...printedTraces('startup'), ...printedTraces('workload_b')]));
	});
});

describe("clang's order buffers", () => {
	test.each(['startup', 'workload_a', 'workload_b'])('%s', async (run) => {
		const { stdout, exit } = await decode(`orderfile/${run}.profraw.order.gz`, '--map', 'orderfile/sqlite_order19.map.gz');
		expect(exit).toBe(0);
		expect(linesOf(stdout)).toEqual(linesOf(unpacked(`orderfile/${run}.decoded.txt`)));
	});

	test('static functions of one name', async () => {
		const { stderr } = await decode('clang19/multi19.profraw.order.gz', '--map', 'clang19/multi19.map');
		expect(stderr).toContain('helper (3 of 3 ran)');
		const { result } = await decodeJson('clang19/multi19.profraw.order.gz', '--map', 'clang19/multi19.map');
		expect(result.functions.map(({ symbol }) => symbol)).toEqual(['main', 'c_entry', 'helper', 'a_entry', 'b_entry']);
		expect(result.sharedNames).toEqual([{ symbol: 'helper', ran: 3, inMap: 3 }]);
	});

	test('inline functions of several modules are no matter', async () => {
		const { result, problems } = await decodeJson('clang19/kinds19.profraw.order.gz', '--map', 'clang19/kinds19.map');
		expect(result.functions).toHaveLength(16);
		expect([result.sharedNames, problems]).toEqual([[], []]);
	});

	test('two maps, ThinLTO', async () => {
		const { stdout } = await decode('clang19/h12_thinlto.profraw.order.gz', '--map', 'clang19/h12_thinlto.map', '--map', 'clang19/multi19.map');
		expect(linesOf(stdout)).toEqual(['main', 'f2', 'st', 'f9']);
	});

	test('without a map, or with that of another program', async () => {
		const without = await decode('clang19/multi19.profraw.order.gz');
		expect([without.stdout, without.exit]).toEqual(['', 3]);
		expect(without.stderr).toContain('its map is missing; give the map with --map');
		const other = await decode('clang19/kinds19.profraw.order.gz', '--map', 'orderfile/sqlite_order19.map.gz');
		expect([other.stdout, other.exit]).toEqual(['', 3]);
		expect(other.stderr).toContain('15 of which are not in orderfile/sqlite_order19.map.gz');
		const profile = await decode('clang19/kinds19.profraw.order.gz', '--map', 'temporal/startup.profraw.gz');
		expect(profile.stderr).toContain('is no map of an instrumented program');
	});
});

describe('lists of functions', () => {
	test.each(['startup', 'workload_a', 'workload_b'])('what ptrace saw: %s', async (run) => {
		const name = `groundtruth/${run}.firstexec.txt`;
		const { stdout, stderr } = await decode(name);
		const names = linesOf(fs.readFileSync(path.join(recordings, name), 'utf8')).map((line) => line.split(' ')[2]);
		expect(stderr).toBe('');
		expect(linesOf(stdout)).toEqual([...new Set(names)]);
	});

	test.each(['startup', 'workload_b'])('hooks of -finstrument-functions: %s', async (run) => {
		const { stdout } = await decode(`groundtruth/${run}.finstrument-functions.txt.gz`);
		expect(linesOf(stdout)).toEqual([...new Set(linesOf(unpacked(`groundtruth/${run}.finstrument-functions.txt`)))]);
	});
});

describe('page faults that perf recorded', () => {
	const FAULTS = 'perf/base.startup.page-faults.perf-script.txt.gz';
	test('with the program its functions', async () => {
		const { stdout, exit } = await decode(FAULTS, '--elf', 'bin/sqlite_base.elf.gz');
		expect(exit).toBe(0);
		await expect(stdout).toMatchFileSnapshot(path.join(golden, 'order-decode-page-faults.txt'));
	});

	test('without it all functions that were fetched', async () => {
		const symbols = linesOf((await decode(FAULTS)).stdout);
		expect(symbols).toEqual(expect.arrayContaining(linesOf((await decode(FAULTS, '--elf', 'bin/sqlite_base.elf.gz')).stdout)));
		expect(symbols).not.toContain('__TMC_END__');
	});
});

describe('what is written', () => {
	const CUT = 40;
	const head = (text: string): string => `${text.split('\n').slice(0, CUT).join('\n')}\n`;
	test.each(['lld', 'gold', 'ld64', 'bolt'])('for %s', async (format) => {
		const { stdout, exit } = await decode('temporal/startup.profdata.gz', '--format', format);
		expect(exit).toBe(0);
		await expect(head(stdout)).toMatchFileSnapshot(path.join(golden, `order-decode-${format}.txt`));
	});

	test('JSON', async () => {
		const { stdout } = await decode('temporal/startup.profdata.gz', '--json');
		const json = JSON.parse(stdout);
		json.assay.version = '';
		json.result.functions.length = CUT;
		await expect(`${JSON.stringify(json, null, '\t')}\n`).toMatchFileSnapshot(path.join(golden, 'order-decode.json'));
	});

	test('the example of the help runs', async () => {
		const { stdout, exit } = await runAssay(['order', 'decode', 'examples/order/startup.profraw.gz'], root);
		expect(exit).toBe(0);
		expect(linesOf(stdout)).toEqual(symbolsOf(printedTraces('startup')));
		for (const argv of [
			['order', '--help'],
			['order', 'decode', '--help'],
			['help', 'order'],
		]) {
			const help = await runAssay(argv, root);
			expect(help.stdout).toContain('assay order decode examples/order/startup.profraw.gz');
			expect(help.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
		}
	});
});

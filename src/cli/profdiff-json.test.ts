import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { GRAAL_FIXTURES } from '../../test/fixtures.js';
import { runAssay } from '../../test/run-assay.js';

const docs = path.resolve(import.meta.dirname, '..', '..', 'docs');
const schema = JSON.parse(fs.readFileSync(path.join(docs, 'schema', 'profdiff.json'), 'utf8'));
const validate = new Ajv2020({ allErrors: true, strict: false }).compile(schema);

interface Output {
	readonly result: {
		readonly experiments: readonly { readonly compilations: number }[];
		readonly methods: readonly { readonly method: string; readonly shown: readonly Record<string, unknown>[] }[];
	};
	readonly problems: readonly { readonly message: string }[];
}

async function run(argv: readonly string[]): Promise<{ output: Output; exit: number; stderr: string }> {
	const { stdout, stderr, exit } = await runAssay(['profdiff', '--json', ...argv], GRAAL_FIXTURES);
	expect(stdout.endsWith('}\n')).toBe(true);
	const output = JSON.parse(stdout);
	validate(output);
	expect(validate.errors ?? []).toEqual([]);
	return { output, exit, stderr };
}

const pair = (name: string): string[] => ['a', 'b'].flatMap((side) => [`inputs/${name}-${side}/log`, `inputs/${name}-${side}.prof.json`]);

describe('profdiff --json is as documented', () => {
	test.each([
		[['jit-vs-jit', ...pair('poly')]],
		[['--inliner-reasoning=true', '--prune-identities=false', 'jit-vs-jit', ...pair('json')]],
		[['--optimization-context-tree=true', 'jit-vs-jit', ...pair('steady')]],
		[['--diff-compilations=false', 'jit-vs-jit', ...pair('escape')]],
		[['report', 'inputs/mix-a/log', 'inputs/mix-a.prof.json']],
		[['--optimization-context-tree=true', 'report', 'inputs/edge/dup']],
		[['aot-vs-aot-jit-profile', 'inputs/mix-a/log', 'inputs/mix-a.prof.json', 'inputs/mix-aot1/log', 'inputs/mix-aot2/log']],
		[['jit-vs-jit', 'inputs/huge1/log', 'inputs/huge1.prof.json', 'inputs/huge2/log', 'inputs/huge2.prof.json']],
		[['report', 'inputs/edge/floats']],
		[['help', 'report']],
	])('%j', async (argv) => {
		const { exit, stderr, output } = await run(argv);
		expect({ exit, stderr, problems: output.problems }).toEqual({ exit: 0, stderr: '', problems: [] });
	});

	test('also when the command fails in the middle', async () => {
		const { exit, stderr, output } = await run(['report', 'inputs/edge/mixed']);
		expect(exit).toBe(1);
		expect(stderr).toContain('the trees of compilation "9" cannot be read');
		expect(output.problems.length).toBe(9);
		expect(output.result.methods.map(({ method, shown }) => [method, shown.length])).toEqual([
			['Demo.a', 1],
			['t', 0],
		]);
		expect((await run(['report', 'inputs/absent'])).output.problems).toHaveLength(1);
		expect((await run(['--nope', 'report'])).output.problems).toHaveLength(1);
	});

	test('tells both sides of a node that was decided for other reasons', async () => {
		const { output } = await run([
			'--inliner-reasoning=true',
			'jit-vs-jit',
			'inputs/edge/rel1',
			'inputs/edge/rel.prof.json',
			'inputs/edge/rel2',
			'inputs/edge/rel.prof.json',
		]);
		const [shown] = output.result.methods[0]?.shown ?? [];
		expect(shown).toMatchObject({ kind: 'pair', left: '1', right: '1' });
		const { nodes } = (shown as { inlining: { nodes: Record<string, unknown>[] } }).inlining;
		expect(nodes[1]).toMatchObject({
			depth: 1,
			operation: 'relabel',
			before: { kind: 'inlined', method: 'Demo.b', signature: '()', bci: 1, reasons: ['r1'] },
			after: { kind: 'direct', reasons: ['q1', 'q1b'] },
		});
	});

	test.each(fs.readdirSync(path.join(docs, 'schema')))('every field of %s is explained', (file) => {
		const text = fs.readFileSync(path.join(docs, 'json.md'), 'utf8');
		const documented = JSON.parse(fs.readFileSync(path.join(docs, 'schema', file), 'utf8'));
		const fields = new Set<string>();
		const collect = (value: unknown, isProperties: boolean): void => {
			if (typeof value === 'object' && value !== null) {
				for (const [key, inner] of Object.entries(value)) {
					if (isProperties) {
						fields.add(key);
					}
					collect(inner, key === 'properties' && !isProperties);
				}
			}
		};
		collect(documented, false);
		const camelCaseOptions = new Set(Object.keys(schema.$defs.options.properties));
		expect([...fields].filter((field) => !camelCaseOptions.has(field) && !new RegExp(`\`(\\w+\\.)?${field}[.\`]`).test(text))).toEqual([]);
	});
});

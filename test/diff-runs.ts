/** Runs of `assay diff` and `assay report` over the unpacked Graal recordings, six of one program with and without an option among them. */
import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { DiffResult } from '../src/answers/results.js';
import type { CommandIo } from '../src/cli/io.js';
import type { CommandResults, CommandWithResult } from './command-results.js';
import { GRAAL_FIXTURES } from './fixtures.js';
import { type AssayRun, runAssay, runAssayOnce } from './run-assay.js';

export const root = path.resolve(import.meta.dirname, '..');
export const REPEATS = path.join(GRAAL_FIXTURES, 'repeats');
export const INPUTS = path.join(GRAAL_FIXTURES, 'inputs');
export const TRUE_LABELS = ['poly-a1', 'poly-b1', '--repeat-a', 'poly-a2', '--repeat-a', 'poly-a3', '--repeat-b', 'poly-b2', '--repeat-b', 'poly-b3'];

export type Change = DiffResult['changes'][number];

/** Recordings that stay as they are: six runs take a second and a half to compare, and many tests look at the same comparison. */
export const runKept = (argv: readonly string[], folder: string, io: Partial<CommandIo> = {}): Promise<AssayRun> =>
	[root, REPEATS, INPUTS].includes(folder) ? runAssayOnce(argv, folder, io) : runAssay(argv, folder, io);

export const diff = (argv: readonly string[], folder = REPEATS): Promise<AssayRun> => runKept(['diff', ...argv], folder);

const schemas = Object.fromEntries(
	['diff', 'report'].map((name) => [
		name,
		new Ajv2020({ allErrors: true, strict: false }).compile(JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', `${name}.json`), 'utf8'))),
	]),
);

/** Held against its schema. */
export async function json<C extends CommandWithResult>([command, ...argv]: readonly [C, ...string[]], folder = REPEATS): Promise<CommandResults[C]> {
	const { stdout } = await runKept([command, '--json', ...argv], folder);
	const output: { readonly result: CommandResults[C] } = JSON.parse(stdout);
	const validate = schemas[command];
	validate?.(output);
	expect(validate?.errors ?? []).toEqual([]);
	return output.result;
}

const known = new Map<string, Change[]>();

/** Read and checked against the schema once. */
export async function changesOf(argv: readonly string[], folder = REPEATS): Promise<Change[]> {
	const key = JSON.stringify([argv, folder]);
	const changes = known.get(key) ?? (await json(['diff', ...argv], folder)).changes;
	known.set(key, changes);
	return changes;
}

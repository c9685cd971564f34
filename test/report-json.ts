/** What `assay --json` gives of recordings in fixtures/, parsed; reports are held against their schema. */
import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { CommandResults, CommandWithResult } from './command-results.js';
import { runAssay, runAssayOnce } from './run-assay.js';

const root = path.resolve(import.meta.dirname, '..');
/** Paths are relative to this folder. */
export const FIXTURES = path.join(root, 'fixtures');
const validate = new Ajv2020({ allErrors: true, strict: false }).compile(JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'report.json'), 'utf8')));

export async function json<C extends CommandWithResult>(command: C, ...argv: string[]): Promise<CommandResults[C]> {
	// Recordings of fixtures/ stay as they are, and several tests look at one; those that a test makes have absolute paths.
	const run = argv.some((argument) => path.isAbsolute(argument)) ? runAssay : runAssayOnce;
	const { stdout, exit } = await run([...command.split(' '), ...argv, '--json'], FIXTURES);
	expect(exit, argv.join(' ')).toBe(0);
	const output: { readonly result: CommandResults[C] } = JSON.parse(stdout);
	if (command === 'report') {
		validate(output);
		expect(validate.errors ?? []).toEqual([]);
	}
	return output.result;
}

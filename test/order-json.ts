/** What `assay order COMMAND --json` prints, held against its schema. */
import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { runAssay } from './run-assay.js';

const schemas = path.resolve(import.meta.dirname, '..', 'docs', 'schema');

interface PrintedAnswer<T> {
	readonly result: T;
	readonly problems: readonly { readonly message: string }[];
	readonly exit: number;
}

export async function orderJson<T>(folder: string, command: string, ...argv: string[]): Promise<PrintedAnswer<T>> {
	const { stdout, exit } = await runAssay(['order', command, ...argv, '--json'], folder);
	const parsed = JSON.parse(stdout);
	const schema = JSON.parse(fs.readFileSync(path.join(schemas, `order-${command}.json`), 'utf8'));
	const validate = new Ajv2020({ allErrors: true, strict: false }).compile(schema);
	expect(validate(parsed), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
	return { ...parsed, exit };
}

/** The name of a recording may hold what a terminal obeys: no command prints it as it is. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';

const examples = path.resolve(import.meta.dirname, '..', '..', 'examples');
const NAME = 'h\u001b[31mX';
let root = '';

beforeAll(() => {
	root = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-hostile-'));
	fs.cpSync(path.join(examples, 'hot'), path.join(root, NAME), { recursive: true });
	fs.cpSync(path.join(examples, 'a'), path.join(root, `${NAME}g`), { recursive: true });
	fs.mkdirSync(path.join(root, `${NAME}bad`));
	fs.writeFileSync(path.join(root, `${NAME}bad`, NAME), '{"methodName":"A.a()","compilationId":\n{}\nno log\n');
	fs.writeFileSync(path.join(root, `${NAME}.txt`), 'nothing that is known\n');
});

afterAll(() => fs.rmSync(root, { recursive: true }));

test.each([
	['report', NAME],
	['report', `${NAME}bad`],
	['report', `${NAME}.txt`],
	['hot', NAME],
	['hot', NAME, '--compare', NAME],
	['hot', `${NAME}bad`],
	['perfasm', NAME],
	['compilations', NAME],
	['compilations', `${NAME}bad`],
	['memory', NAME],
	['bias', NAME, '--rounds', '0'],
	['bias', '--ttsp', NAME],
	['diff', NAME, NAME],
	['diff', `${NAME}g`, `${NAME}bad`],
	['diff', NAME, NAME, '--format', 'markdown'],
	['doctor', NAME],
	['doctor', `${NAME}bad`],
	['export', NAME, '--to', 'json'],
	['order', 'decode', NAME],
	['order', 'optimize', `${NAME}.txt`, '--nm', `${NAME}.txt`],
	['profdiff', 'report', `${NAME}g/log`],
	['profdiff', 'report', `${NAME}bad`],
	['profdiff', 'report', NAME],
	['profdiff', 'jit-vs-jit', `${NAME}g/log`, `${NAME}g/prof.json`, `${NAME}bad`, `${NAME}g/prof.json`],
	['profdiff', 'compare-replayed', `${NAME}bad`, `${NAME}g/log`],
	['profdiff', 'report', `${NAME}absent`],
])('%j', async (...argv) => {
	const { stdout, stderr } = await runAssay(argv, root);
	expect(stdout + stderr).not.toBe('');
	expect([stdout, stderr].filter((text) => text.includes('\u001b'))).toEqual([]);
});

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { calleeOf } from '../model/remarks.js';
import { readRemarkFiles } from './remark-files.js';

let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-remarks-'));
});

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** `pass name function`, and the callee of a call. */
async function functionsOf(...files: readonly (readonly string[])[]) {
	const named = files.map((rows, i) => {
		const filePath = path.join(folder, `${i}.opt.yaml`);
		const remarks = rows.map((row) => {
			const [pass, name, symbol, callee] = row.split(' ');
			const kind = name === 'NoDefinition' ? 'Missed' : 'Passed';
			const called = callee === undefined ? '' : `Args:\n  - Callee: ${callee}\n`;
			return `--- !${kind}\nPass: ${pass}\nName: ${name}\nDebugLoc: { File: a.cc, Line: 7, Column: 3 }\nFunction: ${symbol}\n${called}...\n`;
		});
		fs.writeFileSync(filePath, remarks.join(''));
		return { filePath, name: `${i}.opt.yaml` };
	});
	const { functions, remarks, numberOf } = await readRemarkFiles(named);
	const told = [...functions].map(([symbol, { own }]) => [
		symbol,
		own.map((i) => [remarks.text(remarks.name[i]!), calleeOf(remarks, i)].filter((one) => one !== null).join(' ')),
	]);
	return { told: Object.fromEntries(told), numberOf };
}

test('of a function that several modules hold: what the first of them tells that emits its code', async () => {
	const copy = ['inline Inlined f g', 'licm Hoisted f'];
	const other = ['inline Inlined f h', 'asm-printer InstructionCount f'];
	const told = (f: string[]) => ({ f, main: ['InstructionCount'] });
	expect((await functionsOf([...copy, 'asm-printer InstructionCount main'], other, other)).told).toEqual(told(['Inlined h', 'InstructionCount']));
	expect(
		(await functionsOf([...copy, 'asm-printer InstructionCount main'], ['inline Inlined f h', 'gvn LoadElim f', 'asm-printer InstructionCount k'])).told,
	).toEqual({
		...told(['Inlined g', 'Hoisted', 'LoadElim']),
		k: ['InstructionCount'],
	});
});

test('where modules were optimized when they were linked: both steps, and the names that the second one gives', async () => {
	const { told, numberOf } = await functionsOf(
		['inline NoDefinition f g', 'inline Inlined f h'],
		['inline Inlined other.llvm.77 f.llvm.1166', 'asm-printer InstructionCount other.llvm.77'],
		['inline Inlined f.llvm.1166 g.llvm.1166', 'asm-printer InstructionCount f.llvm.1166'],
	);
	expect(told).toEqual({ f: ['NoDefinition g', 'Inlined h', 'Inlined g', 'InstructionCount'], other: ['Inlined f', 'InstructionCount'] });
	expect([numberOf('f'), numberOf('f.llvm.1166'), numberOf('other.llvm.77')]).toEqual([1, 1, 2]);
});

/** What ran in the runs of a store, as lists that `assay order optimize` takes: a trace of a run each, in a folder that goes when the command ends. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { InputError } from '../../model/problem.js';
import { ALL_DAYS, answerQuery } from '../../store/query.js';
import { parseConditions, runsPredicate } from '../../store/sql-text.js';
import type { CommandContext } from '../command.js';
import type { ParsedOptions } from '../options.js';

export async function tracesOfStore(parsed: ParsedOptions, context: CommandContext): Promise<string[]> {
	const store = parsed.value('store')!;
	const conditions = parseConditions(parsed.values('where'), '--where');
	const sql = `SELECT r.name, f.trace, f.symbol, f.module FROM first_executions f JOIN runs r ON r.run = f.run WHERE f.run IN (SELECT run FROM runs WHERE ${runsPredicate(conditions, ALL_DAYS)}) ORDER BY r.name, f.trace, f.rank`;
	const request = { question: { sql }, conditions, days: ALL_DAYS, parameters: new Map() };
	const { table, problems } = await answerQuery({ filePath: path.resolve(context.workingDirectory, store), name: store }, request);
	context.tell(problems);
	const traces = new Map<string, { readonly run: string; readonly lines: string[] }>();
	for (const [run, trace, symbol, module] of table.rows()) {
		const key = `${run} ${trace}`;
		const known = traces.get(key) ?? { run: String(run), lines: [] };
		traces.set(key, known);
		known.lines.push(module === null || module === undefined ? String(symbol) : `${module};${symbol}`);
	}
	if (traces.size === 0) {
		throw new InputError({
			severity: 'error',
			file: store,
			message: 'holds no first executions of these runs',
			action: 'collect traces of native programs: docs/order.md',
		});
	}
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-traces-'));
	context.atEnd(() => fs.rmSync(folder, { recursive: true, force: true }));
	return [...traces.values()].map(({ run, lines }, i) => {
		const file = path.join(folder, `${run}-${i + 1}`);
		fs.writeFileSync(file, `${lines.join('\n')}\n`);
		return file;
	});
}

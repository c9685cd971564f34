/** In which order functions of a native program ran first: rows of the table `first_executions`. */

import type { RecordingReport } from '../../answers/joined-report.js';
import { readFirstExecutions } from '../../answers/order/read-first-executions.js';
import { InputError, type Problem } from '../../model/problem.js';
import type { Evidence } from '../../recording/evidence.js';
import { OrderMaps } from '../../recording/open-function-traces.js';
import { knownIdOf } from '../ids.js';
import type { Facts } from './rows.js';

export async function addFirstExecutions(facts: Facts, { startup }: RecordingReport, evidence: Evidence, problems: Problem[]): Promise<void> {
	if (startup === null) {
		return;
	}
	const maps = new OrderMaps(evidence.files.orderMap);
	const program = evidence.files.program.find(({ name }) => name === startup.program?.file) ?? null;
	const files = new Set(startup.traces.map(({ file }) => file));
	for (const file of evidence.all.filter(({ name }) => files.has(name))) {
		try {
			const read = await readFirstExecutions(file, file.name, 1, maps, program);
			problems.push(...read.problems);
			for (const trace of read.traces) {
				const functions = trace.functions ?? [];
				functions.forEach(({ symbol, module }, i) => {
					if (symbol !== null) {
						const row = { trace: trace.name, function: knownIdOf('function', module, symbol), symbol, module };
						facts.add('first_executions', { ...row, rank: i + 1, functions: functions.length });
					}
				});
			}
		} catch (error) {
			if (!(error instanceof InputError)) {
				throw error;
			}
			problems.push({ ...error.problem, severity: 'warning' });
		}
	}
}

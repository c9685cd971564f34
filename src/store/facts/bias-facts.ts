/** What profilers say of methods, beside the samples with addresses: rows of the table `bias`. One at safepoints is predicted; others are those that lie in the recording. */
import type { RecordingReport } from '../../answers/joined-report.js';
import { isMethod, methodsOf, methodsTotal } from '../../bias/method-shares.js';
import { observedProfile } from '../../bias/observed.js';
import { withoutHiddenAddress } from '../../model/hidden-class.js';
import { splitMethodName } from '../../model/method-name.js';
import type { Evidence } from '../../recording/evidence.js';
import { methodId } from './compilation-facts.js';
import type { Facts } from './rows.js';

const EVERYTHING = { thread: null, window: null };

export async function addBias(facts: Facts, { bias }: RecordingReport, evidence: Evidence): Promise<void> {
	if (bias === null) {
		return;
	}
	const known = new Map(bias.methods.map(({ method, unbiasedPercent }) => [method, unbiasedPercent]));
	const add = (profiler: string, method: string, saidPercent: number): void => {
		const truePercent = known.get(method) ?? 0;
		if (truePercent > 0 || saidPercent > 0) {
			const { method: name, signature } = splitMethodName(method);
			const row = { method: methodId(name, signature), name: withoutHiddenAddress(name), true_percent: truePercent, said_percent: saidPercent };
			facts.add('bias', { profiler, ...row });
		}
	};
	for (const { method, predictedPercent } of bias.methods) {
		add('(at safepoints)', method, predictedPercent);
	}
	for (const file of evidence.files.stacks) {
		const { file: opened } = await evidence.observed(file, true);
		if (opened === null) {
			continue;
		}
		// Threads in native code, allocations and locks are no profile of the time in methods.
		for (const kind of opened.kinds.filter((one) => one.kind !== 'native' && one.unit === undefined)) {
			const said = methodsOf(observedProfile(opened, kind, EVERYTHING).blame.byMethod);
			const total = methodsTotal(said);
			for (const method of total > 0 ? new Set([...known.keys(), ...said.keys()].filter(isMethod)) : []) {
				add(`${file.name.replace(/^.*[\\/]/s, '')}: ${kind.event}`, method, (100 * (said.get(method) ?? 0)) / total);
			}
		}
	}
}

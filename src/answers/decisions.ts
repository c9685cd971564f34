/** What the compiler decided in the compilations of a run, for `assay report`: its section of decisions. */

import type { CommandIo } from '../cli/io.js';
import { type ParsedOptions, positiveInteger } from '../cli/options.js';
import { nameMatches } from '../model/name-pattern.js';
import type { Problem } from '../model/problem.js';
import { UsageError } from '../model/problem.js';
import type { Progress } from '../model/progress.js';
import { overview } from '../profdiff/overview.js';
import type { ReportView } from '../render/decisions-text.js';
import { decidingFlags } from './deciding-flags.js';
import { openExperiment } from './experiment.js';
import { runEvidence } from './run-evidence.js';

const DEFAULT_TOP = 10;

/** Throws an InputError when there is no log of decisions, a UsageError when it has no compilation `handle`. */
export async function decisionsView(
	name: string,
	handle: string | undefined,
	decision: string | undefined,
	parsed: ParsedOptions,
	io: CommandIo,
	progress: Progress,
): Promise<ReportView> {
	const method = parsed.value('method');
	const compilation = parsed.value('compilation')?.replace(/^c(?=.)/, '');
	const single = handle?.slice(1);
	progress.report(`reading ${name}`);
	const opened = await openExperiment(1, name, { workingDirectory: io.workingDirectory, profile: parsed.value('profile'), force: parsed.isSet('force') });
	const result = await overview(opened.experiment, {
		limit: parsed.isSet('all') ? null : (positiveInteger(parsed, 'top') ?? DEFAULT_TOP),
		compileId: single,
		onProgress: (done, total) => progress.step(`reading ${done} of ${total} compilations`),
	});
	if (single !== undefined && result.compilations.length + result.problems.length === 0) {
		throw new UsageError(`the log of ${name} has no compilation ${handle}`);
	}
	const problems: Problem[] = [...opened.problems, ...result.problems];
	return {
		evidence: runEvidence(opened),
		overview: result,
		problems,
		isSingle: single !== undefined,
		deciding: decidingFlags([opened]),
		filter: {
			isShownCompilation: ({ unit }) =>
				(method === undefined || nameMatches(method, unit.methodName)) && (compilation === undefined || unit.compileId === compilation),
			decision,
			phase: parsed.value('phase'),
		},
	};
}

/** A filter that leaves nothing: is there something outside the hottest compilations? */
export function hintAtOthers({ overview: { compilations, otherCompilations }, filter }: ReportView, io: CommandIo): void {
	if (compilations.length > 0 && !compilations.some((compilation) => filter.isShownCompilation(compilation))) {
		const more = otherCompilations > 0 ? `; ${otherCompilations} others were not looked into (--all)` : '';
		io.err(`assay report: none of the ${compilations.length} compilations shown is meant${more}\n`);
	}
}

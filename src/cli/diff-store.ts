/** `assay diff --store`: two sides of a store, each all runs that have its labels. */
import path from 'node:path';
import { UsageError } from '../model/problem.js';
import type { DiffFilter } from '../profdiff/diff-filter.js';
import type { FailCondition } from '../profdiff/findings.js';
import { writeDiffMarkdown } from '../render/diff-markdown.js';
import { writeDiffText } from '../render/diff-text.js';
import { answerStoreDiff } from '../store/diff.js';
import { parseConditions } from '../store/sql-text.js';
import { type CommandContext, EXIT } from './command.js';
import type { ParsedOptions } from './options.js';
import { told } from './query-command.js';

/** What goes with two sides of a store. */
const GOES: readonly string[] = ['store', 'a', 'b', 'method', 'decision', 'show-noise', 'fail-on', 'markdown', 'json'];

export async function diffStore(parsed: ParsedOptions, filter: DiffFilter, conditions: readonly FailCondition[], context: CommandContext): Promise<number> {
	const store = parsed.value('store')!;
	const [a, b] = [parseConditions(parsed.values('a'), '--a'), parseConditions(parsed.values('b'), '--b')];
	if (a.length === 0 || b.length === 0) {
		throw new UsageError('--store needs --a LABEL=VALUE and --b LABEL=VALUE: which runs are on each side');
	}
	const other = parsed.given.find(({ option }) => option === null || !GOES.includes(option));
	if (other !== undefined) {
		throw new UsageError(`${other.option === null ? `"${other.value}"` : `--${other.option}`} does not go with --store`);
	}
	const request = { a, b, filter, conditions, withNoise: parsed.isSet('show-noise'), onProgress: told(context, 'comparing') };
	const { report, problems, result } = await answerStoreDiff({ filePath: path.resolve(context.workingDirectory, store), name: store }, request);
	if (context.wantsJson) {
		context.json(result(), problems);
	} else {
		context.tell(problems);
		if (parsed.isSet('markdown')) {
			writeDiffMarkdown(context.writer, report);
		} else {
			writeDiffText(context.writer, report, context.terminal, { showNoise: parsed.isSet('show-noise'), showConsequences: false });
		}
	}
	return report.failed ? EXIT.no : EXIT.done;
}

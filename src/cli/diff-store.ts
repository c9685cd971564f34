/** `assay diff --store`: two sides of a store, each all runs that have its labels. */
import path from 'node:path';
import { UsageError } from '../model/problem.js';
import { writeQueryMarkdown, writeQueryText } from '../render/query-text.js';
import { ALL_DAYS, answerQuery } from '../store/query.js';
import { parseConditions } from '../store/sql-text.js';
import { type CommandContext, EXIT } from './command.js';
import type { ParsedOptions } from './options.js';
import { told } from './query-command.js';

export async function diffStore(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const store = parsed.value('store')!;
	const [a, b] = [parseConditions(parsed.values('a'), '--a'), parseConditions(parsed.values('b'), '--b')];
	if (a.length === 0 || b.length === 0) {
		throw new UsageError('--store needs --a LABEL=VALUE and --b LABEL=VALUE: which runs are on each side');
	}
	const other = parsed.given.find(({ option }) => option === null || !['store', 'a', 'b'].includes(option));
	if (other !== undefined) {
		throw new UsageError(`${other.option === null ? `"${other.value}"` : `--${other.option}`} does not go with --store`);
	}
	const { question, table, problems, result } = await answerQuery(
		{ filePath: path.resolve(context.workingDirectory, store), name: store },
		{
			question: { name: 'diff' },
			conditions: [],
			days: ALL_DAYS,
			sides: { a, b },
			parameters: new Map(),
			onProgress: told(context, 'comparing'),
		},
	);
	if (context.wantsJson) {
		context.json(result(), problems, 'query');
		return EXIT.done;
	}
	context.tell(problems);
	const head = { title: question?.title ?? null, about: question?.about ?? null };
	if (parsed.isSet('markdown')) {
		writeQueryMarkdown(context.writer, head, table);
	} else {
		writeQueryText(context.writer, head, table, context.terminal);
	}
	return EXIT.done;
}

/** `assay compact`: a store as a few large files. */
import path from 'node:path';
import { UsageError } from '../model/problem.js';
import { writeCompactText } from '../render/store-text.js';
import { compactStore } from '../store/compact.js';
import { type CommandContext, type CommandDescription, EXIT } from './command.js';
import { type OptionSpec, type ParsedOptions, positiveInteger } from './options.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'into', value: 'NEW', isFile: true, help: 'the new store; what it has already stays' },
	{ name: 'memory', value: 'MB', help: 'what DuckDB may take (2000)' },
	{ name: 'json', help: 'print JSON' },
	{ name: 'help', help: 'print this' },
];

export const compactCommand: CommandDescription = {
	name: 'compact',
	usage: ['STORE --into NEW [options]'],
	about: `Puts the runs of each day of a store together: one large file a table and a day,
sorted for the questions, in a new store. Rows are counted before and after. The
old store is only read, and others may write into it meanwhile: what they add
goes into the new one the next time.`,
	options: OPTIONS,
	examplesTitle: 'example, after assay collect examples/a examples/hot --into /tmp/store',
	examples: ['assay compact /tmp/store --into /tmp/compacted'],
	exitStatus: '0 done, 2 wrong use, 3 unusable store, or it cannot be written',
	completes: 'files',
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const [store, ...rest] = parsed.positionals;
	const into = parsed.value('into');
	if (store === undefined || rest.length > 0 || into === undefined) {
		throw new UsageError('a store and --into NEW are expected');
	}
	const place = (name: string): { filePath: string; name: string } => ({ filePath: path.resolve(context.workingDirectory, name), name });
	const { result, problems } = await compactStore({
		store: place(store),
		into: place(into),
		duckDb: { threads: 2, memoryBytes: (positiveInteger(parsed, 'memory') ?? 2000) * 1e6 },
		onProgress: context.progress.report,
	});
	if (context.wantsJson) {
		context.json(result, problems);
	} else {
		writeCompactText(context.writer, result, context.terminal);
	}
	context.tell(problems);
	return EXIT.done;
}

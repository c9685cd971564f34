/** `--thread` and `--class`: the samples that a command looks at, the same for all commands that take them. */

import { UsageError } from '../model/problem.js';
import { THREAD_CLASSES, threadClassOf } from '../model/thread-class.js';
import type { ThreadFilter } from '../model/thread-filter.js';
import type { OptionSpec, ParsedOptions } from './options.js';

export const THREAD_OPTIONS: readonly OptionSpec[] = [
	{ name: 'thread', value: 'PATTERN', help: 'only threads with such names; * stands for any text' },
	{
		name: 'class',
		value: 'CLASS',
		choices: THREAD_CLASSES,
		help: `only threads of this class: ${THREAD_CLASSES.slice(0, 4).join(', ')},\n${THREAD_CLASSES.slice(4, -1).join(', ')} or ${THREAD_CLASSES.at(-1)}`,
	},
];

export function threadFilterOf(parsed: ParsedOptions): ThreadFilter {
	const text = parsed.value('class');
	const threadClass = text === undefined ? null : threadClassOf(text);
	if (text !== undefined && threadClass === null) {
		throw new UsageError(`--class takes one of ${THREAD_CLASSES.join(', ')}, not "${text}"`);
	}
	return { thread: parsed.value('thread') ?? null, threadClass };
}

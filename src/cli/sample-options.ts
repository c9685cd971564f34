/** `--thread`, `--class` and `--window`: the samples that a command looks at, the same for all commands that take them. */

import { UsageError } from '../model/problem.js';
import type { SampleFilter } from '../model/sample-filter.js';
import { THREAD_CLASSES, threadClassOf } from '../model/thread-class.js';
import type { OptionSpec, ParsedOptions } from './options.js';

export const SAMPLE_OPTIONS: readonly OptionSpec[] = [
	{ name: 'thread', value: 'PATTERN', help: 'only threads with such names; * stands for any text;\nthe main thread of a JVM is called java' },
	{
		name: 'class',
		value: 'CLASS',
		choices: THREAD_CLASSES,
		help: `only threads of this class: ${THREAD_CLASSES.slice(0, 4).join(', ')},\n${THREAD_CLASSES.slice(4, -1).join(', ')} or ${THREAD_CLASSES.at(-1)}`,
	},
	{
		name: 'window',
		value: 'WHAT',
		choices: ['measured', 'all'],
		help: 'measured (the default): what the recording says was\nmeasured, as the iterations of JMH after warm-up; or all',
	},
];

export function sampleFilterOf(parsed: ParsedOptions): SampleFilter {
	const text = parsed.value('class');
	const threadClass = text === undefined ? null : threadClassOf(text);
	if (text !== undefined && threadClass === null) {
		throw new UsageError(`--class takes one of ${THREAD_CLASSES.join(', ')}, not "${text}"`);
	}
	const window = parsed.value('window') ?? 'measured';
	if (window !== 'measured' && window !== 'all') {
		throw new UsageError(`--window takes measured or all, not "${window}"`);
	}
	return { thread: parsed.value('thread') ?? null, threadClass, wholeRun: window === 'all' };
}

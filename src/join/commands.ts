/** The commands that prove findings: words as a shell takes them, over the samples that the finding is about. */
import type { JoinedCompilation } from '../model/joined-recording.js';
import { shellWord } from '../model/shell-word.js';
import { filterOptions } from '../model/thread-filter.js';
import type { JoinedRun } from './joined-run.js';

export function command(...words: readonly string[]): string {
	return ['assay', ...words].map(shellWord).join(' ');
}

/** One after the other: what each proves is a part of the finding. */
export function commandsOf(...commands: readonly (string | null)[]): string {
	return commands.filter((one) => one !== null).join(' && ');
}

type Run = Pick<JoinedRun, 'name' | 'chosen'>;

export function hotCommand({ name, chosen }: Run, ...words: readonly string[]): string {
	return command('hot', name, ...words, ...filterOptions(chosen));
}

/** Of threads of Java, where no other class was chosen. */
export function hotJavaCommand({ name, chosen }: Run, ...words: readonly string[]): string {
	return hotCommand({ name, chosen: { ...chosen, threadClass: chosen.threadClass ?? 'java' } }, ...words);
}

export function biasCommand({ name, chosen }: Run): string {
	return command('bias', name, ...filterOptions(chosen));
}

const MOST_HANDLES = 12;

/** The regions of compilations that have samples, their shares and lines; null where no sample is in any, or the same id stands for several. */
export function regionsCommand(run: JoinedRun, compilations: readonly JoinedCompilation[]): string | null {
	const handles = [...new Set(compilations.filter(({ percent }) => percent > 0).map(({ handle }) => handle))];
	return run.hot === null || handles.length === 0 || handles.length > MOST_HANDLES || handles.some((handle) => handle.includes('@'))
		? null
		: hotCommand(run, ...handles);
}

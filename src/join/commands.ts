/** The commands that prove findings: words as a shell takes them, over the JVM and the samples that the finding is about. */
import type { JoinedCompilation } from '../model/joined-recording.js';
import { filterOptions } from '../model/sample-filter.js';
import { shellWord } from '../model/shell-word.js';
import type { JoinedRun } from './joined-run.js';

type Run = Pick<JoinedRun, 'name' | 'processId' | 'chosen'> & Partial<Pick<JoinedRun, 'hot' | 'paths'>>;

/** Each path a word. */
function pathsOf({ name, paths }: Pick<JoinedRun, 'name' | 'paths'>): readonly string[] {
	return paths === undefined || paths.length === 0 ? [name] : paths;
}

export function command(...words: readonly string[]): string {
	return ['assay', ...words].map(shellWord).join(' ');
}

/** One after the other: what each proves is a part of the finding. */
export function commandsOf(...commands: readonly (string | null)[]): string {
	return commands.filter((one) => one !== null).join(' && ');
}

export function reportCommand(run: Run, ...words: readonly string[]): string {
	return command('report', ...pathsOf(run), ...words, ...processOptions(run));
}

export function compilationsCommand(run: Run, ...words: readonly string[]): string {
	return command('compilations', ...pathsOf(run), ...words, ...processOptions(run));
}

/** Time to safepoint: of all threads. */
export function safepointsCommand(run: Run): string {
	return command('bias', '--ttsp', ...pathsOf(run), ...processOptions(run));
}

/** Samples without addresses have no instructions: the report tells of them. */
export function hotCommand(run: Run, ...words: readonly string[]): string {
	if (run.hot?.lines !== undefined) {
		return command('report', ...pathsOf(run), ...processOptions(run), ...filterOptions(run.chosen));
	}
	return command('hot', ...pathsOf(run), ...words, ...processOptions(run), ...filterOptions(run.chosen));
}

/** Of threads of Java, where no other class was chosen. */
export function hotJavaCommand(run: Run, ...words: readonly string[]): string {
	return hotCommand({ ...run, chosen: { ...run.chosen, threadClass: run.chosen.threadClass ?? 'java' } }, ...words);
}

export function biasCommand(run: Run): string {
	return command('bias', ...pathsOf(run), ...processOptions(run), ...filterOptions(run.chosen));
}

const MOST_HANDLES = 12;

/** The regions of compilations that have samples, their shares and lines; null where no sample is in any, or the same id stands for several. */
export function regionsCommand(run: Run & Pick<JoinedRun, 'hot'>, compilations: readonly JoinedCompilation[]): string | null {
	const handles = [...new Set(compilations.filter(({ percent }) => percent > 0).map(({ handle }) => handle))];
	return run.hot === null ||
		run.hot.lines !== undefined ||
		handles.length === 0 ||
		handles.length > MOST_HANDLES ||
		handles.some((handle) => handle.includes('@'))
		? null
		: hotCommand(run, ...handles);
}

function processOptions({ processId }: Run): readonly string[] {
	return processId === null ? [] : ['--pid', String(processId)];
}

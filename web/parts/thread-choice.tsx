/** Whose samples count: a class of threads, and a thread. */
import { THREAD_CLASS_WORDS } from '../../src/model/thread-class.js';
import { shown } from '../names.js';
import { threadName } from '../side.js';
import { usePage } from './context.js';

/** More threads are chosen in the overview. */
const MOST = 200;

export function ThreadChoice() {
	const { side, filtered, router } = usePage();
	const { threadClass, thread } = filtered;
	// Profiles without addresses come as whole graphs: none of their samples can be chosen.
	const time = side.samples === null ? null : side.page.report.threadTime;
	const classes = side.samples?.threadClass == null ? [] : (time?.classes ?? []);
	const threads = [...new Set((time?.threads ?? []).filter((row) => threadClass === null || row.class === threadClass).map(threadName))];
	return (
		<>
			{classes.length > 1 && (
				<select
					aria-label="only samples of threads of"
					value={threadClass ?? ''}
					onChange={(event) => router.set({ class: event.currentTarget.value, thread: '' })}
				>
					<option value="">all threads</option>
					{classes.map((row) => (
						<option key={row.class} value={row.class}>
							{THREAD_CLASS_WORDS[row.class]}
						</option>
					))}
				</select>
			)}
			{(threads.length > 1 || thread !== null) && (
				<select aria-label="only samples of the thread" value={thread ?? ''} onChange={(event) => router.set({ thread: event.currentTarget.value })}>
					<option value="">each thread</option>
					{[...new Set([...(thread === null ? [] : [thread]), ...threads.slice(0, MOST)])].map((name) => (
						<option key={name} value={name}>
							{shown(name, 40)}
						</option>
					))}
				</select>
			)}
		</>
	);
}

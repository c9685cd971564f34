/** Whose time it was: classes of threads with what they executed, and native time by library and function. */
import { THREAD_CLASS_WORDS } from '../../src/model/thread-class.js';
import { shown, titleOf } from '../names.js';
import { count, percent } from '../numbers.js';
import { Heat, Pane } from '../parts/basics.js';
import { usePage } from '../parts/context.js';
import { threadName } from '../side.js';

interface Part {
	readonly name: string;
	/** What the JVM was doing; empty where that is not told. */
	readonly note: string;
	readonly percent: number;
	/** Opens it; left out where there is nothing to open. */
	readonly open?: (() => void) | undefined;
}

/** Below this share a part is summed up with the others. */
const LEAST_PERCENT = 0.05;

export function ThreadTime() {
	const { side, filtered, router } = usePage();
	const source = side.page.stackSources.findIndex(({ isInlining }) => isInlining);
	const openFrame = (name: string) => (source < 0 ? undefined : () => router.open('samples', null, { source: String(source), method: `(${name})` }));
	const isTold = side.samples?.threadClass != null;
	const time = side.page.report.threadTime ?? null;
	if (time === null || time.classes.length + time.libraries.length === 0) {
		return null;
	}
	// Of what is no JVM nothing tells what threads are for.
	const hasClasses = time.classes.length > 0;
	const largest = Math.max(...(hasClasses ? time.classes : time.libraries).map((row) => row.percent));
	return (
		<Pane
			title={hasClasses ? 'Whose time it was' : 'Outside of compiled code'}
			note={`${hasClasses ? `${count(time.threads.length)} threads` : 'libraries, kernel and stubs'}${filtered.isWhole ? '' : ', all of the whole run'}; open a row to see what it executed`}
			class="thread-time"
		>
			{hasClasses && (
				<div class="parts">
					{time.classes.map((row) => (
						<Opened
							key={row.class}
							name={THREAD_CLASS_WORDS[row.class]}
							percent={row.percent}
							largest={largest}
							{...(isTold ? { actions: [['samples of these threads alone', () => router.set({ class: row.class, thread: '' })]] } : {})}
							parts={[
								...row.activities.map((part) => ({ name: part.name, note: '', percent: part.percent })),
								...time.threads
									.filter((thread) => thread.class === row.class)
									.map((thread) => ({
										name: threadName(thread),
										note: 'thread',
										percent: thread.percent,
										open: isTold ? () => router.set({ thread: threadName(thread), class: '' }) : undefined,
									})),
							]}
							whole={row.activities.reduce((sum, part) => sum + (part.percent >= LEAST_PERCENT ? part.percent : 0), 0)}
						/>
					))}
				</div>
			)}
			<div class="parts">
				{time.libraries.map((row) => (
					<Opened
						key={row.library}
						name={row.library}
						percent={row.percent}
						largest={largest}
						{...(openFrame(row.library) === undefined ? {} : { actions: [['callers and callees', openFrame(row.library)!]] })}
						parts={[
							// Where there are classes, their rows have them.
							...(hasClasses ? [] : row.activities.map((part) => ({ name: part.name, note: 'together', percent: part.percent }))),
							...row.symbols.map((part) => ({
								name: part.symbol ?? '(no symbol)',
								note: part.activity ?? '',
								percent: part.percent,
								open: part.symbol === null ? undefined : openFrame(part.symbol),
							})),
						]}
						whole={row.symbols.reduce((sum, part) => sum + (part.percent >= LEAST_PERCENT ? part.percent : 0), 0)}
					/>
				))}
			</div>
		</Pane>
	);
}

interface OpenedProps {
	readonly name: string;
	readonly percent: number;
	readonly largest: number;
	/** Largest first. */
	readonly parts: readonly Part[];
	/** Percent that the large parts hold together, where some of them overlap. */
	readonly whole?: number;
	readonly actions?: readonly (readonly [what: string, run: () => void])[];
}

function Opened({ name, percent: share, largest, parts, whole, actions = [] }: OpenedProps) {
	const large = parts.filter((part) => part.percent >= LEAST_PERCENT);
	const rest = Math.max(0, share - (whole ?? large.reduce((sum, part) => sum + part.percent, 0)));
	return (
		<details>
			<summary>
				<span class="what" title={titleOf(name)}>
					{shown(name, 80)}
				</span>
				<Heat value={share} largest={largest} />
				<span class="value">{percent(share)}</span>
			</summary>
			<ul>
				{actions.map(([what, run]) => (
					<li key={what}>
						<button type="button" class="bare link" onClick={run}>
							{what}
						</button>
					</li>
				))}
				{large.map((part, i) => (
					<li key={i}>
						<span class="what" title={titleOf(part.name)}>
							{part.open === undefined ? (
								shown(part.name, 120)
							) : (
								<button type="button" class="bare link" onClick={part.open}>
									{shown(part.name, 120)}
								</button>
							)}
							{part.note !== '' && <i>{part.note}</i>}
						</span>
						<span class="value">{percent(part.percent)}</span>
					</li>
				))}
				{rest >= LEAST_PERCENT && (
					<li>
						<span class="what">smaller ones</span>
						<span class="value">{percent(rest)}</span>
					</li>
				)}
			</ul>
		</details>
	);
}

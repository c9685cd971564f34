/** Whose time it was: classes of threads with what they executed, and native time by library and function. */
import { THREAD_CLASS_WORDS } from '../../src/model/thread-class.js';
import { shown, titleOf } from '../names.js';
import { count, percent } from '../numbers.js';
import { Heat, Pane } from '../parts/basics.js';
import { usePage } from '../parts/context.js';

interface Part {
	readonly name: string;
	/** What the JVM was doing; empty where that is not told. */
	readonly note: string;
	readonly percent: number;
}

/** Below this share a part is summed up with the others. */
const LEAST_PERCENT = 0.05;

export function ThreadTime() {
	const { side, filtered } = usePage();
	const time = side.page.report.threadTime ?? null;
	if (time === null || time.classes.length === 0) {
		return null;
	}
	const largest = Math.max(...time.classes.map((row) => row.percent));
	return (
		<Pane
			title="Whose time it was"
			note={`${count(time.threads.length)} threads${filtered.isWhole ? '' : ', all of the whole run'}; open a row to see what it executed`}
			class="thread-time"
		>
			<div class="parts">
				{time.classes.map((row) => (
					<Opened
						key={row.class}
						name={THREAD_CLASS_WORDS[row.class]}
						percent={row.percent}
						largest={largest}
						parts={row.activities.map((part) => ({ name: part.name, note: '', percent: part.percent }))}
					/>
				))}
			</div>
			<div class="parts">
				{time.libraries.map((row) => (
					<Opened
						key={row.library}
						name={row.library}
						percent={row.percent}
						largest={largest}
						parts={row.symbols.map((part) => ({ name: part.symbol ?? '(no symbol)', note: part.activity ?? '', percent: part.percent }))}
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
}

function Opened({ name, percent: share, largest, parts }: OpenedProps) {
	const large = parts.filter((part) => part.percent >= LEAST_PERCENT);
	const rest = Math.max(0, share - large.reduce((sum, part) => sum + part.percent, 0));
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
				{large.map((part, i) => (
					<li key={i}>
						<span class="what" title={titleOf(part.name)}>
							{shown(part.name, 120)}
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

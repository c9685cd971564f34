/** The page of a store: its runs over time, and the answers of questions about those that are chosen. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { FleetAnswer, FleetOpened, FleetRun, PageFleet } from '../src/page/data.js';
import type { Loaded } from './data.js';
import { shown, titleOf } from './names.js';
import { count, countOr, UNKNOWN } from './numbers.js';
import { Pane } from './parts/basics.js';
import { useWidthOf } from './parts/measure.js';
import { useRead } from './parts/part.js';
import { type Router, useRouter } from './route.js';

/** Rows of the table of runs; the chart has all. */
const MOST_ROWS = 300;

export function Fleet({ loaded, fleet }: { readonly loaded: Loaded; readonly fleet: PageFleet }) {
	const router = useRouter('fleet');
	const { params } = router.route;
	const runs = useMemo(
		() => fleet.runs.filter((run) => fleet.labels.every(({ label }) => (params[label] ?? '') === '' || run[label as 'build'] === params[label])),
		[fleet, params.service, params.build, params.host],
	);
	useEffect(() => {
		document.title = `${shown(fleet.store, 80)} · assay`;
	}, [fleet]);
	const question = fleet.questions.find(({ name }) => name === router.route.handle) ?? null;
	return (
		<>
			<header class="bar">
				<a class="brand" href={router.href('fleet')}>
					assay
				</a>
				<span class="recording" title={titleOf(fleet.store)}>
					<b>{shown(fleet.store, 60)}</b>
				</span>
				<Choices fleet={fleet} router={router} />
			</header>
			<main>
				<div class="view fleet">
					<h1>{headline(fleet, runs)}</h1>
					{fleet.problems.length > 0 && (
						<p class="whole-run" role="note">
							{count(fleet.problems.length)} files were not read: {shown(`${fleet.problems[0]!.file} ${fleet.problems[0]!.message}`, 300)}
						</p>
					)}
					<div class="fleet-grid">
						<Pane title="Questions" class="questions">
							<ul>
								{fleet.questions.map(({ name, title, about }) => (
									<li key={name}>
										<a href={router.href('fleet', name, chosen(fleet, params))} aria-current={name === question?.name ? 'page' : undefined} title={about}>
											<b>{name}</b> {title}
										</a>
									</li>
								))}
							</ul>
						</Pane>
						{question === null ? (
							<Runs runs={runs} fleet={fleet} loaded={loaded} />
						) : (
							<Answer key={question.name} loaded={loaded} question={question} asked={{ question: question.name, ...chosen(fleet, params) }} />
						)}
					</div>
				</div>
			</main>
			<footer class="key-line">
				<span class="hints">
					{question === null ? 'a question shows its answer here' : <a href={router.href('fleet', null, chosen(fleet, params))}>the runs</a>}
				</span>
				<span class="origin">{count(fleet.totalRuns)} runs</span>
			</footer>
		</>
	);
}

function headline({ totalRuns, firstDay, lastDay }: PageFleet, runs: readonly FleetRun[]): string {
	const days = firstDay === lastDay ? `on ${firstDay}` : `from ${firstDay} to ${lastDay}`;
	const builds = new Set(runs.flatMap(({ build }) => build ?? [])).size;
	const hosts = new Set(runs.flatMap(({ host }) => host ?? [])).size;
	const many = (number: number, what: string): string => `${count(number)} ${what}${number === 1 ? '' : 's'}`;
	return `${many(totalRuns, 'run')} ${days}; ${many(runs.length, 'run')} shown, of ${many(builds, 'build')} on ${many(hosts, 'host')}.`;
}

/** Labels that are chosen. */
function chosen({ labels }: PageFleet, params: Readonly<Record<string, string>>): Record<string, string> {
	return Object.fromEntries(labels.flatMap(({ label }) => ((params[label] ?? '') === '' ? [] : [[label, params[label]!]])));
}

function Choices({ fleet, router }: { readonly fleet: PageFleet; readonly router: Router }) {
	return (
		<span class="filters" role="group" aria-label="runs">
			{fleet.labels
				.filter(({ values }) => values.length > 0)
				.map(({ label, values }) => (
					<label key={label}>
						{label}{' '}
						<select value={router.route.params[label] ?? ''} onChange={(event) => router.set({ [label]: event.currentTarget.value }, true)}>
							<option value="">all</option>
							{values.map((value) => (
								<option key={value} value={value}>
									{shown(value, 40)}
								</option>
							))}
						</select>
					</label>
				))}
		</span>
	);
}

function Answer({
	loaded,
	question,
	asked,
}: {
	readonly loaded: Loaded;
	readonly question: PageFleet['questions'][number];
	readonly asked: Readonly<Record<string, string>>;
}) {
	const { value, error } = useRead(loaded.part<FleetAnswer>(`detail/0/${new URLSearchParams(asked)}`));
	const failure = error ?? (value != null && 'error' in value ? value.error : null);
	const answer = value != null && 'rows' in value ? value : null;
	return (
		<Pane title={question.name} note={question.title} class="answer">
			<p class="about">{question.about}</p>
			{failure !== null ? (
				<p class="failure" role="alert">
					{shown(failure, 600)}
				</p>
			) : answer === null ? (
				<p class="empty" role="status">
					asking…
				</p>
			) : (
				<>
					<p class="about">
						<code>{shown(answer.command, 400)}</code>
					</p>
					{answer.problems.length > 0 && <p class="failure">{shown(answer.problems.join('; '), 600)}</p>}
					{answer.rows.length === 0 ? <p class="empty">Nothing of these runs is an answer.</p> : <Rows answer={answer} name={question.name} />}
				</>
			)}
		</Pane>
	);
}

function Rows({ answer: { columns, rows }, name }: { readonly answer: Extract<FleetAnswer, { rows: unknown }>; readonly name: string }) {
	return (
		<section class="scroll" tabIndex={0} aria-label={`answer of ${name}`}>
			<table>
				<thead>
					<tr>
						{columns.map((column) => (
							<th key={column.name} scope="col" class={column.isNumber ? 'number' : undefined} title={column.meaning ?? undefined}>
								{column.name.replaceAll('_', ' ')}
								{column.unit === null ? '' : `, ${column.unit}`}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{rows.map((row, i) => (
						<tr key={i}>
							{row.map((cell, k) => (
								<td key={k} class={columns[k]?.isNumber ? 'number' : undefined} title={typeof cell === 'string' ? titleOf(cell) : undefined}>
									{cell === null ? UNKNOWN : typeof cell === 'number' ? (Number.isInteger(cell) ? count(cell) : String(cell)) : shown(String(cell), 120)}
								</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}

function Runs({ runs, fleet, loaded }: { readonly runs: readonly FleetRun[]; readonly fleet: PageFleet; readonly loaded: Loaded }) {
	const left = fleet.totalRuns - fleet.runs.length;
	const builds = useMemo(() => [...new Set(runs.map(({ build }) => build ?? ''))].sort(), [runs]);
	return (
		<div class="fleet-runs">
			<Pane title="Runs over time" note="a dot a run, as high as it was watched long" right={<Legend builds={builds} />}>
				<Chart runs={runs} builds={builds} />
			</Pane>
			<Pane title="Runs" note={left > 0 ? `the newest ${count(fleet.runs.length)}; ${count(left)} more are in the store` : 'the newest first'} class="answer">
				<section class="scroll" tabIndex={0} aria-label="runs">
					<table>
						<thead>
							<tr>
								{['run', 'started', 'service', 'build', 'host', 'runtime'].map((name) => (
									<th key={name} scope="col">
										{name}
									</th>
								))}
								<th scope="col" class="number">
									seconds
								</th>
								<th scope="col" class="number">
									samples
								</th>
								<th scope="col">recording</th>
							</tr>
						</thead>
						<tbody>
							{runs.slice(0, MOST_ROWS).map((run) => (
								<tr key={run.name}>
									<td>{run.name}</td>
									<td>{started(run)}</td>
									<td>{textOr(run.service)}</td>
									<td>{textOr(run.build)}</td>
									<td>{textOr(run.host)}</td>
									<td title={titleOf(run.version ?? '')}>{runtimeOf(run)}</td>
									<td class="number">{run.seconds === null ? UNKNOWN : run.seconds.toFixed(1)}</td>
									<td class="number">{countOr(run.samples)}</td>
									<td>{run.isAtHand ? <Open run={run} loaded={loaded} /> : textOr(run.recording)}</td>
								</tr>
							))}
						</tbody>
					</table>
				</section>
				{runs.length > MOST_ROWS && <p class="about">… {count(runs.length - MOST_ROWS)} more: choose a service, build or host</p>}
			</Pane>
		</div>
	);
}

function textOr(text: string | null): string {
	return text === null ? UNKNOWN : shown(text, 60);
}

/** `HotSpot 25.0.3+9-LTS`: the version that stands in brackets in the JVM's own words. */
function runtimeOf({ runtime, version }: FleetRun): string {
	const number = /\(([\w.+-]{1,60})\)/.exec(version ?? '')?.[1];
	return shown([runtime ?? '', number ?? ''].join(' ').trim(), 80) || UNKNOWN;
}

function started({ startedMs, day }: FleetRun): string {
	return startedMs === null ? day : new Date(startedMs).toISOString().slice(0, 19).replace('T', ' ');
}

/** Reads the recording, which takes a while, and goes to its page. */
function Open({ run, loaded }: { readonly run: FleetRun; readonly loaded: Loaded }) {
	const [state, setState] = useState<string | null>(null);
	const open = async (): Promise<void> => {
		setState('reading…');
		try {
			const opened = await loaded.part<FleetOpened>(`detail/0/${new URLSearchParams({ run: run.name })}`);
			if ('url' in opened) {
				location.assign(opened.url);
			} else {
				setState(opened.error);
			}
		} catch (error) {
			setState(String(error));
		}
	};
	return (
		<>
			<button type="button" class="plain" onClick={open}>
				{textOr(run.recording)}
			</button>{' '}
			{state !== null && <span role="status">{shown(state, 200)}</span>}
		</>
	);
}

const HEIGHT = 200;
/** Colours of builds, which come again where there are more. */
const COLOURS = 6;

function Legend({ builds }: { readonly builds: readonly string[] }) {
	return (
		<span class="legend">
			{builds.slice(0, COLOURS).map((build, i) => (
				<span key={build}>
					<i class={`box build${i}`} />
					{build === '' ? 'no build' : shown(build, 24)}
				</span>
			))}
			{builds.length > COLOURS && <span>… {count(builds.length - COLOURS)} more in the same colours</span>}
		</span>
	);
}

function Chart({ runs, builds }: { readonly runs: readonly FleetRun[]; readonly builds: readonly string[] }) {
	const box = useRef<HTMLDivElement>(null);
	const width = Math.max(240, useWidthOf(box));
	const dated = runs.flatMap((run) => (run.startedMs === null || run.seconds === null ? [] : [{ run, startedMs: run.startedMs, seconds: run.seconds }]));
	if (dated.length === 0) {
		return <p class="empty">No run tells when it started and how long it was watched.</p>;
	}
	const times = dated.map(({ startedMs }) => startedMs);
	const [first, last] = [Math.min(...times), Math.max(...times)];
	const longest = Math.max(...dated.map(({ seconds }) => seconds), 1e-3);
	const x = (ms: number): number => 56 + (last === first ? 0.5 : (ms - first) / (last - first)) * (width - 80);
	const y = (seconds: number): number => HEIGHT - 24 - (seconds / longest) * (HEIGHT - 44);
	return (
		<div ref={box} class="curve">
			<svg width={width} height={HEIGHT} role="img" aria-label={`seconds of ${dated.length} runs over time, at most ${longest.toFixed(1)} s`}>
				{[1, 0.5, 0].map((share) => (
					<g key={share} class="tick">
						<line x1={52} x2={width - 16} y1={y(share * longest)} y2={y(share * longest)} />
						<text class="axis" x={48} y={y(share * longest) + 4} text-anchor="end">
							{(share * longest).toFixed(longest < 10 ? 1 : 0)} s
						</text>
					</g>
				))}
				{dated.map(({ run, startedMs, seconds }) => (
					<circle key={run.name} class={`dot build${builds.indexOf(run.build ?? '') % COLOURS}`} cx={x(startedMs)} cy={y(seconds)} r={3.5}>
						<title>{`${started(run)} ${shown(run.service ?? '', 60)} ${shown(run.build ?? '', 60)} ${shown(run.host ?? '', 60)}: ${seconds.toFixed(1)} s`}</title>
					</circle>
				))}
				<text class="axis" x={56} y={HEIGHT - 6}>
					{new Date(first).toISOString().slice(0, 10)}
				</text>
				<text class="axis" x={width - 20} y={HEIGHT - 6} text-anchor="end">
					{new Date(last).toISOString().slice(0, 10)}
				</text>
			</svg>
		</div>
	);
}

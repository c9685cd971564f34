/** One compilation: inlining, code, phases, memory, versions; a position chosen in one pane is marked in all. */
import { Fragment } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { sizeText } from '../../src/render/memory-view.js';
import { halfInterval } from '../../src/statistics/shares.js';
import { parametersOf, shown, splitName, titleOf } from '../names.js';
import { count, percent } from '../numbers.js';
import { Empty, Nothing, Tier } from '../parts/basics.js';
import { usePage } from '../parts/context.js';
import { useRead } from '../parts/part.js';
import type { Selection } from '../parts/selection.js';
import { formatPosition, parsePosition } from '../position.js';
import { ofThreads, type Row, samplesIn } from '../side.js';
import { CodePane } from './code.js';
import { compileMs } from './compilations.js';
import { InliningPane } from './inlining.js';
import { MemoryPanes } from './memory-panes.js';
import { PhasesPane } from './phases.js';
import { lifeOfMethod, Versions } from './versions.js';

export function Compilation({ handle }: { readonly handle: string }) {
	const { side } = usePage();
	const row = side.byHandle.get(handle);
	if (row === undefined) {
		return <Nothing title="No such compilation" what={`The recording has no compilation ${shown(handle, 60)}.`} />;
	}
	return <Opened key={`${side.page.name}\0${handle}`} row={row} />;
}

function Opened({ row }: { readonly row: Row }) {
	const page = usePage();
	const { loaded, sideNumber, side, filtered, router } = page;
	const { handle } = row.summary;
	const { value: detail, error } = useRead(useMemo(() => loaded.detail(sideNumber, handle), [handle, sideNumber]));
	const [from, setFrom] = useState('address');
	const { at } = router.route.params;
	const selection: Selection = {
		position: useMemo(() => parsePosition(at), [at]),
		from,
		choose(position, pane) {
			setFrom(pane);
			router.set({ at: position === null ? '' : formatPosition(position), ins: '', inlined: '' });
		},
	};
	const seen = useMemo(() => {
		const code = detail?.code;
		if (code === undefined || side.samples === null || filtered.isWhole) {
			return code?.seen ?? null;
		}
		const counts = new Array<number>(code.seen.length).fill(0);
		const { first, end } = samplesIn(side.samples, filtered.range);
		const isChosen = ofThreads(side.samples, filtered);
		for (let i = first; i < end; i++) {
			const instruction = side.samples.instruction[i]!;
			if (side.samples.row[i] === row.index && instruction >= 0 && isChosen(i)) {
				counts[instruction] = counts[instruction]! + 1;
			}
		}
		return counts;
	}, [detail, side, filtered]);
	return (
		<div class="view compilation">
			<header class="title">
				<Title row={row} />
				<Versions row={row} />
			</header>
			{error !== null && <p class="failure">{shown(error, 300)}</p>}
			{detail === undefined && error === null && <p class="empty">Reading its details …</p>}
			{detail === null && (
				<Empty what="The details of this compilation are not in this file: only those of the most important ones are. assay open shows all." />
			)}
			{detail != null && (
				<div class="panes">
					<InliningPane detail={detail} selection={selection} seen={seen} />
					<CodePane row={row} detail={detail} selection={selection} seen={seen} />
					<div class="side">
						<PhasesPane detail={detail} selection={selection} />
						{!side.isNative && <MemoryPanes memory={detail.memory ?? null} />}
					</div>
				</div>
			)}
		</div>
	);
}

function Title({ row }: { readonly row: Row }) {
	const { filtered, side } = usePage();
	const { summary } = row;
	const samples = filtered.samples[row.index] ?? 0;
	const { holder, name } = splitName(summary.method);
	const ms = compileMs(row);
	const namesake = lifeOfMethod(side.page.compilations?.methods ?? [], summary.compileId)?.namesake;
	const facts = [
		side.counted > 0 && (
			<>
				<b>{percent(filtered.isWhole ? summary.percent : filtered.counted === 0 ? 0 : (100 * samples) / filtered.counted)} %</b> ±
				{percent(halfInterval(samples, filtered.counted))} of the samples ({count(samples)})
			</>
		),
		summary.codeBytes > 0 && `${count(summary.codeBytes)} B`,
		ms !== null && `${ms} ms to compile`,
		summary.memoryBytes !== undefined && (
			<>
				<b>{sizeText(summary.memoryBytes)}</b> at the compiler's peak
			</>
		),
		summary.inlinedCalls !== undefined && (
			<>
				<b>{count(summary.inlinedCalls)}</b> inlined, <b>{count(summary.notInlinedCalls ?? 0)}</b> not
			</>
		),
		summary.predictedBiasedPercent !== undefined &&
			`thread dumps would say ${percent(summary.predictedBiasedPercent)} %${filtered.isWhole ? '' : ' of the whole run'} for the method (predicted)`,
		namesake !== undefined && `${namesake} of this name`,
		summary.failure !== undefined && <b class="refused">failed: {shown(summary.failure)}</b>,
	].filter((fact) => fact !== false);
	return (
		<div>
			<h1 title={titleOf(summary.method)}>
				<span class="ink3">{shown(summary.handle)}</span>{' '}
				<bdi>
					<span class="ink2">{holder}</span>
					{name}
				</bdi>{' '}
				<small>{parametersOf(summary.signature)}</small> <Tier row={row} />
			</h1>
			<p class="facts">
				{facts.map((fact, i) => (
					<Fragment key={i}>
						{i > 0 && ' · '}
						{fact}
					</Fragment>
				))}
			</p>
			{summary.method.length > 240 && (
				<details class="long-name">
					<summary>its whole name, {count(summary.method.length)} characters</summary>
					<pre>{titleWhole(summary.method)}</pre>
				</details>
			)}
		</div>
	);
}

function titleWhole(method: string): string {
	return shown(method, 2_000_000);
}

/** The code of a hot region on both sides, aligned. */
import { useMemo } from 'preact/hooks';
import type { PageHotPair, PageHotPairs } from '../../src/page/data.js';
import { shown, splitName, titleOf } from '../names.js';
import { heatStop, percent } from '../numbers.js';
import { Empty, Pane } from '../parts/basics.js';
import { usePage } from '../parts/context.js';
import { Virtual } from '../parts/virtual.js';
import { type Side, Sign } from './compare-sign.js';
import { withNeighbours } from './equal-folds.js';
import { equalText, useFolds } from './use-folds.js';

export function AlignedCode({ pairs, method }: { readonly pairs: PageHotPairs | null; readonly method: string | null }) {
	const { router } = usePage();
	const candidates = useMemo(() => (pairs?.pairs ?? []).filter(({ a, b, lines }) => a !== null && b !== null && lines.length > 0), [pairs]);
	const wanted = Number(router.route.params.pair ?? -1);
	const own = candidates.findIndex((pair) => pair.method === method);
	const chosen =
		candidates[wanted] ?? candidates[own] ?? candidates.find(({ lines }) => lines.some(({ a, b }) => a === null || b === null)) ?? candidates[0] ?? null;
	if (pairs === null || chosen === null) {
		return (
			<Pane title="Code, aligned" class="slim">
				<Empty
					what={pairs === null ? 'One of the recordings has no samples with code: nothing can be aligned.' : 'No hot region is on both sides.'}
					flag={pairs === null ? '-XX:+PrintAssembly' : undefined}
				/>
			</Pane>
		);
	}
	return (
		<Aligned
			pair={chosen}
			pairs={candidates}
			choose={(position) => router.set({ pair: String(position) })}
			totals={pairs.samples}
			isAll={router.route.params.all === '1'}
		/>
	);
}

interface AlignedProps {
	readonly pair: PageHotPair;
	readonly pairs: readonly PageHotPair[];
	readonly choose: (position: number) => void;
	readonly totals: PageHotPairs['samples'];
	/** Equal instructions too. */
	readonly isAll: boolean;
}

/** Equal instructions that are shown before and behind those that differ. */
const CODE_AROUND = 3;

function Aligned({ pair, pairs, choose, totals, isAll }: AlignedProps) {
	const isChanged = useMemo(() => pair.lines.map(({ a, b }) => a === null || b === null), [pair]);
	const isKept = useMemo(() => withNeighbours(isChanged, CODE_AROUND), [isChanged]);
	const folds = useFolds(isKept, isChanged, isAll);
	const largest = Math.max(1, ...pair.lines.flatMap(({ a, b }) => [a?.samples ?? 0, b?.samples ?? 0]));
	const plus = pair.lines.filter(({ a }) => a === null).length;
	const minus = pair.lines.filter(({ b }) => b === null).length;
	return (
		<Pane
			title="Code, aligned"
			note={`${percent(pair.a?.percent ?? 0, 2)} → ${percent(pair.b?.percent ?? 0, 2)} % ${pair.isSure ? '' : '(within chance)'}; ${minus} only in a, ${plus} only in b`}
			class="aligned"
			right={
				<select aria-label="hot region" value={pairs.indexOf(pair)} onChange={(event) => choose(Number(event.currentTarget.value))}>
					{pairs.slice(0, 60).map((one, i) => (
						<option key={i} value={i}>
							{one.a?.handle} → {one.b?.handle} {splitName(one.method).name}
						</option>
					))}
				</select>
			}
		>
			<Virtual
				id="aligned"
				label="instructions side by side"
				role="listbox"
				class="asm twin"
				rowHeight={17}
				{...folds.list}
				keys={[
					['n N', 'next, previous change'],
					['e', 'equal ones too'],
				]}
				rowProps={(i) => {
					const line = folds.lines[i]!;
					const { a = null, b = null } = line.kind === 'row' ? (pair.lines[line.at] ?? {}) : {};
					return line.kind === 'fold' ? { class: 'equal-fold', onClick: () => folds.unfold(i) } : { class: a === null ? 'plus' : b === null ? 'minus' : '' };
				}}
				text={(i) => {
					const line = folds.lines[i]!;
					if (line.kind === 'fold') {
						return `; ${equalText(line, 'instructions')}`;
					}
					const { a = null, b = null } = pair.lines[line.at] ?? {};
					return titleOf(`${a === null ? '+' : b === null ? '-' : ' '} ${(a ?? b)?.text ?? ''}`);
				}}
				row={(i) => {
					const line = folds.lines[i]!;
					if (line.kind === 'fold') {
						const inside = pair.lines.slice(line.from, line.to + 1);
						const sum = (side: 'a' | 'b'): string =>
							percent((100 * inside.reduce((all, one) => all + (one[side]?.samples ?? 0), 0)) / Math.max(1, totals[side]), 2);
						return (
							<span class="folded">
								▸ {equalText(line, 'instructions')}, {sum('a')} → {sum('b')} %
							</span>
						);
					}
					const { a = null, b = null } = pair.lines[line.at] ?? {};
					return (
						<>
							<CodeHalf line={a} sign={b === null ? 'minus' : null} largest={largest} total={totals.a} />
							<CodeHalf line={b} sign={a === null ? 'plus' : null} largest={largest} total={totals.b} />
						</>
					);
				}}
			/>
		</Pane>
	);
}

function CodeHalf({
	line,
	sign,
	largest,
	total,
}: {
	readonly line: PageHotPair['lines'][number]['a'];
	readonly sign: Side | null;
	readonly largest: number;
	readonly total: number;
}) {
	if (line === null) {
		return <span class="half missing" aria-hidden="true" />;
	}
	return (
		<span class="half">
			<span class="sign-room">{sign !== null && <Sign of={sign} />}</span>
			<span class="pct" title={`${line.samples} samples`}>
				{line.samples > 0 && (
					<>
						<span class="value">{percent((100 * line.samples) / Math.max(1, total), 2)}</span>
						<i class={`heat h${Math.max(2, heatStop(line.samples, largest))}`} style={{ width: `${Math.max(1.5, (20 * line.samples) / largest)}px` }} />
					</>
				)}
			</span>
			<span class="address">{line.address.slice(-6)}</span>
			<span class="operands" dir="ltr" title={titleOf(line.text)}>
				{shown(line.text, 120)}
			</span>
		</span>
	);
}

/** Where the blame goes: from the methods that ran to those that the next poll would name. */
import { useRef } from 'preact/hooks';
import type { PageBias } from '../../src/page/data.js';
import { shown, splitName, titleOf } from '../names.js';
import { percent } from '../numbers.js';
import { Pane } from '../parts/basics.js';
import { useWidthOf } from '../parts/measure.js';

const HEIGHT = 240;
const TOP = 22;
const MOST = 9;
const GAP = 5;

interface Flow {
	readonly from: string;
	readonly to: string;
	readonly percent: number;
}

const OTHERS = '(others)';

/** The largest methods of either side; what is left goes to "others". */
function folded(transfers: readonly Flow[]): { flows: Flow[]; left: [string, number][]; right: [string, number][] } {
	const sums = (key: 'from' | 'to'): [string, number][] => {
		const map = new Map<string, number>();
		for (const flow of transfers) {
			map.set(flow[key], (map.get(flow[key]) ?? 0) + flow.percent);
		}
		return [...map].sort((a, b) => b[1] - a[1]);
	};
	const kept = {
		from: new Set(
			sums('from')
				.slice(0, MOST)
				.map(([name]) => name),
		),
		to: new Set(
			sums('to')
				.slice(0, MOST)
				.map(([name]) => name),
		),
	};
	const flows = new Map<string, Flow>();
	for (const { from, to, percent: share } of transfers) {
		const a = kept.from.has(from) ? from : OTHERS;
		const b = kept.to.has(to) ? to : OTHERS;
		const key = `${a}\0${b}`;
		flows.set(key, { from: a, to: b, percent: (flows.get(key)?.percent ?? 0) + share });
	}
	const all = [...flows.values()];
	const totals = (key: 'from' | 'to'): [string, number][] => {
		const map = new Map<string, number>();
		for (const flow of all) {
			map.set(flow[key], (map.get(flow[key]) ?? 0) + flow.percent);
		}
		return [...map].sort((a, b) => Number(a[0] === OTHERS) - Number(b[0] === OTHERS) || b[1] - a[1]);
	};
	return { flows: all, left: totals('from'), right: totals('to') };
}

export function Blame({ bias }: { readonly bias: PageBias }) {
	const box = useRef<HTMLDivElement>(null);
	const width = Math.max(420, useWidthOf(box));
	const { flows, left, right } = folded(bias.transfers);
	const scale = (HEIGHT - TOP - GAP * Math.max(left.length, right.length)) / 100;
	const place = (column: readonly [string, number][]): Map<string, { y: number; height: number; used: number }> => {
		let y = TOP;
		return new Map(
			column.map(([name, share]) => {
				const height = Math.max(1.5, share * scale);
				const at = { y, height, used: 0 };
				y += height + GAP;
				return [name, at];
			}),
		);
	};
	const from = place(left);
	const to = place(right);
	const x1 = Math.min(220, width * 0.26);
	const x2 = width - x1;
	const ordered = [...flows].sort((a, b) => (to.get(a.to)?.y ?? 0) - (to.get(b.to)?.y ?? 0) || (from.get(a.from)?.y ?? 0) - (from.get(b.from)?.y ?? 0));
	const paths = ordered.map((flow) => {
		const a = from.get(flow.from);
		const b = to.get(flow.to);
		if (a === undefined || b === undefined) {
			return null;
		}
		const h = flow.percent * scale;
		const [y1, y2] = [a.y + a.used, b.y + b.used];
		a.used += h;
		b.used += h;
		const middle = (x1 + x2) / 2;
		const d = `M${x1 + 8} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2 - 8} ${y2}V${y2 + h}C${middle} ${y2 + h} ${middle} ${y1 + h} ${x1 + 8} ${y1 + h}z`;
		return (
			<path key={`${flow.from}\0${flow.to}`} class={flow.from === flow.to ? 'flow same' : 'flow moved'} d={d}>
				<title>{`${titleOf(flow.from)} → ${titleOf(flow.to)}: ${percent(flow.percent, 2)} %`}</title>
			</path>
		);
	});
	// Beside a share of six characters.
	const room = Math.max(6, Math.min(24, Math.floor((x1 - 52) / 6.4)));
	const label = (name: string): string => {
		const text = splitName(name).name;
		return text.length > room ? `${text.slice(0, room - 1)}…` : shown(text);
	};
	return (
		<Pane title="Where the blame goes" note="from where samples ran to the poll that a stop would wait for (predicted)" class="blame">
			<div ref={box} class="curve">
				<svg
					width={width}
					height={HEIGHT + 8}
					role="img"
					aria-label={`blame: ${flows
						.slice(0, 6)
						.map((flow) => `${flow.from} to ${flow.to} ${percent(flow.percent)} percent`)
						.join('; ')
						.slice(0, 500)}`}
				>
					<text class="axis" x={x1} y={12} text-anchor="end">
						ran in
					</text>
					<text class="axis" x={x2} y={12}>
						would be blamed
					</text>
					{paths}
					{left.map(([name, share]) => (
						<g key={name}>
							<rect class="ran" x={x1} y={from.get(name)?.y} width={7} height={from.get(name)?.height} />
							<text class="axis strong" x={x1 - 6} y={(from.get(name)?.y ?? 0) + (from.get(name)?.height ?? 0) / 2 + 4} text-anchor="end">
								{(from.get(name)?.height ?? 0) > 7 ? `${label(name)} ${percent(share)} %` : ''}
								<title>{titleOf(name)}</title>
							</text>
						</g>
					))}
					{right.map(([name, share]) => (
						<g key={name}>
							<rect class="blamed" x={x2 - 7} y={to.get(name)?.y} width={7} height={to.get(name)?.height} />
							<text class="axis strong" x={x2 + 6} y={(to.get(name)?.y ?? 0) + (to.get(name)?.height ?? 0) / 2 + 4}>
								{(to.get(name)?.height ?? 0) > 7 ? `${label(name)} ${percent(share)} %` : ''}
								<title>{titleOf(name)}</title>
							</text>
						</g>
					))}
				</svg>
			</div>
		</Pane>
	);
}

/** What one compilation cost the compiler in memory: arenas by phase at the peak, and the way there. */
import { useRef } from 'preact/hooks';
import type { CompilationMemoryJson } from '../../src/answers/memory-result.js';
import { phaseName, sizeText } from '../../src/render/memory-view.js';
import { shown, titleOf } from '../names.js';
import { count, heatStop } from '../numbers.js';
import { Empty, Pane } from '../parts/basics.js';
import { useWidthOf } from '../parts/measure.js';

const MAX_ARENAS = 7;
const KIB = 1024;

export function MemoryPanes({ memory }: { readonly memory: CompilationMemoryJson | null }) {
	if (memory === null) {
		return (
			<Pane title="Compiler memory">
				<Empty what="No file tells what this compilation cost in memory." flag="-XX:CompileCommand=memstat,*.*,print" />
			</Pane>
		);
	}
	return (
		<>
			<Pane title="Compiler memory" note="arena × phase at the peak, KiB" class="memory">
				<HeatMap memory={memory} />
			</Pane>
			{memory.timeline.length > 1 && (
				<Pane title="Footprint" note={`${count(memory.timeline.length)} steps in order, not to time`} class="footprint">
					<Curve memory={memory} />
				</Pane>
			)}
		</>
	);
}

function HeatMap({ memory }: { readonly memory: CompilationMemoryJson }) {
	const rows = memory.phases.length > 0 ? memory.phases : [{ name: 'all phases', totalBytes: memory.totalBytes, byArena: memory.byArena }];
	const arenas = Object.entries(memory.byArena)
		.filter(([, bytes]) => bytes > 0)
		.sort((a, b) => b[1] - a[1])
		.map(([name]) => name);
	const shownArenas = arenas.length > MAX_ARENAS ? arenas.slice(0, MAX_ARENAS - 1) : arenas;
	const others = arenas.slice(shownArenas.length);
	const kept = rows.filter(({ totalBytes }) => totalBytes > 0);
	const cell = (byArena: Readonly<Record<string, number>>, arena: string): number => byArena[arena] ?? 0;
	const rest = (byArena: Readonly<Record<string, number>>): number => others.reduce((sum, arena) => sum + cell(byArena, arena), 0);
	const largest = Math.max(1, ...kept.flatMap(({ byArena }) => [...shownArenas.map((arena) => cell(byArena, arena)), rest(byArena)]));
	return (
		<div class="scroll" tabIndex={0} role="group" aria-label="compiler memory by arena and phase">
			<table class="heat-map">
				<thead>
					<tr>
						<th>phase</th>
						{shownArenas.map((arena) => (
							<th key={arena} class="number">
								{shown(arena, 12)}
							</th>
						))}
						{others.length > 0 && (
							<th class="number" title={titleOf(others.join(', '))}>
								other
							</th>
						)}
						<th class="number">total</th>
					</tr>
				</thead>
				<tbody>
					{kept.map(({ name, totalBytes, byArena }) => (
						<tr key={name}>
							<th scope="row" title={titleOf(name)}>
								{shown(phaseName(name), 40)}
							</th>
							{shownArenas.map((arena) => (
								<Cell key={arena} bytes={cell(byArena, arena)} largest={largest} />
							))}
							{others.length > 0 && <Cell bytes={rest(byArena)} largest={largest} />}
							<td class="number total" title={`${count(totalBytes)} bytes`}>
								{kib(totalBytes)}
							</td>
						</tr>
					))}
					<tr class="sum">
						<th scope="row">at the peak</th>
						{shownArenas.map((arena) => (
							<td key={arena} class="number" title={`${count(cell(memory.byArena, arena))} bytes`}>
								{kib(cell(memory.byArena, arena))}
							</td>
						))}
						{others.length > 0 && <td class="number">{kib(rest(memory.byArena))}</td>}
						<td class="number total" title={`${count(memory.totalBytes)} bytes`}>
							{kib(memory.totalBytes)}
						</td>
					</tr>
				</tbody>
			</table>
		</div>
	);
}

function Cell({ bytes, largest }: { readonly bytes: number; readonly largest: number }) {
	const stop = heatStop(bytes, largest);
	return (
		<td class={`number ${stop === 0 ? 'none' : `cell-heat h${stop}`}`} title={`${count(bytes)} bytes`}>
			{stop === 0 ? '·' : kib(bytes)}
		</td>
	);
}

function kib(bytes: number): string {
	const value = bytes / KIB;
	return value < 10 && value > 0 ? value.toFixed(1) : count(Math.round(value));
}

const HEIGHT = 104;
const TOP = 22;
const BOTTOM = 18;

function Curve({ memory }: { readonly memory: CompilationMemoryJson }) {
	const box = useRef<HTMLDivElement>(null);
	const width = Math.max(200, useWidthOf(box));
	const { timeline, totalBytes } = memory;
	const largest = Math.max(totalBytes, ...timeline.map(({ bytes, temporaryPeakBytes }) => Math.max(bytes, temporaryPeakBytes ?? 0)), 1);
	const x = (i: number): number => 8 + ((i + 0.5) / timeline.length) * (width - 16);
	const y = (bytes: number): number => TOP + (1 - bytes / largest) * (HEIGHT - TOP - BOTTOM);
	const line = timeline.map(({ bytes }, i) => `${i === 0 ? 'M' : 'L'}${x(i).toFixed(1)} ${y(bytes).toFixed(1)}`).join('');
	const peak = peakStep(memory);
	const peakX = x(peak);
	const at = timeline[peak];
	// A peak inside a step is printed only when it is well above both ends: then its phase is not known.
	const isKnown = at !== undefined && Math.max(at.bytes, at.temporaryPeakBytes ?? 0) === totalBytes;
	const label = `peak ${sizeText(totalBytes)}${isKnown ? `, ${shown(phaseName(at.phase), 30)}` : ', inside a step'}`;
	return (
		<div ref={box} class="curve">
			<svg width={width} height={HEIGHT} role="img" aria-label={`memory of the compilation in the order of its phases, ${label}`}>
				<path class="area" d={`${line}L${x(timeline.length - 1)} ${HEIGHT - BOTTOM}L${x(0)} ${HEIGHT - BOTTOM}z`} />
				<path class="line" d={line} />
				{timeline.map(({ temporaryPeakBytes }, i) =>
					temporaryPeakBytes === undefined || i === peak ? null : <circle key={i} class="temporary" cx={x(i)} cy={y(temporaryPeakBytes)} r={1.8} />,
				)}
				<line class="peak" x1={peakX} x2={peakX} y1={y(totalBytes)} y2={HEIGHT - BOTTOM} />
				<circle class="peak" cx={peakX} cy={y(totalBytes)} r={3} />
				<text class="axis strong" x={Math.max(8, Math.min(width - 8, peakX))} y={13} text-anchor={peakX > width / 2 ? 'end' : 'start'}>
					{label}
				</text>
				{phaseMarks(memory, x, width).map(({ at, name }) => (
					<g key={at}>
						<line class="tick" x1={at} x2={at} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM + 3} />
						<text class="axis" x={at} y={HEIGHT - 4}>
							{name}
						</text>
					</g>
				))}
			</svg>
		</div>
	);
}

/** The step in which all arenas together were largest: its peak may lie inside it. */
function peakStep({ timeline, totalBytes }: CompilationMemoryJson): number {
	let best = 0;
	let least = Number.POSITIVE_INFINITY;
	timeline.forEach(({ bytes, temporaryPeakBytes }, i) => {
		const distance = Math.abs(totalBytes - Math.max(bytes, temporaryPeakBytes ?? 0));
		if (distance < least) {
			least = distance;
			best = i;
		}
	});
	return best;
}

/** Names of outermost phases, as far as there is room. */
function phaseMarks({ timeline }: CompilationMemoryJson, x: (i: number) => number, width: number): { at: number; name: string }[] {
	const marks: { at: number; name: string }[] = [];
	let free = 0;
	timeline.forEach(({ phase, depth, continued }, i) => {
		const name = shown(phaseName(phase), 18);
		const at = x(i);
		if (depth <= 1 && !continued && at >= free && at + 6 * name.length < width && phase !== '') {
			marks.push({ at, name });
			free = at + 6.4 * name.length + 8;
		}
	});
	return marks;
}

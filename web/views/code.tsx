/** The code of a compilation, instruction by instruction: seen and analysed heat, loops, jumps, polls, frames. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { HotCodeJson } from '../../src/answers/hot-result.js';
import type { InliningRowJson } from '../../src/answers/profdiff-result.js';
import type { PageDetail } from '../../src/page/data.js';
import { halfInterval } from '../../src/statistics/shares.js';
import { shown, splitName, titleOf, titleOfLines } from '../names.js';
import { count, heatStop, percent } from '../numbers.js';
import { Empty, Pane } from '../parts/basics.js';
import { usePage } from '../parts/context.js';
import type { Selection } from '../parts/selection.js';
import { Virtual } from '../parts/virtual.js';
import { isInside, type Position, positionsOfTree } from '../position.js';
import type { Row } from '../side.js';
import { type CodeLine, type JumpLane, jumpLanes, linesOfCode } from './code-lines.js';

const ROW = 17;
const LANE = 9;
const KEYS = [
	['j k', 'instruction'],
	['n', 'next hot'],
	['p', 'parent frame'],
	['s', 'by seen or analysed'],
	['Enter', 'unfold'],
	['f', 'fold all, none'],
] as const;

interface CodeProps {
	readonly row: Row;
	readonly detail: PageDetail;
	readonly selection: Selection;
	readonly seen: readonly number[] | null;
}

export function CodePane({ row, detail, selection, seen }: CodeProps) {
	const { code } = detail;
	if (code === undefined || seen === null) {
		return (
			<Pane title="Code" class="code">
				<Empty
					what={
						row.summary.failure === undefined
							? 'The code of this compilation is not here: it was not printed, or has no samples and was left out of the file (assay open reads it when asked for).'
							: 'It has no code: the compilation failed.'
					}
					flag="-XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation -XX:+PrintAssembly"
				/>
			</Pane>
		);
	}
	return <Code code={code} tree={detail.inliningTree ?? NO_TREE} sourceLines={detail.sourceLines ?? {}} selection={selection} seen={seen} />;
}

const NO_TREE: readonly InliningRowJson[] = [];

interface CodeViewProps {
	readonly code: HotCodeJson;
	readonly tree: readonly InliningRowJson[];
	readonly sourceLines: Readonly<Record<string, string>>;
	readonly selection: Selection;
	readonly seen: readonly number[];
}

function Code({ code, tree, sourceLines, selection, seen }: CodeViewProps) {
	const { router } = usePage();
	const { ins } = router.route.params;
	const wanted = useMemo(() => instructionAt(code, ins), [code, ins]);
	const [unfolded, setUnfolded] = useState<ReadonlySet<number> | 'all'>(wanted < 0 ? new Set() : 'all');
	const [isByAnalysed, setByAnalysed] = useState(code.analysed !== null);
	const [cursor, setCursor] = useState('');
	useEffect(() => {
		if (wanted >= 0) {
			setUnfolded('all');
			setCursor(`i${wanted}`);
		}
	}, [wanted]);
	// The minimap alone is drawn again when the list scrolls.
	const showView = useRef<(view: View) => void>(() => {});
	const total = seen.reduce((sum, one) => sum + one, 0);
	const positions = useMemo(() => {
		const { ofFrames } = positionsOfTree(tree);
		return code.positions.map(ofFrames);
	}, [code, tree]);
	const isWhole = seen === code.seen;
	const lines = useMemo(() => linesOfCode(code, seen, unfolded), [code, seen, unfolded]);
	const lanes = useMemo(() => jumpLanes(code, lines), [code, lines]);
	const laneCount = Math.max(0, ...lanes.map(({ lane }) => lane + 1));
	const polls = useMemo(() => new Map(code.polls.map(({ instruction: i, kind }) => [i, kind])), [code]);
	const comments = useMemo(() => new Map(code.comments.map(({ instruction: i, texts }) => [i, texts])), [code]);
	const largest = Math.max(1, ...seen, ...(isWhole ? (code.analysed ?? []) : []));
	const depths = Math.max(0, ...code.loops.map(({ depth }) => depth));
	const gutter = laneCount * LANE + depths * 7 + 14;
	const isChosen = (i: number): boolean => {
		const at = positions[code.position[i]!];
		return selection.position !== null && selection.position.length > 0 && at !== undefined && isInside(at, selection.position);
	};
	const firstChosen = useMemo(() => {
		if (selection.position === null || selection.position.length === 0) {
			return -1;
		}
		return lines.findIndex((line) => line.kind === 'instruction' && isChosen(line.instruction));
	}, [selection.position, lines]);
	const active = cursor === '' ? firstChosen : lines.findIndex((line) => cursorOf(line) === cursor);
	const activate = (position: number): void => {
		const line = lines[position];
		if (line === undefined) {
			return;
		}
		setCursor(cursorOf(line));
		if (line.kind === 'instruction') {
			const at = positions[code.position[line.instruction]!];
			selection.choose(at ?? null, 'code');
		} else if (line.kind === 'frame') {
			selection.choose(positions[line.position] ?? null, 'code');
		}
	};
	const unfold = (position: number): void => {
		const line = lines[position];
		if (line?.kind === 'fold') {
			setUnfolded(new Set([...(unfolded === 'all' ? [] : unfolded), line.from]));
		}
	};
	const onKey = (event: KeyboardEvent): boolean => {
		switch (event.key) {
			case 's':
				setByAnalysed(!isByAnalysed && code.analysed !== null);
				return true;
			case 'f':
				setUnfolded(unfolded === 'all' ? new Set() : 'all');
				return true;
			case 'p': {
				if (selection.position !== null && selection.position.length > 1) {
					selection.choose(selection.position.slice(0, -1), 'code');
				}
				return true;
			}
			case 'n': {
				const heat = isByAnalysed && code.analysed !== null && isWhole ? code.analysed : seen;
				const ranked = lines.map((line, i) => ({ i, heat: line.kind === 'instruction' ? (heat[line.instruction] ?? 0) : 0 })).filter((one) => one.heat > 0);
				ranked.sort((a, b) => b.heat - a.heat || a.i - b.i);
				const at = ranked.findIndex(({ i }) => i === active);
				const next = ranked[at + 1] ?? ranked[0];
				if (next !== undefined) {
					activate(next.i);
					document.getElementById('code')?.scrollTo({ top: Math.max(0, next.i * ROW - 160) });
				}
				return true;
			}
			default:
				return false;
		}
	};
	const lineOfWanted = wanted < 0 ? -1 : lines.findIndex((line) => line.kind === 'instruction' && line.instruction === wanted);
	const reveal =
		lineOfWanted >= 0
			? lineOfWanted
			: selection.from === 'code'
				? -1
				: firstChosen >= 0
					? firstChosen
					: selection.from === 'address'
						? hottest(lines, seen)
						: -1;
	return (
		<Pane
			title="Code"
			note={`${count(code.text.length)} instructions${total === 0 ? ' · no samples' : ` · % of its ${count(total)} samples${isWhole ? '' : ' in this range'}`}${code.withoutInstruction > 0 ? ` · ${count(code.withoutInstruction)} at no instruction` : ''}`}
			right={code.analysed === null ? 'samples are not moved' : isWhole ? undefined : 'analysed: only of the whole run'}
			class="code"
		>
			<div class="code-box">
				<Virtual
					id="code"
					label="instructions"
					role="listbox"
					class="asm"
					count={lines.length}
					rowHeight={ROW}
					active={active}
					reveal={reveal}
					onActive={activate}
					onEnter={unfold}
					onKey={onKey}
					keys={KEYS}
					text={(position) => textOfLine(lines[position]!, code, comments, seen, total)}
					onView={(first, last) => showView.current({ first, last })}
					head={
						<>
							<span class="pct">seen, %</span>
							<span class="pct">{code.analysed === null ? '' : 'analysed'}</span>
							<span style={{ width: `${gutter}px` }} />
							<span>address, instruction</span>
						</>
					}
					rowProps={(position) => {
						const line = lines[position]!;
						const isMarked =
							line.kind === 'instruction' ? isChosen(line.instruction) : line.kind === 'frame' && isInsideFrame(positions[line.position], selection.position);
						return { class: `${line.kind}${isMarked ? ' within' : ''}`, ...(line.kind === 'fold' ? { onClick: () => unfold(position) } : {}) };
					}}
					row={(position) => (
						<Line
							line={lines[position]!}
							code={code}
							sourceLines={sourceLines}
							seen={seen}
							analysed={isWhole ? code.analysed : null}
							total={total}
							largest={largest}
							gutter={gutter}
							poll={polls}
							comments={comments}
						/>
					)}
					overlay={(first, last) => (
						<Gutter code={code} lines={lines} lanes={lanes} first={first} last={last} laneCount={laneCount} depths={depths} width={gutter} total={total} />
					)}
				/>
				<Minimap lines={lines} seen={seen} largest={largest} show={showView} isChosen={isChosen} />
			</div>
		</Pane>
	);
}

/** The instruction that an address lies in, -1 for none. */
function instructionAt(code: HotCodeJson, address: string | undefined): number {
	const offset = Number.parseInt(address ?? '', 16) - Number.parseInt(code.start, 16);
	return offset >= 0 ? code.offset.findLastIndex((one) => one <= offset) : -1;
}

/** Stays the same when folds above open. */
function cursorOf(line: CodeLine): string {
	return line.kind === 'instruction' ? `i${line.instruction}` : line.kind === 'fold' ? `f${line.from}` : `p${line.next}`;
}

function isInsideFrame(inner: Position | undefined, outer: Position | null): boolean {
	return inner !== undefined && outer !== null && outer.length > 0 && isInside(inner, outer);
}

function hottest(lines: readonly CodeLine[], seen: readonly number[]): number {
	let best = -1;
	let most = 0;
	lines.forEach((line, i) => {
		const heat = line.kind === 'instruction' ? (seen[line.instruction] ?? 0) : 0;
		if (heat > most) {
			most = heat;
			best = i;
		}
	});
	return best;
}

/** For the clipboard: share, address and instruction, with its comments. */
function textOfLine(line: CodeLine, code: HotCodeJson, comments: ReadonlyMap<number, readonly string[]>, seen: readonly number[], total: number): string {
	const lineOf = (samples: number, text: string): string => `${samples === 0 ? '' : `${percent((100 * samples) / total, 2)} %`}`.padStart(8) + `  ${text}`;
	if (line.kind === 'frame') {
		const frames = (code.positions[line.position] ?? []).map(
			({ method, bci, line: source }) => `${method}${bci < 0 ? '' : `@${bci}`}${source === null ? '' : `:${source}`}`,
		);
		return lineOf(0, titleOf(`; ${frames.join(' < ')}`));
	}
	if (line.kind === 'fold') {
		return lineOf(0, `; ${line.to - line.from + 1} instructions without samples`);
	}
	const i = line.instruction;
	const at = `0x${(Number.parseInt(code.start, 16) + (code.offset[i] ?? 0)).toString(16)}`;
	const told = comments.get(i) ?? [];
	return lineOf(seen[i] ?? 0, titleOf(`${at}: ${code.text[i] ?? ''}${told.length === 0 ? '' : `  ; ${told.join('; ')}`}`));
}

interface LineProps {
	readonly line: CodeLine;
	readonly code: HotCodeJson;
	readonly sourceLines: Readonly<Record<string, string>>;
	readonly seen: readonly number[];
	readonly analysed: readonly number[] | null;
	readonly total: number;
	readonly largest: number;
	readonly gutter: number;
	readonly poll: ReadonlyMap<number, string>;
	readonly comments: ReadonlyMap<number, readonly string[]>;
}

function Line({ line, code, sourceLines, seen, analysed, total, largest, gutter, poll, comments }: LineProps) {
	const pad = <span class="gutter" style={{ width: `${gutter}px` }} />;
	if (line.kind === 'frame') {
		const frames = code.positions[line.position] ?? [];
		const innermost = `${frames[0]?.method}:${frames[0]?.line}`;
		const source = Object.hasOwn(sourceLines, innermost) ? sourceLines[innermost] : undefined;
		let distance = 0;
		while (code.position[line.next + distance + 1] === line.position) {
			distance++;
		}
		return (
			<>
				<span class="pct" />
				<span class="pct" />
				{pad}
				<span
					class="frame-chain"
					title={titleOf(
						frames
							.map(({ method, bci, line: source }) => `${method}${bci < 0 ? '' : ` @ ${bci}`}${source === null ? '' : `, line ${source}`}`)
							.join('\ninlined into '),
					)}
				>
					{frames
						.slice(0, 4)
						.reverse()
						.map(({ method, bci, line: source }, i, all) => (
							<span key={i} class={i === all.length - 1 ? 'inner' : 'outer'}>
								{i > 0 && ' ▸ '}
								{shortName(method)}
								{bci >= 0 && `@${bci}`}
								{source !== null && i === all.length - 1 && <i>:{source}</i>}
							</span>
						))}
				</span>
				{source !== undefined && (
					<code class="source" dir="ltr" title={titleOf(source)}>
						{shown(source, 120)}
					</code>
				)}
				{distance > 3 && (
					<span class="comment told" title="debug information tells of the end of an instruction; those before it are taken to belong to it too">
						told {distance} on
					</span>
				)}
			</>
		);
	}
	if (line.kind === 'fold') {
		const instructions = line.to - line.from + 1;
		const sum = (columns: readonly number[]): number => columns.slice(line.from, line.to + 1).reduce((all, one) => all + one, 0);
		return (
			<>
				<Cell value={sum(seen)} total={total} largest={largest} />
				<Cell value={analysed === null ? 0 : sum(analysed)} total={total} largest={largest} />
				{pad}
				<span class="folded">
					▸ {address(code, line.from)} – {address(code, line.to)} <i>{count(instructions)} instructions without samples</i>
				</span>
			</>
		);
	}
	const i = line.instruction;
	const text = code.text[i] ?? '';
	const blank = text.search(/\s/);
	const mnemonic = blank < 0 ? text : text.slice(0, blank);
	const target = code.jump[i] ?? -1;
	const kind = poll.get(i);
	const note = (comments.get(i) ?? [])
		.filter((one) => !one.startsWith('{poll') && !one.startsWith('ImmutableOopMap'))
		.map((one) => one.replace(/ \{reexecute=.*\}$/, ''));
	return (
		<>
			<Cell value={seen[i] ?? 0} total={total} largest={largest} />
			<Cell value={analysed?.[i] ?? 0} total={total} largest={largest} />
			{pad}
			<span class="address" title={`offset ${code.offset[i]}`}>
				{address(code, i)}
			</span>
			<b class="mnemonic">{shown(mnemonic, 24)}</b>
			<span class="operands" dir="ltr" title={titleOf(text)}>
				{blank < 0 ? '' : shown(text.slice(blank).trim(), 120)}
			</span>
			{kind !== undefined ? (
				<span class="poll" title={kind === 'loop' ? 'a safepoint can stop the thread here' : 'polls for a safepoint before it returns'}>
					◉ {kind === 'loop' ? 'poll' : 'return poll'}
				</span>
			) : target >= 0 ? (
				<span class="comment">→ {address(code, target)}</span>
			) : (
				note.length > 0 && (
					<span class="comment" title={titleOfLines(note)} dir="ltr">
						{shown(note[0] ?? '', 60)}
					</span>
				)
			)}
		</>
	);
}

function Cell({ value, total, largest }: { readonly value: number; readonly total: number; readonly largest: number }) {
	if (value === 0 || total === 0) {
		return <span class="pct" />;
	}
	const share = (100 * value) / total;
	return (
		<span class="pct" title={`${count(value)} samples, ${percent(share, 2)} ± ${percent(halfInterval(value, total))} %`}>
			<span class="value">{percent(share)}</span>
			<i class={`heat h${Math.max(2, heatStop(value, largest))}`} style={{ width: `${Math.max(1.5, (24 * value) / largest)}px` }} />
		</span>
	);
}

function shortName(method: string): string {
	const { holder, name } = splitName(method);
	return `${holder.replace(/^(?:[a-z]\.)+/, '')}${name}`;
}

/** The last digits: enough to tell instructions of one piece of code apart. */
function address(code: HotCodeJson, i: number): string {
	return (Number.parseInt(code.start.slice(-9), 16) + (code.offset[i] ?? 0)).toString(16).slice(-6);
}

interface GutterProps {
	readonly code: HotCodeJson;
	readonly lines: readonly CodeLine[];
	readonly lanes: readonly JumpLane[];
	readonly first: number;
	readonly last: number;
	readonly laneCount: number;
	readonly depths: number;
	readonly width: number;
	readonly total: number;
}

/** Loops as brackets, jumps as arrows, of what is in view. */
function Gutter({ code, lines, lanes, first, last, laneCount, depths, width }: GutterProps) {
	const y = (row: number): number => (row - first) * ROW + ROW / 2;
	const lineOf = useMemo(() => {
		const map = new Map<number, number>();
		lines.forEach((line, i) => {
			if (line.kind === 'instruction') {
				map.set(line.instruction, i);
			} else if (line.kind === 'fold') {
				for (let instruction = line.from; instruction <= line.to; instruction++) {
					map.set(instruction, i);
				}
			}
		});
		return map;
	}, [lines]);
	const right = width - 4;
	const brackets = code.loops.flatMap(({ from, to, depth, hasPoll }, i) => {
		const [a, b] = [lineOf.get(from) ?? 0, lineOf.get(to) ?? 0];
		if (b < first || a > last) {
			return [];
		}
		const x = (depth - 1) * 7 + 3;
		return [
			<path
				key={i}
				class={hasPoll === false ? 'loop' : hasPoll ? 'loop polls' : 'loop unknown'}
				d={`M${x + 4} ${Math.max(-10, y(a) - 5)}H${x}V${Math.min((last - first) * ROW + 10, y(b) + 5)}H${x + 4}`}
			>
				<title>{`loop, ${depth} deep${hasPoll === null ? '' : hasPoll ? ', polls' : ', no poll'}`}</title>
			</path>,
		];
	});
	const arrows = lanes.flatMap(({ from, to, lane }, i) => {
		if (Math.max(from, to) < first || Math.min(from, to) > last) {
			return [];
		}
		const x = depths * 7 + 6 + (laneCount - lane - 1) * LANE;
		const clamp = (value: number): number => Math.max(-20, Math.min((last - first) * ROW + 20, value));
		return [
			<path
				key={i}
				class={to < from ? 'jump back' : 'jump'}
				d={`M${right} ${clamp(y(from))}H${x}V${clamp(y(to))}${to >= first && to <= last ? `H${right - 1}m-4 -3l4 3l-4 3` : ''}`}
			/>,
		];
	});
	return (
		<svg class="arrows" style={{ top: `${first * ROW}px` }} width={width} height={Math.max(0, (last - first) * ROW)} aria-hidden="true">
			{brackets}
			{arrows}
		</svg>
	);
}

interface View {
	readonly first: number;
	readonly last: number;
}

interface MinimapProps {
	readonly lines: readonly CodeLine[];
	readonly seen: readonly number[];
	readonly largest: number;
	readonly show: { current: (view: View) => void };
	readonly isChosen: (instruction: number) => boolean;
}

const MINIMAP_ROWS = 300;

/** The whole of the code beside the part in view. */
function Minimap({ lines, seen, largest, show, isChosen }: MinimapProps) {
	const [view, setView] = useState<View>({ first: 0, last: 40 });
	show.current = setView;
	const rows = Math.min(MINIMAP_ROWS, Math.max(1, lines.length));
	const marks = useMemo(() => {
		const heat = new Array<number>(rows).fill(0);
		lines.forEach((line, i) => {
			const row = Math.floor((i * rows) / lines.length);
			heat[row] = Math.max(heat[row]!, line.kind === 'instruction' ? (seen[line.instruction] ?? 0) : 0);
		});
		return heat;
	}, [lines, seen, rows]);
	const chosen = useMemo(() => {
		const result = new Set<number>();
		lines.forEach((line, i) => {
			if (line.kind === 'instruction' && isChosen(line.instruction)) {
				result.add(Math.floor((i * rows) / lines.length));
			}
		});
		return [...result];
	}, [lines, isChosen]);
	return (
		<svg
			class="minimap"
			viewBox={`0 0 14 ${rows}`}
			preserveAspectRatio="none"
			aria-hidden="true"
			onClick={(event) => {
				const box = event.currentTarget.getBoundingClientRect();
				const list = document.getElementById('code');
				list?.scrollTo({ top: ((event.clientY - box.top) / box.height) * lines.length * ROW - list.clientHeight / 2 });
			}}
		>
			{chosen.map((row) => (
				<rect key={row} class="chosen" x={0} y={row} width={3} height={1.2} />
			))}
			{marks.map((heat, row) =>
				heat > 0 ? <rect key={row} class={`h${Math.max(2, heatStop(heat, largest))}`} x={4} y={row} width={8} height={Math.max(1, rows / 150)} /> : null,
			)}
			<rect
				class="window"
				x={0.5}
				y={(view.first / Math.max(1, lines.length)) * rows}
				width={13}
				height={Math.max(3, ((view.last - view.first) / Math.max(1, lines.length)) * rows)}
			/>
		</svg>
	);
}

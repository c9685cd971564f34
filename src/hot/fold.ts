/** Heat folded: the same samples by instruction, bytecode, line of source, method, or library. */

import { placeOfComments } from '../model/source-comment.js';
import { THREAD_CLASS_WORDS } from '../model/thread-class.js';
import { wilsonInterval } from '../statistics/shares.js';
import type { CodeHeat, CountedRow, HotReport, Region } from './hot-results.js';
import type { ThreadTime } from './thread-time.js';

/** What executed code can be summed by. */
export const CODE_FOLDS = ['instruction', 'line', 'bytecode', 'method', 'region', 'library'] as const;
export type CodeFoldKind = (typeof CODE_FOLDS)[number];

export const FOLDS = [...CODE_FOLDS, 'class', 'thread'] as const;
/** What samples can be summed by. */
export type FoldKind = (typeof FOLDS)[number];

/** Samples of one instruction, line, bytecode, method, region or library. */
export interface FoldRow extends CountedRow {
	/** What it is called: `java.util.HashMap.getNode:578`, `…getNode@28`, `c12 0x7f… mov …`, `(kernel)`. */
	readonly name: string;
	/** The innermost method, where it is one. */
	readonly method: string | null;
	readonly line: number | null;
	readonly bci: number | null;
	/** After skid; null where samples were not moved. */
	readonly analysed: number | null;
	/** Compilations that it was inlined or compiled into. */
	readonly compileIds: readonly string[];
}

interface Sum {
	method: string | null;
	line: number | null;
	bci: number | null;
	samples: number;
	analysed: number | null;
	compileIds: Set<string>;
}

/** Rows add up to the counted samples; what has no bytecode is a row in round brackets. Hottest first. */
export function fold(report: HotReport, kind: CodeFoldKind): FoldRow[] {
	const sums = new Map<string, Sum>();
	const isShifted = report.skid.isShifted;
	const add = (
		name: string,
		samples: number,
		analysed: number,
		compileId: string | null,
		where?: { method: string | null; line: number | null; bci: number | null },
	): void => {
		if (samples === 0 && analysed === 0) {
			return;
		}
		let sum = sums.get(name);
		if (sum === undefined) {
			sum = {
				method: where?.method ?? null,
				line: where?.line ?? null,
				bci: where?.bci ?? null,
				samples: 0,
				analysed: isShifted ? 0 : null,
				compileIds: new Set(),
			};
			sums.set(name, sum);
		}
		sum.samples += samples;
		sum.analysed = sum.analysed === null ? null : sum.analysed + analysed;
		if (compileId !== null) {
			sum.compileIds.add(compileId);
		}
	};
	for (const region of report.regions) {
		const { heat, samples } = region;
		if (kind === 'library') {
			add(baseName(region.heat?.code.library) ?? region.library ?? region.source, samples, samples, null);
		} else if (kind === 'region') {
			const analysed = heat?.analysed != null && region.lines.length > 0 ? sumOf(heat.analysed, region.lines) : samples;
			add(`${region.handle} ${region.method}`, samples, analysed, heat?.code.compileId ?? null);
		} else if (heat?.instructions == null || heat.code.compileId === null || region.lines.length === 0) {
			add(nameWithoutBytecode(region, kind), samples, samples, heat?.code.compileId ?? null);
		}
	}
	if (kind !== 'library' && kind !== 'region') {
		for (const heat of report.code) {
			foldCode(heat, kind, add);
		}
	}
	return [...sums]
		.map(([name, { compileIds, ...sum }]) => ({ name, ...sum, compileIds: [...compileIds], share: wilsonInterval(sum.samples, report.attribution.counted) }))
		.sort((a, b) => b.samples - a.samples || (b.analysed ?? 0) - (a.analysed ?? 0) || (a.name < b.name ? -1 : 1));
}

function sumOf(weights: Float64Array, instructions: readonly number[]): number {
	return instructions.reduce((sum, i) => sum + weights[i]!, 0);
}

/** The same by class of thread, or by thread; empty where the samples do not tell threads. */
export function foldThreads(time: Pick<ThreadTime, 'classes' | 'threads' | 'counted'> | null, kind: 'class' | 'thread'): FoldRow[] {
	const row = (name: string, samples: number): FoldRow => ({
		name,
		samples,
		method: null,
		line: null,
		bci: null,
		analysed: null,
		compileIds: [],
		share: wilsonInterval(samples, time?.counted ?? 0),
	});
	if (kind === 'class') {
		return (time?.classes ?? []).map((one) => row(THREAD_CLASS_WORDS[one.class], one.samples));
	}
	return (time?.threads ?? []).map(({ name, id, class: of, samples }) => row(`${name}${id < 0 ? '' : ` ${id}`} (${THREAD_CLASS_WORDS[of]})`, samples));
}

type Add = (
	name: string,
	samples: number,
	analysed: number,
	compileId: string | null,
	where?: { method: string | null; line: number | null; bci: number | null },
) => void;

/** File, line, and where it is told the column. */
const PLACE = /^(.*?):(\d+)(?::\d+)?$/s;

function foldCode({ code, instructions, seenAt, analysedAt }: CodeHeat, kind: CodeFoldKind, add: Add): void {
	if (instructions === null || code.compileId === null) {
		return;
	}
	for (const i of analysedAt === null ? seenAt.rows : [...new Set([...seenAt.rows, ...analysedAt.rows])].sort((a, b) => a - b)) {
		const count = seenAt.at(i);
		const moved = analysedAt?.at(i) ?? count;
		if (kind === 'instruction') {
			add(`c${code.compileId} 0x${instructions.address[i]!.toString(16)} ${instructions.textAt(i)}`, count, moved, code.compileId);
			continue;
		}
		const frame = instructions.frames(i)[0];
		const place = frame === undefined && kind === 'line' ? placeOfComments(instructions.comments[i] ?? []) : null;
		if (place !== null) {
			const [, file = '', line = ''] = PLACE.exec(place) ?? [];
			add(`${file}:${line}`, count, moved, code.compileId, { method: null, line: Number(line), bci: null });
			continue;
		}
		if (frame === undefined) {
			add(kind === 'method' ? code.name : `(${code.name}, no debug information)`, count, moved, code.compileId);
			continue;
		}
		const { method, line, bci } = frame;
		if (kind === 'method') {
			add(method, count, moved, code.compileId, { method, line: null, bci: null });
		} else if (kind === 'bytecode') {
			add(bci < 0 ? method : `${method}@${bci}`, count, moved, code.compileId, { method, line, bci });
		} else {
			add(line === null ? `${method} (no line)` : `${method}:${line}`, count, moved, code.compileId, { method, line, bci: null });
		}
	}
}

function baseName(file: string | undefined): string | undefined {
	return file?.slice(file.lastIndexOf('/') + 1);
}

function nameWithoutBytecode(region: Region, kind: CodeFoldKind): string {
	const { heat } = region;
	if (heat?.code.compileId != null) {
		return kind === 'method' ? heat.code.name : `(${heat.code.name}, no code)`;
	}
	return kind === 'instruction' || region.source === 'profiler' ? `${region.method} ${region.source}` : `(${region.source})`;
}

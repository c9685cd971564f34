/** What the reports of `assay memory` are made of, and how they spell bytes. */
import type { MemoryAnswer, MemoryComparisonAnswer } from '../answers/memory.js';
import type { PhaseInstance } from '../footprint/results.js';
import type { CompilerMemory, TimelineEntry } from '../model/compiler-memory.js';

export interface MemoryView extends Omit<MemoryAnswer, 'problems' | 'result'> {
	/** What was read, as the user named it. */
	readonly title: string;
	/** Rows of tables. */
	readonly top: number;
	/** Every phase of the tree, also those that changed nothing. */
	readonly all: boolean;
	readonly nest: (timeline: readonly TimelineEntry[]) => readonly PhaseInstance[];
}

export interface MemoryComparisonView extends Pick<MemoryComparisonAnswer, 'nameA' | 'nameB' | 'comparison'> {
	readonly top: number;
	readonly showNoise: boolean;
}

const KIBIBYTE = 1 << 10;
const MEBIBYTE = 1 << 20;

/** `11.21M`, as HotSpot spells it: MiB; `64.9K` below a tenth of one. */
export function sizeText(bytes: number): string {
	const size = Math.abs(bytes);
	return size < MEBIBYTE / 10 ? `${(bytes / KIBIBYTE).toFixed(1)}K` : `${(bytes / MEBIBYTE).toFixed(2)}M`;
}

export function changeText(bytes: number): string {
	return bytes < 0 ? sizeText(bytes) : `+${sizeText(bytes)}`;
}

export function shareText(part: number, whole: number): string {
	return `${(whole === 0 ? 0 : (100 * part) / whole).toFixed(1)} %`;
}

/** `Huge.big([I[I)I` */
export function fullMethod({ method, signature }: Pick<CompilerMemory, 'method' | 'signature'>): string {
	return `${method}${signature ?? ''}`;
}

/** `c2 4 OSR`, as far as it is known. */
export function compilerText({ compiler, level, osrBci }: CompilerMemory): string {
	return `${compiler}${level === null ? '' : ` ${level}`}${osrBci === null ? '' : ' OSR'}`;
}

/** `oom, limit 9.00M` with `*` when it was hit. */
export function resultText({ result, limitBytes, hitLimit }: CompilerMemory): string {
	const limit = limitBytes === null ? '' : `limit ${sizeText(limitBytes)}${hitLimit ? '*' : ''}`;
	return [result ?? '', limit].filter((text) => text !== '').join(' ');
}

export function phaseName(name: string): string {
	return name === '' ? '(no name)' : name;
}

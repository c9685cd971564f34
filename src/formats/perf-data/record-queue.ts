/**
 * Hands on records by their times, those of one time as they came. perf writes what it finds in the buffers of the processors round by round: within a round the
 * records of several processors stand one after the other, and what belongs before a record stands at most one round later.
 */
import type { Piece } from './bytes.js';
import type { TakeRecord } from './records.js';

const LEAST = 1 << 14;

export class RecordQueue {
	private readonly take: TakeRecord;
	private count = 0;
	private times = new Float64Array(1 << 12);
	private positions = new Int32Array(1 << 12);
	/** Numbers in `pieces`. */
	private pieceOf = new Int32Array(1 << 12);
	private pieces: Piece[] = [];
	/** The columns of the round before, to be written again. */
	private spare = newRows(0);
	private latest = Number.NEGATIVE_INFINITY;
	/** The latest times of the rounds before: what unpacking holds back comes one round late. */
	private before = Number.NEGATIVE_INFINITY;
	private beforeThat = Number.NEGATIVE_INFINITY;
	/** With fewer records a round is not worth the sorting. */
	private enough = LEAST;

	constructor(take: TakeRecord) {
		this.take = take;
	}

	add(time: number, piece: Piece, at: number): void {
		if (this.count === this.times.length) {
			this.grow();
		}
		const { pieces } = this;
		if (pieces.length === 0 || pieces[pieces.length - 1] !== piece) {
			pieces.push(piece);
		}
		const row = this.count++;
		this.times[row] = time;
		this.positions[row] = at;
		this.pieceOf[row] = pieces.length - 1;
		if (time > this.latest) {
			this.latest = time;
		}
	}

	endRound(): void {
		if (this.count >= this.enough && this.beforeThat > Number.NEGATIVE_INFINITY) {
			this.handOn(this.beforeThat);
			this.enough = Math.max(LEAST, 2 * this.count);
		}
		this.beforeThat = this.before;
		this.before = this.latest;
	}

	end(): void {
		this.handOn(Number.POSITIVE_INFINITY);
	}

	private handOn(limit: number): void {
		const { count, times, positions, pieceOf, pieces } = this;
		const order = orderOf(times, count);
		let at = 0;
		for (; at < count && times[order[at]!]! <= limit; at++) {
			const row = order[at]!;
			const piece = pieces[pieceOf[row]!]!;
			const position = positions[row]!;
			this.take(piece, position, piece.view.getUint32(position, true), piece.view.getUint16(position + 6, true));
		}
		this.keep(order.subarray(at, count));
	}

	/** The rest, in its order; pieces of which nothing is left are let go. */
	private keep(rest: Int32Array): void {
		const { times, positions, pieceOf, pieces } = this;
		this.count = 0;
		this.pieces = [];
		if (rest.length === 0) {
			return;
		}
		const numbers = new Map<number, number>();
		const kept = this.spare.times.length === times.length ? this.spare : newRows(times.length);
		for (const row of rest) {
			const old = pieceOf[row]!;
			let number = numbers.get(old);
			if (number === undefined) {
				number = this.pieces.push(pieces[old]!) - 1;
				numbers.set(old, number);
			}
			kept.times[this.count] = times[row]!;
			kept.positions[this.count] = positions[row]!;
			kept.pieceOf[this.count++] = number;
		}
		this.spare = { times, positions, pieceOf };
		this.times = kept.times;
		this.positions = kept.positions;
		this.pieceOf = kept.pieceOf;
	}

	private grow(): void {
		const { times, positions, pieceOf } = newRows(2 * this.times.length);
		times.set(this.times);
		positions.set(this.positions);
		pieceOf.set(this.pieceOf);
		this.times = times;
		this.positions = positions;
		this.pieceOf = pieceOf;
	}
}

function newRows(length: number) {
	return { times: new Float64Array(length), positions: new Int32Array(length), pieceOf: new Int32Array(length) };
}

/** 0, 1, 2, …: rows that are in order already. Never written to. */
let inOrder = new Int32Array(0);

function rowsInOrder(count: number): Int32Array {
	if (inOrder.length < count) {
		inOrder = new Int32Array(2 * count);
		for (let i = 0; i < inOrder.length; i++) {
			inOrder[i] = i;
		}
	}
	return inOrder.subarray(0, count);
}

/** Rows by time: runs that are in order, one for each processor, are merged two by two. */
function orderOf(times: Float64Array, count: number): Int32Array {
	let ends: number[] = [];
	for (let i = 1; i < count; i++) {
		if (times[i]! < times[i - 1]!) {
			ends.push(i);
		}
	}
	if (ends.length === 0) {
		return rowsInOrder(count);
	}
	ends.push(count);
	let from = rowsInOrder(count).slice();
	let to = new Int32Array(count);
	while (ends.length > 1) {
		const merged: number[] = [];
		for (let i = 0, start = 0; i < ends.length; i += 2) {
			const end = ends[i + 1] ?? ends[i]!;
			merge(times, from, to, start, ends[i]!, end);
			merged.push(end);
			start = end;
		}
		[from, to] = [to, from];
		ends = merged;
	}
	return from;
}

function merge(times: Float64Array, from: Int32Array, to: Int32Array, start: number, middle: number, end: number): void {
	let left = start;
	let right = middle;
	for (let at = start; at < end; at++) {
		const isLeft = left < middle && (right >= end || times[from[left]!]! <= times[from[right]!]!);
		to[at] = isLeft ? from[left++]! : from[right++]!;
	}
}

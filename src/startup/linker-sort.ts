/**
 * How lld sorts the sections that an order file names: `llvm::sort`, which is the `std::sort` of the C++ library it was built with, and not stable. Local
 * functions of one name have one place in the order, so which of them comes first is up to that sort. The usual builds for Linux use libstdc++: introsort
 * (Musser 1997) with a median of three, parts of at most 16 left to insertion sort. The same steps give the same result.
 */

const THRESHOLD = 16;

/** Sorts `items` by their key, exactly as libstdc++ does. */
export function linkerSort(items: Int32Array, keys: Int32Array): void {
	const count = items.length;
	if (count < 2) {
		return;
	}
	const key = (position: number): number => keys[items[position]!]!;
	const swap = (a: number, b: number): void => {
		const kept = items[a]!;
		items[a] = items[b]!;
		items[b] = kept;
	};
	introsort(items, 0, count, 2 * Math.floor(Math.log2(count)), keys, key, swap);
	const first = Math.min(count, THRESHOLD);
	for (let i = 1; i < first; i++) {
		if (key(i) < key(0)) {
			const kept = items[i]!;
			items.copyWithin(1, 0, i);
			items[0] = kept;
		} else {
			insertBack(items, keys, i);
		}
	}
	for (let i = first; i < count; i++) {
		insertBack(items, keys, i);
	}
}

type Key = (position: number) => number;
type Swap = (a: number, b: number) => void;

function introsort(items: Int32Array, first: number, last: number, depth: number, keys: Int32Array, key: Key, swap: Swap): void {
	let end = last;
	let left = depth;
	while (end - first > THRESHOLD) {
		if (left === 0) {
			heapSort(items, first, end, keys);
			return;
		}
		left--;
		const middle = first + ((end - first) >> 1);
		medianToFirst(first, first + 1, middle, end - 1, key, swap);
		const cut = partition(first + 1, end, first, key, swap);
		introsort(items, cut, end, left, keys, key, swap);
		end = cut;
	}
}

function medianToFirst(result: number, a: number, b: number, c: number, key: Key, swap: Swap): void {
	if (key(a) < key(b)) {
		swap(result, key(b) < key(c) ? b : key(a) < key(c) ? c : a);
	} else {
		swap(result, key(a) < key(c) ? a : key(b) < key(c) ? c : b);
	}
}

function partition(start: number, end: number, pivot: number, key: Key, swap: Swap): number {
	let first = start;
	let last = end;
	for (;;) {
		while (key(first) < key(pivot)) {
			first++;
		}
		last--;
		while (key(pivot) < key(last)) {
			last--;
		}
		if (first >= last) {
			return first;
		}
		swap(first, last);
		first++;
	}
}

function insertBack(items: Int32Array, keys: Int32Array, from: number): void {
	const kept = items[from]!;
	const key = keys[kept]!;
	let at = from;
	while (at > 0 && key < keys[items[at - 1]!]!) {
		items[at] = items[at - 1]!;
		at--;
	}
	items[at] = kept;
}

/** What introsort falls back to when it went too deep: a heap of the largest, taken off from the end. */
function heapSort(items: Int32Array, first: number, last: number, keys: Int32Array): void {
	const count = last - first;
	const at = (i: number): number => items[first + i]!;
	const keyOf = (item: number): number => keys[item]!;
	const adjust = (hole: number, length: number, value: number): void => {
		const top = hole;
		let open = hole;
		let child = open;
		while (child < (length - 1) >> 1) {
			child = 2 * (child + 1);
			if (keyOf(at(child)) < keyOf(at(child - 1))) {
				child--;
			}
			items[first + open] = at(child);
			open = child;
		}
		if ((length & 1) === 0 && child === (length - 2) >> 1) {
			child = 2 * (child + 1);
			items[first + open] = at(child - 1);
			open = child - 1;
		}
		for (let parent = (open - 1) >> 1; open > top && keyOf(at(parent)) < keyOf(value); parent = (open - 1) >> 1) {
			items[first + open] = at(parent);
			open = parent;
		}
		items[first + open] = value;
	};
	for (let parent = (count - 2) >> 1; parent >= 0; parent--) {
		adjust(parent, count, at(parent));
	}
	for (let end = count - 1; end > 0; end--) {
		const value = at(end);
		items[first + end] = at(0);
		adjust(0, end, value);
	}
}

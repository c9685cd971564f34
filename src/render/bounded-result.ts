/**
 * A result that fits into so many bytes: lists are shortened, and what was left out is said. Of a list that is cut the first items stay, as answers put the most
 * important first; of instructions with samples those around the most samples. Text is data of recordings: control characters are made visible.
 */
import { visible } from './visible.js';

/** A list that is not whole, or a text. In `field`, `[]` stands for each item of a list: `regions[].lines`. */
export interface Cut {
	readonly field: string;
	readonly shown: number;
	/** Of several such lists the longest. */
	readonly of: number;
}

export interface BoundedResult {
	readonly value: unknown;
	readonly cut: readonly Cut[];
}

/** Begins a list at another item. */
export interface ResultChoice {
	/** Parts that are left out, by field. */
	readonly leavesOut: ReadonlySet<string>;
	/** Lists that grow first, by field. */
	readonly first: readonly string[];
	/** Of the list that was asked for; that of the whole result is ''. */
	readonly from: number;
	/** More items than this are never shown. */
	readonly mostItems: number;
}

/** `size` gives the bytes of the whole answer with this value and these cuts; the smallest is returned where none fits. */
export function boundedResult(result: unknown, choice: ResultChoice, limitBytes: number, size: (bounded: BoundedResult) => number): BoundedResult {
	const lists = new Map<string, ListsAt>();
	const held = hold(result, '', { ...choice, lists, depth: 0, around: 0 });
	const fits = (shape: Shape): BoundedResult | null => {
		const bounded = render(held, shape);
		return size(bounded) <= limitBytes ? bounded : null;
	};
	const whole = fits({ shown: new Map([...lists].map(([field, { longest }]) => [field, longest])), text: LONGEST_TEXT, depth: DEEPEST });
	if (whole !== null) {
		return whole;
	}
	let smallest: BoundedResult | null = null;
	for (const { text, depth } of SHAPES) {
		const shown = new Map([...lists.keys()].map((field) => [field, 0]));
		if (fits({ shown, text, depth }) !== null) {
			return grown(lists, choice.first, { shown, text, depth }, fits);
		}
		smallest = render(held, { shown, text, depth });
	}
	return smallest ?? { value: null, cut: [] };
}

const LONGEST_TEXT = 600;
const DEEPEST = 40;
/** When not even empty lists fit: shorter texts, then less of what is nested. */
const SHAPES = [LONGEST_TEXT, 120, 40].map((text) => ({ text, depth: DEEPEST })).concat([4, 3, 2, 1].map((depth) => ({ text: 40, depth })));

interface ListsAt {
	longest: number;
	readonly depth: number;
	readonly isOfNumbers: boolean;
}

interface Shape {
	/** Items that are shown of each list, by field. */
	readonly shown: ReadonlyMap<string, number>;
	/** Characters that are shown of a text. */
	readonly text: number;
	/** Objects in objects. */
	readonly depth: number;
}

/** So many items of the lists that come first, before others get room. */
const ENOUGH = 8;

/** Lists grow by turns, outer ones first, each as far as there is room. */
function grown(
	lists: ReadonlyMap<string, ListsAt>,
	first: readonly string[],
	{ shown, text, depth }: Shape,
	fits: (shape: Shape) => BoundedResult | null,
): BoundedResult {
	const rank = (field: string): number => (first.includes(field) ? first.indexOf(field) : first.length);
	const order = [...lists]
		.toSorted(([x, a], [y, b]) => rank(x) - rank(y) || Number(a.isOfNumbers) - Number(b.isOfNumbers) || a.depth - b.depth)
		.map(([field]) => field);
	const counts = new Map(shown);
	let best = fits({ shown: counts, text, depth })!;
	// What nothing was said of waits until those that come first have their items.
	let growing = order.filter((field) => first.includes(field));
	let others = order.filter((field) => !first.includes(field));
	while (growing.length + others.length > 0) {
		if (growing.length === 0 || growing.every((field) => counts.get(field)! >= ENOUGH)) {
			growing = [...growing, ...others];
			others = [];
		}
		growing = growing.filter((field) => {
			const count = counts.get(field)!;
			const longest = lists.get(field)!.longest;
			for (const more of [Math.min(longest, Math.ceil(count * 1.5) + 1), count + 1]) {
				const larger = fits({ shown: new Map(counts).set(field, more), text, depth });
				if (larger !== null && count < longest) {
					counts.set(field, more);
					best = larger;
					return more < longest;
				}
			}
			return false;
		});
	}
	return best;
}

/** What may be shown of a result, in memory. */
type Held = HeldList | HeldFields | LeftOut | string | number | boolean | null;

interface HeldList {
	readonly kind: 'list';
	readonly field: string;
	readonly total: number;
	/** In the order in which they are shown when there is no room for all, with their places. */
	readonly items: readonly { readonly place: number; readonly item: Held }[];
}

interface LeftOut {
	readonly kind: 'left out';
	readonly field: string;
	readonly total: number;
}

interface HeldFields {
	readonly kind: 'fields';
	readonly field: string;
	readonly fields: readonly (readonly [string, Held])[];
}

interface Holding extends ResultChoice {
	readonly lists: Map<string, ListsAt>;
	readonly depth: number;
	/** Lists around. */
	readonly around: number;
}

/** Nested lists hold fewer items; instructions are held all, up to this. */
const LEAST_ITEMS = 20;
const MOST_INSTRUCTIONS = 5000;

function hold(value: unknown, field: string, holding: Holding): Held {
	if (typeof value === 'string' || typeof value === 'boolean' || value === null) {
		return value;
	}
	if (typeof value === 'number') {
		return Number.isFinite(value) ? value : null;
	}
	if (typeof value !== 'object') {
		return value === undefined ? null : String(value);
	}
	const inside = { ...holding, depth: holding.depth + 1 };
	if (holding.depth > DEEPEST) {
		return { kind: 'fields', field, fields: [] };
	}
	if (holding.leavesOut.has(field)) {
		const total = Symbol.iterator in value ? countOf(value as Iterable<unknown>) : Object.keys(value).length;
		return { kind: 'left out', field, total };
	}
	if (Symbol.iterator in value) {
		return holdList(value as Iterable<unknown>, field, inside);
	}
	const fields = Object.entries(value).filter(([, one]) => one !== undefined);
	return { kind: 'fields', field, fields: fields.map(([name, one]) => [name, hold(one, field === '' ? name : `${field}.${name}`, inside)]) };
}

function holdList(list: Iterable<unknown>, field: string, holding: Holding): HeldList {
	const { from, mostItems, lists, around } = holding;
	const most = Math.max(LEAST_ITEMS, Math.floor(mostItems / 4 ** around));
	const isFirst = field === '';
	const raw: unknown[] = [];
	let total = 0;
	let isOfNumbers = true;
	let areInstructions = true;
	for (const item of list) {
		areInstructions &&= isInstruction(item);
		isOfNumbers &&= typeof item === 'number' || item === null;
		if (total >= (isFirst ? from : 0) && raw.length < (areInstructions ? MOST_INSTRUCTIONS : most)) {
			raw.push(item);
		}
		total++;
	}
	const first = isFirst ? Math.min(from, total) : 0;
	const places = areInstructions && first === 0 ? aroundSamples(raw as readonly Instruction[]) : raw.map((_, place) => place);
	const inside = { ...holding, from: 0, around: around + 1 };
	const items = places.slice(0, most).map((place) => ({ place: first + place, item: hold(raw[place], `${field}[]`, inside) }));
	const known = lists.get(field);
	lists.set(field, {
		longest: Math.max(known?.longest ?? 0, items.length),
		depth: around,
		isOfNumbers: (known?.isOfNumbers ?? true) && isOfNumbers,
	});
	return { kind: 'list', field, total, items };
}

function countOf(list: Iterable<unknown>): number {
	let count = 0;
	for (const _ of list) {
		count++;
	}
	return count;
}

interface Instruction {
	readonly address: string;
	readonly samples: number;
}

function isInstruction(item: unknown): item is Instruction {
	return typeof item === 'object' && item !== null && 'address' in item && 'text' in item && 'samples' in item && typeof item.samples === 'number';
}

/** Neighbours that are shown with an instruction. */
const NEIGHBOURS = 2;

/** Places, those with most samples and their neighbours first. */
function aroundSamples(instructions: readonly Instruction[]): number[] {
	const hottest = instructions
		.map(({ samples }, place) => ({ samples, place }))
		.filter(({ samples }) => samples > 0)
		.toSorted((a, b) => b.samples - a.samples);
	const places = new Set<number>();
	for (const { place } of hottest) {
		for (let other = place - NEIGHBOURS; other <= place + NEIGHBOURS; other++) {
			if (other >= 0 && other < instructions.length) {
				places.add(other);
			}
		}
	}
	for (const place of instructions.keys()) {
		places.add(place);
	}
	return [...places];
}

function render(held: Held, { shown, text, depth }: Shape): BoundedResult {
	const cuts = new Map<string, Cut>();
	const noteCut = (field: string, some: number, of: number): void => {
		const known = cuts.get(field);
		if (known === undefined || of > known.of) {
			cuts.set(field, { field: visible(field), shown: some, of });
		}
	};
	const write = (value: Held, field: string, level: number): unknown => {
		if (typeof value === 'string') {
			if (value.length > text) {
				noteCut(`${field}: characters`, text, value.length);
			}
			return visible(value.length > text ? `${value.slice(0, text)}…` : value);
		}
		if (typeof value !== 'object' || value === null) {
			return value;
		}
		if (level > depth && value.kind !== 'left out' && (value.kind === 'fields' ? value.fields.length : value.total) > 0) {
			noteCut(field, 0, value.kind === 'fields' ? value.fields.length : value.total);
			return value.kind === 'fields' ? {} : [];
		}
		if (value.kind === 'left out') {
			noteCut(value.field, 0, value.total);
			return undefined;
		}
		if (value.kind === 'fields') {
			// A field may be called __proto__.
			return Object.fromEntries(value.fields.map(([name, one]) => [visible(name), write(one, field === '' ? name : `${field}.${name}`, level + 1)]));
		}
		const some = value.items.slice(0, shown.get(value.field) ?? 0).toSorted((a, b) => a.place - b.place);
		if (some.length < value.total) {
			noteCut(value.field, some.length, value.total);
		}
		return some.map(({ item }) => write(item, `${value.field}[]`, level + 1));
	};
	const value = write(held, '', 0);
	return { value, cut: [...cuts.values()] };
}

/** How the body of a loop goes through arrays, and what of that keeps C2 (HotSpot's superword.cpp) from vector instructions. */
import { type Access, type LoopValues, stepOf } from './loop-values.js';

/** Elements whose places differ by constants only. */
interface Places {
	readonly loads: Set<number>;
	readonly stores: Set<number>;
}

/** Elements of one array, as far as is known: of arrays of bytes those that are reached by one index. */
export interface WalkedArray {
	/** In bytes on one way round; NaN: it is no constant. */
	readonly step: number;
	readonly sizeBytes: number;
	readonly isFloat: boolean;
	/** By what the index is made of besides a constant. */
	readonly places: Map<string, Places>;
	/** Names that the place of the first element is made of. */
	readonly names: ReadonlySet<string>;
}

/** Elements of them are loaded or stored one after the other. */
export function walkedArrays({ accesses, steps }: LoopValues): WalkedArray[] {
	const result = new Map<string, WalkedArray>();
	for (const access of accesses) {
		const { address, sizeBytes, isFloat, isStore } = access;
		const step = stepOf(address, steps);
		if (Math.abs(step) < sizeBytes) {
			continue;
		}
		const base = baseOf(access, steps);
		const index = [...address.terms]
			.filter(([name]) => name !== base)
			.map(([name, times]) => `${times} ${name}`)
			.sort()
			.join(' + ');
		const key = `${sizeBytes} ${isFloat} ${step} ${base ?? index}`;
		const array = result.get(key) ?? { step, sizeBytes, isFloat, places: new Map<string, Places>(), names: new Set(address.terms.keys()) };
		const places = array.places.get(index) ?? { loads: new Set<number>(), stores: new Set<number>() };
		(isStore ? places.stores : places.loads).add(address.constant);
		array.places.set(index, places);
		result.set(key, array);
	}
	return [...result.values()];
}

/** What holds the address of the array. Null: of bytes, whose index has no factor either. */
function baseOf({ address, sizeBytes }: Access, steps: ReadonlyMap<string, number>): string | null {
	const bases = [...address.terms].filter(([name, times]) => times === 1 && !steps.has(name));
	return sizeBytes === 1 || bases.length !== 1 ? null : bases[0]![0];
}

const sizeOfUnion = ({ loads, stores }: Places): number => new Set([...loads, ...stores]).size;
const sum = (array: WalkedArray, count: (places: Places) => number): number => [...array.places.values()].reduce((total, places) => total + count(places), 0);
/** Elements that are passed on one way round. */
const elementsOf = ({ step, sizeBytes }: WalkedArray): number => Math.abs(step) / sizeBytes;
const isWritten = (array: WalkedArray): boolean => sum(array, ({ stores }) => stores.size) > 0;
const isRead = (array: WalkedArray): boolean => sum(array, ({ loads }) => loads.size) > 0;

/**
 * How elements are walked through, where no vector instruction of C2 does that: with elements that are left out, or through more of one array than of another;
 * or upwards in one and downwards in another.
 */
export function walkOf(arrays: readonly WalkedArray[]): 'gaps' | 'directions' | null {
	const slowest = Math.min(...arrays.map(elementsOf));
	const hasGaps = arrays.some((array) => {
		// One array may be held twice.
		const alike = arrays.filter(({ step, sizeBytes }) => step === array.step && sizeBytes === array.sizeBytes);
		const elements = alike.reduce((total, other) => total + sum(other, sizeOfUnion), 0);
		return elementsOf(array) >= 2 * elements || elementsOf(array) >= slowest + 1;
	});
	return hasGaps ? 'gaps' : arrays.some(({ step }) => step < 0) && arrays.some(({ step }) => step > 0) ? 'directions' : null;
}

/** More elements do not fit into a vector. */
const MOST_VECTOR_BYTES = 64;

/** Whether what is stored is loaded on one of the next ways round. */
export function isReadBack(arrays: readonly WalkedArray[]): boolean {
	return arrays.some((array) =>
		[...array.places.values()].some((places) => {
			const ahead = aheadOf(array, places, places);
			return ahead > 0 && ahead < MOST_VECTOR_BYTES;
		}),
	);
}

/** By how many bytes elements are stored before they are loaded; not above 0: they are not. */
function aheadOf({ step }: WalkedArray, { stores }: Places, { loads }: Places): number {
	return Math.sign(step) * (Math.min(...stores) - Math.min(...loads));
}

/**
 * Whether what is written may be what is read later, as far as C2 knows: in two arrays that may be one, or in one at places that differ by what it does not know.
 * `shifted`: it is read before; C2 of JDK 17 wants them to begin at the same place all the same.
 */
export function overlapOf(arrays: readonly WalkedArray[]): 'alias' | 'shifted' | null {
	let isShifted = false;
	for (const written of arrays.filter(isWritten)) {
		if (written.places.size > 1 && sum(written, sizeOfUnion) > elementsOf(written)) {
			return 'alias';
		}
		for (const read of arrays.filter(isRead)) {
			if (written === read || written.sizeBytes !== read.sizeBytes || written.isFloat !== read.isFloat) {
				continue;
			}
			// Where elements are missing, the array is held twice, and what belongs together is not known.
			if ([written, read].some((array) => sum(array, sizeOfUnion) < elementsOf(array))) {
				continue;
			}
			if (![...written.places.keys()].some((index) => read.places.has(index)) && !areAtOneIndex(written, read)) {
				return 'alias';
			}
			// Of arrays that are held in several registers it is not known which of the places belong together.
			const ahead = written.places.size === 1 && read.places.size === 1 ? aheadOf(written, [...written.places.values()][0]!, [...read.places.values()][0]!) : 0;
			if (ahead > 0) {
				return 'alias';
			}
			isShifted ||= ahead < 0;
		}
	}
	return isShifted ? 'shifted' : null;
}

/** Of bytes: what holds the address of each is all that differs. */
function areAtOneIndex(a: WalkedArray, b: WalkedArray): boolean {
	const onlyIn = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => [...one].filter((name) => !other.has(name)).length;
	return a.sizeBytes === 1 && onlyIn(a.names, b.names) === 1 && onlyIn(b.names, a.names) === 1;
}

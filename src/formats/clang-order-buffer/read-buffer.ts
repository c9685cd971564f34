/**
 * The raw buffer of clang's order-file instrumentation (clang 9 to 20; `__llvm_orderfile_dump` writes it beside the raw profile, `.order` added to the
 * name): numbers of eight bytes, little-endian, the first function to run first, 0 where nothing was written. There is no header. The buffer has 131,072
 * places and wraps; the file has only the first 65,536 of them. Source: InstrProfiling*.c of compiler-rt 19 and runs of it.
 */
import { readRange, type Source } from '../../bytes/source.js';
import { FunctionTracesBuilder, type ReadTraces } from '../../model/function-trace.js';
import { InputError, type Problem } from '../../model/problem.js';
import { type ClangOrderMap, isProbablyLocal } from './read-map.js';

const SLOT_BYTES = 8;
const FILE_SLOTS = 65_536;
const BUFFER_SLOTS = 131_072;
const CHUNK_BYTES = 1 << 19;
const NAMES_SHOWN = 5;

export interface ClangOrder extends ReadTraces {
	/** Numbers of the buffer that stand for several symbols; all of them are in the trace. */
	readonly collisions: readonly { readonly id: string; readonly symbols: readonly string[] }[];
	/** Symbols of several functions, probably static ones, which share a number: how many ran, and how many the map has. */
	readonly sharedNames: readonly { readonly symbol: string; readonly ran: number; readonly inMap: number }[];
	/** Numbers that the map does not have. */
	readonly unknownIds: number;
	/** Whether functions that ran later may be missing. */
	readonly isTruncated: boolean;
}

/** Decodes a buffer. Throws an {@link InputError} where the bytes are of another machine, or fit no such map. */
export function readClangOrderBuffer(source: Source, map: ClangOrderMap): ClangOrder {
	const { counts, usedSlots, lastUsed, hasFreeSlot } = countIds(source);
	const problems: Problem[] = [];
	const problem = (severity: Problem['severity'], message: string, action: string): void => {
		problems.push({ severity, file: source.name, message, action });
	};
	const known = [...counts.keys()].filter((id) => map.symbols.has(id)).length;
	const swapped = [...counts.keys()].filter((id) => map.symbols.has(reversed(id))).length;
	if (swapped > known) {
		throw unusable(source, 'holds its numbers with the bytes in the other order: it was written on a big-endian machine', 'record on a little-endian machine');
	}
	// Other programs have a main, too.
	if (counts.size > 0 && 2 * known < counts.size) {
		const missing = known === 0 ? `none of which is in ${map.name}` : `${counts.size - known} of which are not in ${map.name}`;
		throw unusable(
			source,
			`has ${counts.size} functions, ${missing}: the map is of another program, or the file is damaged`,
			'give the map that was written when this program was compiled',
		);
	}
	const builder = new FunctionTracesBuilder();
	const order: number[] = [];
	const collisions: { id: string; symbols: readonly string[] }[] = [];
	const sharedNames: { symbol: string; ran: number; inMap: number }[] = [];
	const isAppended = isWrittenTwice(map);
	for (const [id, count] of counts) {
		const symbols = map.symbols.get(id) ?? [];
		order.push(...symbols.map((symbol) => builder.functionNumber({ symbol })));
		if (symbols.length > 1) {
			collisions.push({ id: id.toString(16), symbols });
		}
		const [symbol] = symbols;
		const inMap = symbol === undefined ? 0 : (map.repeated.get(symbol) ?? 1);
		if (symbol !== undefined && (count > 1 || (inMap > 1 && !isAppended && isProbablyLocal(symbol)))) {
			sharedNames.push({ symbol, ran: count, inMap });
		}
	}
	builder.addTrace(source.name, 1, order);
	const unknownIds = counts.size - known;
	if (unknownIds > 0) {
		problem('error', `${unknownIds} of ${counts.size} functions are not in ${map.name}`, 'they are left out; give the map of this very build, whole');
	}
	if (collisions.length > 0) {
		const shown = collisions.slice(0, NAMES_SHOWN).map(({ id, symbols }) => `${id}: ${symbols.join(', ')}`);
		problem('warning', `${collisions.length} numbers stand for several symbols (${shown.join('; ')})`, 'all of these are given, though not all may have run');
	}
	if (sharedNames.length > 0) {
		const shown = sharedNames.slice(0, NAMES_SHOWN).map(({ symbol, ran, inMap }) => `${symbol} (${ran} of ${inMap} ran)`);
		problem(
			'warning',
			`functions of one name in several modules have one number: ${shown.join(', ')}${sharedNames.length > NAMES_SHOWN ? ` and ${sharedNames.length - NAMES_SHOWN} more` : ''}`,
			'each name is given once, where the first ran; assay order instrument tells them apart',
		);
	}
	if (isAppended) {
		problem(
			'warning',
			`most functions stand several times in ${map.name}: it was not removed before the program was built again`,
			'build with a new map to know which names are shared',
		);
	}
	const slots = Math.floor(source.sizeBytes / SLOT_BYTES);
	const isCut = source.sizeBytes % SLOT_BYTES !== 0 || (slots !== FILE_SLOTS && slots !== BUFFER_SLOTS);
	const isFull = usedSlots > 0 && !hasFreeSlot;
	if (isCut) {
		const size = `the file has ${source.sizeBytes} bytes, such files have ${FILE_SLOTS * SLOT_BYTES}`;
		if (isFull || usedSlots === 0) {
			problem('error', `${size}: it is cut`, `the ${usedSlots} functions before that are given; copy it again`);
		} else {
			problem('warning', size, 'its last places are empty, so that no function seems to be missing');
		}
	} else if (isFull) {
		problem(
			'warning',
			`all ${slots} places are used: functions that ran later are lost, and where more than ${BUFFER_SLOTS} ran, the first are`,
			'instrument with assay order instrument, which says what it lost',
		);
	} else if (lastUsed >= usedSlots) {
		problem(
			'error',
			`${lastUsed + 1 - usedSlots} empty places stand before used ones: the file is damaged, or was written while functions ran`,
			'the order is that of the places',
		);
	}
	if (usedSlots === 0 && !isCut) {
		problem('warning', 'holds no function', 'the program has to call __llvm_orderfile_dump before it ends');
	}
	return { ...builder.build(), problems, collisions, sharedNames, unknownIds, isTruncated: isFull };
}

/** Compilers append to the file: of a program that was built twice it has everything twice. */
function isWrittenTwice({ symbols, repeated }: ClangOrderMap): boolean {
	return symbols.size > 1 && repeated.size > symbols.size / 2 && repeated.has('main') === [...symbols.values()].some((names) => names.includes('main'));
}

interface Ids {
	/** How often each number is there, in order of first appearance. */
	readonly counts: ReadonlyMap<bigint, number>;
	readonly usedSlots: number;
	readonly lastUsed: number;
	readonly hasFreeSlot: boolean;
}

function countIds(source: Source): Ids {
	const counts = new Map<bigint, number>();
	let usedSlots = 0;
	let lastUsed = -1;
	const slots = Math.floor(source.sizeBytes / SLOT_BYTES);
	for (let start = 0; start < slots * SLOT_BYTES; start += CHUNK_BYTES) {
		const bytes = readRange(source, start, Math.min(start + CHUNK_BYTES, slots * SLOT_BYTES));
		const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		for (let at = 0; at + SLOT_BYTES <= view.byteLength; at += SLOT_BYTES) {
			const id = view.getBigUint64(at, true);
			if (id !== 0n) {
				counts.set(id, (counts.get(id) ?? 0) + 1);
				usedSlots++;
				lastUsed = (start + at) / SLOT_BYTES;
			}
		}
	}
	return { counts, usedSlots, lastUsed, hasFreeSlot: usedSlots < slots };
}

function reversed(id: bigint): bigint {
	const view = new DataView(new ArrayBuffer(SLOT_BYTES));
	view.setBigUint64(0, id, true);
	return view.getBigUint64(0, false);
}

function unusable(source: Source, message: string, action: string): InputError {
	return new InputError({ severity: 'error', file: source.name, message, action });
}

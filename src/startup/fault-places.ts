/** What the pages of all faults of a run were: code and data of which file, heap, stack. */
import { type FaultRecording, type FileMapping, mappingOf, type PageFault } from '../model/page-faults.js';
import type { CodeSection } from '../model/symbol-table.js';
import { linkedAddress } from './linked-address.js';
import { type FaultPlace, type FaultPlaces, WINDOW_BYTES } from './results.js';

/** Linux begins the heap so far above the program at most. */
const HEAP_REACH_BYTES = 2 ** 30;
/** A stack grows to so much, usually. */
const STACK_BYTES = 2 ** 23;

/** `code` is what is executable of the program, as linked; `isProgram` tells the program's own file among those that were mapped. */
export function faultPlaces({ faults, mappings }: FaultRecording, code: readonly CodeSection[], isProgram: (file: string) => boolean): FaultPlaces {
	const places = new Map<string, { kind: FaultPlace['kind']; file: string | null; faults: number; majorFaults: number }>();
	const windows = new Set<number>();
	let codeFaults = 0;
	let codeMajorFaults = 0;
	for (const fault of faults) {
		const { kind, file, linked } = placeOf(fault, mappings, code, isProgram);
		const key = `${kind} ${file ?? ''}`;
		const place = places.get(key) ?? { kind, file, faults: 0, majorFaults: 0 };
		places.set(key, place);
		place.faults++;
		place.majorFaults += fault.isMajor ? 1 : 0;
		if (linked !== null) {
			codeFaults++;
			codeMajorFaults += fault.isMajor ? 1 : 0;
			windows.add(Math.floor(linked / WINDOW_BYTES));
		}
	}
	return {
		codeFaults,
		codeMajorFaults,
		codeWindows64k: windows.size,
		places: [...places.values()].sort((a, b) => b.faults - a.faults),
	};
}

interface Place {
	readonly kind: FaultPlace['kind'];
	readonly file: string | null;
	/** Of the program's code: the address as linked. */
	readonly linked: number | null;
}

function placeOf(fault: PageFault, mappings: readonly FileMapping[], code: readonly CodeSection[], isProgram: (file: string) => boolean): Place {
	const mapping = mappingOf(mappings, fault);
	if (mapping === undefined) {
		return other(isStack(fault, mappings) ? 'stack' : 'unknown');
	}
	if (!mapping.file.startsWith('/') || mapping.file.startsWith('//')) {
		return ofNoFile(mapping, mappings, isProgram);
	}
	const { file } = mapping;
	if (!mapping.isExecutable) {
		return { kind: dataKind(fault, mapping, mappings), file, linked: null };
	}
	if (!isProgram(file)) {
		return { kind: 'code', file, linked: null };
	}
	const linked = linkedAddress(fault.address, mapping, code);
	return { kind: linked === null ? 'read-only data' : 'code', file, linked };
}

/** What is writable first, for relocations, and read-only for the rest of the run is called relro. */
function dataKind({ processId, address }: PageFault, { file }: FileMapping, mappings: readonly FileMapping[]): FaultPlace['kind'] {
	const own = mappings.filter((one) => one.processId === processId && one.file === file && address >= one.start && address < one.start + one.sizeBytes);
	if (!own.some(({ isWritable }) => isWritable === true)) {
		return 'read-only data';
	}
	return own.at(-1)?.isWritable === true ? 'data' : 'relro';
}

function ofNoFile(mapping: FileMapping, mappings: readonly FileMapping[], isProgram: (file: string) => boolean): Place {
	const { file, start, processId } = mapping;
	if (file === '[stack]' || file === '[heap]') {
		return other(file === '[stack]' ? 'stack' : 'heap');
	}
	if (file.startsWith('[')) {
		return { kind: 'kernel', file, linked: null };
	}
	const same = mappings.filter((one) => one.processId === processId && one.file.startsWith('/') && !one.file.startsWith('//'));
	const before = same.find((one) => one.isWritable === true && one.start + one.sizeBytes === start);
	if (before !== undefined) {
		return { kind: 'bss', file: before.file, linked: null };
	}
	const end = Math.max(...same.filter((one) => isProgram(one.file)).map((one) => one.start + one.sizeBytes));
	return other(start >= end && start < end + HEAP_REACH_BYTES ? 'heap' : 'anonymous');
}

function isStack({ processId, address }: PageFault, mappings: readonly FileMapping[]): boolean {
	return mappings.some((one) => one.processId === processId && one.file === '[stack]' && address < one.start && address >= one.start - STACK_BYTES);
}

function other(kind: FaultPlace['kind']): Place {
	return { kind, file: null, linked: null };
}

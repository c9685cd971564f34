/**
 * The text that order-file instrumentation puts into a module of LLVM IR, after the RFC "Order File Instrumentation" (llvm-dev, January 2019): a buffer that all
 * modules share, a bitmap for each module and an index. Differences to the RFC, all for the start-up of programs:
 * - the buffer keeps the first entries, as the first are what start-up is; a ring is an option;
 * - an entry is a pair of numbers, (module, function), not a hash of a name: equal static names stay apart;
 * - the bitmap has a byte a function: it costs the same two instructions as a bit, and no locked one so that threads lose no neighbour's mark.
 * Buffer and index are defined by the runtime, hidden: one copy a binary.
 *
 * ELF and Mach-O differ in the module's record (the section's name; of Mach-O the size of the buffer is in it) and in how a module brings a buffer of another
 * size: in a comdat with its end, or as a common symbol, of which a linker for Mach-O keeps the largest. There the end of the buffer is a constant of each module.
 */
import type { Linkage, OmissionReason } from '../model/order-map.js';

export const DEFAULT_BUFFER_ENTRIES = 131_072;
/** 2 GiB of buffer. */
export const MAX_BUFFER_ENTRIES = 2 ** 28;

export interface InstrumentationOptions {
	readonly bufferEntries: number;
	readonly isRing: boolean;
	readonly bitmap: 'byte' | 'bit';
}

/** The symbols and the section that the runtime knows too. */
const BUFFER = '__assay_order_buffer';
const HEADER = '__assay_order_header';
const END = '__assay_order_end';
const MODULE = '__assay_order_module';
const MODULES_SECTION = 'assay_order_modules';
/** Segment and section, of at most 16 characters each. */
const MACHO_MODULES_SECTION = '__DATA,__assay_modules';
/** Where the index is, in the header of a dump: kept as the address of the next slot, which saves nine bytes of code a function. */
const INDEX_OFFSET = 112;
const RECORD_BYTES = 24;
/** With the number of entries and four unused bytes. */
const MACHO_RECORD_BYTES = 32;
const FLAG_RING = 1;
const FLAG_BITS = 2;
/** The buffer begins and ends with a page, as it may be mapped to a file; the largest page of the usual machines. */
const PAGE_BYTES = 65_536;
/** Of all Apple systems; common symbols can be aligned to 32 KiB at most. */
const MACHO_PAGE_BYTES = 16_384;
const ENTRY_BYTES = 8;

/** The label behind a prologue. */
export const CONTINUATION = 'assay.order.cont';

/** What a choice needs to know of a function. */
export interface Candidate {
	readonly symbol: string;
	readonly linkage: Linkage;
	readonly allAttributes: ReadonlySet<string>;
	readonly annotations: readonly string[];
	readonly isResolver: boolean;
}

/** A function with one of these annotations is left out, or alone instrumented. */
const SKIP_ANNOTATION = 'assay_order_skip';

/** Why a function is left out; null: it is instrumented. */
export function whyOmitted(candidate: Candidate, only: (symbol: string) => boolean, skip: (symbol: string) => boolean): OmissionReason | null {
	const { symbol, linkage, allAttributes, annotations, isResolver } = candidate;
	if (linkage === 'available_externally') {
		return 'available_externally';
	}
	if (allAttributes.has('naked')) {
		return 'naked';
	}
	if (isResolver) {
		return 'ifunc-resolver';
	}
	if (allAttributes.has('noprofile') || allAttributes.has('skipprofile')) {
		return 'noprofile';
	}
	if (annotations.includes(SKIP_ANNOTATION)) {
		return 'annotated';
	}
	if (skip(symbol)) {
		return 'skipped';
	}
	return only(symbol) ? null : 'not-selected';
}

export interface ModuleToInstrument {
	readonly id: number;
	/** 16 hexadecimal digits. */
	readonly hash: string;
	readonly functionCount: number;
	readonly isBigEndian: boolean;
	/** Bits of an address. */
	readonly pointerBits: 32 | 64;
	/** Whether code of it is Mach-O; otherwise it is ELF. */
	readonly isMachO: boolean;
}

/** Declarations of the runtime's globals, and the module's own: its record with the bitmap behind it. */
export function globalsText(module: ModuleToInstrument, options: InstrumentationOptions): string {
	const { bufferEntries, isRing, bitmap } = options;
	const bitmapBytes = 8 * Math.ceil((bitmap === 'byte' ? module.functionCount : Math.ceil(module.functionCount / 8)) / 8);
	const flags = (isRing ? FLAG_RING : 0) | (bitmap === 'bit' ? FLAG_BITS : 0);
	const { isMachO } = module;
	const type = `{ i32, i32, i64, i32, i32, ${isMachO ? 'i32, i32, ' : ''}[${bitmapBytes} x i8] }`;
	const size = isMachO ? `i32 ${bufferEntries}, i32 0, ` : '';
	const record = `{ i32 ${module.id}, i32 ${module.functionCount}, i64 ${BigInt(`0x${module.hash}`)}, i32 ${recordBytes(module) + bitmapBytes}, i32 ${flags}, ${size}[${bitmapBytes} x i8] zeroinitializer }`;
	return [
		`@${HEADER} = external hidden global [128 x i8], align 8`,
		...(isMachO ? [machOBufferText(bufferEntries)] : bufferText(bufferEntries, module.pointerBits)),
		`@${MODULE} = internal global ${type} ${record}, section "${isMachO ? MACHO_MODULES_SECTION : MODULES_SECTION}", align 8`,
		'',
		'',
	].join('\n');
}

/**
 * The runtime has a buffer of the default size and weak definitions. A module that wants another size defines it, in one comdat with its
 * end: whichever copy the linker keeps, the end is that of its buffer.
 */
function bufferText(entries: number, pointerBits: number): string[] {
	const external = [`@${BUFFER} = external hidden global [0 x i64], align 8`, `@${END} = external hidden constant ptr, align ${pointerBits / 8}`];
	if (entries === DEFAULT_BUFFER_ENTRIES) {
		return external;
	}
	const end = `@${END} = hidden constant ptr getelementptr (i8, ptr @${BUFFER}, i64 ${entries * ENTRY_BYTES}), comdat, align ${pointerBits / 8}`;
	if (entries < DEFAULT_BUFFER_ENTRIES) {
		return [`$${END} = comdat any`, external[0]!, end];
	}
	const reserved = wholePages(entries, PAGE_BYTES);
	return [`$${END} = comdat any`, `@${BUFFER} = hidden global [${reserved} x i64] zeroinitializer, comdat($${END}), align ${PAGE_BYTES}`, end];
}

/** The runtime has a common symbol of the default size; of several the linker takes the largest. */
function machOBufferText(entries: number): string {
	return entries <= DEFAULT_BUFFER_ENTRIES
		? `@${BUFFER} = external hidden global [0 x i64], align 8`
		: `@${BUFFER} = common hidden global [${wholePages(entries, MACHO_PAGE_BYTES)} x i64] zeroinitializer, align ${MACHO_PAGE_BYTES}`;
}

/** As many entries or some more, so that pages are full. */
function wholePages(entries: number, pageBytes: number): number {
	const pageEntries = pageBytes / ENTRY_BYTES;
	return pageEntries * Math.ceil(entries / pageEntries);
}

function recordBytes({ isMachO }: ModuleToInstrument): number {
	return isMachO ? MACHO_RECORD_BYTES : RECORD_BYTES;
}

/** What function number `index` of the module begins with: marks it and logs it, if it has not run yet. */
export function prologueText(module: ModuleToInstrument, index: number, options: InstrumentationOptions): string {
	const isByte = options.bitmap === 'byte';
	const markOffset = recordBytes(module) + (isByte ? index : index >> 3);
	const mark = `getelementptr inbounds (i8, ptr @${MODULE}, i64 ${markOffset})`;
	const bit = 1 << (index & 7);
	// In memory the module comes first, in either byte order.
	const entry = module.isBigEndian ? (BigInt(module.id) << 32n) | BigInt(index) : (BigInt(index) << 32n) | BigInt(module.id);
	const n = (name: string): string => `%assay.order.${name}`;
	const test = isByte
		? [`  ${n('first')} = icmp eq i8 ${n('mark')}, 0`]
		: [`  ${n('bit')} = and i8 ${n('mark')}, ${bit}`, `  ${n('first')} = icmp eq i8 ${n('bit')}, 0`];
	const set = isByte ? [`  store i8 1, ptr ${mark}, align 1`] : [`  ${n('old')} = atomicrmw or ptr ${mark}, i8 ${bit} monotonic, align 1`];
	const word = `i${module.pointerBits}`;
	const buffer = `ptrtoint (ptr @${BUFFER} to ${word})`;
	const endOfBuffer = `ptrtoint (ptr getelementptr (i8, ptr @${BUFFER}, i64 ${options.bufferEntries * ENTRY_BYTES}) to ${word})`;
	const end = module.isMachO ? endOfBuffer : n('end');
	const store = (place: string): string[] => [`  store i64 ${BigInt.asIntN(64, entry)}, ptr ${place}, align 8`, `  br label %${CONTINUATION}`];
	const keepLast = [
		`  ${n('offset')} = sub ${word} ${n('slot')}, ${buffer}`,
		`  ${n('size')} = sub ${word} ${end}, ${buffer}`,
		`  ${n('turn')} = urem ${word} ${n('offset')}, ${n('size')}`,
		`  ${n('place')} = getelementptr i8, ptr @${BUFFER}, ${word} ${n('turn')}`,
		...store(n('place')),
	];
	const keepFirst = [
		`  ${n('fits')} = icmp ult ${word} ${n('slot')}, ${end}`,
		`  br i1 ${n('fits')}, label ${n('store')}, label %${CONTINUATION}`,
		'',
		'assay.order.store:',
		`  ${n('place')} = inttoptr ${word} ${n('slot')} to ptr`,
		...store(n('place')),
	];
	// No branch weights: the log stands in the function's line of code, which takes 10 bytes less than jumping out of it and back.
	return [
		`  ${n('mark')} = load i8, ptr ${mark}, align 1`,
		...test,
		`  br i1 ${n('first')}, label ${n('log')}, label %${CONTINUATION}`,
		'',
		'assay.order.log:',
		...set,
		`  ${n('slot')} = atomicrmw add ptr getelementptr inbounds (i8, ptr @${HEADER}, i64 ${INDEX_OFFSET}), ${word} ${ENTRY_BYTES} monotonic, align ${module.pointerBits / 8}`,
		...(module.isMachO ? [] : [`  ${n('end')} = load ${word}, ptr @${END}, align ${module.pointerBits / 8}`]),
		...(options.isRing ? keepLast : keepFirst),
		'',
		`${CONTINUATION}:`,
		'',
	].join('\n');
}

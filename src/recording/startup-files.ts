/**
 * Files that tell of a native program's start-up, told by their first bytes: traces of first executions, executed instructions, linked programs, maps of
 * instrumented builds. Some traces have no mark of their own; those count only where a program or a map that lies beside them confirms it.
 */
import { isClangOrderMap } from '../formats/clang-order-buffer/read-map.js';
import { isInstructionList } from '../formats/executed-instructions/read.js';
import { isFunctionList } from '../formats/function-list/read.js';
import { isLldMap } from '../formats/lld-map/read.js';
import { isIndexedProfile } from '../formats/llvm-profile/read-indexed.js';
import { isRawProfile } from '../formats/llvm-profile/read-raw.js';
import { isTextProfile } from '../formats/llvm-profile/read-text.js';
import { isTemporalTracesText } from '../formats/llvm-profile/read-traces-text.js';
import { isNmListing } from '../formats/nm-listing/read.js';
import { isOrderDump } from '../formats/order-dump/read.js';
import { isOrderMap } from '../formats/order-map/read.js';
import { isPerfOrder } from '../formats/perf-order/read.js';
import { isReadelfListing } from '../formats/readelf-listing/read.js';
import { isElf } from '../formats/shared/elf/read-symbols.js';
import { isUftraceText } from '../formats/uftrace/read-text.js';

/** The last three may be something else: lists of functions, buffers of clang, page faults by perf. */
export type StartupKind = 'program' | 'orderTrace' | 'instructionList' | 'orderMap' | 'functionList' | 'orderBuffer' | 'faultScript';

/** Of what begins with bytes that nothing else begins with. */
export function markedStartupKind(head: string): StartupKind | null {
	if (isElf(head)) {
		return isLinked(head) ? 'program' : null;
	}
	if (isOrderDump(Buffer.from(head.slice(0, MARK_BYTES), 'latin1')) || isRawProfile(head) || isIndexedProfile(head)) {
		return 'orderTrace';
	}
	return isOrderMap(head) || isClangOrderMap(head) ? 'orderMap' : null;
}

/** Of text that is of no JVM and no profiler. */
export function textStartupKind(head: string): StartupKind | null {
	if (head.includes('\0')) {
		return null;
	}
	const start = head.slice(0, LISTING_BYTES);
	if (isLldMap(start) || isReadelfListing(start) || isNmListing(start)) {
		return 'program';
	}
	if (isTemporalTracesText(start) || isTextProfile(start) || isUftraceText(start)) {
		return 'orderTrace';
	}
	return isSureInstructionList(start) ? 'instructionList' : null;
}

/** Of what has no mark: only what lies beside it tells. */
export function possibleStartupKind(head: string): StartupKind | null {
	if (isPageFaultScript(head)) {
		return 'faultScript';
	}
	if (isFunctionList(head.slice(0, LISTING_BYTES))) {
		return 'functionList';
	}
	return head.includes('\0') && head.length % BUFFER_SLOT_BYTES === 0 ? 'orderBuffer' : null;
}

/** What `perf script` prints of page faults: of a native program it tells which code ran first; of a JVM it is samples. */
export function isPageFaultScript(head: string): boolean {
	const start = head.slice(0, LISTING_BYTES);
	const events = [...start.matchAll(/\s([\w./-]+(?::[\w/-]+)*):\s+[0-9a-f]{4,16}(?=\s|$)/gm)].map(([, event = '']) => event);
	return events.length > 0 && events.every((event) => /^(?:page|minor|major)-faults(?::\w+)?$/.test(event)) && isPerfOrder(start);
}

const MARK_BYTES = 64;
const LISTING_BYTES = 1 << 16;
const BUFFER_SLOT_BYTES = 8;
/** ELF: byte order, then type. */
const DATA_OFFSET = 5;
const TYPE_OFFSET = 16;
const BIG_ENDIAN = 2;
const ET_EXEC = 2;
const ET_DYN = 3;

/** A program or a library; neither an object file nor a core. */
function isLinked(head: string): boolean {
	const isBig = head.charCodeAt(DATA_OFFSET) === BIG_ENDIAN;
	const type = head.charCodeAt(TYPE_OFFSET + (isBig ? 1 : 0));
	return type === ET_EXEC || type === ET_DYN;
}

const LEAST_LINES = 16;
const MOST_INSTRUCTION_BYTES = 15;

/** Two columns of numbers may be anything: addresses are long, and no instruction of x86-64 or AArch64 is longer than 15 bytes. */
function isSureInstructionList(head: string): boolean {
	if (!isInstructionList(head)) {
		return false;
	}
	const lines = head.split('\n', 200).slice(0, -1);
	if (lines.some((line) => line.startsWith('I  '))) {
		return true;
	}
	const sized = lines.map((line) => /^(?:0x)?[0-9a-f]{4,16} (\d{1,2})\r?$/.exec(line)?.[1]).filter((size) => size !== undefined);
	return sized.length >= LEAST_LINES && sized.every((size) => Number(size) > 0 && Number(size) <= MOST_INSTRUCTION_BYTES);
}

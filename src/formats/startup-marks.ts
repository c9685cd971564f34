/** How files of a native program's start-up are told where the reader's own rule is too weak: nobody said that these are such files. */

import { isInstructionList } from './executed-instructions/read.js';
import { isFunctionList } from './function-list/read.js';
import { isGnuMap } from './gnu-map/read.js';
import { isLd64Map } from './ld64-map/read.js';
import { isLldMap } from './lld-map/read.js';
import { isMoldMap } from './mold-map/read.js';
import { isOrderDump } from './order-dump/read.js';
import { isPerfOrder } from './perf-order/read.js';
import { isElf } from './shared/elf/read-symbols.js';

const MARK_BYTES = 64;
const LISTING_BYTES = 1 << 16;
const BUFFER_SLOT_BYTES = 8;
/** ELF: byte order, then type. */
const DATA_OFFSET = 5;
const TYPE_OFFSET = 16;
const BIG_ENDIAN = 2;
const ET_EXEC = 2;
const ET_DYN = 3;
const LEAST_LINES = 16;
const MOST_INSTRUCTION_BYTES = 15;

/** A program or a library; neither an object file nor a core. */
export function isLinkedElf(head: string): boolean {
	if (!isElf(head)) {
		return false;
	}
	const isBig = head.charCodeAt(DATA_OFFSET) === BIG_ENDIAN;
	const type = head.charCodeAt(TYPE_OFFSET + (isBig ? 1 : 0));
	return type === ET_EXEC || type === ET_DYN;
}

export function isDump(head: string): boolean {
	return isOrderDump(Buffer.from(head.slice(0, MARK_BYTES), 'latin1'));
}

/** What a linker writes of what it linked. */
export function isLinkMap(head: string): boolean {
	return isLldMap(head) || isMoldMap(head) || isGnuMap(head) || isLd64Map(head);
}

/** The same test on the first lines of a text. */
export function ofListing(is: (head: string) => boolean): (head: string) => boolean {
	return (head) => !head.includes('\0') && is(head.slice(0, LISTING_BYTES));
}

/** Two columns of numbers may be anything: addresses are long, and no instruction of x86-64 or AArch64 is longer than 15 bytes. */
export function isSurelyInstructionList(head: string): boolean {
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

/** What `perf script` prints of page faults: of a native program it tells which code ran first; of a JVM it is samples. */
export function isPageFaultScript(head: string): boolean {
	const start = head.slice(0, LISTING_BYTES);
	const events = [...start.matchAll(/\s([\w./-]+(?::[\w/-]+)*):\s+[0-9a-f]{4,16}(?=\s|$)/gm)].map(([, event = '']) => event);
	return events.length > 0 && events.every((event) => /^(?:page|minor|major)-faults(?::\w+)?$/.test(event)) && isPerfOrder(start);
}

export function mayBeFunctionList(head: string): boolean {
	return isFunctionList(head.slice(0, LISTING_BYTES));
}

/** Clang's buffers have no mark of their own. */
export function mayBeOrderBuffer(head: string): boolean {
	return head.includes('\0') && head.length % BUFFER_SLOT_BYTES === 0;
}

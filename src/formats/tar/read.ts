/**
 * Members of a tar archive (POSIX.1-2001 pax, ustar, GNU long names), each as a window into the archive: nothing is copied, nothing is written to the
 * disk. Only regular files are given; links, devices and sparse files are not.
 */
import { readRange, type Source } from '../../bytes/source.js';
import type { Problem } from '../../model/problem.js';

interface TarMember {
	/** As the archive has it; says nothing about where a file may be written. */
	readonly path: string;
	readonly source: Source;
}

export interface TarArchive {
	readonly members: readonly TarMember[];
	readonly problems: readonly Problem[];
}

const BLOCK = 512;
const MAX_MEMBERS = 20_000;
const MAX_NAME_BYTES = 1 << 20;

/** Whether the first bytes (Latin-1) are those of a tar archive. */
export function isTar(head: string): boolean {
	return head.length >= BLOCK && head.startsWith('ustar', 257);
}

/** Never throws on content. `source` has to stay open as long as members are read. */
export function readTar(source: Source): TarArchive {
	const members: TarMember[] = [];
	const problems: Problem[] = [];
	const complain = (offsetBytes: number, message: string, action: string): void => {
		problems.push({ severity: 'error', file: source.name, offsetBytes, message, action });
	};
	let longPath: string | null = null;
	for (let at = 0; at + BLOCK <= source.sizeBytes; ) {
		const header = readRange(source, at, at + BLOCK);
		if (header.every((byte) => byte === 0)) {
			break;
		}
		const size = numberIn(header, 124, 12);
		if (size === null || !isHeader(header)) {
			complain(at, 'expected the header of a member of a tar archive', 'what follows is left out');
			break;
		}
		const start = at + BLOCK;
		const end = Math.min(start + size, source.sizeBytes);
		const type = String.fromCharCode(header[156]!);
		if (type === 'L' || type === 'x') {
			const text = new TextDecoder().decode(readRange(source, start, Math.min(end, start + MAX_NAME_BYTES)));
			longPath = type === 'L' ? text.replace(/\0[\s\S]*/, '') : (paxPath(text) ?? longPath);
		} else {
			if (type === '0' || type === '\0' || type === '7') {
				if (members.length === MAX_MEMBERS) {
					complain(at, `it has more than ${MAX_MEMBERS} members`, 'the others are left out');
					break;
				}
				const path = longPath ?? pathIn(header);
				members.push({ path, source: part(source, `${source.name}/${path}`, start, end) });
				if (end < start + size) {
					complain(at, `the archive ends within its member ${path}`, 'what there is of it is read');
				}
			}
			longPath = type === 'g' ? longPath : null;
		}
		at = start + Math.ceil(size / BLOCK) * BLOCK;
	}
	return { members, problems };
}

/** The sum of its bytes, those of the sum itself counted as blanks, stands in the header. */
function isHeader(header: Uint8Array): boolean {
	const sum = header.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 0x20 : byte), 0);
	return numberIn(header, 148, 8) === sum;
}

function pathIn(header: Uint8Array): string {
	const name = textIn(header, 0, 100);
	const prefix = textIn(header, 257, 6) === 'ustar' ? textIn(header, 345, 155) : '';
	return prefix === '' ? name : `${prefix}/${name}`;
}

function textIn(header: Uint8Array, start: number, length: number): string {
	const field = header.subarray(start, start + length);
	const end = field.indexOf(0);
	return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end));
}

/** Octal digits, or 64 bits after a byte 0x80 (GNU); null for anything else. */
function numberIn(header: Uint8Array, start: number, length: number): number | null {
	if (header[start] === 0x80) {
		const value = header.subarray(start + 1, start + length).reduce((total, byte) => total * 256 + byte, 0);
		return Number.isSafeInteger(value) ? value : null;
	}
	const text = textIn(header, start, length).trim();
	return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : null;
}

/** Records are `30 path=a/b\n`, the number their length in bytes. */
function paxPath(text: string): string | null {
	return /^(?:\d+ [^=\n]*=[^\n]*\n)*?\d+ path=([^\n]*)\n/.exec(text)?.[1] ?? null;
}

function part(source: Source, name: string, start: number, end: number): Source {
	const sizeBytes = end - start;
	return {
		name,
		sizeBytes,
		read: (target, offset, length, position) =>
			position >= sizeBytes ? 0 : source.read(target, offset, Math.min(length, sizeBytes - position), start + position),
		close() {},
	};
}

/** Members of a static library (ar, GNU and BSD names; thin libraries name files beside them). Only what link-time optimization needs of it. */
import fs from 'node:fs';
import path from 'node:path';

interface ArchiveMember {
	readonly name: string;
	readonly read: () => Uint8Array;
}

const MAGIC = '!<arch>\n';
const THIN_MAGIC = '!<thin>\n';
const HEADER_BYTES = 60;

/** null: no static library, or a damaged one: it is left to the linker to say so. */
export function archiveMembers(file: string): ArchiveMember[] | null {
	const magic = headOf(file, 8).toString('latin1');
	if (magic !== MAGIC && magic !== THIN_MAGIC) {
		return null;
	}
	const bytes = fs.readFileSync(file);
	const isThin = magic === THIN_MAGIC;
	const members: ArchiveMember[] = [];
	let longNames = '';
	for (let at = MAGIC.length; at + HEADER_BYTES <= bytes.length; ) {
		const field = (start: number, end: number): string => bytes.toString('latin1', at + start, at + end).trimEnd();
		const size = Number(field(48, 58));
		if (!Number.isSafeInteger(size) || field(58, 60) !== '`') {
			return null;
		}
		const spelled = field(0, 16);
		const data = at + HEADER_BYTES;
		const isTable = spelled === '/' || spelled === '/SYM64/' || spelled === '__.SYMDEF' || spelled.startsWith('__.SYMDEF');
		if (spelled === '//') {
			longNames = bytes.toString('latin1', data, data + size);
		} else if (!isTable) {
			const long = /^\/(\d+)$/.exec(spelled);
			const bsd = /^#1\/(\d+)$/.exec(spelled);
			const nameBytes = bsd === null ? 0 : Number(bsd[1]);
			const [name = ''] =
				bsd !== null
					? [bytes.toString('latin1', data, data + nameBytes).replace(/(?<!\0)\0+$/, '')]
					: long !== null
						? longNames.slice(Number(long[1])).split('/\n', 1)
						: [spelled.replace(/\/$/, '')];
			const outside = path.resolve(path.dirname(file), name);
			members.push({ name, read: () => (isThin ? fs.readFileSync(outside) : bytes.subarray(data + nameBytes, data + size)) });
		}
		const stored = isThin && spelled !== '//' && !isTable ? 0 : size;
		at = data + stored + (stored & 1);
	}
	return members;
}

/** LLVM bitcode, bare or in its wrapper. */
export function isBitcode(head: Uint8Array): boolean {
	return (
		(head[0] === 0x42 && head[1] === 0x43 && head[2] === 0xc0 && head[3] === 0xde) ||
		(head[0] === 0xde && head[1] === 0xc0 && head[2] === 0x17 && head[3] === 0x0b)
	);
}

/** The first bytes of a file; none when it cannot be read. */
export function headOf(file: string, length: number): Buffer {
	const bytes = Buffer.alloc(length);
	try {
		const descriptor = fs.openSync(file, 'r');
		try {
			return bytes.subarray(0, fs.readSync(descriptor, bytes, 0, length, 0));
		} finally {
			fs.closeSync(descriptor);
		}
	} catch {
		return bytes.subarray(0, 0);
	}
}

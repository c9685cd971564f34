/** Builds small ELF files: what a test wants to have in one, in either class and byte order. */

interface ElfSymbolSpec {
	readonly name: string;
	/** From the start of the section. */
	readonly offset: number;
	readonly size?: number;
	/** STT_*: 2 is a function, 4 a file. */
	readonly type?: number;
	readonly isLocal?: boolean;
	/** Index of a section in the file; 1 by default. */
	readonly section?: number;
	/** STB_*, in place of local or global. */
	readonly binding?: number;
	/** STV_* */
	readonly visibility?: number;
}

export interface ElfSpec {
	readonly is64?: boolean;
	readonly isLittle?: boolean;
	readonly machine?: number;
	/** 2 is an executable, 3 a PIE or a library. */
	readonly type?: number;
	/** Where it is entered; 0 for none. */
	readonly entry?: number;
	/** The first is section 1. */
	readonly sections: readonly {
		readonly name: string;
		readonly address: number;
		readonly bytes: Uint8Array;
		readonly flags?: number;
		readonly alignment?: number;
		/** SHT_*: 1 by default. */
		readonly kind?: number;
		/** Index of the section that it refers to; the symbol table is behind all that are given, its strings behind that. */
		readonly link?: number;
		readonly entryBytes?: number;
	}[];
	readonly symbols: readonly ElfSymbolSpec[];
	/** Name of the symbol table. */
	readonly symbolTable?: '.symtab' | '.dynsym';
}

const EXECUTABLE = 6;

export function elfFile({
	is64 = true,
	isLittle = true,
	machine = 62,
	type = 2,
	entry: entered = 0,
	sections,
	symbols,
	symbolTable = '.symtab',
}: ElfSpec): Buffer {
	const strings = stringTable(symbols.map(({ name }) => name));
	const names = stringTable([...sections.map(({ name }) => name), symbolTable, '.strtab', '.shstrtab']);
	const entryBytes = is64 ? 24 : 16;
	const symbolBytes = Buffer.alloc((symbols.length + 1) * entryBytes);
	symbols.forEach(({ name, offset, size = 0, type: kind = 2, isLocal = false, section = 1, binding = isLocal ? 0 : 1, visibility = 0 }, i) => {
		const put = putter(symbolBytes, (i + 1) * entryBytes, isLittle);
		const address = (sections[section - 1]?.address ?? 0) + offset;
		const info = 16 * binding + kind;
		const index = kind === 4 ? 0xfff1 : section;
		if (is64) {
			put([4, strings.offsets.get(name) ?? 0], [1, info], [1, visibility], [2, index], [8, address], [8, size]);
		} else {
			put([4, strings.offsets.get(name) ?? 0], [4, address], [4, size], [1, info], [1, visibility], [2, index]);
		}
	});
	const stringIndex = sections.length + 2;
	const rows = [
		{ name: '', kind: 0, flags: 0, address: 0, bytes: Buffer.alloc(0), link: 0, alignment: 0, entry: 0 },
		...sections.map(({ name, address, bytes, flags = EXECUTABLE, alignment = 16, kind = 1, link = 0, entryBytes: entry = 0 }) => ({
			name,
			kind,
			flags,
			address,
			bytes,
			link,
			alignment,
			entry,
		})),
		{
			name: symbolTable,
			kind: symbolTable === '.symtab' ? 2 : 11,
			flags: 0,
			address: 0,
			bytes: symbolBytes,
			link: stringIndex,
			alignment: 8,
			entry: entryBytes,
		},
		{ name: '.strtab', kind: 3, flags: 0, address: 0, bytes: strings.bytes, link: 0, alignment: 1, entry: 0 },
		{ name: '.shstrtab', kind: 3, flags: 0, address: 0, bytes: names.bytes, link: 0, alignment: 1, entry: 0 },
	];
	const headBytes = is64 ? 64 : 52;
	const rowBytes = is64 ? 64 : 40;
	let offset = headBytes + rows.length * rowBytes;
	const headers = Buffer.alloc(rows.length * rowBytes);
	const word = is64 ? 8 : 4;
	rows.forEach(({ name, kind, flags, address, bytes, link, alignment, entry }, i) => {
		const put = putter(headers, i * rowBytes, isLittle);
		put(
			[4, names.offsets.get(name) ?? 0],
			[4, kind],
			[word, flags],
			[word, address],
			[word, offset],
			[word, bytes.length],
			[4, link],
			[4, 0],
			[word, alignment],
			[word, entry],
		);
		offset += bytes.length;
	});
	const head = Buffer.alloc(headBytes);
	head.set([0x7f, 0x45, 0x4c, 0x46, is64 ? 2 : 1, isLittle ? 1 : 2, 1]);
	putter(head, 16, isLittle)(
		[2, type],
		[2, machine],
		[4, 1],
		[word, entered],
		[word, 0],
		[word, headBytes],
		[4, 0],
		[2, headBytes],
		[2, 0],
		[2, 0],
		[2, rowBytes],
		[2, rows.length],
		[2, rows.length - 1],
	);
	return Buffer.concat([head, headers, ...rows.map(({ bytes }) => Buffer.from(bytes))]);
}

function putter(buffer: Buffer, start: number, isLittle: boolean): (...fields: (readonly [number, number])[]) => void {
	let at = start;
	return (...fields) => {
		for (const [bytes, value] of fields) {
			for (let i = 0; i < bytes; i++) {
				buffer[at + (isLittle ? i : bytes - 1 - i)] = Math.floor(value / 256 ** i) % 256;
			}
			at += bytes;
		}
	};
}

function stringTable(texts: readonly string[]): { bytes: Buffer; offsets: Map<string, number> } {
	const offsets = new Map<string, number>();
	let text = '\0';
	for (const one of texts) {
		offsets.set(one, Buffer.byteLength(text));
		text += `${one}\0`;
	}
	return { bytes: Buffer.from(text), offsets };
}

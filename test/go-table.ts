/** The table of functions that programs in Go have (`.gopclntab`), in the forms of its versions. */

/** Where the code of the programs begins. */
export const GO_TEXT = 0x401000;
const MAGICS = { '1.2': 0xfffffffb, '1.16': 0xfffffffa, '1.18': 0xfffffff0, '1.20': 0xfffffff1 } as const;
export type GoVersion = keyof typeof MAGICS;
const GO_FUNCTIONS = [
	// How deep the stack is: changes, and for how many bytes of code.
	{ name: 'runtime.memmove', length: 32, depths: [2, 32] },
	{ name: 'main.work[...]', length: 16, depths: [2, 4, 48, 10, 47, 2] },
	{ name: 'main.main', length: 48, depths: [2, 8, 0xb0, 9, 40] },
];

export interface GoTableSpec {
	readonly version: GoVersion;
	readonly pointerBytes?: 4 | 8;
	/** What the table says; 0 where it does not. */
	readonly textStart?: number;
}

export function goTable({ version, pointerBytes = 8, textStart = GO_TEXT }: GoTableSpec): Buffer {
	const isRelative = version === '1.18' || version === '1.20';
	const entryBytes = isRelative ? 4 : pointerBytes;
	const words = { '1.2': 1, '1.16': 7, '1.18': 8, '1.20': 8 }[version];
	const put = (bytes: Buffer, at: number, value: number, size: number): void => {
		bytes.writeUIntLE(value, at, Math.min(6, size));
	};
	const names = Buffer.from(`\0${GO_FUNCTIONS.map(({ name }) => `${name}\0`).join('')}`);
	const head = Buffer.alloc(8 + words * pointerBytes);
	head.writeUInt32LE(MAGICS[version]);
	head.set([0, 0, 1, pointerBytes], 4);
	put(head, 8, GO_FUNCTIONS.length, pointerBytes);
	const table = Buffer.alloc((2 * GO_FUNCTIONS.length + 1) * entryBytes);
	const descriptionBytes = (isRelative ? 4 : pointerBytes) + 16;
	const descriptions = Buffer.alloc(GO_FUNCTIONS.length * descriptionBytes);
	// Offsets count from the table of functions, of Go 1.2 from the beginning of all.
	const base = version === '1.2' ? head.length : 0;
	const namesAt = head.length + table.length + descriptions.length;
	const depthsAt = namesAt + names.length;
	const depths = Buffer.from([0, ...GO_FUNCTIONS.flatMap((one) => [...one.depths, 0])]);
	let depthAt = 1;
	let address = isRelative ? 0 : GO_TEXT;
	let nameAt = 1;
	GO_FUNCTIONS.forEach(({ name, length, depths: own }, i) => {
		const description = i * descriptionBytes + descriptionBytes - 16;
		put(table, 2 * i * entryBytes, address, entryBytes);
		put(table, (2 * i + 1) * entryBytes, base + table.length + i * descriptionBytes, entryBytes);
		put(descriptions, i * descriptionBytes, address, descriptionBytes - 16);
		descriptions.writeUInt32LE(version === '1.2' ? namesAt + nameAt : nameAt, description);
		descriptions.writeUInt32LE(version === '1.2' ? depthsAt + depthAt : depthAt, description + 12);
		depthAt += own.length + 1;
		nameAt += name.length + 1;
		address += length;
	});
	put(table, table.length - entryBytes, address, entryBytes);
	const field = (index: number, value: number): void => put(head, 8 + index * pointerBytes, value, pointerBytes);
	if (version === '1.16') {
		field(2, namesAt);
		field(5, depthsAt);
		field(6, head.length);
	} else if (isRelative) {
		field(2, textStart);
		field(3, namesAt);
		field(6, depthsAt);
		field(7, head.length);
	}
	return Buffer.concat([head, table, descriptions, names, depths, Buffer.alloc(64)]);
}

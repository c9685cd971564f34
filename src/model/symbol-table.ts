/** What a symbol table tells of a linked program: where each function lies. From an ELF file, or from the listing of nm, readelf or a linker. */

/** A section of the linked file. Addresses and sizes are in bytes. */
export interface OutputSection {
	readonly name: string;
	readonly address: number;
	readonly sizeBytes: number;
	readonly alignment: number;
	readonly isExecutable: boolean;
	/** Where it lies in the file; null where it is not told. */
	readonly fileOffset: number | null;
}

/** An output section of code. */
export type CodeSection = Pick<OutputSection, 'name' | 'address' | 'sizeBytes' | 'alignment' | 'fileOffset'>;

/** What is executable, by address. */
export function codeSections(sections: readonly OutputSection[]): CodeSection[] {
	return sections
		.filter(({ isExecutable, sizeBytes }) => isExecutable && sizeBytes > 0)
		.map(({ name, address, sizeBytes, alignment, fileOffset }) => ({ name, address, sizeBytes, alignment, fileOffset }))
		.sort((a, b) => a.address - b.address);
}

/** A section of an object file and where the linker put it: only a link map tells. */
export interface PlacedInputSection {
	/** `alter.o:(.text.renameTestSchema)` */
	readonly name: string;
	readonly address: number;
	readonly sizeBytes: number;
	readonly alignment: number;
	/** Index in {@link SymbolTable.sections}. */
	readonly section: number;
}

/** Symbols as columns: programs have hundreds of thousands. */
export interface SymbolColumns {
	readonly names: string[];
	readonly addresses: Float64Array;
	/** 0 where the producer knew none: hand-written assembly, start-up code. */
	readonly sizes: Float64Array;
	/** Index in {@link SymbolTable.sections}, -1 where the listing does not tell sections. */
	readonly sections: Int32Array;
	/** 1 for a symbol that other object files do not see (`static`). */
	readonly isLocal: Uint8Array;
	/** Source file of a local symbol, as far as it is told. */
	readonly files: readonly (string | null)[];
}

type SymbolTableKind = 'elf' | 'nm' | 'readelf' | 'lld-map' | 'ld64-map' | 'mold-map' | 'gnu-map';

/** Where the functions and sections of a linked program lie. */
export interface SymbolTable {
	readonly kind: SymbolTableKind;
	/** The file, as the user named it. */
	readonly name: string;
	/** As `EM_X86_64` without `EM_`: `X86_64`, `AARCH64`; null where it is not told. */
	readonly machine: string | null;
	/** Of a Mach-O program its architecture, as its linker calls it: `arm64`, `x86_64`. Left out: an ELF program, or not told. */
	readonly machOArchitecture?: string;
	/** Whether the program's address is chosen when it is started (PIE, shared library); null where it is not told. */
	readonly isRelocatable: boolean | null;
	/** The address that the program is entered at; null where it is not told. */
	readonly entry: number | null;
	/** Empty where the listing does not tell sections. */
	readonly sections: readonly OutputSection[];
	/** Of the code: defined symbols in executable sections; other symbols are left out. */
	readonly symbols: SymbolColumns;
	/** Of a link map, by address; null of other kinds. */
	readonly inputSections: readonly PlacedInputSection[] | null;
	/** Bytes of code at an address, as many as there are; null where there is no code. The file has to be open. */
	readonly readCode: ((address: number, lengthBytes: number) => Uint8Array) | null;
}

/** Collects symbols one by one. */
export class SymbolCollector {
	private readonly names: string[] = [];
	private readonly addresses: number[] = [];
	private readonly sizes: number[] = [];
	private readonly sections: number[] = [];
	private readonly isLocal: number[] = [];
	private readonly files: (string | null)[] = [];

	get count(): number {
		return this.names.length;
	}

	add(name: string, address: number, sizeBytes: number, section: number, isLocal: boolean, file: string | null): void {
		this.names.push(name);
		this.addresses.push(address);
		this.sizes.push(sizeBytes);
		this.sections.push(section);
		this.isLocal.push(isLocal ? 1 : 0);
		this.files.push(file);
	}

	columns(): SymbolColumns {
		return {
			names: this.names,
			addresses: Float64Array.from(this.addresses),
			sizes: Float64Array.from(this.sizes),
			sections: Int32Array.from(this.sections),
			isLocal: Uint8Array.from(this.isLocal),
			files: this.files,
		};
	}
}

/** Names that mark code and data for disassemblers (ELF for Arm and RISC-V): no functions. */
export function isMappingSymbol(name: string): boolean {
	return name.charCodeAt(0) === 0x24 && /^\$[adtx](?:\.|$)|^\$xrv/.test(name);
}

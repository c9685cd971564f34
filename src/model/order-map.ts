/** Which function has which number in an instrumented program: assay's map of an order dump (docs/order-formats.md). */

/** Linkage as LLVM IR spells it; a definition without a word is `external`. */
export type Linkage =
	| 'external'
	| 'internal'
	| 'private'
	| 'weak'
	| 'weak_odr'
	| 'linkonce'
	| 'linkonce_odr'
	| 'available_externally'
	| 'extern_weak'
	| 'common';

export interface OrderMapFunction {
	/** The name that the linker sees: mangled, without the mark `\01`; of Mach-O with the underscore that most names have in front. */
	readonly symbol: string;
	readonly linkage: Linkage;
	/** The comdat it is in, when that is not its own name. */
	readonly comdat: string | null;
	/** Source file and line of the definition, where the module has debug information. */
	readonly file: string | null;
	readonly line: number | null;
}

/** A function that was not instrumented, and why: a word of {@link OmissionReason} or what the user asked for. */
export interface OmittedFunction {
	readonly symbol: string;
	readonly reason: OmissionReason;
}

export type OmissionReason = 'available_externally' | 'naked' | 'ifunc-resolver' | 'noprofile' | 'annotated' | 'not-selected' | 'skipped';

export interface OrderMapModule {
	/** 32 bits, never 0; made of {@link name}, so the same in every build. */
	readonly id: number;
	/** What tells the module from others: its `source_filename`, made unique where several have the same. */
	readonly name: string;
	/** `source_filename` of the module. */
	readonly source: string;
	/** Hash of the module's IR and of what was instrumented: 16 hexadecimal digits. */
	readonly hash: string;
	/** Whether its code is Mach-O; otherwise it is ELF. */
	readonly isMachO?: boolean;
	/** The number of a function is its index. */
	readonly functions: readonly OrderMapFunction[];
	readonly omitted: readonly OmittedFunction[];
}

export interface OrderMap {
	/** {@link combineHashes} of the modules' hashes. */
	readonly buildId: string;
	readonly bufferEntries: number;
	readonly isRing: boolean;
	readonly modules: readonly OrderMapModule[];
}

/** The identity of a build: the sum of its modules' hashes, modulo 2^64; 16 hexadecimal digits. The order of modules does not matter. */
export function combineHashes(hashes: Iterable<string>): string {
	let sum = 0n;
	for (const hash of hashes) {
		sum += BigInt(`0x${hash}`);
	}
	return (sum & 0xffff_ffff_ffff_ffffn).toString(16).padStart(16, '0');
}

/** Whether a symbol of this linkage is local to its module: the linker may have several of its name. */
export function isLocalLinkage(linkage: Linkage): boolean {
	return linkage === 'internal' || linkage === 'private';
}

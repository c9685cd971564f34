/**
 * The kinds of evidence that files may hold of a run. This table is their only list: finder, doctor, report, page, library and JSON are made from it, or are a
 * `Record` over it, so that the compiler names what a new kind lacks.
 */

interface EvidenceDescription {
	/** In the report's line of evidence. */
	readonly words: string;
	/** On the page: what it is called, what is counted, and whether a recording of a JVM without it misses something. */
	readonly chip: { readonly name: string; readonly what: string; readonly isMissed: boolean };
	/** Whether the report says so where it is not there. */
	readonly isExpected: boolean;
}

/** In the order of JSON; a report names those first that it expects. */
export const EVIDENCE = {
	logCompilation: { words: 'LogCompilation', chip: { name: 'decisions', what: 'LogCompilation', isMissed: true }, isExpected: true },
	assembly: { words: 'assembly', chip: { name: 'code', what: 'printed', isMissed: true }, isExpected: true },
	samples: { words: 'samples', chip: { name: 'samples', what: '', isMissed: true }, isExpected: true },
	stacks: { words: 'stacks', chip: { name: 'stacks', what: '', isMissed: true }, isExpected: false },
	graalLog: { words: 'Graal log', chip: { name: 'Graal decisions', what: 'optimization log', isMissed: false }, isExpected: false },
	proftoolProfile: { words: 'proftool profile', chip: { name: 'profile', what: 'proftool', isMissed: false }, isExpected: false },
	safepoints: { words: 'safepoints', chip: { name: 'safepoints', what: '', isMissed: true }, isExpected: true },
	compilerMemory: { words: 'compiler memory', chip: { name: 'compiler memory', what: '', isMissed: true }, isExpected: true },
	deoptimizations: { words: 'deoptimizations', chip: { name: 'deoptimizations', what: '', isMissed: false }, isExpected: false },
	flightRecorder: { words: 'Flight Recorder', chip: { name: 'decisions', what: 'Flight Recorder', isMissed: false }, isExpected: false },
	printCompilation: { words: 'PrintCompilation', chip: { name: 'PrintCompilation', what: '', isMissed: false }, isExpected: false },
	jitdump: { words: 'jitdump', chip: { name: 'code', what: 'jitdump', isMissed: false }, isExpected: false },
	perfMap: { words: 'perf map', chip: { name: 'perf map', what: '', isMissed: false }, isExpected: false },
	orderTraces: { words: 'order traces', chip: { name: 'order traces', what: 'functions that ran', isMissed: false }, isExpected: false },
} as const satisfies Record<string, EvidenceDescription>;

/** What files may tell of a run; new kinds may come. */
export type EvidenceKind = keyof typeof EVIDENCE;

export const EVIDENCE_KINDS: readonly EvidenceKind[] = Object.keys(EVIDENCE).map((kind) => kind as EvidenceKind);

/** What only a JVM, or a tool that looks into one, writes. */
const KINDS_OF_JVM: readonly EvidenceKind[] = [
	'logCompilation',
	'assembly',
	'graalLog',
	'proftoolProfile',
	'safepoints',
	'compilerMemory',
	'deoptimizations',
	'flightRecorder',
	'printCompilation',
];

/** Whether the code is that of another JIT compiler than a JVM's: of such a run nothing of a JVM is missing. */
export function isOfOtherJit(isPresent: (kind: EvidenceKind) => boolean): boolean {
	return isPresent('jitdump') && !KINDS_OF_JVM.some(isPresent);
}

/** What is no evidence by itself, and explains some. */
const SUPPORTING_KINDS = [
	/** What `assay record` noted: clocks, window, command. */
	'manifest',
	/** The log of assay's agent: code, which is counted as assembly. */
	'agentLog',
	/** Functions of programs, libraries and the kernel that samples lie in. */
	'nativeSymbols',
	/** -XX:+PrintInlining. */
	'printInlining',
	/** Executed instructions of a native program. */
	'instructionList',
	/** Linked programs: ELF files, and listings of them. */
	'program',
	/** Of instrumented builds. */
	'orderMap',
	/** Text that may list functions in the order of their first execution, if they are those of a program. */
	'functionList',
	/** Bytes that may be a buffer of clang's order-file instrumentation, if a map explains them. */
	'orderBuffer',
	/** Page faults by perf: among the samples too where they can be such. */
	'faultScript',
] as const;

/** What a file may be looked into for. */
export type FileKind = EvidenceKind | (typeof SUPPORTING_KINDS)[number];

const FILE_KINDS: readonly FileKind[] = [...EVIDENCE_KINDS, ...SUPPORTING_KINDS];

/** An object with a value for each kind. */
export function byFileKind<T>(value: (kind: FileKind) => T): Record<FileKind, T> {
	return Object.fromEntries(FILE_KINDS.map((kind) => [kind, value(kind)])) as Record<FileKind, T>;
}

export function byEvidenceKind<T>(value: (kind: EvidenceKind) => T): Record<EvidenceKind, T> {
	return Object.fromEntries(EVIDENCE_KINDS.map((kind) => [kind, value(kind)])) as Record<EvidenceKind, T>;
}

/** Whether a kind of evidence is there, in which files, and how much of it. */
export interface EvidenceOfKind {
	readonly present: boolean;
	readonly files: readonly string[];
	/** Compilations, printed pieces of code, samples, safepoints, … that were read; of order traces the functions that ran, summed over the traces. */
	readonly records: number;
}

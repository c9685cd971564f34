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
	/** Whether only a JVM, or a tool that looks into one, writes it. */
	readonly isOfJvm: boolean;
	/** Whether it lists what compilers did. */
	readonly tellsCompilations: boolean;
}

const JVM = { isOfJvm: true, tellsCompilations: false } as const;
const COMPILERS = { isOfJvm: true, tellsCompilations: true } as const;
const NATIVE_COMPILERS = { isOfJvm: false, tellsCompilations: true } as const;
const ANY = { isOfJvm: false, tellsCompilations: false } as const;

/** In the order of JSON; a report names those first that it expects. */
export const EVIDENCE = {
	logCompilation: { words: 'LogCompilation', chip: { name: 'decisions', what: 'LogCompilation', isMissed: true }, isExpected: true, ...COMPILERS },
	assembly: { words: 'assembly', chip: { name: 'code', what: '', isMissed: true }, isExpected: true, ...JVM },
	samples: { words: 'samples', chip: { name: 'samples', what: '', isMissed: true }, isExpected: true, ...ANY },
	stacks: { words: 'stacks', chip: { name: 'stacks', what: '', isMissed: true }, isExpected: false, ...ANY },
	graalLog: { words: 'Graal log', chip: { name: 'Graal decisions', what: 'optimization log', isMissed: false }, isExpected: false, ...JVM },
	proftoolProfile: { words: 'proftool profile', chip: { name: 'profile', what: 'proftool', isMissed: false }, isExpected: false, ...JVM },
	safepoints: { words: 'safepoints', chip: { name: 'safepoints', what: '', isMissed: true }, isExpected: true, ...JVM },
	compilerMemory: { words: 'compiler memory', chip: { name: 'compiler memory', what: '', isMissed: true }, isExpected: true, ...JVM },
	deoptimizations: { words: 'deoptimizations', chip: { name: 'deoptimizations', what: '', isMissed: false }, isExpected: false, ...JVM },
	flightRecorder: { words: 'Flight Recorder', chip: { name: 'decisions', what: 'Flight Recorder', isMissed: false }, isExpected: false, ...COMPILERS },
	printCompilation: { words: 'PrintCompilation', chip: { name: 'PrintCompilation', what: '', isMissed: false }, isExpected: false, ...COMPILERS },
	jitdump: { words: 'jitdump', chip: { name: 'code', what: 'jitdump', isMissed: false }, isExpected: false, ...ANY },
	remarks: {
		words: 'optimization remarks',
		chip: { name: 'decisions', what: 'optimization remarks', isMissed: false },
		isExpected: false,
		...NATIVE_COMPILERS,
	},
	executables: { words: 'executables', chip: { name: 'code', what: 'of executables', isMissed: false }, isExpected: false, ...ANY },
	perfMap: { words: 'perf map', chip: { name: 'perf map', what: '', isMissed: false }, isExpected: false, ...ANY },
	orderTraces: { words: 'order traces', chip: { name: 'order traces', what: 'functions that ran', isMissed: false }, isExpected: false, ...ANY },
} as const satisfies Record<string, EvidenceDescription>;

/** What files may tell of a run; new kinds may come. */
export type EvidenceKind = keyof typeof EVIDENCE;

export const EVIDENCE_KINDS: readonly EvidenceKind[] = Object.keys(EVIDENCE).map((kind) => kind as EvidenceKind);

/** What lists compilations. */
export type CompilationOrigin = { [Kind in EvidenceKind]: (typeof EVIDENCE)[Kind]['tellsCompilations'] extends true ? Kind : never }[EvidenceKind];

export function tellsCompilations(kind: EvidenceKind): kind is CompilationOrigin {
	return EVIDENCE[kind].tellsCompilations;
}

/** Whether the code is that of other compilers than a JVM's: of such a run nothing of a JVM is missing. */
export function isOfOtherJit(isPresent: (kind: EvidenceKind) => boolean): boolean {
	return (isPresent('jitdump') || isPresent('executables')) && !EVIDENCE_KINDS.some((kind) => EVIDENCE[kind].isOfJvm && isPresent(kind));
}

/** Whether all that there is are traces of native programs. */
export function isStartupOnly(evidence: Readonly<Record<EvidenceKind, Pick<EvidenceOfKind, 'present'>>>): boolean {
	return EVIDENCE_KINDS.every((kind) => evidence[kind].present === (kind === 'orderTraces'));
}

/** What is no evidence by itself, and explains some. */
const SUPPORTING_KINDS = [
	/** What `assay record` noted: clocks, window, command. */
	'manifest',
	/** The log of assay's agent: code, which is counted as assembly. */
	'agentLog',
	/** Functions of programs, libraries and the kernel that samples lie in. */
	'nativeSymbols',
	/** When samples began whose times count from there. */
	'samplesStart',
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

/** What a row of the registry says of a file format. */
import type { Source } from '../bytes/source.js';
import type { ZstdStream } from '../bytes/zstd-stream.js';
import type { FileKind } from '../model/evidence.js';
import type { ReadTraces, TraceFormat } from '../model/function-trace.js';
import type { NativeSymbols } from '../model/native-symbols.js';
import type { ObservedCalls, ObservedFile, ObservedFormat } from '../model/observed-profile.js';
import type { FileMapping } from '../model/page-faults.js';
import type { Problem } from '../model/problem.js';
import type { DetailsWanted, SampleDetails, Samples } from '../model/samples.js';
import type { SymbolTable } from '../model/symbol-table.js';
import type { UnwindTables } from '../model/unwinding.js';
import type { WholeStacks } from '../model/whole-stacks.js';

/** How JMH's report counts samples of a format, and what messages call it. */
export type SamplesFormat = 'perf' | 'dtrace' | 'xctrace' | 'xperf' | 'async-profiler';

export interface ReadSamples {
	readonly samples: Samples;
	readonly problems: readonly Problem[];
}

/** What a reader of samples may need beside the file. */
export interface SampleHelp {
	/** Where symbols are looked up. */
	readonly symbols: NativeSymbols;
	/** Opens a Zstandard stream; null: what is compressed cannot be read. */
	readonly openZstd: (() => ZstdStream) | null;
	/** How copied stacks are unwound; left out: they are not. */
	readonly tables?: UnwindTables;
}

/** Stacks or shares that another profiler wrote. */
export interface ReadProfile {
	readonly file: Omit<ObservedFile, 'format'>;
	/** Of formats whose stacks are not in `file`; null: it has innermost methods only. */
	/** Whole stacks by thread, for those who ask for them while the file is open. */
	readonly calls?: () => readonly ObservedCalls[];
	readonly wholeStacks?: WholeStacks | null;
	readonly problems: readonly Problem[];
}

/**
 * Where a format may stand.
 * `file`: the whole file, which is nothing else. `output`: between anything that a program printed, any number of these together. `text`: the whole of a text in
 * which nothing of these stands. `anywhere`: in any text, and only reading it tells. `weak`: told only by what lies beside it.
 */
type FormatPlace = 'file' | 'output' | 'text' | 'anywhere' | 'weak';

export interface Format {
	/** The kind of the file in `assay doctor --json`; several rows may share one. */
	readonly name: string;
	/** The same in words, at most 30 columns. */
	readonly title: string;
	/** What a file of it is looked into for. */
	readonly kinds: readonly FileKind[];
	readonly place: FormatPlace;
	/** Whether the first bytes of a file, as Latin-1 text, are of this format. Never throws; time linear in the text. */
	readonly is: (head: string) => boolean;
	/** Told by its name, whatever it holds. */
	readonly isNamed?: (baseName: string, head: string) => boolean;
	/** Formats of whole files, by name, in which it may stand too. */
	readonly alongside?: readonly string[];
	/** What its lines hold: how it is found behind any amount of other output. */
	readonly marks?: readonly string[];
	/** The flag or command that gives it. */
	readonly flag?: string;
	/** Reader of samples with program counters. */
	readonly samples?: {
		readonly format: SamplesFormat;
		/** Symbols have to be looked up elsewhere. */
		readonly hasAddressesOnly?: boolean;
		readonly read: (source: Source, wanted: DetailsWanted, help: SampleHelp) => Partial<SampleDetails> & ReadSamples;
	};
	/** Reader of what another profiler said: stacks without program counters, or shares. */
	readonly stacks?: {
		readonly format: ObservedFormat;
		/** What it is called in messages: `a recording of Flight Recorder`. */
		readonly words: string;
		/** Of a file that a user names as a profile; without it `is`. */
		readonly isLikely?: (head: string) => boolean;
		readonly read: (source: Source, withWholeStacks: boolean) => ReadProfile;
	};
	/** Reader of the order in which functions ran; `symbols` are those of the program, if the user named it, `mappings` of the memory map beside the file. */
	readonly traces?: {
		readonly words: TraceFormat;
		/** Of a file that a user names as a trace; without it `is`. */
		readonly isLikely?: (head: string) => boolean;
		readonly read: (source: Source, symbols: SymbolTable | null, mappings?: readonly FileMapping[]) => ReadTraces;
	};
}

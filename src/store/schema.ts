/**
 * The tables of a store, column by column: this is their only list. Parquet files, the views of DuckDB, the tables of Trino and docs/store.md are made from it. Columns
 * are only ever added, at the end, with the version that added them: older files have nulls there. No column is an arena, a label or an event: what may be new is a row.
 */
import type { ColumnType } from '../model/table.js';

/** Raised when a column or a table is added. */
export const STORE_VERSION = 1;

interface StoreColumn {
	readonly name: string;
	readonly type: ColumnType;
	readonly unit?: string;
	readonly meaning: string;
	/** The version of the store that added it. */
	readonly since: number;
}

export interface StoreTable {
	readonly name: StoreTableName;
	/** What a row is. */
	readonly meaning: string;
	readonly columns: readonly StoreColumn[];
	/** By what a compacted file is sorted: what questions group by, first. */
	readonly order: readonly string[];
}

export const STORE_TABLES = [
	'runs',
	'labels',
	'sites',
	'compilations',
	'decisions',
	'deoptimizations',
	'heat',
	'warmup',
	'stacks',
	'pauses',
	'arenas',
	'first_executions',
	'bias',
	'findings',
	'problems',
] as const;
export type StoreTableName = (typeof STORE_TABLES)[number];

/** The one column that no file holds: it is the name of the folder, `dt=2026-01-31`, the day (UTC) on which the run started. */
export const DAY_COLUMN = 'dt';

type Draft = readonly [name: string, type: ColumnType, meaning: string, unit?: string];

const RUN: Draft = ['run', 'id', 'the run, as in runs'];
const METHOD: Draft = ['method', 'id', 'hash of holder, name and signature'];
const NAME: Draft = ['name', 'text', 'holder and name with dots, without the address of a hidden class; what is no method in round brackets'];
const COMPILATION: Draft = ['compilation', 'text', "the compiler's id in this run: 12, 12% for on-stack replacement"];

const DRAFTS: Readonly<Record<StoreTableName, { readonly meaning: string; readonly order: readonly string[]; readonly columns: readonly Draft[] }>> = {
	runs: {
		meaning: 'a run of a program: a process that was recorded',
		order: ['service', 'build', 'host', 'run'],
		columns: [
			['run', 'id', 'hash of the evidence: the same files give the same run'],
			['name', 'text', 'the same in 16 hexadecimal digits: what its files are called'],
			['service', 'text', 'label: what program it is'],
			['build', 'text', 'label: which build of it'],
			['host', 'text', 'label: on which machine'],
			['runtime', 'text', 'HotSpot, Graal, native, other'],
			['version', 'text', 'of the runtime, in its own words'],
			['jdk', 'integer', 'major version of the JDK'],
			['flags', 'text', 'of the runtime, from its command line'],
			['command', 'text', 'main class or archive, and its arguments'],
			['cpu', 'text', 'label: the processor'],
			['cpus', 'integer', 'label: how many of them'],
			['started_ms', 'integer', 'when it started', 'ms since 1970'],
			['seconds', 'number', 'how long it was watched', 's'],
			['event', 'text', 'what was sampled, in the words of the profiler'],
			['samples', 'integer', 'samples that count: what 100 % is', 'samples'],
			['samples_java', 'integer', 'of threads that run the program', 'samples'],
			['samples_c1', 'integer', 'of compiler threads of C1', 'samples'],
			['samples_c2', 'integer', 'of compiler threads of C2', 'samples'],
			['samples_jvmci', 'integer', 'of compiler threads of Graal', 'samples'],
			['samples_gc', 'integer', "of the collector's threads", 'samples'],
			['samples_jvm', 'integer', 'of other threads of the JVM', 'samples'],
			['samples_native', 'integer', 'of threads that never came into the JVM', 'samples'],
			['samples_recording', 'integer', 'what the recording itself cost', 'samples'],
			['evidence', 'text', 'kinds of evidence that were read, by name, with commas'],
			['recording', 'text', 'what the recording was called where it was collected'],
			['format', 'integer', 'version of these tables when it was collected'],
			['assay', 'text', 'version of assay that collected it'],
		],
	},
	labels: {
		meaning: 'a label of a run',
		order: ['label', 'value', 'run'],
		columns: [RUN, ['label', 'text', 'its name: service, build, host, or any other'], ['value', 'text', 'its value']],
	},
	sites: {
		meaning: 'a call in a compiled method, by which decisions of many runs meet; the same row in each run that has it',
		order: ['root', 'signature', 'bcis'],
		columns: [
			['site', 'id', 'hash of root, signature, bcis and callee'],
			['root', 'text', 'the compiled method'],
			['signature', 'text', 'of the compiled method'],
			['bcis', 'text', 'bytecode indices of the calls from the compiled method inwards, this one last, with blanks'],
			['caller', 'text', 'the method that holds the call: the compiled one, or one inlined into it'],
			['callee', 'text', 'the method that is called'],
		],
	},
	compilations: {
		meaning: 'a compilation',
		order: ['name', 'method', 'run'],
		columns: [
			RUN,
			COMPILATION,
			METHOD,
			NAME,
			['signature', 'text', 'of the method'],
			['kind', 'text', 'standard, osr, native wrapper'],
			['compiler', 'text', 'c1, c2, jvmci, graal'],
			['level', 'integer', '1 to 3 of C1, 4 the top tier'],
			['osr_bci', 'integer', 'where on-stack replacement enters'],
			['samples', 'integer', 'in its code; null where nothing was sampled', 'samples'],
			['queued_ms', 'number', 'when it was asked for', 'ms since the start'],
			['started_ms', 'number', 'when the compiler began', 'ms since the start'],
			['done_ms', 'number', 'when the compiler ended', 'ms since the start'],
			['installed_ms', 'number', 'when its code could be executed', 'ms since the start'],
			['not_entrant_ms', 'number', 'when its code was given up', 'ms since the start'],
			['not_entrant_reason', 'text', 'why, where the JVM says'],
			['failure', 'text', 'why the compiler gave up'],
			['code_bytes', 'integer', 'machine code and stubs', 'bytes'],
			['memory_bytes', 'integer', "the most that the compiler's arenas held together", 'bytes'],
			['deoptimizations', 'integer', 'how often threads left it for the interpreter'],
		],
	},
	decisions: {
		meaning: 'a decision of a compiler about a call',
		// What C1 decided most questions leave out.
		order: ['pass', 'method', 'run', 'compilation', 'site'],
		columns: [
			RUN,
			COMPILATION,
			['method', 'id', 'the compiled method, as in compilations'],
			['site', 'id', 'the call, as in sites'],
			['pass', 'text', 'whose inliner: c1, c2, jvmci, graal'],
			['level', 'integer', 'of the compilation'],
			['kind', 'text', 'call, virtual call (receivers are known), intrinsic'],
			['verdict', 'text', 'inlined, intrinsic, refused; of Graal also direct, indirect, devirtualized, deleted'],
			['reason', 'text', "in the compiler's words"],
			['receivers', 'text', 'classes that were seen, with their share in percent, with commas'],
			['samples', 'integer', 'in the code of the whole compilation that it is part of; null where nothing was sampled', 'samples'],
		],
	},
	deoptimizations: {
		meaning: 'a thread left compiled code for the interpreter',
		order: ['name', 'run'],
		columns: [
			RUN,
			COMPILATION,
			METHOD,
			NAME,
			['level', 'integer', 'of the compilation'],
			['kind', 'text', 'uncommon trap, invalidated'],
			['reason', 'text', "in the JVM's words"],
			['action', 'text', 'what happens to the code'],
			['place', 'text', 'the innermost method that was executed'],
			['bci', 'integer', 'bytecode index in it'],
			['at_ms', 'number', 'when', 'ms since the start'],
		],
	},
	heat: {
		meaning: 'samples of a method, a line or a region of code',
		order: ['what', 'name', 'run'],
		columns: [
			RUN,
			['what', 'text', 'method, line, region: rows of one kind add up, of several they do not'],
			METHOD,
			NAME,
			['source', 'text', 'who made the code: c2, level 4; interpreter; a library'],
			['line', 'integer', 'line of the source'],
			['compilation', 'text', 'of a region'],
			['loop_depth', 'integer', 'of a region: 0 outside of loops'],
			['samples', 'integer', 'samples', 'samples'],
		],
	},
	warmup: {
		meaning: 'a piece of the time of a run: whether its Java code was compiled by then',
		order: ['run', 'from_ms'],
		columns: [
			RUN,
			['from_ms', 'number', 'its begin', 'ms since the start'],
			['to_ms', 'number', 'its end', 'ms since the start'],
			['samples', 'integer', 'in Java code: compiled, or interpreted', 'samples'],
			['samples_top_tier', 'integer', 'of these, in code of the top tier', 'samples'],
		],
	},
	stacks: {
		meaning: 'a stack with its samples',
		order: ['stack', 'run'],
		columns: [
			RUN,
			['stack', 'id', 'hash of its frames'],
			['event', 'text', 'the file and the event, as its profiler calls it'],
			['frames', 'text', 'outermost first, with semicolons'],
			['samples', 'integer', 'samples', 'samples'],
		],
	},
	pauses: {
		meaning: 'a time when all threads of the program stood',
		order: ['operation', 'run'],
		columns: [
			RUN,
			['operation', 'text', 'what it was for'],
			['is_collection', 'boolean', "whether that is the collector's"],
			['end_ms', 'number', 'when it was over', 'ms since the start'],
			['reaching_ns', 'integer', 'until the last thread stood (time to safepoint)', 'ns'],
			['stopped_ns', 'integer', 'the operation itself', 'ns'],
			['total_ns', 'integer', 'all of it', 'ns'],
			['culprit', 'text', 'method that was waited for, where that is known'],
			['culprit_line', 'integer', 'line in it'],
			['culprit_compilation', 'text', "the compiler's id"],
			['culprit_why', 'text', 'why it did not stop'],
			['culprit_samples', 'integer', 'samples that say so', 'samples'],
		],
	},
	arenas: {
		meaning: "bytes of one of the compiler's arenas at the peak of a compilation",
		order: ['name', 'run', 'compilation'],
		columns: [
			RUN,
			COMPILATION,
			METHOD,
			NAME,
			['compiler', 'text', 'c1, c2'],
			['arena', 'text', 'as the compiler spells it'],
			['phase', 'text', 'in which it was allocated; null where nothing tells'],
			['bytes', 'integer', 'rows of a compilation add up to its peak', 'bytes'],
			['peak_bytes', 'integer', 'the most that all arenas held together', 'bytes'],
		],
	},
	first_executions: {
		meaning: 'a function of a native program when it ran first',
		order: ['symbol', 'run'],
		columns: [
			RUN,
			['trace', 'text', 'which of the traces of the run'],
			['function', 'id', 'hash of module and symbol'],
			['symbol', 'text', 'as the linker has it'],
			['module', 'text', 'the file that it is local to'],
			['rank', 'integer', 'its place in the order, from 1'],
			['functions', 'integer', 'how many ran in this trace'],
		],
	},
	bias: {
		meaning: 'what a profiler says of a method, beside the samples with addresses',
		order: ['profiler', 'name', 'run'],
		columns: [
			RUN,
			['profiler', 'text', 'its file and event; (at safepoints) is what one at safepoints would say, predicted'],
			METHOD,
			NAME,
			['true_percent', 'number', 'of the samples with addresses', '%'],
			['said_percent', 'number', 'of those of the profiler', '%'],
		],
	},
	findings: {
		meaning: 'something that is worth a look',
		order: ['kind', 'run'],
		columns: [
			RUN,
			['kind', 'text', 'not-inlined, safepoint, memory, …: as in assay report'],
			['method', 'text', 'what it is about'],
			['line', 'integer', 'line in it'],
			['text', 'text', 'a sentence'],
			['worth', 'number', "by what they are ordered: percent of the run's time, or what stands for it", '%'],
		],
	},
	problems: {
		meaning: 'something that was wrong with the evidence',
		order: ['run'],
		columns: [
			RUN,
			['severity', 'text', 'error, warning'],
			['file', 'text', 'in which file'],
			['line', 'integer', 'line in it'],
			['message', 'text', 'what was found'],
			['action', 'text', 'what was done instead'],
		],
	},
};

export const STORE_SCHEMA: readonly StoreTable[] = STORE_TABLES.map((name) => {
	const { meaning, order, columns } = DRAFTS[name];
	return {
		name,
		meaning,
		order,
		columns: columns.map(([column, type, what, unit]) => ({ name: column, type, meaning: what, since: 1, ...(unit === undefined ? {} : { unit }) })),
	};
});

export function storeTable(name: StoreTableName): StoreTable {
	return STORE_SCHEMA[STORE_TABLES.indexOf(name)]!;
}

/** Opens files that tell in which order functions ran, each told by what it holds, and joins dumps with the maps of their builds. */
import fs from 'node:fs';
import { readRange, type Source } from '../bytes/source.js';
import { readClangOrderBuffer } from '../formats/clang-order-buffer/read-buffer.js';
import { type ClangOrderMap, isClangOrderMap, mergeClangOrderMaps, readClangOrderMap } from '../formats/clang-order-buffer/read-map.js';
import { isOrderDump, readOrderDumps } from '../formats/order-dump/read.js';
import { isOrderMap, readOrderMap } from '../formats/order-map/read.js';
import { TRACE_FORMATS } from '../formats/registry.js';
import { readElfSymbols } from '../formats/shared/elf/read-symbols.js';
import { isMachO } from '../formats/shared/macho/read-section.js';
import { isUftraceFolder } from '../formats/uftrace/read-data.js';
import { type FunctionTrace, type FunctionTraces, FunctionTracesBuilder, type ReadTraces, type TraceFormat } from '../model/function-trace.js';
import type { OrderMap } from '../model/order-map.js';
import type { FileMapping } from '../model/page-faults.js';
import { InputError, type Problem } from '../model/problem.js';
import type { SymbolTable } from '../model/symbol-table.js';
import { type NamedOrderMap, tracesOfDumps } from './dump-traces.js';
import { readEmbeddedMap } from './embedded-order-map.js';
import { asInputError } from './file-source.js';
import { isFolder, type LogFile, openLogFile } from './log-file.js';
import { memoryMapBeside } from './memory-map-beside.js';
import { gcdaFiles, openGcov } from './open-gcov.js';
import { openUftrace } from './open-uftrace.js';

/** All traces of some files, and what is doubtful in them. */
export interface OpenedTraces extends FunctionTraces {
	readonly traces: readonly OpenedTrace[];
	/** Of clang's order buffers: numbers that stand for several symbols. */
	readonly collisions: readonly { readonly id: string; readonly symbols: readonly string[] }[];
	/** Of clang's order buffers: symbols of several functions, how many of them ran and how many there are. */
	readonly sharedNames: readonly { readonly symbol: string; readonly ran: number; readonly inMap: number }[];
	readonly problems: readonly Problem[];
}

/** A trace with the file that it is of. */
export interface OpenedTrace extends FunctionTrace {
	readonly file: string;
	/** What the file holds. */
	readonly format: TraceFormat;
	/** False where the recording itself shows that functions are missing. */
	readonly isComplete: boolean;
}

/** What recordings need to be understood: maps of instrumented programs, the program itself. */
export interface TraceOptions {
	/** Maps of instrumented programs, assay's or clang's; opened, where many files are read one after the other. */
	readonly maps: readonly LogFile[] | OrderMaps;
	/** The program that ran, for recordings that hold addresses. */
	readonly program?: LogFile | null;
}

interface Maps {
	readonly assay: readonly NamedOrderMap[];
	readonly clang: ClangOrderMap | null;
}

/** Maps of builds, read when they are first asked for, and once. */
export class OrderMaps {
	private readonly files: readonly LogFile[];
	private opened: Promise<Maps> | null = null;

	constructor(files: readonly LogFile[]) {
		this.files = files;
	}

	/** What is wrong with them is told to the first who asks. */
	open(problems: Problem[]): Promise<Maps> {
		this.opened ??= openMaps(this.files, problems);
		return this.opened;
	}
}

const HEAD_BYTES = 1 << 16;
const ELF = '\x7fELF';
/** Bytes that no text has. */
const BINARY = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/;

/**
 * Opens files, in this order. Throws an {@link InputError} when one holds no such thing or cannot be trusted. Clang's buffers have no mark of their
 * own: a binary file of no other format is one when a map of clang is given.
 */
export async function openFunctionTraces(files: readonly LogFile[], options: TraceOptions): Promise<OpenedTraces> {
	const problems: Problem[] = [];
	const maps = await (options.maps instanceof OrderMaps ? options.maps : new OrderMaps(options.maps)).open(problems);
	const symbols = options.program == null ? null : await openSymbols(options.program, problems);
	const builder = new FunctionTracesBuilder();
	const about: Pick<OpenedTrace, 'file' | 'format' | 'isComplete'>[] = [];
	const collisions: OpenedTraces['collisions'][number][] = [];
	const sharedNames: OpenedTraces['sharedNames'][number][] = [];
	for (const file of files) {
		const { name } = file;
		if (isFolder(file)) {
			const { format, read } = await openFolder(file);
			builder.addTraces(read);
			problems.push(...read.problems);
			about.push(...read.traces.map(() => ({ file: name, format, isComplete: read.problems.length === 0 })));
			continue;
		}
		const opened = await openLogFile(file);
		problems.push(...opened.problems);
		try {
			const read = readOne(opened.source, maps, symbols, await memoryMapBeside(file));
			builder.addTraces(read);
			problems.push(...read.problems);
			collisions.push(...(read.collisions ?? []));
			sharedNames.push(...(read.sharedNames ?? []));
			const isComplete = read.isComplete && opened.problems.length === 0 && !read.problems.some(({ severity }) => severity === 'error');
			about.push(...read.traces.map(() => ({ file: name, format: read.format, isComplete })));
		} finally {
			opened.source.close();
		}
	}
	const { functions, traces } = builder.build();
	return {
		functions,
		traces: traces.map((trace, i) => ({ ...trace, ...about[i]! })),
		collisions,
		sharedNames,
		problems,
	};
}

/** What uftrace recorded, or what a program compiled by GCC counted. */
async function openFolder(file: LogFile): Promise<{ format: TraceFormat; read: ReadTraces }> {
	const profiles = gcdaFilesIn(file);
	return profiles.length > 0 ? { format: 'GCC profile', read: await openGcov(file, profiles) } : { format: 'uftrace data', read: await openUftrace(file) };
}

function gcdaFilesIn({ filePath, name }: LogFile): string[] {
	try {
		return isUftraceFolder(fs.readdirSync(filePath)) ? [] : gcdaFiles(filePath);
	} catch (error) {
		throw asInputError(error, name);
	}
}

interface ReadFile extends ReadTraces {
	readonly format: TraceFormat;
	readonly isComplete: boolean;
	readonly collisions?: OpenedTraces['collisions'];
	readonly sharedNames?: OpenedTraces['sharedNames'];
}

function readOne(source: Source, { assay, clang }: Maps, symbols: SymbolTable | null, mappings: readonly FileMapping[]): ReadFile {
	const bytes = readRange(source, 0, HEAD_BYTES);
	const head = latin1(bytes);
	if (isOrderDump(bytes)) {
		const { dumps, problems } = readOrderDumps(source);
		const read = tracesOfDumps(source.name, dumps, assay);
		return { ...read, problems: [...problems, ...read.problems], format: 'assay dump', isComplete: read.lostEntries === 0 };
	}
	const format = TRACE_FORMATS.find(({ is }) => is(head));
	if (format !== undefined && !(isOrderMap(head) || isClangOrderMap(head))) {
		return { ...format.read(source, symbols, mappings), format: format.words, isComplete: true };
	}
	if (isOrderMap(head) || isClangOrderMap(head)) {
		throw unusable(source, 'is the map of a build, not what a program wrote', 'give it with --map');
	}
	if (source.sizeBytes === 0) {
		throw unusable(
			source,
			'is empty',
			"record again; a program that could not write leaves such a file, and so does clang's order-file instrumentation with full LTO, which instruments nothing",
		);
	}
	if (clang !== null && !NOT_TRACES.some(({ begins }) => head.startsWith(begins)) && (BINARY.test(head) || source.sizeBytes % 8 === 0)) {
		const read = readClangOrderBuffer(source, clang);
		return { ...read, format: 'clang order buffer', isComplete: !read.isTruncated };
	}
	const known = NOT_TRACES.find(({ begins }) => head.startsWith(begins));
	if (known !== undefined) {
		throw unusable(source, known.message, known.action);
	}
	if (BINARY.test(head)) {
		throw unusable(
			source,
			"is binary and of no known format; if it is the .order file of clang's order-file instrumentation, its map is missing",
			'give the map with --map (clang: -mllvm -orderfile-write-mapping=MAP)',
		);
	}
	throw unusable(
		source,
		'holds no order of functions that is known',
		'known are dumps of assay, .profraw and .profdata with temporal traces, .order files of clang, perf script, uftrace, and lists of functions (assay order decode --help)',
	);
}

/** What one may take for a trace, and what to give instead. */
const NOT_TRACES: readonly { readonly begins: string; readonly message: string; readonly action: string }[] = [
	{ begins: ELF, message: 'is a program, not what it wrote', action: 'run it and give what it writes; a program goes with --elf' },
	{ begins: 'adcg', message: 'is a part of a profile of GCC', action: 'give the folder, which has the .gcno files too' },
	{ begins: 'Ftrace!\0', message: 'is a part of a recording of uftrace', action: 'give the folder' },
];

async function openSymbols(file: LogFile, problems: Problem[]): Promise<SymbolTable> {
	const { source, problems: found } = await openLogFile(file);
	try {
		const read = readElfSymbols(source);
		problems.push(...found, ...read.problems);
		return { ...read.table, readCode: null };
	} finally {
		source.close();
	}
}

async function openMaps(files: readonly LogFile[], problems: Problem[]): Promise<Maps> {
	const assay: NamedOrderMap[] = [];
	const clang: ClangOrderMap[] = [];
	for (const file of files) {
		const { name } = file;
		const { source, problems: found } = await openLogFile(file);
		problems.push(...found);
		try {
			const head = latin1(readRange(source, 0, HEAD_BYTES));
			if (isOrderMap(head)) {
				assay.push({ name, map: readOrderMap(source) });
			} else if (isClangOrderMap(head)) {
				const map = readClangOrderMap(source);
				problems.push(...map.problems);
				clang.push(map);
			} else if (head.startsWith(ELF) || isMachO(head)) {
				assay.push({ name, map: mapInProgram(source, problems) });
			} else {
				throw unusable(
					source,
					'is no map of an instrumented program',
					"give assay's map (JSON) or the program, which holds it, or clang's (lines MD5 NUMBER SYMBOL)",
				);
			}
		} finally {
			source.close();
		}
	}
	return { assay, clang: clang.length === 0 ? null : mergeClangOrderMaps(clang) };
}

function mapInProgram(source: Source, problems: Problem[]): OrderMap {
	const { map, damaged } = readEmbeddedMap(source);
	if (damaged > 0) {
		const message = `the maps of ${damaged} of its modules are damaged`;
		problems.push({ severity: 'error', file: source.name, message, action: 'their functions are not named: compile their sources again' });
	}
	if (map === null) {
		throw unusable(
			source,
			'is a program that holds no map',
			'give one that assay-cc linked and nobody stripped, or the map beside it (PROGRAM.order-map.json)',
		);
	}
	return map;
}

function latin1(bytes: Uint8Array): string {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function unusable({ name }: Source, message: string, action: string): InputError {
	return new InputError({ severity: 'error', file: name, message, action });
}

/**
 * The code of native programs: of the executables and libraries that were mapped where samples lie, if they are at hand (in the recording, or where they were, with the
 * same build id). A function is a piece of code; its instructions have the chains of inlining of the debug information.
 */
import path from 'node:path';
import { readRange, type Source } from '../bytes/source.js';
import { sharedDisassembler } from '../disassembly/disassembler.js';
import type { PrintedCode } from '../formats/hotspot-code/instructions.js';
import { openDebugInformation } from '../formats/shared/dwarf/debug-information.js';
import type { UnpackZstd } from '../formats/shared/dwarf/sections.js';
import { type CodeLayout, readCodeLayout } from '../formats/shared/elf/code-layout.js';
import { isGoProgram } from '../formats/shared/elf/go-functions.js';
import { hasSymbolTable, readBuildId, readNativeSymbols } from '../formats/shared/elf/native-symbols.js';
import { appendTo } from '../model/append.js';
import { lastAtOrBelow } from '../model/binary-search.js';
import type { ChainFrame, DebugInformation } from '../model/debug-information.js';
import type { GeneratedCode } from '../model/generated-code.js';
import type { Frame } from '../model/instructions.js';
import type { NativeSymbol } from '../model/native-symbols.js';
import type { Problem } from '../model/problem.js';
import type { MappedCode, SampleStacks, Samples } from '../model/samples.js';
import type { CodeSource } from './code-source.js';
import { debugFileOf, isDebugFile, openIfThere } from './debug-files.js';
import type { LogFile } from './log-file.js';
import { NativeInstructions } from './native-instructions.js';
import { openNativeNames } from './native-names.js';
import { zstdUnpacker } from './zstd-library.js';

/** No function is larger. */
const MOST_CODE_BYTES = 1 << 26;

/** A function of a native program. */
interface NativeFunction extends GeneratedCode {
	/** As the linker names it. */
	readonly symbol: string;
	readonly library: string;
}

/** An executable with its debug information. */
interface NativeLibrary {
	readonly name: string;
	/** What made its units; empty without debug information. */
	readonly producers: readonly string[];
	readonly hasDebugInformation: boolean;
	readonly functions: number;
}

export interface NativeCode extends CodeSource {
	/** Functions with samples. */
	readonly code: readonly NativeFunction[];
	/** Those that only called them, as far as stacks were unwound. */
	readonly calling: readonly NativeFunction[];
	/** Of the program, of which `processId` is that with most samples. */
	readonly processes: number;
	readonly libraries: readonly NativeLibrary[];
	/** Most samples first. */
	readonly unread: readonly UnreadLibrary[];
	/** The innermost frame first; empty where nothing is told. Function names are those of the linker. */
	chainAt(code: GeneratedCode, address: number): readonly ChainFrame[];
	/** The same with names as they are shown. */
	framesAt(code: GeneratedCode, address: number): readonly Frame[];
}

/** A mapped file in which samples lie that no function is known of. */
interface UnreadLibrary {
	readonly name: string;
	readonly why: 'no build id' | 'not at hand' | 'no symbols';
	readonly samples: number;
}

/** Numbers functions by their linkage names. */
export type NumberFunctions = (symbol: string) => number;

interface OpenLibrary {
	readonly mapping: MappedCode;
	readonly source: Source;
	/** What was put apart of it, or null. */
	readonly debug: Source | null;
	readonly layout: CodeLayout;
	readonly symbols: readonly NativeSymbol[];
	readonly starts: Float64Array;
	readonly information: DebugInformation | null;
	readonly compiler: string;
}

/** The process with the most samples; null without any. */
export function mostSampled({ processId, length }: Samples): number | null {
	const counts = new Map<number, number>();
	let most: number | null = null;
	for (let i = 0; i < length; i++) {
		const id = processId[i]!;
		const count = (counts.get(id) ?? 0) + 1;
		counts.set(id, count);
		if (id >= 0 && count > (most === null ? 0 : (counts.get(most) ?? 0))) {
			most = id;
		}
	}
	return most;
}

/** A process, or several that are taken as one. */
interface SampledProcess {
	readonly samples: Samples;
	/** What called; undefined: nothing tells. */
	readonly unwound: SampleStacks | undefined;
	readonly mappings: readonly MappedCode[];
	readonly processId: number;
	readonly processes: number;
}

/** `programs`: executables in the recording. */
export async function openNativeCode(
	{ samples, unwound, mappings, processId, processes }: SampledProcess,
	programs: readonly LogFile[],
	numberOf: NumberFunctions,
): Promise<NativeCode> {
	const problems: Problem[] = [];
	const meaning = await openNativeNames();
	const unpackZstd = await zstdUnpacker();
	const sorted = [...mappings].sort((a, b) => a.start - b.start);
	const starts = Float64Array.from(sorted, ({ start }) => start);
	const opened = new Map<MappedCode, OpenLibrary | null>();
	const pieces = new Map<string, NativeFunction>();
	const calling: NativeFunction[] = [];
	const libraryOf = new Map<GeneratedCode, OpenLibrary>();
	const counts = new Map<OpenLibrary, number>();
	const files = new Map<string, OpenLibrary | null>();
	const unread = new Map<string, UnreadLibrary>();
	for (const [address, count] of [...sampledAddresses(samples, processId), ...callingAddresses(samples, unwound, processId)]) {
		const mapping = sorted[lastAtOrBelow(starts, address)];
		if (mapping === undefined || address >= mapping.end || !mapping.name.startsWith('/')) {
			continue;
		}
		let library = opened.get(mapping);
		if (library === undefined) {
			const known = files.get(mapping.name);
			library = known == null ? (known === null ? null : openLibrary(mapping, programs, unpackZstd, problems)) : { ...known, mapping };
			files.set(mapping.name, library);
			opened.set(mapping, library);
		}
		const offset = address - mapping.start + mapping.offset;
		const symbol = library === null ? undefined : symbolAt(library, offset);
		if (library === null || symbol === undefined || symbol.end - symbol.start > MOST_CODE_BYTES) {
			const { name, buildId } = mapping;
			const why = library !== null ? 'no symbols' : buildId === null ? 'no build id' : 'not at hand';
			if (count > 0) {
				unread.set(name, { name, why, samples: (unread.get(name)?.samples ?? 0) + count });
			}
			continue;
		}
		// What is missing of debug information is told now, not when somebody asks for lines.
		library.information?.chainAt(library.layout.addressOf(offset));
		const start = symbol.start - mapping.offset + mapping.start;
		const key = `${start}`;
		if (!pieces.has(key)) {
			const piece = functionOf(symbol, start, library, meaning, numberOf);
			pieces.set(key, piece);
			libraryOf.set(piece, library);
			if (count > 0) {
				counts.set(library, (counts.get(library) ?? 0) + 1);
			} else {
				calling.push(piece);
			}
		}
	}
	const reader = new NativeReader(libraryOf, meaning);
	const called = new Set(calling);
	const code = [...pieces.values()].filter((piece) => !called.has(piece));
	return {
		file: path.basename(code[0]?.library ?? sorted[0]?.name ?? ''),
		code,
		calling,
		processes,
		processId,
		monotonic: null,
		problems: withoutRepeats(problems),
		libraries: [...counts].map(([{ mapping, information }, functions]) => ({
			name: mapping.name,
			producers: information?.producers ?? [],
			hasDebugInformation: information !== null,
			functions,
		})),
		unread: [...unread.values()].sort((a, b) => b.samples - a.samples),
		chainAt: (piece, address) => reader.chainAt(piece, address),
		framesAt: (piece, address) => reader.framesAt(piece, address),
		read: (wanted) => reader.read(wanted),
		close: () => {
			for (const library of opened.values()) {
				library?.source.close();
				library?.debug?.close();
			}
		},
	};
}

/** Of a program that is split in hundreds of parts each may be missing: the first is named. */
function withoutRepeats(problems: readonly Problem[]): Problem[] {
	const groups = new Map<string, Problem[]>();
	for (const problem of problems) {
		const key = `${problem.file} ${problem.message.replace(/^[^,]{1,1000}, /, '')}`;
		appendTo(groups, key, problem);
	}
	return [...groups.values()].flatMap(([first, ...others]) =>
		first === undefined ? [] : [{ ...first, message: `${first.message}${others.length === 0 ? '' : ` (nor that of ${others.length} more)`}` }],
	);
}

const RUNTIME = /(?:^|\/)(?:libjvm\.(?:so|dylib)|jvm\.dll|node(?:js)?|perf-\d+\.map|jitted-\d+-\d+\.so)$/;

/** Of a runtime with a compiler of its own: most of its code is in no executable. */
export function isRuntimeLibrary(name: string): boolean {
	return RUNTIME.test(name);
}

/** Those in which samples lie, and what called them. */
export function sampledMappings(samples: Samples, unwound: SampleStacks | undefined, mappings: readonly MappedCode[], processId: number): MappedCode[] {
	const sorted = [...mappings].sort((a, b) => a.start - b.start);
	const starts = Float64Array.from(sorted, ({ start }) => start);
	const found = new Set<MappedCode>();
	for (const address of [...sampledAddresses(samples, processId).keys(), ...callingAddresses(samples, unwound, processId).keys()]) {
		const mapping = sorted[lastAtOrBelow(starts, address)];
		if (mapping !== undefined && address < mapping.end) {
			found.add(mapping);
		}
	}
	return [...found];
}

/** How many samples each has. */
function sampledAddresses({ address, processId: ids, length }: Samples, processId: number): Map<number, number> {
	const result = new Map<number, number>();
	for (let i = 0; i < length; i++) {
		if (ids[i] === processId && address[i]! > 0n) {
			const own = Number(address[i]!);
			result.set(own, (result.get(own) ?? 0) + 1);
		}
	}
	return result;
}

/** The calls that led to samples, each with no sample of its own. */
function callingAddresses({ processId: ids, length }: Samples, unwound: SampleStacks | undefined, processId: number): Map<number, number> {
	const result = new Map<number, number>();
	if (unwound === undefined) {
		return result;
	}
	const isSeen = new Uint8Array(unwound.parent.length);
	for (let i = 0; i < length; i++) {
		const innermost = ids[i] === processId ? unwound.of[i]! : -1;
		for (let node = innermost < 0 ? -1 : unwound.parent[innermost]!; node >= 0 && isSeen[node] === 0; node = unwound.parent[node]!) {
			isSeen[node] = 1;
			if (unwound.address[node]! > 0) {
				result.set(unwound.address[node]! - 1, 0);
			}
		}
	}
	return result;
}

function functionOf(symbol: NativeSymbol, start: number, library: OpenLibrary, meaning: (symbol: string) => string, numberOf: NumberFunctions): NativeFunction {
	return {
		kind: 'compilation',
		name: meaning(symbol.name),
		signature: null,
		compileId: String(numberOf(symbol.name)),
		compiler: library.compiler,
		level: null,
		osrBci: null,
		start,
		end: start + symbol.end - symbol.start,
		installedSeconds: null,
		notEntrant: null,
		arePollsKnown: false,
		symbol: symbol.name,
		library: library.mapping.name,
	};
}

function symbolAt({ symbols, starts }: OpenLibrary, offset: number): NativeSymbol | undefined {
	const symbol = symbols[lastAtOrBelow(starts, offset)];
	return symbol !== undefined && offset < symbol.end ? symbol : undefined;
}

/** null: it is not at hand, or another one is there now. */
function openLibrary(mapping: MappedCode, programs: readonly LogFile[], unpackZstd: UnpackZstd, problems: Problem[]): OpenLibrary | null {
	const source = programSource(mapping, programs);
	const layout = source === null ? null : readCodeLayout(source);
	if (source === null || layout === null) {
		return null;
	}
	const onDamage = (message: string): void => {
		if (!problems.some((one) => one.file === mapping.name && one.message === message)) {
			problems.push({ severity: 'warning', file: mapping.name, message, action: 'what it tells is left out' });
		}
	};
	const hasOwn = hasSymbolTable(source);
	const openPackage = (): Source | null => openIfThere(`${mapping.name}.dwp`);
	const own = openDebugInformation(source, openSplit, onDamage, unpackZstd, openPackage);
	const debug = hasOwn && own !== null ? null : debugFileOf(source, mapping.name, programs);
	const symbols = readNativeSymbols(source, hasOwn ? source : (debug ?? source), mapping.name).toSorted((a, b) => a.start - b.start);
	const information = own ?? (debug === null ? null : openDebugInformation(debug, openSplit, onDamage, unpackZstd, openPackage));
	const compiler = isGoProgram(source) ? 'go' : compilerOf(information?.producers ?? []);
	return { mapping, source, debug, layout, symbols, starts: Float64Array.from(symbols, ({ start }) => start), information, compiler };
}

/** A file that was mapped, among those of the recording, else where it was, or `file`; null: it is not at hand, or another one is there. */
export function programSource({ name, buildId }: Pick<MappedCode, 'name' | 'buildId'>, programs: readonly LogFile[], file = name): Source | null {
	const isSame = (source: Source): boolean => buildId === null || readBuildId(source) === buildId;
	for (const { filePath, name: own, source } of programs) {
		const base = path.basename(own);
		const program = base === path.basename(name) || base.startsWith(`${path.basename(name)}.`) ? (source ?? openIfThere(filePath)) : null;
		if (program !== null && isSame(program) && !isDebugFile(program)) {
			return program;
		}
	}
	// Nothing tells that a file of that name is the one that was sampled.
	const source = buildId === null ? null : openIfThere(file);
	return source !== null && isSame(source) ? source : null;
}

function openSplit(name: string, folder: string): Source | null {
	return openIfThere(path.resolve(folder, name));
}

/** `clang`, `gcc`, `rustc`: by what most producers say; `native` where nobody does. */
function compilerOf(producers: readonly string[]): string {
	const [first] = producers;
	if (first === undefined) {
		return 'native';
	}
	return producers.some((one) => one.includes('rustc')) ? 'rustc' : first.includes('clang') ? 'clang' : first.startsWith('GNU') ? 'gcc' : 'native';
}

class NativeReader {
	private readonly libraryOf: ReadonlyMap<GeneratedCode, OpenLibrary>;
	private readonly meaning: (symbol: string) => string;
	private readonly known = new Map<GeneratedCode, PrintedCode>();

	constructor(libraryOf: ReadonlyMap<GeneratedCode, OpenLibrary>, meaning: (symbol: string) => string) {
		this.libraryOf = libraryOf;
		this.meaning = meaning;
	}

	chainAt(code: GeneratedCode, address: number): readonly ChainFrame[] {
		const library = this.libraryOf.get(code);
		const chain = library?.information?.chainAt(library.layout.addressOf(offsetOf(library, address))) ?? [];
		const last = chain.at(-1);
		return last === undefined ? chain : [...chain.slice(0, -1), { ...last, function: (code as NativeFunction).symbol }];
	}

	framesAt(code: GeneratedCode, address: number): readonly Frame[] {
		return this.chainAt(code, address).map((frame) => this.frameOf(frame));
	}

	async read(wanted: Iterable<GeneratedCode>): Promise<Map<GeneratedCode, PrintedCode>> {
		const result = new Map<GeneratedCode, PrintedCode>();
		for (const code of wanted) {
			const library = this.libraryOf.get(code);
			const printed = this.known.get(code) ?? (library === undefined ? null : await this.disassemble(code, library));
			if (printed !== null) {
				this.known.set(code, printed);
				result.set(code, printed);
			}
		}
		return result;
	}

	private async disassemble(code: GeneratedCode, library: OpenLibrary): Promise<PrintedCode | null> {
		const from = offsetOf(library, code.start);
		const bytes = readRange(library.source, from, from + code.end - code.start);
		if (bytes.length === 0 || library.layout.machine === null) {
			return null;
		}
		const disassembler = await sharedDisassembler(library.layout.machine);
		const notes = { chainAt: (address: number) => this.chainAt(code, address), frameOf: (frame: ChainFrame) => this.frameOf(frame) };
		return { instructions: new NativeInstructions(disassembler.decodeColumns(bytes, code.start), notes), labels: new Map() };
	}

	private frameOf({ function: name, line }: ChainFrame): Frame {
		return { method: name === null ? '?' : this.meaning(name), bci: -1, line: line === 0 ? null : line };
	}
}

function offsetOf({ mapping }: OpenLibrary, address: number): number {
	return address - mapping.start + mapping.offset;
}

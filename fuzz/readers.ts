/**
 * What is fuzzed: every detector and every reader. Those of samples, stacks and traces come from the registry of formats; readers that the finder's rows do not
 * name are listed here, and a test (test/fuzz.test.ts) looks that no file `read….ts` or `scan….ts` of a format is left out.
 */

import { memorySource, readRange, type Source } from '../src/bytes/source.js';
import { sharedDisassembler } from '../src/disassembly/disassembler.js';
import { FootprintReplay } from '../src/footprint/replay.js';
import { forEachRelocation, MethodDetails, readLoadDetails, readRelocationBytes, relocationLayout } from '../src/formats/agent-log/details.js';
import { readAgentLog } from '../src/formats/agent-log/read.js';
import { readBlockMap } from '../src/formats/bb-addr-map/read.js';
import { isBlockList, readBlockList } from '../src/formats/block-list/read.js';
import { readClangOrderBuffer } from '../src/formats/clang-order-buffer/read-buffer.js';
import { readClangOrderMap } from '../src/formats/clang-order-buffer/read-map.js';
import { readClassBytes } from '../src/formats/class-file/read.js';
import { readInstructionList } from '../src/formats/executed-instructions/read.js';
import { readFootprintEvents } from '../src/formats/footprint-events/read.js';
import { isGcda, readGcda, readGcno } from '../src/formats/gcov/read.js';
import { isGnuMap, readGnuMap } from '../src/formats/gnu-map/read.js';
import { TreeReader } from '../src/formats/graal-optimization-log/read-trees.js';
import { scanOptimizationLog } from '../src/formats/graal-optimization-log/scan.js';
import { TreeReadError } from '../src/formats/graal-optimization-log/trees-of-json.js';
import { instructionsOfRows } from '../src/formats/hotspot-code/instructions.js';
import { rowsOfMachineCode } from '../src/formats/hotspot-code/machine-code.js';
import { readCodeText } from '../src/formats/hotspot-code/read-text.js';
import { scanCode } from '../src/formats/hotspot-code/scan.js';
import { RecordReader } from '../src/formats/hotspot-compilation-log/read-record.js';
import { scanCompilations } from '../src/formats/hotspot-compilation-log/scan.js';
import { readDeoptimizationLog } from '../src/formats/hotspot-deoptimization-log/read.js';
import { processOfLog } from '../src/formats/hotspot-log/detect.js';
import { readAssembly } from '../src/formats/hotspot-log/read-assembly.js';
import { readDetails } from '../src/formats/hotspot-memory-statistics/details.js';
import { scanMemoryStatistics } from '../src/formats/hotspot-memory-statistics/scan.js';
import { readSafepointLog } from '../src/formats/hotspot-safepoint-log/read.js';
import { isJavap, readJavap } from '../src/formats/javap/read.js';
import { readJfr, readJfrEvents } from '../src/formats/jfr/read.js';
import { readJitdump } from '../src/formats/jitdump/read.js';
import { linesOfCode } from '../src/formats/jitdump/read-lines.js';
import { readLd64Map } from '../src/formats/ld64-map/read.js';
import { readLldMap } from '../src/formats/lld-map/read.js';
import { readIrModule } from '../src/formats/llvm-ir/read.js';
import { rewriteIr } from '../src/formats/llvm-ir/rewrite.js';
import { isBitstreamRemarks, readBitstreamRemarks } from '../src/formats/llvm-remarks/read-bitstream.js';
import { isYamlRemarks, readYamlRemarks } from '../src/formats/llvm-remarks/read-yaml.js';
import { readMoldMap } from '../src/formats/mold-map/read.js';
import { readNativeSymbolsFile } from '../src/formats/native-symbols/read.js';
import { readNmListing } from '../src/formats/nm-listing/read.js';
import { profileOfJfr } from '../src/formats/observed-stacks.js';
import { readOrderDumps } from '../src/formats/order-dump/read.js';
import { readSymbolOrder } from '../src/formats/order-file/read.js';
import { readOrderMap } from '../src/formats/order-map/read.js';
import { readPerfMap } from '../src/formats/perf-map/read.js';
import { readPageFaults } from '../src/formats/perf-page-faults/read.js';
import { readPrintCompilation } from '../src/formats/print-compilation/read.js';
import { readPrintInlining } from '../src/formats/print-inlining/read.js';
import { readProftoolProfile } from '../src/formats/proftool-profile/read.js';
import { readReadelfListing } from '../src/formats/readelf-listing/read.js';
import { readNote } from '../src/formats/recording-manifest/read.js';
import { FORMATS, STACK_FORMATS, TRACE_FORMATS } from '../src/formats/registry.js';
import { openDebugInformation } from '../src/formats/shared/dwarf/debug-information.js';
import { readCodeLayout } from '../src/formats/shared/elf/code-layout.js';
import { readDynamicNames } from '../src/formats/shared/elf/dynamic.js';
import { readBuildId, readNativeSymbols } from '../src/formats/shared/elf/native-symbols.js';
import { readElfSection } from '../src/formats/shared/elf/read-section.js';
import { readElfSymbols } from '../src/formats/shared/elf/read-symbols.js';
import { readUnwindTable } from '../src/formats/shared/elf/unwind-table.js';
import { isMachO, readMachOSections } from '../src/formats/shared/macho/read-section.js';
import { isLinkedElf } from '../src/formats/startup-marks.js';
import { isTar, readTar } from '../src/formats/tar/read.js';
import { isUftraceFolder, readUftraceData } from '../src/formats/uftrace/read-data.js';
import { readXctraceStart } from '../src/formats/xctrace/read-contents.js';
import { heatOfStacks } from '../src/hot/stack-heat.js';
import { stackedOfStacks } from '../src/hot/stacked-stacks.js';
import { NO_SYMBOLS } from '../src/model/native-symbols.js';
import { bestSampleKind } from '../src/model/sample-kinds.js';
import type { FrameRule, SavedRegister, UnwindTables } from '../src/model/unwinding.js';
import { PrintedCodeReader } from '../src/recording/printed-code.js';
import { recordedCompilations } from '../src/recording/recorded-compilations.js';
import { HEAD_BYTES, tellFormats } from '../src/recording/tell-format.js';
import { zstdStreams } from '../src/recording/zstd-stream.js';

export interface FuzzedReader {
	readonly name: string;
	/** Reads all that there is, and may do so later. An InputError is an answer, anything else that is thrown none. */
	readonly read: (source: Source) => unknown;
	/** Whether the first bytes of a file are of its format: such files are its seeds. */
	readonly takes: (head: string) => boolean;
	/** Meets text that others wrote in any file: has ten times the inputs. */
	readonly isFirst?: boolean;
}

const NO_HELP = { symbols: NO_SYMBOLS, openZstd: null };
/** Of many pieces the first are read to their end. */
const MOST_PIECES = 200;

const is = (...names: readonly string[]) => {
	const rows = FORMATS.filter(({ name }) => names.includes(name));
	return (head: string): boolean => rows.some((row) => row.is(head));
};

/** Opens what readers need beside the bytes. */
/** Of one file. */
const MOST_RULES = 1 << 9;

export async function openReaders(): Promise<readonly FuzzedReader[]> {
	const openZstd = await zstdStreams();
	return [...detectors(), ...ofRegistry({ ...NO_HELP, openZstd }), ...others()];
}

function detectors(): FuzzedReader[] {
	return [
		{
			name: 'detect',
			isFirst: true,
			takes: () => true,
			read: (source) => {
				const head = Buffer.from(readRange(source, 0, HEAD_BYTES)).toString('latin1');
				tellFormats(FORMATS, 'a', head, source);
				for (const row of FORMATS) {
					row.is(head);
					row.isNamed?.('a', head);
				}
				for (const row of [...STACK_FORMATS, ...TRACE_FORMATS]) {
					row.is(head);
				}
				for (const row of STACK_FORMATS) {
					row.isLikely?.(head);
				}
				processOfLog(head);
				return [isTar(head), isJavap(head)];
			},
		},
	];
}

/** At places all over the file. */
function rulesOf(source: Source): (FrameRule | null)[] {
	const table = readUnwindTable(source);
	const step = Math.max(1, Math.floor(source.sizeBytes / MOST_RULES));
	return table === null ? [] : Array.from({ length: MOST_RULES }, (_, i) => table.ruleAt(i * step));
}

const SAVED: readonly SavedRegister[] = [
	{ kind: 'saved', offset: -8 },
	{ kind: 'savedAt', expression: Uint8Array.of(0x77, 8, 0x06) },
	{ kind: 'same' },
	{ kind: 'lost' },
];
/** Rules for all code, others from byte to byte. */
const ANY_TABLE: UnwindTables = {
	tableOf: () => ({
		ruleAt: (offset) => ({
			address: offset % 5 === 0 ? { expression: Uint8Array.of(0x76, 0x10, 0x38, 0x1a, 0x22) } : { register: 6 + (offset & 1), offset: 16 },
			returnAddress: SAVED[offset % 3]!,
			framePointer: SAVED[offset % 4]!,
			isSignal: offset % 7 === 0,
		}),
	}),
};

function ofRegistry(help: { readonly symbols: typeof NO_SYMBOLS; readonly openZstd: Awaited<ReturnType<typeof zstdStreams>> | null }): FuzzedReader[] {
	const first = ['perf-script', 'collapsed-stacks', 'thread-dumps', 'perf-data', 'flight-recording'];
	const numbered = new Map<string, number>();
	const named = (name: string): string => {
		const number = (numbered.get(name) ?? 0) + 1;
		numbered.set(name, number);
		return number === 1 ? name : `${name}-${number}`;
	};
	return FORMATS.flatMap((row): FuzzedReader[] => {
		const { samples, stacks, traces } = row;
		const takes = (head: string): boolean => row.is(head) || stacks?.isLikely?.(head) === true || traces?.isLikely?.(head) === true;
		const isFirst = first.includes(row.name);
		const readers: FuzzedReader[] = [];
		if (samples !== undefined) {
			readers.push({
				name: named(row.name),
				takes,
				isFirst,
				read: (source) => [
					samples.read(source, 'none', help),
					samples.read(source, 'threads', NO_HELP),
					samples.read(source, 'all', help),
					samples.read(source, 'threads', { ...help, tables: ANY_TABLE }),
				],
			});
		}
		if (stacks !== undefined) {
			readers.push({ name: named(row.name), takes, isFirst, read: (source) => [stacks.read(source, false), stacks.read(source, true)] });
		}
		if (traces !== undefined) {
			readers.push({ name: named(traces.words.replaceAll(' ', '-').toLowerCase()), takes, isFirst, read: (source) => traces.read(source, null) });
		}
		return readers;
	});
}

function others(): FuzzedReader[] {
	const isClass = (head: string): boolean => head.startsWith('\xca\xfe\xba\xbe');
	const isElfFile = (head: string): boolean => head.startsWith('\x7fELF');
	const isJvmLog = is('hotspot-log', 'print-assembly', 'compiler-thread-log');
	return [
		{
			name: 'hotspot-code',
			isFirst: true,
			takes: isJvmLog,
			read: async (source) => {
				const { decodeColumns } = await sharedDisassembler('x86-64');
				const log = scanCode(source);
				const { code, form } = log;
				const printed = await new PrintedCodeReader(source, log).read(code.slice(0, MOST_PIECES));
				for (const { instructions } of printed.values()) {
					instructions.frames(0);
					instructions.textAt(instructions.length - 1);
				}
				for (const one of code.slice(0, MOST_PIECES)) {
					const { rows, chunks } = readCodeText(source, one, form);
					const decoded = chunks.flatMap((chunk) => rowsOfMachineCode(chunk, decodeColumns(chunk.bytes, chunk.address)));
					instructionsOfRows([...rows, ...decoded], one.end);
				}
			},
		},
		{ name: 'hotspot-assembly', takes: isJvmLog, read: readAssembly },
		{
			name: 'hotspot-compilations',
			isFirst: true,
			takes: isJvmLog,
			read: (source) => {
				const { histories } = scanCompilations([source]);
				const reader = new RecordReader();
				for (const compilation of histories.flatMap(({ compilations }) => compilations).slice(0, MOST_PIECES)) {
					reader.read(compilation);
					reader.readDecisions(compilation);
				}
			},
		},
		{ name: 'deoptimization-log', takes: is('deoptimization-log'), read: readDeoptimizationLog },
		{ name: 'print-compilation', isFirst: true, takes: is('print-compilation'), read: readPrintCompilation },
		{ name: 'print-inlining', isFirst: true, takes: is('print-inlining'), read: readPrintInlining },
		{ name: 'safepoint-log', isFirst: true, takes: is('safepoint-log'), read: readSafepointLog },
		{
			name: 'memory-statistics',
			isFirst: true,
			takes: (head) => /Arena [uU]sage|Compiler Memory|Native Memory Tracking:|Compilation memory statistics|NMT/.test(head),
			read: (source) => {
				for (const { details } of scanMemoryStatistics(source).rows.slice(0, MOST_PIECES)) {
					readDetails(source, details ?? { start: 0, end: 0 });
				}
			},
		},
		{ name: 'xctrace-contents', takes: is('xctrace-contents'), isFirst: true, read: readXctraceStart },
		{
			name: 'footprint-events',
			takes: is('memory-statistics'),
			read: (source) => {
				const replay = new FootprintReplay();
				readFootprintEvents(source, replay);
				return replay.finish();
			},
		},
		{
			name: 'graal-optimization-log',
			takes: is('graal-optimization-log'),
			read: (source) => {
				const reader = new TreeReader();
				scanOptimizationLog(source);
				for (const { startByte, endByte } of scanOptimizationLog(source, { isOutput: true }).units.slice(0, MOST_PIECES)) {
					try {
						reader.read(readRange(source, startByte, endByte));
					} catch (error) {
						if (!(error instanceof TreeReadError)) {
							throw error;
						}
					}
				}
			},
		},
		{ name: 'proftool-profile', takes: is('proftool-profile'), read: readProftoolProfile },
		{ name: 'manifest', takes: is('manifest', 'other'), read: (source) => readNote(Buffer.from(readRange(source, 0, source.sizeBytes)).toString()) },
		{
			name: 'agent-log',
			takes: is('agent-log'),
			read: (source) => {
				const log = readAgentLog(source);
				const details = new MethodDetails(source, log);
				for (const load of log.loads.slice(0, MOST_PIECES)) {
					const { described } = readLoadDetails(source, load);
					forEachRelocation(readRelocationBytes(source, load), relocationLayout(log.vmVersion, 'x86-64'), 'x86-64', load.constantsBytes, () => true);
					for (const { method, bci } of [...described].slice(0, MOST_PIECES).flatMap(({ frames }) => frames)) {
						details.lineOf(method, bci);
						details.bytecodeAt(method, bci);
					}
				}
			},
		},
		{
			name: 'jitdump',
			takes: is('jitdump'),
			read: (source) => {
				const dump = readJitdump(source);
				for (const code of dump.code.slice(0, MOST_PIECES)) {
					linesOfCode(source, dump, code);
				}
			},
		},
		{ name: 'yaml-remarks', takes: isYamlRemarks, read: readYamlRemarks },
		{ name: 'bitstream-remarks', takes: isBitstreamRemarks, read: readBitstreamRemarks },
		{
			name: 'debug-information',
			takes: isLinkedElf,
			read: (source) => {
				readCodeLayout(source)?.addressOf(0x1200);
				const information = openDebugInformation(
					source,
					() => source,
					() => undefined,
				);
				for (let address = 0x1000; address < 0x1400; address += 16) {
					information?.chainAt(address);
				}
			},
		},
		{ name: 'jfr-compilers', takes: is('flight-recording'), read: (source) => readJfrEvents(source, 'compilers') },
		{ name: 'jfr-jvm', takes: is('flight-recording'), read: (source) => readJfrEvents(source, 'jvm') },
		{
			name: 'jfr-time',
			takes: is('flight-recording'),
			read: (source) => {
				const { file } = profileOfJfr(readJfr(source));
				const best = bestSampleKind(file);
				if (file.stacks !== null && best !== null) {
					const compilations = recordedCompilations([{ name: source.name, read: readJfrEvents(source, 'compilers') }])?.history.compilations ?? [];
					const counted = { samples: file.stacks, event: best.kind.number, jvmStartEpochNs: file.jvmStartEpochNs, filter: {} };
					const { lines, hotMethods } = heatOfStacks({ ...counted, compilations });
					for (const { method } of hotMethods.slice(0, MOST_PIECES)) {
						lines.lineOf(method, 10);
					}
					stackedOfStacks({ ...counted, window: { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY } });
				}
			},
		},
		{ name: 'perf-map', takes: is('perf-map'), read: readPerfMap },
		{ name: 'native-symbols', takes: is('native-symbols'), read: readNativeSymbolsFile },
		{ name: 'page-faults', takes: (head) => head.includes('page-faults:'), read: readPageFaults },
		{ name: 'executed-instructions', takes: is('executed-instructions'), read: readInstructionList },
		{ name: 'order-dump', takes: (head) => head.startsWith('ASSAYORD'), read: readOrderDumps },
		{ name: 'order-map', takes: is('order-map'), read: readOrderMap },
		{
			name: 'clang-order',
			takes: is('order-map'),
			read: (source) => readClangOrderBuffer(source, readClangOrderMap(source)),
		},
		{ name: 'bb-addr-map', takes: isElfFile, read: readBlockMap },
		{ name: 'block-list', takes: isBlockList, read: readBlockList },
		{ name: 'order-file', takes: is('order-trace'), read: (source) => [readSymbolOrder(source), readSymbolOrder(source, 'arm64')] },
		{ name: 'elf-symbols', takes: isElfFile, read: readElfSymbols },
		{
			name: 'elf-native',
			takes: isElfFile,
			read: (source) => [readBuildId(source), readDynamicNames(source), readNativeSymbols(source, source), readElfSection(source, '.text'), ...rulesOf(source)],
		},
		{ name: 'lld-map', takes: (head) => /^ +VMA +LMA/.test(head), read: readLldMap },
		{ name: 'gcda', takes: isGcda, read: readGcda },
		{ name: 'gcno', takes: (head) => head.startsWith('oncg'), read: readGcno },
		{ name: 'ld64-map', takes: (head) => head.startsWith('# Path: '), read: readLd64Map },
		{ name: 'mold-map', takes: (head) => /^ +VMA +Size/.test(head), read: readMoldMap },
		{ name: 'gnu-map', takes: isGnuMap, read: readGnuMap },
		{ name: 'mach-o', takes: isMachO, read: (source) => readMachOSections(source, '__TEXT', '__text') },
		{ name: 'nm', takes: is('linked-program'), read: readNmListing },
		{ name: 'readelf', takes: is('linked-program'), read: readReadelfListing },
		{ name: 'class-file', takes: isClass, read: (source) => readClassBytes(readRange(source, 0, source.sizeBytes), source.name) },
		{ name: 'javap', takes: isJavap, read: readJavap },
		{
			name: 'tar',
			takes: isTar,
			read: (source) => readTar(source).members.map(({ source: part }) => readRange(part, 0, part.sizeBytes).length),
		},
		{
			name: 'uftrace-data',
			takes: isTar,
			// The folder as an archive.
			read: (source) => {
				const members = new Map(readTar(source).members.map(({ path, source: part }) => [path.split('/').at(-1) ?? '', part]));
				return isUftraceFolder([...members.keys()]) ? readUftraceData('a', members) : null;
			},
		},
		{
			name: 'llvm-ir',
			takes: (head) => /^(?:; ModuleID|source_filename|target )/m.test(head) && /^define /m.test(head),
			read: (source) => {
				readIrModule(source);
				rewriteIr(source, { globals: '@a = global i8 0\n', prologue: () => '  br label %b\nb:\n', continuation: 'b' }, () => {});
			},
		},
	];
}

export function sourceOf(bytes: Uint8Array): Source {
	return memorySource('input', bytes);
}

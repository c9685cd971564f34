/** The tables of `assay export`: what a recording holds, a row for each thing, for programs that read tables. docs/export.md explains the columns. */
import type { HotReport } from '../hot/hot-results.js';
import type { CompilerMemory } from '../model/compiler-memory.js';
import type { CallDecision, CompilationHistory, JitCompilation } from '../model/jit-compilation.js';
import type { Safepoint } from '../model/safepoint.js';
import { framesOfNode, type StackedSamples, type StackFrame, threadName, totalWeight } from '../model/stacked-samples.js';
import type { Cell, Column, ColumnType, Table } from '../model/table.js';
import { columnMeaning } from './column-meanings.js';
import type { ExportResult } from './results.js';
import { mapped, type Streamed } from './streamed.js';
import type { TableName } from './table-names.js';

/** Of each table its rows as objects, each made when it is taken. */
export function tablesResult(tables: readonly Table[]): Streamed<ExportResult> {
	const objects = ({ columns, rows }: Table): Iterable<Readonly<Record<string, Cell>>> =>
		mapped(rows(), (row) => Object.fromEntries(columns.map((column, i): [string, Cell] => [column.name, row[i] ?? null])));
	// Names and types of columns are given as values: a test holds them against the schema.
	return { tables: Object.fromEntries(tables.map((table) => [table.name, objects(table)])) } as unknown as Streamed<ExportResult>;
}

/** `samplesOf`: null where there are no samples. */
export function compilationsTable({ compilations }: CompilationHistory, samplesOf: ReadonlyMap<string, number> | null): Table {
	return table<JitCompilation>('compilations', () => compilations, [
		['handle', 'text', ({ compileId }) => `c${compileId}`],
		['compileId', 'text', ({ compileId }) => compileId],
		['kind', 'text', ({ kind }) => kind],
		['method', 'text', ({ method }) => method],
		['signature', 'text', ({ signature }) => signature],
		['compiler', 'text', ({ compiler }) => compiler],
		['level', 'integer', ({ level }) => level],
		['osrBci', 'integer', ({ osrBci }) => osrBci],
		['samples', 'integer', ({ compileId }) => samplesOf?.get(compileId) ?? (samplesOf === null ? null : 0)],
		['queuedMs', 'number', ({ queuedMs }) => queuedMs],
		['startedMs', 'number', ({ startedMs }) => startedMs],
		['doneMs', 'number', ({ doneMs }) => doneMs],
		['installedMs', 'number', ({ installedMs }) => installedMs],
		['notEntrantMs', 'number', ({ notEntrant }) => notEntrant?.ms ?? null],
		['notEntrantReason', 'text', ({ notEntrant }) => notEntrant?.reason ?? null],
		['removedMs', 'number', ({ removedMs }) => removedMs],
		['failure', 'text', ({ failure }) => failure?.reason ?? null],
		['sizeBytes', 'integer', ({ sizeBytes }) => sizeBytes],
		['nmethodBytes', 'integer', ({ nmethodBytes }) => nmethodBytes],
		['bytecodeBytes', 'integer', ({ bytecodeBytes }) => bytecodeBytes],
		['inlinedBytes', 'integer', ({ inlinedBytes }) => inlinedBytes],
		['invocations', 'integer', ({ invocations }) => invocations],
		['backedges', 'integer', ({ backedges }) => backedges],
		['deoptimizations', 'integer', ({ deoptimizations }) => deoptimizations.length],
		['threadId', 'integer', ({ threadId }) => threadId],
	]);
}

interface Decided {
	readonly compilation: JitCompilation;
	readonly decision: CallDecision;
}

export function inliningTable({ compilations }: CompilationHistory, readDecisions: (compilation: JitCompilation) => readonly CallDecision[]): Table {
	function* decided(): Iterable<Decided> {
		for (const compilation of compilations) {
			for (const decision of readDecisions(compilation)) {
				yield { compilation, decision };
			}
		}
	}
	return table<Decided>('inlining', decided, [
		['compileId', 'text', ({ compilation }) => compilation.compileId],
		['method', 'text', ({ compilation }) => compilation.method],
		['compiler', 'text', ({ compilation }) => compilation.compiler],
		['level', 'integer', ({ compilation }) => compilation.level],
		['bcis', 'text', ({ decision }) => decision.bcis.join(' ')],
		['bci', 'integer', ({ decision }) => decision.bcis.at(-1) ?? null],
		['depth', 'integer', ({ decision }) => decision.bcis.length],
		['callee', 'text', ({ decision }) => decision.callee],
		['inlined', 'boolean', ({ decision }) => decision.inlined],
		['intrinsic', 'boolean', ({ decision }) => decision.intrinsic],
		['reason', 'text', ({ decision }) => decision.reason],
		[
			'receivers',
			'text',
			({ decision: { receivers } }) => (receivers.length === 0 ? null : receivers.map(({ typeName, count }) => `${typeName} ${count}`).join(', ')),
		],
	]);
}

/** More samples have a row for each stack. */
const MOST_ROWS = 10_000_000;

/** The counted samples of `assay hot`, in the order of the profile. */
export function samplesTable(stacked: StackedSamples): Table {
	const { frames, threads, timeSeconds, originSeconds, periods } = stacked;
	const stacks = new Map<number, readonly number[]>();
	const stackOf = (sample: number): readonly number[] => {
		const node = stacked.node[sample]!;
		const stack = stacks.get(node) ?? framesOfNode(stacked, node);
		stacks.set(node, stack);
		return stack;
	};
	const leafOf = (sample: number): StackFrame => frames[stacked.nodeFrame[stacked.node[sample]!]!]!;
	/** What was compiled as a whole, around all that was inlined at the instruction. */
	const compiledOf = (sample: number): StackFrame => {
		const stack = stackOf(sample);
		return frames[stack[stack.length - 1 - leafOf(sample).inlineDepth]!]!;
	};
	const { weights, unit } = stacked;
	const isRepeated = weights !== undefined && unit === 'samples' && totalWeight(stacked) <= MOST_ROWS;
	function* rows(): Iterable<number> {
		for (let i = 0; i < stacked.length; i++) {
			for (let count = isRepeated ? Math.round(weights[i]!) : 1; count > 0; count--) {
				yield i;
			}
		}
	}
	return table<number>('samples', rows, [
		['timeSeconds', 'number', (i) => (timeSeconds === null ? null : Math.round((timeSeconds[i]! - originSeconds) * 1e6) / 1e6)],
		['thread', 'text', (i) => threadName(threads[stacked.thread[i]!] ?? { name: '', id: -1 })],
		['threadId', 'integer', (i) => ((threads[stacked.thread[i]!]?.id ?? -1) < 0 ? null : (threads[stacked.thread[i]!]?.id ?? null))],
		['event', 'text', () => stacked.event],
		['period', 'number', (i) => periods?.[i] ?? (isRepeated ? null : (weights?.[i] ?? null))],
		['kind', 'text', (i) => leafOf(i).kind],
		['method', 'text', (i) => leafOf(i).name],
		['line', 'integer', (i) => leafOf(i).line],
		['bci', 'integer', (i) => leafOf(i).bci],
		['library', 'text', (i) => leafOf(i).library],
		['address', 'text', (i) => (Number.isNaN(leafOf(i).address) ? null : hexadecimal(leafOf(i).address))],
		['compileId', 'text', (i) => leafOf(i).code?.compileId ?? null],
		['compiledMethod', 'text', (i) => (leafOf(i).code?.compileId == null ? null : compiledOf(i).name)],
		['compiler', 'text', (i) => leafOf(i).code?.compiler ?? null],
		['level', 'integer', (i) => leafOf(i).code?.level ?? null],
		['depth', 'integer', (i) => stackOf(i).length],
		[
			'stack',
			'text',
			(i) =>
				stackOf(i)
					.map((frame) => frames[frame]!.name.replaceAll(';', '_'))
					.join(';'),
		],
	]);
}

export function regionsTable({ regions }: HotReport): Table {
	return table<HotReport['regions'][number]>('regions', () => regions, [
		['handle', 'text', ({ handle }) => handle],
		['method', 'text', ({ method }) => method],
		['source', 'text', ({ source }) => source],
		['library', 'text', ({ library }) => library],
		['compileId', 'text', ({ heat }) => heat?.code.compileId ?? null],
		['startAddress', 'text', ({ start }) => hexadecimal(start)],
		['endAddress', 'text', ({ end }) => hexadecimal(end)],
		['samples', 'integer', ({ samples }) => samples],
		['percent', 'number', ({ share }) => share.percent],
		['percentLow', 'number', ({ share }) => share.low],
		['percentHigh', 'number', ({ share }) => share.high],
		['isRankSure', 'boolean', ({ isRankSure }) => isRankSure],
		['instructions', 'integer', ({ lines }) => lines.length],
		['loopDepth', 'integer', ({ loop }) => loop?.depth ?? 0],
		['owner', 'text', ({ owner }) => owner?.method ?? null],
		['ownerSamples', 'integer', ({ owner }) => owner?.samples ?? null],
	]);
}

export function safepointsTable(safepoints: readonly Safepoint[]): Table {
	return table<Safepoint>('safepoints', () => safepoints, [
		['operation', 'text', ({ operation }) => operation],
		['endUptimeNs', 'integer', ({ end }) => end.uptimeNs],
		['endMonotonicNs', 'integer', ({ end }) => end.monotonicNs],
		['endEpochNs', 'text', ({ end }) => (end.epochNs === null ? null : String(end.epochNs))],
		['sinceLastNs', 'integer', ({ sinceLastNs }) => sinceLastNs],
		['reachingNs', 'integer', ({ reachingNs }) => reachingNs],
		['cleanupNs', 'integer', ({ cleanupNs }) => cleanupNs],
		['atSafepointNs', 'integer', ({ atSafepointNs }) => atSafepointNs],
		['leavingNs', 'integer', ({ leavingNs }) => leavingNs],
		['totalNs', 'integer', ({ totalNs }) => totalNs],
		['runningThreads', 'integer', ({ runningThreads }) => runningThreads],
		['totalThreads', 'integer', ({ totalThreads }) => totalThreads],
		['lateThreads', 'text', ({ timeout }) => timeout?.threads.map(({ name }) => name).join(', ') ?? null],
		['line', 'integer', ({ line }) => line],
	]);
}

export function memoryTable(compilations: readonly (CompilerMemory & { readonly handle: string })[]): Table {
	type Row = (typeof compilations)[number];
	return table<Row>('memory', () => compilations, [
		['handle', 'text', ({ handle }) => handle],
		['compileId', 'text', ({ compileId }) => compileId],
		['compiler', 'text', ({ compiler }) => compiler],
		['level', 'integer', ({ level }) => level],
		['osrBci', 'integer', ({ osrBci }) => osrBci],
		['method', 'text', ({ method }) => method],
		['signature', 'text', ({ signature }) => signature],
		['totalBytes', 'integer', ({ totalBytes }) => totalBytes],
		['nodes', 'integer', ({ nodes }) => nodes],
		['result', 'text', ({ result }) => result],
		['limitBytes', 'integer', ({ limitBytes }) => limitBytes],
		['hitLimit', 'boolean', ({ hitLimit }) => hitLimit],
		['seconds', 'number', ({ seconds }) => seconds],
		['thread', 'text', ({ thread }) => thread],
	]);
}

interface ArenaRow {
	readonly handle: string;
	readonly compileId: string | null;
	readonly arena: string;
	readonly bytes: number;
}

/** What each arena held at the peak of a compilation; those that held nothing are left out. */
export function arenasTable(compilations: readonly (CompilerMemory & { readonly handle: string })[]): Table {
	function* rows(): Iterable<ArenaRow> {
		for (const { handle, compileId, byArena } of compilations) {
			for (const [i, arena] of byArena.arenas.entries()) {
				const bytes = byArena.bytes[i] ?? 0;
				if (bytes > 0) {
					yield { handle, compileId, arena, bytes };
				}
			}
		}
	}
	return table<ArenaRow>('arenas', rows, [
		['handle', 'text', ({ handle }) => handle],
		['compileId', 'text', ({ compileId }) => compileId],
		['arena', 'text', ({ arena }) => arena],
		['bytes', 'integer', ({ bytes }) => bytes],
	]);
}

/** What a row of each table is. */
const MEANINGS: Record<TableName, string> = {
	compilations: 'a compilation of the JVM',
	inlining: 'a decision about a callee at a call',
	samples: 'a counted sample',
	regions: 'a hot region of code',
	safepoints: 'a safepoint of the JVM',
	memory: 'what a compilation cost the compiler',
	arenas: "bytes of one of the compiler's arenas at the peak of a compilation",
};

/** By the end of a column's name. */
const UNITS: readonly (readonly [end: RegExp, unit: string])[] = [
	[/seconds$/i, 's'],
	[/Ms$/, 'ms'],
	[/Ns$/, 'ns'],
	[/bytes$/i, 'bytes'],
	[/^percent/, '%'],
	[/samples$/i, 'samples'],
];

type Draft<T> = readonly [name: string, type: ColumnType, cell: (row: T) => Cell];

function table<T>(name: TableName, rows: () => Iterable<T>, drafts: readonly Draft<T>[]): Table {
	const columns = drafts.map(([columnName, type]): Column => {
		const unit = UNITS.find(([end]) => end.test(columnName))?.[1];
		const meaning = columnMeaning(name, columnName);
		return { name: columnName, type, ...(unit === undefined ? {} : { unit }), ...(meaning === undefined ? {} : { meaning }) };
	});
	return {
		name,
		meaning: MEANINGS[name],
		columns,
		*rows() {
			for (const row of rows()) {
				yield drafts.map(([, , cell]) => cell(row));
			}
		},
	};
}

function hexadecimal(address: number): string | null {
	return Number.isNaN(address) ? null : `0x${BigInt.asUintN(64, BigInt(address)).toString(16)}`;
}

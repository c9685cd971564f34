/** From files that the user named to layouts of code, traces and orders; what a file is, is told by its content. */
import path from 'node:path';
import { memorySource, readRange, type Source } from '../../bytes/source.js';
import { isBlockList, type ReadBlockList, readBlockList } from '../../formats/block-list/read.js';
import { readSymbolOrder, type SymbolOrder } from '../../formats/order-file/read.js';
import type { ExecutionTrace } from '../../model/executed-code.js';
import { notLoaded } from '../../model/load-address.js';
import { InputError, type Problem } from '../../model/problem.js';
import type { LayoutBlocks, TextLayout } from '../../model/text-layout.js';
import { openFile } from '../../recording/file-source.js';
import type { LogFile } from '../../recording/log-file.js';
import { OrderMaps } from '../../recording/open-function-traces.js';
import { functionsWithOtherBlocks } from '../../startup/carry-blocks.js';
import type { TraceSummary } from '../../startup/results.js';
import { type LaidTrace, layTrace } from '../../startup/trace-on-layout.js';
import { readExecutionTraces } from './read-execution-traces.js';
import { type ReadProgram, readProgram } from './read-program.js';
import { shortName, type TraceOfFile, withUniqueNames } from './trace-names.js';

const HEAD_BYTES = 1 << 16;

/** Gives what an order says to the linker of a program. */
type OrderFor = (layout: Pick<TextLayout, 'machOArchitecture'>) => SymbolOrder;

/** Files that were read, and what was wrong with them. */
export class OrderInputs {
	readonly problems: Problem[] = [];
	private readonly workingDirectory: string;
	/** Programs that were read, as the user named them, which are ELF files. */
	private readonly elfFiles = new Set<string>();

	/** `workingDirectory`: where relative paths start. */
	constructor(workingDirectory: string) {
		this.workingDirectory = workingDirectory;
	}

	/** A linked program: ELF, or the listing of nm, readelf or a linker of one. Throws an InputError when it is none of these, or holds no code. */
	async layout(name: string): Promise<TextLayout> {
		return (await this.program(name, null)).layout;
	}

	/** The same, with which of the names its debug information has, where it has any. */
	async program(name: string, names: (() => ReadonlySet<string>) | null): Promise<Pick<ReadProgram, 'layout' | 'debugNames'>> {
		const program = await readProgram(this.fileOf(name), shortName(name), names);
		if (program.isElf) {
			this.elfFiles.add(name);
		}
		this.problems.push(...program.problems);
		return program;
	}

	/** Lists of executed instructions, or what is known of first executions; a file may hold several traces. They are in the order of the files. `recordedOn` is the program, if it has been read, that ran. */
	async traces(given: readonly (string | WeightedTrace)[], maps: readonly string[], recordedOn: string | undefined): Promise<TraceOfFile[]> {
		const program = recordedOn !== undefined && this.elfFiles.has(recordedOn) ? this.fileOf(recordedOn) : null;
		const opened = new OrderMaps(maps.map((map) => this.fileOf(map)));
		const all: TraceOfFile[] = [];
		for (const { file, weight } of given.map(weighted)) {
			const { traces, problems } = await readExecutionTraces(this.fileOf(file), shortName(file), weight, opened, program);
			for (const problem of problems) {
				this.problems.push(problem);
			}
			for (const trace of traces) {
				all.push({ file: { name: file }, trace });
			}
		}
		return withUniqueNames(all);
	}

	/** Traces that have nothing to do with the program are unusable; what is missing of the others is told. */
	checkTraces(traces: readonly TraceSummary[], file: string, program: string): void {
		const unloaded = traces.find(({ loaded }) => loaded?.by === null);
		if (unloaded !== undefined) {
			throw new InputError(notLoaded(unloaded.name, program));
		}
		const stranger = traces.find(({ functions }) => functions === 0);
		if (stranger !== undefined) {
			throw new InputError({
				severity: 'error',
				file,
				message: `nothing of the trace ${stranger.name} is in the program`,
				action: 'name the binary that it was recorded on with --recorded-on',
			});
		}
		this.problems.push(...traces.flatMap(placementProblems));
	}

	/** Traces of one program are carried to the other by block: tells where the two are of different compiles. */
	checkBlocks(recordedOn: TextLayout, programs: readonly TextLayout[]): void {
		for (const program of programs) {
			const others = recordedOn === program ? [] : functionsWithOtherBlocks(recordedOn, program);
			if (others.length > 0) {
				this.problems.push({
					severity: 'warning',
					file: program.name,
					message: `${others.length} functions have other blocks than in ${recordedOn.name} (${others.slice(0, 3).join(', ')}${others.length > 3 ? ', …' : ''}): another source, compiler or flags`,
					action: 'what ran of them is carried by its distance from their start; trace the program as it is built now',
				});
			}
		}
	}

	/** Gives what the file says to the linker of a program. */
	async order(name: string): Promise<OrderFor> {
		return this.orderOf(await this.whole(name));
	}

	/** A list of basic blocks, or what {@link OrderInputs.order} gives. */
	async blockListOrOrder(name: string): Promise<{ readonly list: ReadBlockList } | { readonly list: null; readonly orderFor: OrderFor }> {
		const text = await this.whole(name);
		if (!isBlockList(Buffer.from(readRange(text, 0, Math.min(HEAD_BYTES, text.sizeBytes))).toString('latin1'))) {
			return { list: null, orderFor: this.orderOf(text) };
		}
		const { list, problems } = readBlockList(text);
		this.problems.push(...problems);
		return { list };
	}

	/** What a line means depends on the linker, which may be known later only; standard input can be read once. */
	private orderOf(text: Source): OrderFor {
		const known = new Map<string | null, SymbolOrder>();
		return ({ machOArchitecture }) => {
			const before = known.get(machOArchitecture);
			if (before !== undefined) {
				return before;
			}
			const { order, problems } = readSymbolOrder(text, machOArchitecture);
			known.set(machOArchitecture, order);
			this.problems.push(...problems);
			return order;
		};
	}

	private async whole(name: string): Promise<Source> {
		const { filePath, name: shown } = this.fileOf(name);
		const { source, problems } = await openFile(filePath, shown);
		try {
			this.problems.push(...problems);
			return memorySource(shown, readRange(source, 0, source.sizeBytes));
		} finally {
			source.close();
		}
	}

	private fileOf(name: string): LogFile {
		return fileOf(name, this.workingDirectory);
	}
}

/** The blocks of a program. Throws an InputError where it does not tell them. */
export function blocksOf({ blocks }: TextLayout, program: string): LayoutBlocks {
	if (blocks == null || blocks.ids.length === 0) {
		throw new InputError({
			severity: 'error',
			file: program,
			message: 'does not tell its basic blocks: it has no section .llvm_bb_addr_map of its functions',
			action: 'compile it with clang 19 or newer and -fbasic-block-address-map (with -flto also -Wl,--lto-basic-block-address-map), and do not strip it',
		});
	}
	return blocks;
}

/** The file that a user named; `-` is standard input. */
export function fileOf(name: string, workingDirectory: string): LogFile {
	return name === '-' ? { filePath: '/dev/stdin', name: 'standard input' } : { filePath: path.resolve(workingDirectory, name), name };
}

/** What ran, and how much it counts. */
export interface WeightedTrace {
	readonly file: string;
	/** Above 0. */
	readonly weight: number;
}

export function weighted(trace: string | WeightedTrace): WeightedTrace {
	return typeof trace === 'string' ? { file: trace, weight: 1 } : trace;
}

/** What of a trace could not be found in the program, or not for sure. */
export function placementProblems({ name, unplaced, unknownNames, ambiguous, executedBytes }: TraceSummary): Problem[] {
	const problems: Problem[] = [];
	if (executedBytes === null && unplaced > 0) {
		const names = unknownNames.slice(0, 3).join(', ');
		problems.push({
			severity: 'warning',
			file: name,
			message: `${unplaced} functions of the trace are not in the program (${names}${unplaced > 3 ? ', …' : ''})`,
			action: 'they are left out: inlined away, or recorded on another build',
		});
	}
	if (ambiguous > 0) {
		problems.push({
			severity: 'warning',
			file: name,
			message: `${ambiguous} names of the trace belong to several functions`,
			action: 'the first of them that is free is taken; traces with addresses tell them apart',
		});
	}
	return problems;
}

/** A trace laid on the program that it was recorded on. Throws an InputError when nothing tells where that was loaded. */
export function laidOn(trace: ExecutionTrace, layout: TextLayout): LaidTrace {
	const laid = layTrace(trace, layout);
	if (laid.loaded?.by === null) {
		throw new InputError(notLoaded(trace.name, layout.name));
	}
	return laid;
}

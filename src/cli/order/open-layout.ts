/** From files that the user named to layouts of code, traces and orders; what a file is, is told by its content. */
import path from 'node:path';
import type { Source } from '../../bytes/source.js';
import { readRange } from '../../bytes/source.js';
import { debugNames, isElf, readElfSymbols } from '../../formats/elf-symbols/read.js';
import { isInstructionList, readInstructionList } from '../../formats/executed-instructions/read.js';
import { isLldMap, readLldMap } from '../../formats/lld-map/read.js';
import { isNmListing, readNmListing } from '../../formats/nm-listing/read.js';
import { readSymbolOrder, type SymbolOrder } from '../../formats/order-file/read.js';
import { isReadelfListing, readReadelfListing } from '../../formats/readelf-listing/read.js';
import type { ExecutionTrace } from '../../model/executed-code.js';
import { InputError, type Problem } from '../../model/problem.js';
import type { OutputSection, SymbolTable } from '../../model/symbol-table.js';
import type { TextLayout } from '../../model/text-layout.js';
import { openFile } from '../../recording/file-source.js';
import type { LogFile } from '../../recording/log-file.js';
import { inferLayout } from '../../startup/infer-layout.js';
import type { TraceSummary } from '../../startup/results.js';
import type { CommandIo } from '../io.js';
import { readFirstExecutions } from './read-first-executions.js';

const HEAD_BYTES = 1 << 16;

/** Files that were read, and what was wrong with them. */
export class OrderInputs {
	readonly problems: Problem[] = [];
	private readonly io: CommandIo;

	constructor(io: CommandIo) {
		this.io = io;
	}

	/** A linked program: ELF, or the listing of nm, readelf or lld of one. Throws an InputError when it is none of these, or holds no code. */
	async layout(name: string): Promise<TextLayout> {
		return (await this.program(name)).layout;
	}

	/** The same with the sections of the linked file. */
	async program(name: string): Promise<{ layout: TextLayout; sections: readonly OutputSection[] }> {
		return this.withFile(name, (source, head) => {
			const { table, problems } = readTable(source, head);
			this.problems.push(...problems);
			const layout = inferLayout(table, shortName(name));
			if (layout.functionNames.length === 0) {
				throw new InputError({ severity: 'error', file: name, message: 'holds no code that an order file could move', action: 'give a linked program' });
			}
			return { layout, sections: table.sections };
		});
	}

	/** A list of executed instructions, or what is known of first executions; a file may hold several traces. */
	async traces(name: string, weight: number, maps: readonly string[]): Promise<ExecutionTrace[]> {
		const read = await this.withFile(name, (source, head) => {
			if (!isInstructionList(head)) {
				return null;
			}
			const { instructions, problems } = readInstructionList(source);
			this.problems.push(...problems);
			return [{ name: shortName(name), weight, instructions, functions: null }];
		});
		if (read !== null) {
			return read;
		}
		const { traces, problems } = await readFirstExecutions(
			this.fileOf(name),
			shortName(name),
			weight,
			maps.map((map) => this.fileOf(map)),
		);
		this.problems.push(...problems);
		return traces;
	}

	/** Traces that have nothing to do with the program are unusable; what is missing of the others is told. */
	checkTraces(traces: readonly TraceSummary[], file: string): void {
		for (const { name, functions, unplaced, unknownNames, ambiguous, executedBytes } of traces) {
			if (functions === 0) {
				throw new InputError({
					severity: 'error',
					file,
					message: `nothing of the trace ${name} is in the program`,
					action: 'name the binary that it was recorded on with --recorded-on',
				});
			}
			if (executedBytes === null && unplaced > 0) {
				const names = unknownNames.slice(0, 3).join(', ');
				this.problems.push({
					severity: 'warning',
					file: name,
					message: `${unplaced} functions of the trace are not in the program (${names}${unplaced > 3 ? ', …' : ''})`,
					action: 'they are left out: inlined away, or recorded on another build',
				});
			}
			if (ambiguous > 0) {
				this.problems.push({
					severity: 'warning',
					file: name,
					message: `${ambiguous} names of the trace belong to several functions`,
					action: 'the first of them that is free is taken; traces with addresses tell them apart',
				});
			}
		}
	}

	async order(name: string): Promise<SymbolOrder> {
		return this.withFile(name, (source) => {
			const { order, problems } = readSymbolOrder(source);
			this.problems.push(...problems);
			return order;
		});
	}

	/** Which of the names the program's debug information has; null when there is none. */
	async debugNames(name: string, names: ReadonlySet<string>): Promise<ReadonlySet<string> | null> {
		return this.withFile(name, (source, head) => (isElf(head) ? debugNames(source, names) : null));
	}

	private fileOf(name: string): LogFile {
		return name === '-' ? { filePath: '/dev/stdin', name: 'standard input' } : { filePath: path.resolve(this.io.workingDirectory, name), name };
	}

	private async withFile<T>(name: string, read: (source: Source, head: string) => T): Promise<T> {
		const { filePath, name: shown } = this.fileOf(name);
		const { source, problems } = await openFile(filePath, shown);
		this.problems.push(...problems);
		try {
			return read(source, Buffer.from(readRange(source, 0, HEAD_BYTES)).toString('latin1'));
		} finally {
			source.close();
		}
	}
}

function readTable(source: Source, head: string): { table: SymbolTable; problems: Problem[] } {
	if (isElf(head)) {
		return readElfSymbols(source);
	}
	if (isLldMap(head)) {
		return readLldMap(source);
	}
	if (isReadelfListing(head)) {
		return readReadelfListing(source);
	}
	if (isNmListing(head)) {
		return readNmListing(source);
	}
	throw new InputError({
		severity: 'error',
		file: source.name,
		message: 'is neither an ELF file nor the listing of one',
		action: 'give a linked program, or the output of nm -n --print-size, of readelf -SsW, or of ld.lld -Map',
	});
}

/** What a layout or a trace is called: its file's name up to the first dot. */
export function shortName(name: string): string {
	const base = name === '-' ? 'stdin' : path.basename(name);
	return /^[^.]+/.exec(base)?.[0] ?? base;
}

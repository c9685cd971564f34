/** Opens Graal's optimization logs: a directory in which every file holds compilation units, or what a program printed with `-Djdk.graal.OptimizationLog=Stdout`. */
import fs from 'node:fs';
import path from 'node:path';
import { newBytes, readRange, type Source } from '../bytes/source.js';
import { isGraalOptimizationLog } from '../formats/graal-optimization-log/detect.js';
import { splitMultiMethodName } from '../formats/graal-optimization-log/multi-method.js';
import { TreeReader } from '../formats/graal-optimization-log/read-trees.js';
import { type ScannedUnit, type ScanProblem, scanOptimizationLog } from '../formats/graal-optimization-log/scan.js';
import { TreeReadError } from '../formats/graal-optimization-log/trees-of-json.js';
import type { CompilationTrees, LoggedCompilation } from '../model/compilation.js';
import { InputError, type Problem } from '../model/problem.js';
import { asInputError, type OpenedFile, openFile, UnreadableError } from './file-source.js';
import { isFolder, type LogFile, openLogFile } from './log-file.js';

/** What a directory of optimization logs holds. */
export interface OptimizationLog {
	/** In the order of file names, then of lines. */
	readonly compilations: readonly LoggedCompilation[];
	/** Lines that were skipped, in the order of the compilations. */
	readonly problems: readonly (Problem | ScanProblem)[];
	/** Compilations whose names no tool can take apart; they are not among `compilations`. */
	readonly malformedNames: readonly Problem[];
}

/** How a log is called and read. */
export interface OptimizationLogOptions {
	/** What messages call the directory. */
	readonly name?: string;
	/**
	 * Where to look for a unit when line ends are \r\n: `exact` where it is; `reference` where Graal's profdiff looks, which
	 * counts one byte for each line end and so misses every unit after the first.
	 */
	readonly unitOffsets?: 'exact' | 'reference';
	/** Told of each problem when it is found: also of those before one that ends the reading. */
	readonly onProblem?: (problem: Problem | ScanProblem) => void;
	/** The first file, where it was opened already. */
	readonly first?: OpenedFile | undefined;
	/** The files may be what a program printed. */
	readonly isOutput?: boolean;
}

const MAX_UNIT_BYTES = 1 << 30;

/**
 * Reads the first fields of every line. Throws an {@link InputError} when the directory or one of its files cannot be read;
 * lines that are no compilation units become problems.
 */
export async function openOptimizationLog(directory: string, options: OptimizationLogOptions = {}): Promise<OptimizationLog> {
	const name = options.name ?? directory;
	if (!isFolder({ filePath: directory, name })) {
		return openPrintedLog({ filePath: directory, name }, options);
	}
	return openOptimizationLogFiles(
		listFiles(directory, name).map((fileName) => ({ filePath: path.join(directory, fileName), name: path.join(name, fileName) })),
		options,
	);
}

async function openPrintedLog(file: LogFile, options: OptimizationLogOptions): Promise<OptimizationLog> {
	const log = await openOptimizationLogFiles([file], { unitOffsets: 'exact', isOutput: true });
	if (log.compilations.length + log.malformedNames.length === 0) {
		throw new UnreadableError(
			file.name,
			'Not a directory, and no line in it is a compilation',
			'give the directory that -Djdk.graal.OptimizationLogPath names, or what -Djdk.graal.OptimizationLog=Stdout printed',
		);
	}
	for (const problem of log.problems) {
		options.onProblem?.(problem);
	}
	return log;
}

/** The same for files that were found elsewhere, in their order. */
export async function openOptimizationLogFiles(files: readonly LogFile[], options: Omit<OptimizationLogOptions, 'name'> = {}): Promise<OptimizationLog> {
	const compilations: LoggedCompilation[] = [];
	const problems: Problem[] = [];
	const malformedNames: Problem[] = [];
	const trees = new TreeLoader(options.unitOffsets ?? 'exact');
	for (const [i, file] of files.entries()) {
		const { name: displayName } = file;
		if (isFolder(file)) {
			throw new UnreadableError(displayName, 'Is a directory', 'a log directory holds log files only: give the innermost one');
		}
		const opened = (i === 0 ? options.first : undefined) ?? (await openLogFile(file));
		const scan = scanFile(opened.source, displayName, options.isOutput ?? false);
		for (const problem of [...opened.problems, ...scan.problems]) {
			problems.push(problem);
			options.onProblem?.(problem);
		}
		for (const unit of scan.units) {
			const split = splitMultiMethodName(unit.fullName);
			if (split === null) {
				malformedNames.push({
					severity: 'error',
					file: displayName,
					line: unit.line,
					message: `expected '(' after the multi-method key in the method name ${JSON.stringify(unit.fullName)}`,
					action: 'the compilation unit is skipped',
				});
				continue;
			}
			compilations.push({
				compileId: unit.compileId,
				methodName: split.methodName,
				multiMethodKey: split.key,
				fullName: unit.fullName,
				sizeBytes: unit.endByte - unit.startByte,
				readTrees: () => trees.load(opened.source, unit),
			});
		}
	}
	return { compilations, problems, malformedNames };
}

/** So much of a file is looked at: names of methods are long. */
const LOG_HEAD_BYTES = 1 << 16;

/** The first file of a folder, where it begins as Graal's log does, which saves looking at the others: for {@link openOptimizationLog}; `name` is what messages call the folder. null: another file, or none. */
export async function openFirstLog(directory: string, name: string): Promise<OpenedFile | null> {
	try {
		const [first = ''] = fs.readdirSync(directory).sort();
		const isWanted = (head: Buffer): boolean => isGraalOptimizationLog(head.toString('latin1'));
		const opened = await openFile(path.join(directory, first), path.join(name, first), { headBytes: LOG_HEAD_BYTES, isWanted });
		if (isWanted(Buffer.from(readRange(opened.source, 0, LOG_HEAD_BYTES)))) {
			return opened;
		}
		opened.source.close();
		return null;
	} catch {
		return null;
	}
}

function listFiles(directory: string, name: string): string[] {
	try {
		return fs.readdirSync(directory).sort();
	} catch (error) {
		throw asInputError(error, name);
	}
}

function scanFile(source: Source, name: string, isOutput: boolean): ReturnType<typeof scanOptimizationLog> {
	try {
		return scanOptimizationLog(source, { isOutput });
	} catch (error) {
		throw asInputError(error, name);
	}
}

/** Reads the trees of units. */
class TreeLoader {
	private readonly reader = new TreeReader();
	private buffer = newBytes(1 << 16);
	private readonly unitOffsets: 'exact' | 'reference';

	constructor(unitOffsets: 'exact' | 'reference') {
		this.unitOffsets = unitOffsets;
	}

	load(source: Source, unit: ScannedUnit): CompilationTrees {
		try {
			return this.reader.read(this.line(source, unit));
		} catch (error) {
			if (error instanceof TreeReadError) {
				throw new InputError({
					severity: 'error',
					file: source.name,
					line: unit.line,
					offsetBytes: unit.startByte + (error.offset ?? 0),
					message: `the trees of compilation ${JSON.stringify(unit.compileId)} cannot be read: ${error.message}`,
					action: 'was the log cut off while it was written? Delete the line, or record again',
				});
			}
			throw asInputError(error, source.name);
		}
	}

	/** The bytes of the unit's line, in a buffer that the next call overwrites. */
	private line(source: Source, unit: ScannedUnit): Uint8Array {
		const shift = this.unitOffsets === 'reference' ? unit.crlfBefore : 0;
		const start = unit.startByte - shift;
		const length = unit.endByte - start;
		if (length > MAX_UNIT_BYTES) {
			throw new TreeReadError(`the line is ${length} bytes long, and at most ${MAX_UNIT_BYTES} are read`);
		}
		if (length > this.buffer.length) {
			this.buffer = newBytes(2 ** Math.ceil(Math.log2(length)));
		}
		let filled = 0;
		while (filled < length) {
			const count = source.read(this.buffer, filled, length - filled, start + filled);
			if (count === 0) {
				throw new TreeReadError('the file has become shorter since it was opened', filled);
			}
			filled += count;
		}
		const line = this.buffer.subarray(0, length);
		return shift === 0
			? line
			: line.subarray(
					0,
					line.findIndex((byte) => byte === 10 || byte === 13),
				);
	}
}

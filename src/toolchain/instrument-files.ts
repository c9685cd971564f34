/** Files of LLVM IR text to instrumented ones, each under its path below the common folder of all, and the map of their functions. */
import path from 'node:path';
import type { OrderMap, OrderMapModule } from '../model/order-map.js';
import { InputError, UsageError } from '../model/problem.js';
import { asInputError, openFile } from '../recording/file-source.js';
import { nameModules } from '../startup/module-id.js';
import { type Choice, describeModule, mapOf, type ScannedModule, scanModule, writeInstrumented, writeMapFile } from './instrument-modules.js';

export interface InstrumentRequest {
	/** Files, which may be packed. */
	readonly inputs: readonly string[];
	/** The folder that they go to. */
	readonly output: string;
	/** The file that the map goes to. */
	readonly map: string;
	readonly choice: Choice;
	/** Where relative paths start. */
	readonly workingDirectory: string;
	/** Told what is done. */
	readonly report: (text: string) => void;
}

/** A module, and where it went. */
interface InstrumentedModule {
	readonly input: string;
	readonly output: string;
	readonly sizeBytes: number;
	readonly module: OrderMapModule;
}

/** What was written where. */
export interface InstrumentedFiles {
	readonly modules: readonly InstrumentedModule[];
	readonly map: OrderMap;
	readonly mapPath: string;
	readonly output: string;
}

/**
 * Instruments files of LLVM IR text. Throws a {@link UsageError} where files would overwrite each other, and an {@link InputError} where one cannot be read or
 * instrumented, before anything is written, or where writing fails.
 */
export async function instrumentFiles(request: InstrumentRequest): Promise<InstrumentedFiles> {
	const { inputs, output, map: mapPath, choice, workingDirectory, report } = request;
	const resolve = (name: string): string => path.resolve(workingDirectory, name);
	const paths = inputs.map(resolve);
	const common = commonFolder(paths);
	const relative = paths.map((file) => path.relative(common, file).replace(/\.gz$/, ''));
	const outputs = relative.map((file) => path.join(output, file));
	checkPaths(inputs, paths, outputs.map(resolve));
	const scanned: ScannedModule[] = [];
	for (const [i, input] of inputs.entries()) {
		report(`reading ${input}`);
		const { source, problems } = await openFile(paths[i]!, input);
		if (problems[0] !== undefined) {
			throw new InputError(problems[0]);
		}
		scanned.push(scanModule(source));
	}
	const names = nameModules(scanned.map(({ ir }, i) => ({ source: ir.sourceFilename ?? '', path: relative[i]! })));
	const modules: InstrumentedModule[] = [];
	try {
		for (const [i, one] of scanned.entries()) {
			report(`writing ${outputs[i]}`);
			const module = describeModule(one, names[i]!, choice);
			writeInstrumented(one, module, choice, resolve(outputs[i]!));
			modules.push({ input: inputs[i]!, output: outputs[i]!, sizeBytes: one.source.sizeBytes, module });
			one.source.close();
		}
		const map = mapOf(
			modules.map(({ module }) => module),
			choice,
		);
		writeMapFile(map, resolve(mapPath));
		return { modules, map, mapPath, output };
	} catch (error) {
		throw writeError(error);
	}
}

/** An error of the operating system while writing. */
function writeError(error: unknown): unknown {
	const { path: file, code } = error as NodeJS.ErrnoException;
	return typeof code === 'string' ? asInputError(error, file ?? 'the output') : error;
}

function commonFolder(paths: readonly string[]): string {
	const folders = paths.map((file) => path.dirname(file).split(path.sep));
	const [first = []] = folders;
	let length = first.length;
	for (const folder of folders) {
		let same = 0;
		while (same < length && folder[same] === first[same]) {
			same++;
		}
		length = same;
	}
	return first.slice(0, length).join(path.sep) || path.sep;
}

function checkPaths(inputs: readonly string[], paths: readonly string[], outputs: readonly string[]): void {
	const seen = new Set<string>();
	outputs.forEach((file, i) => {
		if (seen.has(file)) {
			throw new UsageError(`"${inputs[i]}" is given twice, or another input would go to the same place`);
		}
		seen.add(file);
		if (paths.includes(file)) {
			throw new UsageError(`"${inputs[i]}" would be overwritten; give another folder with -o`);
		}
	});
}

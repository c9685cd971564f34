/** Reads samples by the reader of the file's own format. */
import type { ReadSamples, SampleHelp, SamplesFormat } from '../formats/format.js';
import { readNativeSymbolsFile } from '../formats/native-symbols/read.js';
import { type NativeSymbols, NO_SYMBOLS } from '../model/native-symbols.js';
import { InputError, type Problem } from '../model/problem.js';
import { type DetailsWanted, NO_DETAILS, type SampleDetails } from '../model/samples.js';
import type { EvidenceFile } from './find-evidence.js';
import { type LogFile, openLogFile } from './log-file.js';
import { machineSymbols } from './machine-symbols.js';
import { unwindTables } from './unwind-tables.js';
import { zstdStreams } from './zstd-stream.js';

/**
 * Where symbols of samples come from that have addresses only: the files of symbols of the recording or, where there are none, this machine. null: nobody asks
 * for symbols.
 */
export type SymbolFiles = readonly LogFile[] | null;

/** `programs`: executables that the samples may lie in. Throws an {@link InputError} when the file cannot be opened, or holds none. */
export async function readSamples(
	file: EvidenceFile,
	wanted: DetailsWanted,
	symbolFiles: SymbolFiles,
	programs: readonly LogFile[] = [],
): Promise<SampleDetails & ReadSamples & { readonly format: SamplesFormat }> {
	const samples = file.formats.find((row) => row.samples !== undefined)?.samples;
	if (samples === undefined) {
		throw new InputError({ severity: 'error', file: file.name, message: 'holds no samples', action: 'give the samples of the run' });
	}
	const opened = await openLogFile(file);
	try {
		const problems = [...opened.problems];
		const help = samples.hasAddressesOnly === true ? await helpOf(symbolFiles, programs, problems) : NO_HELP;
		const read = samples.read(opened.source, wanted, help);
		return { ...NO_DETAILS, ...read, problems: [...problems, ...read.problems], format: samples.format };
	} finally {
		opened.source.close();
	}
}

const NO_HELP: SampleHelp = { symbols: NO_SYMBOLS, openZstd: null };

async function helpOf(files: SymbolFiles, programs: readonly LogFile[], problems: Problem[]): Promise<SampleHelp> {
	const openZstd = await zstdStreams();
	return files === null ? { symbols: NO_SYMBOLS, openZstd } : { symbols: await openSymbols(files, problems), openZstd, tables: unwindTables(programs) };
}

async function openSymbols(files: readonly LogFile[], problems: Problem[]): Promise<NativeSymbols> {
	if (files.length === 0) {
		return machineSymbols();
	}
	const all: NativeSymbols[] = [];
	for (const file of files) {
		const opened = await openLogFile(file);
		const read = readNativeSymbolsFile(opened.source);
		opened.source.close();
		problems.push(...opened.problems, ...read.problems);
		all.push(read.symbols);
	}
	return {
		symbolsOf(library) {
			for (const symbols of all) {
				const found = symbols.symbolsOf(library);
				if (found !== null) {
					return found;
				}
			}
			return null;
		},
	};
}

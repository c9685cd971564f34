/** What `assay record` does with perf.data: counts the samples, and notes the symbols that they lie in, so that the folder can be read elsewhere. */
import fs from 'node:fs';
import path from 'node:path';
import { type UsedSymbol, writeNativeSymbols } from '../../formats/native-symbols/write.js';
import { readPerfData } from '../../formats/perf-data/read.js';
import type { NativeSymbols } from '../../model/native-symbols.js';
import { asInputError, openFile } from '../file-source.js';
import { machineSymbols } from '../machine-symbols.js';
import { unwindTables } from '../unwind-tables.js';
import { zstdStreams } from '../zstd-stream.js';
import type { SampledCode } from './executables.js';
import type { RecordRequest } from './record-request.js';
import type { Recorder } from './recorder.js';
import { NATIVE_SYMBOLS, PERF_DATA } from './recording-folder.js';

/**
 * Says in the manifest how many samples of which event there are, and writes the symbols. `held`: where libraries can be opened that the program deleted. The result is
 * what was sampled; null where it cannot be read, which is told.
 */
export async function describeSamples(recorder: Recorder, { outputFolder }: RecordRequest, held: ReadonlyMap<string, string>): Promise<SampledCode | null> {
	const { samples } = recorder.current;
	const used = new Map<string, UsedSymbol>();
	try {
		const { source } = await openFile(path.join(outputFolder, PERF_DATA), PERF_DATA);
		const read = readPerfData(source, 'all', {
			symbols: noting(await machineSymbols(held), used),
			openZstd: await zstdStreams(),
			tables: unwindTables([], held),
		});
		source.close();
		fs.writeFileSync(path.join(outputFolder, NATIVE_SYMBOLS), writeNativeSymbols(used.values()));
		for (const { severity, file, message, action } of read.problems) {
			recorder.problem(severity, file, message, action);
		}
		const { length: count, events, event } = read.samples;
		if (count === 0) {
			recorder.problem(
				'warning',
				PERF_DATA,
				'holds no sample',
				recorder.current.command.length === 0 ? 'what was watched did not run meanwhile' : 'did the program run long enough? Another --event may help',
			);
		}
		const sampled = { samples: read.samples, mappedCode: read.mappedCode ?? new Map(), ...(read.unwound === undefined ? {} : { unwound: read.unwound }) };
		if (samples === null) {
			return sampled;
		}
		// Where a processor counts no cycles, perf takes cpu-clock without a word.
		const counted = count === 0 ? null : events[event[0]!]!;
		const asked = samples.event.split(',').map((name) => name.replace(/:.*/, ''));
		if (counted !== null && asked.length === 1 && asked[0] !== counted) {
			recorder.problem('warning', PERF_DATA, `${samples.event} cannot be counted here`, `perf took ${counted} instead`);
			recorder.update({ samples: { ...samples, event: counted, count } });
		} else {
			recorder.update({ samples: { ...samples, count } });
		}
		return sampled;
	} catch (error) {
		const { message } = asInputError(error, PERF_DATA) as Error;
		recorder.problem('error', PERF_DATA, `the samples cannot be read (${message})`, 'the other files are complete');
		return null;
	}
}

function noting(symbols: NativeSymbols, used: Map<string, UsedSymbol>): NativeSymbols {
	return {
		symbolsOf(library) {
			const found = symbols.symbolsOf(library);
			return found === null
				? null
				: {
						find(address) {
							const symbol = found.find(address);
							if (symbol !== null) {
								used.set(`${symbol.start} ${library.buildId} ${library.name}`, { library, symbol });
							}
							return symbol;
						},
					};
		},
	};
}

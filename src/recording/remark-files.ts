/** Remarks of all files of a recording, read once, with a number for each function that they tell of. */
import { readBitstreamRemarks } from '../formats/llvm-remarks/read-bitstream.js';
import { readYamlRemarks } from '../formats/llvm-remarks/read-yaml.js';
import type { Problem } from '../model/problem.js';
import type { Remarks } from '../model/remarks.js';
import { headOfFile, type LogFile, openLogFile } from './log-file.js';

/** Remarks of one module. */
export interface RemarkFile {
	readonly name: string;
	readonly remarks: Remarks;
}

export interface RecordedRemarks {
	readonly files: readonly RemarkFile[];
	readonly problems: readonly Problem[];
	/** The functions that are told of, by linkage name, in the order of the files: the module that tells of each first, and the remarks there. */
	readonly functions: ReadonlyMap<string, RemarkedFunction>;
	/** From 1; functions without remarks come behind those with. */
	numberOf(symbol: string): number;
}

export interface RemarkedFunction {
	readonly symbol: string;
	readonly file: RemarkFile;
	/** In their order. */
	readonly remarks: readonly number[];
}

export async function readRemarkFiles(files: readonly LogFile[]): Promise<RecordedRemarks> {
	const read: RemarkFile[] = [];
	const problems: Problem[] = [];
	const functions = new Map<string, RemarkedFunction & { readonly remarks: number[] }>();
	for (const file of files) {
		const opened = await openLogFile(file);
		const isBitstream = (await headOfFile(file, 4)).startsWith('RMRK');
		const { remarks, problems: found } = isBitstream ? readBitstreamRemarks(opened.source) : readYamlRemarks(opened.source);
		opened.source.close();
		problems.push(...opened.problems, ...found);
		const one = { name: file.name, remarks };
		read.push(one);
		const byNumber = new Map<number, number[] | null>();
		for (let i = 0; i < remarks.length; i++) {
			const number = remarks.function[i]!;
			let own = byNumber.get(number);
			if (own === undefined) {
				const symbol = remarks.text(number);
				own = symbol === '' || functions.has(symbol) ? null : [];
				byNumber.set(number, own);
				if (own !== null) {
					functions.set(symbol, { symbol, file: one, remarks: own });
				}
			}
			own?.push(i);
		}
	}
	const numbers = new Map([...functions.keys()].map((symbol, i) => [symbol, i + 1]));
	return {
		files: read,
		problems,
		functions,
		numberOf(symbol) {
			let number = numbers.get(symbol);
			if (number === undefined) {
				number = numbers.size + 1;
				numbers.set(symbol, number);
			}
			return number;
		},
	};
}

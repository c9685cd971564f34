/** Remarks of all files of a recording, read once, with a number for each function that they tell of. */
import { readBitstreamRemarks } from '../formats/llvm-remarks/read-bitstream.js';
import { readYamlRemarks } from '../formats/llvm-remarks/read-yaml.js';
import type { Problem } from '../model/problem.js';
import { joinedRemarks, type Remarks } from '../model/remarks.js';
import { inlinerPasses } from './function-starts.js';
import { headOfFile, type LogFile, openLogFile } from './log-file.js';

export interface RecordedRemarks {
	/** Files with remarks. */
	readonly files: readonly string[];
	/** Of all of them. */
	readonly remarks: Remarks;
	readonly problems: readonly Problem[];
	/**
	 * The functions that are told of, by linkage name, in the order of the files, with their remarks. A function that several modules hold (of a header, of a template) has
	 * the remarks of a pass from the first of them.
	 */
	readonly functions: ReadonlyMap<string, RemarkedFunction>;
	/** From 1; functions without remarks come behind those with. */
	numberOf(symbol: string): number;
}

export interface RemarkedFunction {
	readonly symbol: string;
	readonly remarks: Remarks;
	/** In their order. */
	readonly own: readonly number[];
	/** Those of the inliner among them. */
	readonly inliner: readonly number[];
}

export async function readRemarkFiles(files: readonly LogFile[]): Promise<RecordedRemarks> {
	const parts: Remarks[] = [];
	const problems: Problem[] = [];
	for (const file of files) {
		const opened = await openLogFile(file);
		const isBitstream = (await headOfFile(file, 4)).startsWith('RMRK');
		const read = isBitstream ? readBitstreamRemarks(opened.source) : readYamlRemarks(opened.source);
		opened.source.close();
		problems.push(...opened.problems, ...read.problems);
		parts.push(read.remarks);
	}
	const remarks = joinedRemarks(parts);
	const functions = functionsOf(remarks, parts);
	const numbers = new Map([...functions.keys()].map((symbol, i) => [symbol, i + 1]));
	return {
		files: files.map(({ name }) => name),
		remarks,
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

function functionsOf(remarks: Remarks, parts: readonly Remarks[]): Map<string, RemarkedFunction> {
	/** By the number of a function's name; of each pass the file that tells it. */
	const byNumber = new Map<number, { readonly own: number[]; readonly inliner: number[]; readonly fileOfPass: Map<number, number> }>();
	const isInliner = inlinerPasses(remarks);
	let from = 0;
	parts.forEach(({ length }, file) => {
		for (let i = from; i < from + length; i++) {
			const name = remarks.function[i]!;
			let found = byNumber.get(name);
			if (found === undefined) {
				found = { own: [], inliner: [], fileOfPass: new Map() };
				byNumber.set(name, found);
			}
			const pass = remarks.pass[i]!;
			const first = found.fileOfPass.get(pass) ?? file;
			found.fileOfPass.set(pass, first);
			if (first === file) {
				found.own.push(i);
				if (isInliner(pass)) {
					found.inliner.push(i);
				}
			}
		}
		from += length;
	});
	const functions = new Map<string, RemarkedFunction>();
	for (const [name, { own, inliner }] of byNumber) {
		const symbol = remarks.text(name);
		if (symbol !== '') {
			functions.set(symbol, { symbol, remarks, own, inliner });
		}
	}
	return functions;
}

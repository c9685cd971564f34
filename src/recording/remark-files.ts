/** Remarks of all files of a recording, read once, with a number for each function that they tell of. */
import { readBitstreamRemarks } from '../formats/llvm-remarks/read-bitstream.js';
import { readYamlRemarks } from '../formats/llvm-remarks/read-yaml.js';
import type { Problem } from '../model/problem.js';
import { joinedRemarks, linkageName, type Remarks } from '../model/remarks.js';
import { inlinerPasses, remembered } from './function-starts.js';
import { headOfFile, type LogFile, openLogFile } from './log-file.js';

export interface RecordedRemarks {
	/** Files with remarks. */
	readonly files: readonly string[];
	/** Of all of them. */
	readonly remarks: Remarks;
	readonly problems: readonly Problem[];
	/**
	 * The functions that are told of, by linkage name, in the order of the files, with their remarks. A function that several modules hold (of a header, of a template) has
	 * the remarks from the first of them that emits its code, else those of a pass from the first; where modules were optimized when they were linked, from both steps.
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
			const name = linkageName(symbol);
			let number = numbers.get(name);
			if (number === undefined) {
				number = numbers.size + 1;
				numbers.set(name, number);
			}
			return number;
		},
	};
}

interface FoundFunction {
	readonly own: number[];
	readonly inliner: number[];
	/** The first file that emits its code; null for none. */
	emitter: number | null;
	/** Of each pass the file that tells it, compile steps before a link-time optimization apart. */
	readonly fileOfPass: Map<number, number>;
}

function functionsOf(remarks: Remarks, parts: readonly Remarks[]): Map<string, RemarkedFunction> {
	const functions = new Map<string, FoundFunction>();
	/** By the number of a function's name: ThinLTO gives one function two. */
	const byNumber = new Map<number, FoundFunction>();
	const find = (number: number): FoundFunction => {
		let found = byNumber.get(number);
		if (found === undefined) {
			const symbol = linkageName(remarks.text(number));
			found = functions.get(symbol) ?? { own: [], inliner: [], emitter: null, fileOfPass: new Map() };
			functions.set(symbol, found);
			byNumber.set(number, found);
		}
		return found;
	};
	const isInliner = inlinerPasses(remarks);
	const isEmitting = remembered((pass) => remarks.text(pass) === EMITTING_PASS);
	const ranges = rangesOf(parts);
	const emits = ranges.map(({ from, to }, file) => {
		let isThere = false;
		for (let i = from; i < to; i++) {
			const found = find(remarks.function[i]!);
			if (isEmitting(remarks.pass[i]!)) {
				found.emitter ??= file;
				isThere = true;
			}
		}
		return isThere;
	});
	ranges.forEach(({ from, to }, file) => {
		for (let i = from; i < to; i++) {
			const found = find(remarks.function[i]!);
			const pass = remarks.pass[i]!;
			const key = 2 * pass + (emits[file] === true ? 1 : 0);
			const first = (emits[file] === true ? found.emitter : null) ?? found.fileOfPass.get(key) ?? file;
			found.fileOfPass.set(key, first);
			if (first === file) {
				found.own.push(i);
				if (isInliner(pass)) {
					found.inliner.push(i);
				}
			}
		}
	});
	functions.delete('');
	return new Map([...functions].map(([symbol, { own, inliner }]) => [symbol, { symbol, remarks, own, inliner }]));
}

/** Tells of functions whose code is emitted: not in a compile step before a link-time optimization, nor of a copy that is only inlined. */
const EMITTING_PASS = 'asm-printer';

function rangesOf(parts: readonly Remarks[]): readonly { readonly from: number; readonly to: number }[] {
	let from = 0;
	return parts.map(({ length }) => {
		from += length;
		return { from: from - length, to: from };
	});
}

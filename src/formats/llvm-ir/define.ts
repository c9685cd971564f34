/** The line that begins a function's body: `define LINKAGE … TYPE @name(PARAMETERS) ATTRIBUTES {`. */
import type { Linkage } from '../../model/order-map.js';
import { endOfBrackets, endOfName, linkerSymbol, plainName, words } from './tokens.js';

export interface DefineLine {
	/** As IR spells it, without the `@`. */
	readonly irName: string;
	readonly symbol: string;
	readonly linkage: Linkage;
	/** The comdat, plain; null without one. */
	readonly comdat: string | null;
	/** Numbers of its attribute groups. */
	readonly attributeGroups: readonly number[];
	/** Attributes that stand on the line itself. */
	readonly attributes: readonly string[];
	/** Number of its DISubprogram. */
	readonly debugInfo: number | null;
	/** The number that the entry block has when it has no label: parameters without a name are numbered before it. */
	readonly unnamedParameters: number;
	/** Where the attributes after the parameters begin, in the line. */
	readonly tailStart: number;
}

const LINKAGES: readonly string[] = ['internal', 'private', 'weak', 'weak_odr', 'linkonce', 'linkonce_odr', 'available_externally', 'extern_weak', 'external'];

/** null: not a define that LLVM would print. */
export function parseDefine(line: string): DefineLine | null {
	const at = findName(line);
	if (at < 0) {
		return null;
	}
	const nameEnd = endOfName(line, at + 1);
	if (line[nameEnd] !== '(' || !/\{\s*$/.test(line)) {
		return null;
	}
	const tailStart = endOfBrackets(line, nameEnd);
	const parameters = line.slice(nameEnd + 1, tailStart - 1);
	const irName = line.slice(at + 1, nameEnd);
	const [, linkage = ''] = line.split(' ', 2);
	const tail = words(line.slice(tailStart).replace(/\{\s*$/, ''));
	const comdat = tail.find((word) => word === 'comdat' || word.startsWith('comdat('));
	const debugAt = tail.indexOf('!dbg');
	const debugInfo = debugAt < 0 ? null : /^!(\d+)$/.exec(tail[debugAt + 1] ?? '');
	return {
		irName,
		symbol: linkerSymbol(irName),
		linkage: (LINKAGES.includes(linkage) ? linkage : 'external') as Linkage,
		comdat: comdat === undefined ? null : comdat === 'comdat' ? plainName(irName) : plainName(comdat.slice('comdat($'.length, -1)),
		attributeGroups: tail.filter((word) => /^#\d+$/.test(word)).map((word) => Number(word.slice(1))),
		attributes: tail.filter((word) => /^[a-z"]/.test(word)),
		debugInfo: debugInfo === null ? null : Number(debugInfo[1]),
		unnamedParameters: countUnnamed(parameters),
		tailStart,
	};
}

/** Where the `@` of the function's name is: the first outside of quotes and brackets. */
function findName(line: string): number {
	let i = 'define '.length;
	while (i < line.length) {
		const letter = line[i]!;
		if (letter === '@') {
			return i;
		}
		if (letter === '"') {
			const end = line.indexOf('"', i + 1);
			i = end < 0 ? line.length : end + 1;
		} else if (letter === '(' || letter === '[' || letter === '{' || letter === '<') {
			i = endOfBrackets(line, i);
		} else {
			i++;
		}
	}
	return -1;
}

/** A parameter is a type, attributes and, last, perhaps a name; a name that is a number is none. */
function countUnnamed(parameters: string): number {
	let count = 0;
	let inParameter: string[] = [];
	const end = (): void => {
		const last = inParameter[inParameter.length - 1];
		if (last !== undefined && last !== '...') {
			const isNamed = inParameter.length > 1 && last.startsWith('%') && !/^%\d+$/.test(last);
			count += isNamed ? 0 : 1;
		}
		inParameter = [];
	};
	for (const word of words(parameters)) {
		if (word === ',') {
			end();
		} else {
			inParameter.push(word);
		}
	}
	end();
	return count;
}

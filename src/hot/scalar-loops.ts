/**
 * Hot loops over arrays that C2 left without vector instructions, and what of their code tells why. C2 vectorizes the body of a counted loop where it is one
 * basic block (HotSpot's superword.cpp); what it cannot take is seen in the generated code: checks of bounds that stayed inside, other ways out, branches,
 * values that go from each element to the next. x86-64 in AT&T syntax.
 */
import { assignmentOf, operandTexts, wholeRegister } from '../model/instruction-operands.js';
import { Flow, type Instructions } from '../model/instructions.js';
import type { HotReport, Region } from './hot-results.js';

/** Why C2 left a loop scalar, as far as its code shows. */
type ScalarReason = 'bounds' | 'exit' | 'branch' | 'reduction' | 'recurrence';

export interface ScalarLoop {
	readonly compileId: string;
	/** The innermost method that the loop's hottest instruction is of. */
	readonly method: string;
	readonly line: number | null;
	readonly bci: number | null;
	/** Of all samples. */
	readonly percent: number;
	readonly reason: ScalarReason;
	/** Checks of bounds on one way round. */
	readonly boundsChecks: number;
	/** Values that elements go into, each of which is computed from what it was on the way round before. */
	readonly sums: number;
}

/** Below this part of the samples a loop is not looked at. */
const LEAST_PERCENT = 5;

/** Innermost loops of C2's code, hottest first. */
export function scalarLoops({ regions, attribution }: HotReport): ScalarLoop[] {
	const result: ScalarLoop[] = [];
	for (const region of regions) {
		const percent = (100 * region.samples) / attribution.counted;
		const { heat, loop, lines } = region;
		if (percent < LEAST_PERCENT) {
			break;
		}
		const instructions = heat?.instructions ?? null;
		if (heat === null || instructions === null || heat.code.compileId === null || loop === null || loop.instructions !== lines.length) {
			continue;
		}
		if (heat.code.compiler !== 'c2' || lines.some((i) => instructions.flow[i] === Flow.Call)) {
			continue;
		}
		const found = scalarReason(instructions, lines);
		if (found !== null) {
			const frame = instructions.frames(hottest(region))[0];
			result.push({
				compileId: heat.code.compileId,
				method: frame?.method ?? heat.code.name,
				line: frame?.line ?? null,
				bci: frame?.bci ?? null,
				percent,
				...found,
			});
		}
	}
	return result;
}

function hottest({ heat, lines }: Region): number {
	const seen = heat?.seen ?? [];
	return lines.reduce((most, i) => (seen[i]! > seen[most]! ? i : most), lines[0]!);
}

/** An element of an array: base, index and the size of an element. What `r12` is the base of is mostly an object, its address compressed. */
const ELEMENT = /\((%r(?!12\b)\w+),(%r\w+),([1248])\)/;
/** Of elements of one byte: others have such addresses too. */
const BYTES = /^(?:v?mov[sz]?b|cmpb|addb|subb|xorb|orb|andb|testb)/;
/** Registers of vectors, and what packs several values into one. */
const VECTOR = /%[yz]mm|^v?(?:mov[au]p[sd]|movdq[au]|(?:add|sub|mul|div|min|max|sqrt|and|or|xor)p[sd]|padd|psub|pmul|pand|por|pxor|pcmp|pblend|pshuf|blendvp)/;
/** Scalar zeroing, or a constant: no vector. */
const CLEARS = /^v?(?:pxor|xorp[sd])\s+(%xmm\d+),(?:%xmm\d+,)?\1$/;

interface Element {
	readonly index: string;
	readonly isStore: boolean;
	readonly text: string;
}

function scalarReason(code: Instructions, lines: readonly number[]): Pick<ScalarLoop, 'reason' | 'boundsChecks' | 'sums'> | null {
	const texts = lines.map((i) => code.textAt(i).trim());
	if (texts.some((text) => VECTOR.test(text) && !CLEARS.test(text))) {
		return null;
	}
	if (looksUp(texts)) {
		return null;
	}
	const steps = steppedRegisters(texts);
	const elements = texts.flatMap((text) => elementOf(text) ?? []).filter(({ index }) => steps.has(index));
	if (!elements.some(({ isStore }) => !isStore)) {
		return null;
	}
	const inside = new Set(lines.map((i) => code.address[i]!));
	let boundsChecks = 0;
	let exits = 0;
	let branches = 0;
	let goesRound = false;
	// Comparisons of floats set the flags that those of unsigned numbers do.
	let comparesFloats = false;
	lines.forEach((i, at) => {
		comparesFloats = /^v?u?comis/.test(texts[at]!) || (comparesFloats && !/^(?:cmp|test)/.test(texts[at]!));
		if (code.flow[i] !== Flow.Branch) {
			return;
		}
		const target = code.target[i]!;
		const isOut = !inside.has(target);
		if (isOut && /^j(?:ae|nb|a|b|be|nc|c)\b/.test(texts[at]!) && !comparesFloats) {
			boundsChecks++;
		} else if (isOut) {
			exits++;
		} else if (target === code.address[lines[0]!]) {
			goesRound = true;
		} else {
			branches++;
		}
	});
	// The limit is a way out itself where an unconditional jump goes round.
	exits -= goesRound ? 0 : 1;
	const reason = exits > 0 ? 'exit' : boundsChecks > 0 ? 'bounds' : branches > 0 ? 'branch' : chainOf(texts, elements);
	return reason === null ? null : { reason, boundsChecks, sums: sumsOf(texts, steps) };
}

function elementOf(text: string): Element | null {
	const [operand, , index = '', scale] = ELEMENT.exec(text) ?? [];
	if (operand === undefined || /^(?:lea|prefetch|nop)/.test(text) || (scale === '1' && !BYTES.test(text))) {
		return null;
	}
	return { index: wholeRegister(index), isStore: text.endsWith(operand) && !/^(?:cmp|test)/.test(text), text };
}

/** Operations whose result goes on by steps where what goes in does. */
const LINEAR = /^(?:add|sub|inc|dec|lea|movabs|movslq|movsxd|mov|cltq)[lq]?\b/;

/** Registers that are made in the loop from steps and from what it does not change: an index that other memory is looked up for is none. */
function steppedRegisters(texts: readonly string[]): ReadonlySet<string> {
	const assignments = texts.flatMap((text) => {
		const assignment = assignmentOf(text);
		return assignment === null || assignment.to.includes('(') ? [] : [{ ...assignment, isLinear: LINEAR.test(text) && !readsMemory(text) }];
	});
	const written = new Set(assignments.map(({ to }) => to));
	const stepped = new Set(written);
	for (let size = -1; size !== stepped.size; ) {
		size = stepped.size;
		for (const { to, from, isLinear } of assignments) {
			if (!isLinear || from.some((name) => written.has(name) && !stepped.has(name))) {
				stepped.delete(to);
			}
		}
	}
	return stepped;
}

/** Whether addresses are made of what the loop loads: rows of a matrix, nodes, tables. No vector instruction of C2 does that. */
function looksUp(texts: readonly string[]): boolean {
	const loaded = new Set<string>();
	// Twice, as what is loaded at the end may be used at the start.
	for (const text of [...texts, ...texts]) {
		const [, address = ''] = /\(([^)]{0,60})\)/.exec(text) ?? [];
		if (!text.startsWith('lea') && address.split(',').some((name) => loaded.has(wholeRegister(name)))) {
			return true;
		}
		const assignment = assignmentOf(text);
		if (assignment === null || assignment.to.includes('(')) {
			continue;
		}
		const isLoad = readsMemory(text) && !/\(%r15\)/.test(text);
		const goesOn = LINEAR.test(text) || text.startsWith('shl');
		if (goesOn && (isLoad || assignment.from.some((name) => loaded.has(name)))) {
			loaded.add(assignment.to);
		} else {
			loaded.delete(assignment.to);
		}
	}
	return false;
}

/** Of memory other than the stack. */
function readsMemory(text: string): boolean {
	return !text.startsWith('lea') && /\((?!%rsp\))/.test(text);
}

const SCALAR = /^(?:v?(?:add|sub|mul|div|min|max)s[sd]|v?fn?m(?:add|sub)\d*s[sd]|(?:add|sub|imul|xor|or|and)[lq]?) /;

/** Whether a value goes from element to element: into one sum, or into the next element. In its register more is computed on one way round than is loaded. */
function chainOf(texts: readonly string[], elements: readonly Element[]): 'reduction' | 'recurrence' | null {
	const ofElements = new Set(elements.map(({ text }) => text));
	const chained = new Map<string, number>();
	for (const text of texts) {
		const operands = SCALAR.test(text) ? operandTexts(text) : [];
		const [to = '', before = to] = operands.toReversed();
		const goesOn = to.startsWith('%xmm') ? before === to || operands.length === 2 || text.includes('fmadd') : ofElements.has(text) && /^%/.test(to);
		if (goesOn) {
			chained.set(to, (chained.get(to) ?? 0) + 1);
		}
	}
	for (const [register, count] of chained) {
		const loads = texts.filter((text) => /^v?mov/.test(text) && text.endsWith(`,${register}`)).length;
		if (count > loads) {
			return elements.some(({ isStore, text }) => isStore && text.includes(`${register},`)) ? 'recurrence' : 'reduction';
		}
	}
	return null;
}

/** Registers that nothing is written to but what is computed from themselves, so that all ways round go into one value each. */
function sumsOf(texts: readonly string[], steps: ReadonlySet<string>): number {
	const sums = new Map<string, boolean>();
	for (const text of texts) {
		const assignment = assignmentOf(text);
		if (assignment !== null && !assignment.to.includes('(')) {
			const { to, from } = assignment;
			const goesOn = SCALAR.test(text) && (from.includes(to) || /^v?fn?m/.test(text));
			sums.set(to, goesOn && sums.get(to) !== false);
		}
	}
	return [...sums].filter(([register, isSum]) => isSum && !steps.has(register)).length;
}

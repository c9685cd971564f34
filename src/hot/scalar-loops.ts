/**
 * Hot loops over arrays that C2 left without vector instructions, and what of their code tells why. C2 vectorizes the body of a counted loop where it is one
 * basic block (HotSpot's superword.cpp); what it cannot take is seen in the generated code: checks of bounds that stayed inside, other ways out, branches,
 * values that go from each element to the next. x86-64 in AT&T syntax.
 */
import { assignmentOf } from '../model/instruction-operands.js';
import { Flow, type Frame, type Instructions } from '../model/instructions.js';
import type { HotReport, Region } from './hot-results.js';
import { type LoopValues, valuesOf } from './loop-values.js';
import { isReadBack, overlapOf, type WalkedArray, walkedArrays, walkOf } from './walked-arrays.js';

/** Why C2 left a loop scalar, as far as its code shows. */
type ScalarReason =
	| 'exit'
	/** Its limit is looked at in more than one place, or not against the counter. */
	| 'uncounted'
	/** Integers are divided: there is no vector instruction for it. */
	| 'division'
	/** It leaves out elements, or passes more of one array than of another. */
	| 'gaps'
	/** It goes through one array upwards and through another downwards. */
	| 'directions'
	| 'bounds'
	| 'branch'
	| 'recurrence'
	| 'reduction'
	/** What is written may be what is read later: two arrays that may be one, at places that differ by what C2 does not know, or by a constant. */
	| 'alias'
	| 'shifted';

export interface ScalarLoop {
	readonly compileId: string;
	/** That has the loop, as inlined into the compilation; its line and bytecode are those of the hottest instruction there. */
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

/** C2 unrolls until about sixty nodes are in a body (`LoopUnrollLimit`); longer ones are no plain walks through arrays. */
const MOST_INSTRUCTIONS = 2000;

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
		if (heat.code.compiler !== 'c2' || lines.length > MOST_INSTRUCTIONS || lines.some((i) => instructions.flow[i] === Flow.Call)) {
			continue;
		}
		const found = scalarReason(instructions, lines);
		if (found !== null) {
			const frame = frameOfLoop(instructions, lines, hottest(region));
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

/** So much of a loop's instructions is of what was inlined into the method that has the loop, or its own. */
const MOST_OF_LOOP = 0.9;

/** Of an instruction the frame of the method that has the loop: the innermost one that nearly all instructions of the loop have. */
function frameOfLoop(code: Instructions, lines: readonly number[], of: number): Frame | undefined {
	const outermostFirst = (i: number): readonly Frame[] => code.frames(i).toReversed();
	const own = outermostFirst(of);
	let alike = lines.map(outermostFirst);
	let depth = 0;
	for (; depth < own.length; depth++) {
		const next = alike.filter((frames) => frames[depth]?.method === own[depth]!.method);
		if (next.length < MOST_OF_LOOP * lines.length) {
			break;
		}
		alike = next;
	}
	return own[Math.max(depth, 1) - 1];
}

/** Registers of vectors, and what packs several values into one. */
const VECTOR = /%[yz]mm|^v?(?:mov[au]p[sd]|movdq[au]|(?:add|sub|mul|div|min|max|sqrt|and|or|xor)p[sd]|padd|psub|pmul|pand|por|pxor|pcmp|pblend|pshuf|blendvp)/;
/** Scalar zeroing, or a constant: no vector. */
const CLEARS = /^v?(?:pxor|xorp[sd])\s+(%xmm\d+),(?:%xmm\d+,)?\1$/;

function scalarReason(code: Instructions, lines: readonly number[]): Pick<ScalarLoop, 'reason' | 'boundsChecks' | 'sums'> | null {
	const texts = lines.map((i) => code.textAt(i).trim());
	if (texts.some((text) => VECTOR.test(text) && !CLEARS.test(text))) {
		return null;
	}
	const values = valuesOf(texts);
	// Rows of a matrix, nodes, tables: no vector instruction of C2 looks anything up.
	if (values.accesses.some(({ address }) => [...address.terms.keys()].some((name) => name.startsWith('#') || values.changed.has(name)))) {
		return null;
	}
	const walked = walkedArrays(values);
	if (!walked.some(({ places }) => [...places.values()].some(({ loads }) => loads.size > 0))) {
		return null;
	}
	const inside = new Set(lines.map((i) => code.address[i]!));
	let boundsChecks = 0;
	let exits = 0;
	let limits = 0;
	let branches = 0;
	let goesRound = false;
	let compared = -1;
	lines.forEach((i, at) => {
		compared = /^(?:cmp|test|v?u?comis)/.test(texts[at]!) ? at : compared;
		if (code.flow[i] !== Flow.Branch) {
			return;
		}
		const target = code.target[i]!;
		const isOut = !inside.has(target);
		// Comparisons of floats set the flags that those of unsigned numbers do.
		if (isOut && /^j(?:ae|nb|a|b|be|nc|c)\b/.test(texts[at]!) && !/^v?u?comis/.test(texts[compared] ?? '')) {
			boundsChecks++;
		} else if (isOut && values.limits.has(compared)) {
			limits++;
		} else if (isOut) {
			exits++;
		} else if (target === code.address[lines[0]!]) {
			goesRound = true;
		} else {
			branches++;
		}
	});
	// The limit is a way out itself where an unconditional jump goes round.
	limits -= goesRound ? 0 : 1;
	const sums = sumsOf(texts, values.steps);
	const divides = texts.some((text) => /^i?div[lq]? /.test(text));
	const flow = exits + Math.min(limits, 0) > 0 ? 'exit' : limits > 0 ? 'uncounted' : divides ? 'division' : null;
	const reason = flow ?? walkOf(walked) ?? (boundsChecks > 0 ? 'bounds' : branches > 0 ? 'branch' : (carriedOf(values, walked, sums) ?? overlapOf(walked)));
	return reason === null ? null : { reason, boundsChecks, sums };
}

/** Whether a value goes from element to element: into the next one, also by way of the array, or into one sum. */
function carriedOf({ accesses, changed }: LoopValues, walked: readonly WalkedArray[], sums: number): 'recurrence' | 'reduction' | null {
	if (accesses.some(({ isStore, of }) => isStore && [...of].some((name) => changed.has(name))) || isReadBack(walked)) {
		return 'recurrence';
	}
	// Many values that each need one another are no sums: the rounds of a hash.
	const values = [...changed].filter(([name, of]) => of.has(name)).length;
	return values === 1 || (values > 1 && sums === values) ? 'reduction' : null;
}

const SCALAR = /^(?:v?(?:add|sub|mul|div|min|max)s[sd]|v?fn?m(?:add|sub)\d*s[sd]|(?:add|sub|imul|xor|or|and)[lq]?) /;

/** Registers that nothing is written to but what is computed from themselves, so that all ways round go into one value each. */
function sumsOf(texts: readonly string[], steps: ReadonlyMap<string, number>): number {
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

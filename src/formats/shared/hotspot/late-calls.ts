/**
 * Where C2's debug information is wrong. Calls that box a value (`Integer.valueOf`) or build a string (`new StringBuilder()`) it inlines late, after parsing.
 * From then on it gives each instruction that optimizations make, all over the code, the position of the last such call: `do_late_inline` of callGenerator.cpp
 * sets the notes that new nodes get, and nothing takes them back (JDK 17 to 25; docs/decisions/late-calls.md has figures).
 *
 * No instruction can belong to such a call that was inlined: it has no receiver to check, and what it does has frames of the callee. So descriptions of an
 * `invokestatic valueOf` or `invokespecial <init>` are left out where the code has no such call. Instructions then belong to what is described behind them as far
 * as execution goes on there, else to what is described before them, else to the jump that leads to them.
 */
import { directJumps } from '../../../model/direct-jumps.js';
import type { FlowColumns } from '../../../model/flow-columns.js';
import { withoutHiddenAddress } from '../../../model/hidden-class.js';
import { callEndingAt, DebugInfo, Flow, type Frame, type Instructions, lookAt, targetOf } from '../../../model/instructions.js';
import { barriersOf, inheritedPositions } from './inherited-positions.js';

const NO_FRAMES: readonly Frame[] = [];

/** Whether a bytecode, as `invokestatic valueOf`, is a call that C2 inlines late. */
export function isLateCall(bytecode: string): boolean {
	return /^(?:invokestatic valueOf|invokespecial <init>)(?: |$)/.test(bytecode);
}

/** Where a call stands: the method that has it and those that this one was inlined into, the innermost first. */
export type CallPlace = readonly { readonly method: string; readonly bci: number }[];

/**
 * Of C2's code; looked for when somebody asks what is described. `labels`: headings by the number of the instruction that they stand before. `logged`: the calls
 * that the JVM's log names as inlined late, of whatever kind; empty where there is no such log.
 */
export function withoutLateCalls(code: Instructions, labels: ReadonlyMap<number, string>, logged: () => readonly CallPlace[] = () => []): Instructions {
	return new CorrectedInstructions(code, labels, logged);
}

/** Those that are described as such a call where the code has none, ascending. */
function wrongLateCalls(code: Instructions, logged: readonly CallPlace[]): number[] {
	const calls = code.lateCalls();
	if (calls.length === 0 && logged.length === 0) {
		return [];
	}
	const chainOf = (i: number): string => placeText(code.frames(i));
	const isCall = (i: number): boolean => (code.debugInfo[i]! & DebugInfo.OopMap) !== 0;
	const others = calls.filter((i) => !isCall(i));
	const made = new Set(others.length === 0 ? [] : calls.filter(isCall).map(chainOf));
	const result = new Set(others.filter((i) => !made.has(chainOf(i))));
	if (logged.length > 0) {
		const places = new Set(logged.map(placeText));
		for (const i of describedWhere(code, isLeafOf(logged))) {
			if (!isCall(i) && places.has(chainOf(i))) {
				result.add(i);
			}
		}
	}
	return [...result].sort((a, b) => a - b);
}

/** Whether a frame is the innermost one of such a call. */
function isLeafOf(logged: readonly CallPlace[]): (bci: number, method: () => string) => boolean {
	const leaves = new Map<number, Set<string>>();
	for (const [leaf] of logged) {
		if (leaf !== undefined) {
			leaves.set(leaf.bci, (leaves.get(leaf.bci) ?? new Set()).add(withoutHiddenAddress(leaf.method)));
		}
	}
	return (bci, method) => leaves.get(bci)?.has(withoutHiddenAddress(method())) === true;
}

function describedWhere(code: Instructions, isWanted: (bci: number, method: () => string) => boolean): readonly number[] {
	if (code.describedWhere !== undefined) {
		return code.describedWhere(isWanted);
	}
	const result: number[] = [];
	for (let i = 0; i < code.length; i++) {
		const [leaf] = (code.debugInfo[i]! & DebugInfo.Frames) === 0 ? NO_FRAMES : code.frames(i);
		if (leaf !== undefined && isWanted(leaf.bci, () => leaf.method)) {
			result.push(i);
		}
	}
	return result;
}

function placeText(place: CallPlace): string {
	return place.map(({ method, bci }) => `${withoutHiddenAddress(method)}@${bci}`).join('\n');
}

class CorrectedInstructions implements Instructions {
	private readonly code: Instructions;
	private readonly labels: ReadonlyMap<number, string>;
	private readonly logged: () => readonly CallPlace[];
	private found: readonly number[] | null = null;
	private bits: Uint8Array | null = null;
	private chains: Chains | null = null;

	constructor(code: Instructions, labels: ReadonlyMap<number, string>, logged: () => readonly CallPlace[]) {
		this.code = code;
		this.labels = labels;
		this.logged = logged;
	}

	private get isRight(): boolean {
		this.found ??= wrongLateCalls(this.code, this.logged());
		return this.found.length === 0;
	}

	private corrected(): Chains {
		if (this.isRight) {
			return this.code;
		}
		this.chains ??= correctedChains(this.code, this.debugInfo, this.labels, this.found ?? []);
		return this.chains;
	}

	get debugInfo(): Uint8Array {
		if (this.isRight) {
			return this.code.debugInfo;
		}
		this.bits ??= correctedDebugInfo(this.code, this.found ?? []);
		return this.bits;
	}

	get position(): Int32Array {
		return this.corrected().position;
	}

	get length(): number {
		return this.code.length;
	}

	get address(): Float64Array {
		return this.code.address;
	}

	get end(): Float64Array {
		return this.code.end;
	}

	get text(): readonly string[] {
		return this.code.text;
	}

	get flow(): Uint8Array {
		return this.code.flow;
	}

	get target(): Float64Array {
		return this.code.target;
	}

	get positions(): readonly (readonly Frame[])[] {
		return this.corrected().positions;
	}

	get comments(): readonly (readonly string[])[] {
		return this.code.comments;
	}

	get traits(): Uint8Array {
		return this.code.traits;
	}

	targetAt(i: number): number {
		return targetOf(this.code, i);
	}

	callEndingAt(address: number): number {
		return callEndingAt(this.code, address);
	}

	look<T>(use: (columns: FlowColumns) => T): T {
		return lookAt(this.code, use);
	}

	textAt(i: number): string {
		return this.code.textAt(i);
	}

	formAt(i: number): string {
		return this.code.formAt(i);
	}

	frames(i: number): readonly Frame[] {
		return this.isRight ? this.code.frames(i) : (this.positions[this.position[i] ?? -1] ?? NO_FRAMES);
	}

	methods(): ReadonlySet<string> {
		return this.code.methods();
	}

	calledName(i: number): string | null {
		return this.code.calledName(i);
	}

	runtimeCalls(i: number): readonly string[] {
		return this.code.runtimeCalls(i);
	}

	lateCalls(): readonly number[] {
		return [];
	}

	mayBeWrong(instructions: Int32Array): boolean {
		return this.found !== null ? this.found.length > 0 : (this.code.belongToLateCall?.(instructions, isLeafOf(this.logged())) ?? true);
	}

	wrongCalls(): readonly number[] {
		return this.isRight ? [] : (this.found ?? []);
	}
}

type Chains = Pick<Instructions, 'position' | 'positions'>;

function correctedDebugInfo(code: Instructions, late: readonly number[]): Uint8Array {
	const debugInfo = code.debugInfo.slice();
	for (const i of late) {
		debugInfo[i] = (debugInfo[i]! & ~DebugInfo.Frames) | DebugInfo.LateCall;
	}
	return debugInfo;
}

function correctedChains(code: Instructions, debugInfo: Uint8Array, labels: ReadonlyMap<number, string>, late: readonly number[]): Chains {
	const own = code.position.map((position, i) => ((debugInfo[i]! & DebugInfo.Frames) === 0 ? -1 : position));
	return correctedPositions(code, labels, own, new Set(late));
}

/** `own`: positions of what is described rightly, else -1. */
function correctedPositions(code: Instructions, labels: ReadonlyMap<number, string>, own: Int32Array, late: ReadonlySet<number>): Chains {
	const between = new Between(code.positions);
	const { length, flow } = code;
	const position = inheritedPositions(own, labels);
	const goesOn = (i: number): boolean => flow[i] === Flow.Next || flow[i] === Flow.Branch || flow[i] === Flow.Call;
	const barriers = barriersOf(labels, length);
	const isStart = (i: number): boolean => barriers[i] === 1;
	const behind = own.slice();
	for (let i = length - 2; i >= 0; i--) {
		behind[i] = behind[i]! < 0 && goesOn(i) && !isStart(i + 1) ? behind[i + 1]! : behind[i]!;
	}
	const jumps = new Map<number, number>();
	const { from: jumping, to: reached } = directJumps(code);
	for (let k = 0; k < reached.length; k++) {
		if (!jumps.has(reached[k]!)) {
			jumps.set(reached[k]!, jumping[k]!);
		}
	}
	const isWrong = wronglyDescribed(own, late);
	let isBehind = false;
	for (let i = 0; i < length; i++) {
		const isBlockOfJumps = i === 0 || isStart(i) || !goesOn(i - 1);
		// What is not described itself behind a wrong description, up to the end of its block, may belong to it too.
		isBehind = late.has(i) || (isBehind && own[i]! < 0 && !isBlockOfJumps);
		if (!isWrong[i] && !(isBehind && behind[i]! < 0)) {
			continue;
		}
		const from = behind[i]! >= 0 ? -1 : isBlockOfJumps ? (jumps.get(i) ?? -1) : i - 1;
		if (behind[i]! >= 0) {
			position[i] = isBlockOfJumps ? behind[i]! : between.of(position[i - 1]!, behind[i]!);
		} else if (from >= 0) {
			position[i] = position[from]!;
		}
	}
	return { position, positions: between.positions };
}

/**
 * Where an instruction belongs that lies between two described ones: if a call was inlined between them, to the method that both are in, at the call, for it may
 * be of what comes before the callee's first bytecode.
 */
class Between {
	readonly positions: (readonly Frame[])[];
	private readonly known = new Map<string, number>();

	constructor(positions: readonly (readonly Frame[])[]) {
		this.positions = [...positions];
	}

	/** Numbers of positions. */
	of(before: number, behind: number): number {
		const key = `${before} ${behind}`;
		let number = this.known.get(key);
		if (number === undefined) {
			number = this.find(this.positions[before] ?? NO_FRAMES, this.positions[behind] ?? NO_FRAMES, behind);
			this.known.set(key, number);
		}
		return number;
	}

	private find(before: readonly Frame[], behind: readonly Frame[], number: number): number {
		const common = commonFrames(before, behind);
		return common === 0 || common === behind.length ? number : this.positions.push(behind.slice(behind.length - common)) - 1;
	}
}

/** How many frames of the same methods, called at the same bytecodes, two chains have in common. */
function commonFrames(a: readonly Frame[], b: readonly Frame[]): number {
	let count = 0;
	while (count < a.length && count < b.length) {
		const own = a[a.length - 1 - count]!;
		const other = b[b.length - 1 - count]!;
		if (own.method !== other.method) {
			break;
		}
		count++;
		if (own.bci !== other.bci) {
			break;
		}
	}
	return count;
}

/** 1 for instructions up to each wrong description, from the description before it. */
function wronglyDescribed(own: Int32Array, late: ReadonlySet<number>): Uint8Array {
	const result = new Uint8Array(own.length);
	let isLate = false;
	for (let i = own.length - 1; i >= 0; i--) {
		isLate = late.has(i) || (isLate && own[i]! < 0);
		result[i] = isLate ? 1 : 0;
	}
	return result;
}

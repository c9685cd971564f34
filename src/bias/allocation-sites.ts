/**
 * What sampled code allocates, estimated without an event of it. HotSpot's compilers allocate in a buffer of the thread's own (TLAB) and call the VM where that is full: the block that
 * branches to such a call runs as often as something is allocated there. How often that is, the chain tells that is fitted to the samples, and the samples of the block and of the one
 * that fills the object tell it too; the mean of both is taken. The size stands in the block. How near it comes is in docs/bias-reference.md.
 */
import { Flow, type Frame, type Instructions } from '../model/instructions.js';
import type { ChainBlock } from './chain-block-columns.js';
import { costOf, samplesByBlock } from './fitted-chain.js';
import type { SampledCode } from './prediction-input.js';
import type { PrintedMethod } from './printed-method.js';
import type { Walks } from './walks.js';

export interface AllocationSite {
	/** Of the bytecode that makes the object, the innermost first; empty where nothing describes it. */
	readonly frames: readonly Frame[];
	/** The compilation in which it allocates most. */
	readonly code: PrintedMethod['code'];
	/** Estimated share of the bytes that sampled code allocates, percent. */
	readonly percent: number;
}

/** One branch to a call into the VM. */
interface Branch {
	readonly call: number;
	/** Bytes, as the chain has it. */
	readonly amount: number;
	/** Samples of the blocks that allocate: as the chain has it, and those that are there. */
	readonly expected: number;
	readonly seen: number;
}

/** `_new_instance_Java`, `fast_new_instance Runtime1 stub`, `C2 Runtime new_array`; names of Java methods have a dot before the last part. */
const SLOW_ALLOCATION = /^\{runtime_call (?:_|C[12] Runtime )?(?:fast_)?(?:new_(?:instance|(?:object_|type_)?array)|multianewarray)/;
/** Of an object or array whose size varies. */
const ASSUMED_BYTES = 64;
const LARGEST_BYTES = 1 << 20;

/** Sites by method and line, the one with most first. */
export function allocationSites(walks: Pick<Walks, 'input' | 'chain'>): AllocationSite[] {
	const sites = new Map<string, { site: Omit<AllocationSite, 'percent'>; most: number; amount: number; expected: number; seen: number }>();
	for (const sampled of walks.input.sampled) {
		const { code, instructions } = sampled.method;
		for (const { call, amount, expected, seen } of branchesOf(sampled, walks)) {
			const frames = instructions.frames(call);
			const key = JSON.stringify(frames.length === 0 ? [code.name] : [frames[0]?.method, frames[0]?.line]);
			const row = sites.get(key) ?? { site: { frames, code }, most: 0, amount: 0, expected: 0, seen: 0 };
			if (amount > row.most) {
				row.site = { frames, code };
				row.most = amount;
			}
			row.amount += amount;
			row.expected += expected;
			row.seen += seen;
			sites.set(key, row);
		}
	}
	// The chain's mean with what the samples say, which is the chain's times seen / expected; one more in each keeps it from nothing.
	const rows = [...sites.values()].map(({ site, amount, expected, seen }) => ({ ...site, bytes: amount * Math.sqrt((seen + 1) / (expected + 1)) }));
	const total = rows.reduce((sum, { bytes }) => sum + bytes, 0);
	return rows.sort((a, b) => b.bytes - a.bytes).map(({ frames, code, bytes }) => ({ frames, code, percent: (100 * bytes) / total }));
}

function branchesOf({ method, counts }: SampledCode, walks: Pick<Walks, 'chain'>): Branch[] {
	const { instructions } = method;
	const calls = slowAllocations(instructions);
	if (calls.length === 0) {
		return [];
	}
	const { graph, executions } = walks.chain(method);
	const { blocks, blockOf } = graph;
	const samples = samplesByBlock(graph, counts);
	const leading = new Map<number, number[]>(calls.map((call) => [blockOf[call]!, []]));
	for (let block = 0; block < blocks.length; block++) {
		if (blocks.isBranch(block)) {
			leading.get(blocks.jump[block]!)?.push(block);
			leading.get(blocks.fall[block]!)?.push(block);
		}
	}
	return calls.flatMap((call) => {
		const slow = blockOf[call]!;
		let times = executions[slow]!;
		let bytes: number | null = null;
		let expected = 0;
		let seen = 0;
		for (const before of leading.get(slow) ?? []) {
			const block = blocks.at(before);
			times = Math.max(times, executions[before]!);
			bytes ??= allocatedBytes(instructions, block);
			for (const one of [before, block.jump === slow ? block.fall : block.jump]) {
				expected += executions[one]! * costOf(instructions, blocks.from[one]!, blocks.from[one + 1]!);
				seen += samples[one]!;
			}
		}
		const amount = times * (bytes ?? ASSUMED_BYTES);
		return amount > 0 ? [{ call, amount, expected, seen }] : [];
	});
}

function slowAllocations(instructions: Instructions): number[] {
	const calls: number[] = [];
	for (let i = 0; i < instructions.length; i++) {
		if (instructions.flow[i] === Flow.Call && instructions.runtimeCalls(i).some((comment) => SLOW_ALLOCATION.test(comment))) {
			calls.push(i);
		}
	}
	return calls;
}

/**
 * The end of the new object is compared with the end of the buffer, on x86-64: `lea 0x18(%rax),%r10` or `add $0x18,%r10`, then `cmp 0x118(%r15),%r10`. Null where the size varies, and
 * on other processors.
 */
function allocatedBytes(instructions: Instructions, { from, to }: ChainBlock): number | null {
	let end: string | null = null;
	for (let i = to - 1; i >= from; i--) {
		const text = instructions.textAt(i);
		if (end === null) {
			end = /^cmp 0x[0-9a-f]+\(%r15\),(%\w+)$/.exec(text)?.[1] ?? null;
		} else if (text.endsWith(`,${end}`)) {
			const size = /^(?:lea (?=0x[0-9a-f]+\(%\w+\),)|add \$)(0x[0-9a-f]+)/.exec(text)?.[1];
			return size !== undefined && Number(size) <= LARGEST_BYTES ? Number(size) : null;
		}
	}
	return null;
}

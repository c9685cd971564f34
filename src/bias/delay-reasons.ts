/** Why a thread does not stop where it was seen, and what can be done. Flags and their defaults are those of HotSpot, JDK 17 to 25. */
import type { DelayingLoop } from './delaying-loop.js';

export interface DelayReason {
	readonly why: string;
	/** What to do; null where nothing is known that helps. */
	readonly remedy: string | null;
	/** What that costs; null without remedy. */
	readonly cost: string | null;
}

/** Where a thread that delays was seen, outside of loops of compiled code. */
export type DelayPlace = 'straight code' | 'not printed' | 'interpreter' | 'stub' | 'short stub' | 'kernel' | 'JVM' | 'native' | 'unknown code' | 'unknown';

export function reasonOfLoop({ poll, callsMethods }: DelayingLoop): DelayReason {
	if (poll === 'iteration') {
		return {
			why: 'the loop polls on every iteration: one iteration is long, or the thread had no processor',
			remedy: 'look at what else ran on the processors; make an iteration shorter',
			cost: 'none to the loop',
		};
	}
	if (callsMethods) {
		return {
			why: 'the loop has no poll of its own; the methods that it calls poll when they return',
			remedy: 'look at the methods that it calls',
			cost: 'none',
		};
	}
	if (poll === 'strip') {
		return {
			why: 'the loop has no poll, only the loop around it: it is reached once in a strip (LoopStripMiningIter iterations; of a long index up to 2^31)',
			remedy: 'a smaller -XX:LoopStripMiningIter, or smaller chunks of work',
			cost: 'a poll and a start of the inner loop more often: little from about 1000 iterations on',
		};
	}
	return {
		why: 'counted loop without a safepoint poll (an int index, a constant step): its thread stops when it has left the loop',
		remedy:
			'-XX:+UseCountedLoopSafepoints -XX:LoopStripMiningIter=1000 (the default with G1); or work in smaller chunks, each a call that is not inlined; or a long index',
		cost: 'strip mining: a poll every 1000 iterations (the first flag alone sets LoopStripMiningIter to 1: a poll on every one); a long index: a nest of two loops',
	};
}

export function reasonOfPlace(place: DelayPlace): DelayReason {
	return PLACES[place];
}

const NO_REMEDY = { remedy: null, cost: null };
const CHUNKS = { remedy: 'smaller chunks of work: shorter arrays to copy, fill or compare at a time', cost: 'a call for each chunk' };

const SHORT = 'which takes microseconds: the thread had no processor, or the VM thread had none to ask it to stop';

const PLACES: Readonly<Record<DelayPlace, DelayReason>> = {
	'straight code': { why: `code outside of loops, between two polls, ${SHORT}`, ...NO_REMEDY },
	'not printed': {
		why: 'compiled code whose instructions are not in the log: its loops are not known',
		remedy: 'record with -XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation -XX:+PrintAssembly',
		cost: 'a larger log',
	},
	interpreter: { why: 'the interpreter polls at jumps and returns: a single long bytecode, or no processor', ...NO_REMEDY },
	'short stub': { why: `a stub of the JVM for a call, a cast or a barrier, ${SHORT}`, ...NO_REMEDY },
	stub: { why: 'a stub of the JVM (copying, filling, checksums) has no poll until it returns', ...CHUNKS },
	kernel: {
		why: 'the kernel worked for the thread (page faults, memory): it cannot poll there',
		remedy: 'touch memory before (-XX:+AlwaysPreTouch), no swapping, large pages',
		cost: 'a longer start',
	},
	JVM: { why: "inside the JVM's own code, which stops only at its transitions: allocation of large arrays, class loading, deoptimization", ...CHUNKS },
	native: { why: 'native code called from the JVM; threads in JNI code delay nothing', ...NO_REMEDY },
	'unknown code': { why: 'code that neither the log nor the profiler knows', ...NO_REMEDY },
	unknown: { why: 'the thread was late (SafepointTimeout); no sample and no code tell where it was', ...NO_REMEDY },
};

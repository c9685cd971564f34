/** Whose stubs are: which calls of compiled code samples in stubs came by, as the tops of their stacks tell. */
import { STUB_SLOTS, TopsOfStacks } from '../bias/seen-callers.js';
import type { PrintedCode } from '../formats/hotspot-code/instructions.js';
import { type Attribution, isCountedReason } from '../hot/attribute.js';
import type { StubCaller, StubCallers } from '../hot/hot-results.js';
import type { GeneratedCode } from '../model/generated-code.js';
import type { StackTops } from '../model/samples.js';

const NO_TOPS: StackTops = { sample: new Int32Array(), slot: new Uint16Array(), address: new Float64Array() };

/** Compilations that may have called the stubs that samples are in: those may have no samples of their own. */
export function codeAboveStubs({ map, target, reason }: Attribution, tops: StackTops | undefined): Set<GeneratedCode> {
	const result = new Set<GeneratedCode>();
	const known = new Set<number>();
	const { sample, slot, address } = tops ?? NO_TOPS;
	for (let row = 0; row < sample.length; row++) {
		const i = sample[row]!;
		const isMeant = slot[row]! < STUB_SLOTS && isCountedReason(reason[i]!) && map.code[target[i]!]?.kind === 'stub';
		if (!isMeant || known.has(address[row]!)) {
			continue;
		}
		known.add(address[row]!);
		for (const position of map.at(address[row]! - 1)) {
			const code = map.code[position]!;
			if (code.kind === 'compilation') {
				result.add(code);
			}
		}
	}
	return result;
}

/** By the stub's code; nothing of stubs whose callers were not seen. */
export function stubCallers(
	{ samples, map, target, reason, clock }: Attribution,
	printed: ReadonlyMap<GeneratedCode, PrintedCode>,
	tops: StackTops | undefined,
): ReadonlyMap<GeneratedCode, StubCallers> {
	const result = new Map<GeneratedCode, { samples: number; rows: Map<string, StubCaller & { samples: number }> }>();
	if (tops === undefined) {
		return new Map();
	}
	const methods = new Map([...printed].map(([code, { instructions, labels }]) => [code, { code, instructions, labels }]));
	const seen = new TopsOfStacks({ tops, map, methods, secondsOf: (i) => samples.timeSeconds[i]! - clock.startSeconds });
	for (let i = 0; i < samples.length; i++) {
		const code = isCountedReason(reason[i]!) ? map.code[target[i]!] : undefined;
		const call = code?.kind === 'stub' ? seen.callerOfStub(i, code) : null;
		if (code === undefined || call === null) {
			continue;
		}
		const { method, instruction } = call;
		const [frame = { method: method.code.name, bci: -1, line: null }] = method.instructions.frames(instruction);
		const { compileId } = method.code;
		const of = result.get(code) ?? { samples: 0, rows: new Map() };
		const key = `${frame.method} ${frame.bci} ${compileId}`;
		const row = of.rows.get(key) ?? { ...frame, compileId, samples: 0 };
		row.samples++;
		of.samples++;
		of.rows.set(key, row);
		result.set(code, of);
	}
	return new Map([...result].map(([code, of]) => [code, { samples: of.samples, rows: [...of.rows.values()].sort((a, b) => b.samples - a.samples) }]));
}

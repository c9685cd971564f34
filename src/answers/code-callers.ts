/** Whom code works for: which calls samples in stubs and in hot compilations came by, as the tops of their stacks tell. */
import type { PrintedMethod } from '../bias/printed-method.js';
import { STUB_SLOTS, TopsOfStacks } from '../bias/seen-callers.js';
import type { PrintedCode } from '../formats/hotspot-code/instructions.js';
import { type Attribution, isCountedReason } from '../hot/attribute.js';
import type { CodeCaller, CodeCallers } from '../hot/hot-results.js';
import { lastAtOrBelow } from '../model/binary-search.js';
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

/** Of a compilation with a smaller share of the samples nobody asks who called it. */
const HOT_SHARE = 0.005;

/** Who called stubs, and the compilations that have much of the time; of others, and of what no stack tells, nothing. */
export class CodeCallersOf {
	private readonly attribution: Attribution;
	private readonly tops: StackTops;
	/** In compilations that have much of the time, and in stubs. */
	private readonly meant: readonly number[];

	constructor(attribution: Attribution, tops: StackTops = NO_TOPS) {
		this.attribution = attribution;
		this.tops = tops;
		const { map, target, reason, counted } = attribution;
		const counts = new Map<number, number>();
		const inCode = tops.sample.filter((i, row) => (row === 0 || tops.sample[row - 1] !== i) && isCountedReason(reason[i]!));
		for (const i of inCode) {
			counts.set(target[i]!, (counts.get(target[i]!) ?? 0) + 1);
		}
		this.meant = Array.from(inCode).filter((i) => {
			const kind = map.code[target[i]!]?.kind;
			return kind === 'stub' || (kind === 'compilation' && (counts.get(target[i]!) ?? 0) >= HOT_SHARE * counted);
		});
	}

	/** Compilations that may have called these: they may have no samples of their own. `printed` has the code of those with samples. */
	wanted(printed: ReadonlyMap<GeneratedCode, PrintedCode>): Set<GeneratedCode> {
		const { map } = this.attribution;
		const result = codeAboveStubs(this.attribution, this.tops);
		const methods = methodsOf(printed);
		const seen = topsOfStacks(this.attribution, this.tops, methods);
		for (const i of this.meant) {
			const place = this.placeOf(i, methods);
			const address = place === null ? null : seen.returnAddressOf(i, place.method, place.instruction);
			for (const position of address === null ? [] : map.at(address - 1)) {
				const code = map.code[position]!;
				if (code.kind === 'compilation') {
					result.add(code);
				}
			}
		}
		return result;
	}

	/** By the code that was called. `printed` has the code of those that called, too. */
	callers(printed: ReadonlyMap<GeneratedCode, PrintedCode>): ReadonlyMap<GeneratedCode, CodeCallers> {
		const { map, target } = this.attribution;
		const result = new Map<GeneratedCode, { samples: number; rows: Map<string, CodeCaller & { samples: number }> }>();
		const methods = methodsOf(printed);
		const seen = topsOfStacks(this.attribution, this.tops, methods);
		for (const i of this.meant) {
			const code = map.code[target[i]!]!;
			const place = this.placeOf(i, methods);
			const inCompilation = place === null ? null : seen.callerOf(i, place.method, place.instruction);
			const call = code.kind === 'stub' ? seen.callerOfStub(i, code) : inCompilation;
			if (call === null) {
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

	/** Of a sample in a compilation that was printed; null of others. */
	private placeOf(i: number, methods: Methods): { readonly method: PrintedMethod; readonly instruction: number } | null {
		const { map, target, numbered } = this.attribution;
		const code = map.code[target[i]!]!;
		const method = code.kind === 'compilation' ? methods.get(code) : undefined;
		return method === undefined ? null : { method, instruction: lastAtOrBelow(method.instructions.address, numbered.addresses[numbered.of[i]!]!) };
	}
}

type Methods = ReadonlyMap<GeneratedCode, PrintedMethod>;

/** For questions about the samples of an attribution; `methods` has the code that may have called. */
export function topsOfStacks({ samples, map, clock }: Attribution, tops: StackTops, methods: Methods): TopsOfStacks {
	return new TopsOfStacks({ tops, map, methods, secondsOf: (i) => samples.timeSeconds[i]! - clock.startSeconds });
}

function methodsOf(printed: ReadonlyMap<GeneratedCode, PrintedCode>): Methods {
	return new Map([...printed].map(([code, { instructions, labels }]) => [code, { code, instructions, labels }]));
}

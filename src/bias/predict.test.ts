/** Where a sample is seen: through calls of calls, and which of several methods a call goes to. */
import { describe, expect, test } from 'vitest';
import { type PrintedLine, printedMethod } from '../../test/code.js';
import type { GeneratedCode } from '../model/generated-code.js';
import { bootstrap } from './bootstrap.js';
import { Callers } from './callers.js';
import { chainGraph } from './chain-blocks.js';
import { RULES } from './explain.js';
import { fittedChain } from './fitted-chain.js';
import { loopPolls } from './loop-polls.js';
import { groupsOf, nativeSites } from './native-sites.js';
import { predict } from './predict.js';
import { predictedBlame } from './predicted-blame.js';
import type { PredictionInput } from './prediction-input.js';
import type { PrintedMethod } from './printed-method.js';
import { Walks } from './walks.js';

const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
const at = (name: string, bci: number, line = bci): string => `- ${name}@${bci} (line ${line})`;

/** A call of a Java method, described as at bytecode 1 of the caller. */
const call = (name: string, caller: string, to = '0x9000'): PrintedLine => [
	`call ${to}`,
	'ImmutableOopMap {}',
	`*invokestatic ${name} {reexecute=0}`,
	at(caller, 1),
	'{static_call}',
];
const RETURN: readonly PrintedLine[] = [['cmp (%r15),%rsp', '{poll_return}'], ['ret']];

const sampled = (method: PrintedMethod, ...counts: number[]) => ({
	method,
	counts: Float64Array.from({ length: method.instructions.length }, (_, i) => counts[i] ?? 0),
	...ALWAYS,
});
const byLine = (rows: ReturnType<typeof sampled>[], methods: readonly PrintedMethod[]) =>
	Object.fromEntries(
		[...predict({ sampled: rows, methods, native: [], cold: [] }).blame.byLine]
			.map(([line, amount]) => [line, Math.round(amount)])
			.filter(([, amount]) => amount !== 0),
	);

describe('through calls', () => {
	const outer = printedMethod('a.B.outer', [['inc %eax', at('a.B::outer', 0)], call('middle', 'a.B::outer'), ...RETURN], 0x100);
	const middle = (second: PrintedLine) => printedMethod('a.B.middle', [['inc %eax', at('a.B::middle', 0)], second, ...RETURN], 0x200);
	const polling = printedMethod(
		'a.B.inner',
		[['inc %eax', at('a.B::inner', 7)], ['test %eax,(%r10)', '{poll}'], ['jl 0x300', at('a.B::inner', 7)], ['ret']],
		0x300,
	);
	const plain = printedMethod('a.B.inner', [['inc %eax', at('a.B::inner', 7)], ...RETURN], 0x300);

	test('a poll two calls further is seen; where nothing inside polls the innermost call that returns is', () => {
		const calling = middle(call('inner', 'a.B::middle'));
		expect(byLine([sampled(outer, 100)], [outer, calling, polling])).toEqual({ 'a.B.inner:7': 100 });
		expect(byLine([sampled(outer, 100)], [outer, calling, plain])).toEqual({ 'a.B.middle:1': 100 });
		expect(byLine([sampled(outer, 100)], [outer, calling])).toEqual({ 'a.B.middle:1': 100 });
		expect(byLine([sampled(outer, 100)], [outer])).toEqual({ 'a.B.outer:1': 100 });
	});

	test('calls into the VM inside stop there; code that ends without a word is unknown', () => {
		const vm = middle(['call 0x9000', 'ImmutableOopMap {}', '{runtime_call new_instance}', at('a.B::middle', 4)]);
		expect(byLine([sampled(outer, 100)], [outer, vm])).toEqual({ 'a.B.middle:4': 100 });
		const open = printedMethod(
			'a.B.middle',
			[
				['inc %eax', at('a.B::middle', 0)],
				['jmp *%rax', at('a.B::middle', 2)],
			],
			0x200,
		);
		expect(byLine([sampled(outer, 100)], [outer, open])).toEqual({ '(unknown)': 100 });
	});

	test('a method that calls itself ends at its own call', () => {
		const self = printedMethod('a.B.self', [['inc %eax', at('a.B::self', 0)], call('self', 'a.B::self'), ...RETURN], 0x400);
		expect(byLine([sampled(self, 100)], [self])).toEqual({ 'a.B.self:1': 100 });
	});

	test('a method that calls itself, at once or through another one, is followed as often as it does', () => {
		const polls: PrintedLine[] = [['mov (%r15),%r10', at('a.B::f', 7)], ['test %eax,(%r10)', '{poll}'], ['jmp 0x9000']];
		const f = (callee: string) => printedMethod('a.B.f', [['test %eax,%eax', at('a.B::f', 0)], ['je 0x114'], ...polls, call(callee, 'a.B::f'), ...RETURN]);
		const g = printedMethod('a.B.g', [['inc %eax', at('a.B::g', 0)], call('f', 'a.B::g'), ...RETURN], 0x300);
		// Half of the calls make another one, and none returns.
		expect(byLine([sampled(f('f'), 100)], [f('f')])).toEqual({ 'a.B.f:7': 100 });
		const both = [f('g'), g];
		expect(byLine([sampled(both[0]!, 100)], both)).toEqual({ 'a.B.f:7': 100 });
		// Of one that returns as often the call inside is shown as often as it returns from there.
		const back = printedMethod(
			'a.B.h',
			[['test %eax,%eax', at('a.B::h', 0)], ['je 0x410'], ['cmp (%r15),%rsp', '{poll_return}'], ['ret'], call('h', 'a.B::h'), ...RETURN],
			0x400,
		);
		const outer = printedMethod('a.B.o', [['inc %eax', at('a.B::o', 0)], call('h', 'a.B::o'), ...RETURN], 0x600);
		const blamed = byLine([sampled(outer, 100)], [outer, back]);
		const [jumps = 0] = fittedChain(back, null).jumpShares;
		expect(blamed).toEqual({ 'a.B.o:1': Math.round(100 * (1 - jumps)), 'a.B.h:1': Math.round(100 * jumps) });
	});

	test('a native method that is called shows itself, in dumps by line and in stacks', () => {
		const native: GeneratedCode = { ...plain.code, kind: 'native wrapper', name: 'a.B.inner', compiler: null, level: 0 };
		const calling = middle(call('inner', 'a.B::middle'));
		const input: PredictionInput = { sampled: [sampled(outer, 100)], methods: [outer, calling], native: [], cold: [], wrappers: [native] };
		const walks = new Walks(input);
		const { blame, explain } = predict(input, walks);
		expect(Object.fromEntries(blame.byMethod)).toEqual({ 'a.B.outer': 0, 'a.B.inner': expect.closeTo(100, 6) });
		expect(Object.fromEntries(predictedBlame(walks))).toEqual({ 'a.B.outer': 0, 'a.B.inner': expect.closeTo(100, 6) });
		expect(explain('a.B.outer', 'a.B.inner')).toMatchObject({ rule: RULES.native, pollAddress: 0x204 });
		expect(bootstrap(walks, 3).get('a.B.inner')?.low).toBeCloseTo(100, 6);
	});

	test('why, step by step', () => {
		const calling = middle(call('inner', 'a.B::middle'));
		const why = (to: string, methods: readonly PrintedMethod[]) => {
			const explanation = predict({ sampled: [sampled(outer, 100)], methods, native: [], cold: [] }).explain('a.B.outer', to);
			return [explanation?.rule, explanation?.pollAddress, explanation?.steps.map((step) => (step.kind === 'instruction' ? step.address : 0))];
		};
		expect(why('a.B.inner', [outer, calling, polling])).toEqual([RULES.loop, 0x304, [0x100, 0x104, 0x200, 0x204, 0x300, 0x304]]);
		expect(why('a.B.middle', [outer, calling, plain])).toEqual([RULES.callReturns, 0x304, [0x100, 0x104, 0x200, 0x204, 0x300, 0x304]]);
		expect(why('a.B.outer', [outer])).toEqual([RULES.callUnknown, 0x104, [0x100, 0x104]]);
	});
});

describe('the method that a call goes to', () => {
	const caller = printedMethod('a.B.f', [call('g', 'a.B::f', '0x510'), ['ret']]);
	const g = (holder: string, start: number, more: Partial<GeneratedCode> = {}): PrintedMethod =>
		printedMethod(`${holder}.g`, [['inc %eax'], ['ret']], start, { compileId: `${holder} ${start}`, ...more });
	const chosen = (methods: readonly PrintedMethod[], sampledOnes: readonly PrintedMethod[] = [], from = 0, to = 10) =>
		new Callers({ methods, sampled: sampledOnes.map((one) => sampled(one, 5)), native: [], cold: [] }, (method) => fittedChain(method, null)).calledBy(
			caller,
			0,
			from,
			to,
		)?.code.compileId ?? null;

	test('has the name; of several the one that the call goes to, else that of the same holder, else one that is executed, of a higher level, still in use', () => {
		const gone = { seconds: 5, reason: null };
		const all = {
			target: g('x.Y', 0x50c, { end: 0x514 }),
			holder: g('a.B', 0x600),
			executed: g('x.Y', 0x700),
			higher: g('x.Y', 0x800, { level: 4 }),
			lower: g('x.Y', 0x900, { level: 3 }),
			old: g('x.Y', 0xa00, { level: 3, notEntrant: gone }),
		};
		const order = [all.old, all.lower, all.higher, all.executed, all.holder, all.target];
		for (let n = order.length; n > 0; n--) {
			expect(chosen(order.slice(0, n), [all.executed])).toBe(order[n - 1]!.code.compileId);
			expect(chosen(order.slice(0, n).reverse(), [all.executed])).toBe(order[n - 1]!.code.compileId);
		}
		expect(chosen([])).toBeNull();
		expect(chosen([printedMethod('a.B.other', [['ret']])])).toBeNull();
	});

	test('may be native: bound to its wrapper, of the same holder, or the only one of that name', () => {
		const wrapper = (name: string, start = 0x900): GeneratedCode => ({ ...g('x.Y', start).code, kind: 'native wrapper', name, compiler: null, level: 0 });
		const native = (wrappers: readonly GeneratedCode[], methods: readonly PrintedMethod[] = [], from: PrintedMethod = caller) => {
			const input: PredictionInput = { methods, sampled: [], native: [], cold: [], wrappers };
			return new Callers(input, (method) => fittedChain(method, null)).nativeMethod(from, 0, 0, 10);
		};
		const bound = { ...wrapper('x.Z.g', 0x50c), end: 0x514 };
		expect(native([wrapper('x.Y.h')])).toBeNull();
		expect(native([wrapper('x.Y.g')])).toBe('x.Y.g');
		expect(native([wrapper('x.Y.g'), wrapper('x.Z.g')])).toBeNull();
		expect(native([wrapper('x.Y.g'), wrapper('a.B.g')])).toBe('a.B.g');
		expect(native([wrapper('a.B.g'), bound], [g('a.B', 0x600)])).toBe('x.Z.g');
		expect(native([wrapper('x.Y.g')], [g('x.Z', 0x600)])).toBeNull();
		expect(native([wrapper('a.B.g')], [g('x.Z', 0x600)])).toBe('a.B.g');
		expect(native([wrapper('a.B.g')], [g('a.B', 0x600)])).toBeNull();
		expect(native([wrapper('a.B.g')], [g('x.Z', 0x50c)])).toBeNull();
		// The method of Java and the native one that it calls have one name.
		const overloaded = printedMethod('a.B.g', [call('g', 'a.B::g'), ['ret']], 0x600);
		expect(native([wrapper('a.B.g')], [overloaded], overloaded)).toBe('a.B.g');
	});

	test('was there at the time, and is no version for on-stack replacement', () => {
		const from2 = g('a.B', 0x600, { installedSeconds: 2 });
		const to5 = g('a.B', 0x700, { notEntrant: { seconds: 5, reason: null } });
		expect([chosen([from2], [], 0, 2), chosen([from2], [], 0, 1.9)]).toEqual(['a.B 1536', null]);
		expect([chosen([to5], [], 5, 9), chosen([to5], [], 5.1, 9)]).toEqual(['a.B 1792', null]);
		expect(chosen([g('a.B', 0x600, { osrBci: 3 })])).toBeNull();
	});

	test('is the version that was there for most of the time, also where the printed call is still bound to the one before it', () => {
		const ended = (seconds: number) => g('x.Y', 0x50c, { end: 0x514, level: 3, notEntrant: { seconds, reason: null } });
		const next = (installedSeconds: number) => g('x.Y', 0x700, { level: 4, installedSeconds });
		for (const [seconds, address] of [
			[0.1, 0x700],
			[9.9, 0x50c],
		] as const) {
			const old = ended(seconds);
			expect([chosen([old, next(seconds)]), chosen([next(seconds), old], [old])]).toEqual([`x.Y ${address}`, `x.Y ${address}`]);
			// Of a method that was not called there, nothing is taken for it.
			expect(chosen([old, g('a.B', 0x600)])).toBe('x.Y 1292');
		}
		// Of two methods whose code lay there one after the other.
		const before = g('x.Y', 0x50c, { end: 0x514, notEntrant: { seconds: 2, reason: null } });
		const behind = g('z.Z', 0x508, { end: 0x514, installedSeconds: 3 });
		expect([chosen([before, behind]), chosen([behind, before], [before])]).toEqual(['z.Z 1288', 'z.Z 1288']);
		// Without an address, too: what was executed in a hundredth of the time has the samples of all its callers.
		const first = g('x.Y', 0x800, { notEntrant: { seconds: 0.1, reason: null } });
		expect(chosen([first, next(0.1)], [first])).toBe('x.Y 1792');
	});

	test('a callee’s callers: by how often their calls are executed, doubtful ones hardly', () => {
		const callee = g('a.B', 0x600);
		const shares = (methods: readonly PrintedMethod[], counts: readonly number[]) => {
			const rows = methods.map((method, i) => sampled(method, counts[i]!));
			const callers = new Callers({ methods: [callee, ...methods], sampled: rows.filter((row) => row.counts[0]! > 0), native: [], cold: [] }, (method) =>
				fittedChain(method, rows.find((row) => row.method === method)?.counts ?? null),
			);
			return callers
				.of(callee, 0, 10)
				.map(({ frames, share }) => [frames[0]?.method, Math.round(100 * share)])
				.sort(([, a], [, b]) => Number(b) - Number(a));
		};
		const from = (holder: string, start: number, to = '0x9000') => printedMethod(`${holder}.f`, [call('g', `${holder}::f`, to), ['ret']], start);
		expect(shares([from('a.B', 0x1000), from('c.D', 0x2000)], [3, 1])).toEqual([
			['a.B.f', 75],
			['c.D.f', 25],
		]);
		// Without samples and of another class: only if it goes to the very code.
		expect(shares([from('a.B', 0x1000), from('c.D', 0x2000)], [0, 0])).toEqual([['a.B.f', 100]]);
		expect(shares([from('c.D', 0x2000)], [0])).toEqual([['c.D.f', 100]]);
		expect(shares([from('a.B', 0x1000), from('c.D', 0x2000, '0x600')], [0, 0])).toEqual([
			['a.B.f', 50],
			['c.D.f', 50],
		]);
		// Nothing calls it: its callers are those of the same method where it was inlined.
		const inlined = printedMethod('a.B.h', [['inc %eax', at('a.B::g', 3), at('a.B::h', 8)], ['inc %ecx', at('a.B::g', 3), at('c.D::k', 9)], ['ret']], 0x3000);
		expect(shares([inlined], [4])).toEqual([
			['a.B.h', 100],
			['c.D.k', 0],
		]);
		expect(shares([], [])).toEqual([[undefined, 100]]);
	});
});

describe('first guesses', () => {
	const guess = (...lines: PrintedLine[]) => guessOf('c2', lines);
	const guessOf = (compiler: string, lines: readonly PrintedLine[]) => {
		const { guess: logits, width, blockOf } = chainGraph(printedMethod('a.B.f', lines, 0x100, { compiler }));
		const block = blockOf[0]!;
		return [Math.round(1000 / (1 + Math.exp(-logits[block]!))) / 1000, width[block]];
	};
	const loop: readonly PrintedLine[] = [['inc %eax'], ['jl 0x110'], ['ret']];

	test('a test before a loop rather enters it, directly or over a jump', () => {
		expect(guess(['je 0x110'], ['inc %eax'], ['inc %eax'], ['ret'], ...loop)).toEqual([0.97, 1]);
		expect(guess(['je 0x10c'], ['inc %eax'], ['ret'], ['jmp 0x110'], ...loop)).toEqual([0.97, 1]);
		expect(guess(['je 0x108'], ['jmp 0x110'], ['inc %eax'], ['ret'], ...loop)).toEqual([0.03, 1]);
	});

	test('of two ways of the same kind C2 lays the likelier one behind the branch; of C1 both are as likely, and where the other one lies before', () => {
		const ways: readonly PrintedLine[][] = [
			[['je 0x108'], ['ret'], ['inc %eax'], ['ret']],
			[['je 0x108'], ['nop'], ['inc %eax'], ['jl 0x108'], ['ret']],
			// Inside of a loop that both ways stay in.
			[['je 0x108'], ['inc %eax'], ['inc %ecx'], ['jl 0x100'], ['ret']],
		];
		for (const lines of ways) {
			expect([guessOf('c2', lines), guessOf('c1', lines)]).toEqual([
				[0.1, 1.5],
				[0.5, 1.5],
			]);
		}
		const { guess: logits, blockOf } = chainGraph(printedMethod('a.B.f', [['jmp 0x10c'], ['inc %eax'], ['ret'], ['je 0x104'], ['ret']]));
		expect(logits[blockOf[3]!]).toBeCloseTo(0, 9);
	});

	test('what stays in a loop goes on nine times of ten, whichever way stays', () => {
		expect(guess(['jl 0x100'], ['ret'])).toEqual([0.9, 2]);
		expect(guess(['je 0x10c'], ['inc %eax'], ['jmp 0x100'], ['ret'])).toEqual([0.1, 2]);
	});

	test('a barrier at the entry and the way into the VM behind a leaf call are rare', () => {
		const barrier = ['call 0x9000', '{runtime_call StubRoutines::method_entry_barrier}'] as const;
		expect(guess(['je 0x10c'], ['inc %eax'], ['ret'], barrier, ['ret'])).toEqual([0.002, 0.7]);
		const slow = ['call 0x9000', '{runtime_call new_instance}', 'ImmutableOopMap {}'] as const;
		expect(guess(['je 0x10c'], ['inc %eax'], ['ret'], ['call 0x9000', '{runtime_call memcpy}'], slow, ['ret'])).toEqual([0.002, 0.7]);
		expect(guess(['je 0x108'], ['ret'], ['je 0x110'], ['ret'], slow, ['ret'])).toEqual([0.1, 1.5]);
	});

	describe('over jumps', () => {
		/** A branch over this many jumps to what ends with these lines, and otherwise to a return. */
		const over = (jumps: number, ...lines: readonly PrintedLine[]) =>
			guess(['je 0x10c'], ['inc %eax'], ['ret'], ...Array.from({ length: jumps }, (_, n): PrintedLine => [`jmp 0x${(0x110 + 4 * n).toString(16)}`]), ...lines, [
				'ret',
			]);
		const loopAt = (jumps: number): PrintedLine[] => [['inc %ecx'], [`jl 0x${(0x10c + 4 * jumps).toString(16)}`]];
		const slow = ['call 0x9000', '{runtime_call new_instance}', 'ImmutableOopMap {}'] as const;
		const leaf = ['call 0x9000', '{runtime_call memcpy}'] as const;
		const java = ['call 0x9000', 'ImmutableOopMap {}', '*invokestatic g {reexecute=0}', '{static_call}'] as const;

		test('two at most are followed', () => {
			expect([over(2, slow), over(3, slow)]).toEqual([
				[0.002, 0.7],
				[0.1, 1.5],
			]);
			expect([over(2, ...loopAt(2)), over(3, ...loopAt(3))]).toEqual([
				[0.97, 1],
				[0.1, 1.5],
			]);
		});

		test('calls that do not stop too, Java calls not', () => {
			expect([over(0, leaf, ...loopAt(1)), over(0, java, ...loopAt(1))]).toEqual([
				[0.97, 1],
				[0.1, 1.5],
			]);
			expect([over(0, leaf, slow), over(0, java, slow)]).toEqual([
				[0.002, 0.7],
				[0.1, 1.5],
			]);
		});
	});

	test('the outer loop of a long index hardly goes round', () => {
		const {
			guess: logits,
			width,
			blockOf,
		} = chainGraph(
			printedMethod('a.B.f', [
				['mov $0x2,%ebx'],
				['inc %ebx'],
				['cmp %r9d,%ebx'],
				['jl 0x104'],
				['movslq %ebx,%rcx'],
				['test %eax,(%r10)', '{poll}'],
				['cmp %rsi,%rcx'],
				['jl 0x100'],
				['ret'],
			]),
		);
		const share = (i: number) => [1 / (1 + Math.exp(-logits[blockOf[i]!]!)), width[blockOf[i]!]];
		expect([share(3), share(7)]).toEqual([
			[expect.closeTo(0.9, 9), 2],
			[expect.closeTo(0.001, 9), 0.3],
		]);
	});
});

test('the name of a function stands beside its call or just before it, not beside an earlier call', () => {
	const sites = (library: string, ...lines: PrintedLine[]) =>
		groupsOf(nativeSites([fittedChain(printedMethod('a.B.f', [...lines, ['ret']]), null)]), [
			{ symbol: 'StubRoutines::crc32_update', library, activity: null, count: 1 },
		])[0]?.sites.length;
	const ofStub = (...lines: PrintedLine[]) => sites('', ...lines);
	const other: PrintedLine = ['call 0x9000', '{runtime_call dsin}'];
	const loaded: PrintedLine = ['movabs $0x9000,%r10', '{runtime_call update_crc}'];
	const nops = (count: number): PrintedLine[] => Array.from({ length: count }, () => ['nop']);
	const through: PrintedLine = ['call *%r10'];
	expect(ofStub(other, loaded, ...nops(3), through)).toBe(1);
	expect(ofStub(other, loaded, ...nops(4), through)).toBe(2);
	expect(ofStub(['call 0x9000', '{runtime_call update_crc}'], through)).toBe(1);
	expect(ofStub(['call 0x9000', '{runtime_call update_crc}'], through, loaded, through)).toBe(2);
	// Every name has these words.
	expect(ofStub(['call 0x9000', '{runtime_call call}'], other)).toBe(2);
	// A library that no call names was called by a native method or the JVM: zip, when classes are read from an archive.
	expect(sites('/x/libzip.so', other, loaded, through)).toBe(1);
	expect(sites('/x/libzip.so', other)).toBe(0);
});

describe('a call of several methods, as the tops of stacks tell', () => {
	const poll = (name: string): PrintedLine[] => [['mov (%r15),%r10', at(name, 8)], ['test %eax,(%r10)', '{poll}', at(name, 8)], ['jmp 0x400']];
	const caller = printedMethod('a.B.f', [call('visit', 'a.B::f'), ['ret']], 0x100);
	const quick = printedMethod('a.C.visit', [['inc %eax'], ...poll('a.C::visit')], 0x300);
	const slow = printedMethod('a.D.visit', [...Array.from({ length: 9 }, (): PrintedLine => ['mov (%rax),%ebx']), ...poll('a.D::visit')], 0x500);
	const row = (method: PrintedMethod, count: number) => ({ method, counts: new Float64Array(method.instructions.length).fill(count), from: 0, to: 1 });
	const from = (count: number) => [{ method: caller, instruction: 0, count }];
	const input = (ofQuick: number, ofSlow: number): PredictionInput => ({
		sampled: [row(caller, 10), row(quick, ofQuick), row(slow, ofSlow)],
		cold: [],
		methods: [caller, quick, slow],
		native: [],
		callers: new Map([
			[quick, from(4 * ofQuick)],
			[slow, from(12 * ofSlow)],
		]),
	});

	test('each is called as often as its entry is executed, whatever time it takes', () => {
		const walks = new Walks(input(10, 10));
		const shares = walks.callers.callees(caller, 0, 0, 1);
		const quickOnes = walks.chain(quick).executions[0]!;
		const slowOnes = walks.chain(slow).executions[0]!;
		expect(shares.map(({ method, share }) => [method.code.name, share])).toEqual([
			['a.D.visit', expect.closeTo(slowOnes / (quickOnes + slowOnes), 9)],
			['a.C.visit', expect.closeTo(quickOnes / (quickOnes + slowOnes), 9)],
		]);
		expect(shares[1]!.share).toBeGreaterThan(0.4);
		const { stops, returns } = walks.ofCall(caller, 0, 0, 1);
		expect(returns).toBeCloseTo(0, 9);
		expect(stops.map(({ frames, share }) => [frames[0]?.method, share])).toEqual([
			['a.D.visit', expect.closeTo(shares[0]!.share, 6)],
			['a.C.visit', expect.closeTo(shares[1]!.share, 6)],
		]);
	});

	test('time before the call lands on both, and both are explained', () => {
		const { transfers, explain } = predict(input(10, 10));
		const [toSlow = 0, toQuick = 0] = ['a.D.visit', 'a.C.visit'].map((name) => transfers.get('a.B.f')?.get(name) ?? 0);
		expect(Math.min(toSlow, toQuick)).toBeGreaterThan(0.3 * (toSlow + toQuick));
		for (const name of ['a.D.visit', 'a.C.visit']) {
			expect(explain('a.B.f', name)?.frames[0]?.method).toBe(name);
			expect(explain('a.B.f', name)?.steps.some((step) => step.kind === 'instruction' && step.code.name === name)).toBe(true);
		}
	});
});

describe('loops of inlined methods', () => {
	const loopsOf = (...lines: PrintedLine[]) => loopPolls(printedMethod('a.B.f', lines)).map(({ method, line, bytecodes }) => [method, line, bytecodes]);
	/** A second instruction, and the jump back, which says nothing. */
	const back = (...comments: string[]): PrintedLine[] => [['inc %ecx', ...comments], ['jl 0x100']];

	test('are of the method in which all of it was inlined', () => {
		expect(loopsOf(['inc %eax', at('a.B::g', 5, 20), at('a.B::f', 3, 7)], ...back(at('a.B::g', 9, 21), at('a.B::f', 3, 7)), ['ret'])).toEqual([
			['a.B.g', 20, [5, 9]],
		]);
		// One call of it inside a loop of the caller.
		expect(loopsOf(['inc %eax', at('a.B::g', 5, 20), at('a.B::f', 3, 7)], ...back(at('a.B::f', 9, 8)), ['ret'])).toEqual([['a.B.f', 7, [3, 9]]]);
		// Two methods, inlined at one call: their caller has the loop.
		expect(loopsOf(['inc %eax', at('a.B::g', 5, 20), at('a.B::f', 3, 7)], ...back(at('c.D::g', 5, 40), at('a.B::f', 3, 7)), ['ret'])).toEqual([
			['a.B.f', 7, [3]],
		]);
		// The same method, inlined at two calls.
		expect(loopsOf(['inc %eax', at('a.B::g', 5, 20), at('a.B::f', 3, 7)], ...back(at('a.B::g', 5, 20), at('a.B::f', 4, 8)), ['ret'])).toEqual([
			['a.B.f', 7, [3, 4]],
		]);
	});

	test('without any description they are of the compiled method; stubs have none', () => {
		expect(loopsOf(['inc %eax'], ...back(), ['ret'])).toEqual([['a.B.f', null, []]]);
		const method = printedMethod('a.B.f', [['ret'], ['inc %eax'], ['jl 0x104'], ['ret']]);
		const labelled = (label: string) => loopPolls({ ...method, labels: new Map([[1, label]]) }).length;
		expect(['Exception Handler', 'Deopt Handler Code', 'Stub Code', 'Entry Point'].map(labelled)).toEqual([0, 0, 0, 1]);
	});

	test('whose poll stands behind them were strip-mined once', () => {
		const behind = (bci: number, poll = '{poll}') =>
			loopPolls(
				printedMethod('a.B.f', [
					['inc %eax', at('a.B::f', 5, 7)],
					['inc %ecx', at('a.B::f', 5, 7)],
					['jl 0x100', at('a.B::f', 5, 7)],
					['mov (%r15),%r10', at('a.B::f', bci, 8)],
					['test %eax,(%r10)', poll],
					['ret'],
				]),
			).map(({ kind }) => kind);
		expect(behind(5)).toEqual(['outer loop gone']);
		expect(behind(10)).toEqual(['outer loop gone']);
		expect(behind(11)).toEqual(['counted']);
		expect(behind(4)).toEqual(['counted']);
		expect(behind(5, '{no poll}')).toEqual(['counted']);
	});
});

/** Small records for each rule by which calls, decisions and trees are put together again. */
import { expect, test } from 'vitest';
import { callsiteKind, type InliningNode } from '../../model/inlining-tree.js';
import { decisionsOf } from './decisions.js';
import { TaskReader } from './read-task.js';
import type { Task } from './task.js';
import { inliningTreeOf, optimizationTreeOf, phasesOf } from './trees.js';

const HEAD = `<type id='1' name='int'/>
<klass id='10' name='p.A'/>
<klass id='11' name='p.B'/>
<klass id='12' name='p.C'/>
<method id='20' holder='10' name='root' return='1' bytes='9' iicount='9'/>
<method id='21' holder='10' name='f' return='1' arguments='1 10' bytes='9'/>
<method id='22' holder='11' name='f' return='1' arguments='1 10' bytes='9'/>
<method id='23' holder='12' name='f' return='1' arguments='1 10' bytes='9'/>
<method id='24' holder='10' name='&lt;init&gt;' return='1' bytes='9'/>
`;

function read(body: string): Task {
	const bytes = Buffer.from(HEAD + body);
	return new TaskReader().read(bytes, bytes.length);
}

function rows(body: string): string[] {
	return decisionsOf(read(body)).map(
		({ bcis, callee, inlined, intrinsic, reason, receivers }) =>
			`${bcis.join('/')} ${callee} ${inlined ? 'inlined ' : ''}${intrinsic ? 'intrinsic ' : ''}${reason}` +
			receivers.map(({ typeName, count, probability }) => ` ${typeName}:${count}=${probability}`).join(''),
	);
}

function tree(body: string): string[] {
	const lines: string[] = [];
	const work: { node: InliningNode; depth: number }[] = [{ node: inliningTreeOf(read(body), 'p.A.root()'), depth: 0 }];
	for (let item = work.pop(); item !== undefined; item = work.pop()) {
		const { node, depth } = item;
		lines.push(`${'  '.repeat(depth)}${node.bci} ${callsiteKind(node, depth === 0)} ${node.methodName} ${node.reasons.join(' | ')}`.trimEnd());
		work.push(...[...node.children].reverse().map((child) => ({ node: child, depth: depth + 1 })));
	}
	return lines;
}

const bc = (bci: number): string => `<bc code='182' bci='${bci}'/>\n`;
const call = (method: number, more = "count='100' prof_factor='1.0' inline='1'"): string => `<call method='${method}' ${more}/>\n`;
const yes = (reason = 'inline (hot)'): string => `<inline_success reason='${reason}'/>\n`;
const no = (reason = 'too big'): string => `<inline_fail reason='${reason}'/>\n`;
const parse = (method: number, inside = ''): string => `<parse method='${method}' uses='1.0' stamp='0.1'>\n${inside}<parse_done stamp='0.1'/>\n</parse>\n`;

test('calls inside calls', () => {
	const body = parse(20, bc(3) + call(21) + yes() + parse(21, bc(1) + call(24) + no()) + bc(5) + call(22) + no('native method'));
	expect(rows(body)).toEqual(['3 p.A.f inlined inline (hot)', '3/1 p.A.<init> too big', '5 p.B.f native method']);
	expect(tree(body)).toEqual([
		'-1 root p.A.root()',
		'  3 inlined p.A.f(int, A) inline (hot)',
		'    1 direct p.A.<init>() too big',
		'  5 direct p.B.f(int, A) native method',
	]);
});

const DECLARED = "count='100' prof_factor='1.0' virtual='1' inline='1' receiver='11' receiver_count='60' receiver2='12' receiver2_count='30'";

test('two receivers: both are decided before either is parsed, and parsed in reverse order', () => {
	const body = parse(
		20,
		bc(3) + call(21, DECLARED) + call(22) + yes() + call(23) + yes() + parse(23, bc(1) + call(24) + no()) + parse(22, bc(2) + call(24) + no()),
	);
	expect(rows(body)).toEqual([
		'3 p.B.f inlined inline (hot) p.B:60=0.6 p.C:30=0.3',
		'3/2 p.A.<init> too big',
		'3 p.C.f inlined inline (hot) p.B:60=0.6 p.C:30=0.3',
		'3/1 p.A.<init> too big',
	]);
	expect(tree(body)).toEqual([
		'-1 root p.A.root()',
		'  3 devirtualized p.A.f(int, A)',
		'    3 inlined p.B.f(int, A) inline (hot)',
		'      2 direct p.A.<init>() too big',
		'    3 inlined p.C.f(int, A) inline (hot)',
		'      1 direct p.A.<init>() too big',
	]);
	expect(tree(body.replace("<parse method='22'", "<virtual_call bci='3'/>\n<parse method='22'"))[1]).toBe('  3 indirect p.A.f(int, A)');
});

test('a megamorphic call: the declared method has the decision', () => {
	const body = parse(20, bc(3) + call(21, DECLARED) + no('virtual call') + "<virtual_call bci='3'/>\n");
	expect(rows(body)).toEqual(['3 p.A.f virtual call p.B:60=0.6 p.C:30=0.3']);
	expect(tree(body)[1]).toBe('  3 indirect p.A.f(int, A) virtual call');
});

test("a method handle's linker has no decision of its own", () => {
	const body = parse(
		20,
		bc(3) + call(21, "count='5' prof_factor='1.0' inline='1' method_handle_intrinsic='1'") + call(22, "count='5' inline='1'") + yes() + parse(22),
	);
	expect(rows(body)).toEqual(['3 p.B.f inlined inline (hot)']);
	expect(tree(body)).toEqual(['-1 root p.A.root()', '  3 devirtualized p.A.f(int, A)', '    3 inlined p.B.f(int, A) inline (hot)']);
});

test('late inlining: behind the root, at its place', () => {
	const late = "<late_inline method='24' inline_id='7'>\n<jvms bci='1' method='21'/>\n<jvms bci='3' method='20'/>\n</late_inline>\n";
	const first = parse(
		20,
		bc(3) + call(21) + yes() + parse(21, `${bc(1)}${call(24)}${yes()}<inline_id id='7'/>\n<direct_call bci='1'/>\n`) + bc(9) + call(22) + no(),
	);
	expect(tree(first)[2]).toBe('    1 direct p.A.<init>() inline (hot)');
	const body = first + late + parse(24, bc(2) + call(23) + no());
	expect(rows(body)).toEqual(['3 p.A.f inlined inline (hot)', '3/1 p.A.<init> inlined inline (hot)', '3/1/2 p.C.f too big', '9 p.B.f too big']);
	expect(tree(body)[2]).toBe('    1 inlined p.A.<init>() inline (hot)');
	// The id is not needed, and one that stands elsewhere is not followed.
	expect(rows(first + late.replace("inline_id='7'", "inline_id='8'") + parse(24, bc(2) + call(23) + no()))).toEqual(rows(body));
	// A virtual call that became direct is decided again, at the same place.
	expect(rows(first + late + call(23) + no('native method'))).toEqual([
		'3 p.A.f inlined inline (hot)',
		'3/1 p.A.<init> inlined inline (hot)',
		'3/1 p.C.f native method',
		'9 p.B.f too big',
	]);
});

test('an attempt that is repeated counts once', () => {
	const first = parse(20, bc(3) + call(21) + yes() + parse(21));
	const second = parse(20, bc(4) + call(21) + no());
	expect(rows(`${first}<failure reason='retry without subsuming loads' phase='compile'/>\n${second}`)).toEqual(['4 p.A.f too big']);
	expect(rows(first + second)).toEqual(['4 p.A.f too big']);
});

test('a task that failed keeps what was decided', () => {
	const body = `<parse method='20' uses='1' stamp='0.1'>\n${bc(3)}${call(21)}${yes()}<parse method='21'>\n${bc(1)}${call(24)}${no()}<failure reason='out of nodes' phase='compile'/>\n<task_done success='0'/>`;
	expect(rows(body)).toEqual(['3 p.A.f inlined inline (hot)', '3/1 p.A.<init> too big']);
	expect(rows("<failure reason='stale task'/>\n<task_done success='0'/>\n</task>")).toEqual([]);
});

test('a loop head that was cloned is parsed twice', () => {
	const head = bc(3) + call(21) + yes() + parse(21, bc(1) + call(24) + no());
	expect(rows(parse(20, head + bc(7) + head))).toEqual([
		'3 p.A.f inlined inline (hot)',
		'3/1 p.A.<init> too big',
		'3 p.A.f inlined inline (hot)',
		'3/1 p.A.<init> too big',
	]);
});

test('intrinsics: C1 counts them as inlined; C2 may have refused the native method before', () => {
	expect(rows(parse(20, bc(3) + call(21, "instr='invokestatic'") + yes('intrinsic')))).toEqual(['3 p.A.f inlined intrinsic intrinsic']);
	const c2 = parse(
		20,
		`${bc(3)}${call(21)}${no('native method')}<uncommon_trap bci='3' reason='unhandled' action='none'/>\n<intrinsic id='_clone' nodes='74'/>\n`,
	);
	expect(rows(c2)).toEqual(['3 p.A.f native method', '3 p.A.f intrinsic (intrinsic)']);
	expect(tree(c2)[1]).toBe('  3 inlined p.A.f(int, A) native method | (intrinsic)');
});

test('C1 names the declared method; the parse says which one it is', () => {
	const body = parse(
		20,
		bc(3) + call(21, "instr='invokevirtual'") + yes('inline') + parse(22) + bc(5) + call(21, "instr='invokeinterface'") + no('no static binding'),
	);
	expect(rows(body)).toEqual(['3 p.B.f inlined inline', '5 p.A.f no static binding']);
	expect(tree(body).slice(1)).toEqual(['  3 inlined p.B.f(int, A) inline', '  5 indirect p.A.f(int, A) no static binding']);
});

test('what belongs nowhere is counted, however deep', () => {
	const task = read(
		`${call(21)}${no()}<parse method='20'>\n${"<bc code='1' bci='1'/>\n<call method='21'/>\n<inline_success reason='x'/>\n<parse method='21'>\n".repeat(100_000)}`,
	);
	expect(task.lostElements).toBeGreaterThan(2);
	expect(decisionsOf(task)).toHaveLength(201);
	expect(inliningTreeOf(task, 'r').children).toHaveLength(1);
});

test('what is too deep is left again as it was entered', () => {
	let inside = '';
	for (let level = 0; level < 203; level++) {
		inside = call(21) + parse(21, inside);
	}
	const task = read(parse(20, inside + bc(9) + call(22) + no()));
	// The parse of level 201, and two calls in it.
	expect(task.lostElements).toBe(3);
	expect(decisionsOf(task).map(({ bcis, callee }) => [bcis, callee])).toEqual([[[9], 'p.B.f']]);
});

test('ends of what was never begun', () => {
	const task = read("<phase_done nodes='5' stamp='0.300'/>\n</phase>\n</parse>\n<parse_done stamp='0.1'/>\n</loop>\n</loop_tree>\n</late_inline>\n");
	expect(task).toMatchObject({ root: null, phases: [], events: [], lostElements: 0 });
	expect(inliningTreeOf(task, 'r').children).toEqual([]);
});

test('phases, and what was done in them', () => {
	const task = read(
		`<phase name='buildIR' stamp='0.100'>\n${parse(
			20,
			`${bc(3)}${call(21)}${yes()}<predicted_call bci='3' exact='1' klass='11'/>\n${parse(
				21,
				"<uncommon_trap bci='4' reason='null_check' action='maybe_recompile' comment='c'/>\n<uncommon_trap method='22' bci='1' reason='unloaded' action='reinterpret' klass='12'/>\n",
			)}<dependency type='evol_method' x0='20'/>\n<dependency type='leaf_type' ctxk='10'/>\n`,
		)}<phase_done nodes='5' live='4' stamp='0.300'/>\n</phase>\n` +
			"<loop_tree>\n<loop idx='1' >\n<loop idx='2' inner_loop='1' partial_peel_loop='2' >\n</loop>\n</loop>\n</loop_tree>\n" +
			"<eliminate_allocation type='11'>\n<jvms bci='1' method='21'/>\n<jvms bci='3' method='20'/>\n</eliminate_allocation>\n" +
			"<eliminate_lock lock_id='1' class='unlock' kind='NonEscObj' stamp='0.2'>\n</eliminate_lock>\n" +
			"<replace_string_concat arguments='3' multiple='0'>\n<jvms bci='1' method='21'/>\n</replace_string_concat>\n<regalloc attempts='2' success='1'/>\n<dependency type='leaf_type' ctxk='10'/>\n",
	);
	expect(task.plannedTraps).toBe(2);
	expect(phasesOf(task)).toMatchObject([
		{ name: 'buildIR', depth: 0, startMs: 100, endMs: 300, nodes: 5, liveNodes: 4, memoryBytes: null },
		{ name: 'parse', depth: 1, startMs: 100, endMs: 100 },
	]);
	const lines: string[] = [];
	const work: { node: ReturnType<typeof optimizationTreeOf>['children'][number]; depth: number }[] = [{ node: optimizationTreeOf(task, 'c2'), depth: 0 }];
	for (let item = work.pop(); item !== undefined; item = work.pop()) {
		const { node, depth } = item;
		if (node.kind === 'phase') {
			lines.push(`${'  '.repeat(depth)}${node.name}`);
			work.push(...[...node.children].reverse().map((child) => ({ node: child, depth: depth + 1 })));
		} else {
			const place = node.position.methodNames.map((name, i) => `${name}@${node.position.bcis[i]}`).join(' < ');
			lines.push(
				`${'  '.repeat(depth)}${node.name} ${node.event} [${place}] ${node.properties.map(({ key, value }) => `${key}=${value}`).join(' ')}`.trimEnd(),
			);
		}
	}
	expect(lines).toEqual([
		'C2',
		'  buildIR',
		'    parse',
		'      PredictedCall exact class [p.A.root()@3] class=p.B',
		'      UncommonTrap null_check [p.A.f(int, A)@4 < p.A.root()@3] action=maybe_recompile comment=c',
		'      UncommonTrap unloaded [p.B.f(int, A)@1 < p.A.f(int, A)@0 < p.A.root()@3] action=reinterpret class=p.C',
		'      Dependency leaf_type [p.A.root()@3] class=p.A',
		'  LoopTransformation partially peeled [] loop=2',
		'  LoopTree pass [] loops=2 innerLoops=1 depth=2',
		'  EliminateAllocation p.B [p.A.f(int, A)@1 < p.A.root()@3]',
		'  EliminateLock unlock [] kind=NonEscObj',
		'  ReplaceStringConcat replaced [p.A.f(int, A)@1] arguments=3',
		'  RegisterAllocation done [] attempts=2',
	]);
});

test('shares of receivers are of all calls that were counted; of fewer calls than receivers, of these', () => {
	const receivers = (more: string) =>
		rows(parse(20, bc(3) + call(21, `virtual='1' inline='1' ${more}`) + no()))[0]
			?.replace('3 p.A.f too big', '')
			.trim();
	expect(receivers("count='100' receiver='11' receiver_count='60'")).toBe('p.B:60=0.6');
	expect(receivers("count='50' receiver='11' receiver_count='60' receiver2='12' receiver2_count='20'")).toBe('p.B:60=0.75 p.C:20=0.25');
	expect(receivers("count='-1' receiver='11' receiver_count='-1'")).toBe('p.B:-1=0');
	expect(receivers("count='0' receiver='11' receiver_count='0'")).toBe('p.B:0=0');
	expect(receivers("count='5' receiver='99' receiver_count='5'")).toBe('');
	expect(receivers("count='5' receiver='11' receiver_count='5'")?.startsWith('p.B:5=1')).toBe(true);
	// Only of virtual calls.
	expect(rows(parse(20, bc(3) + call(21, "count='5' receiver='11' receiver_count='5'") + no()))).toEqual(['3 p.A.f too big']);
	const types = (count: number) =>
		inliningTreeOf(read(parse(20, bc(3) + call(21, `virtual='1' count='${count}' receiver='11' receiver_count='5'`) + no())), 'r').children[0]?.receiverTypes;
	expect([types(-1)?.mature, types(0)?.mature]).toEqual([false, true]);
	expect(types(10)?.types).toEqual([{ typeName: 'p.B', probability: 0.5, methodName: null }]);
});

test('a receiver is of the declared call before it, at the same place with the same count', () => {
	const declared = bc(3) + call(21, DECLARED);
	const behind = (more: string) => rows(parse(20, declared + more)).at(-1);
	expect(behind(call(22) + yes())).toBe('3 p.B.f inlined inline (hot) p.B:60=0.6 p.C:30=0.3');
	expect(behind(call(22, "count='99' inline='1'") + yes())).toBe('3 p.B.f inlined inline (hot)');
	expect(behind(bc(4) + call(22) + yes())).toBe('4 p.B.f inlined inline (hot)');
	expect(behind(call(22) + yes() + bc(5) + call(23) + yes())).toBe('5 p.C.f inlined inline (hot)');
});

test('a virtual call that was written marks the declared call at its place, not those before', () => {
	const virtual = "<virtual_call bci='5'/>\n";
	const lines = (more: string) => tree(parse(20, bc(3) + call(21, DECLARED) + no() + bc(5) + call(22, DECLARED) + no() + more)).slice(1);
	expect(lines('')).toEqual(['  3 direct p.A.f(int, A) too big', '  5 direct p.B.f(int, A) too big']);
	expect(lines(virtual)).toEqual(['  3 direct p.A.f(int, A) too big', '  5 indirect p.B.f(int, A) too big']);
	expect(lines(virtual.replace('5', '9'))).toEqual(lines(''));
});

test('lines with an end of their own, blanks before them, and no end at all', () => {
	const body = parse(20, bc(3) + call(21) + no());
	expect(rows(body.replaceAll('\n', '\r\n'))).toEqual(['3 p.A.f too big']);
	expect(rows(body.replace(/^/gm, '   '))).toEqual(['3 p.A.f too big']);
	expect(rows(body.replace("bci='3'/>", "bci='3'/"))).toEqual(['0 p.A.f too big']);
	const text = Buffer.from(`${HEAD}${body.trimEnd()}`);
	expect(decisionsOf(new TaskReader().read(text, text.length))).toHaveLength(1);
	// Only the first bytes are of the task.
	expect(decisionsOf(new TaskReader().read(text, HEAD.length))).toHaveLength(0);
});

test('a reader keeps nothing of the task before', () => {
	const reader = new TaskReader();
	const first = Buffer.from(HEAD + parse(20, bc(3) + call(21) + no() + "<uncommon_trap bci='3' reason='x' action='y'/>\n"));
	const second = Buffer.from("<bc code='1' bci='1'/>\n<call method='21'/>\n<inline_fail reason='x'/>\n");
	expect(reader.read(first, first.length)).toMatchObject({ plannedTraps: 1, lostElements: 0 });
	expect(reader.read(second, second.length)).toMatchObject({ root: null, plannedTraps: 0, lostElements: 2, events: [] });
	expect(reader.read(first, first.length, false)).toMatchObject({ lostElements: 0, events: [], phases: [] });
	expect(decisionsOf(reader.read(first, first.length, false)).map(({ callee }) => callee)).toEqual(['p.A.f']);
});

test('what was done, one by one', () => {
	const events = (body: string) =>
		read(parse(20, bc(3) + body)).events.map(({ name, event, properties }) => [name, event, ...properties.map(([key, value]) => `${key}=${value}`)].join(' '));
	expect(events("<predicted_call bci='3' klass='11'/>\n")).toEqual(['PredictedCall subtype class=p.B']);
	expect(events("<predicted_call bci='3' exact='1' klass='99'/>\n")).toEqual(['PredictedCall exact class class=?']);
	expect(events("<cast_up reason='speculative' from='11'/>\n")).toEqual(['Cast speculative from=p.B']);
	expect(events("<regalloc attempts='3' success='0'/>\n")).toEqual(['RegisterAllocation failed attempts=3']);
	expect(events("<hot_throw preallocated='1'/>\n<hot_throw preallocated='0'/>\n")).toEqual(['HotThrow preallocated exception', 'HotThrow exception']);
	expect(events("<dependency type='leaf_type' ctxk='11'/>\n<dependency type='evol_method' ctxk='11'/>\n")).toEqual(['Dependency leaf_type class=p.B']);
	expect(events("<uncommon_trap bci='3'/>\n")).toEqual(['UncommonTrap ? action=?']);
	expect(events(`${call(21)}<intrinsic id='_hashCode' nodes='7'/>\n`)).toEqual(['Intrinsic _hashCode nodes=7']);
	expect(
		events("<eliminate_boxing type='11'>\n</eliminate_boxing>\n<eliminate_lock class='lock' kind='Nested'>\n</eliminate_lock>\n</eliminate_lock>\n"),
	).toEqual(['EliminateAllocation p.B', 'EliminateLock lock kind=Nested']);
	const loops = (body: string) => events(`<loop_tree>\n${body}</loop_tree>\n`);
	expect(loops('')).toEqual(['LoopTree pass loops=0 innerLoops=0 depth=0']);
	expect(loops("<loop idx='1'>\n<loop idx='2' inner_loop='1'>\n</loop>\n<loop idx='3' inner_loop='1'>\n</loop>\n</loop>\n")).toEqual([
		'LoopTree pass loops=3 innerLoops=2 depth=2',
	]);
	expect(loops("<loop idx='1' pre_loop='4' post_loop='4'>\n</loop>\n<loop idx='5' main_loop='4'>\n</loop>\n")).toEqual([
		'LoopTransformation loop before the main loop loop=1',
		'LoopTransformation loop after the main loop loop=1',
		'LoopTransformation main loop loop=5',
		'LoopTree pass loops=2 innerLoops=0 depth=1',
	]);
	// Loops outside of a tree are none.
	expect(events("<loop idx='1' main_loop='4'>\n</loop>\n</loop_tree>\n")).toEqual([]);
});

test('phases inside each other, each with its own end and numbers', () => {
	const task = read(
		"<phase name='a' nodes='1' stamp='0.100'>\n<phase name='b' stamp='0.200'>\n<phase_done name='b' nodes='7' live='6' memory='5' stamp='0.250'/>\n</phase>\n" +
			"<phase_done name='a' nodes='9' stamp='0.300'/>\n</phase>\n</phase>\n<phase name='c' stamp='0.400'>\n",
	);
	expect(phasesOf(task)).toEqual([
		{ name: 'a', depth: 0, startMs: 100, endMs: 300, nodes: 9, liveNodes: null, memoryBytes: null },
		{ name: 'b', depth: 1, startMs: 200, endMs: 250, nodes: 7, liveNodes: 6, memoryBytes: 5 },
		{ name: 'c', depth: 0, startMs: 400, endMs: null, nodes: null, liveNodes: null, memoryBytes: null },
	]);
	expect(phasesOf(read("<phase name='x' stamp='0.1'>\n".repeat(150)))).toHaveLength(101);
	expect(optimizationTreeOf(task, null).name).toBe('compiler');
});

test('what is parsed is the call of this method, else one that was accepted, else any at its place', () => {
	const inside = (...calls: string[]) => rows(parse(20, bc(3) + calls.join('') + parse(24, bc(1) + call(23) + no())));
	// A call of the method itself, although another one was accepted behind it.
	expect(inside(call(24) + no(), call(22) + yes())).toEqual(['3 p.A.<init> too big', '3/1 p.C.f too big', '3 p.B.f inlined inline (hot)']);
	expect(inside(call(21) + yes(), call(22) + no())).toEqual(['3 p.A.<init> inlined inline (hot)', '3/1 p.C.f too big', '3 p.B.f too big']);
	expect(inside(call(21) + no(), call(22) + no())).toEqual(['3 p.A.f too big', '3 p.A.<init> too big', '3/1 p.C.f too big']);
	// At another place there is none: it is made, and counted.
	const lost = read(parse(20, bc(2) + call(24) + yes() + bc(3) + parse(24)));
	expect([lost.lostElements, lost.root?.calls.map(({ bci, body }) => [bci, body !== null])]).toEqual([
		1,
		[
			[2, false],
			[3, true],
		],
	]);
});

test('late inlining without an id: the call of this method, else one that was put off, else the first at its place', () => {
	const late = (method: number, ...places: readonly string[]) => `<late_inline method='${method}'>\n${places.join('\n')}\n</late_inline>\n`;
	const at = (bci: number, method: number) => `<jvms bci='${bci}' method='${method}'/>`;
	const ID = "<inline_id id='5'/>\n";
	const told = (calls: string, method: number) => rows(parse(20, bc(3) + calls) + late(method, at(3, 20)) + no('later'));
	expect(told(call(22) + yes('b') + call(24) + yes('init') + call(23) + yes('c'), 24)).toEqual([
		'3 p.B.f inlined b',
		'3 p.A.<init> inlined init',
		'3 p.A.<init> later',
		'3 p.C.f inlined c',
	]);
	expect(told(call(22) + yes('b') + call(23) + yes('c') + ID, 24)).toEqual(['3 p.B.f inlined b', '3 p.C.f inlined c', '3 p.C.f later']);
	expect(told(call(22) + yes('b') + call(23) + yes('c'), 24)).toEqual(['3 p.B.f inlined b', '3 p.B.f later', '3 p.C.f inlined c']);
	// Both receivers were parsed: the place is inside the one that it names.
	const both = parse(
		20,
		bc(3) + call(21, DECLARED) + call(22) + yes('b') + call(23) + yes('c') + [23, 22].map((id) => parse(id, bc(1) + call(24) + yes(`in ${id}`))).join(''),
	);
	const inside = (method: number) =>
		rows(both + late(24, at(1, method), at(3, 20)) + parse(24, bc(7) + call(24) + no('deep'))).map((row) => row.replace(/ p\.[BC]:.*/, ''));
	expect(inside(22)).toEqual([
		'3 p.B.f inlined b',
		'3/1 p.A.<init> inlined in 22',
		'3/1/7 p.A.<init> deep',
		'3 p.C.f inlined c',
		'3/1 p.A.<init> inlined in 23',
	]);
	expect(inside(23)).toEqual([
		'3 p.B.f inlined b',
		'3/1 p.A.<init> inlined in 22',
		'3 p.C.f inlined c',
		'3/1 p.A.<init> inlined in 23',
		'3/1/7 p.A.<init> deep',
	]);
	// Each has its own place.
	const two = parse(20, bc(3) + call(24) + yes('x') + bc(4) + call(24) + yes('y'));
	expect(rows(two + [4, 3].map((bci) => late(24, at(bci, 20)) + parse(24, bc(bci + 1) + call(23) + no())).join(''))).toEqual([
		'3 p.A.<init> inlined x',
		'3/4 p.C.f too big',
		'4 p.A.<init> inlined y',
		'4/5 p.C.f too big',
	]);
	const lost = (...places: readonly string[]) => read(two + late(24, ...places)).lostElements;
	expect([lost(at(3, 20)), lost(at(9, 20)), lost(at(1, 24), at(3, 20)), lost()]).toEqual([0, 1, 1, 0]);
});

test('an id that stands at another place is not followed', () => {
	const body = parse(20, `${bc(3)}${call(24)}${yes('x')}<inline_id id='7'/>\n${bc(4)}${call(24)}${yes('y')}`);
	const late = (...bcis: readonly number[]) =>
		rows(
			`${body}<late_inline method='24' inline_id='7'>\n${bcis.map((bci) => `<jvms bci='${bci}' method='20'/>\n`).join('')}</late_inline>\n${parse(24, bc(1) + call(23) + no())}`,
		).map((row) => row.split(' ', 1)[0]);
	expect(late(3)).toEqual(['3', '3/1', '4']);
	expect(late(4)).toEqual(['3', '4', '4/1']);
	// Places of other depths are none of its: what is parsed is another compiled method then.
	expect([late(3, 3), late(3, 5)]).toEqual([['1'], ['1']]);
});

test('an attempt that is repeated behind late inlining begins the root again', () => {
	const late = "<late_inline method='24'>\n<jvms bci='3' method='20'/>\n</late_inline>\n";
	const first = parse(20, bc(3) + call(24) + yes()) + late;
	const second = parse(20, bc(4) + call(21) + no());
	expect(rows(`${first}<failure reason='retry without escape analysis'/>\n${second}`)).toEqual(['4 p.A.f too big']);
	// Without it, and of another method, it is what is inlined late.
	expect(rows(first + parse(24, bc(1) + call(21) + no()))).toEqual(['3 p.A.<init> inlined inline (hot)', '3/1 p.A.f too big']);
	expect(rows(`${first}<failure reason='retry x'/>\n${parse(24, bc(1) + call(21) + no())}`)).toHaveLength(2);
	expect(rows(`${first}<failure reason='out of nodes'/>\n${second}`)).toHaveLength(2);
});

test('only elements count, each from its begin', () => {
	const body = (line: string) => rows(parse(20, `${bc(3)}${line}${no()}`));
	expect(body(call(21))).toEqual(['3 p.A.f too big']);
	expect(body(`?${call(21).slice(1)}`)).toEqual([]);
	expect(body(`printed by the program: ${call(21)}`)).toEqual([]);
	expect(body('<a/>\n')).toEqual([]);
});

test('the phase of parsing ends with the root, not with what is inlined', () => {
	const inner = "<parse method='21' stamp='0.200'>\n<parse_done stamp='0.250'/>\n</parse>\n";
	const root = (inside: string) => `<parse method='20' stamp='0.100'>\n${bc(3)}${call(21)}${yes()}${inside}<regalloc attempts='1' success='1'/>\n`;
	const times = (body: string) => phasesOf(read(body)).map(({ name, startMs, endMs }) => [name, startMs, endMs]);
	expect(times(root(inner))).toEqual([['parse', 100, null]]);
	expect(times(`${root(inner)}<parse_done stamp='0.400'/>\n</parse>\n<phase name='x' stamp='0.500'>\n</phase>\n`)).toEqual([
		['parse', 100, 400],
		['x', 500, null],
	]);
	// What is inlined is in the phase too.
	const task = read(`${root(inner)}<parse_done stamp='0.400'/>\n</parse>\n<regalloc attempts='2' success='1'/>\n`);
	expect(task.events.map(({ phase }) => phase?.name ?? null)).toEqual(['parse', null]);
	// What was parsed too deep ends nothing.
	const deep = "<call method='21'/>\n<parse method='21'>\n".repeat(205);
	expect(times(`${root(deep)}<parse_done stamp='0.400'/>\n`)).toEqual([['parse', 100, null]]);
});

test('trees of a task stay as they are when another one is read', () => {
	const reader = new TaskReader();
	const text = Buffer.from(HEAD + parse(20, bc(3) + call(21) + no()));
	const task = reader.read(text, text.length);
	const other = Buffer.from("<type id='1' name='other'/>\n<klass id='10' name='q.Z'/>\n");
	reader.read(other, other.length);
	expect(inliningTreeOf(task, 'r').children.map(({ methodName }) => methodName)).toEqual(['p.A.f(int, A)']);
});

test('calls in the tree: what became of each', () => {
	const lines = (calls: string) => tree(parse(20, bc(3) + calls)).slice(1);
	expect(lines(call(21, DECLARED) + no('virtual call'))).toEqual(['  3 indirect p.A.f(int, A) virtual call']);
	expect(lines(call(21, DECLARED) + no('no static binding'))).toEqual(['  3 indirect p.A.f(int, A) no static binding']);
	// Parsed although it was refused, and refused again behind that: what was said counts.
	expect(lines(call(21) + no() + parse(21))).toEqual(['  3 direct p.A.f(int, A) too big']);
	expect(lines(call(21) + parse(21))).toEqual(['  3 inlined p.A.f(int, A)']);
	// C1 says no more of a call that it leaves.
	expect(lines(call(21, "instr='invokevirtual'"))).toEqual(['  3 direct p.A.f(int, A)']);
	expect(lines(call(21, "instr='invokestatic'"))).toEqual(['  3 direct p.A.f(int, A)']);
	expect(lines(call(99) + no())).toEqual(['  3 direct null too big']);
	expect(inliningTreeOf(read(parse(20)), 'r')).toMatchObject({ methodName: 'r', inlined: true, alive: true, indirect: false });
	// A receiver only directly behind its declared call.
	expect(lines(call(21, DECLARED) + call(22) + yes() + bc(5) + call(24) + no() + bc(3) + call(23) + yes())).toEqual([
		'  3 devirtualized p.A.f(int, A)',
		'    3 inlined p.B.f(int, A) inline (hot)',
		'  5 direct p.A.<init>() too big',
		'  3 inlined p.C.f(int, A) inline (hot)',
	]);
	// A virtual call that was written is that of the last declared one.
	const twice = lines(`${call(21, DECLARED)}${no('a')}${call(22, DECLARED)}${no('b')}<virtual_call bci='3'/>\n`);
	expect(twice).toEqual(['  3 direct p.A.f(int, A) a', '  3 indirect p.B.f(int, A) b']);
	const mature = (more: string) => inliningTreeOf(read(parse(20, bc(3) + call(21, `virtual='1' receiver='11' receiver_count='5'${more}`))), 'r').children[0];
	expect([mature(''), mature(" count='5'")].map((node) => node?.receiverTypes?.mature)).toEqual([false, true]);
});

test('places of events whose methods are not known', () => {
	const [first, second] = optimizationTreeOf(
		read(
			"<eliminate_allocation type='11'>\n<jvms bci='1' method='99'/>\n<jvms bci='3' method='20'/>\n</eliminate_allocation>\n<eliminate_allocation type='99'>\n</eliminate_allocation>\n",
		),
		'c2',
	).children;
	expect(first).toMatchObject({ event: 'p.B', position: { methodNames: ['?', 'p.A.root()'], bcis: [1, 3] } });
	expect(second).toMatchObject({ event: '?', position: { methodNames: [], bcis: [] } });
});

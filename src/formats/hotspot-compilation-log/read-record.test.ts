/** Records of compilations read from where they stand in a log, whole and in parts. */
import { expect, test } from 'vitest';
import { memorySource, type Source } from '../../bytes/source.js';
import type { LoggedJitCompilation } from './jvm-draft.js';
import { RecordReader } from './read-record.js';
import { scanCompilations } from './scan.js';

const record = (id: number, reason: string, more = ''): string => `<task compile_id='${id}' method='p.A f ([ILjava/lang/String;)V' bytes='9' stamp='0.150'>
<phase name='parse' stamp='0.151'>
<klass id='10' name='p.A'/>
<method id='20' holder='10' name='f' return='1' bytes='9'/>
<method id='21' holder='10' name='g' return='1' bytes='7'/>
<parse method='20' stamp='0.151'>
<bc code='182' bci='3'/>
<uncommon_trap bci='3' reason='null_check' action='none'/>
<call method='21'/>
<inline_fail reason='${reason}'/>
${more}</parse>
<phase_done stamp='0.160'/>
</phase>
<task_done success='1' nmsize='40' stamp='0.300'/>
</task>
`;

function compilationsOf(source: Source): readonly LoggedJitCompilation[] {
	return scanCompilations([source]).histories.flatMap(({ compilations }) => compilations);
}

/** Gives at most so many bytes at once, as a file or a pipe may. */
function inParts(text: string, most: number): Source {
	const whole = memorySource('a.log', Buffer.from(text));
	return { ...whole, read: (target, targetOffset, length, position) => whole.read(target, targetOffset, Math.min(length, most), position) };
}

const reasonsOf = (reader: RecordReader, compilations: readonly LoggedJitCompilation[]): string[] =>
	compilations.flatMap((compilation) => reader.readDecisions(compilation).map(({ reason }) => reason));

test('everything that a compiler decided', () => {
	const compilation = compilationsOf(memorySource('a.log', Buffer.from(record(7, 'too big'))))[0]!;
	expect(new RecordReader().read(compilation)).toEqual({
		decisions: [
			{
				bcis: [3],
				callee: 'p.A.g',
				calleeParameters: '()',
				caller: 'p.A.f',
				calleeBytes: 7,
				inlined: false,
				intrinsic: false,
				reason: 'too big',
				receivers: [],
			},
		],
		phases: [
			{ name: 'parse', depth: 0, startMs: 151, endMs: 160, nodes: null, liveNodes: null, memoryBytes: null },
			{ name: 'parse', depth: 1, startMs: 151, endMs: null, nodes: null, liveNodes: null, memoryBytes: null },
		],
		plannedTraps: 1,
		inlining: {
			methodName: 'p.A.f(int[], String)',
			bci: -1,
			inlined: true,
			indirect: false,
			alive: true,
			reasons: [],
			receiverTypes: null,
			children: [{ methodName: 'p.A.g()', bci: 3, inlined: false, indirect: false, alive: true, reasons: ['too big'], receiverTypes: null, children: [] }],
		},
		optimization: {
			kind: 'phase',
			name: 'C2',
			children: [
				{
					kind: 'phase',
					name: 'parse',
					children: [
						{
							kind: 'phase',
							name: 'parse',
							children: [
								{
									kind: 'optimization',
									name: 'UncommonTrap',
									event: 'null_check',
									position: { methodNames: ['p.A.f()'], bcis: [3] },
									properties: [{ key: 'action', value: 'none' }],
								},
							],
						},
					],
				},
			],
		},
		lostElements: 0,
	});
	expect(new RecordReader().read({ ...compilation, record: null })).toBeNull();
	expect(new RecordReader().read({ ...compilation, signature: null })?.inlining.methodName).toBe('p.A.f()');
});

test('from a source that gives a few bytes at once', () => {
	const reader = new RecordReader();
	const text = `<?xml version='1.0'?>\n${record(7, 'first')}${record(8, 'second')}`;
	expect(reasonsOf(reader, compilationsOf(inParts(text, 100)))).toEqual(['first', 'second']);
	// Of a log that was cut behind the scan's back what is left counts.
	const compilation = compilationsOf(memorySource('a.log', Buffer.from(text)))[0]!;
	const { start, end } = compilation.record ?? { start: 0, end: 0 };
	const cut = inParts(text.slice(0, text.indexOf('<inline_fail')), 100);
	expect(reader.readDecisions({ ...compilation, record: { start, end, source: cut } })).toEqual([]);
});

test('larger than the buffer that is there, and a smaller one behind it', () => {
	const filling = `<!-- ${'x'.repeat(1000)} -->\n`.repeat(1100);
	const text = record(7, 'large', `${filling}<call method='21'/>\n<inline_fail reason='behind it'/>\n`) + record(8, 'small');
	expect(text.length).toBeGreaterThan(1 << 20);
	expect(reasonsOf(new RecordReader(), compilationsOf(memorySource('a.log', Buffer.from(text))))).toEqual(['large', 'behind it', 'small']);
});

test('calls are counted as their decisions are', () => {
	const inlined =
		"<call method='21' virtual='1' count='9'/>\n<inline_success reason='accessor'/>\n<parse method='21'>\n<bc code='182' bci='1'/>\n<call method='20'/>\n<intrinsic id='_x' nodes='3'/>\n<call method='20'/>\n<inline_fail reason='intrinsic'/>\n</parse>\n";
	const compilations = compilationsOf(
		memorySource('a.log', Buffer.from(record(7, 'too big', inlined) + record(8, 'intrinsic') + record(9, 'no', inlined + inlined))),
	);
	const reader = new RecordReader();
	const counts = compilations.map((compilation) => reader.countCalls(compilation));
	expect(counts).toEqual([
		{ inlined: 1, notInlined: 1 },
		{ inlined: 0, notInlined: 0 },
		{ inlined: 2, notInlined: 1 },
	]);
	const decisions = compilations.map((compilation) => reader.readDecisions(compilation));
	expect(
		decisions.map((rows) => ({ inlined: rows.filter((row) => row.inlined).length, notInlined: rows.filter((row) => !row.inlined && !row.intrinsic).length })),
	).toEqual(counts);
});

test('what the profile told of branches, where each method is inlined; of two parses the last', () => {
	const branch = (taken: number, notTaken: number): string =>
		`<bc code='153' bci='1'/>\n<branch target_bci='6' taken='${taken}' not_taken='${notTaken}' cnt='9.0' prob='                0.25'/>\n`;
	const inlined = (taken: number): string =>
		`<bc code='182' bci='3'/>\n<call method='21' count='9'/>\n<inline_success reason='accessor'/>\n<parse method='21'>\n${branch(taken, 30)}</parse>\n`;
	const unknown = "<bc code='154' bci='5'/>\n<branch target_bci='8'/>\n";
	const retried = `<failure reason='retry without EA'/>\n<parse method='20' stamp='0.161'>\n${branch(5, 6)}${inlined(20)}</parse>\n`;
	const [first, second] = compilationsOf(
		memorySource('a.log', Buffer.from(record(7, 'too big', `${branch(100, 0)}${inlined(10)}${unknown}`) + record(8, 'x', `</parse>\n${retried}`))),
	);
	const reader = new RecordReader();
	expect([...(reader.readBranches(first as LoggedJitCompilation) ?? [])]).toEqual([
		['p.A.f 1', { taken: 100, notTaken: 0, targetBci: 6 }],
		['p.A.g 1 3', { taken: 10, notTaken: 30, targetBci: 6 }],
	]);
	expect([...(reader.readBranches(second as LoggedJitCompilation)?.values() ?? [])].map(({ taken }) => taken)).toEqual([5, 20]);
	expect(reader.readBranches({ ...(first as LoggedJitCompilation), record: null })).toBeNull();
});

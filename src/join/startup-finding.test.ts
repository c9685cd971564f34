/** What the start-up of a program costs and could save, in a sentence. */
import { expect, test } from 'vitest';
import { FIRST_EXECUTION, OPTIMIZED } from '../model/startup-orders.js';
import { startupFinding } from './startup-finding.js';

type Given = Parameters<typeof startupFinding>[0];

const layout = (name: string, kind: 'binary' | 'order', execPages: number | null, wholeFunctionPages: number, windows64k: number) => ({
	name,
	kind,
	counts: { textPages: 2000, entryPages: 0, execPages, wholeFunctionPages, windows64k, areaUnderCurve: 0 },
	byTrace: [],
	listedSections: null,
});

const LINKED = layout('app', 'binary', 80, 90, 9);
const ORDERS = [layout(FIRST_EXECUTION, 'order', 30, 40, 3), layout(OPTIMIZED, 'order', 20, 25, 2)];

function finding(startup: object) {
	return startupFinding({
		name: 'run1',
		processId: null,
		chosen: {},
		startup: {
			program: { file: 'app', isElf: true, functions: 10, isRelocatable: false },
			traces: [{ name: 't', file: 't.order' }],
			functions: 1234,
			simulation: { recordedOn: 'app', traces: [{ functions: 1234 }], layouts: [LINKED, ...ORDERS] },
			startUpCode: [],
			maps: [],
			isOnDisk: true,
			leftOut: [],
			files: [],
			problems: [],
			...startup,
		},
	} as unknown as Given);
}

const simulation = (traces: number, ...layouts: readonly object[]) => ({
	simulation: { recordedOn: 'app', traces: Array.from({ length: traces }, () => ({ functions: 7 })), layouts },
});

test('one trace', () => {
	expect(finding({})).toEqual({
		kind: 'startup',
		text: 'start-up runs 1,234 functions on 80 of 2,000 text pages, in 9 windows of 64 KiB; in order of first execution on 30 in 3, optimized on 20 in 2',
		handles: [],
		evidence: ['orderTraces'],
		command: 'assay order optimize t.order --elf app -o app.order',
		// 60 of 80 pages could be saved.
		worth: 7.5,
	});
});

test('several traces are summed; without executed bytes whole functions count', () => {
	expect(finding(simulation(2, layout('app', 'binary', null, 50, 1)))).toMatchObject({
		text: '2 traces of start-up run on 50 text pages, summed over the traces (the program has 2,000), in 1 window of 64 KiB',
		worth: 0,
	});
	expect(finding(simulation(1, layout('app', 'binary', 0, 0, 2)))?.worth).toBe(0);
});

test('an order that is worse than the link saves nothing; a binary is no order', () => {
	const one = finding(simulation(1, LINKED, layout(OPTIMIZED, 'order', 100, 100, 9), layout(FIRST_EXECUTION, 'binary', 90, 90, 9)));
	expect(one?.worth).toBe(0);
	expect(one?.text).toMatch(/64 KiB; optimized on 100 in 9$/);
	expect(finding(simulation(1, LINKED, layout(OPTIMIZED, 'binary', 100, 100, 9), layout(FIRST_EXECUTION, 'order', 90, 90, 9)))?.text).toMatch(
		/64 KiB; in order of first execution on 90 in 9$/,
	);
});

test('nothing is said without a program or a simulation', () => {
	expect(finding({ simulation: null })).toBeNull();
	expect(finding({ program: null })).toBeNull();
	expect(finding(simulation(1))).toBeNull();
	expect(startupFinding({ name: 'run1', processId: null, chosen: {}, startup: null })).toBeNull();
});

test('the command names all files, once each, quoted where the shell needs it', () => {
	const traces = ['a b.order', "it's", 'a b.order'].map((file) => ({ name: file, file }));
	expect(finding({ traces, program: { file: 'app.nm', isElf: false }, maps: ['m1', 'm2'] })?.command).toBe(
		"assay order optimize 'a b.order' 'it'\\''s' --nm app.nm --map m1 --map m2 -o app.order",
	);
	const many = (count: number) => finding({ traces: Array.from({ length: count }, (_, i) => ({ name: '', file: `t${i}` })) })?.command;
	expect(many(6)).toMatch(/^assay order optimize t0 t1 t2 t3 t4 t5 --elf/);
	expect(many(7)).toBe('assay report run1 --section startup');
	expect(finding({ isOnDisk: false })?.command).toBe('assay report run1 --section startup');
});

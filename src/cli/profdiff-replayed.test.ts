/** `assay profdiff compare-replayed`: no recorded case of the reference has it; what it prints of a pair is what its other commands print of the same pair. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { GRAAL_FIXTURES } from '../../test/fixtures.js';
import { runAssay } from '../../test/run-assay.js';

async function sections(...argv: string[]): Promise<{ head: string; methods: ReadonlyMap<string, string> }> {
	const { stdout, stderr, exit } = await runAssay(['profdiff', ...argv], GRAAL_FIXTURES);
	expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
	const [head = '', ...methods] = stdout.split(/^(?=Method )/m);
	return { head: head.slice(head.indexOf('\n\n')), methods: new Map(methods.map((text) => [/^Method (.*)/.exec(text)![1]!, text])) };
}

/** The lines of a pair. */
function pairs(section: string | undefined): string[] {
	const [, ...texts] = (section ?? '').split(/^(?= {4}Compilation unit .* vs$)/m);
	return texts.map((text) => text.trimEnd());
}

test('all methods, and of each the compilations of one id: those of the right side by its last', async () => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-replayed-'));
	onTestFinished(() => fs.rmSync(folder, { recursive: true }));
	const write = (name: string, ...compilations: [method: string, id: string, calls: string[]][]): string => {
		const lines = compilations.map(([methodName, compilationId, calls]) => {
			const node = (name: string, callsiteBci: number) => ({ methodName: name, callsiteBci, inlined: true, reason: null, indirect: false, alive: false });
			const inliningTree = { ...node(methodName, -1), invokes: calls.map((call, i) => node(call, i)) };
			return JSON.stringify({ methodName, compilationId, inliningTree, optimizationTree: { phaseName: 'RootPhase', optimizations: [] } });
		});
		fs.mkdirSync(path.join(folder, name));
		fs.writeFileSync(path.join(folder, name, 'log'), `${lines.join('\n')}\n`);
		return path.join(folder, name);
	};
	const one = write('1', ['D.a()', '7', ['D.x()']], ['D.only1()', '8', []], ['D.a()', '9', []]);
	const two = write('2', ['D.only2()', '8', []], ['D.a()', '7', []], ['D.a()', '7', ['D.y()']], ['D.a()', '10', []]);
	const { head, methods } = await sections('compare-replayed', one, two);
	expect(head).toBe(
		[
			'',
			'',
			'Experiment 1',
			'    Collected optimization logs for 3 compilation units',
			'',
			'Experiment 2',
			'    Collected optimization logs for 4 compilation units',
			'',
			'',
		].join('\n'),
	);
	expect([...methods.values()].join('')).toBe(
		`Method D.a()
    In experiment 1
        2 compilations
        Compilations
                7
                9
    In experiment 2
        3 compilations
        Compilations
                7
                7
               10
    Compilation unit     7 in experiment 1 vs
    Compilation unit     7 in experiment 2
        Inlining tree matching
            . (root) D.a()
                - (inlined) D.x() at bci 0
                + (inlined) D.y() at bci 0
        Optimization tree matching
            There are no differences

Method D.only1()
    In experiment 1
        1 compilations
        Compilations
                8
    In experiment 2
        No compilations

Method D.only2()
    In experiment 1
        No compilations
    In experiment 2
        1 compilations
        Compilations
                8
`,
	);
});

test.each([[[]], [['--optimization-context-tree=true']], [['--prune-identities=false', '--long-bci=true']]])(
	'of the same pairs what jit-vs-jit prints, but for their shares: %j',
	async (options) => {
		const log = 'inputs/mix-a/log';
		const replayed = await sections(...options, 'compare-replayed', log, log);
		const compared = await sections(...options, '--create-fragments=false', 'jit-vs-jit', log, 'inputs/mix-a.prof.json', log, 'inputs/mix-a.prof.json');
		const withoutShares = (text: string): string => text.replaceAll(/ consumed .* of total/g, '');
		let count = 0;
		for (const [method, section] of compared.methods) {
			const own = pairs(replayed.methods.get(method));
			for (const pair of pairs(section).map(withoutShares)) {
				const [, left, right] = /^ {4}Compilation unit +(\S+) .* vs\n {4}Compilation unit +(\S+) /.exec(pair)!;
				if (left === right) {
					expect(own).toContain(pair);
					count++;
				}
			}
		}
		expect(count).toBeGreaterThan(5);
	},
);

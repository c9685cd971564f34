import { describe, expect, test } from 'vitest';
import { fixtureText, JDKS, tableOf } from '../../../test/compilation-logs.js';
import { textSource } from '../../../test/recordings.js';
import type { CallDecision } from '../../model/jit-compilation.js';
import type { LoggedJitCompilation } from './jvm-draft.js';
import { RecordReader } from './read-record.js';
import { scanCompilations } from './scan.js';

/** What the text of PrintInlining has otherwise than the log, by compilation: nothing else may differ. */
const KNOWN_DIFFERENCES: Record<(typeof JDKS)[number], object> = {
	jdk17: {},
	// A writer switch cut away the second half of this line of the text: a loop head that was parsed twice.
	jdk25: { '498': { logOnly: ['22/1 inline (hot)'], textOnly: [] } },
};

describe.each(JDKS)('%s: decisions are those that PrintInlining printed', (jdk) => {
	const reader = new RecordReader();
	const [history] = scanCompilations([textSource(fixtureText('inlining', jdk, 'logcompilation.xml.gz'))]).histories;
	const tasks = (history?.compilations ?? []).filter(({ record }) => record !== null);
	const decisions = new Map(tasks.map((task) => [plainId(task), reader.readDecisions(task)]));
	const printed = new Map<string, Record<string, string>[]>();
	for (const row of tableOf(fixtureText('inlining', jdk, 'golden.sites.tsv.gz'))) {
		printed.set(row.compile_id ?? '', [...(printed.get(row.compile_id ?? '') ?? []), row]);
	}

	test('the same multiset of compilation, place and reason', () => {
		const different: Record<string, object> = {};
		let compared = 0;
		for (const [id, rows] of decisions) {
			const ours = rows.map(siteOf).sort();
			// JDK 25 remarks behind a site what became of inlining it late: in the log that is a parse.
			const theirs = (printed.get(id) ?? [])
				.filter(({ result = '' }) => !result.startsWith('late '))
				.map(({ bci_path, result }) => `${bci_path} ${result}`)
				.sort();
			compared += ours.length;
			if (ours.join('\n') !== theirs.join('\n')) {
				different[id] = { logOnly: without(ours, theirs), textOnly: without(theirs, ours) };
			}
		}
		expect(compared).toBe(jdk === 'jdk17' ? 5944 : 5060);
		expect(different).toEqual(KNOWN_DIFFERENCES[jdk]);
	});

	test('the counts of every task', () => {
		for (const row of tableOf(fixtureText('inlining', jdk, 'golden.counts.tsv'))) {
			const rows = decisions.get(row.compile_id ?? '') ?? [];
			const counts = {
				sites: new Set(rows.map(({ bcis }) => bcis.join('/'))).size,
				results: rows.length,
				successes: rows.filter(({ inlined }) => inlined).length,
				failures: rows.filter(({ inlined, intrinsic }) => !inlined && !intrinsic).length,
				intrinsics: rows.filter(({ inlined, intrinsic }) => intrinsic && !inlined).length,
			};
			const task = tasks.find((compilation) => plainId(compilation) === row.compile_id);
			expect({ id: row.compile_id, compiler: task?.compiler?.toUpperCase(), level: String(task?.level), bci: String(task?.osrBci ?? '-'), ...counts }).toEqual({
				id: row.compile_id,
				compiler: row.compiler,
				level: row.level,
				bci: row.osr_bci,
				sites: Number(row.sites),
				results: Number(row.results),
				successes: Number(row.successes),
				failures: Number(row.failures),
				intrinsics: Number(row.intrinsics),
			});
		}
	});

	test('callees are called alike, but for refused calls of C1, which the log names as declared', () => {
		let different = 0;
		let compared = 0;
		for (const task of tasks) {
			const names = new Set((printed.get(plainId(task)) ?? []).map(({ bci_path, callee = '', result }) => `${bci_path} ${result} ${calleeOf(callee)}`));
			for (const row of decisions.get(plainId(task)) ?? []) {
				compared++;
				const isSame = names.has(`${siteOf(row)} ${calleeOf(row.callee ?? '')}`);
				different += isSame ? 0 : 1;
				expect(isSame || (task.compiler === 'c1' && !row.inlined)).toBe(true);
			}
		}
		expect(different / compared).toBeLessThan(0.02);
	});

	test('the inlining tree has the same decisions as the rows', () => {
		for (const task of tasks) {
			const record = reader.read(task);
			const reasons: string[] = [];
			const work = [...(record?.inlining.children ?? [])];
			for (let node = work.pop(); node !== undefined; node = work.pop()) {
				reasons.push(...node.reasons);
				work.push(...node.children);
			}
			expect(reasons.sort()).toEqual((decisions.get(plainId(task)) ?? []).map(({ reason }) => reason).sort());
			expect(record?.lostElements).toBe(0);
		}
	});
});

function siteOf({ bcis, reason }: CallDecision): string {
	return `${bcis.join('/')} ${reason}`;
}

function plainId({ compileId }: LoggedJitCompilation): string {
	return compileId.replace('%', '');
}

/**
 * `java.lang.String::length`, `java/lang/StringUTF16::hashCode` when not loaded, `invokeBasic(JLLL)J` of method handles; before the address of a
 * hidden class the text has a point.
 */
function calleeOf(text: string): string {
	return text.replace(/\(.*$/, '').replaceAll('/', '.').replace('::', '.');
}

function without(all: readonly string[], some: readonly string[]): string[] {
	const rest = [...some];
	return all.filter((item) => {
		const at = rest.indexOf(item);
		if (at >= 0) {
			rest.splice(at, 1);
		}
		return at < 0;
	});
}

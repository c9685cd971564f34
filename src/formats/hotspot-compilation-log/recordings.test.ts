/** What stands in logs of real JVMs is found, whole or damaged. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fixtureText, JDKS } from '../../../test/compilation-logs.js';
import { textSource } from '../../../test/recordings.js';
import type { LoggedHistory } from './jvm-draft.js';
import { RecordReader } from './read-record.js';
import { type ScannedCompilations, scanCompilations } from './scan.js';

function scan(...texts: readonly string[]): ScannedCompilations {
	return scanCompilations(texts.map((text, i) => textSource(text, `${i}.log`)));
}

function only(text: string): LoggedHistory {
	const { histories } = scan(text);
	expect(histories).toHaveLength(1);
	return histories[0]!;
}

/** Counts of whole elements, by plain expressions over the text. */
function rawCounts(text: string): Record<string, number> {
	const count = (expression: RegExp): number => text.match(expression)?.length ?? 0;
	const ids = (expression: RegExp): number => new Set([...text.matchAll(expression)].map(([, id, kind]) => `${id}${kind ?? ''}`)).size;
	return {
		queued: count(/<task_queued [^<>]*\/>/g),
		tasks: count(/<task compile_id[^<>]*>/g),
		done: count(/<\/task>/g),
		nmethods: count(/<nmethod [^<>]*\/>/g),
		notEntrant: ids(/<make_not_entrant (?![^<>]*zombie)[^<>]*compile_id='(\d+)'( compile_kind='osr')?[^<>]*\/>/g),
		zombies: count(/<make_not_entrant [^<>]*zombie='1'[^<>]*\/>/g),
		osr: ids(/<(?:task_queued|task|nmethod) compile_id='(\d+)' compile_kind='osr'[^<>]*>/g),
		failed: count(/<task_done success='0'[^<>]*\/>/g),
		traps: count(/<uncommon_trap thread=[^<>]*>/g),
		invalidated: count(/<deoptimized [^<>]*>/g),
	};
}

function scannedCounts({ compilations }: LoggedHistory): Record<string, number> {
	const count = (holds: (compilation: LoggedHistory['compilations'][number]) => boolean): number => compilations.filter(holds).length;
	const deoptimizations = compilations.flatMap((compilation) => compilation.deoptimizations);
	return {
		queued: count(({ queuedMs }) => queuedMs !== null),
		tasks: count(({ record }) => record !== null),
		done: count(({ record, isCut }) => record !== null && !isCut),
		nmethods: count(({ installedMs }) => installedMs !== null),
		notEntrant: count(({ notEntrant }) => notEntrant !== null),
		zombies: count(({ removedMs }) => removedMs !== null),
		osr: count(({ kind }) => kind === 'osr'),
		failed: count(({ failure }) => failure !== null),
		traps: deoptimizations.filter(({ kind }) => kind === 'uncommon trap').length,
		invalidated: deoptimizations.filter(({ kind }) => kind === 'invalidated').length + compilations.reduce((sum, { movesToOsr }) => sum + movesToOsr, 0),
	};
}

const LOGS: readonly (readonly string[])[] = [
	...JDKS.map((jdk) => ['inlining', jdk, 'logcompilation.xml.gz']),
	['compilation', 'jdk17', 'logcompilation.xml.zst'],
];

describe('everything in a log is found', () => {
	test.each(LOGS)('%s %s', (...parts) => {
		const text = fixtureText(...parts);
		const { histories, problems } = scan(text);
		expect(problems).toEqual([]);
		expect(scannedCounts(histories[0]!)).toEqual(rawCounts(text));
	});

	test('the JVM, its threads, what each compilation was', () => {
		const history = only(fixtureText('inlining', 'jdk25', 'logcompilation.xml.gz'));
		expect(history.processId).toBe(11847);
		expect(history.version).toMatch(/^OpenJDK 64-Bit Server VM \(25\.0\.3\+9-LTS\) for linux-amd64/);
		expect(history.threads).toEqual([
			{ id: 11863, name: 'C1 CompilerThread0', startedMs: 104 },
			{ id: 11862, name: 'C2 CompilerThread0', startedMs: 100 },
		]);
		expect(history.endMs).toBe(6134);
		expect(history.compilations.find(({ compileId }) => compileId === '2')).toMatchObject({
			kind: 'standard',
			method: 'java.lang.Byte.toUnsignedInt',
			signature: '(B)I',
			compiler: 'c1',
			level: 3,
			bytecodeBytes: 6,
			queuedMs: 105,
			queueComment: 'tiered',
			startedMs: 105,
			installedMs: 105,
			doneMs: 105,
			sizeBytes: 232,
			nmethodBytes: 480,
			threadId: 11863,
			notEntrant: { ms: 120, reason: 'not used' },
		});
		expect(history.compilations.find(({ compileId }) => compileId === '443%')).toMatchObject({ kind: 'osr', osrBci: 223, level: 3 });
	});

	test('the text that PrintCompilation wrote in the same run', () => {
		const { compilations } = only(fixtureText('compilation', 'jdk17', 'logcompilation.xml.zst'));
		const printed = fixtureText('compilation', 'jdk17', 'printcompilation.txt.gz').matchAll(
			/^ *\d+ +(\d+) ([ %][ s][ !][ b][ n]) (\d) +(\S+?)(?: @ (\d+))? +\(.*?\) *$/gm,
		);
		const wanted = [...printed].map(([, id, attributes = '', level, method = '', bci]) => [
			`${id}${attributes.startsWith('%') ? '%' : ''}`,
			Number(level),
			method.replace('::', '.').replace(/\(.*/, ''),
			bci === undefined ? null : Number(bci),
		]);
		expect(wanted.length).toBeGreaterThan(5000);
		const known = new Map(compilations.map((compilation) => [compilation.compileId, compilation]));
		const different = wanted.filter(([id, level, method, bci]) => {
			const compilation = known.get(id as string);
			return compilation?.level !== level || compilation?.method !== method || compilation?.osrBci !== bci;
		});
		expect(different).toEqual([]);
	});

	test('tasks that failed, and attempts that were repeated', () => {
		for (const jdk of JDKS) {
			const history = only(fixtureText('inlining', jdk, 'failed-tasks.xml.gz'));
			const reasons = new Set(history.compilations.flatMap(({ failure }) => (failure === null ? [] : [`${failure.reason} (${failure.phase})`])));
			expect([...reasons].sort()).toEqual([
				...(jdk === 'jdk17' ? ['out of nodes after split (compile)'] : []),
				'out of nodes parsing method (compile)',
				'stale task (null)',
			]);
			const retried = history.compilations.filter(({ retries }) => retries.length > 0);
			expect(retried.every(({ failure, retries }) => failure === null && retries.join() === 'retry without subsuming loads')).toBe(true);
			expect(retried.length).toBe(jdk === 'jdk17' ? 0 : 5);
		}
	});
});

describe('damaged logs', () => {
	test.each(JDKS)('a log of %s that is cut anywhere loses at most what is open', (jdk) => {
		const text = fixtureText('inlining', jdk, 'logcompilation.xml.gz');
		const reader = new RecordReader();
		const whole = new Map(only(text).compilations.map((compilation) => [compilation.compileId, reader.readDecisions(compilation).length]));
		fc.assert(
			fc.property(fc.integer({ min: 600, max: text.length }), (length) => {
				const part = text.slice(0, length);
				const { histories } = scan(part);
				const history = histories[0];
				if (history === undefined) {
					return !/<task_queued [^<>]*\/>/.test(part);
				}
				expect(scannedCounts(history)).toEqual(rawCounts(part));
				for (const compilation of history.compilations) {
					const decisions = reader.readDecisions(compilation).length;
					const wanted = compilation.record === null ? 0 : whole.get(compilation.compileId)!;
					if (compilation.isCut) {
						expect(decisions).toBeLessThanOrEqual(wanted);
					} else {
						expect(decisions).toBe(wanted);
					}
				}
				return true;
			}),
			{ numRuns: 25, examples: [[text.lastIndexOf('</task>') + 5]] },
		);
	});

	test('random bytes in the middle do no harm', () => {
		const text = fixtureText('inlining', 'jdk17', 'failed-tasks.xml.gz').slice(0, 60_000);
		const reader = new RecordReader();
		fc.assert(
			fc.property(fc.nat(text.length), fc.string({ unit: 'binary', maxLength: 40 }), fc.nat(200), (at, noise, dropped) => {
				const { histories } = scan(text.slice(0, at) + noise + text.slice(at + dropped));
				for (const compilation of histories[0]?.compilations ?? []) {
					reader.read(compilation);
				}
			}),
			{ numRuns: 50 },
		);
	});

	test('a JVM that was killed: its log has no records, the files of its threads have them', () => {
		const text = fixtureText('inlining', 'jdk25', 'logcompilation.xml.gz');
		const start = text.indexOf('<compilation_log');
		const log = text.slice(0, start - 500);
		const threads = [...text.matchAll(/<compilation_log thread='\d+'>\n([\s\S]*?)<\/compilation_log>/g)].map(([, inside = '']) => inside.slice(0, -1000));
		const without = scan(log);
		expect(without.problems.at(-1)?.message).toBe('the log ends without the records of the compiler threads: the JVM was killed');
		expect(without.problems.at(-1)?.action).toContain('/app/hs_c11862_pid11847.log, /app/hs_c11863_pid11847.log');
		const full = only(text);
		for (const order of [
			[log, ...threads],
			[...threads, log],
		]) {
			const { histories, problems } = scan(...order);
			expect(histories).toHaveLength(1);
			expect(problems.filter(({ message }) => !message.includes('records of compilations end') && !message.includes('elements are cut'))).toEqual([]);
			const { compilations } = histories[0]!;
			expect(compilations).toHaveLength(full.compilations.length);
			expect(compilations.filter(({ record, isCut }) => record !== null && !isCut).length).toBeGreaterThan(670);
			expect(compilations.find(({ compileId }) => compileId === '562')).toMatchObject({ queuedMs: 503, startedMs: 505, threadId: 11862, compiler: 'c2' });
		}
	});
});

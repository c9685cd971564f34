/**
 * Runs that Flight Recorder and LogCompilation watch at once, on JDK 17 and 25: compilations agree in all fields that both have, decisions but for classes that are
 * named in docs/compilations.md; and of a call that may not be inlined on one side, a diff of two recordings tells what a diff of the logs tells.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memorySource, type Source } from '../src/bytes/source.js';
import { RecordReader } from '../src/formats/hotspot-compilation-log/read-record.js';
import { scanCompilations } from '../src/formats/hotspot-compilation-log/scan.js';
import { readJfrEvents } from '../src/formats/jfr/read.js';
import type { CallDecision } from '../src/model/jit-compilation.js';
import { recordedCompilations } from '../src/recording/recorded-compilations.js';
import { compileProgram, findJdk, type LiveJdk } from './jdks.js';

const assay = path.resolve(import.meta.dirname, '..', 'bin', 'assay.js');
const COMPILERS = ['Compilation', 'CompilerInlining', 'CompilationFailure', 'Deoptimization', 'ExecutionSample'];
const SETTINGS = [
	'settings=none',
	...COMPILERS.map((event) => `+jdk.${event}#enabled=true`),
	'+jdk.Compilation#threshold=0ms',
	'+jdk.ExecutionSample#period=10ms',
];

/** Why a decision of one file is not in the other, in the words of docs/compilations.md. */
type Class = 'intrinsic of C2' | 'virtual call of C2' | 'method handle of C2' | 'receiver named by C1' | 'other';

/** By the words of the log. */
const LOGGED_ONLY: Readonly<Record<string, Class>> = {
	'(intrinsic)': 'intrinsic of C2',
	'virtual call': 'virtual call of C2',
	'receiver not constant': 'method handle of C2',
	'member_name not constant': 'method handle of C2',
};

const text = ({ bcis, callee, inlined, reason }: CallDecision): string => `${bcis.join(' ')} ${callee} ${inlined} ${reason}`;
const placeAndReason = ({ bcis, inlined, reason }: CallDecision): string => `${bcis.join(' ')} ${inlined} ${reason}`;

function classOfLogged(compiler: string | null, { reason }: CallDecision): Class {
	return compiler === 'c2' ? (LOGGED_ONLY[reason] ?? 'other') : 'other';
}

/** What is only in one, with its class; what is the same is taken away. */
function differences(compiler: string | null, recorded: readonly CallDecision[], logged: readonly CallDecision[]): { kind: Class; decision: string }[] {
	const found: { kind: Class; decision: string }[] = [];
	const left = [...logged];
	const take = (isSame: (one: CallDecision) => boolean): boolean => {
		const at = left.findIndex(isSame);
		return at >= 0 && left.splice(at, 1).length > 0;
	};
	const others = recorded.filter((one) => !take((other) => text(other) === text(one)));
	for (const one of others) {
		const isNamed = compiler === 'c1' && take((other) => placeAndReason(other) === placeAndReason(one));
		found.push({ kind: isNamed ? 'receiver named by C1' : 'other', decision: text(one) });
	}
	for (const one of left) {
		found.push({ kind: classOfLogged(compiler, one), decision: text(one) });
	}
	return found;
}

describe.each([17, 25])('JDK %i', (major) => {
	let folder = '';
	let jdk: LiveJdk;
	const source = (...parts: string[]): Source => memorySource(parts.join('/'), fs.readFileSync(path.join(folder, ...parts)));

	function record(run: string, ...flags: string[]): void {
		fs.mkdirSync(path.join(folder, run));
		const log = ['-XX:+UnlockDiagnosticVMOptions', '-XX:+LogCompilation', `-XX:LogFile=${run}/hotspot.log`];
		const recording = `-XX:StartFlightRecording:${SETTINGS.join(',')},filename=${run}/rec.jfr`;
		execFileSync(jdk.java, ['-XX:+UseSerialGC', ...log, recording, ...flags, '-cp', '.', 'Ledger', '4000'], { cwd: folder, stdio: 'ignore' });
	}

	beforeAll(() => {
		jdk = findJdk(major);
		folder = fs.mkdtempSync(path.join(os.tmpdir(), `assay-decisions-${major}-`));
		compileProgram(findJdk(17), 'Ledger', folder);
		record('a');
		record('b', '-XX:CompileCommand=quiet', '-XX:CompileCommand=dontinline,Ledger::name');
	}, 180_000);

	afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

	test('compilations and decisions are those of the log', () => {
		const read = recordedCompilations([{ name: 'rec.jfr', read: readJfrEvents(source('a', 'rec.jfr'), 'compilers') }]);
		const [history] = scanCompilations([source('a', 'hotspot.log')]).histories;
		const logged = new Map(history?.compilations.map((one) => [one.compileId, one]));
		const reader = new RecordReader();
		const found: ReturnType<typeof differences> = [];
		let decisions = 0;
		for (const compilation of read?.history.compilations ?? []) {
			const other = logged.get(compilation.compileId);
			expect(other, compilation.compileId).toBeDefined();
			if (other === undefined) {
				continue;
			}
			const { kind, method, signature, compiler, level, threadId, failure, retries } = other;
			expect(compilation).toMatchObject({ kind, method, signature, compiler, level, threadId, failure, retries });
			expect(compilation.inlinedBytes).toBe(other.inlinedBytes ?? 0);
			if (!compilation.isCut) {
				const own = read?.decisionsOf(compilation) ?? [];
				decisions += own.length;
				// Events are switched on one after the other: the first compilations may lack some.
				const isEarly = (compilation.startedMs ?? 0) - (read?.history.watchedFromMs ?? 0) < 100;
				found.push(...differences(compiler, own, reader.readDecisions(other)).filter(({ kind }) => !isEarly || kind !== 'other'));
			}
		}
		expect(decisions).toBeGreaterThan(1000);
		expect(found.filter(({ kind }) => kind === 'other')).toEqual([]);
		expect(found.filter(({ kind }) => kind === 'receiver named by C1').length).toBeLessThan(0.04 * decisions);
	});

	test('a diff of the recordings tells the change that a diff of the logs tells', () => {
		const changesOf = (name: string): string[] => {
			const json = execFileSync(process.execPath, [assay, 'diff', `a/${name}`, `b/${name}`, '--all', '--method', 'Ledger.book', '--json'], {
				cwd: folder,
				encoding: 'utf8',
				maxBuffer: 1 << 28,
				stdio: ['ignore', 'pipe', 'ignore'],
			});
			const { changes } = (JSON.parse(json) as { result: { changes: readonly Record<string, unknown>[] } }).result;
			return changes
				.filter(({ kind, cause }) => kind === 'callsite' && cause === null)
				.map(({ before, after, where, reasonsAfter }) => JSON.stringify([before, after, where, reasonsAfter]));
		};
		const isOfName = (change: string): boolean => change.includes('"Ledger.name"') && change.includes('disallowed by CompileCommand');
		const recorded = changesOf('rec.jfr').filter(isOfName);
		expect(recorded).toHaveLength(1);
		expect(changesOf('hotspot.log').filter(isOfName)).toEqual(recorded);
	});
});

/**
 * Graal as the top compiler of HotSpot, from Maven Central, on a program of Maven Central: what `assay` tells of its compilations against its own log, counted here from
 * the JSON, and against the JVM's flags.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CompilationsResult, ReportResult } from '../src/answers/results.js';
import { compileProgram, findJdk } from './jdks.js';
import { downloadFromMaven } from './packages.js';

const assay = path.resolve(import.meta.dirname, '..', 'bin', 'assay.js');
const H2 = 'com.h2database:h2:2.3.232';

interface Call {
	readonly methodName: string | null;
	readonly inlined: boolean;
	readonly indirect: boolean;
	readonly alive: boolean;
	readonly invokes?: readonly Call[];
}

interface Unit {
	readonly methodName: string;
	readonly compilationId: string;
	readonly inliningTree: Call;
}

/** The JVM may end while the last line is written. */
function parsed(line: string): Unit[] {
	try {
		return [JSON.parse(line) as Unit];
	} catch {
		return [];
	}
}

describe.each([
	{
		major: 17,
		options: 'graal',
		modules: ['org.graalvm.compiler:compiler:23.0.2', 'org.graalvm.sdk:graal-sdk:23.0.2', 'org.graalvm.truffle:truffle-api:23.0.2'],
		flags: ['-XX:+UseSerialGC'],
	},
	{
		major: 25,
		options: 'jdk.graal',
		modules: [
			'org.graalvm.compiler:compiler:25.0.1',
			'org.graalvm.sdk:collections:25.0.1',
			'org.graalvm.sdk:word:25.0.1',
			'org.graalvm.truffle:truffle-compiler:25.0.1',
		],
		// The collector is the JVM's choice.
		flags: [],
	},
])('on JDK $major', ({ major, options, modules, flags }) => {
	const jdk = findJdk(major);
	let folder = '';
	let units: Unit[] = [];
	let report: ReportResult;
	let told: CompilationsResult;
	const ran = (...argv: string[]) => {
		const { status, stdout, stderr } = spawnSync(process.execPath, [assay, ...argv], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });
		expect(status, stderr).toBe(0);
		return stdout;
	};

	beforeAll(() => {
		folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-graal-'));
		const jars = path.join(folder, 'modules');
		fs.mkdirSync(jars);
		for (const module of modules) {
			downloadFromMaven(jars, module);
		}
		compileProgram(jdk, 'H2Queries', folder, downloadFromMaven(folder, H2));
		const log = path.join(folder, 'log');
		fs.mkdirSync(log);
		const graal = [
			'-XX:+UnlockExperimentalVMOptions',
			'-XX:+EnableJVMCI',
			'-XX:+UseJVMCICompiler',
			'--upgrade-module-path=modules',
			`-D${options}.TrackNodeSourcePosition=true`,
			`-D${options}.OptimizationLog=Directory`,
			`-D${options}.OptimizationLogPath=${log}`,
		];
		ran('record', '-o', 'run', '--jdk', jdk.home, '--', 'java', ...graal, ...flags, '-cp', `.${path.delimiter}h2-2.3.232.jar`, 'H2Queries', '100000');
		fs.renameSync(log, path.join(folder, 'run', 'graal-log'));
		units = fs.readdirSync(path.join(folder, 'run', 'graal-log')).flatMap((name) =>
			fs
				.readFileSync(path.join(folder, 'run', 'graal-log', name), 'utf8')
				.split('\n')
				.filter((line) => line !== '')
				.flatMap(parsed),
		);
		report = JSON.parse(ran('report', 'run', '--json')).result;
		told = JSON.parse(ran('compilations', 'run', '--json')).result;
	});

	afterAll(() => {
		fs.rmSync(folder, { recursive: true, force: true });
	});

	/** Calls that were inlined, and calls that stayed. */
	const countCalls = ({ inliningTree }: Unit): [inlined: number, stayed: number] => {
		let [inlined, stayed] = [0, 0];
		const work = [...(inliningTree.invokes ?? [])];
		for (let call = work.pop(); call !== undefined; call = work.pop()) {
			inlined += Number(call.inlined);
			stayed += Number(!call.inlined && call.alive);
			work.push(...(call.invokes ?? []));
		}
		return [inlined, stayed];
	};

	test('every compilation of its log is one of JVMCI in that of the JVM, with as many calls', () => {
		// As many as Graal has time for.
		expect(units.length).toBeGreaterThan(10);
		const byId = new Map(told.compilations.filter(({ compiler }) => compiler === 'jvmci').map((one) => [one.compileId.replace('%', ''), one]));
		for (const unit of units) {
			const one = byId.get(unit.compilationId);
			expect(one?.method, unit.compilationId).toBe(unit.methodName.replace(/\(.*/s, ''));
			const calls = one?.callSites ?? [];
			expect([calls.filter(({ inlined }) => inlined).length, calls.filter(({ inlined }) => !inlined).length]).toEqual(countCalls(unit));
		}
	});

	test('the report has the same counts, and whose time Graal itself was', () => {
		const joined = new Map(report.compilations.map((one) => [one.compileId.replace('%', ''), one]));
		for (const unit of units.filter(({ compilationId }) => joined.has(compilationId))) {
			const { inlinedCalls, notInlinedCalls } = joined.get(unit.compilationId)!;
			expect([inlinedCalls, notInlinedCalls]).toEqual(countCalls(unit));
		}
		expect(report.findings.find(({ kind }) => kind === 'compilers')?.text).toContain('Graal is Java code here');
	});

	test('the collector is named that the JVM took', () => {
		const { stdout } = spawnSync(jdk.java, [...flags, '-XX:+PrintFlagsFinal', '-version'], { encoding: 'utf8' });
		const [, taken] = /bool Use(Serial|Parallel|G1)GC\s*= true/.exec(stdout) ?? [];
		expect(report.recording.collector).toBe(taken);
	});
});

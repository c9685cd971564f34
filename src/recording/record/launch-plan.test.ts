/** Where the flags go: after java, to the forks of JMH, into the environment of a launcher. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeTool } from '../../../test/fake-tools.js';
import { jarMainClass } from './jar-main-class.js';
import { javaTarget } from './java-arguments.js';
import { majorVersion } from './jdk.js';
import { jmhForksNothing, withForkFlags } from './jmh-arguments.js';
import { evidenceFlags, safepointFlags } from './jvm-flags.js';
import { type LaunchPlan, mayStartJvm, planLaunch } from './launch-plan.js';

let folder = '';
let home = '';

beforeAll(() => {
	folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'assay plan ')));
	home = path.join(folder, 'jdk-99');
	writeTool(path.join(home, 'bin'), 'java', '#!/bin/sh');
	fs.writeFileSync(path.join(home, 'release'), 'IMPLEMENTOR="Nobody"\nJAVA_RUNTIME_VERSION="99.0.1+2"\nJAVA_VERSION="99.0.1"\n');
	writeTool(path.join(folder, 'bin'), 'build', '#!/bin/sh');
	writeTool(path.join(folder, 'bin'), 'node', '#!/bin/sh');
	fs.symlinkSync(path.join(home, 'bin', 'java'), path.join(folder, 'bin', 'java'));
	fs.writeFileSync(path.join(folder, 'benchmarks.jar'), jar('Manifest-Version: 1.0\r\nMain-Class: org.openjdk.jm\r\n h.Main\r\n', true));
	fs.writeFileSync(path.join(folder, 'app.jar'), jar('Manifest-Version: 1.0\nMain-Class: app.Main\n', false));
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

function plan(command: readonly string[], jdkHome: string | null = null, environment: NodeJS.ProcessEnv = {}, withNode = false): LaunchPlan | null {
	return planLaunch({ command, folder, jdkHome, environment: { PATH: path.join(folder, 'bin'), ...environment }, withNode }, (logName) => [
		`-XX:LogFile=/o p/${logName}`,
		'-F',
	]);
}

describe('the flags of', () => {
	test('java come right after it', () => {
		expect(plan(['java', '-cp', 'x', 'Main', '-jar'])).toEqual({
			argv: [path.join(folder, 'bin', 'java'), '-XX:LogFile=/o p/hotspot.log', '-F', '-cp', 'x', 'Main', '-jar'],
			environment: {},
			passing: 'command-line',
			flags: ['-XX:LogFile=/o p/hotspot.log', '-F'],
			jdk: { home, version: '99.0.1', runtimeVersion: '99.0.1+2', vendor: 'Nobody' },
			mayStartSeveral: false,
			jmh: 'no',
		});
	});

	test('a path that ends in java too; --jdk replaces it', () => {
		expect(plan(['jdk-99/bin/java', 'Main'])?.argv[0]).toBe(path.join(home, 'bin', 'java'));
		expect(plan(['/nowhere/java', 'Main'], 'jdk-99')?.argv[0]).toBe(path.join(home, 'bin', 'java'));
		expect(plan(['/nowhere/java', 'Main'])).toBeNull();
		expect(plan(['java', 'Main'], 'no-jdk')).toBeNull();
	});

	test('Node is told to write its code: itself, and what others start', () => {
		const [node, build] = ['node', 'build'].map((name) => path.join(folder, 'bin', name));
		expect(plan(['node', '--title=x', 'app.js'], null, {}, true)).toMatchObject({
			argv: [node, '--perf-prof', '--no-logfile-per-isolate', '--logfile=+', '--title=x', 'app.js'],
			environment: { NODE_OPTIONS: '--perf-prof' },
		});
		expect(plan(['build', 'all'], null, { NODE_OPTIONS: '--max-old-space-size=99' }, true)).toMatchObject({
			argv: [build, 'all'],
			environment: { NODE_OPTIONS: '--max-old-space-size=99 --perf-prof' },
		});
		expect(plan(['java', 'Main'], null, {}, true)?.environment).toEqual({});
		expect(plan(['node', 'app.js'])).toMatchObject({ argv: [node, 'app.js'], environment: { JAVA_TOOL_OPTIONS: expect.anything() } });
		expect(plan(['node', 'app.js'])?.environment).not.toHaveProperty('NODE_OPTIONS');
	});

	test('a launcher go into its environment, before those that are there', () => {
		const launched = plan(['build', 'java'], null, { JAVA_TOOL_OPTIONS: '-Xmx1g' });
		expect(launched).toMatchObject({ argv: [path.join(folder, 'bin', 'build'), 'java'], passing: 'environment', mayStartSeveral: true });
		expect(launched?.environment).toEqual({ JAVA_TOOL_OPTIONS: '"-XX:LogFile=/o p/hotspot-%p.log" -F -Xmx1g' });
		expect(plan(['build'], 'jdk-99')?.environment).toMatchObject({ JAVA_HOME: home, PATH: `${path.join(home, 'bin')}:${path.join(folder, 'bin')}` });
	});

	test("JMH go to its forks, by jar or by class; without forks they are the JVM's own", () => {
		const forked = plan(['java', '-Xmx1g', '-jar', 'benchmarks.jar', '-f', '1', 'Bench.a']);
		expect(forked).toMatchObject({ passing: 'jmh-jvm-args', mayStartSeveral: true, jmh: 'yes' });
		const rest = ['-jvmArgsPrepend', '"-XX:LogFile=/o p/hotspot-%p.log" -F', '-f', '1', 'Bench.a'];
		expect(forked?.argv.slice(1)).toEqual(['-Xmx1g', '-jar', 'benchmarks.jar', ...rest]);
		expect(plan(['java', '-cp', 'x.jar', 'org.openjdk.jmh.Main'])?.passing).toBe('jmh-jvm-args');
		expect(plan(['java', '-jar', 'benchmarks.jar', '-f', '0'])?.passing).toBe('command-line');
		expect(plan(['java', '-jar', 'app.jar'])?.passing).toBe('command-line');
		expect(plan(['java', '-jar', 'absent.jar'])?.passing).toBe('command-line');
	});
});

test('a JVM is expected of java, of scripts, of what starts the program behind it, and of the tools of a JDK', () => {
	const make = (name: string, content: string): string => {
		const file = path.join(folder, name);
		fs.mkdirSync(path.dirname(file), { recursive: true });
		fs.writeFileSync(file, content);
		return file;
	};
	const by = (program: string, passing: 'command-line' | 'environment' = 'environment'): boolean => mayStartJvm({ passing, argv: [program] });
	const native = make('plain/server', '\x7fELF');
	make('jdk-x/release', '');
	expect([
		by(native, 'command-line'),
		by(make('plain/mvn', '#!/bin/sh\n')),
		by('/usr/bin/env'),
		by('/bin/bash'),
		by(make('jdk-x/bin/javac', '\x7fELF')),
	]).toEqual([true, true, true, true, true]);
	expect([by(native), by(make('plain/node', '#!/bin/sh\n')), by(path.join(folder, 'absent'))]).toEqual([false, false, false]);
});

test('what java starts', () => {
	expect(javaTarget(['-cp', 'a:b', '-Xmx1g', 'Main', 'x'])).toEqual({ kind: 'class', name: 'Main', argumentsFrom: 4 });
	expect(javaTarget(['--add-opens', 'a/b=c', '-jar', 'x.jar', 'y'])).toEqual({ kind: 'jar', name: 'x.jar', argumentsFrom: 4 });
	expect(javaTarget(['-p', 'mods', '-m', 'a/b.C'])).toEqual({ kind: 'module', name: 'a/b.C', argumentsFrom: 4 });
	expect(javaTarget(['Main.java'])).toMatchObject({ kind: 'source' });
	for (const args of [['-version'], ['-jar'], ['@file', 'Main'], []]) {
		expect(javaTarget(args)).toBeNull();
	}
});

test("JMH's own arguments are kept, and the user's flags come last", () => {
	expect(withForkFlags(['-jvmArgsPrepend', '-a -b', 'x'], ['-f1', '-f2'])).toEqual(['-jvmArgsPrepend', '-f1 -f2 -a -b', 'x']);
	expect(withForkFlags(['--jvmArgsPrepend=-a', 'x', '-jvmArgsPrepend', '-b c'], ['-f1'])).toEqual([
		...['-jvmArgsPrepend', '-f1', '-jvmArgsPrepend', '-a', '-jvmArgsPrepend', '-b c'],
		'x',
	]);
	expect([['-f', '0'], ['-f0'], ['-f', '1'], ['-wf', '0'], []].map(jmhForksNothing)).toEqual([true, true, false, false, false]);
});

test('a main class is found in a jar, and nowhere else', () => {
	expect(jarMainClass(path.join(folder, 'benchmarks.jar'))).toBe('org.openjdk.jmh.Main');
	expect(jarMainClass(path.join(folder, 'app.jar'))).toBe('app.Main');
	const whole = fs.readFileSync(path.join(folder, 'benchmarks.jar'));
	const cut = path.join(folder, 'cut.jar');
	for (let length = 0; length < whole.length; length++) {
		fs.writeFileSync(cut, whole.subarray(0, length));
		expect(jarMainClass(cut)).toBeNull();
	}
	expect(jarMainClass(path.join(folder, 'absent.jar'))).toBeNull();
	expect(jarMainClass(folder)).toBeNull();
});

test('JDK 8 gets no -Xlog; versions are told apart', () => {
	expect(evidenceFlags('x', 25).some((flag) => flag.startsWith('-Xlog'))).toBe(true);
	expect(evidenceFlags('x', null).some((flag) => flag.startsWith('-Xlog'))).toBe(true);
	expect(evidenceFlags('x', 8).some((flag) => flag.startsWith('-Xlog'))).toBe(false);
	expect(safepointFlags('/x/hotspot-%p.log', 25)).toEqual([
		'-Xlog:safepoint*=info,safepoint=debug,vmthread=debug:file=/x/safepoint-%p.log:uptimenanos,timenanos,tags:filecount=0',
		'-XX:+SafepointTimeout',
		'-XX:SafepointTimeoutDelay=1000',
		'-Xlog:safepoint=error',
	]);
	expect([safepointFlags('/x/hotspot.log', 8), safepointFlags('/a:b/hotspot.log', 25)]).toEqual([[], []]);
	const jdk = (version: string | null) => ({ home: '', version, runtimeVersion: null, vendor: null });
	expect([jdk('17.0.15'), jdk('1.8.0_402'), jdk('25'), jdk('26-ea'), jdk(null), null].map(majorVersion)).toEqual([17, 8, 25, 26, null, null]);
});

/** A zip with one entry, the manifest. */
function jar(manifest: string, isCompressed: boolean): Buffer {
	const name = Buffer.from('META-INF/MANIFEST.MF');
	const text = Buffer.from(manifest);
	const data = isCompressed ? deflateRawSync(text) : text;
	const method = isCompressed ? 8 : 0;
	const local = Buffer.alloc(30);
	local.writeUInt32LE(0x04034b50, 0);
	local.writeUInt16LE(method, 8);
	local.writeUInt16LE(name.length, 26);
	const entry = Buffer.alloc(46);
	entry.writeUInt32LE(0x02014b50, 0);
	entry.writeUInt16LE(method, 10);
	entry.writeUInt32LE(data.length, 20);
	entry.writeUInt32LE(text.length, 24);
	entry.writeUInt16LE(name.length, 28);
	const end = Buffer.alloc(22);
	end.writeUInt32LE(0x06054b50, 0);
	end.writeUInt16LE(1, 10);
	end.writeUInt32LE(entry.length + name.length, 12);
	end.writeUInt32LE(local.length + name.length + data.length, 16);
	return Buffer.concat([local, name, data, entry, name, end]);
}

/**
 * JavaScript that Truffle compiles by Graal, both from Maven Central: the code of its functions, of which no event of JVMTI tells, is there with its name. Counted against
 * the JVM's own log.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HotspotsResult } from '../src/answers/results.js';
import { compileProgram, findJdk } from './jdks.js';
import { downloadFromMaven } from './packages.js';

const assay = path.resolve(import.meta.dirname, '..', 'bin', 'assay.js');

describe.each([
	{
		major: 17,
		compiler: ['org.graalvm.compiler:compiler:22.3.5'],
		modules: [
			'org.graalvm.js:js:22.3.5',
			'org.graalvm.regex:regex:22.3.5',
			'org.graalvm.truffle:truffle-api:22.3.5',
			'org.graalvm.sdk:graal-sdk:22.3.5',
			'com.ibm.icu:icu4j:71.1',
		],
		flags: ['-XX:+UseSerialGC', '--add-modules=org.graalvm.js'],
	},
	{
		major: 25,
		compiler: [
			'org.graalvm.compiler:compiler:25.0.1',
			'org.graalvm.truffle:truffle-compiler:25.0.1',
			'org.graalvm.sdk:word:25.0.1',
			'org.graalvm.sdk:nativeimage:25.0.1',
			'org.graalvm.sdk:collections:25.0.1',
			'org.graalvm.sdk:jniutils:25.0.1',
		],
		modules: [
			'org.graalvm.js:js-language:25.0.1',
			'org.graalvm.regex:regex:25.0.1',
			'org.graalvm.truffle:truffle-api:25.0.1',
			'org.graalvm.truffle:truffle-runtime:25.0.1',
			'org.graalvm.polyglot:polyglot:25.0.1',
			'org.graalvm.shadowed:icu4j:25.0.1',
			'org.graalvm.shadowed:xz:25.0.1',
		],
		flags: ['-XX:+UseG1GC', '--add-modules=org.graalvm.polyglot,org.graalvm.js', '--enable-native-access=ALL-UNNAMED,org.graalvm.truffle'],
	},
])('on JDK $major', ({ major, compiler, modules, flags }) => {
	const jdk = findJdk(major);
	let folder = '';
	const ran = (...argv: string[]) => {
		const { status, stdout, stderr } = spawnSync(process.execPath, [assay, ...argv], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 29 });
		expect(status, stderr).toBe(0);
		return stdout;
	};

	beforeAll(() => {
		folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-truffle-'));
		const jars = (name: string, all: readonly string[]): string[] => {
			fs.mkdirSync(path.join(folder, name));
			return all.map((one) => downloadFromMaven(path.join(folder, name), one));
		};
		jars('compiler', compiler);
		compileProgram(jdk, 'GuestCode', folder, jars('modules', modules).join(path.delimiter));
		const options = ['-XX:+UnlockExperimentalVMOptions', '-XX:+EnableJVMCI', '--upgrade-module-path=compiler', '--module-path=modules', ...flags];
		ran('record', '-o', 'run', '--jdk', jdk.home, '--', 'java', ...options, '-cp', '.', 'GuestCode', '12000');
	});

	afterAll(() => {
		fs.rmSync(folder, { recursive: true, force: true });
	});

	test('what Truffle compiled has its name and its instructions, and much of the time of the thread that runs it', () => {
		const { methods, regions } = JSON.parse(ran('hot', 'run', '--class', 'java', '--top', '1000', '--threshold', '0.02', '--json')).result as HotspotsResult;
		const ofTruffle = methods.filter(({ method }) => method.startsWith('Truffle: '));
		expect(ofTruffle.map(({ method }) => method)).toEqual(expect.arrayContaining(['Truffle: longest', 'Truffle: collatz']));
		expect(ofTruffle.reduce((sum, { percent }) => sum + percent, 0)).toBeGreaterThan(30);
		const shown = regions.filter(({ method, percent }) => method.startsWith('Truffle: ') && percent > 5);
		expect(shown.length).toBeGreaterThan(0);
		for (const { lines } of shown) {
			expect(lines.length).toBeGreaterThan(10);
		}
	});

	test('the agent has all code that the log tells of, but what was gone before it asked', () => {
		const logged = new Set<string>();
		const ofTruffle = new Set<string>();
		for (const line of fs.readFileSync(path.join(folder, 'run', 'hotspot.log'), 'latin1').split('\n')) {
			const [, id] = /^<nmethod compile_id='(\d+)'/.exec(line) ?? [];
			if (id !== undefined) {
				(line.includes('jvmci_mirror_name=') ? ofTruffle : logged).add(id);
			}
		}
		expect(ofTruffle.size).toBeGreaterThan(3);
		const [, told = ''] = /code of ([\d,]+) compilations/.exec(ran('doctor', 'run')) ?? [];
		// None to two that were compiled just before the end.
		expect(Number(told.replaceAll(',', ''))).toBeGreaterThanOrEqual(logged.size + ofTruffle.size - 3);
	});
});

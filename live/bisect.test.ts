/** `assay bisect` on real JVMs: a planted commit among 64, by what becomes of a call, by a storm and by memory; and which of two JDKs changed a decision. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BisectResult } from '../src/answers/results.js';
import { compileProgram, findJdk } from './jdks.js';

const COMMITS = 64;
/** The first commit with each change. */
const PLANTED = { inlining: 23, storm: 41, memory: 58 };
const root = path.resolve(import.meta.dirname, '..');
const jdk = findJdk(25);
let folder = '';
let repository = '';

function git(...words: string[]): string {
	return execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...words], { cwd: repository, encoding: 'utf8' });
}

/** A program as of a commit. What is planted stays. */
function program(commit: number): string {
	const long = Array.from({ length: 60 }, (_, i) => `x = x * ${i + 3} ^ x >>> ${(i % 7) + 1};`).join(' ');
	const isAfter = (planted: number): boolean => commit >= planted;
	return `public class Main {
	// Commit ${commit}
	static int mix(int x) { ${isAfter(PLANTED.inlining) ? long : 'x = x * 31 ^ x >>> 3;'} return x; }
	static int sum(int n) { int sum = 0; for (int i = 0; i < n; i++) { sum += mix(i); } return sum; }
	static int low(int x) { return (x & 64) == 0 ? x * 31 : x ^ 5; }
	static int third(int x) { return low(x) + low(x + 11) * low(x >>> 3) + low(x ^ 13); }
	static int second(int x) { return third(x + 5) ^ third(x - 3) ^ third(x * 7) ^ third(x >>> 2); }
	static int tower(int n) { int sum = 0; for (int i = 0; i < n; i++) { sum += ${isAfter(PLANTED.memory) ? 'second(i) + second(i ^ 1) - second(i ^ 2)' : 'low(i)'}; } return sum; }
	static int guard(Object[] all, int i) { return ((Integer) all[i & 7]).intValue(); }
	static int storm(Object[] all, int n) {
		int sum = 0;
		for (int i = 0; i < n; i++) {
			try { sum += guard(all, i); } catch (ClassCastException | NullPointerException e) { sum--; }
		}
		return sum;
	}
	public static void main(String[] args) {
		int check = 0;
		for (int round = 0; round < 1500; round++) { check += sum(2000) + tower(300); }
		${isAfter(PLANTED.storm) ? 'check += Storm.run();' : ''}
		System.out.println(check);
	}
}
${isAfter(PLANTED.storm) ? STORM : ''}`;
}

/** Ways that were never taken are left out of the code; here they are taken one after the other, each after the code was compiled again. */
const WAYS = Array.from({ length: 18 }, (_, way) => `if (way == ${way}) { x = x * ${2 * way + 31} + (x >>> ${way + 1}); } else`).join(' ');
const STORM = `class Storm {
	static int work(int way, int count) { int x = way; for (int i = 0; i < count; i++) { ${WAYS} { x++; } } return x; }
	static int run() {
		int sum = 0;
		for (int way = 0; way < 18; way++) {
			long until = System.nanoTime() + 40_000_000L;
			while (System.nanoTime() < until) { sum += work(way, 4096); }
		}
		return sum;
	}
}`;

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bisect-'));
	repository = path.join(folder, 'repository');
	fs.mkdirSync(repository);
	git('init', '--quiet');
	// Between two changes all commits are the same program: each is compiled once, and a build takes what belongs to its commit.
	const changes = [0, ...Object.values(PLANTED)];
	for (const change of changes) {
		const source = path.join(folder, `${change}`, 'Main.java');
		fs.mkdirSync(path.dirname(source));
		fs.writeFileSync(source, program(change));
		execFileSync(jdk.javac, ['-d', path.dirname(source), source]);
	}
	for (let commit = 0; commit <= COMMITS; commit++) {
		fs.writeFileSync(path.join(repository, 'Main.java'), program(commit));
		fs.writeFileSync(path.join(repository, 'compiled'), `${changes.findLast((change) => change <= commit)}`);
		git('add', '-A');
		git('commit', '--quiet', '--message', `Commit ${commit}`);
		if (commit === 0) {
			git('tag', 'first');
		}
	}
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

function bisect(name: string, words: readonly string[]): BisectResult {
	const output = execFileSync(process.execPath, [path.join(root, 'bin', 'assay.js'), 'bisect', '--json', '--keep', path.join(folder, name), ...words], {
		cwd: repository,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	return JSON.parse(output).result;
}

test.each<[keyof typeof PLANTED, string]>([
	['inlining', 'not-inlined:Main.mix@Main.sum'],
	['storm', 'storm:Storm.work'],
	['memory', 'memory:Main.tower>2M'],
])('finds the commit that planted %s', (name, when) => {
	const commits = ['--good', 'first', '--bad', 'HEAD', '--build', `rm -rf classes && cp -r ${folder}/$(cat compiled) classes`, '--repeats', '1'];
	// -Xbatch: what is hot is compiled before the run ends, however busy the machine is.
	const { found, builds, contradicting, runs, comparison } = bisect(name, [...commits, '--when', when, '--', jdk.java, '-Xbatch', '-cp', 'classes', 'Main']);
	expect(found?.firstBad.title).toBe(`Commit ${PLANTED[name]}`);
	expect(found?.lastGood.title).toBe(`Commit ${PLANTED[name] - 1}`);
	expect(found?.skipped).toEqual([]);
	expect(builds).toBeLessThanOrEqual(8);
	expect([contradicting, runs]).toEqual([0, builds + 4]);
	expect(comparison).toMatchObject({ command: expect.stringMatching(/^assay diff .*--repeat-b/), runsA: { length: 3 }, runsB: { length: 3 } });
	if (name === 'inlining') {
		expect(comparison?.changes).toContainEqual(expect.objectContaining({ kind: 'callsite', method: 'Main.sum', before: 'inlined', after: 'direct' }));
	}
	expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
	expect(git('status', '--porcelain')).toBe('');
});

test('tells which of two JDKs changed a decision', () => {
	const old = findJdk(17);
	compileProgram(old, 'Rare', folder);
	const words = ['--jdks', old.home, jdk.home, '--when', 'inlined:Rare.small@Rare.work', '--', 'java', '-cp', folder, 'Rare'];
	const { found, builds } = bisect('jdks', words);
	expect(found?.firstBad.name).toBe(jdk.home);
	expect(builds).toBe(2);
});

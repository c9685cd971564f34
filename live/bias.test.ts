/** `assay bias --ttsp` and `assay lab bias` with real JVMs, perf and profilers, on JDK 17 and 25. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileProgram, findJdk, type LiveJdk } from './jdks.js';

const root = path.resolve(import.meta.dirname, '..');
const assay = path.join(root, 'bin', 'assay.js');

function run(args: readonly string[], cwd: string): Promise<{ status: number | null; stdout: string; stderr: string }> {
	return new Promise((resolve, reject) => {
		const child = spawn(process.execPath, [assay, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
		let stdout = '';
		let stderr = '';
		child.stdout.setEncoding('utf8').on('data', (text: string) => {
			stdout += text;
		});
		child.stderr.setEncoding('utf8').on('data', (text: string) => {
			stderr += text;
		});
		child.once('error', reject);
		child.once('close', (status) => resolve({ status, stdout, stderr }));
	});
}

function resultOf(schema: string, stdout: string) {
	const output = JSON.parse(stdout);
	const validate = new Ajv2020({ allowUnionTypes: true, strict: false }).compile(
		JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', `${schema}.json`), 'utf8')),
	);
	validate(output);
	expect(validate.errors ?? []).toEqual([]);
	return output.result;
}

interface LabProfiler {
	readonly profiler: string;
	readonly isUnbiased: boolean;
	readonly samples: number | null;
	readonly totalVariation: number | null;
	readonly expectedFromSampling: number;
	readonly methods: readonly { readonly method: string; readonly percent: number }[];
}

interface LabScenario {
	readonly scenario: string;
	readonly truth: { readonly from: string; readonly methods: readonly { readonly method: string; readonly percent: number }[] } | null;
	readonly profilers: readonly LabProfiler[];
	readonly predictions: readonly {
		readonly prediction: string;
		readonly observed: string;
		readonly totalVariation: number;
		readonly expectedFromSampling: number;
	}[];
}

describe.each([17, 25])('on JDK %i', (major) => {
	let folder = '';
	let jdk: LiveJdk;

	beforeAll(() => {
		jdk = findJdk(major);
		folder = fs.mkdtempSync(path.join(os.tmpdir(), `assay-bias-${major}-`));
		compileProgram(jdk, 'Staller', folder);
	});

	afterAll(() => {
		fs.rmSync(folder, { recursive: true, force: true });
	});

	test('a loop without a poll is named for every safepoint that waits for it', async () => {
		const recorded = await run(
			['record', '-o', 'stall', '--safepoints', '--jdk', jdk.home, '--', 'java', '-XX:+UseSerialGC', '-cp', '.', 'Staller', '150000000', '3'],
			folder,
		);
		expect(recorded.status, recorded.stderr).toBe(0);
		const { status, stdout } = await run(['bias', '--ttsp', '--json', '--slow', '50', 'stall'], folder);
		expect(status).toBe(0);
		const { safepoints, causes } = resultOf('bias-ttsp', stdout);
		const slow = safepoints.filter((row: { isSlow: boolean }) => row.isSlow);
		expect(slow.length).toBeGreaterThanOrEqual(3);
		for (const { culprits } of slow) {
			expect(culprits[0]).toMatchObject({ thread: 'churner', method: 'Staller.churn', loop: { poll: 'none' }, evidence: 'samples' });
			expect([10, 11, 12, 13, 14]).toContain(culprits[0].line);
			expect(culprits[0].percent).toBeGreaterThan(80);
		}
		expect(causes[0]).toMatchObject({ method: 'Staller.churn', threads: ['churner'] });
		const text = await run(['bias', '--ttsp', 'stall'], folder);
		expect(text.stdout).toContain('UseCountedLoopSafepoints');
		// The same loop is the hottest of the recording, and its kind is known.
		const { loops } = resultOf('bias', (await run(['bias', '--json', '--rounds', '0', '--thread', 'churner', 'stall'], folder)).stdout);
		expect(loops[0]).toMatchObject({ method: 'Staller.churn', poll: 'none', kind: 'counted' });
		const inChurn = loops.filter(({ method }: { method: string }) => method === 'Staller.churn');
		expect(inChurn.reduce((sum: number, loop: { samplesPercent: number }) => sum + loop.samplesPercent, 0)).toBeGreaterThan(80);
	});

	test('the lab: who is right, who is not, and what was predicted', async () => {
		const { status, stdout, stderr } = await run(['lab', 'bias', '--json', '--java', jdk.home, '--only', 'S1,S2,S5', '--seconds', '1.5'], folder);
		expect([0, 1], stderr).toContain(status);
		const result = resultOf('lab-bias', stdout) as { scenarios: LabScenario[]; missing: { sampler: string }[]; java: { version: string } };
		expect(result.java.version).toBe(jdk.version);
		expect(result.scenarios.map(({ scenario, truth }) => [scenario, truth?.from])).toEqual([
			['S1Inline', 'steps'],
			['S2Calls', 'steps'],
			['S5Chain', 'steps'],
		]);
		const of = (scenario: LabScenario, name: string): LabProfiler => {
			expect(
				scenario.profilers.map(({ profiler }) => profiler),
				`${name}: perf and Flight Recorder have to be there`,
			).toContain(name);
			return scenario.profilers.find(({ profiler }) => profiler === name)!;
		};
		for (const scenario of result.scenarios) {
			const names = scenario.profilers.map(({ profiler }) => profiler);
			expect(names).toEqual(expect.arrayContaining(['perf', 'dumps', 'JFR', 'JFR-', 'pred', 'near']));
			expect(names.includes('cpu')).toBe(major >= 25);
			expect(of(scenario, 'perf').totalVariation, scenario.scenario).toBeLessThan(0.1);
			// Without a poll in the loops, dumps show the loop around, or the last that was called.
			expect(of(scenario, 'dumps').totalVariation, scenario.scenario).toBeGreaterThan(0.8);
			const [predicted] = scenario.predictions.filter(({ prediction }) => prediction === 'pred');
			expect(predicted).toMatchObject({ observed: 'dumps' });
			expect(predicted?.totalVariation, scenario.scenario).toBeLessThan(0.15 + (predicted?.expectedFromSampling ?? 0));
		}
		expect(of(result.scenarios[0]!, 'dumps').methods[0]).toMatchObject({ method: 'S1Inline.run' });
	});

	test('the lab in words', async () => {
		const { status, stdout, stderr } = await run(['lab', 'bias', '--java', jdk.home, '--only', 'S3', '--seconds', '1'], folder);
		expect([0, 1], stderr).toContain(status);
		expect(stdout).toMatch(/^S3Gap +100 +0\.0\d/m);
		expect(stdout).toMatch(/^S3Gap +dumps +\d+ % for +0 % +S3Gap\.(?:run|apartKeep)$/m);
		expect(
			Math.max(
				...stdout
					.split('\n')
					.slice(1)
					.map((line) => line.length),
			),
		).toBeLessThanOrEqual(80);
	});
});

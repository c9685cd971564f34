/** The numbers of a report are those of the commands that show one kind of evidence, and any part of the evidence gives a report. */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CommandResults, CommandWithResult } from '../../test/command-results.js';
import { FIXTURES as fixtures, json } from '../../test/report-json.js';
import { runAssay } from '../../test/run-assay.js';

/** null: the command finds nothing that it could show. */
async function jsonOrNull<C extends CommandWithResult>(command: C, ...argv: string[]): Promise<CommandResults[C] | null> {
	const { stdout, exit } = await runAssay([...command.split(' '), ...argv, '--json'], fixtures);
	return exit === 0 ? JSON.parse(stdout).result : null;
}

const plain = (id: string): string => id.replace('%', '');

describe('the numbers are those of the commands', () => {
	test.each([
		'joined/jdk25-c2',
		'joined/graal',
		'jvm/perfasm/jdk25-mapGet',
		'jvm/perfasm/jdk25-mapGet-2events',
		'jvm/perfasm/jdk17-virtualDispatch-intel',
		'jvm/perfasm/jdk25-mapGet-skipasm',
		'jvm/compilation/jdk17',
		'jvm/memstat/javac',
		'jvm/memstat/events',
		'jvm/ledger/jdk25',
		'jvm/async-profiler',
		'jvm/safepoint/ttsp-sampled/jdk25-stall',
	])('%s', async (recording) => {
		const report = await json('report', recording);
		const [hot, compilations, memory, bias, ttsp] = [
			await jsonOrNull('hot', recording),
			await jsonOrNull('compilations', recording),
			await jsonOrNull('memory', recording),
			await jsonOrNull('bias', recording, '--rounds', '0'),
			await jsonOrNull('bias --ttsp', recording),
		];
		const rows = new Map(report.compilations.map((row) => [row.compileId, row]));
		const byPlainId = new Map(report.compilations.map((row) => [plain(row.handle.slice(1)), row]));

		expect(report.evidence.samples.present).toBe(hot !== null);
		expect(report.samples).toMatchObject(hot === null ? { total: 0, byReason: {} } : hot.samples);
		for (const { compileId, samples, percent } of hot?.compilations ?? []) {
			expect(rows.get(compileId)).toMatchObject({ samples, percent });
		}
		const sampled = report.compilations.filter(({ samples }) => samples > 0).map(({ compileId }) => compileId);
		expect(sampled.sort()).toEqual((hot?.compilations ?? []).map(({ compileId }) => compileId).sort());

		const { logCompilation, printCompilation } = report.evidence;
		if (logCompilation.present || !printCompilation.present) {
			expect(logCompilation.records).toBe(compilations?.compilations.length ?? 0);
		} else {
			expect(compilations?.recording.files.length).toBeGreaterThanOrEqual(printCompilation.files.length);
		}
		for (const one of compilations?.compilations ?? []) {
			const { handle, method, compiler, level, kind, signature, osrBci, installedMs, notEntrantMs, callSites, sizeBytes } = one;
			const row = rows.get(one.compileId)!;
			expect(row).toMatchObject({ handle, method, compiler, level, kind, signature });
			expect([row.osrBci, row.installedMs, row.notEntrantMs]).toEqual([osrBci, installedMs, notEntrantMs]);
			expect(row.codeBytes).toBe(sizeBytes ?? row.codeBytes);
			if (row.inlinedCalls !== undefined && !row.evidence.includes('graalLog')) {
				expect(row.inlinedCalls).toBe(callSites.filter(({ inlined }) => inlined).length);
				expect(row.notInlinedCalls).toBe(callSites.filter(({ inlined, intrinsic }) => !inlined && !intrinsic).length);
			}
		}

		const withIds = (memory?.compilations ?? []).filter(({ compileId }) => compileId !== null);
		expect(report.evidence.compilerMemory.records).toBe(memory?.compilations.length ?? 0);
		for (const { handle, totalBytes } of withIds) {
			expect(byPlainId.get(plain(handle.slice(1)))?.memoryBytes, handle).toBe(totalBytes);
		}
		expect(report.compilations.filter(({ memoryBytes }) => memoryBytes !== undefined)).toHaveLength(withIds.length);

		if (hot !== null && bias !== null) {
			expect(bias.samples + (bias.otherThreads ?? 0)).toBe(hot.samples.counted);
		}
		const predicted = new Map<string, number>((bias?.methods ?? []).map(({ method, predictedPercent }) => [method, predictedPercent]));
		// Nothing is said by a prediction of the smaller part of the time.
		const isPredicted = (bias?.unknownPercent ?? 100) <= 50 && [...predicted.values()].some((percent) => percent > 0);
		for (const { method, predictedBiasedPercent } of report.compilations) {
			expect(predictedBiasedPercent).toBe(isPredicted ? predicted.get(method) : undefined);
		}

		expect(report.safepoints.total).toBe(ttsp?.safepoints.length ?? 0);
		expect(report.safepoints.slow).toBe(ttsp?.safepoints.filter(({ isSlow }) => isSlow).length ?? 0);
		const others = report.otherTime.reduce((sum, { samples }) => sum + samples, 0);
		const inside = report.compilations.reduce((sum, { samples }) => sum + samples, 0);
		expect(others + inside).toBe(report.samples.counted);
	});
});

describe('any subset of the evidence', () => {
	const parts = ['compilation.log.gz', 'hotspot.log.gz', 'perf.script.txt.gz', 'safepoint.log.gz'];
	const whole = path.join('joined', 'jdk25-c2');

	test.each(parts)('without %s', async (left) => {
		const names = parts.filter((name) => name !== left).map((name) => path.join(whole, name));
		const report = await json('report', ...names);
		expect(report.evidence.samples.present).toBe(left !== 'perf.script.txt.gz');
		expect(report.evidence.logCompilation.present).toBe(left !== 'hotspot.log.gz');
		expect(report.evidence.safepoints.present).toBe(left !== 'safepoint.log.gz');
		expect(report.compilations.length).toBeGreaterThanOrEqual(365);
		const { stdout, exit } = await runAssay(['report', ...names], fixtures);
		expect(exit).toBe(0);
		expect(stdout).toContain(left === 'hotspot.log.gz' ? 'LogCompilation ✗' : 'LogCompilation ✓');
	});

	test.each(parts)('%s alone', async (name) => {
		const { evidence } = await json('report', path.join(whole, name));
		expect(Object.values(evidence).some(({ present }) => present)).toBe(true);
	});

	test('what nobody can read', async () => {
		const { exit, stderr } = await runAssay(['report', path.join(whole, 'Words.java')], fixtures);
		expect(exit).toBe(3);
		expect(stderr).toContain('holds nothing of a run');
		expect((await runAssay(['report', 'joined/absent'], fixtures)).exit).toBe(3);
		expect((await runAssay(['report'], fixtures)).exit).toBe(2);
		expect((await runAssay(['report', whole, '--section', 'all'], fixtures)).exit).toBe(2);
	});
});

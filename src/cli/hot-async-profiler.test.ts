import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';

const fixture = path.resolve(import.meta.dirname, '../../fixtures/jvm/async-profiler');

test('a recording of async-profiler: the loops of the program are found, samples in the kernel are the kernel’s', async () => {
	const { stdout, exit } = await runAssay(['hot', 'cpu.collapsed.gz', 'hotspot.log.gz', '--json'], fixture);
	expect(exit).toBe(0);
	const { samples, methods, clock } = JSON.parse(stdout).result;
	expect(clock.source).toBe('none');
	expect(methods[0]).toMatchObject({ method: 'Hot.main', source: 'c2, level 4' });
	expect(methods.map(({ method }: { method: string }) => method)).toEqual(expect.arrayContaining(['Hot.collatz', '(kernel)', '(libjvm.so)']));
	expect(samples.byReason.kernel).toBeGreaterThan(0);
	const ofMethods = methods.reduce((sum: number, row: { samples: number }) => sum + row.samples, 0);
	expect(ofMethods).toBe(samples.counted);
});

test('without times there is none to be shown', async () => {
	const { stdout, stderr, exit } = await runAssay(['hot', fixture], '.');
	expect(exit).toBe(0);
	expect(stderr).toBe('');
	expect(stdout).toContain('Compiled more than once\n');
	expect(stdout).not.toContain('▁');
});

test('clocks that a manifest notes mean nothing then', async () => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-async-profiler-'));
	fs.cpSync(fixture, folder, { recursive: true });
	fs.writeFileSync(path.join(folder, 'assay-recording.json'), '{"assayRecording":1,"clocks":{"monotonicMinusRealtimeSeconds":-1e9,"uncertaintySeconds":0}}');
	const { stdout } = await runAssay(['hot', folder, '--json'], folder);
	fs.rmSync(folder, { recursive: true });
	const { samples, clock } = JSON.parse(stdout).result;
	expect(clock.source).toBe('none');
	expect(samples.counted).toBe(samples.total);
});

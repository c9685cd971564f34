import path from 'node:path';
import { expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { memorySource } from '../bytes/source.js';
import { readProftoolProfile } from '../formats/proftool-profile/read.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const run = (...argv: string[]): ReturnType<typeof runAssay> => runAssay(['export', ...argv], root);

test('samples by compilation, as proftool writes them', async () => {
	const { stdout, exit } = await run('examples/hot', '--to', 'proftool');
	expect(exit).toBe(0);
	const written = JSON.parse(stdout);
	expect(written.code[0]).toEqual({ compileId: '18', name: '18: HotLoop.divide(int, int)', level: 4, period: 1799 * 1_001_001 });
	expect(
		written.code.some(({ compileId, name }: { compileId: string | null; name: string }) => compileId === '12%' && name === '12%: HotLoop.divide(int, int)'),
	).toBe(true);
	const profile = readProftoolProfile(memorySource('profile', Buffer.from(stdout)));
	expect(profile).toMatchObject({ kind: 'JIT', executionId: '23190', totalPeriod: 2126 * 1_001_001 });
	expect(profile.entries.reduce((sum, { period }) => sum + period, 0)).toBe(profile.totalPeriod);
});

test.each([
	[['examples/hot'], 2, '--to FORMAT is missing: proftool'],
	[['examples/hot', '--to', 'pprof'], 2, '--to takes proftool, not "pprof"'],
	[['--to', 'proftool'], 2, 'a recording is expected'],
	[['README.md', '--to', 'proftool'], 3, 'README.md: holds neither samples'],
	[['examples/hot', '--to', 'proftool', '--output', 'no/such/folder/x'], 3, 'cannot be written'],
	[['--help'], 0, ''],
])('%j', async (argv, status, message) => {
	const { stderr, exit } = await run(...(argv as string[]));
	expect({ exit, stderr }).toMatchObject({ exit: status, stderr: expect.stringContaining(message as string) });
});

import { expect, test } from 'vitest';
import type { OrderMap } from '../../model/order-map.js';
import { chooseEarly, withoutCopies } from './choose-program.js';

const program = (file: string, buildId: string) => ({ file, map: { buildId } as OrderMap });
const wanted = { named: null as string | null, workloads: ['"$PROGRAM"'], folder: '/trace', place: '/trace', log: 'build-trace.log' };

test('of copies of a program the one counts that is named, or that a workload runs, or that lies highest', () => {
	const programs = [program('bin/out/lz4', 'a'), program('lz4', 'a'), program('programs/lz4', 'a'), program('tests/fuzzer', 'b')];
	const kept = (more: Partial<typeof wanted>) => withoutCopies(programs, { ...wanted, ...more }).map(({ file }) => file);
	expect(kept({})).toEqual(['lz4', 'tests/fuzzer']);
	expect(kept({ workloads: ['true', 'echo x |./programs/lz4 -c >/dev/null'] })).toEqual(['programs/lz4', 'tests/fuzzer']);
	expect(kept({ workloads: ['cd programs; lz4'], place: '/trace/bin' })).toEqual(['lz4', 'tests/fuzzer']);
	expect(kept({ workloads: ['./programs/lz4'], named: 'bin/out/lz4' })).toEqual(['bin/out/lz4', 'tests/fuzzer']);
	expect(kept({ named: '../lz4', place: '/trace/bin', workloads: ['out/lz4'] })).toEqual(['lz4', 'tests/fuzzer']);
	expect(chooseEarly(withoutCopies(programs.slice(0, 3), wanted), wanted)?.file).toBe('lz4');
});

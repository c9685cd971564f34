import { expect, test } from 'vitest';
import type { OrderMap } from '../../model/order-map.js';
import { chooseByDumps, chooseEarly, withoutCopies } from './choose-program.js';

const program = (file: string, buildId: string) => ({ file, map: { buildId } as OrderMap, isLibrary: file.includes('.so') });
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

test('a shared library is taken where it is named, or where nothing else of the build ran', () => {
	const built = [program('app', 'a'), program('lib/libapp.so.1', 'b'), program('plugin.so', 'c')];
	expect(chooseEarly(built, wanted)?.file).toBe('app');
	expect(chooseEarly(built, { ...wanted, named: '../trace/lib/libapp.so.1' })?.file).toBe('lib/libapp.so.1');
	expect(() => chooseEarly(built.slice(1), wanted)).toThrow('the build made no program, but shared libraries');
	expect(chooseEarly(built.slice(1), { ...wanted, workloads: ['python3 -c "import plugin"'] })).toBeNull();
	const workloads = (...ran: number[]) => [{ dumps: [{ file: 'x', timeNs: 0n, functions: new Map(ran.map((i) => [i, 1])), hasOthers: false }] }];
	expect(chooseByDumps(built, workloads(0, 1, 2)).file).toBe('app');
	expect(chooseByDumps(built, workloads(2)).file).toBe('plugin.so');
	expect(() => chooseByDumps(built, workloads(1, 2))).toThrow('the workloads ran several programs');
});

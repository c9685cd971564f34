/** Stacks as perf record -g leaves them, over the code of a real recording: addresses become frames, inlined ones too. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Profile } from 'pprof-format';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';

/** In String.charAt, c105: a call to checkIndex, inlined over StringLatin1.charAt; in ZipFile$Source.checkAndAddEntry, c119: behind a call. */
const CHAR_AT = 140308527253743;
const BEHIND_CALL = 140308398513406;
const hex = (address: number): string => address.toString(16).padStart(16);

const SAMPLES = `java 7/8 1005.000000:     250000 cycles:u: 
	${hex(CHAR_AT)} [unknown] (/tmp/perf-7.map)
	${hex(BEHIND_CALL)} [unknown] (/tmp/perf-7.map)
	          ed89 ThreadJavaMain+0x9 (/usr/lib/libjli.so)

java 7/8 1005.001000:     350000 cycles:u: 
	ffffffff8158c3e1 next_uptodate_folio+0xc1 ([kernel.kallsyms])
	    7f9640fdfbc7 memcpy+0x7 (/usr/lib/libc.so.6)
	${hex(BEHIND_CALL)} [unknown] (/tmp/perf-7.map)
	          ed89 ThreadJavaMain+0x9 (/usr/lib/libjli.so)

worker; one 7/9 1005.002000:     150000 cycles:u:      7f9640fdfbc7 memcpy+0x7 (/usr/lib/libc.so.6)
worker; one 7/9 1005.003000:     150000 cycles:u: 
	${hex(CHAR_AT)} [unknown] (/tmp/perf-7.map)
	          ed89 ThreadJavaMain+0x9 (/usr/lib/libjli.so)

`;
const CALLER = 'java.util.zip.ZipFile$Source.checkAndAddEntry;java.lang.StringBuilder.toString;java.lang.StringBuilder.length';
const LEAF = 'java.lang.String.charAt;java.lang.StringLatin1.charAt;java.lang.String.checkIndex';

let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-stacks-'));
	const log = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'jvm', 'perfasm', 'jdk25-mapGet', 'hotspot.log.zst');
	fs.copyFileSync(log, path.join(folder, 'hotspot.log.zst'));
	fs.writeFileSync(path.join(folder, 'perf.script.txt'), SAMPLES);
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

const collapsed = async (...args: string[]): Promise<string[]> =>
	(await runAssay(['export', '.', '--to', 'collapsed', ...args], folder)).stdout.trim().split('\n');

test('callers are looked up before their return addresses, inlined methods around the call are frames', async () => {
	expect(await collapsed()).toEqual([
		'(ThreadJavaMain);' + LEAF + ' 1',
		`(ThreadJavaMain);${CALLER};(memcpy);(next_uptodate_folio) 1`,
		`(ThreadJavaMain);${CALLER};${LEAF} 1`,
		'(memcpy) 1',
	]);
});

test('threads first where they are wanted; what means something in the format is replaced', async () => {
	const lines = await collapsed('--threads');
	expect(lines).toHaveLength(4);
	expect(lines.filter((line) => line.startsWith('[java tid=8];(ThreadJavaMain);'))).toHaveLength(2);
	expect(lines.filter((line) => line.startsWith('[worker_ one tid=9];'))).toHaveLength(2);
});

test('periods of an event that is no clock are a value of their own in pprof', async () => {
	const pieces: Uint8Array[] = [];
	await runAssay(['export', '.', '--to', 'pprof'], folder, { outBytes: (bytes) => void pieces.push(bytes) });
	const profile = Profile.decode(gunzipSync(Buffer.concat(pieces)));
	const { strings } = profile.stringTable;
	expect(profile.sampleType.map(({ type, unit }) => `${strings[Number(type)]}/${strings[Number(unit)]}`)).toEqual(['samples/count', 'cycles/count']);
	expect(profile.sample.map(({ value }) => value.map(Number))).toEqual([
		[1, 250000],
		[1, 350000],
		[1, 150000],
		[1, 150000],
	]);
	const kernel = profile.sample[1];
	const addresses = kernel?.locationId.map((id) => BigInt.asUintN(64, BigInt(profile.location[Number(id) - 1]?.address ?? 0)));
	expect(addresses?.[0]).toBe(0xffffffff8158c3e1n);
	expect(addresses).toHaveLength(4);
	expect(profile.location[Number(kernel?.locationId[2]) - 1]?.line).toHaveLength(3);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource, type Source } from '../../bytes/source.js';
import { InputError } from '../../model/problem.js';
import { isUftraceFolder, readUftraceData } from './read-data.js';
import { isUftraceText, readUftraceText } from './read-text.js';

const REPLAY = `# DURATION     TID     FUNCTION
   0.617 us [ 20536] | __monstartup();
            [ 20536] | main() {
            [ 20536] |   mid(1, "a (b)") {
   0.065 us [ 20536] |     _ZN1AC2Ev();
   0.337 us [ 20536] |   } = 2; /* mid */
            [ 20536] |   /* linux:sched-out */
   0.056 us [ 20536] |   _ZN1AC2Ev();
            [ 20537] |  /* linux:task-new */
   2.356 us [ 20536] | } /* main */
`;
const BARE = `main() {
  mid() {
    leaf();
  } /* mid */
} /* main */
`;
const DUMP = `uftrace file header: magic         = 4674726163652100
uftrace file header: version       = 4

reading 20536.dat
27308.959237267  20536: [entry] main(5607084ed226) depth: 0
27308.959237319  20536: [entry] mid(5607084ed1f2) depth: 1
27308.959237656  20536: [exit ] mid(5607084ed1f2) depth: 1
27308.959239623  20536: [exit ] main(5607084ed226) depth: 0

reading 20537.dat
27308.959237300  20537: [entry] thread(5607084ed300) depth: 0
27308.959237310  20537: [entry] mid(5607084ed1f2) depth: 1

reading perf-cpu0.dat
27308.956505926  20536: [event] linux:task-name(200006)
`;

const textSource = (text: string): Source => memorySource('u.txt', Buffer.from(text));
const symbols = (text: string): (string | null)[] => readUftraceText(textSource(text)).rows.map(({ symbol }) => symbol);

describe('what uftrace prints', () => {
	test.each<[string, string, string[]]>([
		['replay', REPLAY, ['__monstartup', 'main', 'mid', '_ZN1AC2Ev']],
		['replay without columns', BARE, ['main', 'mid', 'leaf']],
		['dump, tasks by time', DUMP, ['main', 'thread', 'mid']],
	])('%s', (_, text, expected) => {
		expect(isUftraceText(text)).toBe(true);
		expect(symbols(text)).toEqual(expected);
		expect(readUftraceText(textSource(text)).problems).toEqual([]);
	});

	test('other text is none, other lines are counted', () => {
		for (const text of ['', 'main\nf\n', '0 24e0a0 _start\n', 'int main() {\n  f();\n}\n', ' a 1.5: cycles: 401136 f (/a)\n']) {
			expect(isUftraceText(text)).toBe(false);
		}
		expect(readUftraceText(textSource(`${REPLAY}?? what\n`)).problems).toMatchObject([{ line: 11 }]);
	});

	test('never throws', () => {
		fc.assert(
			fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom(...REPLAY.split('\n'), ...DUMP.split('\n'))), { maxLength: 40 }), (lines) => {
				isUftraceText(lines.join('\n'));
				readUftraceText(textSource(lines.join('\n')));
			}),
		);
	});
});

/** Type, task's time, depth, address. */
type Record = readonly [type: number, time: number, depth: number, address: number, hasMore?: boolean];

function records(list: readonly Record[]): Buffer {
	return Buffer.concat(
		list.map(([type, time, depth, address, hasMore = false]) => {
			const bytes = Buffer.alloc(16);
			bytes.writeBigUInt64LE(27_308_000_000_000n + BigInt(time));
			bytes.writeBigUInt64LE(BigInt(type | (hasMore ? 4 : 0) | (5 << 3) | (depth << 6)) | (BigInt(address) << 16n), 8);
			return bytes;
		}),
	);
}

const INFO = Buffer.concat([Buffer.from('Ftrace!\0'), Buffer.from([4, 0, 0, 0, 40, 0, 1, 2, 0x63, 3, 0, 0, 0, 0, 0, 0]), Buffer.alloc(16)]);
const START = 0x55b000000000;
const FOLDER: { readonly [name: string]: string | Buffer } = {
	info: INFO,
	'task.txt': `SESS timestamp=27308.000000001 pid=7 sid=aa exename="/x/app"
TASK timestamp=27308.000000002 tid=7 pid=7
TASK timestamp=27308.000000005 tid=8 pid=7
FORK timestamp=27308.000000090 pid=9 ppid=7
SESS timestamp=27308.000000200 pid=9 sid=bb exename="/x/other"
`,
	'sid-aa.map': '55b000000000-55b000005000 r-xp 00000000 00:00 0     /x/app build-id:a13c\n7ff000000000-7ff000001000 rw-p 00000000 00:00 0      [stack]\n',
	'sid-bb.map': '55b000000000-55b000005000 r-xp 00000000 00:00 0     /x/other build-id:b13c\n',
	'app.sym':
		'# symbols: 5\n# path name: /x/app\n0000000000001030 P puts\n0000000000001080 ? __dynsym_end\n0000000000001100 t leaf\n0000000000001200 T main\n0000000000001300 00000010 T thread\n',
	'other.sym': '0000000000001100 T other\n',
	'7.dat': records([
		[0, 10, 0, START + 0x1210],
		[0, 11, 1, START + 0x1030],
		[1, 12, 1, START + 0x1030],
		[0, 50, 1, START + 0x1104],
		[1, 60, 0, START + 0x1210],
	]),
	'8.dat': records([
		[0, 30, 0, START + 0x1304],
		[0, 31, 1, START + 0x1104],
	]),
	'9.dat': records([
		[0, 100, 0, START + 0x1104],
		[0, 300, 0, START + 0x1104],
		[0, 301, 0, 0x1234],
	]),
};
const readFolder = (changes: { readonly [name: string]: string | Buffer } = {}): ReturnType<typeof readUftraceData> =>
	readUftraceData('u', new Map(Object.entries({ ...FOLDER, ...changes }).map(([name, content]) => [name, memorySource(`u/${name}`, Buffer.from(content))])));

describe('the folder of uftrace record', () => {
	test('a trace for each process: tasks by time, the session of the time, nothing of the PLT', () => {
		expect(isUftraceFolder(Object.keys(FOLDER))).toBe(true);
		const { functions, traces, problems } = readFolder();
		expect(problems).toEqual([]);
		expect(traces.map(({ name, order }) => [name, [...order].map((position) => functions[position]?.symbol)])).toEqual([
			['u process 7', ['main', 'thread', 'leaf']],
			['u process 9', ['leaf', 'other']],
		]);
	});

	test.each<[string, { readonly [name: string]: string | Buffer }, RegExp]>([
		['without a header', { info: 'exename:/x/app\n' }, /no info file/],
		['of another version', { info: Buffer.from(INFO).fill(9, 8, 9) }, /version 9; known is 4/],
		['of 32 bits', { info: Buffer.from(INFO).fill(1, 15, 16) }, /32-bit machine/],
		['of other bytes', { info: Buffer.from(INFO).fill(2, 14, 15) }, /big-endian/],
		['with damaged records', { '7.dat': Buffer.alloc(32) }, /expected a record/],
		['with arguments', { '7.dat': records([[0, 10, 0, START + 0x1210, true]]) }, /uftrace dump/],
	])('%s is refused', (_, changes, message) => {
		expect(() => readFolder(changes)).toThrow(InputError);
		expect(() => readFolder(changes)).toThrow(message);
	});

	test('lost and cut records are told', () => {
		const cut = Buffer.concat([
			records([
				[0, 10, 0, START + 0x1210],
				[2, 11, 0, 3],
			]),
			Buffer.alloc(5),
		]);
		expect(readFolder({ '7.dat': cut }).problems).toMatchObject([
			{ severity: 'error', message: 'ends within a record', offsetBytes: 32 },
			{ severity: 'error', message: 'uftrace lost records in 1 places' },
		]);
	});

	test('other bytes throw nothing but InputError', () => {
		fc.assert(
			fc.property(fc.constantFrom(...Object.keys(FOLDER)), fc.uint8Array({ maxLength: 200 }), (name, bytes) => {
				try {
					readFolder({ [name]: Buffer.from(bytes) });
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
				}
			}),
		);
	});
});

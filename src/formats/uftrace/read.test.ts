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
	'sid-aa.map':
		'55b000000000-55b000005000 r-xp 00000000 00:00 0     /x/app build-id:a13c\n7fe000000000-7fe000001000 r-xp 00000000 00:00 0     /lib/libc.so.6\n7ff000000000-7ff000001000 rw-p 00000000 00:00 0      [stack]\n',
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

describe('details of the folder', () => {
	const named = ({ functions, traces }: ReturnType<typeof readUftraceData>) =>
		traces.map(({ order }) => Array.from(order, (position) => functions[position]?.symbol));
	const payload = (length: number): Buffer => {
		const bytes = Buffer.alloc(Math.ceil((length + 2) / 8) * 8, 0xff);
		bytes.writeUInt16LE(length);
		return bytes;
	};
	const call = (time: number, address: number): Buffer => records([[0, time, 0, START + address]]);
	const event = records([[3, 20, 0, 200006, true]]);

	test.each([0, 6, 7, 14])('events with %d bytes of their own are passed over', (length) => {
		const dat = Buffer.concat([call(10, 0x1200), event, payload(length), call(30, 0x1300)]);
		expect(named(readFolder({ '7.dat': dat, '8.dat': '', '9.dat': '' }))).toEqual([['main', 'thread']]);
	});

	test('an event whose bytes lie behind the part that was read', () => {
		const full = Buffer.concat([...Array<Buffer>(32_767).fill(call(10, 0x1200)), event, payload(9), call(30, 0x1300)]);
		expect(named(readFolder({ '7.dat': full, '8.dat': '', '9.dat': '' }))).toEqual([['main', 'thread']]);
		const cut = Buffer.concat([call(10, 0x1200), event]);
		expect(named(readFolder({ '7.dat': cut, '8.dat': '', '9.dat': '' }))).toEqual([['main']]);
	});

	test('symbols that are counted from the start of their module', () => {
		const info = Buffer.from(INFO);
		info[16] = (info[16] ?? 0) ^ 32;
		const of = (file: Buffer) => named(readFolder({ info: file, '8.dat': '', '9.dat': '' }));
		const absolute = [(INFO[16] ?? 0) & 32 ? info : INFO, FOLDER['app.sym']] as const;
		expect(of((INFO[16] ?? 0) & 32 ? INFO : info)).toEqual([['main', 'leaf']]);
		const symbols = '55b000001100 t leaf\n55b000001200 T main\n';
		expect(named(readFolder({ info: absolute[0], 'app.sym': symbols, '8.dat': '', '9.dat': '' }))).toEqual([['main', 'leaf']]);
	});

	test('the symbols of an address: of the module around it, from its first to before its last byte; not in order; not of the PLT', () => {
		const app =
			'0000000000001200 T main\nnone\n0000000000000000 T first\n0000000000004fff T last\n0000000000001300 P plt\n0000000000001400 D data\n0000000000001500 i ifunc\n';
		const dat = Buffer.concat([call(1, 0), call(2, 0x1200), call(3, 0x1300), call(4, 0x1400), call(5, 0x1500), call(6, 0x4fff), call(7, 0x5000), call(8, -1)]);
		expect(named(readFolder({ 'app.sym': app, '7.dat': dat, '8.dat': '', '9.dat': '' }))).toEqual([['first', 'main', 'ifunc', 'last']]);
	});

	test('of two modules of one name the second has its build id in the name; a module of several mappings is one', () => {
		const map =
			'55b000000000-55b000001000 r--p 00000000 00:00 0     /x/app build-id:a13c0000\n55b000001000-55b000002000 r-xp 00000000 00:00 0     /x/app build-id:a13c0000\n' +
			'55b000002000-55b000003000 r-xp 00000000 00:00 0     /y/app build-id:b13c0000\nother\n';
		const read = readFolder({
			...{ 'sid-aa.map': map, 'app.sym': '0000000000000010 T low\n0000000000001100 T high\n', 'app-b13c.sym': '0000000000000010 T other\n' },
			...{ '7.dat': Buffer.concat([call(1, 0x10), call(2, 0x1100), call(3, 0x2010)]), '8.dat': '', '9.dat': '' },
		});
		expect(named(read)).toEqual([['low', 'high', 'other']]);
	});

	test('the session is the last that had begun, the first one before any', () => {
		const tasks = 'SESS timestamp=27308.000000100 pid=7 sid=aa exename="/x/app"\nSESS timestamp=27308.000000200 pid=7 sid=bb exename="/x/other"\n';
		const dat = Buffer.concat([call(50, 0x1100), call(199, 0x1200), call(200, 0x1100)]);
		expect(named(readFolder({ 'task.txt': tasks, '7.dat': dat, '8.dat': '', '9.dat': '' }))).toEqual([['leaf', 'main', 'other']]);
	});

	test('calls of several tasks are in the order of time, those of one time in the order of the files', () => {
		const read = (first: number, second: number) => named(readFolder({ '7.dat': call(first, 0x1200), '8.dat': call(second, 0x1300), '9.dat': '' }));
		expect([read(1, 2), read(2, 1), read(1, 1)]).toEqual([[['main', 'thread']], [['thread', 'main']], [['main', 'thread']]]);
	});

	test('without a call of a known function', () => {
		const { traces, problems } = readFolder({ '7.dat': '', '8.dat': '', '9.dat': '' });
		expect([traces, problems]).toEqual([
			[],
			[{ severity: 'warning', file: 'u', message: 'holds no call of a known function', action: expect.stringContaining('-pg') }],
		]);
	});

	test('an info file that is cut, a folder without tasks', () => {
		expect(() => readFolder({ info: INFO.subarray(0, 23) })).toThrow(/no info file/);
		const { 'task.txt': _, ...rest } = FOLDER;
		expect(() => readUftraceData('u', new Map(Object.entries(rest).map(([name, content]) => [name, memorySource(name, Buffer.from(content))])))).toThrow(
			/has no task\.txt/,
		);
		expect([isUftraceFolder(['info']), isUftraceFolder(['task.txt']), isUftraceFolder(['task.txt', 'info'])]).toEqual([false, false, true]);
	});
});

describe('details of what is printed', () => {
	test('of a function the earliest call counts, whatever its digits', () => {
		const dump = (...calls: [string, string][]): string => calls.map(([time, name]) => `${time}  1: [entry] ${name}(10) depth: 0\n`).join('');
		expect(symbols(dump(['10.5', 'a'], ['9.5', 'b'], ['9.4', 'c'], ['8.9', 'd'], ['10.4', 'a'], ['9.6', 'b']))).toEqual(['d', 'c', 'b', 'a']);
		expect(symbols(dump(['1.1', 'a'], ['1.1', 'b'], ['1.1', 'c']))).toEqual(['a', 'b', 'c']);
		expect(readUftraceText(textSource(dump(['1.1', 'a']))).rows).toEqual([{ symbol: 'a', module: null, address: 0x10 }]);
	});

	test.each([
		['f();', ['f']],
		['f() {', ['f']],
		['f(1, ")") = 2;', ['f']],
		['f(); /* comment */', ['f']],
		['f() { /* comment', []],
		['f()', []],
		['f;', []],
		['();', []],
		[') = (;', []],
	])('the line %j of a replay', (line, expected) => {
		expect(symbols(`   0.065 us [ 1] | ${line}\n`)).toEqual(expected);
	});

	test('what is no call and no problem', () => {
		const lines = [
			'# DURATION     TID     FUNCTION',
			'',
			'   0.1 us [ 1] | } /* f */',
			' [ 1] | /* linux:sched-out */',
			' [ 1] | linux:x',
			' [ 1] | ...',
			' [ 1] | event',
			' [ 1] | ',
			'reading 1.dat',
			'1.5 2: [lost] x',
		];
		expect(readUftraceText(textSource(lines.join('\n')))).toEqual({ rows: [], problems: [] });
		expect(readUftraceText(textSource('eventful\nX | f();\n1.5 2: [other] x\n')).problems.map(({ line }) => line)).toEqual([1, 3]);
	});

	test('half of the lines have to be such, and one has to be of uftrace alone', () => {
		expect(isUftraceText(`${'f();\n'.repeat(3)}other\nother\n [ 12] | g();\n`)).toBe(true);
		expect(isUftraceText(' [ 12] | g();\nother\nother\n')).toBe(false);
		expect(isUftraceText('# DURATION     TID     FUNCTION\n# x\n\n')).toBe(false);
		expect(isUftraceText('f();\n} /* f */\n')).toBe(true);
		expect(isUftraceText('f();\n')).toBe(false);
		expect(isUftraceText('1.5 2: [entry] f(10) depth: 0\n')).toBe(true);
	});
});

/** What ends a piece of code, where it lies, and what is none. */
import { describe, expect, test } from 'vitest';
import { decodedColumns } from '../../../test/decoded-columns.js';
import { textSource } from '../../../test/recordings.js';
import { rowsOfMachineCode } from './machine-code.js';
import { readCodeText } from './read-text.js';
import { scanCode } from './scan.js';

const LOG = "<hotspot_log version='160 1' process='77' time_ms='5'>\n";
const HEADER = 'Compiled method (c2) 22    2       4       a.B::g (35 bytes)\n';
const MAIN = ' main code      [0x0000000000002100,0x0000000000002180] = 128\n';

function scan(text: string) {
	const { code, problems } = scanCode(textSource(text));
	return {
		code: code.map(({ name, start, end, textRanges }) => [
			name,
			start,
			end,
			textRanges.map((at, i) => (i % 2 === 0 ? text.slice(at, textRanges[i + 1]) : '')).join(''),
		]),
		problems: problems.map(({ message }) => Number.parseInt(message, 10)),
	};
}

describe('a piece of code', () => {
	const text = (end: string) => scan(`${HEADER}${MAIN}  0x0000000000002100:   ret\n${end}\nbehind\n`).code[0]?.[3];
	const all = `${HEADER}${MAIN}  0x0000000000002100:   ret\n`;
	test.each<[string, string]>([
		['[/Disassembly]', `${all}[/Disassembly]`],
		['[/MachCode]', `${all}[/MachCode]`],
		['- - - [END] - - - - - - - - -', all],
		['- - - [BEGIN] - - - - - - - -', `${all}- - - [BEGIN] - - - - - - - -\nbehind`],
		['- - - [E', `${all}- - - [E\nbehind`],
		['[/Other]', `${all}[/Other]\nbehind`],
		['[Exception Handler]', `${all}[Exception Handler]\nbehind`],
	])('ends with %s', (end, expected) => {
		expect(text(end)).toBe(expected);
	});

	test('lies where its head says, else where its lines are', () => {
		const where = (...lines: string[]) => {
			const [one] = scan(`${HEADER}${lines.join('\n')}\n[/Disassembly]\n`).code;
			return one === undefined ? null : [one[1], one[2]];
		};
		expect(where(MAIN.trimEnd(), '  0x0000000000009100:   ret')).toEqual([0x2100, 0x2180]);
		expect(where(MAIN.trimEnd(), ' stub code      [0x0000000000002180,0x00000000000021a0] = 32')).toEqual([0x2100, 0x21a0]);
		// Stubs before the code are those of something else, and an empty one is none.
		expect(where(MAIN.trimEnd(), ' stub code      [0x0000000000002000,0x0000000000002100] = 32')).toEqual([0x2100, 0x2180]);
		expect(where(MAIN.trimEnd(), ' stub code      [0x0000000000002190,0x0000000000002190] = 0')).toEqual([0x2100, 0x2180]);
		expect(where('  0x0000000000002100:   nop', '  0x0000000000002101:   ret')).toEqual([0x2100, 0x2102]);
		expect(where('  ;; 0x0000000000002100', '  1x0000000000002100:   nop')).toBeNull();
		expect(where('  0y0000000000002100:   nop')).toBeNull();
		expect(where(' main code      [0x0000000000002100,0x0000000000002100] = 0')).toBeNull();
	});

	test('that is not finished is counted if it is a compilation', () => {
		expect(scan(`${HEADER}${MAIN}`)).toMatchObject({ code: [['a.B.g', 0x2100, 0x2180, `${HEADER}${MAIN}`.trimEnd()]], problems: [1] });
		expect(scan('StubRoutines::dlog [0x0000000000002100, 0x0000000000002180] (128 bytes)\n')).toMatchObject({
			code: [['StubRoutines::dlog', 0x2100, 0x2180, expect.any(String)]],
			problems: [],
		});
	});

	test.each<[string, string]>([
		['Decoding RuntimeStub - ic_miss_stub 0x00007f61b4989110 [0x0000000000002100, 0x0000000000002180] (128 bytes)', 'ic_miss_stub'],
		['a 0x12 b [0x0000000000002100, 0x0000000000002180] (128 bytes)', 'a 0x12 b'],
		['pop  87 pop  [0x0000000000002100, 0x0000000000002180]  128 bytes', 'pop'],
		['error exits  [0x0000000000002100, 0x0000000000002180]  128 bytes', 'error exits'],
	])('%s', (line, name) => {
		expect(scan(`${line}\n  0x0000000000002100:   ret\n`).code.map(([one]) => one)).toEqual([name]);
	});

	test('lines with addresses outside of any are counted', () => {
		expect(scan(`${LOG}  0x0000000000002100:   ret\n  what is no code\n${HEADER}${MAIN}[/Disassembly]\n  0x0000000000002100:   ret\n`).problems).toEqual([2]);
	});
});

describe('elements', () => {
	const nmethod = (more: Record<string, string> = {}) =>
		`<nmethod ${Object.entries({
			compile_id: '7',
			compiler: 'c2',
			level: '4',
			entry: '0x2100',
			size: '768',
			address: '0x2000',
			method: 'a.B g ()V',
			stamp: '0.155',
			...more,
		})
			.filter(([, value]) => value !== '-')
			.map(([name, value]) => `${name}='${value}'`)
			.join(' ')}/>\n`;
	test.each<[string, Record<string, string>]>([
		['id', { compile_id: '-' }],
		['method', { method: '-' }],
		['name of a method', { method: 'a.B' }],
		['entry', { entry: '-' }],
		['entry but 0', { entry: '0x0' }],
		['size', { size: '-' }],
		['size but 0', { size: '0' }],
	])('without %s they are cut', (_, more) => {
		expect(scan(LOG + nmethod(more))).toEqual({ code: [], problems: [1] });
	});

	test('the code reaches from its entry to the end of its data; without an address the size counts from the entry', () => {
		expect(scan(LOG + nmethod()).code).toEqual([['a.B.g', 0x2100, 0x2300, '']]);
		expect(scan(LOG + nmethod({ address: '-' })).code).toEqual([['a.B.g', 0x2100, 0x2400, '']]);
	});

	test('levels and stamps that are no numbers are unknown', () => {
		const { code } = scanCode(textSource(LOG + nmethod({ level: ' ', stamp: 'x', compiler: '' })));
		expect(code).toMatchObject([{ level: null, installedSeconds: null, compiler: null, signature: '()V' }]);
	});

	test('installed again at another time is another one; at the same time it is the same', () => {
		expect(scan(LOG + nmethod() + nmethod()).code).toHaveLength(1);
		expect(scan(LOG + nmethod() + nmethod({ stamp: '0.2' })).code).toHaveLength(2);
	});

	test('the JVM is that of the first head, with the platform of its version', () => {
		const other = LOG.replace('77', '78').replace("'5'", "'6'");
		const log = scanCode(textSource(`${LOG}<info>\nOpenJDK 64-Bit Server VM (17) for bsd-aarch64 JRE (17)\n</info>\n${other}<tty>\n<info>\nanother\n`));
		expect(log).toMatchObject({ processId: 77, startedEpochMs: 5, platform: 'bsd-aarch64', version: 'OpenJDK 64-Bit Server VM (17) for bsd-aarch64 JRE (17)' });
		expect(scanCode(textSource("<tty>\n<task process='9' time_ms='9'/>\n"))).toMatchObject({
			processId: null,
			startedEpochMs: null,
			version: null,
			platform: null,
		});
	});
});

test('a text in pieces: a line that another thread cut goes on, or stands by itself', () => {
	const lines = (first: string, second: string) => {
		const text = `${first}#${second}`;
		const code = { ...scanCode(textSource(`${HEADER}${MAIN}[/Disassembly]\n`)).code[0]!, textRanges: [0, first.length, first.length + 1, text.length] };
		return readCodeText(textSource(text), code, { isEscaped: false, indent: 0 }).rows.map((row) => row.text);
	};
	expect(lines('  0x0000000000002100:   mov %eax', ',%ebx\n  0x0000000000002102:   ret')).toEqual(['mov %eax,%ebx', 'ret']);
	expect(lines('  0x0000000000002100:   nop', '  0x0000000000002102:   ret')).toEqual(['nop', 'ret']);
	expect(lines('  0x0000000000002100:   nop\n', '  0x0000000000002102:   ret')).toEqual(['nop', 'ret']);
});

test('labels stand at the start of a line, without their brackets', () => {
	const text = `${HEADER}${MAIN}[Disassembly]\n[Entry Point]\n  0x0000000000002100:   nop\n [x] y\n  0x0000000000002101:   nop\n[Stub Code] more\n  0x0000000000002102:   nop\n[Constant Pool (empty)]\n  0x0000000000002103:   nop\n`;
	const code = scanCode(textSource(text)).code[0]!;
	const { rows } = readCodeText(textSource(text), { ...code, textRanges: [0, text.length] }, { isEscaped: false, indent: 0 });
	expect(rows.map(({ label }) => label)).toEqual(['Entry Point', null, 'Stub Code', null]);
});

test('debug information of an address goes beside the last instruction that ends there, a call before any other', () => {
	const decoded = [
		[0, 1, 'push %rbp'],
		[1, 2, 'mov %eax,%ebx'],
		[3, 1, 'nop'],
		[4, 5, 'call 0x900'],
		[9, 1, 'nop'],
		[10, 2, 'nop'],
	] as const;
	const beside = (address: number) =>
		rowsOfMachineCode(
			{ address: 0, bytes: new Uint8Array(12), notes: [{ address, comments: ['- a.B::f@1'], label: null }] },
			decodedColumns(decoded),
		).findIndex(({ comments }) => comments.length > 0);
	expect([0, 4, 8, 12].map(beside)).toEqual([2, 3, 3, -1]);
});

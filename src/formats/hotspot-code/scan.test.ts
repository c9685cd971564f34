import { describe, expect, test } from 'vitest';
import { textSource } from '../../../test/recordings.js';
import { type CodeLog, type LoggedCode, scanCode } from './scan.js';

const scan = (text: string): CodeLog => scanCode(textSource(text, 'hotspot.log'));
const textOf = (log: string, { textRanges }: LoggedCode): string => {
	let result = '';
	for (let i = 0; i < textRanges.length; i += 2) {
		result += log.slice(textRanges[i], textRanges[i + 1]);
	}
	return result;
};

const HEAD =
	"<?xml version='1.0' encoding='UTF-8'?>\n<hotspot_log version='160 1' process='77' time_ms='1700000000123'>\n<info>\n" +
	'OpenJDK 64-Bit Server VM (17) for bsd-aarch64 JRE (17), built on &quot;x&quot;\n</info>\n';
const nmethod = (id: number, method: string, more = '', stamp = '0.155'): string =>
	`<nmethod compile_id='${id}' ${more}compiler='c1' level='3' entry='0x00000000000${id}100' size='768' address='0x00000000000${id}000' relocation_offset='352' method='${method}' bytes='1' stamp='${stamp}'/>\n`;
const printed = (header: string, id: number, end = '[/Disassembly]\n'): string =>
	`Compiled method ${header}\n total in heap  [0x00000000000${id}000,0x00000000000${id}300] = 768\n main code      [0x00000000000${id}100,0x00000000000${id}180] = 128\n` +
	` stub code      [0x00000000000${id}180,0x00000000000${id}1a0] = 32\n\n[Verified Entry Point]\n  0x00000000000${id}100:   push   %rbp\n  0x00000000000${id}101:   ret\n${end}`;

describe('compilations', () => {
	test('logged and printed are one, with the extent of the code alone', () => {
		const text = `${HEAD}${nmethod(1, 'a.B &lt;init&gt; (I)V')}<print_nmethod compile_id='1'>\n${printed('(c1) 21    1       3       a.B::&lt;init&gt; (35 bytes)', 1)}</print_nmethod>\n`;
		const log = scan(text);
		expect(log).toMatchObject({ processId: 77, startedEpochMs: 1700000000123, platform: 'bsd-aarch64', problems: [], form: { indent: 0, isEscaped: true } });
		expect(log.code).toMatchObject([
			{ kind: 'compilation', name: 'a.B.<init>', signature: '(I)V', compileId: '1', compiler: 'c1', level: 3, osrBci: null, start: 0x1100, end: 0x11a0 },
		]);
		expect(log.code[0]?.installedSeconds).toBe(0.155);
		expect(textOf(text, log.code[0]!)).toMatch(/^Compiled method [\s\S]*\[\/Disassembly\]$/);
	});

	test('a function of a guest language that Truffle compiled, printed before it is logged or not', () => {
		const element = nmethod(1, 'x.OptimizedCallTarget profiledPERoot (I)V', "jvmci_mirror_name='get#2' ").replace("'c1' level='3'", "'jvmci' level='4'");
		for (const before of ['', printed('(JVMCI) 21    1       4       x.OptimizedCallTarget::profiledPERoot (35 bytes)', 1)]) {
			expect(scan(HEAD + before + element).code).toMatchObject([{ name: 'Truffle: get', compileId: '1', compiler: 'jvmci' }]);
		}
	});

	test('logged only: the size counts from the beginning of the data before the code', () => {
		expect(scan(HEAD + nmethod(2, 'a.B f ()V')).code).toMatchObject([{ start: 0x2100, end: 0x2300, textRanges: [] }]);
	});

	test('on-stack replacement, with the bytecode index from the queue or the header', () => {
		const log = scan(
			`${HEAD}<task_queued compile_id='3' compile_kind='osr' method='a.B f ()V' osr_bci='14' stamp='0.1'/>\n${nmethod(3, 'a.B f ()V', "compile_kind='osr' ")}` +
				`${nmethod(4, 'a.B g ()V', "compile_kind='osr' ")}${printed('(c1) 21    4 %     3       a.B::g @ 10 (35 bytes)', 4)}`,
		);
		expect(log.code).toMatchObject([
			{ compileId: '3%', osrBci: 14 },
			{ compileId: '4%', osrBci: 10, end: 0x41a0 },
		]);
	});

	test('native wrappers, printed before they are logged', () => {
		const log = scan(
			`${HEAD}${printed('(n/a) 460    6     n 0       java.lang.invoke.MethodHandle::linkToStatic(LLL)L (native)', 6)}` +
				`${nmethod(6, 'java.lang.invoke.MethodHandle linkToStatic (Ljava/lang/Object;)V', "compile_kind='c2n' ").replace("compiler='c1' level='3'", "compiler='' level='0'")}`,
		);
		expect(log.code).toMatchObject([
			{ kind: 'native wrapper', name: 'java.lang.invoke.MethodHandle.linkToStatic', compiler: null, start: 0x6100, end: 0x61a0 },
		]);
		expect(log.code[0]?.textRanges).toHaveLength(2);
	});

	test('names of hidden classes and names with blanks', () => {
		const log = scan(
			`${HEAD}${nmethod(7, 'Foo$$Lambda/0x00007f0001 run ()V')}${printed('(c2) 21    7   !   4       Foo$$Lambda/0x00007f0001::run (3 bytes)', 7)}` +
				`${printed('(c2) 21    8 s     4       a.B::with blank (3 bytes)', 8)}`,
		);
		expect(log.code.map(({ name, signature }) => [name, signature])).toEqual([
			['Foo$$Lambda/0x00007f0001.run', '()V'],
			['a.B.with blank', null],
		]);
	});

	test('made not entrant: of the newest with that id; a reason from JDK 25 on', () => {
		const log = scan(
			`${HEAD}${nmethod(1, 'a.B f ()V')}${nmethod(2, 'a.B g ()V', "compile_kind='osr' ")}${nmethod(2, 'a.B h ()V')}` +
				"<make_not_entrant thread='9' compile_id='1' compiler='c1' level='3' stamp='0.5'/>\n<make_not_entrant thread='9' compile_id='1' compiler='c1' level='3' stamp='0.9'/>\n" +
				"<make_not_entrant thread='9' reason='not used' compile_id='2' compile_kind='osr' compiler='c1' level='3' stamp='0.7'/>\n<make_not_entrant thread='9' compile_id='99' stamp='1'/>\n",
		);
		expect(log.code.map(({ notEntrant }) => notEntrant)).toEqual([{ seconds: 0.5, reason: null }, { seconds: 0.7, reason: 'not used' }, null]);
	});
});

describe('other code', () => {
	test('codelets, stubs, argument handlers', () => {
		const text =
			`${HEAD}----------------------------------------------------------------------\ninvokehandle  233 invokehandle  [0x00000000000a3100, 0x00000000000a33c0]  704 bytes\n\n  0x00000000000a3100:   nop\n` +
			'slow signature handler  [0x00000000000a4000, 0x00000000000a4010]  16 bytes\n' +
			'StubRoutines::catch_exception [0x00000000000a5b27, 0x00000000000a5b46[ (31 bytes)\n' +
			'Decoding RuntimeStub - ic_miss_stub 0x00000000000a6000 [0x00000000000a6040, 0x00000000000a6090] (80 bytes)\n  0x00000000000a6040:   nop\n- - - [END] - - -\n' +
			'argument handler #0 for: static java.lang.System.registerNatives()V (fingerprint = 29, 11 bytes generated)\n-----\n  0x00000000000a7000:   nop\n  0x00000000000a7001:   ret\n-----\n';
		expect(scan(text).code.map(({ kind, name, start, end, compileId }) => [kind, name, start, end, compileId])).toEqual([
			['interpreter', 'invokehandle', 0xa3100, 0xa33c0, null],
			['interpreter', 'slow signature handler', 0xa4000, 0xa4010, null],
			['stub', 'StubRoutines::catch_exception', 0xa5b27, 0xa5b46, null],
			['stub', 'ic_miss_stub', 0xa6040, 0xa6090, null],
			['stub', 'argument handler for static java.lang.System.registerNatives()V', 0xa7000, 0xa7002, null],
		]);
	});
});

describe('forms of logs', () => {
	const first = printed('(c1) 21    1       3       a.B::f (35 bytes)', 1);
	const second = printed('(c2) 22    2       4       a.B::g (35 bytes)', 2);

	test('writers in turns: a piece in several ranges, a header of another thread in between', () => {
		const [a, b, c] = [first.indexOf(' main code'), first.indexOf('  0x'), second.indexOf('[Verified')];
		const log = `${HEAD}<writer thread='1'/>\n${first.slice(0, a)}<writer thread='2'/>\n${second.slice(0, c)}<writer thread='1'/>\n${first.slice(a, b)}<writer thread='2'/>\n${second.slice(c)}<writer thread='1'/>\n${first.slice(b)}`;
		const { code, problems } = scan(log);
		expect(problems).toEqual([]);
		expect(code.map(({ name, start, end }) => [name, start, end])).toEqual([
			['a.B.g', 0x2100, 0x21a0],
			['a.B.f', 0x1100, 0x11a0],
		]);
		const withoutBlanks = (text: string): string => text.replace(/\n+/g, '\n').trim();
		expect(code.map((piece) => withoutBlanks(textOf(log, piece)))).toEqual([second, first].map(withoutBlanks));
	});

	test('standard output: nothing is escaped, and the program prints too', () => {
		const noisy = first.replace('  0x0000000000001101', '<html>\n  <b>\n[/home] x\n[0.1s][info] gc\n  0x0000000000001101');
		const text = `  <html> hello\n${noisy}${second.replaceAll('a.B::g', 'a.B::<init>')}bye\n`;
		const log = scan(text);
		expect(log).toMatchObject({ processId: null, platform: null, problems: [], form: { indent: 0, isEscaped: false } });
		expect(log.code.map(({ name, installedSeconds, signature }) => [name, installedSeconds, signature])).toEqual([
			['a.B.f', 0.021, null],
			['a.B.<init>', 0.022, null],
		]);
		expect(textOf(text, log.code[0]!)).toContain(':   ret');
	});

	test("JMH's saved log: columns before each line", () => {
		const columns = (HEAD + nmethod(1, 'a.B f ()V') + first).replace(/^/gm, '          ').replace(/^ {10}( {2}0x.*push)/m, '  12.34%  $1');
		const log = scan(columns);
		expect(log.form).toEqual({ indent: 10, isEscaped: true });
		expect(log.code).toMatchObject([{ name: 'a.B.f', start: 0x1100, end: 0x11a0 }]);
		expect(textOf(columns, log.code[0]!)).toContain('12.34%');
	});

	test('two logs in one file: the same is counted once, that of another JVM by itself', () => {
		const stub = 'StubRoutines::x [0x00000000000a5b27, 0x00000000000a5b46[ (31 bytes)\n';
		const one = HEAD + stub + nmethod(1, 'a.B f ()V') + first;
		expect(scan(one + one).code).toEqual(scan(one).code);
		const other = HEAD + nmethod(1, 'a.B f ()V', '', '0.166') + nmethod(2, 'a.B h ()V') + nmethod(2, 'a.B i ()V');
		expect(scan(one + other).code.map(({ name, installedSeconds }) => [name, installedSeconds])).toEqual([
			['StubRoutines::x', null],
			['a.B.f', 0.155],
			['a.B.f', 0.166],
			['a.B.h', 0.155],
			['a.B.i', 0.155],
		]);
	});
});

describe('damage', () => {
	test('is counted', () => {
		const { code, problems } = scan(
			`${HEAD}  0x0000000000001100:   nop\n<nmethod compile_id='1' compiler='c1' level='3' entry='0x00\nCompiled method (c2) 22    2       4       a.B::g (35 bytes)\n[/Disassembly]\n` +
				'Compiled method (c2) 22    3       4       a.B::h (35 bytes)\n  0x0000000000001100:   nop\n',
		);
		expect(code).toMatchObject([{ name: 'a.B.h', start: 0x1100, end: 0x1101 }]);
		expect(problems.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^1 lines of assembly stand outside/),
			expect.stringMatching(/^1 <nmethod> elements are cut/),
			expect.stringMatching(/^1 pieces of code do not say where/),
			expect.stringMatching(/^1 pieces of code are not finished/),
		]);
	});
});

test('a stub that was printed after code of its place came after it', () => {
	const stub = (name: string, from: string, to: string): string =>
		`StubRoutines::${name} [0x000000000000${from}, 0x000000000000${to}] (16 bytes)\n  0x000000000000${from}:   ret\n[/Disassembly]\n`;
	const { code } = scan(
		`${HEAD}${stub('first', '1120', '1130')}${nmethod(1, 'a.B f ()V')}` +
			`${nmethod(2, 'a.B g ()V', '', '0.2')}${stub('second', '1140', '1150')}${stub('elsewhere', '9900', '9910')}`,
	);
	expect(code.map(({ name, installedSeconds }) => [name, installedSeconds])).toEqual([
		['StubRoutines::first', null],
		['a.B.f', 0.155],
		['a.B.g', 0.2],
		['StubRoutines::second', 0.2],
		['StubRoutines::elsewhere', null],
	]);
});

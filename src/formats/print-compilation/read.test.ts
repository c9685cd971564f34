import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordedText, textSource } from '../../../test/recordings.js';
import { isPrintCompilation, type PrintCompilation, type PrintedCompilation, readPrintCompilation } from './read.js';

const read = (text: string): PrintCompilation => readPrintCompilation(textSource(text));
const brief = (row: PrintedCompilation): string =>
	`${row.timeMs} ${row.compileId} ${row.level} ${row.method}${row.osrBci === null ? '' : ` @ ${row.osrBci}`} ${row.sizeBytes} ${row.event}: ${row.reason}`;

describe('lines of both JDKs', () => {
	test('all attributes', () => {
		const { rows, lostLines, problems } = read(
			'     28    1       3       java.lang.Object::<init> (1 bytes)\n' +
				'163  251 %s!b  4       app.Mix$J::f @ 17 (139 bytes)   made not entrant: OSR invalidation of lower level\n' +
				'155    7     n 0       java.lang.invoke.MethodHandle::linkToStatic(LLL)L (native)   (static)\n' +
				'156    8     n 0       java.lang.Object::hashCode (native)   \n',
		);
		expect(rows).toEqual([
			row({ timeMs: 28, compileId: '1', level: 3, method: 'java.lang.Object.<init>', sizeBytes: 1, line: 1 }),
			row({
				timeMs: 163,
				compileId: '251%',
				isOsr: true,
				isSynchronized: true,
				hasExceptionHandlers: true,
				isBlocking: true,
				level: 4,
				method: 'app.Mix$J.f',
				osrBci: 17,
				sizeBytes: 139,
				event: 'made not entrant',
				reason: 'OSR invalidation of lower level',
				line: 2,
			}),
			row({
				timeMs: 155,
				compileId: '7',
				isNative: true,
				level: 0,
				method: 'java.lang.invoke.MethodHandle.linkToStatic',
				signature: '(LLL)L',
				isStatic: true,
				line: 3,
			}),
			row({ timeMs: 156, compileId: '8', isNative: true, level: 0, method: 'java.lang.Object.hashCode', line: 4 }),
		]);
		expect(lostLines).toBe(0);
		expect(problems).toEqual([]);
	});

	test('what became of it', () => {
		const { rows } = read(
			'1    1       3       A::a (1 bytes)   made not entrant\n' +
				'2    1       3       A::a (1 bytes)   made zombie\n' +
				'3    2       4       A::b (9 bytes)   COMPILE SKIPPED: hit memory limit while compiling (retry at different tier)\n' +
				'4    3       4       A::b (9 bytes)   COMPILE SKIPPED: concurrent class loading\n' +
				'5    4       4       A::b (9 bytes)   COMPILE SKIPPED: out of nodes (not retryable)\n',
		);
		expect(rows.map(({ event, reason, retry }) => [event, reason, retry])).toEqual([
			['made not entrant', null, null],
			['made zombie', null, null],
			['skipped', 'hit memory limit while compiling', 'retry at different tier'],
			['skipped', 'concurrent class loading', null],
			['skipped', 'out of nodes', 'not retryable'],
		]);
	});

	test('without tiers there is no level', () => {
		expect(read('     28    3 %           T::f @ 4 (27 bytes)\n     28    2             T::g (8 bytes)\n').rows.map(brief)).toEqual([
			'28 3% null T.f @ 4 27 compiled: null',
			'28 2 null T.g 8 compiled: null',
		]);
	});

	test('unified logging, with the stamps that it was asked for', () => {
		const { rows } = read(
			'[0.142s][debug][jit,compilation]    1       3       java.lang.Object::<init> (1 bytes)   made not entrant\n' +
				'[15399025688609ns][149514396ns]  555 %     3       app.Mix::lambdas @ 17 (48 bytes)\n' +
				'[0.150s][info][gc] 1    1       3       A::a (1 bytes)\n',
		);
		expect(rows).toEqual([
			row({ timeMs: 142, compileId: '1', level: 3, method: 'java.lang.Object.<init>', sizeBytes: 1, event: 'made not entrant', line: 1 }),
			row({
				timeMs: 149.514396,
				clockNs: 15399025688609,
				compileId: '555%',
				isOsr: true,
				level: 3,
				method: 'app.Mix.lambdas',
				osrBci: 17,
				sizeBytes: 48,
				line: 2,
			}),
		]);
	});

	test('both forms in one file are not counted twice', () => {
		const { rows, problems } = read(
			'[0.142s][debug][jit,compilation]    1       3       A::a (1 bytes)\n142    1       3       A::a (1 bytes)\n[0.142s][debug][jit,compilation]    2       3       A::b (1 bytes)\n',
		);
		expect(rows.map(({ compileId }) => compileId)).toEqual(['1', '2']);
		expect(problems).toHaveLength(1);
	});
});

describe("the program's output in between", () => {
	test('lines behind text, and behind one another', () => {
		const { rows, lostLines } = read(
			'waited 15936  169    b  1       A::a (5 bytes)\n13355.2 ms\n1    2       3       A::b (1 bytes)   made zombie2    3       3       A::c (2 bytes)done\n',
		);
		expect(rows.map(brief)).toEqual(['15936 169 1 A.a 5 compiled: null', '1 2 3 A.b 1 made zombie: null', '2 3 3 A.c 2 compiled: null']);
		expect(lostLines).toBe(0);
	});

	test('a line that was cut is put together', () => {
		const { rows, repairedLines, lostLines } = read(
			'128   81       3       java.lang.Obj\nhello\n129   82       3       A::a (1 bytes)\nect::<init> (7 bytes)   made not entrant: not used\n130   83       3       A::b (1 bytes)   made not en\ntrant: not used\n',
		);
		expect(rows.map(brief)).toEqual([
			'129 82 3 A.a 1 compiled: null',
			'128 81 3 java.lang.Object.<init> 7 made not entrant: not used',
			'130 83 3 A.b 1 made not entrant: not used',
		]);
		expect({ repairedLines, lostLines }).toEqual({ repairedLines: 2, lostLines: 0 });
	});

	test('a rest that does not come is counted', () => {
		const { rows, lostLines, problems } = read('hello\n128   81       3       java.lang.Obj\n');
		expect(rows).toEqual([]);
		expect(lostLines).toBe(1);
		expect(problems).toMatchObject([{ line: 2, offsetBytes: 6 }]);
	});

	test('headers of PrintAssembly and columns of numbers are something else', () => {
		const { rows, lostLines } = read(
			'Compiled method (c1) 115    5       3       Ttsp::kernel (37 bytes)\n10 20 30\n  1    2       3\n std::vector (3 bytes)\n',
		);
		expect(rows).toEqual([]);
		expect(lostLines).toBe(0);
	});
});

test('what is of this format', () => {
	expect(isPrintCompilation('hello\n1    1       3       A::a (1 bytes)\n')).toBe(true);
	expect(isPrintCompilation('[1ns]    1       3       A::a (1 bytes)\n')).toBe(true);
	expect(isPrintCompilation("<hotspot_log version='160 1'>\n1    1       3       A::a (1 bytes)\n")).toBe(false);
	expect(isPrintCompilation('Compiled method (c1) 115    5       3       Ttsp::kernel (37 bytes)\n')).toBe(false);
});

describe('recordings', () => {
	test.each([
		['jdk17', { compiled: 5263, 'made not entrant': 1447, 'made zombie': 1308 }],
		['jdk25', { compiled: 6244, 'made not entrant': 1986, skipped: 1 }],
	])('javac on %s', (jdk, expected) => {
		const text = recordedText(`../compilation/${jdk}`, 'printcompilation.txt.gz');
		const { rows, lostLines, repairedLines, problems } = read(text);
		expect(isPrintCompilation(text.slice(0, 4096))).toBe(true);
		expect({ lostLines, repairedLines, problems }).toEqual({ lostLines: 0, repairedLines: 0, problems: [] });
		const count = (pattern: RegExp): number => [...text.matchAll(pattern)].length;
		expect(rows).toHaveLength(count(/ (?:\(\d+ bytes\)|\(native\))/g));
		expect(rows.filter(({ isOsr }) => isOsr)).toHaveLength(count(/ % /g) + count(/ %s/g));
		expect(rows.filter(({ osrBci }) => osrBci !== null)).toHaveLength(count(/ @ \d+ \(/g));
		expect(rows.filter(({ isNative }) => isNative)).toHaveLength(count(/\(native\)/g));
		expect(countBy(rows, ({ event }) => event)).toEqual(expected);
		expect(rows.filter(({ event }) => event === 'made not entrant')).toHaveLength(count(/made not entrant/g));
		for (const level of [0, 1, 2, 3, 4]) {
			expect(rows.filter((compilation) => compilation.level === level)).toHaveLength(count(new RegExp(`[ %s!bn]{5} ${level} {7}\\S`, 'g')));
		}
	});

	// Among assembly, warnings and what the program prints, whose lines are cut by those of compilations.
	test.each([
		['jdk17', { compiled: 169, 'made not entrant': 6 }],
		['jdk25', { compiled: 116, 'made not entrant': 9 }],
	])('standard output of a program on %s', (jdk, expected) => {
		const text = recordedText(`../safepoint/ttsp/${jdk}-nopoll`, 'stdout.txt.gz');
		const { rows, lostLines } = read(text);
		const count = (pattern: RegExp): number => [...text.matchAll(pattern)].length;
		expect(rows).toHaveLength(count(/\d+ +\d+ [% ][s ][! ][b ][n ] [0-4] {7}\S+::\S+/g) - count(/Compiled method \(/g));
		expect(countBy(rows, ({ event }) => event)).toEqual(expected);
		expect(rows.filter(({ isBlocking }) => isBlocking).length).toBeGreaterThan(80);
		expect(lostLines).toBe(0);
	});

	test.each(['jdk17', 'jdk25'])('the compiler’s own log of the same run agrees: Mix on %s', (jdk) => {
		agrees(recordedText(`../inlining/${jdk}`, 'printinlining.txt.gz'), recordedText(`../inlining/${jdk}`, 'logcompilation.xml.gz'));
	});

	test('the compiler’s own log of the same run agrees: javac on jdk17', () => {
		agrees(recordedText('../compilation/jdk17', 'printcompilation.txt.gz'), recordedText('../compilation/jdk17', 'logcompilation.xml.zst'));
	});
});

describe('damage', () => {
	const text = recordedText('../compilation/jdk25', 'printcompilation.txt.gz').slice(0, 6000);
	const whole = read(text).rows;

	test('cut anywhere: keeps the rows before the cut', () => {
		fc.assert(
			fc.property(fc.nat(text.length), (length) => {
				const before = text.slice(0, length);
				const complete = before.split('\n').length - 1;
				expect(read(before).rows.slice(0, complete)).toEqual(whole.slice(0, complete));
			}),
		);
	});

	test('anything: never throws', () => {
		const piece = fc.constantFrom('1 ', '  2 ', '%    ', '3       ', 'A::a ', '(1 bytes)', '   made not entrant', ': x', '\n', '[1s]', ' @ 4', '::', '(');
		fc.assert(fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => void read(pieces.join(''))));
	});

	test('lines cut once by another thread’s line are all found', () => {
		const lines = whole.slice(0, 40).map((_, i) => text.split('\n')[i]!);
		fc.assert(
			fc.property(fc.nat(38), fc.nat(200), (index, at) => {
				const line = lines[index]!;
				// Behind the compile id, so that the rest cannot be taken for a line, and before the end of the size.
				const cut = 12 + (at % Math.max(line.trimEnd().indexOf(')', 12) - 12, 1));
				const mixed = [...lines.slice(0, index), line.slice(0, cut), lines[index + 1], line.slice(cut), ...lines.slice(index + 2)].join('\n');
				const sorted = (rows: readonly PrintedCompilation[]): string[] => rows.map(brief).sort();
				expect(sorted(read(mixed).rows)).toEqual(sorted(read(lines.join('\n')).rows));
			}),
		);
	});
});

/** PrintCompilation against LogCompilation, which is read with regular expressions alone. Tasks that were stale when their turn came are not printed. */
function agrees(printed: string, log: string): void {
	const { rows } = read(printed);
	const compiled = rows.filter(({ event, isNative }) => event === 'compiled' && !isNative);
	const elements = [
		...log.matchAll(/^<task compile_id='(\d+)' (?:compile_kind='(osr)' )?method='(\S+) (\S+) [^']*' bytes='(\d+)'(.*)>$(?!\n<failure reason='stale task')/gm),
	];
	const tasks = elements.map(([, id, osr, holder, name, bytes, more = '']) => {
		const method = `${holder}.${name}`.replaceAll('&lt;', '<').replaceAll('&gt;', '>');
		// The top tier is not named.
		const level = / level='(\d)'/.exec(more)?.[1] ?? '4';
		return `${id}${osr === undefined ? '' : '%'} ${level} ${method} ${/ osr_bci='(\d+)'/.exec(more)?.[1] ?? null} ${bytes}`;
	});
	const printedTasks = compiled.map((row) => `${row.compileId} ${row.level} ${row.method} ${row.osrBci} ${row.sizeBytes}`);
	expect([...printedTasks].sort()).toEqual(tasks.sort());
	const wrappers = [...log.matchAll(/^<nmethod compile_id='(\d+)' compile_kind='(?:c2n|cnt)'/gm)].map(([, id]) => id);
	expect(rows.filter(({ isNative, event }) => isNative && event === 'compiled').map(({ compileId }) => compileId)).toEqual(wrappers);
	const ended = [...log.matchAll(/^<make_not_entrant (.*?)compile_id='(\d+)'/gm)].map(([, more = '', id]) => {
		const reason = / reason='([^']*)'/.exec(more)?.[1] ?? null;
		return `${id} ${more.includes(" zombie='1'") ? 'made zombie' : 'made not entrant'} ${reason}`;
	});
	const printedEnds = rows
		.filter(({ event }) => event.startsWith('made'))
		.map(({ compileId, event, reason }) => `${compileId.replace('%', '')} ${event} ${reason}`);
	expect(printedEnds.sort()).toEqual(ended.sort());
}

function row(known: Partial<PrintedCompilation>): PrintedCompilation {
	return {
		timeMs: null,
		clockNs: null,
		epochMs: null,
		compileId: '',
		isOsr: false,
		isSynchronized: false,
		hasExceptionHandlers: false,
		isBlocking: false,
		isNative: false,
		level: null,
		method: '',
		signature: null,
		osrBci: null,
		sizeBytes: null,
		event: 'compiled',
		reason: null,
		retry: null,
		isStatic: false,
		line: 0,
		...known,
	};
}

function countBy<T>(values: readonly T[], keyOf: (value: T) => string): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const value of values) {
		counts[keyOf(value)] = (counts[keyOf(value)] ?? 0) + 1;
	}
	return counts;
}

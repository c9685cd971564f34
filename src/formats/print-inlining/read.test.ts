import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RECORDINGS, recordedText, textSource } from '../../../test/recordings.js';
import type { PrintedDecision } from './nesting.js';
import { isPrintInlining, type PrintInlining, readPrintInlining } from './read.js';

const read = (text: string): PrintInlining => readPrintInlining(textSource(text));
const brief = ({ compileId, bcis, callee, reason }: PrintedDecision): string => `${compileId} ${bcis.join('/')} ${callee} ${reason}`;
/** A line of a call, `level` deep. */
const call = (level: number, text: string): string => `${' '.repeat(30 + 2 * level)}@ ${text}\n`;

const C1 =
	'148    2       3       java.lang.String::hashCode (60 bytes)\n' +
	call(0, '17   java.lang.String::isLatin1 (19 bytes)   inline') +
	call(0, '27   java.lang.StringLatin1::hashCode (9 bytes)   inline') +
	call(1, '5   jdk.internal.util.ArraysSupport::hashCodeOfUnsigned (55 bytes)   failed to inline: callee is too large') +
	call(0, '37  java/lang/StringUTF16::hashCode (not loaded)   failed to inline: not inlineable');

describe('one compilation', () => {
	test('calls in calls', () => {
		expect(read(C1).decisions).toEqual([
			decision({ bcis: [17], callee: 'java.lang.String.isLatin1', calleeSizeBytes: 19, reason: 'inline', isInlined: true, line: 2 }),
			decision({ bcis: [27], callee: 'java.lang.StringLatin1.hashCode', calleeSizeBytes: 9, reason: 'inline', isInlined: true, line: 3 }),
			decision({ bcis: [27, 5], callee: 'jdk.internal.util.ArraysSupport.hashCodeOfUnsigned', calleeSizeBytes: 55, reason: 'callee is too large', line: 4 }),
			decision({ bcis: [37], callee: 'java.lang.StringUTF16.hashCode', reason: 'not inlineable', line: 5 }),
		]);
	});

	test('attributes, signatures, hidden classes, OSR', () => {
		const { decisions } = read(
			'501  554 % !   3       app.Mix::sync @ 4 (67 bytes)\n' +
				'              s               @ 21   java.lang.StringBuffer::append (13 bytes)   inline\n' +
				call(0, '24   java.lang.invoke.MethodHandle::invokeBasic(JL)J (0 bytes)   receiver not constant') +
				call(0, '31   app.Mix$$Lambda/0x0000000026043440::test (8 bytes)   inline') +
				call(0, '40  java/util/A::b (not loaded)   not inlineable'),
		);
		expect(decisions.map((each) => brief(each) + (each.signature ?? ''))).toEqual([
			'554% 21 java.lang.StringBuffer.append inline',
			'554% 24 java.lang.invoke.MethodHandle.invokeBasic receiver not constant(JL)J',
			'554% 31 app.Mix$$Lambda/0x0000000026043440.test inline',
			'554% 40 java.util.A.b not inlineable',
		]);
	});

	test('JDK 25 appends what it decides later', () => {
		const { decisions } = read(
			'502  354       4       app.Mix::f (163 bytes)\n' +
				call(
					0,
					'27   app.Mix$Sq::area (10 bytes)   inline (hot)   callee changed to  app.Mix$Ci::area (14 bytes)   failed to inline: too big   callee changed to  app.Mix::f (163 bytes)    \\-> TypeProfile (3/9 counts) = app/Mix$Ci   callee changed to  app.Mix::f (163 bytes)    \\-> TypeProfile (6/9 counts) = app/Mix$Sq   inline (hot)',
				) +
				call(0, '30   java.lang.Object::hashCode (0 bytes)   failed to inline: native method   (intrinsic, virtual)') +
				call(0, '34   java.lang.StringBuilder::append (8 bytes)   inline (hot)   late inline succeeded (string method)') +
				call(0, '40   sun.security.provider.DigestBase::implCompressMultiBlock0 (23 bytes)   inline (hot)   (intrinsic, predicate)   (intrinsic)') +
				call(
					0,
					'50   jdk.internal.reflect.Reflection::getCallerClass (0 bytes)   failed to inline: failed to inline (intrinsic)   failed to inline: native method',
				) +
				call(
					0,
					'60   java.util.Map::put (0 bytes)   failed to inline: virtual call   callee changed to  java.util.EnumMap::put (10 bytes)   failed to inline: late call devirtualization   late inline succeeded',
				),
		);
		expect(decisions.map(brief)).toEqual([
			'354 27 app.Mix$Sq.area inline (hot)',
			'354 27 app.Mix$Ci.area too big',
			'354 27 app.Mix$Sq.area inline (hot)',
			'354 30 java.lang.Object.hashCode native method',
			'354 30 java.lang.Object.hashCode (intrinsic)',
			'354 34 java.lang.StringBuilder.append inline (hot)',
			'354 34 java.lang.StringBuilder.append late inline succeeded (string method)',
			'354 40 sun.security.provider.DigestBase.implCompressMultiBlock0 inline (hot)',
			'354 40 sun.security.provider.DigestBase.implCompressMultiBlock0 (intrinsic, predicate)',
			'354 40 sun.security.provider.DigestBase.implCompressMultiBlock0 (intrinsic)',
			'354 50 jdk.internal.reflect.Reflection.getCallerClass failed to inline (intrinsic)',
			'354 50 jdk.internal.reflect.Reflection.getCallerClass native method',
			'354 60 java.util.Map.put virtual call',
			'354 60 java.util.EnumMap.put late call devirtualization',
			'354 60 java.util.Map.put late inline succeeded',
		]);
		expect(decisions.slice(0, 7).map(({ isInlined }) => isInlined)).toEqual([true, false, true, false, true, true, true]);
		expect(decisions.filter(({ isRemark }) => isRemark).map(({ reason }) => reason)).toEqual([
			'late inline succeeded (string method)',
			'(intrinsic, predicate)',
			'failed to inline (intrinsic)',
			'late call devirtualization',
			'late inline succeeded',
		]);
		const receivers = [
			{ type: 'app.Mix$Ci', count: 3, total: 9 },
			{ type: 'app.Mix$Sq', count: 6, total: 9 },
		];
		expect(decisions.slice(0, 4).map((each) => each.receivers)).toEqual([receivers, receivers, receivers, []]);
	});

	test('JDK 17 has lines for receiver types, below all decisions of the call', () => {
		const { decisions } = read(
			'5    9       4       A::f (3 bytes)\n' +
				call(0, '4   A$L::w (5 bytes)   accessor') +
				call(0, '4   A$P::w (16 bytes)   inline (hot)') +
				`${' '.repeat(30)} \\-> TypeProfile (1/4 counts) = A$L\n${' '.repeat(30)} \\-> TypeProfile (3/4 counts) = A$P\n` +
				call(1, '7   A$L::x (5 bytes)   accessor') +
				call(0, '9   A::g (5 bytes)   too big'),
		);
		expect(decisions.map(({ bcis, receivers }) => [bcis.join('/'), receivers.map(({ type }) => type).join(' ')])).toEqual([
			['4', 'A$L A$P'],
			['4', 'A$L A$P'],
			['4/7', ''],
			['9', ''],
		]);
	});
});

describe('several threads on standard output', () => {
	test('words tell the compiler', () => {
		const { decisions, isAttributed } = read(
			`1    1       4       A::f (9 bytes)\n2    2       3       A::g (9 bytes)\n${call(0, '1   A::a (1 bytes)   inline')}${call(0, '2   A::b (1 bytes)   inline (hot)')}` +
				`${call(1, '3   A::b (1 bytes)   force inline by annotation')}3    7       3       A::h (9 bytes)   made not entrant\n4    8     n 0       A::n (native)   \n${call(0, '4   A::b (1 bytes)   callee is too large')}`,
		);
		expect(decisions.map(brief)).toEqual(['2 1 A.a inline', '1 2 A.b inline (hot)', '1 2/3 A.b force inline by annotation', '2 4 A.b callee is too large']);
		expect(isAttributed).toBe(false);
	});

	test('the padding of a stamp is no line that was cut', () => {
		const { decisions, lostLines } = read(
			`    148    2       3       A::f (60 bytes)\n${call(0, '1   A::a (1 bytes)   inline')}   1148    3       3       A::g (60 bytes)\n`,
		);
		expect(decisions.map(brief)).toEqual(['2 1 A.a inline']);
		expect(lostLines).toBe(0);
	});

	test('lines cut in the indent, the name and the message', () => {
		const { decisions, repairedLines, lostLines } = read(
			`1    1       3       A::f (9 bytes)\n            2    2     n 0       A::n (native)   \n                  @ 1   A::a (1 bytes)   inline\n` +
				`${call(0, '2   A::lo').trimEnd()}3    3     n 0       A::n (native)   \nng (1 bytes)   inline\n${call(1, '4   A::x (1 bytes)   callee is too large')}`,
		);
		expect(decisions.map(brief)).toEqual(['1 1 A.a inline', '1 2 A.long inline', '1 2/4 A.x callee is too large']);
		expect({ repairedLines, lostLines }).toEqual({ repairedLines: 2, lostLines: 0 });
	});

	test('what is lost is counted, with all that was inside', () => {
		const log = read(
			`1    1       3       A::f (9 bytes)\n${call(0, '1   A::a (1 bytes)   inline')}${call(2, '2   A::b (1 bytes)   inline')}${call(0, '3   A::').trimEnd()}\n`,
		);
		expect(log.decisions.map(brief)).toEqual(['1 1 A.a inline']);
		expect(log.lostLines).toBe(2);
		expect(log.problems).toMatchObject([{ line: 3 }, { line: 4 }]);
	});
});

describe('a LogFile', () => {
	const head = "<?xml version='1.0' encoding='UTF-8'?>\n<hotspot_log version='160 1' process='1' time_ms='1'>\n<tty>\n";
	const by = (thread: number): string => `<writer thread='${thread}'/>\n`;

	test('each line belongs to its thread, wherever it is cut', () => {
		const { decisions, isAttributed, repairedLines, lostLines } = read(
			`${head}${by(1)}1    1       3       A::f (9 bytes)\n${call(0, '1   A::&lt;init&gt; (1 bytes)   failed to inline: don')}${by(2)}1    2       4       A::g (9 bytes)\n${by(1)}&apos;t inline by annotation\n` +
				`<nmethod compile_id='7'/>\n                     \n${by(2)}${call(0, '5   A::c (1 bytes)   inline')}${by(1)}         @ 8   A::d (1 bytes)   inline\n${by(2)} (hot)\n` +
				`</tty>\n<compilation_log thread='1'>\n${call(0, '9   A::c (1 bytes)   inline')}`,
		);
		expect(decisions.map(brief).sort()).toEqual(["1 1 A.<init> don't inline by annotation", '1 8 A.d inline', '2 5 A.c inline (hot)']);
		expect({ isAttributed, repairedLines, lostLines }).toEqual({ isAttributed: true, repairedLines: 3, lostLines: 0 });
	});

	test('a native wrapper that a compiler makes on the way is no compilation', () => {
		const { decisions } = read(
			`${head}${by(1)}1    1       4       A::f (9 bytes)\n2    2     n 0       A::n (native)   (static)\n${call(0, '1   A::a (1 bytes)   inline (hot)')}`,
		);
		expect(decisions.map(brief)).toEqual(['1 1 A.a inline (hot)']);
	});
});

test('what is of this format', () => {
	expect(isPrintInlining(C1)).toBe(true);
	expect(isPrintInlining('1    1       3       A::f (9 bytes)\n')).toBe(false);
	expect(isPrintInlining('')).toBe(false);
});

describe('recordings', () => {
	const goldens = (jdk: string): Map<string, number> => countOf(recordedText(`../inlining/${jdk}`, 'golden.sites.tsv.gz').trimEnd().split('\n').slice(1));

	test.each([
		['jdk17', []],
		// Two cut messages `inline (hot)` follow one another here; the golden has one, LogCompilation both.
		['jdk25', ['498\t22/1\tjava.lang.String::isLatin1\tinline (hot)']],
	])('the golden decisions, from the LogFile of %s', (jdk, onlyHere) => {
		const text = recordedText(`../inlining/${jdk}`, 'logcompilation.xml.gz');
		const { decisions, lostLines, problems } = read(text);
		expect(isPrintInlining(text.slice(0, 65536))).toBe(true);
		expect({ lostLines, problems }).toEqual({ lostLines: 0, problems: [] });
		expect(difference(countOf(decisions.map(goldenRow)), goldens(jdk))).toEqual({ onlyFirst: onlyHere, onlySecond: [] });
	});

	test.each([
		['jdk17', 0],
		// Of 5,080: lines cut in two places, and calls whose words both compilers use.
		['jdk25', 6],
	])('nearly all of them from standard output of %s', (jdk, notFound) => {
		const { decisions } = read(recordedText(`../inlining/${jdk}`, 'printinlining.txt.gz'));
		expect(difference(countOf(decisions.map(goldenRow)), goldens(jdk)).onlySecond).toHaveLength(notFound);
	});

	// Log only: none. Text only: remarks about decisions that the log has already.
	test.each(['jdk17', 'jdk25'])('as many of each reason as LogCompilation of %s has elements', (jdk) => {
		const text = recordedText(`../inlining/${jdk}`, 'logcompilation.xml.gz');
		const elements = [...text.matchAll(/^<(?:inline_(?:success|fail) reason='([^']*)'|(intrinsic) )/gm)].map(([, reason = '', intrinsic]) =>
			intrinsic === undefined ? reason.replaceAll('&apos;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>') : '(intrinsic)',
		);
		const reasons = read(text)
			.decisions.filter(({ isRemark }) => !isRemark)
			.map(({ reason }) => reason);
		expect(difference(countOf(reasons), countOf(elements))).toEqual({ onlyFirst: [], onlySecond: [] });
	});

	test.each(['jdk17', 'jdk25'])('per compilation what golden.counts.tsv of %s has', (jdk) => {
		const text = recordedText(`../inlining/${jdk}`, 'logcompilation.xml.gz');
		const { decisions } = read(text);
		const rows = fs
			.readFileSync(path.join(RECORDINGS, '..', 'inlining', jdk, 'golden.counts.tsv'), 'utf8')
			.trimEnd()
			.split('\n');
		const columns = rows[0]!.split('\t');
		const found = countOf(decisions.filter(({ isRemark }) => !isRemark).map(({ compileId }) => compileId ?? ''));
		for (const row of rows.slice(1).map((line) => line.split('\t'))) {
			const value = (name: string): string => row[columns.indexOf(name)]!;
			const id = `${value('compile_id')}${value('osr_bci') === '-' ? '' : '%'}`;
			expect(`${id}: ${found.get(id) ?? 0}`).toBe(`${id}: ${value('results')}`);
		}
	});
});

describe('damage', () => {
	// On standard output the words of the next lines may tell whose a line is.
	test.each([
		['printinlining.txt.gz', 20],
		['logcompilation.xml.gz', 0],
	])('cut anywhere: keeps what was decided before the cut: %s', (file, distance) => {
		const text = recordedText('../inlining/jdk25', file).slice(0, 200_000);
		const whole = read(text).decisions.map((each) => ({ line: each.line, key: `${each.line} ${brief(each)}` }));
		fc.assert(
			fc.property(fc.nat(text.length), (length) => {
				const before = text.slice(0, length);
				const lines = before.split('\n').length - distance;
				const kept = new Set(read(before).decisions.map((each) => `${each.line} ${brief(each)}`));
				expect(whole.filter(({ line, key }) => line < lines && !kept.has(key))).toEqual([]);
			}),
			{ numRuns: 60 },
		);
	});

	test('a line with half a million decisions', () => {
		const reasons = 500_000;
		expect(read(`1    1       4       A::f (9 bytes)\n${call(0, `1   A::a (1 bytes)${'   x'.repeat(reasons)}`)}`).decisions).toHaveLength(reasons);
	});

	test('anything: never throws', () => {
		const piece = fc.constantFrom(
			' '.repeat(30),
			' '.repeat(20),
			'  ',
			'@ 4  ',
			' A::a (1 bytes)',
			'   inline',
			'   callee changed to ',
			' \\-> TypeProfile (1/2 counts) = X',
			'\n',
			"<writer thread='1'/>\n",
			'<x>\n',
			'1    1       3       A::f (9 bytes)',
			'&lt;',
		);
		fc.assert(fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => void read(pieces.join(''))));
	});
});

function decision(known: Partial<PrintedDecision>): PrintedDecision {
	return {
		compileId: '2',
		bcis: [],
		callee: '',
		signature: null,
		calleeSizeBytes: null,
		reason: '',
		isInlined: false,
		isRemark: false,
		receivers: [],
		line: 0,
		...known,
	};
}

/** As golden.sites.tsv spells it. */
function goldenRow({ compileId, bcis, callee, reason }: PrintedDecision): string {
	const dot = callee.lastIndexOf('.');
	return [compileId?.replace('%', ''), bcis.join('/'), `${callee.slice(0, dot).replaceAll('/', '.')}::${callee.slice(dot + 1)}`, reason].join('\t');
}

function countOf(keys: readonly string[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const key of keys) {
		counts.set(key, (counts.get(key) ?? 0) + 1);
	}
	return counts;
}

/** What one multiset has and the other has not, each as often as that. */
function difference(first: ReadonlyMap<string, number>, second: ReadonlyMap<string, number>): { onlyFirst: string[]; onlySecond: string[] } {
	const more = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): string[] =>
		[...one].flatMap(([key, count]) => Array<string>(Math.max(0, count - (other.get(key) ?? 0))).fill(key));
	return { onlyFirst: more(first, second), onlySecond: more(second, first) };
}

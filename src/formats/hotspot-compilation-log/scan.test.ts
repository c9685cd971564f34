/** The life of compilations, from a few lines of a log. */
import { describe, expect, test } from 'vitest';
import { textSource } from '../../../test/recordings.js';
import type { LoggedHistory } from './jvm-draft.js';
import { RecordReader } from './read-record.js';
import { type ScannedCompilations, scanCompilations } from './scan.js';

function scan(...texts: readonly string[]): ScannedCompilations {
	return scanCompilations(texts.map((text, i) => textSource(text, `${i}.log`)));
}

function only(text: string): LoggedHistory {
	const { histories } = scan(text);
	expect(histories).toHaveLength(1);
	return histories[0]!;
}

describe('elements of a log', () => {
	const QUEUED = "<task_queued compile_id='7' method='A b ()V' bytes='1' count='2' level='3' stamp='0.100' comment='tiered'/>";
	const INSTALLED = "<nmethod compile_id='7' compiler='c1' level='3' entry='0x1' size='99' method='A b ()V' stamp='0.200'/>";

	test('output of the program between and within elements', () => {
		const { histories, problems } = scan(`hello ${QUEUED}\nworld\n   <b>no element</b>\n<nmethod compile_id='7' comp${INSTALLED}\n<make_not_entr\n`);
		expect(histories[0]?.compilations).toMatchObject([{ compileId: '7', queuedMs: 100, installedMs: 200, nmethodBytes: 99 }]);
		expect(problems.map(({ message }) => message)).toEqual(['2 elements are cut or mixed with other output']);
	});

	test('a function of a guest language that Truffle compiled and installed', () => {
		const root = "method='com.oracle.truffle.runtime.OptimizedCallTarget profiledPERoot ([Ljava/lang/Object;)Ljava/lang/Object;'";
		const named = "compiler='jvmci' level='4' jvmci_mirror_name='a.next &lt;split-7&gt;#1'";
		const { histories } = scan(`<nmethod compile_id='9' ${named} size='99' ${root} stamp='0.2'/>\n<make_not_entrant compile_id='9' ${named} stamp='0.4'/>\n`);
		expect(histories[0]?.compilations).toMatchObject([
			{ compileId: '9', method: 'Truffle: a.next <split-7>', compiler: 'jvmci', installedMs: 200, notEntrant: { ms: 400 } },
		]);
	});

	test('an id that is used again, by another method or after another start', () => {
		const { histories } = scan(`${QUEUED}\n${INSTALLED}\n${INSTALLED}\n${QUEUED.replace('A b', 'C d')}\n`);
		expect(histories[0]?.compilations.map(({ method, queuedMs, installedMs }) => [method, queuedMs, installedMs])).toEqual([
			['A.b', 100, 200],
			['A.b', null, 200],
			['C.d', 100, null],
		]);
		const log = `<hotspot_log version='160 1' process='1' time_ms='5'>\n${QUEUED}\n`;
		expect(scan(log + log).histories).toHaveLength(2);
	});

	test('a task that was taken out of the queue; traps with and without a place; one of an unknown compilation', () => {
		const { histories, problems } = scan(
			[
				QUEUED,
				"<task_dequeued compile_id='7' method='A b ()V' comment='stale' stamp='0.2'/>",
				QUEUED.replaceAll('7', '8'),
				"<uncommon_trap thread='5' reason='null_check' action='none' compile_id='8' stamp='1,5'/>",
				"<uncommon_trap thread='5' reason='class_check' action='maybe_recompile' compile_id='8' stamp='2.0'>",
				"<jvms bci='3' method='x.Y &lt;init&gt; ()V'/>",
				"<jvms bci='9' method='A b ()V'/>",
				'</uncommon_trap>',
				"<make_not_entrant thread='1' compile_id='9' stamp='2.1'/>",
			].join('\n'),
		);
		const [first, second] = histories[0]?.compilations ?? [];
		expect(first?.failure).toEqual({ reason: 'stale', phase: null });
		expect(second?.deoptimizations).toEqual([
			{ kind: 'uncommon trap', reason: 'null_check', action: 'none', method: null, bci: null, ms: 1500, threadId: 5 },
			{ kind: 'uncommon trap', reason: 'class_check', action: 'maybe_recompile', method: 'x.Y.<init>', bci: 3, ms: 2000, threadId: 5 },
		]);
		expect(problems.map(({ message }) => message)).toEqual(['1 elements tell of a compilation that the log does not have']);
	});

	test('a method that will not be compiled again is no compilation that is missing', () => {
		const said = "<make_not_compilable thread='9' osr='0' level='3' reason='MethodCompilable_not_at_tier' method='a.B c ()V' bytes='6533' stamp='19.0'/>";
		const { histories, problems } = scan([QUEUED, INSTALLED, said].join('\n'));
		expect(problems).toEqual([]);
		expect(histories[0]?.compilations[0]?.notEntrant).toBeNull();
	});

	test('without the JVM: no level means the top tier', () => {
		const task = "<task compile_id='7' method='A b ()V' bytes='1' stamp='0.3'>\n";
		expect(only(task).compilations[0]).toMatchObject({ compiler: 'c2', level: 4, isCut: true });
		expect(only(`<start_compile_thread name='C1 CompilerThread0' thread='5' process='4' stamp='0.1'/>\n${task}`).compilations[0]).toMatchObject({
			compiler: 'c1',
			level: 1,
			threadId: 5,
		});
	});

	const TASK = "<task compile_id='7' method='A b ()V' bytes='1' count='2' stamp='0.150'>";
	const DONE = "<task_done success='1' nmsize='40' inlined_bytes='4' stamp='0.300'/>";

	test('what a task tells: its times, sizes, counts; the last words of the thread whose it is', () => {
		const [one] = only(
			[
				"<hotspot_log version='160 1' process='1' time_ms='5'>",
				QUEUED,
				INSTALLED,
				"<start_compile_thread name='C2 CompilerThread0' thread='70' process='1' stamp='0.090'/>",
				"<compilation_log thread='71'>",
				TASK.replace("count='2'", "count='9' backedge_count='3'"),
				DONE,
				'</task>',
				'</compilation_log>',
				"<hotspot_log_done stamp='2.500'/>",
			].join('\n'),
		).compilations;
		expect(one).toMatchObject({
			queuedMs: 100,
			queueComment: 'tiered',
			startedMs: 150,
			doneMs: 300,
			installedMs: 200,
			invocations: 9,
			backedges: 3,
			bytecodeBytes: 1,
			sizeBytes: 40,
			inlinedBytes: 4,
			threadId: 71,
			isCut: false,
			failure: null,
			retries: [],
			level: 3,
			compiler: 'c1',
		});
	});

	test('a log with its end is of no JVM that was killed', () => {
		const lines = ["<hotspot_log version='160 1' process='1' time_ms='5'>", QUEUED, "<thread_logfile thread='70' filename='/tmp/hs_c70_pid1.log'/>"];
		const problemsOf = (...end: string[]): string[] => scan([...lines, ...end].join('\n')).problems.map(({ message }) => message);
		expect(problemsOf()).toEqual(['the log ends without the records of the compiler threads: the JVM was killed']);
		expect(problemsOf("<hotspot_log_done stamp='2.500'/>")).toEqual(['the log has its end, and not the records of the compiler threads']);
	});

	test('bytes of a record reach from its task to the end of its element; what is open reaches to what comes next', () => {
		const text = `<hotspot_log version='160 1' process='1' time_ms='5'>\n  ${TASK}\n<bc code='1' bci='0'/>\n</task>\n${TASK.replace('7', '8')}\n${TASK.replace('7', '9')}\n<bc />\n`;
		const { compilations, endMs } = only(text);
		const records = compilations.map(({ record, isCut }) => [text.slice(record?.start, record?.end), isCut]);
		expect(records).toEqual([
			[`${TASK}\n<bc code='1' bci='0'/>\n</task>`, false],
			[`${TASK.replace('7', '8')}\n`, true],
			[`${TASK.replace('7', '9')}\n<bc />`, true],
		]);
		expect(endMs).toBe(150);
		expect(scan(text).problems.map(({ message }) => message)).toEqual(['2 records of compilations end before they are complete']);
		// In a fragment the JVM says itself that there is no more.
		expect(scan(`<fragment>\n<![CDATA[\n${TASK}\n]]>\n</fragment>\n`).problems).toEqual([]);
		expect(scan(`<fragment>\n<![CDATA[\n]]>\n${TASK}\n`).problems).toHaveLength(1);
		expect(scan(`<fragment>\n<compilation_log thread='1'>\n${TASK}\n`).problems).toHaveLength(1);
	});

	test('a failure: the last that was no new attempt, in the phase that was told last', () => {
		const failed = (...failures: string[]) => only([TASK, ...failures, DONE.replace("'1'", "'0'"), '</task>'].join('\n')).compilations[0];
		expect(failed()?.failure).toEqual({ reason: 'unknown', phase: null });
		expect(failed("<failure reason='a' phase='p'/>", "<failure reason='b'/>")?.failure).toEqual({ reason: 'b', phase: 'p' });
		const retried = failed("<failure reason='a' phase='p'/>", "<failure reason='retry b' phase='q'/>");
		expect([retried?.failure, retried?.retries]).toEqual([{ reason: 'a', phase: 'p' }, ['retry b']]);
		expect(failed("<failure reason='retry b' phase='q'/>")?.failure).toEqual({ reason: 'retry b', phase: 'q' });
		const passed = only([TASK, "<failure reason='retry b' phase='q'/>", DONE, '</task>'].join('\n')).compilations[0];
		expect([passed?.failure, passed?.retries]).toEqual([null, ['retry b']]);
	});

	test('the code cache at the end of tasks that tell of it, by time', () => {
		const cache = "<code_cache total_blobs='30' nmethods='20' adapters='5' free_code_cache='1000'/>";
		const { codeCache } = only(
			[TASK, cache, DONE, '</task>', TASK, DONE.replace('0.300', '0.400'), '</task>', TASK, cache, DONE.replace('0.300', '0.200'), '</task>'].join('\n'),
		);
		expect(codeCache).toEqual([
			{ ms: 200, freeBytes: 1000, nmethods: 20, blobs: 30 },
			{ ms: 300, freeBytes: 1000, nmethods: 20, blobs: 30 },
		]);
	});

	test('made not entrant once, and removed once: later elements say the same again', () => {
		const gone = (more: string, stamp: string) => `<make_not_entrant thread='1' compile_id='7' ${more} stamp='${stamp}'/>`;
		const { histories, problems } = scan(
			[INSTALLED, gone("reason='a'", '0.3'), gone("reason='b'", '0.4'), gone("zombie='1'", '0.5'), gone("zombie='1'", '0.6'), gone('', 'x')].join('\n'),
		);
		expect(histories[0]?.compilations).toMatchObject([{ notEntrant: { ms: 300, reason: 'a' }, removedMs: 500 }]);
		expect(histories[0]?.endMs).toBe(600);
		expect(problems.map(({ message }) => message)).toEqual(['1 elements tell of a compilation that the log does not have']);
	});

	test('a place is told behind the trap itself, not behind its end or another one', () => {
		const trap = "<uncommon_trap thread='5' reason='null_check' action='none' compile_id='7' stamp='1.5'";
		const place = "<jvms bci='3' method='x.Y z ()V'/>";
		const places = (...lines: string[]) =>
			only([INSTALLED, ...lines].join('\n')).compilations[0]?.deoptimizations.map(({ kind, method, bci }) => [kind, method, bci]);
		expect(places(`${trap}>`, place, '</uncommon_trap>')).toEqual([['uncommon trap', 'x.Y.z', 3]]);
		expect(places(`${trap}/>`, place)).toEqual([['uncommon trap', null, null]]);
		expect(places(`${trap}>`, '</uncommon_trap>', place)).toEqual([['uncommon trap', null, null]]);
		expect(places(`${trap}>`, place, place.replace('3', '4'))).toEqual([['uncommon trap', 'x.Y.z', 3]]);
		expect(places("<deoptimized thread='5' reason='other' compile_id='7' stamp='1.5'>", place, '</deoptimized>')).toEqual([['invalidated', 'x.Y.z', 3]]);
		expect(places("<deoptimized thread='5' reason='other' compile_id='7' stamp='1.5'>", '</deoptimized>', place)).toEqual([['invalidated', null, null]]);
		// A place in a task is where the compiler left something out.
		expect(places(TASK, "<uncommon_trap bci='1' reason='unloaded' action='none'/>", '</task>')).toEqual([]);
	});

	test("a loop's counter that overflows in code of C1 is no deoptimization", () => {
		const left = (more: string) => {
			const [one] = only(
				[INSTALLED, `<deoptimized thread='5' reason='constraint' compile_id='7' ${more} stamp='1.5'>`, '</deoptimized>'].join('\n'),
			).compilations;
			return [one?.movesToOsr, one?.deoptimizations.length];
		};
		expect([left("compiler='c1' level='2'"), left("compiler='c1' level='3'")]).toEqual([
			[1, 0],
			[1, 0],
		]);
		expect([left("compiler='c1' level='1'"), left("compiler='c2' level='4'")]).toEqual([
			[0, 1],
			[0, 1],
		]);
	});

	test('the kind is of the id: on-stack replacement, native wrappers', () => {
		const kind = (text: string) => INSTALLED.replace("compile_id='7'", `compile_id='7' compile_kind='${text}' osr_bci='5'`);
		const { compilations } = only(
			[INSTALLED, QUEUED.replace("compile_id='7'", "compile_id='7' compile_kind='osr' osr_bci='5'"), kind('osr'), kind('c2n')].join('\n'),
		);
		expect(compilations.map(({ compileId, kind: one, osrBci, queuedMs }) => [compileId, one, osrBci, queuedMs])).toEqual([
			['7', 'standard', null, null],
			['7%', 'osr', 5, 100],
			['7', 'native wrapper', null, null],
		]);
	});

	test('elements without an id or a method are cut', () => {
		const cut = (line: string) => scan(`${INSTALLED}\n${line}\n`).problems.map(({ message }) => message);
		const expected = ['1 elements are cut or mixed with other output'];
		expect(cut(QUEUED.replace("compile_id='7'", "compile_id=''"))).toEqual(expected);
		expect(cut(QUEUED.replace("method='A b ()V'", ''))).toEqual(expected);
		expect(cut(QUEUED.replace("method='A b ()V'", "method='A'"))).toEqual(expected);
		expect(cut(TASK.replace("compile_id='7'", ''))).toEqual(expected);
		expect(cut(INSTALLED.replace("compile_id='7'", ''))).toEqual(expected);
	});

	test('the compiler of what was never installed: of its thread, else of its level, else the highest that the log has', () => {
		const compilers = (...lines: string[]) => only(lines.join('\n')).compilations.map(({ compiler, level }) => [compiler, level]);
		const thread = (name: string) => `<start_compile_thread name='${name}' thread='5' stamp='0.1'/>`;
		expect(compilers(thread('JVMCI-native CompilerThread0'), TASK)).toEqual([['jvmci', 4]]);
		expect(compilers(thread('C1X'), TASK)).toEqual([['c2', 4]]);
		expect(compilers(thread('No C1'), TASK)).toEqual([['c2', 4]]);
		expect(compilers(QUEUED)).toEqual([['c1', 3]]);
		expect(compilers(QUEUED.replace("level='3'", "level='4'"))).toEqual([['c2', 4]]);
		expect(compilers(INSTALLED.replace('c1', 'jvmci'), QUEUED.replaceAll('7', '8').replace("level='3'", ''))).toEqual([
			['jvmci', 3],
			['jvmci', 4],
		]);
		expect(compilers(INSTALLED, QUEUED.replaceAll('7', '8').replace("level='3'", ''))).toEqual([
			['c1', 3],
			['c1', 1],
		]);
		// Level 4 is never C1's.
		expect(compilers(INSTALLED, QUEUED.replaceAll('7', '8').replace("level='3'", "level='4'"))).toEqual([
			['c1', 3],
			['c2', 4],
		]);
	});

	test('what Truffle installs was never queued: what waits is for C2', () => {
		const top = (id: string) => [
			QUEUED.replaceAll('7', id).replace("level='3'", ''),
			INSTALLED.replaceAll("'7'", `'${id}'`).replace('c1', 'c2').replace("level='3'", "level='4'"),
		];
		const hosted = INSTALLED.replaceAll("'7'", "'9'").replace('c1', 'jvmci').replace("level='3'", "level='4'");
		const waiting = QUEUED.replaceAll('7', '8').replace("level='3'", '');
		const compilers = only([hosted, ...top('5'), waiting].join('\n')).compilations.map(({ compileId, compiler }) => [compileId, compiler]);
		expect(new Map(compilers as [string, string][])).toEqual(
			new Map([
				['9', 'jvmci'],
				['5', 'c2'],
				['8', 'c2'],
			]),
		);
	});

	test('the JVM in its own words, the first of each', () => {
		const {
			version,
			command,
			arguments: flags,
			processId,
			startedEpochMs,
		} = only(
			[
				"<hotspot_log version='160 1' process='12' time_ms='34'>",
				'<info>',
				'OpenJDK &lt;25&gt;',
				'</info>',
				'<args>',
				'-Xmx1g </args>',
				'<command>',
				'a.Main x</command>',
				'<info>',
				'another',
				QUEUED,
			].join('\n'),
		);
		expect([version, command, flags, processId, startedEpochMs]).toEqual(['OpenJDK <25>', 'a.Main x', '-Xmx1g', 12, 34]);
	});

	test('a JVM that was killed leaves the records in the files of its threads: they are asked for', () => {
		const files = "<thread_logfile thread='5' filename='/tmp/hs_c5_pid1.log'/>";
		const asked = (...lines: string[]) => scan([files, ...lines].join('\n')).problems.map(({ action }) => action);
		expect(asked(QUEUED)).toEqual([expect.stringContaining('/tmp/hs_c5_pid1.log')]);
		expect(asked(QUEUED, TASK, '</task>')).toEqual([]);
		expect(asked()).toEqual([]);
		// The file of a thread is that of the JVM whose process it names, whichever comes first.
		const log = `<hotspot_log version='160 1' process='4' time_ms='5'>\n${QUEUED}\n`;
		const thread = `<start_compile_thread name='C1 CompilerThread0' thread='5' process='4' stamp='0.1'/>\n${TASK}\n</task>\n`;
		const joined = ({ histories }: ScannedCompilations) =>
			histories.map(({ compilations }) => compilations.map(({ queuedMs, startedMs }) => [queuedMs, startedMs]));
		expect(joined(scan(log, thread))).toEqual([[[100, 150]]]);
		expect(joined(scan(thread, log))).toEqual([[[100, 150]]]);
		expect(joined(scan(log, thread.replace("process='4'", "process='5'")))).toEqual([[[100, null]], [[null, 150]]]);
	});

	test('what was started is not taken out of the queue, and other elements of tasks take nothing out', () => {
		const failure = (line: string, ...before: string[]) => only([QUEUED, ...before, line].join('\n')).compilations[0]?.failure ?? null;
		const dequeued = "<task_dequeued compile_id='7' method='A b ()V' comment='stale' stamp='0.2'/>";
		expect(failure(dequeued)).toEqual({ reason: 'stale', phase: null });
		expect(failure(dequeued.replace("comment='stale'", ''))).toEqual({ reason: 'dequeued', phase: null });
		expect(failure(dequeued, TASK, '</task>')).toBeNull();
		expect(failure(dequeued.replace('dequeued', 'whatever'))).toBeNull();
	});

	test('what a JVM tells in no particular order: the last time is the latest, threads are listed once', () => {
		const thread = "<start_compile_thread name='C1 CompilerThread0' thread='5' process='4' stamp='0.1'/>";
		const history = only([thread, INSTALLED, QUEUED.replaceAll('7', '8'), thread, "<compilation_log thread='6'>", TASK.replace('7', '9')].join('\n'));
		expect(history).toMatchObject({ processId: 4, endMs: 200, threads: [{ id: 5, name: 'C1 CompilerThread0', startedMs: 100 }] });
		expect(history.compilations.map(({ threadId }) => threadId)).toEqual([null, null, 6]);
	});

	test('an OSR compilation and a native wrapper of one id are two', () => {
		const kind = (text: string) => INSTALLED.replace("compile_id='7'", `compile_id='7' compile_kind='${text}'`);
		const gone = (text: string, stamp: string) => `<make_not_entrant thread='1' compile_id='7' compile_kind='${text}' stamp='${stamp}' reason='${text}'/>`;
		const { compilations } = only([kind('osr'), kind('c2n'), INSTALLED, gone('osr', '0.3'), gone('c2n', '0.4')].join('\n'));
		expect(compilations.map(({ compileId, notEntrant }) => [compileId, notEntrant?.reason ?? null])).toEqual([
			['7%', 'osr'],
			['7', 'c2n'],
			['7', null],
		]);
	});

	test('a task behind other output, or behind an element that it cut, is where it stands', () => {
		const inside = "\n<bc code='1' bci='0'/>\n</task>";
		for (const before of ['printed: ', "<nmethod compile_id='7' comp", "  \t<task compile_id='6' meth"]) {
			const text = `\n${before}${TASK}${inside}\n`;
			const { compilations } = only(text);
			expect(compilations.map(({ record }) => text.slice(record?.start, record?.end))).toEqual([`${TASK}${inside}`]);
		}
	});

	test('the end of a task is its whole element, and what ends or is told outside of a task changes nothing', () => {
		const isCut = (end: string) => only(`${TASK}\n${end}`).compilations[0]?.isCut;
		expect(['</task>', '</task', '</tas', '</task_', 'x'].map(isCut)).toEqual([false, true, true, true, true]);
		const cache = "<code_cache total_blobs='30' nmethods='20' free_code_cache='1000'/>";
		const outside = only([QUEUED, DONE, '</task>', "<failure reason='x' phase='y'/>", cache, '</compilation_log>', ']]>'].join('\n'));
		expect(outside).toMatchObject({ codeCache: [], compilations: [{ doneMs: null, failure: null, record: null }] });
	});

	test('a log that begins is another JVM, unless files of its threads came before', () => {
		const log = (process: number) => `<hotspot_log version='160 1' process='${process}' time_ms='5'>\n`;
		const thread = (process: number) => `<start_compile_thread name='C1 CompilerThread0' thread='5' process='${process}' stamp='0.1'/>\n`;
		const told = (...texts: readonly string[]) =>
			scan(...texts).histories.map(({ processId, threads, compilations }) => [processId, threads.length, compilations.length]);
		expect(told(`${log(1)}${thread(1)}${log(2)}${QUEUED}`)).toEqual([[2, 0, 1]]);
		expect(told(`${thread(4)}${TASK}\n</task>\n`, `${log(5)}${QUEUED}`)).toEqual([
			[4, 1, 1],
			[5, 0, 1],
		]);
		expect(told(`${thread(4)}${TASK}\n</task>\n`, `${log(4)}${QUEUED}`)).toEqual([[4, 1, 1]]);
		// A second start of the same process is none of the first.
		expect(told(`${log(4)}${QUEUED}\n`, `${log(4)}${QUEUED}`)).toEqual([
			[4, 0, 1],
			[4, 0, 1],
		]);
		const other = `${QUEUED}\n<thread_file filename='/tmp/x'/>\n`;
		expect(scan(other).problems).toEqual([]);
	});

	test('an id that is compiled twice is two compilations, each with its record', () => {
		const { compilations } = only([TASK, '</task>', TASK, DONE, '</task>'].join('\n'));
		expect(compilations.map(({ compileId, record, doneMs }) => [compileId, record?.start, doneMs])).toEqual([
			['7', 0, null],
			['7', TASK.length + '</task>'.length + 2, 300],
		]);
	});

	test('a deoptimization of an unknown compilation is counted; an empty element has no place', () => {
		const left = (id: number) => `<deoptimized thread='5' reason='other' compile_id='${id}' stamp='1.5'/>`;
		const { histories, problems } = scan([INSTALLED, left(7), "<jvms bci='3' method='x.Y z ()V'/>", left(99)].join('\n'));
		expect(histories[0]?.compilations[0]?.deoptimizations).toMatchObject([{ kind: 'invalidated', method: null, bci: null, ms: 1500 }]);
		expect(problems.map(({ message }) => message)).toEqual(['1 elements tell of a compilation that the log does not have']);
	});

	test('short lines and lines of blanks are none of the log', () => {
		const { histories, problems } = scan(['', '    ', '<', '<a>', '<x/>', '>', ' <>', `   ${QUEUED}`, '<!-->'].join('\n'));
		expect([histories[0]?.compilations.length, problems]).toEqual([1, []]);
	});

	test('the record is read where it stands', () => {
		const [one] = only(
			`${QUEUED}\n${TASK}\n<method id='1' name='f'/>\n<parse method='1' stamp='0.1'>\n<bc code='1' bci='3'/>\n<call method='1'/>\n<inline_fail reason='x'/>\n</parse>\n</task>\n`,
		).compilations;
		const reader = new RecordReader();
		expect(one === undefined ? [] : reader.readDecisions(one).map(({ bcis, reason }) => [bcis, reason])).toEqual([[[3], 'x']]);
		expect(one === undefined ? [] : reader.readDecisions({ ...one, record: null })).toEqual([]);
	});
});

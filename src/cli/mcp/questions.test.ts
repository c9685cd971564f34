/**
 * Fifty questions with known answers, answered from what the tools give alone. The answers are those of the goldens, of the text of the recordings themselves and
 * of what is known of the programs; an answer that was cut away is no answer.
 */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { beforeAll, expect, test } from 'vitest';
import { ask, connectClient, type McpAnswer } from '../../../test/mcp-client.js';

const WORDS = { recording: ['joined/jdk25-c2'] };
const HOT = { recording: ['hot'] };
const MIX = { recording: ['jvm/inlining/jdk25/logcompilation.xml.gz'] };
const STALL = { recording: ['jvm/safepoint/ttsp-sampled/jdk25-stall'] };
const TOWER = { recording: ['memory'] };
const AB = { a: 'a', b: 'b' };
const SQLITE = { nm: ['order/sqlite.nm.gz'], trace: ['order/startup.gz'], order: ['order/first-executed.order'] };

type Given = Readonly<Record<string, unknown>>;

/** The question, the tool that is asked, where the answer stands (`list[name=x]` is the item with that name), and what is known. Numbers are known to some digits. */
const QUESTIONS: readonly [string, string, Given, string, unknown][] = [
	['which JDK ran examples/hot?', 'recordings', {}, 'recordings[recording=hot].jdk', '25.0.3'],
	['what was its command?', 'recordings', {}, 'recordings[recording=hot].command[3]', 'HotLoop'],
	['can its samples be joined with code?', 'doctor', HOT, 'recording.joins[name=address].works', true],
	['what share of its samples lies in logged code?', 'doctor', HOT, 'recording.joins[name=address].why', /1918 of 2128 samples \(90\.1 %\)/],
	['which flag would show its safepoints?', 'doctor', HOT, 'missing[0].remedy', /^-Xlog:safepoint\*=info:file=/],
	['how many samples does the run of Words have?', 'report', WORDS, 'samples.counted', 5354],
	['what is its hottest compilation?', 'report', WORDS, 'compilations[0].method', 'Words.checksum'],
	['how hot is it?', 'report', WORDS, 'compilations[0].percent', '19.3'],
	['how sure is that?', 'report', WORDS, 'compilations[0].halfInterval', '1.1'],
	['how much memory did its compilation take, in KiB?', 'report', { ...WORDS, field: 'compilations[0].memoryBytes' }, '', 589.1 * 1024],
	['how many of its calls were inlined?', 'report', WORDS, 'compilations[0].inlinedCalls', 8],
	['what share of the time was Java?', 'report', WORDS, 'threadTime.classes[class=java].percent', '78.4'],
	['and C2?', 'report', WORDS, 'threadTime.classes[class=c2].percent', '12.4'],
	[
		'which call of Words.count was refused?',
		'report',
		WORDS,
		'findings[0].text',
		/did not inline java\.util\.HashMap\.merge at bci 62 \(line 13\): hot method too big/,
	],
	['which flag decides that?', 'report', WORDS, 'findings[0].text', /FreqInlineSize 325/],
	['is code of a method left again and again?', 'compilations', WORDS, 'summary.deoptimizations[reason=class_check].count', 27],
	['which command tells where HashMap.merge is refused?', 'report', WORDS, 'findings[0].command', /^assay report \S+ c219 && assay hot /],
	['which compilation took the most memory of the compiler?', 'report', WORDS, 'findings[kind=memory].text', /^c346 java\.util\.TimSort\.sort took 5\.94M/],
	['what does HotLoop wait for?', 'report', HOT, 'findings[kind=slow-instructions].text', /54\.0 % .* a division, idiv/],
	['in which line?', 'report', HOT, 'findings[kind=slow-instructions].place.line', 31],
	['how hot would a profiler at safepoints call c18?', 'report', HOT, 'compilations[handle=c18].predictedBiasedPercent', '94.3'],
	['how many samples does the hottest region of HotLoop have?', 'hot', HOT, 'regions[0].samples', 1799],
	['is that region a loop without a poll?', 'hot', HOT, 'regions[0].loop.hasPoll', false],
	['from which share on is it, with 95 %?', 'hot', HOT, 'regions[0].low', '83.0'],
	['which samples belong to no compilation, as they are of the kernel?', 'hot', HOT, 'samples.byReason.kernel', 48],
	[
		'behind which instruction of c18 do the most samples lie?',
		'hot_code',
		{ ...HOT, handles: ['c18'] },
		'regions[0].lines[text=mov %eax,0x4(%rsp)].samples',
		233,
	],
	['and which one is waited for?', 'hot_code', { ...HOT, handles: ['c18'] }, 'regions[0].lines[text=idiv %esi].line', 31],
	['how many call sites does c219 have that are inlined?', 'decisions', { ...WORDS, handles: ['c219'] }, 'decisions.compilations[0].calls.inlined', 28],
	['why was HashMap.merge thrown away?', 'compilations', { ...WORDS, handles: ['c355'] }, 'compilations[0].deoptimizations[0].reason', 'unstable_if'],
	['at which bytecode?', 'compilations', { ...WORDS, handles: ['c355'] }, 'compilations[0].deoptimizations[0].bci', 270],
	['when, in milliseconds?', 'compilations', { ...WORDS, handles: ['c355'] }, 'compilations[0].notEntrantMs', 7300],
	['how many compilations did Mix have?', 'compilations', MIX, 'summary.compilations', 677],
	['how many for on-stack replacement?', 'compilations', MIX, 'summary.osr', 28],
	['how many by C2?', 'compilations', { ...MIX, field: 'summary.levels' }, '[level=4].compilations', 155],
	['how long did a compilation wait for C1 at most, in milliseconds?', 'compilations', MIX, 'summary.queues[compiler=c1].longestWaitMs', 84],
	['which method cost the most time to compile?', 'compilations', MIX, 'methods[0].method', 'app.Mix.main'],
	['how much, in milliseconds?', 'compilations', MIX, 'methods[0].compileMs', 358],
	[
		'why was String.hashCode not inlining StringUTF16.hashCode?',
		'call_sites',
		{ ...MIX, handles: ['c3'] },
		'compilations[0].callSites[callee=java.lang.StringUTF16.hashCode].reason',
		'not inlineable',
	],
	[
		'what does "callee is too large" mean, whose flag decides?',
		'call_sites',
		{ ...MIX, handles: ['c3'] },
		'reasons[reason=callee is too large].flags[0]',
		/^MaxInlineSize|^C1MaxInlineSize/,
	],
	[
		'who may be called at HotLoop.areas?',
		'table',
		{ ...HOT, table: 'inlining' },
		'tables.inlining[compileId=23].receivers',
		/HotLoop\$Square .*, HotLoop\$Strip/,
	],
	['how many decisions differ between examples a and b in their own right?', 'diff', AB, 'summary.inTheirOwnRight', 272],
	['which method changed most?', 'diff', AB, 'changes[0].method', 'Escape.mandel'],
	['how many runs a side would tell noise from change?', 'diff', AB, 'summary.runsNeeded', 3],
	['which compilation of InlineTower took the most memory?', 'memory', TOWER, 'compilations[0].handle', 'c13'],
	['how much, in MiB?', 'memory', { ...TOWER, handles: ['c13'] }, 'compilations[0].totalBytes', 7.65 * 1024 * 1024],
	['how far is a biased profile of HotLoop from the truth?', 'bias', HOT, 'distances[a=unbiased].totalVariation', '0.029'],
	['who delayed the safepoints?', 'safepoints', STALL, 'causes[0].method', 'Stall.kernel'],
	['for how long, in seconds?', 'safepoints', { ...STALL, field: 'causes[0].reachingNs' }, '', 3.98e9],
	['what should be done?', 'safepoints', STALL, 'causes[0].remedy', /-XX:\+UseCountedLoopSafepoints/],
	['how many pages does a start of sqlite touch as it is linked?', 'order_simulate', SQLITE, 'layouts[0].execPages', 117],
];

let client: Client;
let examples: Client;
const kept = new Map<string, Promise<McpAnswer>>();

beforeAll(async () => {
	client = await connectClient(['examples', 'fixtures']);
	examples = await connectClient(['examples']);
});

test('there are fifty', () => {
	expect(QUESTIONS).toHaveLength(50);
});

test.each(QUESTIONS)('%s', async (_, tool, given, place, known) => {
	const key = JSON.stringify([tool, given]);
	const answer = kept.get(key) ?? ask(tool === 'recordings' ? examples : client, tool, given);
	kept.set(key, answer);
	const { bytes, isError, answer: structured, text } = await answer;
	expect(isError).toBe(false);
	expect(bytes).toBeLessThanOrEqual(20_000);
	expect(JSON.parse(text)).toEqual(structured);
	const value = valueAt(structured.result, place);
	if (known instanceof RegExp) {
		expect(value).toMatch(known);
	} else if (typeof known === 'string' && typeof value === 'number') {
		expect(value.toFixed(known.split('.')[1]?.length ?? 0)).toBe(known);
	} else if (typeof known === 'number' && typeof value === 'number' && !Number.isSafeInteger(known)) {
		expect(Math.abs(value - known) / known).toBeLessThan(0.001);
	} else if (known === 3.98e9) {
		expect(value).toBe(3_977_267_456);
	} else {
		expect(value).toBe(known);
	}
});

/** `compilations[handle=c18].percent`, `list[0]`. */
function valueAt(value: unknown, place: string): unknown {
	let found = value;
	for (const [, name, inside] of place.matchAll(/\.?([^.[\]]+)|\[((?:[^\]])+)\]/g)) {
		const [key = '', wanted] = (inside ?? '').split(/=(.*)/s);
		found =
			name !== undefined
				? (found as Record<string, unknown>)[name]
				: wanted === undefined
					? (found as unknown[])[Number(key)]
					: (found as Record<string, unknown>[]).find((item) => String(item[key]) === wanted);
	}
	return found;
}

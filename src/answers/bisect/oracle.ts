/** What a bisection asks of each run: a fact that a recording tells, never a time. */
import { nameMatches } from '../../model/name-pattern.js';
import { InputError } from '../../model/problem.js';
import type { Evidence } from '../../recording/evidence.js';
import { answerCompilations, NO_FILTER } from '../compilations.js';
import { answerTables } from '../export.js';
import { answerHot } from '../hot.js';
import { answerMemory, memoryOf } from '../memory.js';
import { DEFAULT_REPORT_REQUEST, hotOfReport, openReport } from '../report.js';
import { collected } from '../streamed.js';
import type { Observation } from './judge.js';

export type Oracle =
	| { readonly kind: 'inlined' | 'not-inlined'; readonly callee: string; readonly caller: string | null }
	| { readonly kind: 'finding'; readonly finding: string; readonly method: string | null }
	| { readonly kind: 'share'; readonly method: string; readonly percent: number }
	| { readonly kind: 'storm'; readonly method: string | null }
	| { readonly kind: 'memory'; readonly method: string | null; readonly bytes: number }
	| { readonly kind: 'pages'; readonly pages: number };

/** What is taken, for help. */
export const ORACLE_FORMS =
	'inlined:CALLEE[@CALLER], not-inlined:CALLEE[@CALLER], finding:KIND[@METHOD], share:METHOD>PERCENT, storm[:METHOD], memory[:METHOD]>SIZE or pages>N';

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };

/** null: it is none. */
export function parseOracle(text: string): Oracle | null {
	const end = text.search(/[:>]/);
	const kind = end < 0 ? text : text.slice(0, end);
	// `memory>64M` and `memory:>64M` are the same.
	const rest = end < 0 ? '' : text.slice(text[end] === ':' ? end + 1 : end);
	const [name = '', method = null] = rest.split('@');
	const [subject = '', limit = ''] = rest.split('>');
	const amount = /^\d{1,12}(?:\.\d{1,6})?$/.test(limit) ? Number(limit) : Number.NaN;
	switch (kind) {
		case 'inlined':
		case 'not-inlined':
			return name === '' ? null : { kind, callee: name, caller: method };
		case 'finding':
			return name === '' ? null : { kind, finding: name, method };
		case 'share':
			return subject === '' || !(amount >= 0 && amount <= 100) ? null : { kind, method: subject, percent: amount };
		case 'storm':
			return { kind, method: rest === '' ? null : rest };
		case 'memory': {
			const [, digits = '', unit = ''] = /^(\d{1,12})([KMG]?)$/i.exec(limit) ?? [];
			return digits === '' ? null : { kind, method: subject === '' ? null : subject, bytes: Number(digits) * UNITS[unit.toUpperCase()]! };
		}
		case 'pages':
			return subject !== '' || !Number.isSafeInteger(amount) ? null : { kind, pages: amount };
		default:
			return null;
	}
}

/** What assay record has to be told so that a recording can answer. */
export function recordOptionsFor(oracle: Oracle): readonly string[] {
	return oracle.kind === 'memory' ? ['--memory'] : [];
}

/** Asks a recording; evidence that is missing is no answer. */
export async function observe(oracle: Exclude<Oracle, { kind: 'pages' }>, evidence: Evidence): Promise<Observation> {
	try {
		switch (oracle.kind) {
			case 'inlined':
			case 'not-inlined':
				return await observeInlining(oracle, evidence);
			case 'finding':
				return await observeFinding(oracle, evidence);
			case 'share':
				return await observeShare(oracle, evidence);
			case 'storm':
				return await observeStorm(oracle.method, evidence);
			case 'memory':
				return await observeMemory(oracle, evidence);
		}
	} catch (error) {
		if (error instanceof InputError) {
			return { holds: null, seen: `${error.problem.message}; ${error.problem.action}` };
		}
		throw error;
	}
}

interface InliningRow {
	readonly compileId: string;
	readonly method: string;
	readonly level: number | null;
	readonly callee: string | null;
	readonly inlined: boolean;
	readonly reason: string;
}

/** The call in the last version of each method that the top tier compiled: all have to say the same. */
async function observeInlining({ kind, callee, caller }: Oracle & { readonly kind: 'inlined' | 'not-inlined' }, evidence: Evidence): Promise<Observation> {
	const { tables } = collected((await answerTables(evidence, { name: evidence.name, samples: hotOfReport(null) }, ['inlining'])).result());
	const rows = ((tables as { readonly inlining?: readonly unknown[] }).inlining ?? []) as readonly InliningRow[];
	const calls = rows.filter(
		(row) => (row.level === null || row.level === 4) && nameMatches(callee, row.callee ?? '') && (caller === null || nameMatches(caller, row.method)),
	);
	const last = new Map<string, string>();
	for (const { method, compileId } of calls) {
		last.set(method, compileId);
	}
	const final = calls.filter(({ method, compileId }) => last.get(method) === compileId);
	const inlined = final.filter((row) => row.inlined);
	const [refused] = final.filter((row) => !row.inlined);
	if (final.length === 0) {
		return { holds: null, seen: `no call of ${callee}${caller === null ? '' : ` in ${caller}`} in the code of the top tier` };
	}
	const where = `${final.length} ${final.length === 1 ? 'call' : 'calls'} in c${final[0]!.compileId} ${final[0]!.method}`;
	if (inlined.length > 0 && refused !== undefined) {
		return { holds: null, seen: `${inlined.length} of ${where} inlined, not all: ${refused.reason}` };
	}
	return { holds: (refused === undefined) === (kind === 'inlined'), seen: `${where}: ${refused === undefined ? 'inlined' : `not inlined, ${refused.reason}`}` };
}

async function observeFinding({ finding, method }: Oracle & { readonly kind: 'finding' }, evidence: Evidence): Promise<Observation> {
	const { findings } = await openReport(evidence, { ...DEFAULT_REPORT_REQUEST, withOrders: false });
	const found = findings.find((one) => one.kind === finding && (method === null || nameMatches(method, one.place?.method ?? '') || one.text.includes(method)));
	return found === undefined ? { holds: false, seen: `no finding ${finding}` } : { holds: true, seen: found.text };
}

/** Clear when the whole 95 % interval is on one side of the limit. */
async function observeShare({ method, percent }: Oracle & { readonly kind: 'share' }, evidence: Evidence): Promise<Observation> {
	const answer = await answerHot(evidence, { ...hotOfReport(null), by: null, handles: null, withCode: false, withEachSample: false });
	const rows = collected(answer.result()).methods ?? [];
	const row = rows.find((one) => one.method === method || one.method.endsWith(`.${method}`)) ?? rows.find((one) => nameMatches(method, one.method));
	if (row === undefined) {
		return { holds: false, seen: `no sample in ${method}` };
	}
	const seen = `${row.method} ${row.percent.toFixed(1)} % (${row.low.toFixed(1)} to ${row.high.toFixed(1)})`;
	return { holds: row.low > percent ? true : row.high < percent ? false : null, seen };
}

async function observeStorm(method: string | null, evidence: Evidence): Promise<Observation> {
	const { summary } = await answerCompilations(evidence, { ...NO_FILTER, handles: null, order: null, withReasons: false });
	const storm = summary.storms.find((one) => method === null || nameMatches(method, one.method));
	return storm === undefined ? { holds: false, seen: 'no storm' } : { holds: true, seen: `${storm.method}: ${storm.count} deoptimizations, ${storm.reason}` };
}

async function observeMemory({ method, bytes }: Oracle & { readonly kind: 'memory' }, evidence: Evidence): Promise<Observation> {
	const { compilations } = answerMemory(await memoryOf(evidence, { limit: null }, 'all'), { handles: null, budgetBytes: null });
	const meant = compilations.filter((one) => method === null || nameMatches(method, one.method));
	const [largest] = meant.toSorted((a, b) => b.totalBytes - a.totalBytes);
	if (largest === undefined) {
		return { holds: null, seen: `no compilation${method === null ? '' : ` of ${method}`} tells its memory` };
	}
	return { holds: largest.totalBytes > bytes, seen: `${largest.handle} ${largest.method}: ${(largest.totalBytes / 2 ** 20).toFixed(2)} MiB` };
}

/** Compilations, what was decided in them, and how they were given up: rows of the tables `compilations`, `sites`, `decisions` and `deoptimizations`. */
import type { RecordingReport } from '../../answers/joined-report.js';
import type { LoggedCompilation } from '../../model/compilation.js';
import { withoutHiddenAddress } from '../../model/hidden-class.js';
import { callsiteKind, type InliningNode } from '../../model/inlining-tree.js';
import { type CallDecision, type CountedReceiver, plainId } from '../../model/jit-compilation.js';
import { splitMethodName } from '../../model/method-name.js';
import { InputError, type Problem } from '../../model/problem.js';
import { knownIdOf } from '../ids.js';
import type { Facts } from './rows.js';

/** The id of a method: the same in every table, and for every spelling that has holder, name and descriptor. */
export function methodId(name: string, signature: string | null): bigint {
	return knownIdOf('method', withoutHiddenAddress(name), signature);
}

/** A compiled method, as decisions name it. */
interface Root {
	readonly method: bigint;
	/** Without the address of a hidden class. */
	readonly name: string;
	readonly signature: string | null;
	readonly compilation: string;
	readonly level: number | null;
	readonly samples: number | null;
	readonly pass: string;
}

export function addCompilations(facts: Facts, report: RecordingReport, problems: Problem[]): void {
	const wasSampled = report.heat !== null || report.profile !== null;
	const samplesOf = new Map<string, number>();
	for (const row of report.compilations) {
		samplesOf.set(row.compileId, row.samples);
		facts.add('compilations', {
			compilation: row.compileId,
			method: methodId(row.method, row.signature),
			name: withoutHiddenAddress(row.method),
			signature: row.signature,
			kind: row.kind,
			compiler: row.compiler,
			level: row.level,
			osr_bci: row.osrBci,
			samples: wasSampled ? row.samples : null,
			queued_ms: row.queuedMs,
			started_ms: row.startedMs,
			done_ms: row.doneMs,
			installed_ms: row.installedMs,
			not_entrant_ms: row.notEntrantMs,
			not_entrant_reason: row.notEntrantReason,
			failure: row.failure,
			code_bytes: row.codeBytes,
			memory_bytes: row.memoryBytes,
			deoptimizations: row.deoptimizations,
		});
	}
	const sites = new Set<bigint>();
	addLogged(facts, report, sites, (compileId) => (wasSampled ? (samplesOf.get(compileId) ?? 0) : null));
	for (const unit of report.units) {
		addUnit(facts, unit, sites, wasSampled ? (samplesOf.get(unit.compileId) ?? 0) : null, problems);
	}
}

function addLogged(facts: Facts, { log, units }: RecordingReport, sites: Set<bigint>, samplesOf: (compileId: string) => number | null): void {
	// Their trees tell more.
	const isUnit = new Set(units.map(({ compileId }) => compileId));
	for (const compilation of log?.history.compilations ?? []) {
		const { compileId, method: name, signature, level, compiler, deoptimizations } = compilation;
		const root: Root = {
			method: methodId(name, signature),
			name: withoutHiddenAddress(name),
			signature,
			level,
			compilation: compileId,
			samples: samplesOf(compileId),
			pass: compiler ?? 'unknown',
		};
		const holders = new Map<string, string | null>([['', name]]);
		for (const decision of compiler === 'jvmci' && isUnit.has(plainId(compileId)) ? [] : (log?.readDecisions(compilation) ?? [])) {
			const { bcis, callee, receivers } = decision;
			const caller = decision.caller ?? holders.get(bcis.slice(0, -1).join(' ')) ?? null;
			if (decision.inlined) {
				holders.set(bcis.join(' '), callee);
			}
			addDecision(facts, sites, root, {
				bcis: bcis.join(' '),
				caller,
				callee,
				kind: decision.intrinsic ? 'intrinsic' : receivers.length > 0 ? 'virtual call' : 'call',
				verdict: verdictOf(decision),
				reason: decision.reason,
				receivers: receiversText(receivers),
			});
		}
		for (const { kind, reason, action, method, bci, ms } of deoptimizations) {
			facts.add('deoptimizations', {
				compilation: compileId,
				method: root.method,
				name: root.name,
				level,
				kind,
				reason,
				action,
				place: method === null ? null : withoutHiddenAddress(method),
				bci,
				at_ms: ms,
			});
		}
	}
}

function verdictOf({ inlined, intrinsic }: CallDecision): string {
	return intrinsic ? 'intrinsic' : inlined ? 'inlined' : 'refused';
}

/** Shares, not counts: these differ between any two runs. */
function receiversText(receivers: readonly CountedReceiver[]): string | null {
	return receivers.length === 0
		? null
		: receivers.map(({ typeName, probability }) => `${withoutHiddenAddress(typeName)} ${Math.round(100 * probability)}%`).join(', ');
}

interface SiteDecision {
	readonly bcis: string;
	readonly caller: string | null;
	readonly callee: string | null;
	readonly kind: string;
	readonly verdict: string;
	readonly reason: string;
	readonly receivers: string | null;
}

function addDecision(facts: Facts, sites: Set<bigint>, root: Root, { bcis, caller, callee, kind, verdict, reason, receivers }: SiteDecision): void {
	const { name, signature, method, compilation, pass, level, samples } = root;
	const called = callee === null ? null : withoutHiddenAddress(callee);
	const site = knownIdOf('site', name, signature, bcis, called);
	if (!sites.has(site)) {
		sites.add(site);
		facts.add('sites', { site, root: name, signature, bcis, caller: caller === null ? null : withoutHiddenAddress(caller), callee: called });
	}
	facts.add('decisions', { compilation, method, site, pass, level, samples, kind, verdict, reason: reason === '' ? null : reason, receivers });
}

/** Graal's log has trees: a node is a call, with all that was decided about it. */
function addUnit(facts: Facts, unit: LoggedCompilation, sites: Set<bigint>, samples: number | null, problems: Problem[]): void {
	let inlining: InliningNode;
	try {
		({ inlining } = unit.readTrees());
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		problems.push({ ...error.problem, severity: 'warning' });
		return;
	}
	const { method, signature } = splitMethodName(unit.methodName);
	const root: Root = {
		method: methodId(method, signature),
		name: withoutHiddenAddress(method),
		signature,
		compilation: unit.compileId,
		level: null,
		samples,
		pass: 'graal',
	};
	const open: { readonly node: InliningNode; readonly bcis: string; readonly holder: string | null }[] = [{ node: inlining, bcis: '', holder: null }];
	for (let top = open.pop(); top !== undefined; top = open.pop()) {
		const { node, bcis, holder } = top;
		if (holder !== null) {
			addDecision(facts, sites, root, {
				bcis,
				caller: holder,
				callee: node.methodName,
				kind: node.receiverTypes === null ? 'call' : 'virtual call',
				verdict: callsiteKind(node, false),
				reason: node.reasons.at(-1) ?? '',
				receivers: receiversText((node.receiverTypes?.types ?? []).map((type) => ({ ...type, count: 0 }))),
			});
		}
		for (const child of node.children) {
			open.push({ node: child, bcis: bcis === '' ? String(child.bci) : `${bcis} ${child.bci}`, holder: node.methodName ?? '' });
		}
	}
}

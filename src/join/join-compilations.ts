/** Every compilation of a run, with what each kind of evidence says of it: joined by compile id, and checked by method. */

import type { LoggedCompilation } from '../model/compilation.js';
import type { EvidenceKind } from '../model/evidence.js';
import { withoutHiddenAddress } from '../model/hidden-class.js';
import { callsiteKind, type InliningNode } from '../model/inlining-tree.js';
import { parametersOfSignature } from '../model/java-descriptor.js';
import { type CallDecision, type JitCompilation, plainId } from '../model/jit-compilation.js';
import type { CallCounts, JoinedCompilation, RefusedCall } from '../model/joined-recording.js';
import { splitMethodName } from '../model/method-name.js';
import { MOST_UNKNOWN_PERCENT } from '../model/prediction-coverage.js';
import { InputError, type Problem } from '../model/problem.js';
import { wilsonInterval } from '../statistics/shares.js';
import type { CallCounter, JoinInput, RefusedCalls } from './joined-run.js';

export interface JoinedCompilations {
	readonly compilations: readonly JoinedCompilation[];
	readonly calls: CallCounter;
	readonly refused: RefusedCalls;
	readonly problems: readonly Problem[];
}

interface CodeHeat {
	readonly heat: ReadonlyMap<string, number>;
	readonly overloads: ReadonlyMap<string, ReadonlySet<string>>;
}

type Row = { -readonly [K in keyof JoinedCompilation]: JoinedCompilation[K] };

export function joinCompilations(input: JoinInput): JoinedCompilations {
	return new Joiner(input).run();
}

/** The top tier is of C2, or of Graal. */
const LEVELS_OF_C1: ReadonlySet<number | null> = new Set([1, 2, 3]);

class Joiner {
	private readonly input: JoinInput;
	private readonly rows = new Map<string, Row>();
	private readonly kinds = new Map<Row, Set<EvidenceKind>>();
	private readonly logged = new Map<JoinedCompilation, JitCompilation>();
	private readonly units = new Map<JoinedCompilation, LoggedCompilation>();
	private readonly problems: Problem[] = [];
	private heat: CodeHeat | null = null;

	constructor(input: JoinInput) {
		this.input = input;
	}

	run(): JoinedCompilations {
		for (const compilation of this.input.log?.history.compilations ?? []) {
			this.logged.set(this.fromLog(compilation), compilation);
		}
		this.addPrinted();
		this.addCode();
		this.addHeat();
		this.addUnits();
		this.addProfile();
		this.addMemory();
		this.addBias();
		this.addDeoptimizations();
		const compilations = [...this.rows.values()];
		for (const row of compilations) {
			row.evidence = [...(this.kinds.get(row) ?? [])];
		}
		return {
			compilations: compilations
				.map((row, i) => ({ row, i }))
				.sort((a, b) => b.row.percent - a.row.percent || a.i - b.i)
				.map(({ row }) => row),
			calls: (compilation) => this.calls(compilation),
			refused: (compilation) => this.refused(compilation),
			problems: this.problems,
		};
	}

	private tell(row: Row, kind: EvidenceKind): void {
		this.kinds.get(row)?.add(kind);
	}

	/** The row of a compile id, made where there is none. */
	private row(compileId: string, method: string, kind: EvidenceKind, handle = `c${compileId}`): Row {
		const key = handle.includes('@') ? handle : plainId(compileId);
		let row = this.rows.get(key);
		if (row === undefined) {
			row = {
				handle,
				compileId,
				kind: compileId.endsWith('%') ? 'osr' : 'standard',
				method,
				signature: null,
				compiler: null,
				level: null,
				osrBci: null,
				samples: 0,
				percent: 0,
				halfInterval: null,
				codeBytes: 0,
				memoryBytes: null,
				predictedBiasedPercent: null,
				loopsWithoutPoll: null,
				queuedMs: null,
				startedMs: null,
				doneMs: null,
				installedMs: null,
				notEntrantMs: null,
				notEntrantReason: null,
				failure: null,
				deoptimizations: 0,
				evidence: [],
			};
			this.rows.set(key, row);
			this.kinds.set(row, new Set());
		}
		this.tell(row, kind);
		return row;
	}

	private fromLog(compilation: JitCompilation): Row {
		const row = this.row(compilation.compileId, compilation.method, this.input.log?.origin ?? 'logCompilation');
		const { kind, signature, namesake, compiler, level, osrBci, queuedMs, startedMs, doneMs, installedMs, notEntrant, failure, deoptimizations } = compilation;
		Object.assign(row, { kind, signature, compiler, level, osrBci, queuedMs, startedMs, doneMs, installedMs, ...(namesake === undefined ? {} : { namesake }) });
		row.codeBytes = compilation.sizeBytes ?? 0;
		row.notEntrantMs = notEntrant?.ms ?? null;
		row.notEntrantReason = notEntrant?.reason ?? null;
		row.failure = failure?.reason ?? null;
		row.deoptimizations = deoptimizations.length;
		return row;
	}

	/** Flight Recorder tells only of what was compiled while it watched. */
	private hasWholeLog(): boolean {
		return this.input.log !== null && this.input.log.origin !== 'flightRecorder' && this.input.log.origin !== 'remarks';
	}

	/** Only where no log tells more. */
	private addPrinted(): void {
		for (const line of this.input.printed) {
			const known = this.rows.get(plainId(line.compileId));
			if (this.hasWholeLog()) {
				if (known !== undefined && known.method === line.method) {
					this.tell(known, 'printCompilation');
				}
				continue;
			}
			const row = this.row(line.compileId, line.method, 'printCompilation');
			row.signature ??= line.signature;
			row.level ??= line.level ?? (line.isNative ? 0 : null);
			row.osrBci ??= line.osrBci;
			row.kind = line.isNative ? 'native wrapper' : line.isOsr ? 'osr' : 'standard';
			row.compiler ??= LEVELS_OF_C1.has(row.level) ? 'c1' : null;
			if (line.event === 'compiled') {
				row.startedMs ??= line.isNative ? null : line.timeMs;
				row.installedMs ??= line.isNative ? line.timeMs : null;
			} else if (line.event === 'made not entrant') {
				row.notEntrantMs ??= line.timeMs;
				row.notEntrantReason ??= line.reason;
			} else if (line.event === 'skipped') {
				row.failure ??= line.reason;
			}
		}
	}

	private addCode(): void {
		for (const code of this.input.code) {
			if (code.compileId === null || (code.kind !== 'compilation' && code.kind !== 'native wrapper')) {
				continue;
			}
			const isPrinted = (code.textRanges?.length ?? 0) > 0;
			const known = this.rows.get(plainId(code.compileId));
			if (known === undefined && this.hasWholeLog() && !isPrinted) {
				continue;
			}
			const row = known ?? this.row(code.compileId, code.name, 'bytesAt' in code ? 'jitdump' : 'symbol' in code ? 'executables' : 'assembly');
			if (isPrinted) {
				this.tell(row, 'assembly');
			}
			row.signature ??= code.signature;
			if (row.namesake === undefined && code.namesake !== undefined) {
				row.namesake = code.namesake;
			}
			row.compiler = (this.input.log?.origin === 'remarks' ? null : row.compiler) ?? code.compiler;
			row.level ??= code.level;
			row.osrBci ??= code.osrBci;
			row.kind = code.kind === 'native wrapper' ? 'native wrapper' : row.kind;
			row.codeBytes ||= code.end - code.start;
			row.installedMs ??= code.installedSeconds === null ? null : Math.round(code.installedSeconds * 1000);
			if (code.notEntrant !== null && row.notEntrantMs === null) {
				row.notEntrantMs = Math.round(code.notEntrant.seconds * 1000);
				row.notEntrantReason = code.notEntrant.reason;
			}
		}
	}

	private addHeat(): void {
		const { heat } = this.input;
		if (heat === null) {
			return;
		}
		const { counted } = heat.attribution;
		const kind = heat.lines === undefined ? 'samples' : 'stacks';
		for (const { code, samples } of heat.code) {
			if (code.compileId === null) {
				continue;
			}
			const row = this.row(code.compileId, code.name, kind);
			row.samples += samples;
			const share = wilsonInterval(row.samples, counted);
			row.percent = share.percent;
			row.halfInterval = (share.high - share.low) / 2;
		}
	}

	private addUnits(): void {
		for (const unit of this.input.units) {
			const { method, signature } = splitMethodName(unit.methodName);
			const known = this.rows.get(plainId(unit.compileId));
			if (known !== undefined && withoutHiddenAddress(known.method) !== withoutHiddenAddress(method) && this.input.log !== null) {
				this.problems.push({
					severity: 'warning',
					file: "Graal's log",
					message: `compilation ${unit.compileId} is ${method} there and ${known.method} in the JVM's log`,
					action: 'they are not joined: is the log of another run?',
				});
				continue;
			}
			const row = known ?? this.row(unit.compileId, method, 'graalLog');
			this.tell(row, 'graalLog');
			row.signature ??= signature;
			const isJit = /^\d+%?$/.test(unit.compileId);
			row.compiler ??= isJit ? 'jvmci' : 'graal';
			row.level ??= isJit ? 4 : null;
			this.units.set(row, unit);
		}
	}

	/** Where there are no samples: what a profile of Graal's tools summed. */
	private addProfile(): void {
		const { profile } = this.input;
		if (profile === null || profile.totalPeriod <= 0) {
			return;
		}
		const byName = profile.kind === 'AOT' ? new Map(profile.entries.map((entry) => [entry.name, entry.period])) : null;
		for (const [row, unit] of this.units) {
			const period = byName?.get(unit.fullName);
			if (period !== undefined) {
				this.takePeriod(row as Row, period, profile.totalPeriod);
			}
		}
		for (const entry of byName === null ? profile.entries : []) {
			if (entry.compileId === null) {
				continue;
			}
			const { method, signature } = splitMethodName(entry.name);
			const row = this.row(entry.compileId, method, 'proftoolProfile');
			row.signature ??= signature;
			row.level ??= entry.level;
			row.compiler ??= LEVELS_OF_C1.has(entry.level) ? 'c1' : null;
			row.kind = entry.level === 0 ? 'native wrapper' : row.kind;
			this.takePeriod(row, entry.period, profile.totalPeriod);
		}
	}

	private takePeriod(row: Row, period: number, total: number): void {
		this.tell(row, 'proftoolProfile');
		row.percent = (100 * period) / total;
	}

	private addMemory(): void {
		let foreign = 0;
		for (const one of this.input.memory) {
			const { compileId } = one;
			if (compileId === null) {
				continue;
			}
			const known = this.rows.get(plainId(compileId));
			const isKnown = known !== undefined && one.handle === `c${compileId}`;
			const fits =
				known !== undefined && withoutHiddenAddress(known.method) === withoutHiddenAddress(one.method) && (known.compiler ?? one.compiler) === one.compiler;
			if (known !== undefined && this.input.log !== null && !fits) {
				foreign++;
				continue;
			}
			if (known !== undefined && fits && known.memoryBytes !== null && this.input.log !== null) {
				// The same compilation again: an attempt that the compiler repeated.
				known.memoryBytes = Math.max(known.memoryBytes, one.totalBytes);
				continue;
			}
			const row = isKnown && fits ? known : this.row(compileId, one.method, 'compilerMemory', one.handle);
			this.tell(row, 'compilerMemory');
			row.memoryBytes ??= one.totalBytes;
			row.signature ??= one.signature;
			row.compiler ??= one.compiler;
			row.level ??= one.level;
			row.osrBci ??= one.osrBci;
			row.kind = row.osrBci !== null ? 'osr' : row.kind;
		}
		if (foreign > 0) {
			this.problems.push({
				severity: 'warning',
				file: 'statistics of compiler memory',
				message: `${foreign} are of compilations that the JVM's log knows by another method or compiler`,
				action: 'they are not joined: are they of another run?',
			});
		}
	}

	private addBias(): void {
		const { bias } = this.input;
		if (bias === null) {
			return;
		}
		const isPredicted = bias.unknownPercent <= MOST_UNKNOWN_PERCENT;
		const byMethod = new Map(isPredicted ? bias.methods.map(({ method, predictedPercent }) => [method, predictedPercent]) : []);
		for (const row of this.rows.values()) {
			row.predictedBiasedPercent = byMethod.get(row.method) ?? null;
		}
		const loops = new Map<string, number>();
		for (const { code, poll } of bias.loops) {
			const key = plainId(code.compileId ?? '');
			loops.set(key, (loops.get(key) ?? 0) + (poll === 'none' ? 1 : 0));
		}
		for (const [key, row] of this.rows) {
			row.loopsWithoutPoll = loops.get(key) ?? (row.samples > 0 && this.kinds.get(row)?.has('assembly') ? 0 : null);
		}
	}

	private addDeoptimizations(): void {
		for (const [compileId, count] of this.input.deoptimizations) {
			const row = this.rows.get(plainId(compileId));
			if (row !== undefined) {
				this.tell(row, 'deoptimizations');
				row.deoptimizations = Math.max(row.deoptimizations, count);
			}
		}
		for (const [compileId, count] of this.input.log?.otherDeoptimizations ?? []) {
			const row = this.rows.get(plainId(compileId));
			if (row !== undefined) {
				this.tell(row, 'flightRecorder');
				row.deoptimizations = Math.max(row.deoptimizations, count);
			}
		}
	}

	private refused(row: JoinedCompilation): RefusedCall[] {
		const unit = this.units.get(row);
		const compilation = this.logged.get(row);
		const calls = unit !== undefined ? refusedOfUnit(unit) : refusedOf(compilation === undefined ? [] : (this.input.log?.readDecisions(compilation) ?? []));
		const { heat, overloads } = this.heatByMethod();
		return calls
			.map(({ parameters, ...call }) => {
				const told = (target: string): string => {
					const name = withoutHiddenAddress(target);
					const known = overloads.get(name);
					if (parameters === null || known === undefined) {
						return name;
					}
					// What a receiver runs may be another method, which a bridge calls.
					return target === call.callee || (known.size > 1 && known.has(parameters)) ? `${name}${parameters}` : name;
				};
				const targets = [...new Set(call.targets.map(told))];
				return { ...call, targets, calleePercent: targets.reduce((sum, target) => sum + (heat.get(target) ?? 0), 0) };
			})
			.sort((a, b) => Number(isOfFewCalls(a)) - Number(isOfFewCalls(b)) || b.calleePercent - a.calleePercent || b.receivers.length - a.receivers.length);
	}

	/** Percent by name, and by name with parameter types; and of each name the parameter types of what was compiled. */
	private heatByMethod(): CodeHeat {
		if (this.heat === null) {
			const heat = new Map<string, number>();
			const overloads = new Map<string, Set<string>>();
			for (const { method, signature, percent } of this.rows.values()) {
				const name = withoutHiddenAddress(method);
				const parameters = parametersOfSignature(signature);
				if (parameters !== null) {
					overloads.set(name, (overloads.get(name) ?? new Set()).add(parameters));
				}
				if (percent > 0) {
					heat.set(name, (heat.get(name) ?? 0) + percent);
					if (parameters !== null) {
						heat.set(name + parameters, (heat.get(name + parameters) ?? 0) + percent);
					}
				}
			}
			this.heat = { heat, overloads };
		}
		return this.heat;
	}

	private calls(row: JoinedCompilation): CallCounts | null {
		const unit = this.units.get(row);
		if (unit !== undefined) {
			return callsOfUnit(unit);
		}
		const compilation = this.logged.get(row);
		const { log } = this.input;
		if (compilation === undefined || log === null || (compilation.startedMs === null && log.origin !== 'remarks') || compilation.kind === 'native wrapper') {
			return null;
		}
		if (log.countCalls !== undefined) {
			return log.countCalls(compilation);
		}
		const decisions = log.readDecisions(compilation);
		if (decisions.length === 0 && (compilation.compiler === 'jvmci' || (log.origin === 'flightRecorder' && log.read(compilation) === null))) {
			return null;
		}
		const inlined = decisions.filter((decision) => decision.inlined).length;
		return { inlined, notInlined: decisions.filter((decision) => !decision.inlined && !decision.intrinsic).length };
	}
}

/** Most frequent first. */
function receiversOf(types: readonly { readonly typeName: string; readonly probability: number }[]): RefusedCall['receivers'] {
	return types.map(({ typeName, probability }) => ({ name: typeName, share: probability })).sort((a, b) => b.share - a.share);
}

/** Of two receivers that the profile counted the compiler decides one after the other, in their order. */
function refusedOf(decisions: readonly CallDecision[]): StayingCall[] {
	const bySite = new Map<string, CallDecision[]>();
	for (const decision of decisions) {
		const site = `${decision.caller ?? ''}\0${decision.bcis.join()}`;
		const same = bySite.get(site);
		if (same === undefined) {
			bySite.set(site, [decision]);
		} else {
			same.push(decision);
		}
	}
	return [...bySite.values()].flatMap((same) => {
		// What was decided last of a callee holds: late inlining may fail.
		const last = new Map(same.map((decision) => [decision.callee, decision]));
		const callees = [...last.keys()];
		const isTaken = ({ inlined, intrinsic }: CallDecision): boolean => inlined || intrinsic;
		return same.flatMap((decision) => {
			const { bcis, callee, calleeParameters: parameters = null, caller = null, calleeBytes = null, place, reason, receivers } = decision;
			if (isTaken(decision)) {
				return [];
			}
			const isOther = (k: number): boolean => k < callees.length && callees[k] !== callee && isTaken(last.get(callees[k]!)!);
			const staying = receivers.filter((_, k) => !isOther(k));
			const taken = receivers.reduce((sum, { probability }, k) => sum + (isOther(k) ? probability : 0), 0);
			const name = callee?.slice(callee.lastIndexOf('.') + 1) ?? '';
			return [
				{
					bci: bcis.at(-1) ?? -1,
					bcis,
					callee,
					parameters,
					caller,
					calleeBytes,
					...(place === undefined ? {} : { place }),
					reason,
					receivers: receiversOf(staying),
					callShare: !callees.some((_, k) => isOther(k)) ? 1 : receivers.length === 0 ? null : Math.max(0, 1 - taken),
					targets: [...(callee === null ? [] : [callee]), ...staying.map(({ typeName }) => `${typeName}.${name}`)],
				},
			];
		});
	});
}

/** A call of which so few stayed is not what a compilation's time is about. */
const FEW_CALLS = 0.1;

export function isOfFewCalls({ callShare }: Pick<RefusedCall, 'callShare'>): boolean {
	return callShare !== null && callShare < FEW_CALLS;
}

/** As {@link RefusedCall}, before anything is known of the callee's time. */
type StayingCall = Omit<RefusedCall, 'calleePercent'> & { readonly parameters: string | null };

const NO_METHOD = { method: null, signature: null };

/** In every call that stayed: where, whom, why. */
function refusedOfUnit(unit: LoggedCompilation): StayingCall[] {
	const result: StayingCall[] = [];
	const work = readTrees(unit).map((node) => ({ node, bcis: [node.bci], caller: null as string | null }));
	for (let next = work.pop(); next !== undefined; next = work.pop()) {
		const { node, bcis, caller } = next;
		const kind = callsiteKind(node, false);
		if (kind === 'direct' || kind === 'indirect') {
			const types = node.receiverTypes?.types ?? [];
			const { method: callee, signature: parameters } = node.methodName === null ? NO_METHOD : splitMethodName(node.methodName);
			result.push({
				bci: node.bci,
				bcis,
				callee,
				parameters,
				caller,
				reason: node.reasons.at(-1) ?? '',
				receivers: receiversOf(types),
				callShare: 1,
				targets: [callee, ...types.map(({ methodName }) => (methodName === null ? null : splitMethodName(methodName).method))].filter((name) => name !== null),
			});
		}
		const inner = kind === 'inlined' && node.methodName !== null ? splitMethodName(node.methodName).method : caller;
		for (const child of node.children) {
			work.push({ node: child, bcis: kind === 'inlined' ? [...bcis, child.bci] : bcis, caller: inner });
		}
	}
	return result;
}

function readTrees(unit: LoggedCompilation): readonly InliningNode[] {
	try {
		return unit.readTrees().inlining.children;
	} catch (error) {
		if (error instanceof InputError) {
			return [];
		}
		throw error;
	}
}

/** null where the trees cannot be read. */
function callsOfUnit(unit: LoggedCompilation): CallCounts | null {
	try {
		let inlined = 0;
		let notInlined = 0;
		const work = [...unit.readTrees().inlining.children];
		for (let node = work.pop(); node !== undefined; node = work.pop()) {
			const kind = callsiteKind(node, false);
			inlined += kind === 'inlined' ? 1 : 0;
			notInlined += kind === 'direct' || kind === 'indirect' ? 1 : 0;
			for (const child of node.children) {
				work.push(child);
			}
		}
		return { inlined, notInlined };
	} catch (error) {
		if (error instanceof InputError) {
			return null;
		}
		throw error;
	}
}

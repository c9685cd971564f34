/** Takes the JSON of the commands that a recording has evidence for apart into the parts of the page. */
import { answerBias, type BiasAnswer } from '../answers/bias-prediction.js';
import { biasResult } from '../answers/bias-result.js';
import { type CompilationJson, compilationRow, compilationsOverview, recordObject } from '../answers/compilations-result.js';
import { hotSource, withoutSamples } from '../answers/hot.js';
import { codeRow, hotResult } from '../answers/hot-result.js';
import type { RecordingReport } from '../answers/joined-report.js';
import { mostExpensive } from '../answers/memory.js';
import { memoryOverview, memoryRow, memorySummaryRow } from '../answers/memory-result.js';
import { isOwnProfileName } from '../answers/observed-profiles.js';
import { simulateResult } from '../answers/order/simulate-result.js';
import { inliningRows, optimizationRows } from '../answers/profdiff-result.js';
import { biasOfReport, DEFAULT_REPORT_REQUEST, openReport } from '../answers/report.js';
import { reportResult } from '../answers/report-result.js';
import type { CompilationsResult, TimeToSafepointResult } from '../answers/results.js';
import { collected } from '../answers/streamed.js';
import { delaySummary, timeToSafepointResult } from '../answers/time-to-safepoint-result.js';
import { methodLives } from '../compilations/methods.js';
import { adviseOn } from '../footprint/advice.js';
import { annotateCode } from '../hot/annotated-code.js';
import type { CodeHeat, HotReport } from '../hot/hot-results.js';
import { inlinedStacks } from '../hot/inlined-stacks.js';
import { sampleClasses, sampleColumns } from '../hot/sample-columns.js';
import type { LoggedCompilation } from '../model/compilation.js';
import type { GeneratedCode } from '../model/generated-code.js';
import type { Frame } from '../model/instructions.js';
import type { JitCompilation } from '../model/jit-compilation.js';
import type { JoinedCompilation } from '../model/joined-recording.js';
import { InputError, type Problem } from '../model/problem.js';
import type { Progress } from '../model/progress.js';
import type { Evidence } from '../recording/evidence.js';
import type { JavaSources } from '../recording/java-sources.js';
import type { OpenedCompilation } from '../recording/merge-memory.js';
import type { LifeJson, PageDetail, PageInlined, PageSide, PageStackSource, PageStacks, PageStartup } from './data.js';
import { InlinedMethods } from './inlined.js';
import { type PartWriter, partGroups } from './parts.js';

export interface GatherLimits {
	/** Compilations that have details, those with most samples first. */
	readonly details: number;
	/** Instructions of all compilations together whose code is in the parts. */
	readonly instructions: number;
}

export interface GatheredSide {
	readonly side: PageSide;
	readonly hot: HotReport | null;
	/** Of a native program: as `assay order simulate --json` prints it; null: there is no trace with its program. */
	readonly startup: PageStartup | null;
	/** Everything of one compilation, its code too, whatever the limits; null: there is none. Read from the evidence, which has to be open. */
	detail(handle: string): Promise<PageDetail | null>;
}

/** Writes all parts of a recording but the main one, whose side is in the result. */
export async function gatherSide(
	evidence: Evidence,
	prefix: string,
	parts: PartWriter,
	limits: GatherLimits,
	sources: JavaSources | null,
	progress: Progress,
): Promise<GatheredSide> {
	const report = await openReport(evidence, { ...DEFAULT_REPORT_REQUEST, withStacks: true, onProgress: (what) => progress.report(what) });
	const details = new Details(report, sources);
	const { compilations } = report;
	let biasPart: string | null = null;
	const problems: Problem[] = [];
	if (report.bias !== null && report.recording !== null) {
		const { bias, recording, parts: known } = report;
		biasPart = `${prefix}bias`;
		const observed = await besideOthers(evidence, report);
		problems.push(...(observed?.problems ?? []).filter(({ file }) => report.profileFiles.some(({ name }) => name === file)));
		await parts.write(
			biasPart,
			collected(
				observed?.result() ??
					biasResult(bias.whole(), null, bias.whole().explain(null), { samplesFile: recording.samplesFile, logFile: recording.logFile }, [], {
						otherThreads: known.bias?.otherThreads ?? null,
						window: known.bias?.window ?? null,
					}),
			),
		);
	}
	progress.report('reading what the compilers did');
	const wanted = compilations.slice(0, limits.details);
	const { lives, inlined } = readCalls(report);
	const inlinedPart = inlined.methods.length === 0 ? null : `${prefix}inlined`;
	if (inlinedPart !== null) {
		await parts.write(inlinedPart, inlined);
	}
	const side: PageSide = {
		name: report.name,
		report: collected(reportResult(report)),
		compilations: compilationsOf(report, lives),
		hot: hotOf(report),
		memory: memoryOf(report),
		ttsp: delaysOf(report),
		biasPart,
		inlinedPart,
		stackSources: await writeStacks(report, `${prefix}stacks`, parts),
		details: await partGroups(details.all(wanted, limits.instructions, progress), `${prefix}d`, parts),
		omittedDetails: compilations.length - wanted.length,
		problems: distinct([...report.problems, ...problems]),
	};
	return {
		side,
		hot: report.hot,
		startup: startupOf(report),
		detail: async (handle) => {
			const row = compilations.find((one) => one.handle === handle);
			return row === undefined ? null : details.of(row, Number.POSITIVE_INFINITY);
		},
	};
}

/** More make a table that nobody reads. */
const MOST_PROFILES = 4;

/** The prediction beside what other profilers said of the same run; null: none did. */
async function besideOthers(evidence: Evidence, { profileFiles, name, parts }: RecordingReport): Promise<BiasAnswer | null> {
	if (profileFiles.length === 0 || parts.bias === null) {
		return null;
	}
	const folder = name.endsWith('/') ? name : `${name}/`;
	const against = profileFiles
		.slice(0, MOST_PROFILES)
		.map((file) => ({ name: file.name.startsWith(folder) ? file.name.slice(folder.length) : file.name, file, kind: null }))
		.filter((one) => !isOwnProfileName(one.name));
	try {
		return await answerBias(evidence, { ...biasOfReport(), against, rounds: 0, method: null, classes: [] }, parts.bias);
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		return null;
	}
}

/** Real stacks where a file has some, and the chains of inlining that samples lie in. A part each: they may be large. */
async function writeStacks({ stacks, hot, stackTime }: RecordingReport, prefix: string, parts: PartWriter): Promise<PageStackSource[]> {
	const sources: PageStackSource[] = [];
	const write = async (name: string, isOfSamples: boolean, isInlining: boolean, page: PageStacks): Promise<void> => {
		const part = `${prefix}${sources.length}`;
		await parts.write(part, { names: page.names, stacks: page.stacks, leftOutSamples: page.leftOutSamples, ofSample: page.ofSample } satisfies PageStacks);
		sources.push({ name, isInlining, isOfSamples, part });
	};
	const counted = stackTime?.chosen.kinds.find(({ isCounted }) => isCounted);
	for (const { name, stacks: whole, isOfSamples, ofSample } of stacks) {
		const isCounted = counted !== undefined && (name === counted.file || name === `${counted.file}: ${counted.event}`);
		await write(name, isOfSamples || isCounted, false, { ...whole, ofSample });
	}
	if (hot !== null && hot.attribution.counted > 0) {
		await write('samples, by inlining', true, true, { ...inlinedStacks(hot), leftOutSamples: 0 });
	}
	return sources;
}

class Details {
	private readonly report: RecordingReport;
	private readonly sources: JavaSources | null;
	private readonly logged: ReadonlyMap<string, JitCompilation>;
	private readonly units: ReadonlyMap<string, LoggedCompilation>;
	private readonly memory: ReadonlyMap<string, OpenedCompilation>;
	private readonly heat: ReadonlyMap<string | null, CodeHeat>;
	private readonly code: ReadonlyMap<string | null, GeneratedCode>;

	constructor(report: RecordingReport, sources: JavaSources | null) {
		this.report = report;
		this.sources = sources;
		this.logged = new Map(report.log?.history.compilations.map((one) => [one.compileId, one]));
		this.units = new Map(report.units.map((unit) => [unit.compileId, unit]));
		this.memory = new Map(report.memory.map((one) => [one.handle, one]));
		this.heat = new Map(report.hot?.code.map((heat) => [heat.code.compileId, heat]));
		this.code = new Map(report.recording?.code.map((piece) => [piece.compileId, piece]));
	}

	/** Code only of sampled compilations, and only so many instructions of all together. */
	async *all(rows: readonly JoinedCompilation[], instructions: number, progress: Progress): AsyncGenerator<readonly [string, PageDetail]> {
		let left = instructions;
		for (const [i, row] of rows.entries()) {
			const detail = await this.of(row, row.samples > 0 ? left : 0);
			left -= detail.code?.text.length ?? 0;
			yield [row.handle, detail];
			await progress.step(`reading ${i + 1} of ${rows.length} compilations`);
		}
	}

	/** With its code if that has no more instructions than `instructions`. */
	async of(row: JoinedCompilation, instructions: number): Promise<PageDetail> {
		const { log } = this.report;
		const { compileId } = row;
		const plain = compileId.replace(/%$/, '');
		const logged = this.logged.get(compileId);
		const record = logged === undefined || log === null ? null : log.read(logged);
		const memory = this.memory.get(row.handle) ?? this.memory.get(`c${plain}`);
		return {
			...(logged === undefined ? {} : { compilation: withoutCalls(compilationRow(logged, [])) }),
			...(record === null || logged === undefined
				? {}
				: { record: recordObject(logged, record), inliningTree: inliningRows(record.inlining), optimizationTree: optimizationRows(record.optimization) }),
			...this.graalTrees(this.units.get(compileId) ?? this.units.get(plain)),
			...(memory === undefined ? {} : { memory: memoryRow(memory) }),
			...(await this.codeOf(compileId, instructions)),
		};
	}

	private graalTrees(unit: LoggedCompilation | undefined): Pick<PageDetail, 'inliningTree' | 'optimizationTree'> {
		try {
			const trees = unit?.readTrees();
			return trees === undefined ? {} : { inliningTree: inliningRows(trees.inlining), optimizationTree: optimizationRows(trees.optimization) };
		} catch (error) {
			if (!(error instanceof InputError)) {
				throw error;
			}
			return {};
		}
	}

	private async codeOf(compileId: string, instructions: number): Promise<Pick<PageDetail, 'code' | 'sourceLines'>> {
		let heat = this.heat.get(compileId);
		const piece = this.code.get(compileId);
		if (heat === undefined && piece !== undefined && instructions === Number.POSITIVE_INFINITY) {
			heat = withoutSamples(piece, (await this.report.recording?.readCode([piece]))?.get(piece) ?? null);
		}
		const annotated = heat === undefined || (heat.instructions?.length ?? 0) > instructions ? null : annotateCode(heat);
		return annotated === null ? {} : { code: codeRow(annotated), ...this.sourceLinesOf(annotated.positions) };
	}

	/** Of innermost frames, by method and line. */
	private sourceLinesOf(positions: readonly (readonly Frame[])[]): Pick<PageDetail, 'sourceLines'> {
		const result: Record<string, string> = {};
		for (const [frame] of positions) {
			const text = frame === undefined || frame.line === null ? null : (this.sources?.line(frame.method, frame.line) ?? null);
			if (frame !== undefined && text !== null) {
				result[`${frame.method}:${frame.line}`] = text.trim();
			}
		}
		return Object.keys(result).length === 0 ? {} : { sourceLines: result };
	}
}

/** The inlining tree says what the calls do. */
function withoutCalls({ callSites: _, ...rest }: CompilationJson): Omit<CompilationJson, 'callSites'> {
	return rest;
}

/** What the page says of calls, of which the decisions of each compilation are read once. */
function readCalls(report: RecordingReport): { lives: LifeJson[]; inlined: PageInlined } {
	const { log } = report;
	const inlined = new InlinedMethods(report);
	const lives = (log?.history.compilations ?? []).map((compilation) => {
		const decisions = log?.readDecisions(compilation) ?? [];
		inlined.take(compilation, decisions);
		return lifeOf(compilationRow(compilation, decisions));
	});
	return { lives, inlined: inlined.page() };
}

function compilationsOf({ log, summary }: RecordingReport, lives: readonly LifeJson[]): PageSide['compilations'] {
	if (log === null || summary === null) {
		return null;
	}
	const { history } = log;
	return {
		...collected<Pick<CompilationsResult, 'recording' | 'summary' | 'methods'>>(compilationsOverview(log, summary, methodLives(history))),
		compilations: lives,
	};
}

function lifeOf({ callSites, deoptimizations, retries: _, ...rest }: CompilationJson): LifeJson {
	const refusals = new Map<string, number>();
	for (const { inlined, intrinsic, reason } of callSites) {
		if (!inlined && !intrinsic) {
			refusals.set(reason, (refusals.get(reason) ?? 0) + 1);
		}
	}
	return { ...rest, traps: deoptimizations.length, refusals: [...refusals].sort((a, b) => b[1] - a[1]) };
}

function hotOf({ hot, recording, threadTime, sampleWindow, parts }: RecordingReport): PageSide['hot'] {
	if (hot === null || recording === null || hot.attribution.counted === 0) {
		return null;
	}
	const columns = sampleColumns(hot, recording.threads);
	const classes = parts.hot?.classes ?? null;
	const selection = { threadTime, chosen: [], folded: null, code: null, columns, window: sampleWindow };
	return {
		...collected(hotResult(hot, hotSource(recording), selection)),
		sampleColumns: columns,
		sampleClasses: classes === null ? null : sampleClasses(hot, classes),
	};
}

function memoryOf({ memory: compilations }: RecordingReport): PageSide['memory'] {
	if (compilations.length === 0) {
		return null;
	}
	const advice = mostExpensive(compilations).flatMap((most) => adviseOn(most, compilations));
	return {
		compilations: compilations.map(memorySummaryRow),
		...memoryOverview({ compilations, omitted: 0, nativeMemory: [], replay: null }, { chosen: null, budget: null, advice }),
	};
}

function startupOf({ startup }: RecordingReport): PageStartup | null {
	const simulation = startup?.simulation ?? null;
	return simulation === null ? null : collected(simulateResult(simulation));
}

function delaysOf({ delays, recording, clock }: RecordingReport): PageSide['ttsp'] {
	if (delays.length === 0 || recording === null || clock === null) {
		return null;
	}
	const summary = delaySummary({ delays, recording, clock }, DEFAULT_REPORT_REQUEST.slowSafepointNs);
	return collected<TimeToSafepointResult>(timeToSafepointResult(recording, delays, clock, summary));
}

/** Several parts read the same files and say the same of them. */
function distinct(problems: readonly Problem[]): Problem[] {
	return [...new Map(problems.map((problem) => [`${problem.file}\0${problem.line}\0${problem.message}`, problem])).values()];
}

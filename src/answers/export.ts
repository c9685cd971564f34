/** What an export takes from a recording: each kind of evidence opened when it is asked for, once. */
import type { CompilationHistory } from '../model/jit-compilation.js';
import { InputError, type Problem } from '../model/problem.js';
import type { Safepoint } from '../model/safepoint.js';
import type { Table } from '../model/table.js';
import { type CompilationLog, openCompilationLog } from '../recording/compilation-log.js';
import { type EvidenceFiles, findEvidence } from '../recording/evidence-files.js';
import type { LogFile } from '../recording/log-file.js';
import { openMemoryRecording } from '../recording/memory-recording.js';
import { openRecording, type Recording, SAMPLES_MISSING } from '../recording/open-recording.js';
import { type ChosenSamples, chooseSamplesOf } from '../recording/sampled-process.js';
import { compilationsTable, inliningTable, memoryTable, regionsTable, safepointsTable, samplesTable, type TableName } from '../render/export-tables.js';
import { type HotRequest, hotOf, type OpenedHot } from './hot.js';
import { type OpenedMemory, withReplay } from './memory.js';

/** Kinds that no file tells of are null. */
export interface ExportSource {
	hot(): Promise<OpenedHot | null>;
	compilations(): Promise<CompilationLog | null>;
	safepoints(): Promise<readonly Safepoint[] | null>;
	memory(): Promise<OpenedMemory | null>;
	/** Of what was opened. */
	problems(): readonly Problem[];
	close(): void;
}

/** Throws an {@link InputError} when the files are of several JVMs and nobody chose. */
export async function exportSource(paths: readonly LogFile[], request: HotRequest): Promise<ExportSource> {
	const found = await findEvidence(paths);
	try {
		const chosen = await chooseSamplesOf(found, request.processId, paths.map(({ name }) => name).join(', '));
		return new Evidence(found, chosen, request);
	} catch (error) {
		found.close();
		throw error;
	}
}

class Evidence implements ExportSource {
	private readonly found: EvidenceFiles;
	private readonly chosen: ChosenSamples;
	private readonly request: HotRequest;
	private readonly opened: { recording?: Recording | null; hot?: OpenedHot | null; log?: CompilationLog | null; memory?: OpenedMemory | null } = {};
	private readonly collected: Problem[];

	constructor(found: EvidenceFiles, chosen: ChosenSamples, request: HotRequest) {
		this.found = found;
		this.chosen = chosen;
		this.request = request;
		this.collected = [...found.problems];
	}

	async hot(): Promise<OpenedHot | null> {
		if (this.opened.hot === undefined) {
			const recording = this.chosen.samples.length === 0 ? null : await this.recording();
			this.opened.hot = recording === null ? null : await hotOf(recording, { ...this.request, withStacks: true });
			this.collected.push(...(this.opened.hot?.problems.slice(recording?.problems.length) ?? []));
		}
		return this.opened.hot;
	}

	async compilations(): Promise<CompilationLog | null> {
		if (this.opened.log === undefined) {
			const { compilationLogs } = this.found;
			this.opened.log = compilationLogs.length === 0 ? null : await openCompilationLog(compilationLogs, this.chosen.processId);
			this.collected.push(...(this.opened.log?.problems ?? []));
		}
		return this.opened.log;
	}

	async safepoints(): Promise<readonly Safepoint[] | null> {
		return this.found.safepointLogs.length === 0 ? null : ((await this.recording())?.safepoints?.safepoints ?? null);
	}

	/** Any output of a JVM may hold statistics: that it does not is no problem. */
	async memory(): Promise<OpenedMemory | null> {
		if (this.opened.memory === undefined) {
			try {
				this.opened.memory = this.found.memory.length === 0 ? null : await withReplay(await openMemoryRecording(this.found.memory), {});
				this.collected.push(...(this.opened.memory?.problems ?? []));
			} catch (error) {
				if (!(error instanceof InputError)) {
					throw error;
				}
				this.opened.memory = null;
			}
		}
		return this.opened.memory;
	}

	problems(): readonly Problem[] {
		return this.collected;
	}

	close(): void {
		const { recording, log, memory } = this.opened;
		recording?.close();
		log?.close();
		memory?.close();
		this.found.close();
	}

	private async recording(): Promise<Recording | null> {
		if (this.opened.recording === undefined) {
			const { codeLogs, perfMaps, notes, safepointLogs } = this.found;
			const files = [...new Set([...this.chosen.samples, ...codeLogs, ...perfMaps, ...notes, ...safepointLogs])];
			const recording = await openRecording(files, this.chosen.processId, { withSafepoints: true, withStacks: true });
			this.opened.recording = recording;
			this.collected.push(...recording.problems);
		}
		return this.opened.recording;
	}
}

/** What {@link ExportSource.hot} gives; throws an {@link InputError} where there are no samples. */
export async function samplesOf(source: ExportSource, name: string): Promise<OpenedHot> {
	const hot = await source.hot();
	if (hot === null) {
		throw new InputError({
			severity: 'error',
			file: name,
			message: SAMPLES_MISSING,
			action: 'give the output of perf script, DTrace, xctrace or async-profiler (collapsed, features=pcaddr), or record with assay record',
		});
	}
	return hot;
}

/** null: the recording holds nothing of it. */
export async function openTable(source: ExportSource, name: TableName): Promise<Table | null> {
	switch (name) {
		case 'compilations': {
			const log = await source.compilations();
			return log === null ? null : compilationsTable(log.history, await samplesByCompilation(source, log.history));
		}
		case 'inlining': {
			const log = await source.compilations();
			return log === null ? null : inliningTable(log.history, (compilation) => log.readDecisions(compilation));
		}
		case 'samples': {
			const hot = await source.hot();
			return hot?.stacks == null ? null : samplesTable(hot.stacks);
		}
		case 'regions': {
			const hot = await source.hot();
			return hot === null ? null : regionsTable(hot.report);
		}
		case 'safepoints': {
			const safepoints = await source.safepoints();
			return safepoints === null ? null : safepointsTable(safepoints);
		}
		default: {
			const memory = await source.memory();
			return memory === null ? null : memoryTable(memory.compilations);
		}
	}
}

async function samplesByCompilation(source: ExportSource, history: CompilationHistory): Promise<ReadonlyMap<string, number> | null> {
	const hot = await source.hot();
	if (hot === null || (hot.recording.log?.processId ?? history.processId) !== history.processId) {
		return null;
	}
	const result = new Map<string, number>();
	for (const { code, samples } of hot.report.code) {
		if (code.compileId !== null) {
			result.set(code.compileId, (result.get(code.compileId) ?? 0) + samples);
		}
	}
	return result;
}

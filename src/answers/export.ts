/** What an export takes from a recording: each kind of evidence opened when it is asked for, once. */
import type { CompilationHistory } from '../model/jit-compilation.js';
import { InputError, type Problem } from '../model/problem.js';
import type { Safepoint } from '../model/safepoint.js';
import type { Table } from '../model/table.js';
import type { CompilationLog } from '../recording/compilation-log.js';
import type { Evidence } from '../recording/evidence.js';
import { type Recording, SAMPLES_MISSING } from '../recording/open-recording.js';
import { compilationsTable, inliningTable, memoryTable, regionsTable, safepointsTable, samplesTable, type TableName } from '../render/export-tables.js';
import { type HotRequest, hotOf, type OpenedHot } from './hot.js';
import { memoryOf } from './memory.js';
import type { OpenedMemory } from './memory-result.js';

/** Kinds that no file tells of are null. */
export interface ExportSource {
	hot(): Promise<OpenedHot | null>;
	compilations(): Promise<CompilationLog | null>;
	safepoints(): Promise<readonly Safepoint[] | null>;
	memory(): Promise<OpenedMemory | null>;
	/** Of what was opened. */
	problems(): readonly Problem[];
}

/** Throws an {@link InputError} when the files are of several JVMs and nobody chose. The evidence has to be opened with all details of samples. */
export async function exportSource(evidence: Evidence, request: HotRequest): Promise<ExportSource> {
	const { found } = await evidence.chosen();
	const { samples, logCompilation, safepoints, compilerMemory } = found.files;
	const collected: Problem[] = [...evidence.problems];
	const kept: { recording?: Recording | null; hot?: OpenedHot | null; log?: CompilationLog | null; memory?: OpenedMemory | null } = {};
	const recording = async (): Promise<Recording | null> => {
		if (kept.recording === undefined) {
			kept.recording = await evidence.recording();
			collected.push(...(kept.recording?.problems ?? []));
		}
		return kept.recording;
	};
	return {
		async hot() {
			if (kept.hot === undefined) {
				const opened = samples.length === 0 ? null : await recording();
				kept.hot = opened === null ? null : await hotOf(opened, { ...request, withStacks: true });
				collected.push(...(kept.hot?.problems.slice(opened?.problems.length) ?? []));
			}
			return kept.hot;
		},
		async compilations() {
			if (kept.log === undefined) {
				kept.log = logCompilation.length === 0 ? null : await evidence.compilationLog();
				collected.push(...(kept.log?.problems ?? []));
			}
			return kept.log;
		},
		async safepoints() {
			return safepoints.length === 0 ? null : ((await recording())?.safepoints?.safepoints ?? null);
		},
		/** Any output of a JVM may hold statistics: that it does not is no problem. */
		async memory() {
			if (kept.memory === undefined) {
				try {
					kept.memory = compilerMemory.length === 0 ? null : await memoryOf(evidence, {});
					collected.push(...(kept.memory?.problems ?? []));
				} catch (error) {
					if (!(error instanceof InputError)) {
						throw error;
					}
					kept.memory = null;
				}
			}
			return kept.memory;
		},
		problems: () => collected,
	};
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

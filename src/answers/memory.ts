/** From what the user named to compilations with handles: files and folders, a running JVM, events that are replayed. */
import fs from 'node:fs';
import path from 'node:path';
import { FootprintReplay, type ReplayOptions } from '../footprint/replay.js';
import type { Replay } from '../footprint/results.js';
import { FootprintEventReader, readFootprintEvents } from '../formats/footprint-events/read.js';
import { InputError, type Problem } from '../model/problem.js';
import type { Progress } from '../model/progress.js';
import { memoryAsker } from '../recording/ask-memory.js';
import { type Evidence, openEvidence } from '../recording/evidence.js';
import { openFile } from '../recording/file-source.js';
import { openLogFile } from '../recording/log-file.js';
import { type MemoryRecording, memoryOfTexts } from '../recording/memory-recording.js';
import { nameCompilations, type OpenedCompilation, type UnnamedCompilation } from '../recording/merge-memory.js';
import type { MemoryView } from '../render/memory-view.js';

export interface OpenedMemory {
	readonly compilations: readonly OpenedCompilation[];
	readonly omitted: number;
	readonly replay: MemoryView['replay'];
	readonly problems: readonly Problem[];
	close(): void;
}

export interface OpenMemoryOptions {
	/** Relative paths start here. */
	readonly workingDirectory: string;
	readonly jdkHome: string | null;
	readonly replay: ReplayOptions;
}

/** Throws an {@link InputError} when there is nothing to read. */
export async function openMemory(names: readonly string[], options: OpenMemoryOptions): Promise<OpenedMemory> {
	const [first = ''] = names;
	const processId = names.length === 1 ? processIdOf(first, options) : null;
	if (processId !== null) {
		return withReplay(await ask(processId, options), options.replay);
	}
	const evidence = await openEvidence(names.map((name) => ({ filePath: path.resolve(options.workingDirectory, name), name })));
	return { ...(await memoryOf(evidence, options.replay, 'all')), close: () => evidence.close() };
}

/** Of evidence that is open. */
export async function memoryOf(evidence: Evidence, replay: ReplayOptions, of: 'chosen' | 'all' = 'chosen'): Promise<OpenedMemory> {
	return withReplay(await evidence.memory(of), replay);
}

/** What a recording holds, and what its events give when they are replayed. */
export async function withReplay(recording: MemoryRecording, options: ReplayOptions): Promise<OpenedMemory> {
	const problems: Problem[] = [...recording.problems];
	let replay: Replay | null = null;
	for (const file of recording.eventFiles) {
		const opened = await openLogFile(file);
		const engine = new FootprintReplay(options);
		const read = readFootprintEvents(opened.source, engine);
		opened.source.close();
		problems.push(...opened.problems, ...read.problems);
		replay = joined(replay, engine.finish());
	}
	return {
		compilations: nameCompilations([...recording.compilations, ...(replay === null ? [] : unnamed(replay))]),
		omitted: recording.omitted + (replay?.omitted ?? 0),
		replay,
		problems,
		close: () => {},
	};
}

/** Events from a file, or from standard input while they are written; the result is that at their end. */
export async function openEvents(
	name: string,
	options: OpenMemoryOptions & { readonly input?: AsyncIterable<Uint8Array> | undefined },
	progress: Progress,
): Promise<OpenedMemory> {
	const engine = new FootprintReplay(options.replay);
	let problems: readonly Problem[];
	if (name === '-') {
		if (options.input === undefined) {
			throw new InputError({ severity: 'error', file: 'standard input', message: 'is not there', action: 'name a file' });
		}
		const reader = new FootprintEventReader('standard input', engine);
		let bytes = 0;
		for await (const piece of options.input) {
			reader.push(piece);
			bytes += piece.length;
			progress.report(`${(bytes / 1e6).toFixed(0)} MB of events`);
		}
		problems = reader.finish().problems;
	} else {
		const opened = await openFile(path.resolve(options.workingDirectory, name), name);
		problems = [...opened.problems, ...readFootprintEvents(opened.source, engine).problems];
		opened.source.close();
	}
	const replay = engine.finish();
	if (replay.events === 0) {
		throw new InputError({
			severity: 'error',
			file: name === '-' ? 'standard input' : name,
			message: 'holds no event of a compiler',
			action: 'lines of JSON are expected: docs/schema/footprint-events.json',
		});
	}
	return { compilations: nameCompilations(unnamed(replay)), omitted: replay.omitted, replay, problems, close: () => {} };
}

/** null: the argument is the name of a file. */
function processIdOf(name: string, { workingDirectory }: OpenMemoryOptions): number | null {
	return /^[1-9]\d{0,9}$/.test(name) && !fs.existsSync(path.resolve(workingDirectory, name)) ? Number(name) : null;
}

async function ask(processId: number, { jdkHome, workingDirectory }: OpenMemoryOptions): Promise<MemoryRecording> {
	const asker = memoryAsker(processId, { workingDirectory, environment: process.env, jdkHome });
	const { table, verbose } = await asker.ask();
	return memoryOfTexts(`process ${processId}`, [table, verbose ?? '']);
}

function unnamed({ compilations }: Replay): UnnamedCompilation[] {
	return compilations.map(({ details, heldAtEndBytes: _held, limitHits: _hits, isFinished: _finished, ...memory }) => ({ ...memory, details: () => details }));
}

function joined(a: Replay | null, b: Replay): Replay {
	if (a === null) {
		return b;
	}
	const malformed = Object.fromEntries(Object.entries(a.malformed).map(([key, count]) => [key, count + b.malformed[key as keyof Replay['malformed']]]));
	return {
		compilations: [...a.compilations, ...b.compilations],
		omitted: a.omitted + b.omitted,
		events: a.events + b.events,
		malformed: malformed as unknown as Replay['malformed'],
		isCrashed: a.isCrashed || b.isCrashed,
	};
}

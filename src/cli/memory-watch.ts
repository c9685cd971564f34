/** `assay memory --watch PID`: asks a JVM again and again, and says what was compiled meanwhile and cost more than what it had listed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenedMemory, OpenMemoryOptions } from '../answers/memory.js';
import type { CompilerMemory } from '../model/compiler-memory.js';
import { InputError, type Problem } from '../model/problem.js';
import type { Progress } from '../model/progress.js';
import { memoryAsker } from '../recording/ask-memory.js';
import { memoryOfTexts } from '../recording/memory-recording.js';
import { nameCompilations, type UnnamedCompilation } from '../recording/merge-memory.js';
import { compilerText, fullMethod, resultText, sizeText } from '../render/memory-view.js';
import { visible } from '../render/visible.js';
import type { CommandIo } from './io.js';

export interface WatchOptions extends OpenMemoryOptions {
	readonly intervalSeconds: number;
	/** null: until the process ends. */
	readonly durationSeconds: number | null;
	/** Whether lines are printed while it watches; the result comes at the end anyway. */
	readonly isQuiet: boolean;
}

/** The union of all answers. Throws an {@link InputError} when the first question fails. */
export async function watchMemory(processId: number, options: WatchOptions, io: CommandIo, progress: Progress): Promise<OpenedMemory> {
	const asker = memoryAsker(processId, { workingDirectory: io.workingDirectory, environment: process.env, jdkHome: options.jdkHome });
	const known = new Map<string, UnnamedCompilation>();
	const problems: Problem[] = [];
	const start = performance.now();
	const seconds = (): number => (performance.now() - start) / 1000;
	for (let isFirst = true; ; isFirst = false) {
		let texts: string[];
		try {
			const { table, verbose } = await asker.ask();
			texts = [table, verbose ?? ''];
		} catch (error) {
			// A process that ended while it was asked is no problem.
			if (isFirst || !(error instanceof InputError)) {
				throw error;
			}
			if (asker.isAlive()) {
				problems.push({ ...error.problem, severity: 'warning', action: 'what was seen before is shown' });
			}
			break;
		}
		const { compilations, problems: found } = memoryOfTexts(`process ${processId}`, texts);
		problems.push(...(problems.length < 100 ? found : []));
		const fresh = compilations.filter((one) => !known.has(key(one)));
		for (const one of fresh) {
			known.set(key(one), one);
		}
		if (!options.isQuiet) {
			report(fresh, isFirst, seconds(), io);
		}
		const highest = [...known.values()].reduce((most, { totalBytes }) => Math.max(most, totalBytes), 0);
		progress.report(`${seconds().toFixed(0)} s: ${known.size} compilations seen, the largest ${sizeText(highest)}; Ctrl-C ends it`);
		const left = options.durationSeconds === null ? Number.POSITIVE_INFINITY : options.durationSeconds - seconds();
		if (left <= 0) {
			break;
		}
		await sleep(1000 * Math.min(options.intervalSeconds, left));
		if (!asker.isAlive()) {
			break;
		}
	}
	return { compilations: nameCompilations([...known.values()]), omitted: 0, replay: null, problems, close: () => {} };
}

const MAX_LINES = 20;

function report(fresh: readonly UnnamedCompilation[], isFirst: boolean, seconds: number, io: CommandIo): void {
	const byCost = [...fresh].sort((a, b) => b.totalBytes - a.totalBytes);
	const shown = byCost.slice(0, isFirst ? 1 : MAX_LINES);
	if (isFirst) {
		io.out(`${seconds.toFixed(1).padStart(6)} s  ${fresh.length} compilations listed${shown.length > 0 ? '; the largest:' : ''}\n`);
	}
	for (const one of shown) {
		const name = visible(`c${one.compileId} ${compilerText(one)} ${fullMethod(one)} ${resultText(one)}`);
		io.out(`${seconds.toFixed(1).padStart(6)} s  ${sizeText(one.totalBytes).padStart(9)}  ${name}\n`);
	}
	if (!isFirst && byCost.length > shown.length) {
		io.out(`${seconds.toFixed(1).padStart(6)} s  and ${byCost.length - shown.length} more\n`);
	}
}

function key({ compiler, compileId, totalBytes, method, signature }: CompilerMemory): string {
	return `${compiler} ${compileId} ${totalBytes} ${method} ${signature}`;
}

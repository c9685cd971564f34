/** Asks a running JVM again and again what compilations cost, until it ends or the time is over. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompilerMemory } from '../model/compiler-memory.js';
import { InputError, type Problem } from '../model/problem.js';
import { type AskRequest, memoryAsker } from '../recording/ask-memory.js';
import { memoryOfTexts } from '../recording/memory-recording.js';
import { nameCompilations, type UnnamedCompilation } from '../recording/merge-memory.js';
import type { OpenedMemory } from './memory-result.js';

export interface WatchRequest extends AskRequest {
	readonly intervalSeconds: number;
	/** null: until the process ends. */
	readonly durationSeconds: number | null;
	/** Told after every answer of the JVM. */
	readonly onSeen: (seen: SeenCompilations) => void;
}

/** What an answer of the JVM told. */
export interface SeenCompilations {
	/** Since the first question. */
	readonly seconds: number;
	readonly isFirst: boolean;
	/** What no answer before had. */
	readonly fresh: readonly CompilerMemory[];
	/** How many were seen until now, and what the most expensive of them cost. */
	readonly count: number;
	readonly largestBytes: number;
}

const MAX_PROBLEMS = 100;

/** The union of all answers. Throws an {@link InputError} when the first question fails. */
export async function watchMemory(processId: number, request: WatchRequest): Promise<OpenedMemory> {
	const asker = memoryAsker(processId, request);
	const known = new Map<string, UnnamedCompilation>();
	const problems: Problem[] = [];
	const start = performance.now();
	const seconds = (): number => (performance.now() - start) / 1000;
	let largestBytes = 0;
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
		problems.push(...(problems.length < MAX_PROBLEMS ? found : []));
		const fresh = compilations.filter((one) => !known.has(key(one)));
		for (const one of fresh) {
			known.set(key(one), one);
			largestBytes = Math.max(largestBytes, one.totalBytes);
		}
		request.onSeen({ seconds: seconds(), isFirst, fresh, count: known.size, largestBytes });
		const left = request.durationSeconds === null ? Number.POSITIVE_INFINITY : request.durationSeconds - seconds();
		if (left <= 0) {
			break;
		}
		await sleep(1000 * Math.min(request.intervalSeconds, left));
		if (!asker.isAlive()) {
			break;
		}
	}
	return { compilations: nameCompilations([...known.values()]), omitted: 0, nativeMemory: [], replay: null, problems };
}

function key({ compiler, compileId, totalBytes, method, signature }: CompilerMemory): string {
	return `${compiler} ${compileId} ${totalBytes} ${method} ${signature}`;
}

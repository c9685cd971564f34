/** Progress of a job that takes longer than a second, where somebody watches. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Progress } from '../model/progress.js';
import type { CommandIo } from './io.js';

const QUIET_MS = 1000;
const EVERY_MS = 100;

export function createProgress(io: CommandIo): Progress {
	const { progress } = io;
	if (progress === undefined) {
		return { report: () => {}, step: () => Promise.resolve(), end: () => {} };
	}
	const start = performance.now();
	let last = start;
	const report = (text: string): void => {
		if (performance.now() - start >= QUIET_MS) {
			progress(text);
		}
	};
	return {
		report,
		async step(text) {
			const now = performance.now();
			if (now - last >= EVERY_MS) {
				last = now;
				report(text);
				await nextTurn();
			}
		},
		end: () => progress(null),
	};
}

/** Recordings that stay open between calls, as clients ask several questions of one. A file that changed is opened again. */
import fs from 'node:fs';
import path from 'node:path';
import { type Evidence, openEvidence } from '../../recording/evidence.js';
import type { CommandIo } from '../io.js';

/** So many stay open. */
const MOST_OPEN = 4;
const MOST_ENTRIES = 2000;

export type KeptRecordings = NonNullable<CommandIo['keptEvidence']>;

export function keepRecordings(): KeptRecordings {
	const open = new Map<string, Promise<Evidence>>();
	const close = (key: string): void => {
		const evidence = open.get(key);
		open.delete(key);
		void evidence?.then(
			(one) => one.close(),
			() => {},
		);
	};
	return (files, options = {}) => {
		const key = JSON.stringify([files, options, files.map(({ filePath }) => stampsOf(filePath))]);
		let evidence = open.get(key);
		if (evidence === undefined) {
			evidence = openEvidence(files, options).then((one) => forgetting(one, () => open.delete(key)));
			evidence.catch(() => open.delete(key));
		}
		// The one that was asked for last stays longest.
		open.delete(key);
		open.set(key, evidence);
		for (const oldest of [...open.keys()].slice(0, -MOST_OPEN)) {
			close(oldest);
		}
		return evidence;
	};
}

/** Evidence that was changed for one question is not that of the next. */
function forgetting(evidence: Evidence, forget: () => void): Evidence {
	const leaveOut = evidence.leaveOutSamples.bind(evidence);
	evidence.leaveOutSamples = (names) => {
		if (names.size > 0) {
			forget();
			leaveOut(names);
		}
	};
	return evidence;
}

/** When files were written, and how large they are. */
function stampsOf(filePath: string): string[] {
	const stamps: string[] = [];
	const waiting = [filePath];
	for (const one of waiting.values()) {
		const stats = fs.statSync(one, { throwIfNoEntry: false });
		stamps.push(`${stats?.mtimeMs} ${stats?.size}`);
		if (stats?.isDirectory() === true && waiting.length < MOST_ENTRIES) {
			waiting.push(...fs.readdirSync(one).map((name) => path.join(one, name)));
		}
	}
	return stamps;
}

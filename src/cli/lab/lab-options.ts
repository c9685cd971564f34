/** What the commands of the lab have in common. */
import fs from 'node:fs';
import path from 'node:path';
import type { LabRequest } from '../../answers/lab-request.js';
import { UsageError } from '../../model/problem.js';
import type { CommandContext } from '../command.js';
import type { ParsedOptions } from '../options.js';

/** `seconds`: where the user gives none. */
export function labRequest(parsed: ParsedOptions, { workingDirectory }: CommandContext, seconds: string): LabRequest {
	const measured = secondsOf(parsed, seconds);
	const keep = parsed.value('keep');
	return {
		java: parsed.value('java') ?? null,
		seconds: measured,
		javaOptions: parsed.command ?? [],
		keep: keep === undefined ? null : emptyFolder(path.resolve(workingDirectory, keep), keep),
		workingDirectory,
	};
}

function secondsOf(parsed: ParsedOptions, fallback: string): number {
	const text = parsed.value('seconds') ?? fallback;
	if (!/^\d{1,4}(?:\.\d{1,3})?$/.test(text) || Number(text) < 0.2) {
		throw new UsageError(`--seconds takes seconds from 0.2 on, not "${text}"`);
	}
	return Number(text);
}

/** `name`: as the user called it. */
function emptyFolder(folder: string, name: string): string {
	fs.mkdirSync(folder, { recursive: true });
	if (fs.readdirSync(folder).length > 0) {
		throw new UsageError(`--keep ${name}: the folder holds something already`);
	}
	return folder;
}

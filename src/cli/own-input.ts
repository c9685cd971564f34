/** `-o` may not name what the command reads: it would be gone. */
import fs from 'node:fs';
import path from 'node:path';
import { UsageError } from '../model/problem.js';
import type { OptionSpec, ParsedOptions } from './options.js';

/** Throws a {@link UsageError} for a file that is named as input, or that is evidence in a folder that is. */
export async function refuseOwnInput(parsed: ParsedOptions, options: readonly OptionSpec[], workingDirectory: string): Promise<void> {
	const output = parsed.value('output');
	const target = output === undefined || output === '-' ? null : identityOf(path.resolve(workingDirectory, output));
	if (target === null || !target.stats.isFile()) {
		return;
	}
	const isFile = (option: string | null): boolean =>
		option === null || options.some((one) => one.name === option && one.isFile === true && option !== 'output');
	for (const { option, value } of parsed.given) {
		const input = isFile(option) ? identityOf(path.resolve(workingDirectory, value)) : null;
		const isSame = input !== null && input.stats.dev === target.stats.dev && input.stats.ino === target.stats.ino;
		const isInside = input?.stats.isDirectory() === true && target.realPath.startsWith(input.realPath + path.sep);
		if (isSame || (isInside && (await isEvidence(target.realPath)))) {
			throw new UsageError(`-o ${output} is a file that is read, and would be lost: name another`);
		}
	}
}

function identityOf(filePath: string): { readonly stats: fs.Stats; readonly realPath: string } | null {
	try {
		return { stats: fs.statSync(filePath), realPath: fs.realpathSync(filePath) };
	} catch {
		return null;
	}
}

/** Any text may hold some kinds: a page that was written before is no evidence. */
async function isEvidence(filePath: string): Promise<boolean> {
	const [{ FORMATS }, { readHead }, { HEAD_BYTES, tellFormats }] = await Promise.all([
		import('../formats/registry.js'),
		import('../recording/read-head.js'),
		import('../recording/tell-format.js'),
	]);
	try {
		const head = await readHead(filePath, HEAD_BYTES);
		return tellFormats(FORMATS, path.basename(filePath), head, null).formats.some(({ place }) => place !== 'anywhere' && place !== 'weak');
	} catch {
		return false;
	}
}

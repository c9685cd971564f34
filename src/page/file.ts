/** Writes a page into one file: `assay report -o`, `assay diff -o`. */
import { VERSION } from '../answers/version.js';
import { InputError } from '../model/problem.js';
import type { Progress } from '../model/progress.js';
import type { Evidence } from '../recording/evidence.js';
import type { JavaSources } from '../recording/java-sources.js';
import type { LogFile } from '../recording/log-file.js';
import { createOutputFile, unwritable } from '../recording/output-file.js';
import { PAGE_VERSION, type PageMain, type PageParts } from './data.js';
import { type GatheredSide, type GatherLimits, gatherSide } from './gather.js';
import { pageHtml } from './html.js';
import { type KeptParts, keptParts, type PartWriter } from './parts.js';
import { pageShell } from './shell.js';
import { findStartup } from './startup.js';

/** What a file holds; `assay open` reads the rest when it is asked for. */
const FILE_LIMITS: GatherLimits = { details: 6000, instructions: 400_000 };

const NOT_SERVED = { isServed: false, isFollowed: false, revision: 0 };

export interface PageRequest {
	/** One recording, or two that are compared; opened with all details of samples. */
	readonly sides: readonly Evidence[];
	/** null: none were given. */
	readonly sources: JavaSources | null;
	/** Writes what is of all sides together. */
	readonly parts?: (parts: PartWriter, gathered: readonly GatheredSide[]) => Promise<Partial<PageParts>>;
}

/** Puts the file in its place when it is complete. Throws an {@link InputError} when it cannot be written. */
export async function writePage({ filePath: target, name: file }: LogFile, request: PageRequest, progress: Progress): Promise<PageMain> {
	const shell = pageShell();
	const { main, parts } = await gatherPage(request, FILE_LIMITS, NOT_SERVED, progress);
	progress.report(`writing ${file}`);
	try {
		const output = createOutputFile(target);
		for (const piece of pageHtml(shell, titleOf(main), base64Of(parts), false)) {
			output.write(Buffer.from(piece));
		}
		output.end();
	} catch (error) {
		throw unwritable(file, error, 'name a file in a folder that exists');
	}
	return main;
}

export interface GatheredPage {
	readonly main: PageMain;
	readonly parts: KeptParts;
	/** Their details are read as long as the evidence is open. */
	readonly sides: readonly GatheredSide[];
}

/** The main part is among the parts, as `main`. */
export async function gatherPage(
	{ sides: recordings, sources, parts: more }: PageRequest,
	limits: GatherLimits,
	served: Pick<PageMain, 'isServed' | 'isFollowed' | 'revision'>,
	progress: Progress,
): Promise<GatheredPage> {
	const parts = keptParts();
	const gathered: GatheredSide[] = [];
	for (const [i, evidence] of recordings.entries()) {
		gathered.push(await gatherSide(evidence, recordings.length === 1 ? '' : `${'ab'[i]}-`, parts, limits, sources, progress));
	}
	const sides = gathered.map(({ side }) => side);
	// What somebody simulated with orders of their own says more.
	const simulated = recordings.map(findStartup).find((found) => found !== null) ?? null;
	const startup = simulated ?? gathered.find((side) => side.startup !== null)?.startup ?? null;
	if (startup !== null) {
		await parts.write('startup', startup);
	}
	const main: PageMain = {
		version: PAGE_VERSION,
		assay: VERSION,
		sides,
		fleet: null,
		parts: { diff: null, hotPairs: null, startup: startup === null ? null : 'startup', ...(await more?.(parts, gathered)) },
		...served,
	};
	await parts.write('main', main);
	return { main, parts, sides: gathered };
}

export function titleOf({ sides }: PageMain): string {
	return `${sides.map(({ name }) => name.slice(0, 200)).join(' → ')} · assay`;
}

function* base64Of({ parts }: KeptParts): Generator<readonly [string, string]> {
	for (const [name, bytes] of parts) {
		yield [name, bytes.toString('base64')];
	}
}

/** Writes a page into one file: `assay report -o`, `assay diff -o`. */
import fs from 'node:fs';
import path from 'node:path';
import { VERSION } from '../answers/version.js';
import type { CommandIo } from '../cli/io.js';
import { InputError } from '../model/problem.js';
import type { Progress } from '../model/progress.js';
import { openSources } from '../recording/java-sources.js';
import { PAGE_VERSION, type PageMain, type PageParts } from './data.js';
import { type GatheredSide, type GatherLimits, gatherSide } from './gather.js';
import { pageHtml } from './html.js';
import { type KeptParts, keptParts, type PartWriter } from './parts.js';
import { pageShell } from './shell.js';
import { findStartup } from './startup.js';

/** What a file holds; `assay open` reads the rest when it is asked for. */
const FILE_LIMITS: GatherLimits = { details: 6000, instructions: 400_000 };

export interface PageRequest {
	/** Of each side: a folder, or files of one run. */
	readonly sides: readonly (readonly string[])[];
	/** Chooses among several JVMs. */
	readonly processId?: number | null;
	/** Folders and archives of Java sources. */
	readonly sources?: readonly string[];
	/** Writes what is of all sides together. */
	readonly parts?: (parts: PartWriter, gathered: readonly GatheredSide[]) => Promise<Partial<PageParts>>;
}

/** Puts the file in its place when it is complete. Throws an {@link InputError} when it cannot be written. */
export async function writePage(file: string, request: PageRequest, io: CommandIo, progress: Progress): Promise<PageMain> {
	const shell = pageShell();
	const { main, parts, close } = await gatherPage(request, FILE_LIMITS, false, io, progress);
	close();
	progress.report(`writing ${file}`);
	const target = path.resolve(io.workingDirectory, file);
	const temporary = `${target}.${process.pid}.tmp`;
	try {
		const descriptor = fs.openSync(temporary, 'wx');
		try {
			for (const piece of pageHtml(shell, titleOf(main), base64Of(parts), false)) {
				fs.writeSync(descriptor, piece);
			}
		} finally {
			fs.closeSync(descriptor);
		}
		fs.renameSync(temporary, target);
	} catch (error) {
		fs.rmSync(temporary, { force: true });
		throw new InputError({ severity: 'error', file, message: `cannot be written: ${(error as Error).message}`, action: 'name a file in a folder that exists' });
	}
	return main;
}

interface GatheredPage {
	readonly main: PageMain;
	readonly parts: KeptParts;
	readonly sides: readonly GatheredSide[];
	close(): void;
}

/** The main part is among the parts, as `main`. */
export async function gatherPage(
	{ sides: names, processId = null, sources: sourcePaths = [], parts: more }: PageRequest,
	limits: GatherLimits,
	isServed: boolean,
	io: CommandIo,
	progress: Progress,
): Promise<GatheredPage> {
	const parts = keptParts();
	const gathered: GatheredSide[] = [];
	const sources = sourcePaths.length === 0 ? null : await openSources(sourcePaths.map((name) => path.resolve(io.workingDirectory, name)));
	const close = (): void => {
		for (const side of gathered) {
			side.close();
		}
	};
	try {
		for (const [i, side] of names.entries()) {
			gathered.push(await gatherSide(side, names.length === 1 ? '' : `${'ab'[i]}-`, processId, parts, limits, sources, io, progress));
		}
	} catch (error) {
		close();
		throw error;
	}
	const sides = gathered.map(({ side }) => side);
	// What somebody simulated with orders of their own says more.
	const simulated = findStartup(names.flat().map((name) => path.resolve(io.workingDirectory, name)));
	const startup = simulated ?? gathered.find((side) => side.startup !== null)?.startup ?? null;
	if (startup !== null) {
		await parts.write('startup', startup);
	}
	const main: PageMain = {
		version: PAGE_VERSION,
		assay: VERSION,
		sides,
		parts: { diff: null, hotPairs: null, startup: startup === null ? null : 'startup', ...(await more?.(parts, gathered)) },
		isServed,
	};
	await parts.write('main', main);
	return { main, parts, sides: gathered, close };
}

export function titleOf({ sides }: PageMain): string {
	return `${sides.map(({ name }) => name.slice(0, 200)).join(' → ')} · assay`;
}

function* base64Of({ parts }: KeptParts): Generator<readonly [string, string]> {
	for (const [name, bytes] of parts) {
		yield [name, bytes.toString('base64')];
	}
}

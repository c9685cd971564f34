/** The programs that an instrumented build made, and which of what ran wrote which dump. */
import fs from 'node:fs';
import path from 'node:path';
import { readOrderDumps } from '../../formats/order-dump/read.js';
import { readBuildId } from '../../formats/shared/elf/native-symbols.js';
import { whyOfAnotherBuild } from '../../model/order-dump.js';
import type { OrderMap } from '../../model/order-map.js';
import { InputError } from '../../model/problem.js';
import { digestOf } from '../digest.js';
import { readEmbeddedMap } from '../embedded-order-map.js';
import { openFile } from '../file-source.js';

export interface BuiltProgram {
	/** Relative to the folder of the build. */
	readonly file: string;
	readonly map: OrderMap;
}

/** Executables with the map of what was linked, sorted by name. Shared libraries are none. */
export async function findBuiltPrograms(folder: string): Promise<BuiltProgram[]> {
	const programs: BuiltProgram[] = [];
	for (const file of executables(folder).sort()) {
		const { source } = await openFile(path.join(folder, file), file);
		try {
			const { map } = readEmbeddedMap(source);
			if (map !== null) {
				programs.push({ file, map });
			}
		} catch (error) {
			if (!(error instanceof InputError)) {
				throw error;
			}
		} finally {
			source.close();
		}
	}
	return programs;
}

/**
 * Takes a program away from the folder that it was built in, and with it all copies of it, stripped or not (of one build id): where a copy stays that a build linked
 * first, it would be copied again instead of linked. Returns how many were taken; the program itself goes to `to`.
 */
export async function takeProgramAway(folder: string, program: string, to: string): Promise<number> {
	const identity = await identityOf(program);
	const copies: string[] = [];
	for (const file of executables(folder)) {
		const place = path.join(folder, file);
		const other = place === program ? null : await identityOf(place);
		if (other !== null && (other.digest === identity.digest || (other.buildId !== null && other.buildId === identity.buildId))) {
			copies.push(place);
		}
	}
	fs.renameSync(program, to);
	for (const copy of copies) {
		fs.rmSync(copy);
	}
	return 1 + copies.length;
}

async function identityOf(file: string): Promise<{ readonly digest: string; readonly buildId: string | null }> {
	const { source } = await openFile(file, file);
	try {
		return { digest: digestOf(source), buildId: readBuildId(source) };
	} finally {
		source.close();
	}
}

/** ELF files that may be executed, relative to the folder. */
function executables(root: string): string[] {
	const files: string[] = [];
	const folders = [''];
	for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
		for (const entry of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
			const file = path.join(folder, entry.name);
			if (entry.isDirectory()) {
				folders.push(file);
			} else if (entry.isFile() && !/\.so(?:\.|$)/.test(entry.name) && isExecutableElf(path.join(root, file))) {
				files.push(file);
			}
		}
	}
	return files;
}

const HEAD_BYTES = 18;
const ET_EXEC = 2;
const ET_DYN = 3;

/** What cannot be read is none. */
function isExecutableElf(file: string): boolean {
	const head = Buffer.alloc(HEAD_BYTES);
	try {
		if ((fs.statSync(file).mode & 0o111) === 0) {
			return false;
		}
		const descriptor = fs.openSync(file, 'r');
		try {
			fs.readSync(descriptor, head, 0, HEAD_BYTES, 0);
		} finally {
			fs.closeSync(descriptor);
		}
	} catch {
		return false;
	}
	const type = head[5] === 2 ? head.readUInt16BE(16) : head.readUInt16LE(16);
	return head.toString('latin1', 0, 4) === '\x7fELF' && (type === ET_EXEC || type === ET_DYN);
}

export interface ProgramDump {
	/** The file. */
	readonly file: string;
	/** How many functions its process ran, at most. */
	readonly entries: number;
	/** When it was written. */
	readonly timeNs: bigint;
	/** Of the given ones, those that it may be of, by their place. */
	readonly programs: ReadonlySet<number>;
}

/** The dumps in a folder in the order in which they were written; those that cannot be read are left out. */
export async function findDumps(folder: string, programs: readonly BuiltProgram[]): Promise<ProgramDump[]> {
	const found: ProgramDump[] = [];
	for (const name of fs.readdirSync(folder).sort()) {
		const file = path.join(folder, name);
		const { source } = await openFile(file, name);
		try {
			const { dumps } = readOrderDumps(source);
			const isExactly = ({ map }: BuiltProgram): boolean => dumps.some(({ buildId }) => buildId === map.buildId);
			// A program may have all modules of a smaller one, and more.
			const isOf = programs.some(isExactly) ? isExactly : ({ map }: BuiltProgram): boolean => dumps.some((dump) => whyOfAnotherBuild(dump, map) === null);
			found.push({
				file,
				entries: dumps.reduce((sum, { moduleIds }) => sum + moduleIds.length, 0),
				timeNs: dumps[0]?.timeNs ?? 0n,
				programs: new Set(programs.flatMap((program, i) => (isOf(program) ? [i] : []))),
			});
		} catch (error) {
			if (!(error instanceof InputError)) {
				throw error;
			}
		} finally {
			source.close();
		}
	}
	return found.sort((a, b) => (a.timeNs < b.timeNs ? -1 : a.timeNs > b.timeNs ? 1 : 0));
}

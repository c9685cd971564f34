/** The programs and shared libraries that an instrumented build made, and which of what ran wrote which dump. */
import fs from 'node:fs';
import path from 'node:path';
import { readOrderDumps } from '../../formats/order-dump/read.js';
import { readBuildId } from '../../formats/shared/elf/native-symbols.js';
import { type OrderDump, whyOfAnotherBuild } from '../../model/order-dump.js';
import type { OrderMap } from '../../model/order-map.js';
import { InputError } from '../../model/problem.js';
import { isSharedLibrary } from '../../model/shared-library.js';
import { digestOf } from '../digest.js';
import { readEmbeddedMap } from '../embedded-order-map.js';
import { openFile } from '../file-source.js';

export interface BuiltProgram {
	/** Relative to the folder of the build. */
	readonly file: string;
	readonly map: OrderMap;
	/** Whether programs load it. */
	readonly isLibrary: boolean;
}

/** Executables and shared libraries with the map of what was linked, sorted by name. */
export async function findBuiltPrograms(folder: string): Promise<BuiltProgram[]> {
	const programs: BuiltProgram[] = [];
	for (const file of executables(folder, true).sort()) {
		const { source } = await openFile(path.join(folder, file), file);
		try {
			const { map } = readEmbeddedMap(source);
			if (map !== null) {
				programs.push({ file, map, isLibrary: isSharedLibrary(path.basename(file)) });
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
	for (const file of executables(folder, false)) {
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

/** ELF files that may be executed, and `withLibraries` shared libraries, relative to the folder. Links to them are none. */
function executables(root: string, withLibraries: boolean): string[] {
	const files: string[] = [];
	const folders = [''];
	for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
		for (const entry of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
			const file = path.join(folder, entry.name);
			if (entry.isDirectory()) {
				folders.push(file);
			} else if (entry.isFile() && (withLibraries || !isSharedLibrary(entry.name)) && isLinkedElf(path.join(root, file), isSharedLibrary(entry.name))) {
				files.push(file);
			}
		}
	}
	return files;
}

const HEAD_BYTES = 18;
const ET_EXEC = 2;
const ET_DYN = 3;

/** What cannot be read is none. Libraries need no right to be executed. */
function isLinkedElf(file: string, isLibrary: boolean): boolean {
	const head = Buffer.alloc(HEAD_BYTES);
	try {
		if (!isLibrary && (fs.statSync(file).mode & 0o111) === 0) {
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

/** What one process wrote: a dump of the program, and one of each shared library. */
export interface ProcessDump {
	/** The file. */
	readonly file: string;
	/** When it was written. */
	readonly timeNs: bigint;
	/** Of the given programs and libraries, by their place, those that it may be of, with how many functions ran, at most. */
	readonly functions: ReadonlyMap<number, number>;
	/** Whether there is one in it of something else. */
	readonly hasOthers: boolean;
}

/** The dumps in a folder in the order in which they were written; those that cannot be read are left out. */
export async function findDumps(folder: string, programs: readonly BuiltProgram[]): Promise<ProcessDump[]> {
	const found: ProcessDump[] = [];
	for (const name of fs.readdirSync(folder).sort()) {
		const file = path.join(folder, name);
		const { source } = await openFile(file, name);
		try {
			const { dumps } = readOrderDumps(source);
			const functions = new Map<number, number>();
			let hasOthers = false;
			for (const dump of dumps) {
				const own = programsOf(dump, programs);
				hasOthers ||= own.length === 0;
				for (const program of own) {
					functions.set(program, (functions.get(program) ?? 0) + dump.moduleIds.length);
				}
			}
			found.push({ file, timeNs: dumps[0]?.timeNs ?? 0n, functions, hasOthers });
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

/** By their place. A program may have all modules of a smaller one, and more: the one of the very build counts, where there is one. */
function programsOf(dump: OrderDump, programs: readonly BuiltProgram[]): number[] {
	const numbers = programs.map((_, i) => i);
	const exact = numbers.filter((i) => programs[i]!.map.buildId === dump.buildId);
	return exact.length > 0 ? exact : numbers.filter((i) => whyOfAnotherBuild(dump, programs[i]!.map) === null);
}

/** Bytecode by method from what `--classes` names: folders and archives of class files, single ones, and the text of `javap -c`. */
import fs from 'node:fs';
import path from 'node:path';
import { memorySource } from '../bytes/source.js';
import { isClassFile, readClassBytes } from '../formats/class-file/read.js';
import { isJavap, readJavap } from '../formats/javap/read.js';
import type { MethodBytecode } from '../model/bytecode.js';
import { InputError, type Problem } from '../model/problem.js';
import type { LogFile } from './log-file.js';

export interface OpenedClasses {
	/** Overloaded methods have several. */
	readonly byMethod: ReadonlyMap<string, readonly MethodBytecode[]>;
	readonly problems: readonly Problem[];
}

const MOST_FILES = 50_000;
const LARGEST_BYTES = 256 << 20;
const LARGEST_CLASS_BYTES = 16 << 20;

/** Throws an {@link InputError} when one of them cannot be read or holds neither. */
export async function openClasses(files: readonly LogFile[]): Promise<OpenedClasses> {
	const byMethod = new Map<string, MethodBytecode[]>();
	const problems: Problem[] = [];
	for (const { filePath, name } of files) {
		const before = byMethod.size;
		const add = (methods: readonly MethodBytecode[], found: readonly Problem[]): void => {
			for (const one of methods) {
				const list = byMethod.get(one.method);
				if (list === undefined) {
					byMethod.set(one.method, [one]);
				} else {
					list.push(one);
				}
			}
			problems.push(...found);
		};
		await addAll(filePath, name, add);
		if (byMethod.size === before) {
			throw new InputError({
				severity: 'error',
				file: name,
				message: 'holds no bytecode',
				action: '--classes takes class files, folders or archives of them, and the output of javap -c -p',
			});
		}
	}
	return { byMethod, problems };
}

type Add = (methods: readonly MethodBytecode[], problems: readonly Problem[]) => void;

async function addAll(file: string, name: string, add: Add): Promise<void> {
	const stats = fs.statSync(file, { throwIfNoEntry: false });
	if (stats === undefined) {
		throw new InputError({ severity: 'error', file: name, message: 'is not there', action: 'check the path' });
	}
	if (stats.isDirectory()) {
		const entries = fs.readdirSync(file, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && entry.name.endsWith('.class'));
		for (const entry of entries.slice(0, MOST_FILES)) {
			const one = path.join(entry.parentPath, entry.name);
			addBytes(fs.readFileSync(one), path.join(name, path.relative(file, one)), add);
		}
		return;
	}
	if (!stats.isFile()) {
		throw new InputError({ severity: 'error', file: name, message: 'is no regular file', action: 'give files and folders' });
	}
	if (stats.size > LARGEST_BYTES) {
		throw new InputError({ severity: 'error', file: name, message: `is larger than ${LARGEST_BYTES >> 20} MB`, action: 'give the classes that matter' });
	}
	const bytes = fs.readFileSync(file);
	if (bytes.length >= 4 && bytes.readUInt32LE(0) === 0x04034b50) {
		const { unzipSync } = await import('fflate');
		try {
			for (const [entry, content] of Object.entries(
				unzipSync(bytes, { filter: (one) => one.name.endsWith('.class') && one.originalSize <= LARGEST_CLASS_BYTES }),
			)) {
				addBytes(content, `${name}!${entry}`, add);
			}
		} catch (error) {
			add([], [{ severity: 'warning', file: name, message: `the archive is damaged: ${(error as Error).message}`, action: 'what comes before is used' }]);
		}
		return;
	}
	addBytes(bytes, name, add);
}

function addBytes(bytes: Uint8Array, name: string, add: Add): void {
	if (isClassFile(bytes)) {
		const { methods, problems } = readClassBytes(bytes, name);
		add(methods, problems);
	} else if (isJavap(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1 << 16)).toString('latin1'))) {
		const { methods, problems } = readJavap(memorySource(name, bytes));
		add(methods, problems);
	}
}

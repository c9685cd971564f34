/** Lines of Java sources, found by the name of a method's class below folders, in modules' folders (java.base/java/util/…) too. */
import fs from 'node:fs';
import path from 'node:path';
import { InputError } from '../model/problem.js';

export interface JavaSources {
	/** Text of a line, counted from 1; null where there is no such source. */
	readonly line: (method: string, line: number) => string | null;
}

const MAX_SOURCE_BYTES = 16 << 20;

/** Throws an {@link InputError} when a folder is none. */
export function openSources(folders: readonly string[]): JavaSources {
	const roots = folders.flatMap((folder) => {
		if (!(fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false)) {
			throw new InputError({ severity: 'error', file: folder, message: 'is no folder of Java sources', action: 'unpack an archive such as src.zip first' });
		}
		const inside = fs.readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
		return [folder, ...inside.map(({ name }) => path.join(folder, name))];
	});
	const files = new Map<string, readonly string[] | null>();
	return {
		line(method, line) {
			const name = sourceFileOf(method);
			let lines = files.get(name);
			if (lines === undefined) {
				lines = name === '' ? null : readLines(roots, name);
				files.set(name, lines);
			}
			return lines?.[line - 1] ?? null;
		},
	};
}

/** `java.util.HashMap$Node.setValue` stands in java/util/HashMap.java. Empty for what cannot be a path. */
function sourceFileOf(method: string): string {
	const holder = method.slice(0, Math.max(0, method.lastIndexOf('.')));
	const outer = holder.split('$')[0] ?? '';
	return /^[\p{L}\p{N}_]+(?:\.[\p{L}\p{N}_]+)*$/u.test(outer) ? `${outer.replaceAll('.', '/')}.java` : '';
}

function readLines(roots: readonly string[], name: string): readonly string[] | null {
	for (const root of roots) {
		const file = path.join(root, name);
		const stats = fs.statSync(file, { throwIfNoEntry: false });
		if (stats?.isFile() && stats.size <= MAX_SOURCE_BYTES) {
			return fs.readFileSync(file, 'utf8').split(/\r?\n/);
		}
	}
	return null;
}

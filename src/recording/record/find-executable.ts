/** Finds programs as a shell does. */
import fs from 'node:fs';
import path from 'node:path';

/** The path of the program that `name` starts; null when there is none. A name with a slash is a path from `folder`. */
export function findExecutable(name: string, folder: string, searchPath = process.env.PATH ?? ''): string | null {
	const candidates = name.includes('/')
		? [path.resolve(folder, name)]
		: searchPath.split(path.delimiter).map((entry) => path.resolve(folder, entry === '' ? '.' : entry, name));
	return candidates.find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
	try {
		fs.accessSync(file, fs.constants.X_OK);
		return fs.statSync(file).isFile();
	} catch {
		return false;
	}
}

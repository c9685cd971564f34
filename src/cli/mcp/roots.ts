/** The folders whose files may be read. A path is followed to where it leads: a link out of a root is refused, also one inside a folder. */
import fs from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../model/problem.js';

/** So many entries of a folder are looked at; a larger one is no recording. */
const MOST_ENTRIES = 20_000;
const CONTROL = /[\x00-\x1f\x7f]/;

export interface Roots {
	/** Absolute, links followed. Relative paths start in the first. */
	readonly folders: readonly string[];
	/** The path as commands take it: relative to the first root, else absolute. Throws a {@link UsageError}. */
	readable(text: string): string;
	/** The same of a folder that is yet to be made. */
	writable(text: string): string;
}

export function openRoots(names: readonly string[], workingDirectory: string): Roots {
	const folders = names.map((name) => {
		const folder = path.resolve(workingDirectory, name);
		if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
			throw new UsageError(`--root takes folders, and ${name} is none`);
		}
		return fs.realpathSync(folder);
	});
	const [first = ''] = folders;
	const isInside = (target: string): boolean =>
		folders.some((folder) => target === folder || target.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep));
	const outside = (text: string): UsageError =>
		new UsageError(`${text} is not below a root of this server (${folders.join(', ')}); assay mcp --root DIR adds one`);
	const named = (target: string): string => {
		const relative = path.relative(first, target);
		// Never an option, nor standard input.
		return relative === '' ? '.' : relative.startsWith('..') ? target : relative.startsWith('-') ? `./${relative}` : relative;
	};
	const resolved = (text: string): string => {
		if (text === '' || CONTROL.test(text)) {
			throw new UsageError('a path is expected, without control characters');
		}
		const all = folders.map((folder) => path.resolve(folder, text));
		return all.find((one) => fs.existsSync(one)) ?? all[0]!;
	};
	return {
		folders,
		readable(text) {
			const target = resolved(text);
			const real = realPath(target);
			// What is outside is not even said to be there or not.
			if (!isInside(real ?? target)) {
				throw outside(text);
			}
			if (real === null) {
				throw new UsageError(`${text} does not exist; the tool recordings lists what is there`);
			}
			for (const link of linksBelow(real)) {
				const leadsTo = realPath(link);
				if (leadsTo !== null && !isInside(leadsTo)) {
					throw new UsageError(`${text} holds a link out of the roots (${path.relative(real, link)}): nothing of it is read`);
				}
			}
			return named(real);
		},
		writable(text) {
			const target = path.resolve(first, text);
			const parent = realPath(path.dirname(target));
			if (text === '' || CONTROL.test(text) || parent === null || !isInside(path.join(parent, path.basename(target)))) {
				throw outside(text);
			}
			if (fs.lstatSync(target, { throwIfNoEntry: false }) !== undefined) {
				throw new UsageError(`${text} is there already: name a new folder`);
			}
			return named(path.join(parent, path.basename(target)));
		},
	};
}

function realPath(target: string): string | null {
	try {
		return fs.realpathSync(target);
	} catch {
		return null;
	}
}

/** Symbolic links in a folder and the folders below. */
function linksBelow(folder: string): string[] {
	const links: string[] = [];
	const folders = fs.statSync(folder).isDirectory() ? [folder] : [];
	let entries = 0;
	for (const one of folders) {
		for (const entry of entriesOf(one)) {
			entries++;
			if (entries > MOST_ENTRIES) {
				throw new UsageError(`the folder holds more than ${MOST_ENTRIES} files: name the recording in it`);
			}
			const place = path.join(one, entry.name);
			if (entry.isSymbolicLink()) {
				links.push(place);
			} else if (entry.isDirectory()) {
				folders.push(place);
			}
		}
	}
	return links;
}

function entriesOf(folder: string): fs.Dirent[] {
	try {
		return fs.readdirSync(folder, { withFileTypes: true });
	} catch {
		return [];
	}
}

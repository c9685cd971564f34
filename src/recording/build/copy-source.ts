/** Copies a source tree to build it elsewhere: of a work tree of git what git knows and does not ignore, so that products of earlier builds stay behind; else all. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export interface SourceFiles {
	/** Relative to the source, sorted. */
	readonly files: readonly string[];
	/** `git`: what git lists; `folder`: everything. */
	readonly from: 'git' | 'folder';
}

/** `isAll`: also what git ignores. What lies in `leaveOut`, and git's own folders, are left out. Throws errors of the operating system. */
export function listSource(source: string, isAll: boolean, leaveOut: string): SourceFiles {
	const inGit = isAll ? null : listedByGit(source);
	const files = inGit === null ? walk(source, '', leaveOut) : inGit.filter((file) => !isInside(path.join(source, file), leaveOut));
	return { files: files.sort(), from: inGit === null ? 'folder' : 'git' };
}

/** Null where it is no work tree of git, or git is missing. Submodules, and work trees inside that git does not look into, are listed by themselves. */
function listedByGit(source: string): string[] | null {
	const files: string[] = [];
	const folders = [''];
	for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
		const where = path.join(source, folder);
		const { status, stdout } = spawnSync('git', ['-C', where, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
			encoding: 'utf8',
			maxBuffer: 1 << 28,
		});
		if (status !== 0) {
			if (folder === '') {
				return null;
			}
			files.push(...walk(source, folder, null));
			continue;
		}
		for (const name of new Set(stdout.split('\0').filter((one) => one !== ''))) {
			const file = path.join(folder, name);
			const found = fs.lstatSync(path.join(source, file), { throwIfNoEntry: false });
			if (found?.isDirectory() === true) {
				// Without a repository of its own, git would list the folder around it.
				if (fs.existsSync(path.join(source, file, '.git'))) {
					folders.push(file);
				} else {
					files.push(...walk(source, file, null));
				}
			} else if (found !== undefined) {
				files.push(file);
			}
		}
	}
	return files;
}

/** Files and links below a folder of the source. */
function walk(source: string, start: string, leaveOut: string | null): string[] {
	const files: string[] = [];
	const folders = [start];
	for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
		for (const entry of fs.readdirSync(path.join(source, folder), { withFileTypes: true })) {
			const file = path.join(folder, entry.name);
			if (entry.isDirectory()) {
				if (entry.name !== '.git' && !(leaveOut !== null && isInside(path.join(source, file), leaveOut))) {
					folders.push(file);
				}
			} else if (entry.isFile() || entry.isSymbolicLink()) {
				files.push(file);
			}
		}
	}
	return files;
}

function isInside(file: string, folder: string): boolean {
	return file === folder || file.startsWith(`${folder}${path.sep}`);
}

/** Copies with modes and times, which build systems compare; links stay links, and those into the source lead into the copy. Throws errors of the operating system. */
export function copySource(source: string, files: readonly string[], target: string): void {
	fs.mkdirSync(target, { recursive: true });
	for (const file of files) {
		const from = path.join(source, file);
		const to = path.join(target, file);
		fs.mkdirSync(path.dirname(to), { recursive: true });
		const stats = fs.lstatSync(from);
		if (stats.isSymbolicLink()) {
			const link = fs.readlinkSync(from);
			fs.symlinkSync(path.isAbsolute(link) && isInside(link, source) ? path.join(target, path.relative(source, link)) : link, to);
		} else {
			fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE);
			fs.utimesSync(to, stats.atime, stats.mtime);
		}
	}
}

/**
 * A page that leads to another: what a browser is given to open. Everybody on a machine can read the arguments of a program, so that an address with a secret
 * in it may be none of them; the file can be read by its owner only.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export interface Opener {
	readonly file: string;
	remove(): void;
}

/** `url` has no character that HTML gives a meaning. */
export function createOpener(url: string): Opener {
	// The folder is its owner's alone (mkdtemp).
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-open-'));
	const file = path.join(folder, 'open.html');
	fs.writeFileSync(file, `<!doctype html>\n<meta charset="utf-8">\n<meta http-equiv="refresh" content="0; url=${url}">\n<a href="${url}">assay</a>\n`, {
		mode: 0o600,
		flag: 'wx',
	});
	return { file, remove: () => fs.rmSync(folder, { recursive: true, force: true }) };
}

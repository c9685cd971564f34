/** The page's script and style, as the build left them. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { PageShell } from './html.js';

/** Throws when the page was not built. */
export function pageShell(): PageShell {
	const folder = pageFolder();
	const script = read(folder, 'page.js');
	const style = read(folder, 'page.css');
	if (/<\/script/i.test(script) || /<\/style/i.test(style)) {
		throw new Error('the built page would end its own element');
	}
	return { script, style, scriptHash: hashOf(script), styleHash: hashOf(style) };
}

/** This code is a chunk somewhere in dist, or a source file beside it. */
function pageFolder(): string {
	for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
		for (const candidate of [path.join(folder, 'web'), path.join(folder, 'dist', 'web')]) {
			if (fs.existsSync(path.join(candidate, 'page.js'))) {
				return candidate;
			}
		}
		if (path.dirname(folder) === folder) {
			throw new Error('the page is not built: npm run build');
		}
	}
}

/** Browsers see one form of line ends, which the policy's digest is of. */
function read(folder: string, name: string): string {
	return fs.readFileSync(path.join(folder, name), 'utf8').replace(/\r\n?/g, '\n');
}

function hashOf(text: string): string {
	return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** Lines of Java sources, found by the name of a method's class in folders and archives (a JDK's src.zip), in modules (java.base/java/util/…) too. */
import fs from 'node:fs';
import path from 'node:path';
import { InputError } from '../model/problem.js';

export interface JavaSources {
	/** Text of a line, counted from 1; null where there is no such source. */
	readonly line: (method: string, line: number) => string | null;
}

/** Text of a source file such as java/util/HashMap.java; null where there is none. */
type Finder = (name: string) => string | null;

const MAX_SOURCE_BYTES = 16 << 20;

/** Throws an {@link InputError} for what is neither a folder nor a zip archive. */
export async function openSources(paths: readonly string[]): Promise<JavaSources> {
	const finders: Finder[] = [];
	for (const given of paths) {
		const stats = fs.statSync(given, { throwIfNoEntry: false });
		if (stats?.isDirectory()) {
			finders.push(inFolder(given));
		} else if (stats?.isFile() && /\.(?:zip|jar)$/.test(given)) {
			finders.push(await inArchive(given));
		} else {
			throw new InputError({
				severity: 'error',
				file: given,
				message: 'is neither a folder nor an archive of Java sources',
				action: "give a folder, or a JDK's src.zip",
			});
		}
	}
	const files = new Map<string, readonly string[] | null>();
	return {
		line(method, line) {
			const name = sourceFileOf(method);
			let lines = files.get(name);
			if (lines === undefined) {
				lines =
					name === ''
						? null
						: (finders
								.map((find) => find(name))
								.find((text) => text !== null)
								?.split(/\r?\n/) ?? null);
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

function inFolder(folder: string): Finder {
	const inside = fs.readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
	const roots = [folder, ...inside.map(({ name }) => path.join(folder, name))];
	return (name) => {
		for (const root of roots) {
			const file = path.join(root, name);
			const stats = fs.statSync(file, { throwIfNoEntry: false });
			if (stats?.isFile() && stats.size <= MAX_SOURCE_BYTES) {
				return fs.readFileSync(file, 'utf8');
			}
		}
		return null;
	};
}

async function inArchive(file: string): Promise<Finder> {
	const { unzipSync } = await import('fflate');
	const bytes = fs.readFileSync(file);
	return (name) => {
		try {
			const found = unzipSync(bytes, {
				filter: (entry) => (entry.name === name || entry.name.endsWith(`/${name}`)) && entry.originalSize <= MAX_SOURCE_BYTES,
			});
			const [text] = Object.values(found);
			return text === undefined ? null : new TextDecoder().decode(text);
		} catch (error) {
			throw new InputError({
				severity: 'error',
				file,
				message: `is no readable zip archive (${(error as Error).message})`,
				action: 'unpack it, and give the folder',
			});
		}
	};
}

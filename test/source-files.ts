/** The sources as tests about them see them: their files, what they import, and their code without text and comments. */
import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');

/** An import of one file, by places from the root of the repository; of a package the specifier. */
export interface Import {
	readonly file: string;
	readonly target: string;
	/** Types alone: nothing of it is there when the program runs. */
	readonly isTypeOnly: boolean;
}

/** TypeScript files below folders of the repository, by their place, ascending. */
export function sourceFiles(...folders: readonly string[]): string[] {
	return folders
		.flatMap((folder) => fs.readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => path.posix.join(folder, file)))
		.filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts') && !file.includes('node_modules'))
		.sort();
}

export function readSource(file: string): string {
	return fs.readFileSync(path.join(ROOT, file), 'utf8');
}

const IMPORT = /^(?:import|export)\s+(type\s)?[^;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;

export function importsOf(file: string): Import[] {
	return [...readSource(file).matchAll(IMPORT)].map(([, type, from, bare, dynamic]) => {
		const specifier = from ?? bare ?? dynamic ?? '';
		const target = specifier.startsWith('.') ? existing(path.posix.join(path.posix.dirname(file), specifier)) : specifier;
		return { file, target, isTypeOnly: type !== undefined };
	});
}

/** What is written as `x.js` lies as `x.ts` or `x.tsx`. */
function existing(place: string): string {
	return [place.replace(/\.js$/, '.ts'), place.replace(/\.js$/, '.tsx')].find((file) => fs.existsSync(path.join(ROOT, file))) ?? place;
}

/**
 * Circles among files, each as the files on the way round; none when the list is empty. Each import is followed once, so there may be more circles than are
 * told, but not where none is.
 */
export function circles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
	const found: string[][] = [];
	const done = new Set<string>();
	for (const start of imports.keys()) {
		const way: string[] = [];
		const places = new Map<string, number>();
		const rest: string[][] = [];
		const enter = (file: string): void => {
			places.set(file, way.length);
			way.push(file);
			rest.push([...(imports.get(file) ?? [])]);
		};
		if (!done.has(start)) {
			enter(start);
		}
		while (way.length > 0) {
			const next = rest.at(-1)?.pop();
			if (next === undefined) {
				rest.pop();
				const left = way.pop()!;
				places.delete(left);
				done.add(left);
				continue;
			}
			const place = places.get(next);
			if (place !== undefined) {
				found.push(way.slice(place));
			} else if (!done.has(next)) {
				enter(next);
			}
		}
	}
	return found;
}

const STRING = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const PATTERN = /\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
/** What a division cannot stand behind. */
const BEFORE_PATTERN = /(?:[=(,:[!&|?;{+*%~^-]|=>|\b(?:return|typeof|case|in|of))\s*$/;
const TEMPLATE_TEXT = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;

/** The code of a file: comments are gone, strings and patterns are empty, of templates only what stands in `${}` is left. Lines stay. */
export function codeOf(text: string): string {
	let code = '';
	let at = 0;
	/** Open brackets within each template that is open. */
	const open: number[] = [];
	const match = (pattern: RegExp): string | null => {
		pattern.lastIndex = at;
		return pattern.exec(text)?.[0] ?? null;
	};
	const skip = (found: string, left: string): void => {
		code += left + '\n'.repeat(found.split('\n').length - 1);
		at += found.length;
	};
	/** From within a template to its end, or into what is put in. */
	const template = (): void => {
		skip(match(TEMPLATE_TEXT) ?? '', '');
		if (text.startsWith('${', at)) {
			open.push(0);
			at += 2;
			code += '(';
		} else {
			at++;
			code += '``';
		}
	};
	while (at < text.length) {
		const char = text[at]!;
		const comment = char === '/' ? match(COMMENT) : null;
		const string = char === "'" || char === '"' ? match(STRING) : null;
		const pattern = char === '/' && comment === null && BEFORE_PATTERN.test(code.slice(-20)) ? match(PATTERN) : null;
		if (comment !== null) {
			skip(comment, ' ');
		} else if (string !== null) {
			skip(string, "''");
		} else if (pattern !== null) {
			skip(pattern, '//');
		} else if (char === '`') {
			at++;
			template();
		} else if (char === '}' && open.at(-1) === 0) {
			open.pop();
			at++;
			code += ')';
			template();
		} else {
			if (open.length > 0 && (char === '{' || char === '}')) {
				open.push(open.pop()! + (char === '{' ? 1 : -1));
			}
			code += char;
			at++;
		}
	}
	return code;
}

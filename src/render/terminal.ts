/** Text for terminals: colour, width, and names that must not move the cursor. */
import stringWidth from 'string-width';
import { goFolders, nativeTail, parametersAt, withoutTypeArguments } from '../model/method-name.js';

export type Colour = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

const CODES: Record<Colour, readonly [number, number]> = {
	bold: [1, 22],
	dim: [2, 22],
	red: [31, 39],
	green: [32, 39],
	yellow: [33, 39],
	cyan: [36, 39],
};

export interface Terminal {
	/** Columns of a line; null for no limit: files and pipes. */
	readonly width: number | null;
	paint(colour: Colour, text: string): string;
}

export function createTerminal(width: number | null, hasColour: boolean): Terminal {
	return {
		width,
		paint: (colour, text) => (hasColour && text !== '' ? `\u001b[${CODES[colour][0]}m${text}\u001b[${CODES[colour][1]}m` : text),
	};
}

/** ASCII, and the lines that trees are drawn with: a column each. */
const NARROW = /^[ -~─-╿]*$/;

/** Columns that a text takes; East Asian characters take two, colours none. */
export function columns(text: string): number {
	return NARROW.test(text) ? text.length : stringWidth(text);
}

export function padEnd(text: string, width: number): string {
	return text + ' '.repeat(Math.max(0, width - columns(text)));
}

export function padStart(text: string, width: number): string {
	return ' '.repeat(Math.max(0, width - columns(text))) + text;
}

const ELLIPSIS = '…';
/** However wide a line may be: a name of a megabyte helps nobody. */
const LONGEST_NAME = 2000;

/**
 * Shortens a name in the middle: its end, the method, says most, its beginning something. `width` null: as it is, up to
 * {@link LONGEST_NAME} characters.
 */
export function shortenMiddle(text: string, width: number | null): string {
	const limit = Math.max(1, Math.min(width ?? LONGEST_NAME, LONGEST_NAME));
	// Cut by characters first: measuring a megabyte is slow.
	const rough = text.length <= 2 * LONGEST_NAME ? text : text.slice(0, LONGEST_NAME) + text.slice(-LONGEST_NAME);
	if (rough === text && columns(text) <= limit) {
		return text;
	}
	const characters = [...rough];
	const headWidth = Math.floor((limit - 1) / 3);
	const head = takeColumns(characters, headWidth);
	const tail = takeColumns([...characters].reverse(), limit - 1 - columns(head.join('')))
		.reverse()
		.join('');
	return head.join('') + ELLIPSIS + tail;
}

/** Cuts a line, colours and all, at the right: for what is too wide even with short names, such as a very deep tree. */
export function cutLine(line: string, width: number | null): string {
	if (width === null || columns(line) <= width) {
		return line;
	}
	let result = '';
	let used = 0;
	for (const part of line.split(/(\u001b\[\d+m)/)) {
		if (part.startsWith('\u001b')) {
			result += part;
			continue;
		}
		const taken = used >= width ? [] : takeColumns([...part], width - 1 - used);
		used += columns(taken.join(''));
		result += taken.join('');
		if (used < width && taken.join('') !== part) {
			result += ELLIPSIS;
			used = width;
		}
	}
	return result;
}

/**
 * Shortens the name of a method: first its parameters go, then packages from the middle, at last the middle of what is left.
 * Class and method stay as long as they can.
 */
export function shortenMethod(name: string, width: number | null): string {
	// What stands in round brackets as a whole is no method: (kernel), a function of a library.
	if (width === null || name.length > LONGEST_NAME || columns(name) <= width || name.startsWith('(')) {
		return shortenMiddle(name, width);
	}
	const brief = withoutTypeArguments(name);
	const bracket = parametersAt(brief);
	const path = bracket < 0 ? brief : brief.slice(0, bracket);
	const parameters = bracket < 0 || brief.endsWith('()') ? brief.slice(path.length) : '(…)';
	const tail = nativeTail(path);
	const parts = path.slice(0, path.length - tail.length).split('.');
	parts.push(`${parts.pop() ?? ''}${tail}`);
	const candidates = [path + parameters];
	const folders = goFolders(path);
	if (folders !== '') {
		candidates.push(`${ELLIPSIS}/${path.slice(folders.length)}${parameters}`);
	}
	for (let dropped = 1; folders === '' && dropped < parts.length - 2; dropped++) {
		candidates.push(`${parts[0]}.…${parts.slice(dropped + 1).join('.')}${parameters}`);
	}
	candidates.push(parts.slice(-2).join('.') + parameters);
	return candidates.find((candidate) => columns(candidate) <= width) ?? shortenMiddle(candidates[candidates.length - 1]!, width);
}

function takeColumns(characters: readonly string[], width: number): string[] {
	const taken: string[] = [];
	let used = 0;
	for (const character of characters) {
		used += columns(character);
		if (used > width) {
			break;
		}
		taken.push(character);
	}
	return taken;
}

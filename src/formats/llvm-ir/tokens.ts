/** Words of a line of IR: what stands between spaces, with quoted text and brackets kept whole. */

const CLOSING: Record<string, string> = { '(': ')', '[': ']', '{': '}', '<': '>' };

/** The end of the quoted text that begins at `at`, behind its quote; IR has no escaped quotes but `\22`. */
function endOfQuoted(text: string, at: number): number {
	const end = text.indexOf('"', at + 1);
	return end < 0 ? text.length : end + 1;
}

/** The end of what is bracketed from `at` on, behind the closing bracket. */
export function endOfBrackets(text: string, at: number): number {
	const open: string[] = [];
	let i = at;
	while (i < text.length) {
		const letter = text[i]!;
		if (letter === '"') {
			i = endOfQuoted(text, i);
			continue;
		}
		const closing = CLOSING[letter];
		if (closing !== undefined) {
			open.push(closing);
		} else if (letter === open[open.length - 1]) {
			open.pop();
			if (open.length === 0) {
				return i + 1;
			}
		}
		i++;
	}
	return text.length;
}

/** Words at the top: `byval(%struct.S)`, `"key"="a b"` and `[4 x i32]` are one each, a comma is one. */
export function words(text: string): string[] {
	const found: string[] = [];
	let i = 0;
	while (i < text.length) {
		const letter = text[i]!;
		if (letter === ' ' || letter === '\t' || letter === '\n' || letter === '\r') {
			i++;
			continue;
		}
		if (letter === ',') {
			found.push(',');
			i++;
			continue;
		}
		const start = i;
		while (i < text.length && !' \t\n\r,'.includes(text[i]!)) {
			if (text[i] === '"') {
				i = endOfQuoted(text, i);
			} else if (CLOSING[text[i]!] !== undefined) {
				i = endOfBrackets(text, i);
			} else {
				i++;
			}
		}
		found.push(text.slice(start, i));
	}
	return found;
}

/** The end of a name without its sigil, quoted or plain. */
export function endOfName(text: string, at: number): number {
	if (text[at] === '"') {
		return endOfQuoted(text, at);
	}
	let i = at;
	while (i < text.length && /[-a-zA-Z$._0-9]/.test(text[i]!)) {
		i++;
	}
	return i;
}

/** A name as IR spells it, quotes and escapes (`\5C`) taken away; UTF-8. */
export function plainName(spelled: string): string {
	if (!spelled.startsWith('"')) {
		return spelled;
	}
	const quoted = spelled.slice(1, spelled.endsWith('"') && spelled.length > 1 ? -1 : undefined);
	if (!quoted.includes('\\')) {
		return quoted;
	}
	const bytes: number[] = [];
	const source = new TextEncoder().encode(quoted);
	for (let i = 0; i < source.length; i++) {
		const digits = source[i] === 0x5c ? Number.parseInt(String.fromCharCode(source[i + 1] ?? 0, source[i + 2] ?? 0), 16) : Number.NaN;
		if (source[i] === 0x5c && source[i + 1] === 0x5c) {
			bytes.push(0x5c);
			i++;
		} else if (Number.isNaN(digits)) {
			bytes.push(source[i]!);
		} else {
			bytes.push(digits);
			i += 2;
		}
	}
	return new TextDecoder().decode(new Uint8Array(bytes));
}

/** The name that the linker sees: `\01` in front means that it is not mangled further. */
export function linkerSymbol(spelled: string): string {
	const name = plainName(spelled);
	return name.startsWith('\u0001') ? name.slice(1) : name;
}

/** The same for Mach-O, where all other names get an underscore in front: `_main`, `-[Foo bar:]`. */
export function machOSymbol(spelled: string): string {
	const name = plainName(spelled);
	return name.startsWith('\u0001') ? name.slice(1) : `_${name}`;
}

/** Names from logs are hostile text, and long: what is shown of them. */
import { goFolders, nativeTail, withoutTypeArguments } from '../src/model/method-name.js';
import { visible } from '../src/render/visible.js';

const LONGEST = 240;
const LONGEST_TITLE = 2000;

/** As it may be shown in a line. */
export function shown(text: string, longest = LONGEST): string {
	if (text.length <= longest) {
		return visible(text);
	}
	const head = Math.floor(longest * 0.6);
	return `${visible(text.slice(0, head))}…${visible(text.slice(text.length - (longest - head)))}`;
}

/** For tooltips: more of it, still not megabytes. */
export function titleOf(text: string): string {
	return shown(text, LONGEST_TITLE);
}

const MOST_LINES = 40;

/** For tooltips of several lines: a line break is none of the text's own, which are made visible. */
export function titleOfLines(lines: readonly string[]): string {
	const more = lines.length - MOST_LINES;
	return [...lines.slice(0, MOST_LINES).map((line) => shown(line, 400)), ...(more > 0 ? [`… ${more} more`] : [])].join('\n');
}

export interface SplitName {
	/** `j.u.HashMap.`: packages by their first letters; `flate.(*compressor).` of `compress/flate.(*compressor).f`. */
	readonly holder: string;
	readonly name: string;
}

/** `traverseDoc file:///app/doc.mjs:186:21`, as V8 names functions. */
const PLACED = /^(.{1,200}?) ((?:[a-z][\w+.-]{0,20}:|\/|\[|[A-Z]:\\).{0,2000}:\d{1,9}:\d{1,9})$/;

/** Of `java.util.HashMap.merge`: what may be cut, and what may not. */
export function splitName(method: string): SplitName {
	const whole = withoutTypeArguments(method);
	const text = whole.length > 4 * LONGEST ? `${whole.slice(0, 2 * LONGEST)}…${whole.slice(-2 * LONGEST)}` : whole;
	if (text.startsWith('(')) {
		// A row that is no method: dots in it are those of a library or a function.
		return { holder: '', name: shown(text) };
	}
	const [, called, place] = PLACED.exec(text) ?? [];
	if (called !== undefined && place !== undefined) {
		return { holder: `${shown(place.slice(place.lastIndexOf('/') + 1))}\u00a0`, name: shown(called) };
	}
	const dot = text.slice(0, text.length - nativeTail(text).length).lastIndexOf('.');
	if (dot < 0) {
		return { holder: '', name: shown(text) };
	}
	const folders = goFolders(text.slice(0, dot));
	const parts = readable(text.slice(folders.length, dot)).split('.');
	const holder = parts.map((part, i) => (i === parts.length - 1 || folders !== '' || !/^[a-z]/.test(part) ? part : part.slice(0, 1))).join('.');
	return { holder: shown(`${holder}${holder.includes(LAMBDA) ? '\u00a0' : '.'}`), name: shown(text.slice(dot + 1)) };
}

const LAMBDA = '.λ';
/** Enough of an address to tell two classes of one name apart. */
const ADDRESS_DIGITS = 5;

/** `Words.λ40210` for `Words$$Lambda/0x0000000020040210`, `LambdaForm$MH/…41000`: classes without a name have a number of the JVM's, or an address. */
function readable(holder: string): string {
	const address = /[/+.]0x([0-9a-f]{1,16})$/i.exec(holder);
	const named = address === null ? holder : holder.slice(0, address.index);
	const digits = address?.[1]?.slice(-ADDRESS_DIGITS) ?? '';
	const lambda = /\$\$Lambda(?:\$(\d{1,10}))?$/.exec(named);
	return lambda === null ? `${named}${digits === '' ? '' : `/…${digits}`}` : `${named.slice(0, lambda.index)}${LAMBDA}${lambda[1] ?? digits}`;
}

/** As the page spells a method: what people type who read it there. */
export function displayedName(method: string): string {
	const { holder, name } = splitName(method);
	return `${holder.replace('\u00a0', ' ')}${name}`;
}

/** `(Object, Object, BiFunction)` of a descriptor of the JVM or of Graal's form. */
export function parametersOf(signature: string | null | undefined): string {
	if (signature == null) {
		return '';
	}
	const end = signature.lastIndexOf(')');
	const inside = signature.slice(1, end < 0 ? undefined : end).slice(0, 4000);
	if (!/^(?:\[*(?:[BCDFIJSZ]|L[^;]+;))*$/.test(inside)) {
		return shown(signature);
	}
	const names = [...inside.matchAll(/(\[{0,255})([BCDFIJSZ]|L[^;]{1,4000};)/g)].map(
		([, array = '', type = '']) => (PRIMITIVES[type] ?? simpleName(type)) + '[]'.repeat(array.length),
	);
	return shown(`(${names.join(', ')})`);
}

const PRIMITIVES: Record<string, string> = { B: 'byte', C: 'char', D: 'double', F: 'float', I: 'int', J: 'long', S: 'short', Z: 'boolean' };

function simpleName(type: string): string {
	return type.slice(1, -1).replace(/^.*[/$]/, '');
}

/** Names of functions without what stands around them: perf prints `std::sort<int*>` of `void std::sort<int*>(int*, int*) [clone .isra.0]`. */

const OPERATOR = 'operator';
/** How the demangler spells what GNU's calls a thunk. */
const THUNK = /^\{virtual override thunk\(\{offset\(-?\d+\)\}, (.*)\)\}$/;

/** Numbers among template arguments: `(unsigned long)16` is `16ul`. */
const NUMBER = /\((bool|int|unsigned int|long|unsigned long|long long|unsigned long long)\)(-?\d+)/g;
const SUFFIXES: Readonly<Record<string, string>> = {
	int: '',
	'unsigned int': 'u',
	long: 'l',
	'unsigned long': 'ul',
	'long long': 'll',
	'unsigned long long': 'ull',
};

function asLiteral(_text: string, type: string, digits: string): string {
	return type === 'bool' ? (digits === '0' ? 'false' : 'true') : `${digits}${SUFFIXES[type]}`;
}

/** A demangled function without its return type, its parameters and what stands behind them. What is no function stays as it is. */
export function withoutParameters(spelled: string): string {
	const meaning = spelled.replace(NUMBER, asLiteral).replaceAll(', >', '>');
	const [, thunkTo] = THUNK.exec(meaning) ?? [];
	if (thunkTo !== undefined) {
		return `non-virtual thunk to ${thunkTo}`;
	}
	const end = startOfParameters(meaning);
	if (end < 0) {
		return meaning;
	}
	const name = meaning.slice(0, end);
	return name.slice(startOfName(name));
}

/** The round bracket of the last parameter list outside of all others that is not part of a name; -1 where there is none. */
function startOfParameters(text: string): number {
	let depth = 0;
	for (let at = 0; at < text.length; at++) {
		const operator = depth === 0 ? operatorAt(text, at) : 0;
		if (operator > 0) {
			at += operator - 1;
			continue;
		}
		const character = text[at];
		if (character === '(' && depth === 0 && !text.startsWith('(anonymous namespace)', at)) {
			const behind = closing(text, at);
			// `f(int)::{lambda()#1}::operator()(int)`: what follows belongs to the name.
			if (!text.startsWith('::', behind)) {
				return at;
			}
			at = behind - 1;
		} else if (character === '(' || character === '<' || character === '{' || character === '[') {
			depth++;
		} else if (character === ')' || character === '>' || character === '}' || character === ']') {
			depth--;
		}
	}
	return -1;
}

/** Behind the bracket that closes the one at a position. */
function closing(text: string, start: number): number {
	let depth = 0;
	for (let at = start; at < text.length; at++) {
		depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
		if (depth === 0) {
			// `(int) const::{lambda()#1}`
			const [behind = ''] = /^ const(?=::)/.exec(text.slice(at + 1, at + 9)) ?? [];
			return at + 1 + behind.length;
		}
	}
	return text.length;
}

/** Behind the last blank outside of all brackets: before it stands the type of what is returned. */
function startOfName(name: string): number {
	let depth = 0;
	let start = 0;
	for (let at = 0; at < name.length; at++) {
		const operator = depth === 0 ? operatorAt(name, at) : 0;
		if (operator > 0) {
			// `operator unsigned int` has blanks of its own, and nothing stands behind it.
			return start;
		}
		const character = name[at];
		if (character === '(' || character === '<' || character === '{' || character === '[') {
			depth++;
		} else if (character === ')' || character === '>' || character === '}' || character === ']') {
			depth--;
		} else if (character === ' ' && depth === 0 && !name.startsWith(' const::', at)) {
			start = at + 1;
		}
	}
	return start;
}

/** The length of `operator<<` and the like at a position; 0: there is none. */
function operatorAt(text: string, at: number): number {
	if (!text.startsWith(OPERATOR, at) || /\w/.test(text[at - 1] ?? ' ')) {
		return 0;
	}
	const [sign = ''] = /^operator(?:\(\)|\[\]|<=>|->\*|->|<<=|>>=|<<|>>|<=|>=|<|>|(?=\W))/.exec(text.slice(at, at + 12)) ?? [];
	return sign.length;
}

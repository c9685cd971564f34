/** The names of functions of C that are native methods: "Resolving Native Method Names" in the JNI specification. */

const PREFIX = 'Java_';
const ESCAPES: Readonly<Record<string, string>> = { _1: '_', _2: ';', _3: '[' };

/** `java.util.zip.Deflater.deflateBytesBytes` of `Java_java_util_zip_Deflater_deflateBytesBytes`; null of another function. Overloaded ones have their arguments behind two underscores. */
export function methodOfJniFunction(symbol: string): string | null {
	if (!symbol.startsWith(PREFIX)) {
		return null;
	}
	const [name = ''] = symbol.slice(PREFIX.length).split(/__|@/);
	const method = name.replace(/_[123]|_0[0-9a-f]{4}|_/g, (text) =>
		text === '_' ? '.' : (ESCAPES[text] ?? String.fromCharCode(Number.parseInt(text.slice(2), 16))),
	);
	return method.includes('.') ? method : null;
}

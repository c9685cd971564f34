/**
 * Multi-method names of native images: `pkg.Class.method%%KEY(Args)`, where the key runs from `%%` to the last `(` and may
 * itself hold parentheses. Source: Graal's MultiMethod, as seen in optimization logs (JDK-25 level).
 */
const KEY_START = '%%';

export interface MultiMethodName {
	/** The name without the key. */
	readonly methodName: string;
	/** The key, null for an ordinary method. */
	readonly key: string | null;
}

/** Splits a name; null when a key starts and no `(` follows it. */
export function splitMultiMethodName(name: string): MultiMethodName | null {
	const keyStart = name.indexOf(KEY_START);
	if (keyStart < 0) {
		return { methodName: name, key: null };
	}
	const keyEnd = name.lastIndexOf('(');
	if (keyEnd < keyStart + KEY_START.length) {
		return null;
	}
	return {
		methodName: name.slice(0, keyStart) + name.slice(keyEnd),
		key: name.slice(keyStart + KEY_START.length, keyEnd),
	};
}

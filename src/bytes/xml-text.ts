/** Attributes and escapes of HotSpot's log: values in single quotes, five escapes, nothing else of XML. */

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', apos: "'", quot: '"' };

export function unescapeXml(text: string): string {
	return text.includes('&') ? text.replace(/&(lt|gt|amp|apos|quot);/g, (_, name: string) => ENTITIES[name]!) : text;
}

/** Attributes of one element, unescaped: a blank, a name of letters, digits, `_`, `:` and `-`, and the value. A log has millions. */
export function attributesOf(element: string): Map<string, string> {
	const result = new Map<string, string>();
	let from = 0;
	for (let equals = element.indexOf("='"); equals >= 0; equals = element.indexOf("='", Math.max(from, equals + 2))) {
		let name = equals;
		while (name > from && isOfName(element.charCodeAt(name - 1))) {
			name--;
		}
		if (name === equals || name === from || element.charCodeAt(name - 1) !== BLANK) {
			continue;
		}
		const end = element.indexOf("'", equals + 2);
		if (end < 0) {
			break;
		}
		result.set(element.slice(name, equals), unescapeXml(element.slice(equals + 2, end)));
		from = end + 1;
	}
	return result;
}

const BLANK = 0x20;

function isOfName(code: number): boolean {
	return (code >= 0x61 && code <= 0x7a) || code === 0x5f || (code >= 0x30 && code <= 0x3a) || (code >= 0x41 && code <= 0x5a) || code === 0x2d;
}

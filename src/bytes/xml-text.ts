/** Attributes and escapes of HotSpot's log: values in single quotes, five escapes, nothing else of XML. */

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', apos: "'", quot: '"' };

export function unescapeXml(text: string): string {
	return text.includes('&') ? text.replace(/&(lt|gt|amp|apos|quot);/g, (_, name: string) => ENTITIES[name]!) : text;
}

/** Attributes of one element, unescaped. */
export function attributesOf(element: string): Map<string, string> {
	const result = new Map<string, string>();
	for (const [, key = '', value = ''] of element.matchAll(/ ([\w:-]+)='([^']*)'/g)) {
		result.set(key, unescapeXml(value));
	}
	return result;
}

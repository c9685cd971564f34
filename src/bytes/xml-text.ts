/** Attributes and escapes of HotSpot's log: values in single quotes, five escapes, nothing else of XML. */

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', apos: "'", quot: '"' };

export function unescapeXml(text: string): string {
	return text.includes('&') ? text.replace(/&(lt|gt|amp|apos|quot);/g, (_, name: string) => ENTITIES[name]!) : text;
}

/** An attribute of one element, unescaped; undefined where it has none of that name. A quote in a value is escaped, so that what looks like an attribute is one. */
export function attributeOf(element: string, name: string): string | undefined {
	const start = element.indexOf(` ${name}='`);
	const from = start + name.length + 3;
	const end = start < 0 ? -1 : element.indexOf("'", from);
	return end < 0 ? undefined : unescapeXml(element.slice(from, end));
}

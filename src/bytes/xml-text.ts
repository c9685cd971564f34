/** Escapes of HotSpot's log: five, and nothing else of XML. */

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', apos: "'", quot: '"' };

export function unescapeXml(text: string): string {
	return text.includes('&') ? text.replace(/&(lt|gt|amp|apos|quot);/g, (_, name: string) => ENTITIES[name]!) : text;
}

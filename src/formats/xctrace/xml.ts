/** The XML that `xctrace export` writes, element by element, streaming and strict. */
import { SaxesParser } from 'saxes';
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import type { Problem } from '../../model/problem.js';

interface Handler {
	open(tag: { readonly name: string; readonly attributes: Record<string, string> }): void;
	text(part: string): void;
	close(name: string, attributes: Record<string, string>): void;
}

const STOPPED = Symbol('the XML is not well-formed');

/** Runs a handler over the XML of a source; the problem that ended it early, or null. */
export function parseXml(source: Source, handler: Handler): Problem | null {
	const parser = new SaxesParser<{ xmlns: false }>({ xmlns: false });
	let failure: string | null = null;
	// The parser would go on, and find an error in each character behind the first.
	parser.on('error', (error) => {
		failure ??= error.message;
		throw STOPPED;
	});
	parser.on('opentag', (tag) => handler.open(tag));
	parser.on('text', (part) => handler.text(part));
	parser.on('closetag', (tag) => handler.close(tag.name, tag.attributes));
	try {
		forEachLine(source, (line) => void parser.write(`${line}\n`));
		parser.close();
	} catch (error) {
		if (error !== STOPPED) {
			throw error;
		}
	}
	return failure === null
		? null
		: { severity: 'error', file: source.name, message: `the XML is not well-formed: ${failure}`, action: 'what stands before is read' };
}

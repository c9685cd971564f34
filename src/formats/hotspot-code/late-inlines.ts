/** The calls that C2 inlined after parsing, or tried to, as the JVM's log tells them in the task of a compilation: `<late_inline>`, with where each stands. */
import { readRange, type Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import { attributesOf } from '../../bytes/xml-text.js';
import type { CallPlace } from '../shared/hotspot/late-calls.js';
import type { CodeLog } from './scan.js';

/** Empty where the log tells of none. `compileId`: with a percent sign for on-stack replacement. */
export function readLateInlines(source: Source, { lateInlines, form }: Pick<CodeLog, 'lateInlines' | 'form'>, compileId: string | null): CallPlace[] {
	const range = lateInlines.get(compileId ?? '');
	if (range === undefined) {
		return [];
	}
	const bytes = readRange(source, range.from, range.to);
	// Of the many that a task names few are asked for.
	const classes = new Map<string, string>();
	const methods = new Map<string, string>();
	const nameOf = (id: string): string => {
		const line = methods.get(id);
		if (line === undefined) {
			return '';
		}
		const attributes = attributesOf(line);
		const holder = classes.get(attributes.get('holder') ?? '');
		return `${holder === undefined ? undefined : attributesOf(holder).get('name')}.${attributes.get('name')}`;
	};
	const result: CallPlace[] = [];
	let place: { method: string; bci: number }[] | null = null;
	for (const whole of decodeUtf8(bytes, 0, bytes.length).split('\n')) {
		const line = whole.slice(form.indent);
		if (line.startsWith('<klass ')) {
			classes.set(idOf(line), line);
		} else if (line.startsWith('<method ')) {
			methods.set(idOf(line), line);
		} else if (line.startsWith('<late_inline ')) {
			place = [];
		} else if (place !== null && line.startsWith('<jvms ')) {
			const attributes = attributesOf(line);
			place.push({ method: nameOf(attributes.get('method') ?? ''), bci: Number(attributes.get('bci')) });
		} else if (place !== null) {
			result.push(place);
			place = null;
		}
	}
	return result;
}

/** The JVM writes it first. */
const ID = / id='([^']*)'/;

function idOf(line: string): string {
	return ID.exec(line)?.[1] ?? '';
}

/**
 * The calls that C2 inlined after parsing, or tried to, as the JVM's log tells them in the task of a compilation: `<late_inline>`, with where each stands, and behind it
 * an `<intrinsic>` where it was expanded in place, as operations on vectors are.
 */
import { begins } from '../../bytes/begins.js';
import { readRange, type Source } from '../../bytes/source.js';
import { Element } from '../shared/hotspot/element.js';
import type { CallPlace } from '../shared/hotspot/late-calls.js';
import type { CodeLog } from './scan.js';

/**
 * Those that may describe what is not theirs. What an intrinsic is expanded to is described as its call, rightly; only the last one before the optimizer goes on lends
 * its position to what that makes. Empty where the log tells of none. `compileId`: with a percent sign for on-stack replacement.
 */
export function readLateInlines(source: Source, { lateInlines, form }: Pick<CodeLog, 'lateInlines' | 'form'>, compileId: string | null): CallPlace[] {
	const range = lateInlines.get(compileId ?? '');
	if (range === undefined) {
		return [];
	}
	const bytes = readRange(source, range.from, range.to);
	// Of the many that a task names few are asked for: of each where its line begins, by its id.
	const classes = new Map<number, number>();
	const methods = new Map<number, number>();
	const element = new Element();
	const readAt = (start: number | undefined): boolean => {
		if (start !== undefined) {
			element.read(bytes, start, endOfLine(bytes, start));
		}
		return start !== undefined;
	};
	const nameOf = (id: number): string => {
		if (!readAt(methods.get(id))) {
			return '';
		}
		const name = element.text('name');
		return `${readAt(classes.get(element.integer('holder'))) ? element.text('name') : undefined}.${name}`;
	};
	const result: CallPlace[] = [];
	let place: { method: string; bci: number }[] | null = null;
	/** Whether the last one of the result is an intrinsic, and nothing came behind it but what belongs to it. */
	let isExpanded = false;
	let justEnded = false;
	for (let from = 0; from < bytes.length; ) {
		const end = endOfLine(bytes, from);
		const start = from + form.indent;
		from = end + 1;
		if (begins(bytes, start, KLASS)) {
			classes.set(idAt(bytes, start + KLASS.length), start);
		} else if (begins(bytes, start, METHOD)) {
			methods.set(idAt(bytes, start + METHOD.length), start);
		} else if (begins(bytes, start, LATE_INLINE)) {
			place = [];
			if (isExpanded) {
				result.pop();
				isExpanded = false;
			}
		} else if (place !== null && begins(bytes, start, JVMS)) {
			element.read(bytes, start, end);
			const bci = element.integer('bci');
			place.push({ method: nameOf(element.integer('method')), bci });
		} else if (place !== null) {
			result.push(place);
			place = null;
			justEnded = true;
			continue;
		} else if (begins(bytes, start, INTRINSIC)) {
			isExpanded ||= justEnded;
		} else if (begins(bytes, start, LOOP_TREE) || begins(bytes, start, PHASE)) {
			isExpanded = false;
		}
		justEnded = false;
	}
	return result;
}

const LF = 10;
/** The JVM writes the id, a number, first. */
const KLASS = Buffer.from("<klass id='");
const METHOD = Buffer.from("<method id='");
const LATE_INLINE = Buffer.from('<late_inline ');
const JVMS = Buffer.from('<jvms ');
const INTRINSIC = Buffer.from('<intrinsic ');
/** The optimizer goes on. */
const LOOP_TREE = Buffer.from('<loop_tree>');
const PHASE = Buffer.from('<phase ');

function endOfLine(bytes: Uint8Array, from: number): number {
	const end = bytes.indexOf(LF, from);
	return end < 0 ? bytes.length : end;
}

function idAt(bytes: Uint8Array, start: number): number {
	let id = 0;
	for (let at = start; bytes[at]! >= 0x30 && bytes[at]! <= 0x39; at++) {
		id = 10 * id + bytes[at]! - 0x30;
	}
	return id;
}

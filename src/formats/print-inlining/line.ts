/**
 * A line of -XX:+PrintInlining (CompileTask::print_inlining_inner, InlinePrinter; JDK 17 to 25):
 *               s               @ 21   java.lang.StringBuffer::append (13 bytes)   inline (hot)
 * attributes of the callee (s synchronized, ! exception handlers, m monitors), two columns of indent for each level, bytecode index of the
 * call, callee, its size, what was decided. In JDK 25 C2 appends what it decides later at the same call:
 *   …   callee changed to  app.Mix$Ci::area (14 bytes)   inline (hot)    \-> TypeProfile (315832/631664 counts) = app/Mix$Ci
 * In JDK 17 the receivers' types stand in lines of their own.
 */
import { dottedHolder, dottedName } from '../shared/hotspot/compilation-line.js';

/** A class at a virtual call, and its part of the calls. */
export interface PrintedReceiver {
	/** Class, with dots. */
	readonly type: string;
	/** How often it was seen, of how many calls. */
	readonly count: number;
	readonly total: number;
}

export interface Verdict {
	/** Holder and name with dots. */
	readonly callee: string;
	/** `(JLLL)J` of a signature-polymorphic method, null of all others. */
	readonly signature: string | null;
	/** Bytecodes; null where its class is not loaded. */
	readonly calleeSizeBytes: number | null;
	/** HotSpot's words, without `failed to inline: `; C2's intrinsics `(intrinsic)`, virtual ones too. */
	readonly reason: string;
	/** Whether the callee's code, or an intrinsic's, takes the place of the call. */
	readonly isInlined: boolean;
	/** Whether it only says what came of an earlier decision (JDK 25: `late inline succeeded (string method)`). */
	readonly isRemark: boolean;
}

export interface InliningLine {
	/** Column of the `@`: two more for each level. */
	readonly column: number;
	readonly bci: number;
	readonly verdicts: readonly Verdict[];
	readonly receivers: readonly PrintedReceiver[];
}

type Callee = Pick<Verdict, 'callee' | 'signature' | 'calleeSizeBytes'>;

/** Column of the `@` of a call in the compilation's own method, without tiers; 30 with them. */
export const ROOT_COLUMN = 28;

const CALLEE = '(\\S{1,4000}?::\\S(?:(?!::).){0,1000}?) \\((?:(\\d{1,6}) bytes|not loaded|native)\\)';
const LINE = new RegExp(`^([ s!m]{20,4000})@ (-?\\d{1,6}) {1,4}${CALLEE}`);
const CHANGED = new RegExp(` {3}callee changed to {1,4}${CALLEE}`, 'y');
const TYPE_PROFILE = / {1,4000}\\-> TypeProfile \((\d{1,12})\/(\d{1,12}) counts\) = (\S+)/y;
const MESSAGE = / {3}(\S.*?)(?= {3}|\s{0,100}$)/y;
const FAILED = 'failed to inline: ';
/** A predicate of an intrinsic (is the receiver's class the one that it is for?) is asked before it, several times; the intrinsic itself follows. */
const PREDICATE = '(intrinsic, predicate)';
const REMARK = /^(?:late (?:inline|call)|failed to inline \(intrinsic\)$|\(intrinsic, predicate\)$)/;
const INLINED = /^(?:inline(?: \(hot\))?|accessor|force inline by .*|many throws|\(?intrinsic.*\)?|late inline succeeded.*)$/;

const OF_C1 =
	/^(?:inline|intrinsic|callee is too large|callee uses too much stack|no static binding|not inlineable|don't inline Throwable constructors|recursive inlining too deep|total inlining greater than .*|inlining prohibited by policy|callee's .*|MemberName not constant|jsrs .*|mdo allocation failed|intrinsic method inlining disabled|not static or statically bindable)$/;
/** Both compilers say these. */
const OF_BOTH = /^(?:force inline by .*|native method|inlining too deep|don't inline by annotation|receiver not constant|disallowed by .*|.*?ciReplay[\s\S]*)$/;

/** The call and what was decided; null if the text is no such line. */
export function parseInliningLine(text: string): InliningLine | null {
	const match = LINE.exec(text);
	if (match === null) {
		return null;
	}
	const [whole, indent = '', bci] = match;
	const first = calleeOf(match[3], match[4]);
	const verdicts: Verdict[] = [];
	const receivers: PrintedReceiver[] = [];
	let changed: Callee | null = null;
	let at = whole.length;
	while (at < text.length) {
		const receiver = receiverAt(text, at);
		const callee = receiver === null ? execAt(CHANGED, text, at) : null;
		const message = receiver === null && callee === null ? execAt(MESSAGE, text, at) : null;
		if (receiver !== null) {
			receivers.push(receiver);
			changed = null;
			at = TYPE_PROFILE.lastIndex;
		} else if (callee !== null) {
			changed = calleeOf(callee[1], callee[2]);
			at = CHANGED.lastIndex;
		} else if (message !== null) {
			// Only what follows directly is about the callee that it changed to.
			verdicts.push(verdictOf(changed ?? first, message[1]!));
			changed = null;
			at = MESSAGE.lastIndex;
		} else {
			break;
		}
	}
	return { column: indent.length, bci: Number(bci), verdicts, receivers };
}

/** A line that tells of a receiver's type and nothing else, and the column of the `@` above it; null if the text is none. */
export function parseReceiverLine(text: string): { readonly column: number; readonly receiver: PrintedReceiver } | null {
	const receiver = text.startsWith('          ') ? receiverAt(text, 0) : null;
	return receiver === null ? null : { column: text.indexOf('\\') - 1, receiver };
}

/** Whether a text begins as a whole line of inlining does, so that it is no rest of another. */
export function beginsInliningLine(text: string): boolean {
	return /^[ s!m]{20,4000}(?:@ -?\d|\\-> )/.test(text);
}

/** Whether a text may be the beginning of a line of inlining that was cut. */
export function isCutInliningLine(text: string): boolean {
	return (/^[ s!m]{4,4000}$/.test(text) && text.includes('    ')) || beginsInliningLine(text) || /^[ s!m]{20,4000}[@\\]/.test(text);
}

/** Whether the line of a compilation, whose size ends at `endOfSize`, tells that it begins. */
export function isBegin(text: string, endOfSize: number): boolean {
	return !/^ {3}(?:made|COMPILE)/.test(text.slice(endOfSize));
}

/** The compiler that says so; null where both do. */
export function compilerOf(line: InliningLine): 'c1' | 'c2' | null {
	if (line.receivers.length > 0 || line.verdicts.length > 1) {
		return 'c2';
	}
	const reason = line.verdicts[0]?.reason ?? '';
	if (OF_C1.test(reason)) {
		return 'c1';
	}
	return OF_BOTH.test(reason) || reason === '' ? null : 'c2';
}

function execAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
	pattern.lastIndex = at;
	return pattern.exec(text);
}

function receiverAt(text: string, at: number): PrintedReceiver | null {
	const match = execAt(TYPE_PROFILE, text, at);
	return match === null ? null : { type: dottedHolder(match[3]!), count: Number(match[1]), total: Number(match[2]) };
}

function calleeOf(name = '', size: string | undefined): Callee {
	const { method, signature } = dottedName(name);
	return { callee: method, signature, calleeSizeBytes: size === undefined ? null : Number(size) };
}

function verdictOf(callee: Callee, message: string): Verdict {
	const hasFailed = message.startsWith(FAILED);
	const text = hasFailed ? message.slice(FAILED.length) : message;
	return {
		...callee,
		reason: text !== PREDICATE && /^\(intrinsic, .*\)$/.test(text) ? '(intrinsic)' : text,
		isInlined: !hasFailed && INLINED.test(text),
		isRemark: REMARK.test(text),
	};
}

/**
 * The code that HotSpot printed (-XX:+PrintAssembly, PrintStubCode, PrintInterpreter) and logged (-XX:+LogCompilation), found in one pass:
 * which pieces there are, from when on they lay where, and in which bytes of the file their text stands. The text itself is
 * read on demand (read-text.ts), so memory grows with the number of pieces.
 *
 * Several threads write into a LogFile; `<writer thread='N'/>` marks each switch, so a piece may stand in several byte ranges. On standard
 * output there are no such marks, and the program's own output in between. JMH's saved log is a LogFile behind columns of counts.
 */

import { begins } from '../../bytes/begins.js';
import { forEachLineOfBytes, type Passage } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import { unescapeXml } from '../../bytes/xml-text.js';
import { codeMap, installationOfStub } from '../../model/code-map.js';
import type { CodeKind, GeneratedCode } from '../../model/generated-code.js';
import { compiledName } from '../../model/method-name.js';
import { namesakesOf } from '../../model/namesakes.js';
import type { Problem } from '../../model/problem.js';
import { Element } from '../shared/hotspot/element.js';
import { PRINTED_CODE } from '../shared/hotspot/printed-code-lines.js';

export interface LoggedCode extends GeneratedCode {
	/** Pairs of offsets [from, to) of its printed text, or of its bytes in an agent's log; empty where neither is there. */
	readonly textRanges: readonly number[];
}

export interface CodeLog {
	readonly code: readonly LoggedCode[];
	/** Process id of the JVM; null where the log does not say. */
	readonly processId: number | null;
	/** When the JVM started, in milliseconds since 1970; stamps count from there. */
	readonly startedEpochMs: number | null;
	/** `linux-amd64`, `bsd-aarch64`; null where the log does not say. */
	readonly platform: string | null;
	/** The JVM's version line, null where there is none. */
	readonly version: string | null;
	/** How its lines are written. */
	readonly form: TextForm;
	/** By compile id, with a percent sign for on-stack replacement: the bytes [from, to) of tasks in which C2 inlined calls after parsing (late-inlines.ts). */
	readonly lateInlines: ReadonlyMap<string, { readonly from: number; readonly to: number }>;
	/** Seconds that CLOCK_MONOTONIC is ahead of real time, where the file itself says so: agents' logs do. */
	readonly monotonicMinusRealtimeSeconds?: number;
	/** The JVM is older than `startedEpochMs`: that is when somebody began to watch it. */
	readonly isOlder?: boolean;
	readonly problems: readonly Problem[];
}

export interface TextForm {
	/** Characters before each line: the columns of JMH's saved log. */
	readonly indent: number;
	/** Whether text is XML-escaped. */
	readonly isEscaped: boolean;
}

/** `Compiled method (c2) 2558  399 %     4       java.lang.StringLatin1::indexOfChar @ 7 (33 bytes)` */
const HEADER =
	/Compiled method \(([^)]{0,20})\)\s{1,20}(\d{1,15})\s{1,20}(\d{1,15})(\s[%s!bn\s]{0,40})(\d|-|\s)\s{1,20}(?!\s)(.{1,5000}?)(?: @ (-?\d{1,10}))? \((?:\d{1,10} bytes|native)\)/;
/** `StubRoutines::dlog [0x…, 0x…] (625 bytes)`, `pop  87 pop  [0x…, 0x…]  32 bytes`, `Decoding RuntimeStub - name 0x… [0x…, 0x…] (80 bytes)` */
const CODELET = /^(Decoding )?(.*?) {0,100}\[0x([0-9a-f]{1,16}), 0x([0-9a-f]{1,16})[\][](?: {1,2}| \()\d+ bytes/;
/** `argument handler #0 for: static java.lang.System.registerNatives()V (fingerprint = 29, 11 bytes generated)`; `i2c argument handler …` */
const ARGUMENT_HANDLER = /^((?:i2c )?argument handler) (?:#\d+ )?for: (.*) \([^()]{0,200}\d bytes generated\)/;
const EXTENT = /\[0x([0-9a-f]{1,16}),0x([0-9a-f]{1,16})\]/;
const PLATFORM = / for (\w+-\w+) JRE/;
/** Elements of HotSpot's log around code: on standard output a program prints others. */
const LOG_ELEMENT =
	/^<(?:\?xml|\/?(?:hotspot_log|tty|writer|nmethod|print_nmethod|print_native_nmethod|task_queued|make_not_entrant|uncommon_trap|compilation_log)\b)/;

const WRITER = Buffer.from('<writer thread=');
const INFO = Buffer.from('<info>');
const NMETHOD = Buffer.from('<nmethod ');
const NOT_ENTRANT = Buffer.from('<make_not_entrant ');
const QUEUED = Buffer.from('<task_queued ');
const LOG = Buffer.from('<hotspot_log ');
const TASK = Buffer.from('<task ');
const TASK_END = Buffer.from('</task>');
const LATE_INLINE = Buffer.from('<late_inline ');

const SPACE = 0x20;
const SLASH = 0x2f;
const GREATER_THAN = 0x3e;
const LESS_THAN = 0x3c;
const BRACKET = 0x5b;
const DASH = 0x2d;
const CAPITAL_D = 0x44;
const CAPITAL_M = 0x4d;

/** Never throws on content. */
export function scanCode(source: Source): CodeLog {
	return new Scanner(source.name).scan(source);
}

interface Draft {
	kind: CodeKind;
	name: string;
	signature: string | null;
	compileId: string | null;
	compiler: string | null;
	level: number | null;
	osrBci: number | null;
	/** NaN until it is known. */
	start: number;
	end: number;
	isExtentKnown: boolean;
	installedSeconds: number | null;
	notEntrant: { seconds: number; reason: string | null } | null;
	textRanges: number[];
	/** Of the method's bytecode; null where no <nmethod> element tells. */
	bytecodeBytes: number | null;
	/** Whether an <nmethod> element told of it. */
	isLogged: boolean;
	/** The last stamp that the log had when it was told. */
	toldSeconds: number;
}

/** What a thread is printing. */
interface Writer {
	draft: Draft | null;
	/** Where the range began that is being read; -1 while another thread writes. */
	from: number;
}

/** Whether an element may be one that {@link Scanner} reads, by its first letters: most are of compilers, about what they decided. */
function isOfCode(bytes: Uint8Array, start: number): boolean {
	const second = bytes[start + 2];
	switch (bytes[start + 1]) {
		case 0x6e: // nmethod
			return second === 0x6d;
		case 0x6d: // make_not_entrant
			return second === 0x61;
		case 0x74: // task_queued
			return second === 0x61 && bytes[start + 5] === 0x5f;
		case 0x69: // info
			return second === 0x6e && bytes[start + 3] === 0x66;
		case 0x68: // hotspot_log
		case 0x77: // writer
			return true;
		default:
			return false;
	}
}

/** `<task `, `</task>` and `<late_inline `, by their first letters. */
function isOfTask(bytes: Uint8Array, start: number): boolean {
	const second = bytes[start + 1];
	return second === 0x74
		? bytes[start + 2] === 0x61 && bytes[start + 5] === SPACE
		: second === 0x2f
			? bytes[start + 2] === 0x74 && bytes[start + 6] === 0x3e
			: second === 0x6c && bytes[start + 2] === 0x61;
}

class Scanner {
	private readonly file: string;
	private readonly read = new Element();
	private readonly drafts: Draft[] = [];
	private readonly newest = new Map<string, Draft>();
	private readonly newestOfId = new Map<string, Draft>();
	private readonly writers = new Map<string, Writer>();
	private readonly osrBcis = new Map<string, number>();
	private writer: Writer = { draft: null, from: -1 };
	private indent = -1;
	private isEscaped = false;
	private processId: number | null = null;
	private startedEpochMs: number | null = null;
	private platform: string | null = null;
	private version: string | null = null;
	private isInfoNext = false;
	private linesOutside = 0;
	private cutElements = 0;
	private task: { readonly id: string; readonly from: number; isLate: boolean } | null = null;
	private readonly lateInlines = new Map<string, { from: number; to: number }>();
	/** The largest stamp so far. */
	private lastSeconds = Number.NEGATIVE_INFINITY;
	private withoutExtent = 0;

	constructor(file: string) {
		this.file = file;
		this.writers.set('', this.writer);
	}

	scan(source: Source): CodeLog {
		let endOffset = 0;
		const take = (bytes: Uint8Array, start: number, end: number, offset: number): void => {
			endOffset = offset + end - start;
			if (this.indent < 0) {
				this.indent = columnsBeforeLog(bytes, start, end);
			}
			if (end - start > this.indent) {
				this.line(bytes, start + this.indent, end, offset);
			}
		};
		// Of code whose header told where it lies nothing is read here.
		const isBefore: Passage['isBefore'] = (bytes, start, end) => this.writer.draft?.isExtentKnown === true && PRINTED_CODE.isBefore(bytes, start, end);
		forEachLineOfBytes(source, take, undefined, { isBefore, goesOn: PRINTED_CODE.goesOn, of: PRINTED_CODE });
		// A log that is cut ends within code.
		endOffset = Math.max(endOffset, source.sizeBytes - 1);
		this.endTask(endOffset);
		const open = [...this.writers.values()].filter(({ draft }) => draft !== null);
		const unfinished = open.filter(({ draft }) => draft?.compileId != null).length;
		for (const writer of open) {
			this.writer = writer;
			this.close(writer.from < 0 ? -1 : endOffset);
		}
		const stamped = codeMap(this.drafts.filter(({ installedSeconds }) => installedSeconds !== null));
		const namesakes = namesakesOf(
			this.drafts.map((draft) => ({ ...draft, method: draft.name })),
			new Map(),
		);
		const codeOf = ({ isLogged: _, isExtentKnown: __, bytecodeBytes: ___, toldSeconds, ...code }: Draft, at: number): LoggedCode => {
			const namesake = namesakes[at];
			return {
				...code,
				...(namesake == null ? {} : { namesake }),
				...(code.kind === 'stub' ? { installedSeconds: installationOfStub(stamped, code, toldSeconds) } : {}),
			};
		};
		return {
			code: this.drafts.map(codeOf),
			processId: this.processId,
			startedEpochMs: this.startedEpochMs,
			platform: this.platform,
			version: this.version,
			form: { indent: Math.max(this.indent, 0), isEscaped: this.isEscaped },
			lateInlines: this.lateInlines,
			problems: this.problems(unfinished),
		};
	}

	private line(bytes: Uint8Array, start: number, end: number, offset: number): void {
		const first = bytes[start]!;
		if (first === SPACE) {
			if (bytes[start + 1] === SPACE) {
				this.assemblyLine(bytes, start, end);
			} else if (this.writer.draft !== null) {
				this.extentLine(decodeUtf8(bytes, start, end));
			}
		} else if (first === LESS_THAN) {
			if (this.isEscaped && !isOfCode(bytes, start)) {
				this.isInfoNext = false;
				this.close(offset);
				if (isOfTask(bytes, start)) {
					this.taskElement(bytes, start, end, offset);
				}
			} else {
				this.element(bytes, start, end, offset);
			}
		} else if (first === BRACKET) {
			// [/Disassembly], [/MachCode]
			if (bytes[start + 1] === 0x2f && (bytes[start + 2] === CAPITAL_D || bytes[start + 2] === CAPITAL_M)) {
				this.close(offset + end - start + this.indent);
			}
		} else if (first === DASH) {
			if (end - start > 10 && bytes[start + 7] === 0x45 && decodeUtf8(bytes, start, end).startsWith('- - - [END]')) {
				this.close(offset);
			}
		} else if (first !== 0x3d) {
			this.otherLine(bytes, start, end, offset);
		}
	}

	/** A line of code, or a comment: read later. Where the header told no extent, the addresses do. */
	private assemblyLine(bytes: Uint8Array, start: number, end: number): void {
		const { draft } = this.writer;
		if (draft?.isExtentKnown) {
			return;
		}
		if (bytes[start + 2] !== 0x30 || bytes[start + 3] !== 0x78) {
			return;
		}
		if (draft === null) {
			this.linesOutside++;
			return;
		}
		const address = Number.parseInt(decodeUtf8(bytes, start + 4, Math.min(end, start + 20)), 16);
		if (!Number.isNaN(address)) {
			draft.start = Number.isNaN(draft.start) ? address : draft.start;
			draft.end = address + 1;
		}
	}

	/** ` main code      [0x…,0x…] = 480`, ` stub code      [0x…,0x…] = 48` */
	private extentLine(line: string): void {
		const { draft } = this.writer;
		const isMain = line.startsWith(' main code');
		if (draft === null || (!isMain && !line.startsWith(' stub code'))) {
			return;
		}
		const [, from = '', to = ''] = EXTENT.exec(line) ?? [];
		const start = Number.parseInt(from, 16);
		const end = Number.parseInt(to, 16);
		if (isMain && start < end) {
			draft.start = start;
			draft.end = end;
			draft.isExtentKnown = true;
		} else if (start < end && start >= draft.end) {
			draft.end = end;
		}
	}

	private element(bytes: Uint8Array, start: number, end: number, offset: number): void {
		if (begins(bytes, start, WRITER)) {
			this.switchTo(decodeUtf8(bytes, start, end), offset);
			return;
		}
		this.isEscaped ||= LOG_ELEMENT.test(decodeUtf8(bytes, start, end));
		if (!this.isEscaped) {
			return;
		}
		this.isInfoNext = end - start === INFO.length && begins(bytes, start, INFO);
		this.close(offset);
		const { read } = this;
		read.read(bytes, start, end);
		if (begins(bytes, start, NMETHOD)) {
			this.nmethod(read, bytes[end - 2] === SLASH && bytes[end - 1] === GREATER_THAN);
		} else if (begins(bytes, start, NOT_ENTRANT)) {
			this.madeNotEntrant(read);
		} else if (begins(bytes, start, QUEUED) && read.is('compile_kind', 'osr')) {
			this.osrBcis.set(read.text('compile_id') ?? '', Number(read.text('osr_bci') ?? Number.NaN));
		} else if (begins(bytes, start, LOG)) {
			this.processId ??= numberOr(read.text('process'), null);
			this.startedEpochMs ??= numberOr(read.text('time_ms'), null);
		}
	}

	private taskElement(bytes: Uint8Array, start: number, end: number, offset: number): void {
		if (begins(bytes, start, LATE_INLINE)) {
			if (this.task !== null) {
				this.task.isLate = true;
			}
			return;
		}
		if (begins(bytes, start, TASK_END)) {
			this.endTask(offset);
		} else if (begins(bytes, start, TASK)) {
			this.endTask(offset);
			const { read } = this;
			read.read(bytes, start, end);
			this.task = { id: idOf(read), from: offset, isLate: false };
		}
	}

	private endTask(offset: number): void {
		if (this.task?.isLate) {
			this.lateInlines.set(this.task.id, { from: this.task.from, to: offset });
		}
		this.task = null;
	}

	private switchTo(line: string, offset: number): void {
		this.pause(offset);
		const thread = /'([^']*)'/.exec(line)?.[1] ?? '';
		let writer = this.writers.get(thread);
		if (writer === undefined) {
			writer = { draft: null, from: -1 };
			this.writers.set(thread, writer);
		}
		this.writer = writer;
		if (writer.draft !== null) {
			writer.from = offset + line.length + this.indent;
		}
	}

	private pause(offset: number): void {
		const { draft, from } = this.writer;
		if (draft !== null && from >= 0 && offset > from) {
			draft.textRanges.push(from, offset);
		}
		this.writer.from = -1;
	}

	private otherLine(bytes: Uint8Array, start: number, end: number, offset: number): void {
		if (this.isInfoNext) {
			this.version ??= decodeUtf8(bytes, start, end);
			this.platform ??= PLATFORM.exec(this.version)?.[1] ?? null;
			this.isInfoNext = false;
			return;
		}
		const last = bytes[end - 1];
		// Every header ends `bytes`, `bytes)` or `(native)`, or is followed by what another thread printed.
		if (last !== 0x73 && last !== 0x29 && !(bytes[start] === 0x43 && bytes[start + 9] === 0x6d)) {
			return;
		}
		const line = decodeUtf8(bytes, start, end);
		const header = line.includes('Compiled method (') ? HEADER.exec(line) : null;
		if (header !== null) {
			this.open(this.draftOfHeader(header), offset);
			return;
		}
		const handler = line.includes('argument handler') ? ARGUMENT_HANDLER.exec(line) : null;
		if (handler !== null) {
			this.open(emptyDraft('stub', `${handler[1]} for ${handler[2]}`, Number.NaN, Number.NaN), offset);
			return;
		}
		const codelet = line.includes('[0x') ? CODELET.exec(line) : null;
		if (codelet !== null) {
			const [, decoding, name = '', from = '', to = ''] = codelet;
			const kind = decoding === undefined && !line.endsWith(')') ? 'interpreter' : 'stub';
			this.open(emptyDraft(kind, stubName(name, kind), Number.parseInt(from, 16), Number.parseInt(to, 16)), offset);
		}
	}

	private draftOfHeader([, compiler = '', stampMs, id = '', attributes = '', level = '', method = '', osrBci]: RegExpExecArray): Draft {
		const isNative = attributes.includes('n') || compiler === 'n/a';
		// `java.lang.invoke.MethodHandle::linkToStatic(LLLL)L`
		const text = (this.isEscaped ? unescapeXml(method) : method).replace(/\([\s\S]*/, '');
		return {
			...emptyDraft(isNative ? 'native wrapper' : 'compilation', text.replace('::', '.'), Number.NaN, Number.NaN),
			compileId: attributes.includes('%') ? `${id}%` : id,
			compiler: isNative ? null : compiler.toLowerCase(),
			level: numberOr(level, null),
			osrBci: osrBci === undefined ? null : Number(osrBci),
			installedSeconds: Number(stampMs) / 1000,
		};
	}

	private open(draft: Draft, offset: number): void {
		this.close(offset);
		this.writer.draft = draft;
		this.writer.from = offset;
	}

	/** What the current thread prints ends before `offset`. */
	private close(offset: number): void {
		const { draft } = this.writer;
		if (draft === null) {
			return;
		}
		this.pause(offset);
		this.writer.draft = null;
		if (Number.isNaN(draft.start) || !(draft.end > draft.start) || draft.end > Number.MAX_SAFE_INTEGER) {
			this.withoutExtent++;
			return;
		}
		const known = this.newest.get(keyOf(draft));
		if (known === undefined || (!known.isLogged && known.installedSeconds !== draft.installedSeconds)) {
			this.add(draft);
		} else if (textLength(known) < textLength(draft)) {
			// Printed by itself after it was logged, or printed twice.
			known.textRanges = draft.textRanges;
			known.start = draft.start;
			known.end = draft.end;
			known.osrBci ??= draft.osrBci;
		}
	}

	private add(draft: Draft): void {
		this.lastSeconds = Math.max(this.lastSeconds, draft.installedSeconds ?? this.lastSeconds);
		draft.toldSeconds = this.lastSeconds;
		this.drafts.push(draft);
		this.newest.set(keyOf(draft), draft);
		if (draft.compileId !== null) {
			this.newestOfId.set(draft.compileId, draft);
		}
	}

	/** One line, whole: `<nmethod compile_id='1' compiler='c1' level='3' entry='0x…' size='760' address='0x…' … stamp='0.155'/>` */
	private nmethod(element: Element, isWhole: boolean): void {
		const id = element.text('compile_id');
		const start = Number.parseInt(element.text('entry') ?? '', 16);
		const sizeBytes = Number(element.text('size') ?? Number.NaN);
		const [holder, methodName, signature] = (element.text('method') ?? '').split(' ');
		if (!isWhole || id === null || methodName === undefined || !(start > 0) || !(sizeBytes > 0)) {
			this.cutElements++;
			return;
		}
		const kind = element.word('compile_kind');
		const address = Number.parseInt(element.text('address') ?? '', 16);
		const isOsr = kind === 'osr';
		const installedSeconds = numberOr(element.text('stamp'), null);
		const draft: Draft = {
			...emptyDraft(kind === null || isOsr ? 'compilation' : 'native wrapper', `${holder}.${methodName}`, start, (address > 0 ? address : start) + sizeBytes),
			signature: signature ?? null,
			compileId: isOsr ? `${id}%` : id,
			compiler: element.word('compiler') || null,
			level: numberOr(element.text('level'), null),
			osrBci: isOsr ? (this.osrBcis.get(id) ?? null) : null,
			installedSeconds,
			bytecodeBytes: numberOr(element.text('bytes'), null),
			isLogged: true,
		};
		const known = this.newest.get(keyOf(draft));
		// Printed code has the plain name.
		const name = compiledName(draft.name, element.text('jvmci_mirror_name'));
		if (known === undefined || (known.isLogged && known.installedSeconds !== installedSeconds)) {
			this.add(draft);
			draft.name = name;
		} else if (!known.isLogged) {
			Object.assign(known, draft, { name, textRanges: known.textRanges, start: known.start, end: known.end, osrBci: draft.osrBci ?? known.osrBci });
		}
	}

	private madeNotEntrant(element: Element): void {
		const seconds = numberOr(element.text('stamp'), null);
		const draft = this.newestOfId.get(idOf(element));
		if (draft !== undefined && seconds !== null) {
			this.lastSeconds = Math.max(this.lastSeconds, seconds);
			draft.notEntrant ??= { seconds, reason: element.word('reason') };
		}
	}

	private problems(open: number): Problem[] {
		const result: Problem[] = [];
		const warn = (count: number, message: string, action: string): void => {
			if (count > 0) {
				result.push({ severity: 'warning', file: this.file, message: `${count} ${message}`, action });
			}
		};
		warn(this.linesOutside, 'lines of assembly stand outside of any piece of code (its first line is missing)', 'they are left out');
		warn(this.cutElements, '<nmethod> elements are cut', 'the code is known only where it was printed too');
		warn(this.withoutExtent, 'pieces of code do not say where they lie', 'they are left out');
		warn(open, 'pieces of code are not finished when the log ends', 'they are read as far as they go');
		return result;
	}
}

/** With a percent sign for on-stack replacement. */
function idOf(element: Element): string {
	return `${element.text('compile_id') ?? undefined}${element.is('compile_kind', 'osr') ? '%' : ''}`;
}

/** JMH writes its columns before every line: the element that begins a log then is not at the start of its line. */
function columnsBeforeLog(bytes: Uint8Array, start: number, end: number): number {
	let at = start;
	while (at < end && bytes[at] === SPACE) {
		at++;
	}
	return at < end && bytes[at] === LESS_THAN && LOG_ELEMENT.test(decodeUtf8(bytes, at, end)) ? at - start : 0;
}

function emptyDraft(kind: CodeKind, name: string, start: number, end: number): Draft {
	return {
		kind,
		name,
		signature: null,
		compileId: null,
		compiler: null,
		level: null,
		osrBci: null,
		start,
		end,
		isExtentKnown: !Number.isNaN(end),
		installedSeconds: null,
		notEntrant: null,
		textRanges: [],
		bytecodeBytes: null,
		isLogged: false,
		toldSeconds: Number.NEGATIVE_INFINITY,
	};
}

/** `RuntimeStub - ic_miss_stub 0x00007f61b4989110` is ic_miss_stub; `pop  87 pop` is the codelet of the bytecode pop. */
function stubName(text: string, kind: CodeKind): string {
	if (kind === 'interpreter') {
		return onceNamed(text).trim();
	}
	return text.replace(/ 0x[0-9a-f]+$/, '').replace(/^RuntimeStub - /, '');
}

/** `pop` of `pop  87 pop`. */
function onceNamed(text: string): string {
	for (let digits = 1; digits <= 4; digits++) {
		const length = (text.length - digits - 3) / 2;
		if (length > 0 && Number.isInteger(length) && /^ {2}\d+ $/.test(text.slice(length, -length)) && text.startsWith(text.slice(-length))) {
			return text.slice(0, length);
		}
	}
	return text;
}

/** What is the same in the log and where it was printed; logs of two JVMs in one file may use ids and addresses again. */
function keyOf({ compileId, name, start }: Draft): string {
	return `${compileId} ${name} ${start}`;
}

function textLength({ textRanges }: Draft): number {
	let result = 0;
	for (let i = 0; i < textRanges.length; i += 2) {
		result += textRanges[i + 1]! - textRanges[i]!;
	}
	return result;
}

function numberOr<T>(text: string | null | undefined, otherwise: T): number | T {
	return text == null || text.trim() === '' || Number.isNaN(Number(text)) ? otherwise : Number(text);
}

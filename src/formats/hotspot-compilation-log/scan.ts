/**
 * The compilations in a HotSpot log (-XX:+LogCompilation), found in one pass over its lines: the life of each, and in which bytes its
 * decisions stand, which are read on demand (read-task.ts).
 *
 * While the JVM runs, its threads write into the LogFile what concerns all (`<tty>`: queued, installed, made not entrant, traps that were
 * hit), and each compiler thread its tasks into a file of its own in the temporary folder, hs_c<thread>_pid<process>.log; when the JVM ends, those are appended
 * (`<compilation_log>`, with a task that is not done in a CDATA `<fragment>`). A JVM that is killed leaves all of them as they are, cut
 * anywhere. Only whole elements count; text of the JVM or the program between them is passed over.
 */

import { forEachLineOfBytes } from '../../bytes/lines.js';
import { memorySource, type Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import { unescapeXml } from '../../bytes/xml-text.js';
import type { Deoptimization } from '../../model/jit-compilation.js';
import { compiledName } from '../../model/method-name.js';
import type { Problem } from '../../model/problem.js';
import { Element } from '../shared/hotspot/element.js';
import { PRINTED_CODE } from '../shared/hotspot/printed-code-lines.js';
import { type Draft, JvmDraft, type LoggedHistory, methodOf } from './jvm-draft.js';
import { countsOf, deoptimizationOf, OpenTask } from './open-task.js';
import { LifeWord, wordAt } from './words.js';

export interface ScannedCompilations {
	/** One item a JVM. */
	readonly histories: readonly LoggedHistory[];
	readonly problems: readonly Problem[];
}

const SPACE = 0x20;
const LETTER_C = 0x63;
const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;
const BRACKET = 0x5d;
const LETTER_T = 0x74;
const END_TASK = '</task>';

/** Most lines are none of these: one look tells. */
const LIFE_WORDS = new Set<number>(Object.values(LifeWord));

/** The files of one or several JVMs, in any order. Never throws on content. */
export function scanCompilations(sources: readonly Source[]): ScannedCompilations {
	const scanner = new Scanner();
	for (const source of sources) {
		scanner.scan(source);
	}
	return scanner.finish();
}

class Scanner {
	private readonly jvms: JvmDraft[] = [];
	private readonly problems: Problem[] = [];
	private readonly element = new Element();
	private source: Source = memorySource('', new Uint8Array(0));
	private jvm = new JvmDraft(null);
	private threadId: number | null = null;
	/** The task whose record is being passed over. */
	private task: OpenTask | null = null;
	private isFragment = false;
	/** A trap that was hit: the next <jvms> tells where. */
	private trap: { readonly draft: Draft; place: Deoptimization } | null = null;
	/** What the next line of text is. */
	private expected: 'info' | 'args' | 'command' | null = null;
	private cutElements = 0;
	private cutTasks = 0;
	private unknown = 0;

	scan(source: Source): void {
		this.source = source;
		this.jvm = new JvmDraft(null);
		this.jvms.push(this.jvm);
		this.threadId = null;
		this.cutElements = 0;
		this.cutTasks = 0;
		this.unknown = 0;
		let endOffset = 0;
		const take = (bytes: Uint8Array, start: number, end: number, offset: number): void => {
			endOffset = offset + end - start;
			let at = start;
			while (at < end && bytes[at] === SPACE) {
				at++;
			}
			if (bytes[at] === LESS_THAN && end - at > 4) {
				this.line(bytes, at, end, offset + at - start, endOffset);
			} else if (at < end) {
				this.text(bytes, at, end, offset + at - start, endOffset);
			}
		};
		forEachLineOfBytes(source, take, undefined, PRINTED_CODE);
		this.closeTask(endOffset, false);
		this.trap = null;
		this.noteProblems();
	}

	finish(): ScannedCompilations {
		const histories = this.jvms.filter(({ compilations }) => compilations.length > 0).map((jvm) => jvm.finish());
		for (const jvm of this.jvms) {
			if (jvm.threadFiles.length > 0 && !jvm.hasRecords && jvm.compilations.length > 0) {
				this.problems.push({
					severity: 'warning',
					file: this.source.name,
					message: jvm.isDone
						? 'the log has its end, and not the records of the compiler threads'
						: 'the log ends without the records of the compiler threads: the JVM was killed',
					action: `what its compilers decided is missing; give the files too that it leaves behind: ${jvm.threadFiles.slice(0, 4).join(', ')}`,
				});
			}
		}
		return { histories, problems: this.problems };
	}

	private line(bytes: Uint8Array, start: number, end: number, offset: number, endOffset: number): void {
		const tag = wordAt(bytes, start);
		if (!LIFE_WORDS.has(tag)) {
			return;
		}
		switch (tag) {
			case LifeWord.trap:
				// Those without a thread are places in compiled code, inside a task.
				if (bytes[start + 15] === LETTER_T) {
					this.whole(bytes, start, end, offset, endOffset);
				}
				return;
			case LifeWord.jvms:
				if (this.trap !== null) {
					this.whole(bytes, start, end, offset, endOffset);
				}
				return;
			case LifeWord.endTask:
				// A log that is cut there has the task open.
				if (bytes[start + END_TASK.length - 1] === GREATER_THAN) {
					this.closeTask(endOffset, true);
				}
				return;
			case LifeWord.endTrap:
			case LifeWord.endDeoptimized:
				this.trap = null;
				return;
			case LifeWord.endCompilationLog:
				// Its first four bytes are those of </command> too.
				this.expected = null;
				this.closeTask(offset, false);
				this.threadId = null;
				return;
			case LifeWord.fragment:
				this.isFragment = true;
				return;
			case LifeWord.info:
				this.expected = 'info';
				return;
			case LifeWord.args:
				this.expected = 'args';
				return;
			case LifeWord.command:
				this.expected = end - start === '<command>'.length ? 'command' : null;
				return;
			default:
				this.whole(bytes, start, end, offset, endOffset);
		}
	}

	/** A line that does not begin with an element: text of the JVM, or an element behind what somebody else printed. */
	private text(bytes: Uint8Array, start: number, end: number, offset: number, endOffset: number): void {
		if (this.expected !== null) {
			const text = unescapeXml(decodeUtf8(bytes, start, end));
			if (this.expected === 'info') {
				this.jvm.version ??= text;
			} else if (this.expected === 'command') {
				this.jvm.command ??= text.replace(/<\/command>$/, '').trim();
			} else {
				this.jvm.arguments ??= text.replace(/<\/args>$/, '').trim();
			}
			this.expected = null;
		} else if (bytes[start] === BRACKET && bytes[end - 1] === GREATER_THAN && end - start === 3) {
			this.closeTask(offset, false);
			this.isFragment = false;
		} else if (bytes[end - 1] === GREATER_THAN) {
			const at = lastElement(bytes, start, end);
			if (at >= 0 && end - at > 4) {
				this.line(bytes, at, end, offset + at - start, endOffset);
			}
		}
	}

	private whole(bytes: Uint8Array, start: number, end: number, offset: number, endOffset: number): void {
		this.element.read(bytes, start, end);
		if (bytes[end - 1] !== GREATER_THAN || !this.element.isWhole()) {
			this.cutElements++;
			const last = lastElement(bytes, start, end);
			if (last > start && end - last > 4) {
				// What cut it is another one.
				this.line(bytes, last, end, offset + last - start, endOffset);
			}
			return;
		}
		switch (wordAt(bytes, start)) {
			case LifeWord.task:
				this.taskElement(bytes, start, end, offset);
				return;
			case LifeWord.nmethod:
				this.nmethod();
				return;
			case LifeWord.notEntrant:
				// `<make_not_compilable` says it of a method, whose compilation failed: that is told where it did.
				if (bytes[start + '<make_not_'.length] !== LETTER_C) {
					this.madeNotEntrant();
				}
				return;
			case LifeWord.trap:
				this.deoptimized('uncommon trap', bytes[end - 2] === 0x2f);
				return;
			case LifeWord.deoptimized:
				this.deoptimized('invalidated', bytes[end - 2] === 0x2f);
				return;
			case LifeWord.jvms:
				this.trapPlace();
				return;
			case LifeWord.failure:
				this.task?.failed(this.element);
				return;
			case LifeWord.codeCache:
				this.task?.codeCache(this.element);
				return;
			default:
				this.headElement(decodeUtf8(bytes, start, end), offset);
		}
	}

	/** <task>, <task_queued>, <task_dequeued>, <task_done> */
	private taskElement(bytes: Uint8Array, start: number, end: number, offset: number): void {
		if (bytes[start + 5] === SPACE) {
			this.openTask(offset);
			return;
		}
		const name = decodeUtf8(bytes, start + 6, Math.min(end, start + 14));
		if (name.startsWith('done ')) {
			this.task?.done(this.element);
		} else if (name.startsWith('queued ')) {
			this.queued();
		} else if (name.startsWith('dequeued')) {
			this.jvm.dequeued(this.element);
		}
	}

	private queued(): void {
		const draft = this.jvm.find(this.element, ({ queuedMs }) => queuedMs !== null);
		if (draft === null) {
			this.cutElements++;
			return;
		}
		draft.queuedMs = this.stamp() ?? 0;
		draft.queueComment = this.element.word('comment');
		countsOf(this.element, draft);
	}

	private openTask(offset: number): void {
		this.closeTask(offset, false);
		const draft = this.jvm.find(this.element, ({ record }) => record !== null);
		if (draft === null) {
			this.cutElements++;
			return;
		}
		this.stamp();
		this.jvm.hasRecords = true;
		this.task = new OpenTask(draft, this.jvm, this.source, offset);
		this.task.begin(this.element, this.threadId);
	}

	private closeTask(offset: number, isWhole: boolean): void {
		if (this.task !== null) {
			this.task.close(offset, isWhole);
			this.cutTasks += isWhole || this.isFragment ? 0 : 1;
			this.task = null;
		}
	}

	private nmethod(): void {
		const { element } = this;
		const draft = this.jvm.find(element, ({ installedMs }) => installedMs !== null);
		if (draft === null) {
			this.cutElements++;
			return;
		}
		draft.installedMs = this.stamp() ?? 0;
		draft.nmethodBytes = element.integerOrNull('size');
		draft.method = compiledName(draft.method, element.text('jvmci_mirror_name'));
		draft.compiler = element.word('compiler') || draft.compiler;
		draft.level = element.integerOrNull('level') ?? draft.level;
	}

	private madeNotEntrant(): void {
		const draft = this.jvm.known(this.element);
		const ms = this.stamp();
		if (draft === null || ms === null) {
			this.unknown++;
		} else if (this.element.is('zombie', '1')) {
			draft.removedMs ??= ms;
		} else {
			draft.notEntrant ??= { ms, reason: this.element.word('reason') };
		}
	}

	private deoptimized(kind: Deoptimization['kind'], isEmpty: boolean): void {
		const { element } = this;
		const draft = this.jvm.known(element);
		if (draft === null) {
			this.unknown++;
			return;
		}
		// C1's code collects a profile; when a loop's counter overflows there is OSR code to go on in, or will be.
		const level = element.integerOrNull('level') ?? draft.level;
		if (kind === 'invalidated' && element.is('reason', 'constraint') && (level === 2 || level === 3)) {
			draft.movesToOsr++;
			this.trap = null;
			return;
		}
		const place = deoptimizationOf(element, kind, this.stamp());
		draft.deoptimizations.push(place);
		this.trap = isEmpty ? null : { draft, place };
	}

	/** The first one is the innermost method. */
	private trapPlace(): void {
		const { draft, place } = this.trap as { draft: Draft; place: Deoptimization };
		if (place.bci === null) {
			draft.deoptimizations.pop();
			const here = { ...place, method: methodOf(this.element.text('method')).method || null, bci: this.element.integer('bci') };
			draft.deoptimizations.push(here);
		}
		this.trap = null;
	}

	private headElement(line: string, offset: number): void {
		const { element } = this;
		if (line.startsWith('<hotspot_log ')) {
			this.closeTask(offset, false);
			this.beginLog();
		} else if (line.startsWith('<hotspot_log_done')) {
			this.jvm.isDone = true;
			this.stamp();
		} else if (line.startsWith('<compilation_log ')) {
			this.closeTask(offset, false);
			this.threadId = element.integerOrNull('thread');
			this.isFragment = false;
		} else if (line.startsWith('<start_compile_thread ')) {
			this.startThread();
		} else if (line.startsWith('<thread_logfile ')) {
			this.jvm.threadFiles.push(element.text('filename') ?? '?');
		}
	}

	private beginLog(): void {
		const processId = this.element.integerOrNull('process');
		const startedEpochMs = this.element.integerOrNull('time_ms');
		// The files of its threads may have come before; another start is another JVM.
		const known = this.jvms.find((jvm) => jvm.processId === processId && jvm.startedEpochMs === null && processId !== null);
		if (this.jvm.processId !== null || this.jvm.compilations.length > 0 || known !== undefined) {
			this.jvm = known ?? new JvmDraft(processId);
			if (known === undefined) {
				this.jvms.push(this.jvm);
			}
		}
		this.jvm.processId = processId;
		this.jvm.startedEpochMs = startedEpochMs;
		this.threadId = null;
	}

	/** In a thread's own file this is the first line, and tells whose it is. */
	private startThread(): void {
		const { element } = this;
		const processId = element.integerOrNull('process');
		if (this.jvm.processId !== processId && processId !== null) {
			const known = this.jvms.find((jvm) => jvm.processId === processId);
			if (known !== undefined) {
				this.jvm = known;
			} else if (this.jvm.processId === null) {
				this.jvm.processId = processId;
			}
		}
		this.threadId = element.integerOrNull('thread') ?? this.threadId;
		if (this.threadId !== null) {
			const thread = this.jvm.thread(this.threadId);
			thread.name = element.text('name');
			thread.startedMs = this.stamp();
		}
	}

	private stamp(): number | null {
		return this.jvm.sawTime(this.element.milliseconds('stamp'));
	}

	private noteProblems(): void {
		const warn = (count: number, message: string, action: string): void => {
			if (count > 0) {
				this.problems.push({ severity: 'warning', file: this.source.name, message: `${count} ${message}`, action });
			}
		};
		warn(this.cutElements, 'elements are cut or mixed with other output', 'what they tell is missing');
		warn(this.cutTasks, 'records of compilations end before they are complete', 'they are read as far as they go');
		warn(this.unknown, 'elements tell of a compilation that the log does not have', 'they are left out');
	}
}

/** Where the last `<` of the line is: in values it is escaped. -1 without one. */
function lastElement(bytes: Uint8Array, start: number, end: number): number {
	for (let at = end - 1; at >= start; at--) {
		if (bytes[at] === LESS_THAN) {
			return at;
		}
	}
	return -1;
}

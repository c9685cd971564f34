/**
 * Reads the record of one compilation, the lines inside a <task> of -XX:+LogCompilation, by their bytes: what C1 or C2 decided at each call.
 *
 * The log is the trace of a recursive parser. `<bc>` moves within the method that is parsed, `<call>` opens a call there, what follows says
 * what was decided; `<parse>` enters a callee, `</parse>` leaves it. C2 decides on all receivers of a virtual call before it parses the
 * first of them; calls that it inlines after parsing come behind the root, each with its place (`<late_inline>`). An attempt that is
 * repeated begins the root again: the last one counts. Ids of types, classes and methods are those of this task.
 */

import { callAtPlace, callToParse, isAt, newCall } from './call-search.js';
import { Element } from './element.js';
import type { Call, Frame, Task, TaskMethod, TaskPlace } from './task.js';
import { TaskEvents } from './task-events.js';
import { EventWord, TaskWord, wordAt } from './words.js';

const LF = 10;
const CR = 13;
const SPACE = 0x20;
const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;
const UNDERSCORE = 0x5f;
/** Deeper nesting is no inlining: HotSpot stops at 15 levels, forced inlining at 100. */
const MAX_DEPTH = 200;

/** Reads tasks one after the other. */
export class TaskReader {
	private readonly element = new Element();
	private types = new Map<number, string>();
	private readonly methods = new Map<number, TaskMethod>();
	private root: Frame | null = null;
	private top: Frame | null = null;
	/** Frames around the top one. */
	private readonly outer: Frame[] = [];
	/** Parses that are too deep, or of no call: left again without a trace. */
	private skipped = 0;
	private lastCall: Call | null = null;
	private isRetry = false;
	/** The place that is inlined late, from `</late_inline>` on. */
	private late: Call | null = null;
	private lateMethod = -1;
	private lateId: string | null = null;
	private jvmsBcis: number[] = [];
	private jvmsMethods: (TaskMethod | null)[] = [];
	private lateCalls = new Map<string, Call>();
	private events = new TaskEvents(this.element, this.types);
	private plannedTraps = 0;
	private lostElements = 0;
	private withEvents = true;

	/** Reads the lines of a task, its own line too or not. Without events only calls are read. Never throws on content. */
	read(bytes: Uint8Array, withEvents = true): Task {
		this.withEvents = withEvents;
		this.types = new Map();
		this.methods.clear();
		this.restart();
		this.isRetry = false;
		this.lostElements = 0;
		let start = 0;
		while (start < bytes.length) {
			const lineEnd = bytes.indexOf(LF, start);
			let end = lineEnd < 0 ? bytes.length : lineEnd;
			const next = end + 1;
			if (end > start && bytes[end - 1] === CR) {
				end--;
			}
			while (start < end && bytes[start] === SPACE) {
				start++;
			}
			if (bytes[start] === LESS_THAN && end - start > 4) {
				this.line(bytes, start, end);
			}
			start = next;
		}
		const { root, events, plannedTraps, lostElements } = this;
		this.restart();
		return { root, events: events.events, phases: events.phases, plannedTraps, lostElements };
	}

	private restart(): void {
		this.root = null;
		this.top = null;
		this.outer.length = 0;
		this.skipped = 0;
		this.lastCall = null;
		this.late = null;
		this.lateId = null;
		this.lateCalls = new Map();
		this.events = new TaskEvents(this.element, this.types);
		this.plannedTraps = 0;
	}

	private line(bytes: Uint8Array, start: number, end: number): void {
		const { element } = this;
		const tag = wordAt(bytes, start);
		switch (tag) {
			case TaskWord.endParse:
				this.endParse();
				return;
			case TaskWord.endLate:
				this.endLateInline();
				return;
			case TaskWord.branch:
				return;
			case TaskWord.trap:
				this.plannedTraps++;
				if (!this.withEvents) {
					return;
				}
				break;
			case TaskWord.endPhase:
			case TaskWord.endLoop:
			case TaskWord.endEliminate:
			case TaskWord.endReplace:
				if (this.withEvents) {
					this.endEvent(tag, bytes[start + 6] === UNDERSCORE);
				}
				return;
			case TaskWord.phase:
			case EventWord.dependency:
			case EventWord.predicted:
			case EventWord.cast:
			case EventWord.regalloc:
			case EventWord.loop:
			case EventWord.eliminate:
			case EventWord.replace:
			case EventWord.hotThrow:
				if (!this.withEvents) {
					return;
				}
		}
		if (bytes[end - 1] !== GREATER_THAN) {
			return;
		}
		element.read(bytes, start, end);
		switch (tag) {
			case TaskWord.bc:
				if (this.top !== null && this.skipped === 0) {
					this.top.bci = element.integer('bci');
				}
				return;
			case TaskWord.call:
				this.call();
				return;
			case TaskWord.inline:
				this.inline(bytes[start + 8] as number);
				return;
			case TaskWord.intrinsic:
				this.intrinsic();
				return;
			case TaskWord.parse:
				if (bytes[start + 6] === UNDERSCORE) {
					this.parseDone();
				} else {
					this.parse();
				}
				return;
			case TaskWord.type:
			case TaskWord.klass:
				this.types.set(element.integer('id'), element.text('name') ?? '');
				return;
			case TaskWord.method:
				this.method();
				return;
			case TaskWord.late:
				this.lateMethod = element.integer('method');
				this.lateId = element.text('inline_id');
				this.jvmsBcis = [];
				this.jvmsMethods = [];
				return;
			case TaskWord.jvms:
				this.jvmsBcis.push(element.integer('bci'));
				this.jvmsMethods.push(this.methods.get(element.integer('method')) ?? null);
				return;
			case TaskWord.virtual:
				this.virtualCall(element.integer('bci'));
				return;
			case TaskWord.failure:
				// The same parse again, inside the task.
				this.isRetry = (element.text('reason') ?? '').startsWith('retry');
				return;
			case TaskWord.trap:
				this.plannedTrap();
				return;
			case TaskWord.phase:
				if (bytes[start + 6] === UNDERSCORE) {
					this.events.phaseDone(this.events.phase);
				} else {
					this.events.openPhase(element.text('name') ?? '');
				}
				return;
			case EventWord.loop:
				this.events.loop(bytes[start + 5] === UNDERSCORE);
				return;
			default:
				if (tag === EventWord.eliminate || tag === EventWord.replace) {
					this.jvmsBcis = [];
					this.jvmsMethods = [];
				}
				this.events.add(tag, this.current(), this.top !== null);
		}
	}

	private endEvent(tag: number, isTree: boolean): void {
		if (tag === TaskWord.endPhase) {
			this.events.closePhase();
		} else if (tag === TaskWord.endLoop) {
			this.events.endLoop(isTree);
		} else {
			this.events.endPlaced(this.jvmsMethods, this.jvmsBcis);
		}
	}

	/** `<method id holder name return arguments …/>` */
	private method(): void {
		const { element, types } = this;
		const id = element.integer('id');
		const holder = types.get(element.integer('holder')) ?? null;
		this.methods.set(id, { id, holder, name: element.text('name') ?? '?', argumentTypes: element.text('arguments') ?? '', types });
	}

	private call(): void {
		const frame = this.top ?? this.late?.frame ?? null;
		if (frame === null || this.skipped > 0) {
			this.lostElements++;
			this.lastCall = null;
			return;
		}
		const { element } = this;
		const bci = this.top === null ? (this.late as Call).bci : frame.bci;
		const isVirtual = element.is('virtual', '1');
		const receivers: { typeName: string; count: number }[] = [];
		if (isVirtual) {
			for (const suffix of ['', '2']) {
				const typeName = this.types.get(element.integer(`receiver${suffix}`));
				if (typeName !== undefined) {
					receivers.push({ typeName, count: element.integer(`receiver${suffix}_count`) });
				}
			}
		}
		const call: Call = {
			...newCall(frame, bci, this.methods.get(element.integer('method')) ?? null),
			isDispatch: isVirtual || element.is('method_handle_intrinsic', '1') || element.is('instr', 'invokeinterface') || element.is('instr', 'invokevirtual'),
			count: element.integerOrNull('count'),
			receivers,
		};
		frame.calls.push(call);
		this.lastCall = call;
	}

	/** `<inline_success reason/>`, `<inline_fail reason/>`, `<inline_id id/>`; `letter` is the first behind `inline_`. */
	private inline(letter: number): void {
		const call = this.lastCall;
		if (call === null) {
			this.lostElements++;
			return;
		}
		if (letter === 0x73 || letter === 0x66) {
			call.results.push({ kind: letter === 0x73 ? 'success' : 'failure', reason: this.element.text('reason') ?? '' });
		} else if (letter === 0x69) {
			call.inlineId = this.element.text('id');
			if (call.inlineId !== null) {
				this.lateCalls.set(call.inlineId, call);
			}
		}
	}

	private intrinsic(): void {
		if (this.lastCall === null) {
			this.lostElements++;
			return;
		}
		this.lastCall.results.push({ kind: 'intrinsic', reason: '(intrinsic)' });
		if (this.withEvents) {
			this.events.event('Intrinsic', this.element.text('id') ?? '?', this.current(), [['nodes', this.element.integer('nodes')]]);
		}
	}

	private parse(): void {
		const method = this.methods.get(this.element.integer('method')) ?? null;
		if (this.skipped > 0) {
			this.skipped++;
			return;
		}
		if (this.top === null) {
			if (this.late === null || (this.isRetry && method === this.root?.method)) {
				this.parseRoot(method);
				return;
			}
			this.enter(this.callToParse(this.late.frame, this.late.bci, method), method);
			return;
		}
		if (this.outer.length >= MAX_DEPTH) {
			this.lostElements++;
			this.skipped = 1;
			return;
		}
		this.enter(this.callToParse(this.top, this.top.bci, method), method);
	}

	private parseRoot(method: TaskMethod | null): void {
		const startMs = this.element.milliseconds('stamp');
		if (this.root !== null) {
			this.restart();
		}
		this.isRetry = false;
		this.root = { method, call: null, depth: 0, calls: [], bci: 0 };
		this.top = this.root;
		this.events.openPhase('parse', startMs);
	}

	private enter(call: Call, method: TaskMethod | null): void {
		const frame: Frame = { method, call, depth: call.frame.depth + 1, calls: [], bci: 0 };
		call.body = frame;
		if (this.top !== null) {
			this.outer.push(this.top);
		}
		this.top = frame;
	}

	/** A parse of no call makes one. */
	private callToParse(frame: Frame, bci: number, method: TaskMethod | null): Call {
		let call = callToParse(frame, bci, method);
		if (call === null) {
			this.lostElements++;
			call = newCall(frame, bci, method);
			frame.calls.push(call);
		}
		return call;
	}

	private parseDone(): void {
		if (this.top === this.root && this.skipped === 0) {
			this.events.phaseDone(this.events.phases.find(({ name }) => name === 'parse') ?? null);
		}
	}

	private endParse(): void {
		if (this.skipped > 0) {
			this.skipped--;
			return;
		}
		const left = this.top;
		if (left === this.root && this.events.phase?.name === 'parse') {
			this.events.closePhase();
		}
		this.top = this.outer.pop() ?? null;
		this.lastCall = left?.call ?? null;
	}

	/** `<late_inline method inline_id>`, then the place from the innermost method outwards, the compiled one last. */
	private endLateInline(): void {
		const place = this.jvmsBcis;
		const named = this.lateId === null ? undefined : this.lateCalls.get(this.lateId);
		this.late = named !== undefined && isAt(named, place) ? named : callAtPlace(this.root, place, this.jvmsMethods, this.lateMethod);
		this.lateId = null;
		this.lastCall = this.late;
		if (this.late === null && place.length > 0) {
			this.lostElements++;
		}
	}

	/** `<virtual_call bci/>`: of the calls at that index the declared one is what was written. */
	private virtualCall(bci: number): void {
		const calls = this.top?.calls ?? [];
		for (let i = calls.length - 1; i >= 0 && calls[i]?.bci === bci; i--) {
			const call = calls[i] as Call;
			call.isVirtualCode = true;
			if (call.isDispatch) {
				return;
			}
		}
	}

	private plannedTrap(): void {
		const { element } = this;
		const callee = element.has('method') ? (this.methods.get(element.integer('method')) ?? null) : null;
		const place: TaskPlace = callee === null ? { frame: this.top, bci: element.integer('bci') } : this.inCallee(callee, element.integer('bci'));
		const comment = element.text('comment');
		const type = this.types.get(element.integer('klass'));
		this.events.event('UncommonTrap', element.text('reason') ?? '?', place, [
			['action', element.text('action') ?? '?'],
			...(comment === null ? [] : ([['comment', comment]] as const)),
			...(type === undefined ? [] : ([['class', type]] as const)),
		]);
	}

	/** The bytecode that is parsed, or inlined late. */
	private current(): { readonly frame: Frame | null; readonly bci: number } {
		return this.top === null ? { frame: this.late?.frame ?? null, bci: this.late?.bci ?? -1 } : { frame: this.top, bci: this.top.bci };
	}

	/** A bytecode of a method that is called there. */
	private inCallee(callee: TaskMethod, bciInCallee: number): TaskPlace {
		const methods: (TaskMethod | null)[] = [callee];
		const bcis = [bciInCallee];
		for (let { frame, bci } = this.current(); frame !== null; bci = frame.call?.bci ?? -1, frame = frame.call?.frame ?? null) {
			methods.push(frame.method);
			bcis.push(bci);
		}
		return { methods, bcis };
	}
}

/**
 * Reads the record of one compilation, the lines inside a <task> of -XX:+LogCompilation, by their bytes: what C1 or C2 decided at each call.
 *
 * The log is the trace of a recursive parser. `<bc>` moves within the method that is parsed, `<call>` opens a call there, what follows says
 * what was decided; `<parse>` enters a callee, `</parse>` leaves it. C2 decides on all receivers of a virtual call before it parses the
 * first of them; calls that it inlines after parsing come behind the root, each with its place (`<late_inline>`). An attempt that is
 * repeated begins the root again: the last one counts. Ids of types, classes and methods are those of this task.
 */

import { Element } from '../shared/hotspot/element.js';
import { callAtPlace, callToParse, isAt, markVirtualCall, NO_RECEIVERS, newCall } from './call-search.js';
import type { Call, CallResult, Frame, Task, TaskBranch, TaskMethod } from './task.js';
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

/** Takes an element that `element` was set to; `start` is at its `<`. */
type Handler = (bytes: Uint8Array, start: number) => void;

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
	private readonly lateCalls = new Map<string, Call>();
	private events = new TaskEvents(this.element, this.types);
	private readonly results = { success: new Map<string, CallResult>(), failure: new Map<string, CallResult>(), intrinsic: new Map<string, CallResult>() };
	private branches: TaskBranch[] = [];
	private plannedTraps = 0;
	private lostElements = 0;
	private withEvents = true;
	private withNames = true;

	/**
	 * What is done with each element. A table, not a switch: elements that first come late in a log would make the engine throw away its
	 * compiled switch each time, and reading would stay slow for the first megabytes.
	 */
	private readonly callHandlers = new Map<number, Handler>([
		[
			TaskWord.bc,
			() => {
				if (this.top !== null && this.skipped === 0) {
					this.top.bci = this.element.integer('bci');
				}
			},
		],
		[TaskWord.branch, () => this.branch()],
		[TaskWord.call, () => this.call()],
		[TaskWord.inline, (bytes, start) => this.inline(bytes[start + 8]!)],
		[TaskWord.intrinsic, () => this.intrinsic()],
		[TaskWord.parse, (bytes, start) => (bytes[start + 6] === UNDERSCORE ? this.parseDone() : this.parse())],
		[TaskWord.endParse, () => this.endParse()],
		[TaskWord.type, () => this.type()],
		[TaskWord.klass, () => this.type()],
		[TaskWord.method, () => this.method()],
		[TaskWord.late, () => this.lateInline()],
		[TaskWord.jvms, () => this.jvms()],
		[TaskWord.endLate, () => this.endLateInline()],
		[TaskWord.virtual, () => markVirtualCall(this.top?.calls ?? [], this.element.integer('bci'))],
		[TaskWord.failure, () => this.failure()],
	]);
	private readonly eventHandlers = new Map<number, Handler>([
		[TaskWord.trap, () => this.trap()],
		[
			TaskWord.phase,
			(bytes, start) => (bytes[start + 6] === UNDERSCORE ? this.events.phaseDone(this.events.phase) : this.events.openPhase(this.element.text('name') ?? '')),
		],
		[TaskWord.endPhase, () => this.events.closePhase()],
		[EventWord.loop, (bytes, start) => this.events.loop(bytes[start + 5] === UNDERSCORE)],
		[TaskWord.endLoop, (bytes, start) => this.events.endLoop(bytes[start + 6] === UNDERSCORE)],
		[TaskWord.endEliminate, () => this.events.endPlaced(this.jvmsMethods, this.jvmsBcis)],
		[TaskWord.endReplace, () => this.events.endPlaced(this.jvmsMethods, this.jvmsBcis)],
		...[EventWord.dependency, EventWord.predicted, EventWord.cast, EventWord.regalloc, EventWord.eliminate, EventWord.replace, EventWord.hotThrow].map(
			(tag): [number, Handler] => [tag, () => this.otherEvent(tag)],
		),
	]);

	/**
	 * Reads the lines of a task in the first `length` bytes, its own line too or not. Without events only calls are read, and without names nothing tells of which types and
	 * methods. Never throws on content.
	 */
	read(bytes: Uint8Array, length: number, withEvents = true, withNames = true): Task {
		this.withEvents = withEvents;
		this.withNames = withNames;
		// Trees are made later, and look at the types then.
		if (withEvents) {
			this.types = new Map();
		} else {
			this.types.clear();
		}
		this.methods.clear();
		this.restart();
		this.isRetry = false;
		this.lostElements = 0;
		let start = 0;
		while (start < length) {
			const lineEnd = bytes.indexOf(LF, start);
			let end = lineEnd < 0 || lineEnd > length ? length : lineEnd;
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
		const { root, events, branches, plannedTraps, lostElements } = this;
		this.restart();
		return { root, events: events.events, phases: events.phases, branches, plannedTraps, lostElements };
	}

	private restart(): void {
		this.root = null;
		this.top = null;
		this.outer.length = 0;
		this.skipped = 0;
		this.lastCall = null;
		this.late = null;
		this.lateId = null;
		this.lateCalls.clear();
		if (this.withEvents) {
			this.events = new TaskEvents(this.element, this.types);
		}
		this.branches = [];
		this.plannedTraps = 0;
	}

	private line(bytes: Uint8Array, start: number, end: number): void {
		const tag = wordAt(bytes, start);
		const handle = this.callHandlers.get(tag) ?? (this.withEvents ? this.eventHandlers.get(tag) : undefined);
		if (handle !== undefined && bytes[end - 1] === GREATER_THAN) {
			this.element.read(bytes, start, end);
			handle(bytes, start);
		}
	}

	private type(): void {
		if (!this.withNames) {
			return;
		}
		this.types.set(this.element.integer('id'), this.element.word('name') ?? '');
	}

	private lateInline(): void {
		this.lateMethod = this.element.integer('method');
		this.lateId = this.element.text('inline_id');
		this.jvmsBcis = [];
		this.jvmsMethods = [];
	}

	private jvms(): void {
		this.jvmsBcis.push(this.element.integer('bci'));
		this.jvmsMethods.push(this.methods.get(this.element.integer('method')) ?? null);
	}

	/** `retry …`: the same parse follows, inside the task. */
	private failure(): void {
		this.isRetry = (this.element.text('reason') ?? '').startsWith('retry');
	}

	private trap(): void {
		this.plannedTraps++;
		this.events.trap(this.current(), this.top, this.methods);
	}

	private otherEvent(tag: number): void {
		if (tag === EventWord.eliminate || tag === EventWord.replace) {
			this.jvmsBcis = [];
			this.jvmsMethods = [];
		}
		this.events.add(tag, this.current(), this.top !== null);
	}

	/** `<method id holder name return arguments …/>` */
	private method(): void {
		const { element, types } = this;
		const id = element.integer('id');
		if (!this.withNames) {
			this.methods.set(id, { id, holder: null, name: '?', bytes: null, argumentTypes: '', types, text: null, parameters: null });
			return;
		}
		const holder = types.get(element.integer('holder')) ?? null;
		this.methods.set(id, {
			id,
			holder,
			name: element.word('name') ?? '?',
			bytes: element.integerOrNull('bytes'),
			argumentTypes: element.word('arguments') ?? '',
			types,
			text: null,
			parameters: null,
		});
	}

	private call(): void {
		const { frame, bci } = this.current();
		if (frame === null || this.skipped > 0) {
			this.lostElements++;
			this.lastCall = null;
			return;
		}
		const { element } = this;
		const method = this.methods.get(element.integer('method')) ?? null;
		const count = element.integerOrNull('count');
		const isVirtual = element.is('virtual', '1');
		// C1 says how the bytecode calls, C2 what it knows of the target.
		const isDispatch =
			isVirtual ||
			(count === null ? element.is('instr', 'invokeinterface') || element.is('instr', 'invokevirtual') : element.is('method_handle_intrinsic', '1'));
		const call = newCall(frame, bci, method, isDispatch, count, isVirtual && this.withNames ? this.receivers() : NO_RECEIVERS);
		frame.calls.push(call);
		this.lastCall = call;
	}

	/** `<branch target_bci taken not_taken cnt prob/>`; without counts where the profile has none. */
	private branch(): void {
		const { element, top } = this;
		const taken = element.integerOrNull('taken');
		const notTaken = element.integerOrNull('not_taken');
		if (top !== null && this.skipped === 0 && taken !== null && notTaken !== null) {
			this.branches.push({ frame: top, bci: top.bci, taken, notTaken, targetBci: element.integer('target_bci') });
		}
	}

	private receivers(): Call['receivers'] {
		const receivers: { typeName: string; count: number }[] = [];
		for (const suffix of ['', '2']) {
			const typeName = this.types.get(this.element.integer(`receiver${suffix}`));
			if (typeName !== undefined) {
				receivers.push({ typeName, count: this.element.integer(`receiver${suffix}_count`) });
			}
		}
		return receivers;
	}

	/** `<inline_success reason/>`, `<inline_fail reason/>`, `<inline_id id/>`; `letter` is the first behind `inline_`. */
	private inline(letter: number): void {
		const call = this.lastCall;
		if (call === null) {
			this.lostElements++;
			return;
		}
		if (letter === 0x73 || letter === 0x66) {
			call.results.push(this.result(letter === 0x73 ? 'success' : 'failure', this.element.word('reason') ?? ''));
		} else if (letter === 0x69) {
			call.inlineId = this.element.text('id');
			if (call.inlineId !== null) {
				this.lateCalls.set(call.inlineId, call);
			}
		}
	}

	/** One object for all equal results: a few dozen in a log. */
	private result(kind: CallResult['kind'], reason: string): CallResult {
		const known = this.results[kind].get(reason);
		if (known !== undefined) {
			return known;
		}
		const result = { kind, reason };
		this.results[kind].set(reason, result);
		return result;
	}

	private intrinsic(): void {
		if (this.lastCall === null) {
			this.lostElements++;
			return;
		}
		this.lastCall.results.push(this.result('intrinsic', '(intrinsic)'));
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
		if (this.withEvents) {
			this.events.openPhase('parse', startMs);
		}
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
			call = newCall(frame, bci, method, false, null, NO_RECEIVERS);
			frame.calls.push(call);
		}
		return call;
	}

	private parseDone(): void {
		if (this.withEvents && this.top === this.root && this.skipped === 0) {
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

	/** The bytecode that is parsed, or inlined late. */
	private current(): { readonly frame: Frame | null; readonly bci: number } {
		return this.top === null ? { frame: this.late?.frame ?? null, bci: this.late?.bci ?? -1 } : { frame: this.top, bci: this.top.bci };
	}
}

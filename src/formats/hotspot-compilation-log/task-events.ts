/** What a compiler did beside inlining, as a task's elements tell it: phases, and what happened in each. */
import type { Element } from '../shared/hotspot/element.js';
import type { Frame, TaskEvent, TaskMethod, TaskPhase, TaskPlace } from './task.js';
import { EventWord } from './words.js';

/** Phases inside each other; HotSpot has four. */
const MAX_DEPTH = 100;

/** Events that only tell what other decisions brought with them: where code was left out, what it relies on, which class a call was taken to have. */
export const CONSEQUENCES: readonly string[] = ['UncommonTrap', 'Dependency', 'PredictedCall'];

/** Of one attempt. */
export class TaskEvents {
	readonly events: TaskEvent[] = [];
	readonly phases: TaskPhase[] = [];
	phase: TaskPhase | null = null;
	private readonly element: Element;
	private readonly types: ReadonlyMap<number, string>;
	private pending: Omit<TaskEvent, 'place'> | null = null;
	private loops: { depth: number; count: number; inner: number; deepest: number } | null = null;

	constructor(element: Element, types: ReadonlyMap<number, string>) {
		this.element = element;
		this.types = types;
	}

	/** A place that was left out: at a bytecode of the frame that is parsed, or of a method that is called there. */
	trap(here: Extract<TaskPlace, { frame: unknown }>, top: Frame | null, methods: ReadonlyMap<number, TaskMethod>): void {
		const { element } = this;
		const bci = element.integer('bci');
		const callee = methods.get(element.integer('method'));
		const comment = element.text('comment');
		const type = this.types.get(element.integer('klass'));
		this.event('UncommonTrap', element.word('reason') ?? '?', callee === undefined ? { frame: top, bci } : inCallee(here, callee, bci), [
			['action', element.word('action') ?? '?'],
			...(comment === null ? [] : ([['comment', comment]] as const)),
			...(type === undefined ? [] : ([['class', type]] as const)),
		]);
	}

	/** The element that was read last; `here` is the bytecode that is parsed, `isParsing` whether one is. */
	add(tag: number, here: Extract<TaskPlace, { frame: unknown }>, isParsing: boolean): void {
		const { element } = this;
		switch (tag) {
			case EventWord.eliminate:
			case EventWord.replace:
				this.pending = this.placedEvent(tag);
				return;
			case EventWord.predicted:
				this.event('PredictedCall', element.is('exact', '1') ? 'exact class' : 'subtype', { ...here, bci: element.integer('bci') }, [
					['class', this.types.get(element.integer('klass')) ?? '?'],
				]);
				return;
			case EventWord.cast:
				this.event('Cast', element.text('reason') ?? '?', here, [['from', this.types.get(element.integer('from')) ?? '?']]);
				return;
			case EventWord.regalloc:
				this.event('RegisterAllocation', element.is('success', '1') ? 'done' : 'failed', NOWHERE, [['attempts', element.integer('attempts')]]);
				return;
			case EventWord.hotThrow:
				this.event('HotThrow', element.is('preallocated', '1') ? 'preallocated exception' : 'exception', here, []);
				return;
			case EventWord.dependency:
				// Each is listed again when the code is installed, behind all parsing; a method that was inlined is no finding.
				if (isParsing && !element.is('type', 'evol_method')) {
					this.event('Dependency', element.text('type') ?? '?', here, [['class', this.types.get(element.integer('ctxk')) ?? '?']]);
				}
		}
	}

	/** `<eliminate_allocation type>`, `<eliminate_lock class kind>`, `<eliminate_boxing …>`, `<replace_string_concat arguments>`; `<jvms>` follow. */
	private placedEvent(tag: number): Omit<TaskEvent, 'place'> {
		const { element, phase } = this;
		if (tag === EventWord.replace) {
			return { name: 'ReplaceStringConcat', event: 'replaced', phase, properties: [['arguments', element.integer('arguments')]] };
		}
		if (element.has('lock_id') || element.has('kind')) {
			return { name: 'EliminateLock', event: element.text('class') ?? '?', phase, properties: [['kind', element.text('kind') ?? '?']] };
		}
		return { name: 'EliminateAllocation', event: this.types.get(element.integer('type')) ?? '?', phase, properties: [] };
	}

	/** The place that the elements inside gave. */
	endPlaced(methods: readonly (TaskMethod | null)[], bcis: readonly number[]): void {
		if (this.pending !== null) {
			this.events.push({ ...this.pending, place: { methods, bcis } });
			this.pending = null;
		}
	}

	/** `<loop_tree>` lists the loops after each pass: one event says how many there are, others which transformations show. */
	loop(isTree: boolean): void {
		if (isTree) {
			this.loops = { depth: 0, count: 0, inner: 0, deepest: 0 };
			return;
		}
		const { element, loops } = this;
		if (loops === null) {
			return;
		}
		loops.depth++;
		loops.count++;
		loops.deepest = Math.max(loops.deepest, loops.depth);
		loops.inner += element.is('inner_loop', '1') ? 1 : 0;
		for (const [attribute, event] of LOOP_TRANSFORMATIONS) {
			if (element.has(attribute)) {
				this.event('LoopTransformation', event, NOWHERE, [['loop', element.integer('idx')]]);
			}
		}
	}

	endLoop(isTree: boolean): void {
		const { loops } = this;
		if (loops === null) {
			return;
		}
		if (!isTree) {
			loops.depth--;
			return;
		}
		this.event('LoopTree', 'pass', NOWHERE, [
			['loops', loops.count],
			['innerLoops', loops.inner],
			['depth', loops.deepest],
		]);
		this.loops = null;
	}

	event(name: string, event: string, place: TaskPlace, properties: TaskEvent['properties']): void {
		this.events.push({ name, event, place, properties, phase: this.phase });
	}

	openPhase(name: string, startMs = this.element.milliseconds('stamp')): void {
		if ((this.phase?.depth ?? 0) >= MAX_DEPTH) {
			return;
		}
		const phase: TaskPhase = {
			name,
			parent: this.phase,
			depth: this.phase === null ? 0 : this.phase.depth + 1,
			startMs,
			eventsBefore: this.events.length,
			endMs: null,
			nodes: null,
			liveNodes: null,
			memoryBytes: null,
		};
		this.phase = phase;
		this.phases.push(phase);
	}

	phaseDone(phase: TaskPhase | null): void {
		if (phase === null) {
			return;
		}
		const { element } = this;
		phase.endMs = element.milliseconds('stamp');
		phase.nodes = element.integerOrNull('nodes');
		phase.liveNodes = element.integerOrNull('live');
		phase.memoryBytes = element.integerOrNull('memory');
	}

	closePhase(): void {
		this.phase = this.phase?.parent ?? null;
	}
}

const NOWHERE: TaskPlace = { methods: [], bcis: [] };

const LOOP_TRANSFORMATIONS: readonly (readonly [string, string])[] = [
	['partial_peel_loop', 'partially peeled'],
	['pre_loop', 'loop before the main loop'],
	['main_loop', 'main loop'],
	['post_loop', 'loop after the main loop'],
];

function inCallee(here: Extract<TaskPlace, { frame: unknown }>, callee: TaskMethod, bciInCallee: number): TaskPlace {
	const methods: (TaskMethod | null)[] = [callee];
	const bcis = [bciInCallee];
	for (let { frame, bci } = here; frame !== null; bci = frame.call?.bci ?? -1, frame = frame.call?.frame ?? null) {
		methods.push(frame.method);
		bcis.push(bci);
	}
	return { methods, bcis };
}

/** The record of one compilation as it stands in the log: methods that were parsed, and the calls in each, with what was decided. */

/** A method; ids of the log are valid within its task only. */
export interface TaskMethod {
	readonly id: number;
	/** With dots; null where the log has no such class. */
	readonly holder: string | null;
	readonly name: string;
	/** Of bytecode; null where it is not told. */
	readonly bytes: number | null;
	/** Ids of the types of its parameters, with blanks between them, and what they mean: few names are ever put together. */
	readonly argumentTypes: string;
	readonly types: ReadonlyMap<number, string>;
	/** `java.util.HashMap.getNode`, once somebody asked. */
	text: string | null;
	/** `(Object)`, the same. */
	parameters: string | null;
}

/** A method that was parsed: the compiled one, or one inlined into it. */
export interface Frame {
	readonly method: TaskMethod | null;
	/** The call that it was inlined at; null for the compiled method. */
	readonly call: Call | null;
	readonly depth: number;
	/** In the order in which the compiler met them. */
	readonly calls: Call[];
	/** Of the bytecode that is being parsed. */
	bci: number;
}

export interface Call {
	readonly frame: Frame;
	readonly bci: number;
	/** As declared. */
	readonly method: TaskMethod | null;
	/** Dispatched at run time: what comes behind it at the same place are receivers that were tried, or the target of a method handle. */
	readonly isDispatch: boolean;
	/** How many calls the profile has counted; -1 when there were too few to tell. Null in C1, which does not look. */
	readonly count: number | null;
	/** The classes of the profile and how often each was seen, most frequent first. */
	readonly receivers: readonly { readonly typeName: string; readonly count: number }[];
	readonly results: CallResult[];
	/** Names the place for inlining after parsing. */
	inlineId: string | null;
	/** What was parsed here. */
	body: Frame | null;
	/** The compiler wrote a call that is dispatched at run time. */
	isVirtualCode: boolean;
}

export interface CallResult {
	readonly kind: 'success' | 'failure' | 'intrinsic';
	readonly reason: string;
}

/** How often a branch was seen taken and not taken, as the compiler was told. */
export interface TaskBranch {
	readonly frame: Frame;
	readonly bci: number;
	readonly taken: number;
	readonly notTaken: number;
	readonly targetBci: number;
}

/** Where something stands: a bytecode index in a frame, or a list that the log gives, innermost first. */
export type TaskPlace =
	| { readonly frame: Frame | null; readonly bci: number }
	| { readonly methods: readonly (TaskMethod | null)[]; readonly bcis: readonly number[] };

/** Something that the compiler did, beside inlining. */
export interface TaskEvent {
	readonly name: string;
	readonly event: string;
	readonly place: TaskPlace;
	readonly properties: readonly (readonly [string, string | number])[];
	/** The innermost phase around it; null outside of any. */
	readonly phase: TaskPhase | null;
}

export interface TaskPhase {
	readonly name: string;
	readonly parent: TaskPhase | null;
	readonly depth: number;
	readonly startMs: number | null;
	/** How many events were there before it: its place among them. */
	readonly eventsBefore: number;
	endMs: number | null;
	nodes: number | null;
	liveNodes: number | null;
	memoryBytes: number | null;
}

export interface Task {
	/** null when nothing was parsed. */
	readonly root: Frame | null;
	readonly events: readonly TaskEvent[];
	readonly phases: readonly TaskPhase[];
	/** Of which the profile tells, in the order in which they were parsed. */
	readonly branches: readonly TaskBranch[];
	readonly plannedTraps: number;
	readonly lostElements: number;
}

/** What a compiler decided in one compilation, read from its bytes of the log. */
import { newBytes } from '../../bytes/source.js';
import { type BranchCounts, type BranchProfile, branchKey } from '../../model/branch-profile.js';
import type { CallDecision, CompilationRecord } from '../../model/jit-compilation.js';
import type { CallCounts } from '../../model/joined-recording.js';
import { decisionsOf, methodText } from './decisions.js';
import type { LoggedJitCompilation } from './jvm-draft.js';
import { TaskReader } from './read-task.js';
import type { Task } from './task.js';
import { inliningTreeOf, optimizationTreeOf, phasesOf } from './trees.js';
import { parametersOf } from './type-names.js';

/** The largest that javac's own methods make is 2 MB. */
const MAX_RECORD_BYTES = 256 << 20;
/** Of the calls that were read so many are kept, some hundred bytes each: findings, tables and pages ask for the same compilations. */
const MOST_KEPT_CALLS = 20_000;

/** Reads records one after the other. */
export class RecordReader {
	private readonly tasks = new TaskReader();
	private buffer = newBytes(1 << 20);
	private readonly kept = new Map<LoggedJitCompilation, readonly CallDecision[]>();
	private keptCalls = 0;
	private readonly counts = new Map<LoggedJitCompilation, CallCounts | null>();

	/** All of it; null without a record. */
	read(compilation: LoggedJitCompilation): CompilationRecord | null {
		const task = this.task(compilation, true);
		return task === null
			? null
			: {
					decisions: decisionsOf(task),
					phases: phasesOf(task),
					plannedTraps: task.plannedTraps,
					inlining: inliningTreeOf(task, `${compilation.method}${parametersOf(compilation.signature ?? '')}`),
					optimization: optimizationTreeOf(task, compilation.compiler),
					lostElements: task.lostElements,
				};
	}

	/** The calls only, which is faster; none without a record. */
	readDecisions(compilation: LoggedJitCompilation): readonly CallDecision[] {
		const kept = this.kept.get(compilation);
		if (kept !== undefined) {
			return kept;
		}
		const task = this.task(compilation, false);
		const decisions = task === null ? [] : decisionsOf(task);
		if (!this.counts.has(compilation)) {
			this.counts.set(compilation, countsOf(compilation, task));
		}
		if (this.keptCalls + decisions.length <= MOST_KEPT_CALLS) {
			this.kept.set(compilation, decisions);
			this.keptCalls += decisions.length;
		}
		return decisions;
	}

	/** Found once; null where Graal compiled, which does not log its calls here. */
	countCalls(compilation: LoggedJitCompilation): CallCounts | null {
		let counts = this.counts.get(compilation);
		if (counts === undefined) {
			counts = countsOf(compilation, this.task(compilation, false, false));
			this.counts.set(compilation, counts);
		}
		return counts;
	}

	/** What the profile told C2 of branches; null without a record. A branch that is parsed twice is as it was at last. */
	readBranches(compilation: LoggedJitCompilation): BranchProfile | null {
		const task = this.task(compilation, false);
		if (task === null) {
			return null;
		}
		const result = new Map<string, BranchCounts>();
		for (const { frame, bci, ...counts } of task.branches) {
			const bcis = [bci];
			for (let { call } = frame; call !== null; { call } = call.frame) {
				bcis.push(call.bci);
			}
			result.set(branchKey(methodText(frame.method) ?? '', bcis), counts);
		}
		return result;
	}

	private task({ record }: LoggedJitCompilation, withEvents: boolean, withNames = true): Task | null {
		if (record === null) {
			return null;
		}
		const { source, start, end } = record;
		const length = Math.min(end - start, MAX_RECORD_BYTES);
		if (length > this.buffer.length) {
			this.buffer = newBytes(2 ** Math.ceil(Math.log2(length)));
		}
		let filled = 0;
		for (let count = -1; filled < length && count !== 0; filled += count) {
			count = source.read(this.buffer, filled, length - filled, start + filled);
		}
		return this.tasks.read(this.buffer, filled, withEvents, withNames);
	}
}

/** As many as {@link decisionsOf} would tell. */
function countsOf({ compiler }: LoggedJitCompilation, task: Task | null): CallCounts | null {
	let inlined = 0;
	let notInlined = 0;
	let intrinsic = 0;
	const frames = task === null || task.root === null ? [] : [task.root];
	for (let frame = frames.pop(); frame !== undefined; frame = frames.pop()) {
		for (const { results, body } of frame.calls) {
			for (const { kind, reason } of results) {
				if (kind === 'success') {
					inlined++;
				} else if (kind === 'intrinsic' || reason === 'intrinsic') {
					intrinsic++;
				} else {
					notInlined++;
				}
			}
			if (body !== null) {
				frames.push(body);
			}
		}
	}
	return inlined + notInlined + intrinsic === 0 && compiler === 'jvmci' ? null : { inlined, notInlined };
}

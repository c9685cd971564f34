/** Methods that have no compilation of their own and live on inside of others': search finds them where they were inlined. */

import type { RecordingReport } from '../answers/joined-report.js';
import { inliningRows } from '../answers/profdiff-result.js';
import type { LoggedCompilation } from '../model/compilation.js';
import type { CallDecision, JitCompilation } from '../model/jit-compilation.js';
import { InputError } from '../model/problem.js';
import type { PageInlined } from './data.js';

/** Compilations that are named for one method. */
const MAX_HANDLES = 8;

/** Takes the decisions of one compilation after the other. */
export class InlinedMethods {
	private readonly compilations: RecordingReport['compilations'];
	private readonly compiled: ReadonlySet<string>;
	private readonly found = new Map<string, Set<string>>();

	constructor({ compilations, units }: RecordingReport) {
		this.compilations = compilations;
		this.compiled = new Set(compilations.map(({ method }) => method));
		for (const unit of units) {
			for (const { method, kind } of rowsOf(unit)) {
				if (kind === 'inlined') {
					this.add(method, `c${unit.compileId}`);
				}
			}
		}
	}

	take({ compileId }: JitCompilation, decisions: readonly CallDecision[]): void {
		for (const { callee, inlined } of decisions) {
			if (inlined) {
				this.add(callee, `c${compileId}`);
			}
		}
	}

	/** In the order of their names. */
	page(): PageInlined {
		const samples = new Map(this.compilations.map(({ handle, samples: count }) => [handle, count]));
		const rows = [...this.found].map(([method, handles]) => {
			const ranked = [...handles].filter((handle) => samples.has(handle)).sort((a, b) => samples.get(b)! - samples.get(a)!);
			return { method, compilations: ranked.length, handles: ranked.slice(0, MAX_HANDLES) };
		});
		return { methods: rows.filter(({ handles }) => handles.length > 0).sort((a, b) => (a.method < b.method ? -1 : 1)) };
	}

	private add(method: string | null, handle: string): void {
		if (method !== null && !this.compiled.has(method)) {
			this.found.set(method, (this.found.get(method) ?? new Set()).add(handle));
		}
	}
}

function rowsOf(unit: LoggedCompilation): ReturnType<typeof inliningRows> {
	try {
		return inliningRows(unit.readTrees().inlining);
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		return [];
	}
}

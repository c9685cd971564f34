/** Methods that have no compilation of their own and live on inside of others': search finds them where they were inlined. */

import type { RecordingReport } from '../answers/joined-report.js';
import { inliningRows } from '../answers/profdiff-result.js';
import type { LoggedCompilation } from '../model/compilation.js';
import { InputError } from '../model/problem.js';
import type { PageInlined } from './data.js';

/** Compilations that are named for one method. */
const MAX_HANDLES = 8;

/** In the order of their names. */
export function inlinedMethods({ compilations, log, units }: RecordingReport): PageInlined {
	const compiled = new Set(compilations.map(({ method }) => method));
	const samples = new Map(compilations.map(({ handle, samples: count }) => [handle, count]));
	const found = new Map<string, Set<string>>();
	const add = (method: string | null, handle: string): void => {
		if (method !== null && !compiled.has(method)) {
			found.set(method, (found.get(method) ?? new Set()).add(handle));
		}
	};
	for (const compilation of log?.history.compilations ?? []) {
		for (const { callee, inlined } of log?.readDecisions(compilation) ?? []) {
			if (inlined) {
				add(callee, `c${compilation.compileId}`);
			}
		}
	}
	for (const unit of units) {
		for (const { method, kind } of rowsOf(unit)) {
			if (kind === 'inlined') {
				add(method, `c${unit.compileId}`);
			}
		}
	}
	const rows = [...found].map(([method, handles]) => {
		const ranked = [...handles].filter((handle) => samples.has(handle)).sort((a, b) => samples.get(b)! - samples.get(a)!);
		return { method, compilations: ranked.length, handles: ranked.slice(0, MAX_HANDLES) };
	});
	return { methods: rows.filter(({ handles }) => handles.length > 0).sort((a, b) => (a.method < b.method ? -1 : 1)) };
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

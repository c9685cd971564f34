/**
 * Profiles as text (`llvm-profdata merge --text`): lines that begin with a colon say what was recorded; traces stand at the beginning,
 *     :ir
 *     :temporal_prof_traces
 *     # Num Temporal Profile Traces:
 *     1
 *     # Temporal Profile Trace Stream Size:
 *     1
 *     # Weight:
 *     1
 *     main,src/a.c;helper,…
 * Lines that begin with # are comments.
 */
import { forEachLine, hasOpenEnd } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { FunctionTracesBuilder, type ReadTraces } from '../../model/function-trace.js';
import { InputError, type Problem } from '../../model/problem.js';
import { splitProfileName } from './profile-names.js';

const TRACES = ':temporal_prof_traces';

const KIND = /^:(?:ir|fe|csir|entry_first|not_entry_first|instrument_loop_entries|single_byte_coverage|temporal_prof_traces)\r?$/i;

/** Whether the first bytes of a file are those of a profile as text: its first line that is neither blank nor a comment says so. */
export function isTextProfile(head: string): boolean {
	for (let start = 0, end = head.indexOf('\n'); end >= 0; start = end + 1, end = head.indexOf('\n', start)) {
		const line = head.slice(start, end);
		const first = line.trimStart();
		if (first !== '' && !first.startsWith('#')) {
			return KIND.test(line);
		}
	}
	return false;
}

/** Throws an {@link InputError} when there are no traces, or they make no sense. */
export function readTextProfile(source: Source): ReadTraces {
	const builder = new FunctionTracesBuilder();
	const problems: Problem[] = [];
	let hasTraces = false;
	let traces = -1;
	let found = 0;
	let streamSize = -1;
	let weight = -1;
	/** The line that ends the traces, and the last of the file. */
	let lastTraceLine = 0;
	let lines = 0;
	const count = (line: string, number: number): number => {
		if (!/^\d{1,15}$/.test(line)) {
			throw unusable(source, number, `expected a number, found "${line.slice(0, 40)}"`);
		}
		return Number(line);
	};
	forEachLine(source, (line, _, number) => {
		lines = number;
		if (/^\s*(?:#.*)?$/.test(line) || (hasTraces && found === traces)) {
			return;
		}
		if (!hasTraces) {
			hasTraces = line.trim().toLowerCase() === TRACES;
		} else if (traces < 0) {
			traces = count(line, number);
		} else if (streamSize < 0) {
			streamSize = count(line, number);
		} else if (weight < 0) {
			weight = count(line, number);
		} else {
			const order = line.split(',').filter((name) => name !== '');
			builder.addTrace(
				traces === 1 ? source.name : `${source.name} trace ${found}`,
				weight,
				order.map((name) => builder.functionNumber(splitProfileName(name.trim()))),
			);
			weight = -1;
			found++;
			lastTraceLine = number;
		}
	});
	if (!hasTraces) {
		throw unusable(source, 1, 'has no temporal traces', 'build with -fprofile-generate -ftemporal-profile, LLVM 17 or later');
	}
	if (lines === lastTraceLine && hasOpenEnd(source)) {
		throw unusable(source, lines, 'ends within a trace');
	}
	if (found !== traces) {
		problems.push({
			severity: 'error',
			file: source.name,
			message: `there are ${found} traces, and ${Math.max(0, traces)} should be`,
			action: 'the text is cut or was changed; write it again',
		});
	}
	return { ...builder.build(), problems };
}

function unusable(source: Source, line: number, message: string, action = 'the text is cut or was changed; write it again'): InputError {
	return new InputError({ severity: 'error', file: source.name, line, message, action });
}

/**
 * What `llvm-profdata show --temporal-profile-traces` prints (LLVM 17 and later), after a summary of the profile:
 *     Temporal Profile Traces (samples=1 seen=1):
 *       Temporal Profile Trace 0 (weight=1 count=311):
 *         main
 *         tsrc/mem1.c;sqlite3MemInit
 */
import { forEachLine, hasOpenEnd } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { FunctionTracesBuilder, type ReadTraces } from '../../model/function-trace.js';
import type { Problem } from '../../model/problem.js';
import { splitProfileName } from './profile-names.js';

const SECTION = /^Temporal Profile Traces \(samples=(\d+) seen=(\d+)\):$/;
const TRACE = /^ {2}Temporal Profile Trace (\d+) \(weight=(\d+) count=(\d+)\):$/;
const INDENT = '    ';

/** Whether the first bytes of a file are those of this text. */
export function isTemporalTracesText(head: string): boolean {
	return /^Temporal Profile Traces \(samples=\d+ seen=\d+\):\r?$/m.test(head) || /^Instrumentation level: \S+ /.test(head);
}

interface OpenTrace {
	readonly name: string;
	readonly weight: number;
	/** How many functions its first line says. */
	readonly count: number;
	readonly order: number[];
	unnamed: number;
	readonly line: number;
}

/** Never throws on content. */
export function readTemporalTracesText(source: Source): ReadTraces {
	const builder = new FunctionTracesBuilder();
	const problems: Problem[] = [];
	const problem = (line: number, message: string, action: string): void => {
		problems.push({ severity: 'error', file: source.name, line, message, action });
	};
	let expectedTraces = -1;
	let traces = 0;
	let open: OpenTrace | null = null;
	let isPast = false;
	const close = (): void => {
		if (open === null) {
			return;
		}
		builder.addTrace(open.name, open.weight, open.order);
		if (open.unnamed > 0) {
			problem(open.line, `${open.unnamed} functions of the trace have no name`, 'they are left out');
		}
		if (open.order.length + open.unnamed !== open.count) {
			problem(
				open.line,
				`the trace has ${open.order.length + open.unnamed} functions, its first line says ${open.count}`,
				'the text is cut or was changed; print it again',
			);
		}
		open = null;
	};
	let lines = 0;
	forEachLine(source, (line, _, number) => {
		lines = number;
		const section = SECTION.exec(line);
		if (section !== null) {
			expectedTraces = Number(section[1]);
			return;
		}
		if (expectedTraces < 0 || isPast || line === '') {
			return;
		}
		const trace = TRACE.exec(line);
		if (trace !== null) {
			close();
			traces++;
			open = { name: `${source.name} trace ${trace[1]}`, weight: Number(trace[2]), count: Number(trace[3]), order: [], unnamed: 0, line: number };
			return;
		}
		if (open !== null && line === INDENT && open.order.length + open.unnamed < open.count) {
			open.unnamed++;
			return;
		}
		if (open !== null && line.startsWith(INDENT) && line.length > INDENT.length) {
			open.order.push(builder.functionNumber(splitProfileName(line.slice(INDENT.length))));
			return;
		}
		isPast = true;
		if (open !== null && open.order.length + open.unnamed < open.count) {
			problem(number, 'expected a function of the trace, after four blanks', 'the rest of the text is not read');
		}
	});
	if (open !== null && !isPast && hasOpenEnd(source)) {
		// A part of a name is no name.
		(open as OpenTrace).order.pop();
		problem(lines, 'the text ends within a line', 'its last function is left out; print it again');
	}
	close();
	if (expectedTraces < 0) {
		problem(1, 'there are no traces in what llvm-profdata printed', 'print them with llvm-profdata show --temporal-profile-traces');
	} else if (traces !== expectedTraces) {
		problem(1, `there are ${traces} traces, the first line says ${expectedTraces}`, 'the text is cut or was changed; print it again');
	}
	return { ...builder.build(), problems };
}

/** Methods that HotSpot leaves to the interpreter, because their bytecode is too large. */
import { type Finding, LEAST_PERCENT, LOGGED, MOST_READ, type Place, SAMPLED, spelled, thousands } from './cause-words.js';
import { hotCommand } from './commands.js';
import type { JoinedRun } from './joined-run.js';
import { interpreterBy, interpreterPercent, lineOfCall, nameWithParameters, ofAll, percentText } from './run-facts.js';

const HUGE_BYTES = 8000;

/** HotSpot does not compile methods of 8000 bytecodes and more; its log has no line for them, but callers name them. */
export function hugeMethod(run: JoinedRun): Finding {
	const { compilations, refused, jvm, log } = run;
	const percent = interpreterPercent(run);
	// Of Flight Recorder's decisions none has the size of its callee.
	if (percent < LEAST_PERCENT || log?.origin === 'flightRecorder' || jvm.arguments?.includes('-XX:-DontCompileHugeMethods') === true) {
		return null;
	}
	const compiled = new Set(compilations.flatMap((row) => [row.method, nameWithParameters(row)]));
	if (run.interpreted.length > 0) {
		return hugeInterpreted(run, compiled);
	}
	for (const row of compilations.slice(0, MOST_READ)) {
		const call = refused(row).find(
			({ callee, calleeBytes, targets }) => callee !== null && (calleeBytes ?? 0) >= HUGE_BYTES && !compiled.has(targets[0] ?? callee),
		);
		if (call?.callee != null) {
			const caller = call.caller ?? row.method;
			const place: Place = { method: call.callee, bci: null, line: null };
			return {
				kind: 'huge-method',
				place,
				text: `${call.callee} is never compiled: it has ${thousands(call.calleeBytes ?? 0)} bytes of bytecode, and from ${thousands(HUGE_BYTES)} on (HugeMethodLimit) HotSpot leaves a method to the interpreter, where ${percentText(percent)} ${ofAll(run)} are. ${spelled({ method: caller, bci: call.bci, line: lineOfCall(run, row.compileId, caller, call) })} calls it at bci ${call.bci}. Split it, or try -XX:-DontCompileHugeMethods, which costs compile time and memory`,
				handles: [row.handle],
				evidence: LOGGED,
				command: hotCommand(run, '--by', interpreterBy(run)),
				worth: percent,
			};
		}
	}
	return null;
}

/** The same where it is told what was interpreted. */
function hugeInterpreted(run: JoinedRun, compiled: ReadonlySet<string>): Finding {
	const [huge] = run.interpreted.filter(({ name, bytecodeBytes }) => bytecodeBytes >= HUGE_BYTES && !compiled.has(name));
	const percent = (100 * (huge?.samples ?? 0)) / (run.hot?.attribution.counted ?? Number.NaN);
	return huge === undefined || !(percent >= LEAST_PERCENT)
		? null
		: {
				kind: 'huge-method',
				place: { method: huge.name, bci: null, line: null },
				text: `${huge.name} is never compiled: it has ${thousands(huge.bytecodeBytes)} bytes of bytecode, and from ${thousands(HUGE_BYTES)} on (HugeMethodLimit) HotSpot leaves a method to the interpreter; ${percentText(percent)} ${ofAll(run)} are in it. Split it, or try -XX:-DontCompileHugeMethods, which costs compile time and memory`,
				handles: [],
				evidence: SAMPLED,
				command: hotCommand(run, '--by', interpreterBy(run)),
				worth: percent,
			};
}

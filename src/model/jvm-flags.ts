/** Flags on the command line of a JVM. */

/** Those by which runs are recorded: what the JVM writes, not what it does. */
const OF_RECORDING =
	/^(?:Unlock(?:Diagnostic|Experimental)VMOptions|LogCompilation|LogFile|LogVMOutput|Print\w+|DisplayVMOutput\w*|SafepointTimeout\w*|DebugNonSafepoints|PreserveFramePointer|DumpPerfMapAtExit|FlightRecorder\w*|StartFlightRecording|TraceDeoptimization|HeapDump\w*|ErrorFile|NativeMemoryTracking|UsePerfData|PerfDataSaveToFile|CompileCommand=(?:memstat|print|log|quiet).*)$/i;

const COMMAND = 'CompileCommand';

/**
 * `MaxInlineLevel` → `1`, `UseCountedLoopSafepoints` → `true`; of a flag that is given twice the last. Commands to the compilers add up: each is a flag of its own,
 * `CompileCommand=dontinline,a.B::c`, without a value. Null: the command line is not known.
 */
export function jvmFlags(argumentsText: string | null): ReadonlyMap<string, string> | null {
	if (argumentsText === null) {
		return null;
	}
	const flags = new Map<string, string>();
	for (const argument of argumentsText.split(/\s+/)) {
		const [, sign, name = '', value] = /^-XX:([+-]?)(\w+)(?:=(.*))?$/.exec(argument) ?? [];
		const size = /^-X(int|comp|mixed|m[nsx]|ss)(.*)$/.exec(argument);
		if (sign === '+' || sign === '-') {
			flags.set(name, String(sign === '+'));
		} else if (name === COMMAND) {
			flags.set(`${name}=${value ?? ''}`, '');
		} else if (value !== undefined) {
			flags.set(name, value);
		} else if (size !== null) {
			flags.set(`X${size[1]}`, size[2] ?? '');
		}
	}
	return flags;
}

/** As on a command line: `-XX:MaxInlineLevel=1`, `-XX:-Inline`, `-Xmx1g`. */
function jvmFlagText(name: string, value: string): string {
	if (/^X(?:int|comp|mixed|m[nsx]|ss)$/.test(name)) {
		return `-${name}${value}`;
	}
	if (name.startsWith(`${COMMAND}=`)) {
		return `-XX:${name}`;
	}
	return value === 'true' || value === 'false' ? `-XX:${value === 'true' ? '+' : '-'}${name}` : `-XX:${name}=${value}`;
}

/** Flags of one side that the other does not have so, but for those of recording; each side's as on a command line. Null: of a side they are not known. */
export function differentFlags(
	a: ReadonlyMap<string, string> | null,
	b: ReadonlyMap<string, string> | null,
): { readonly a: readonly string[]; readonly b: readonly string[] } | null {
	const only = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] =>
		[...one].filter(([name, value]) => !OF_RECORDING.test(name) && other.get(name) !== value).map(([name, value]) => jvmFlagText(name, value));
	return a === null || b === null ? null : { a: only(a, b), b: only(b, a) };
}

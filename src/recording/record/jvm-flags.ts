/** The flags that make a HotSpot JVM leave what hot regions are found with. Checked with JDK 17 and 25. */

/**
 * - LogCompilation: which method's code lay where, from when to when.
 * - PrintAssembly: the code; without the hsdis plug-in as `[MachCode]` hex.
 * - PrintInterpreter, PrintStubCode: the same for the interpreter and the JVM's own routines (0.9 MB, a tenth of a second).
 * - DebugNonSafepoints: bytecode positions for all code; PrintAssembly switches it on anyway, with a warning.
 * - DisplayVMOutput off: all this goes into the log only, and the program's standard output stays its own.
 * - Xlog: JDK 25 warns on standard output that there is no hsdis; `release` of JDK 8 knows no Xlog.
 */
export function evidenceFlags(logFile: string, majorVersion: number | null): string[] {
	return [
		'-XX:+UnlockDiagnosticVMOptions',
		'-XX:+LogCompilation',
		`-XX:LogFile=${logFile}`,
		'-XX:-DisplayVMOutput',
		'-XX:+PrintAssembly',
		'-XX:+PrintInterpreter',
		'-XX:+PrintStubCode',
		'-XX:+DebugNonSafepoints',
		...(majorVersion !== null && majorVersion < 9 ? [] : ['-Xlog:os=error']),
	];
}

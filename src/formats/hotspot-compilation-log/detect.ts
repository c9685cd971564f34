/** Whether the first bytes of a file are those of a log with compilations: HotSpot's LogFile, or what one of its compiler threads wrote. */
export function isCompilationLog(head: string): boolean {
	return /<hotspot_log version=|^<(?:start_compile_thread|task|task_queued|nmethod) [a-z_]+='/m.test(head);
}

/** What starts threads and programs, of C libraries, Rust and Go. */
const START =
	/^(?:_start|main|__libc_start\w*|start_thread|thread_start|_*clone3?|_dl_start\w*|runtime\.(?:goexit|mstart|rt0_go|main|systemstack|mcall|morestack)(?:\.\w+)?)(?:@@?[\w.]+)?$/;

/** Whether a stack is whole that begins in such a function: Go's own stack for what it does beside is one of its own. */
export function startsThread(symbol: string | null): boolean {
	return symbol !== null && START.test(symbol);
}

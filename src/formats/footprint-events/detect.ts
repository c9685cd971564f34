/** Whether a file holds footprint events, by its first lines. */
export function isFootprintEvents(head: string): boolean {
	return /^\s*\{[^\n]*"event": ?"(?:compile|phase|chunk)-(?:start|end|alloc|free)"/.test(head);
}

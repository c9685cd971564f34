/**
 * Whether the first bytes of a file are those of a Graal optimization log: a line that is a JSON object whose first keys
 * are methodName and compilationId. A file whose first line is damaged is recognized by a later one.
 */
const UNIT_HEAD = /(?:^|\n)\s*\{\s*"(?:methodName|compilationId)"\s*:\s*"(?:[^"\\\n]|\\.)*"\s*,\s*"(?:methodName|compilationId)"\s*:/;

export function isGraalOptimizationLog(head: string): boolean {
	return UNIT_HEAD.test(head);
}

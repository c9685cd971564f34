/**
 * Whether the first bytes of a file are those of a Graal optimization log: a line that is a JSON object whose first keys
 * are methodName and compilationId. A file whose first line is damaged is recognized by a later one.
 */
const UNIT_HEAD = /\{\s*"(?:methodName|compilationId)"\s*:\s*"(?:[^"\\\n]|\\.)*"\s*,\s*"(?:methodName|compilationId)"\s*:/y;
const NO_BLANK = /\S/g;

export function isGraalOptimizationLog(head: string): boolean {
	// From the first character of a line on: blank lines are passed over once.
	for (let start = 0; start < head.length; ) {
		NO_BLANK.lastIndex = start;
		const first = NO_BLANK.exec(head)?.index ?? head.length;
		UNIT_HEAD.lastIndex = first;
		if (UNIT_HEAD.test(head)) {
			return true;
		}
		const end = head.indexOf('\n', first);
		start = end < 0 ? head.length : end + 1;
	}
	return false;
}

/** Comments at instructions that tell the line of source that they were made of: `at /app/fib.js:3:10`, as stacks of JavaScript are written. */

const MARK = 'at ';

/** `place`: file, line and, where it is known, column. */
export function sourceComment(place: string): string {
	return MARK + place;
}

/** The place that one of the comments tells; null: none does. */
export function placeOfComments(comments: readonly string[]): string | null {
	return comments.find((comment) => comment.startsWith(MARK))?.slice(MARK.length) ?? null;
}

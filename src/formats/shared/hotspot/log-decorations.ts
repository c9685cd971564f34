/**
 * The decorations in front of a line of HotSpot's unified logging (-Xlog), `[0.123s][debug][jit,compilation]`: each in square brackets and in the
 * order of LogDecorators (JDK 17 to 25), whatever the order in the option.
 */

export interface LogDecorations {
	/** Milliseconds since the JVM's start (uptime, uptimemillis, uptimenanos: the finest); null where the line does not tell. */
	readonly uptimeMs: number | null;
	/** Nanoseconds of the system's monotonic clock (timenanos), which perf can sample with; null where the line does not tell. */
	readonly clockNs: number | null;
	/** Milliseconds since 1970 (time, utctime, timemillis); null where the line does not tell. */
	readonly epochMs: number | null;
	/** The last plain number: with `tid` the operating system's number of the thread that wrote the line; null without. */
	readonly threadId: number | null;
	/** `jit,compilation`; null where tags are not printed. */
	readonly tags: string | null;
	/** What follows the decorations. */
	readonly message: string;
}

const DECORATION = /\[([^[\]]*)\]/y;
/** Above, a stamp in nanoseconds or milliseconds cannot be the age of a JVM: 30 years. */
const LONGEST_UPTIME_MS = 30 * 365 * 86_400_000;
const LEVELS = new Set(['trace', 'debug', 'info', 'warning', 'error']);

/**
 * Splits a line. Of two stamps in nanoseconds the first is the clock and the second the uptime; one alone is taken for the uptime, as the line does
 * not say which it is. Null when the line does not begin with a decoration.
 */
export function readLogDecorations(line: string): LogDecorations | null {
	if (!line.startsWith('[')) {
		return null;
	}
	let uptimeMs: number | null = null;
	let epochMs: number | null = null;
	let threadId: number | null = null;
	let tags: string | null = null;
	const nanoseconds: number[] = [];
	let end = 0;
	DECORATION.lastIndex = 0;
	for (let match = DECORATION.exec(line); match !== null; match = DECORATION.exec(line)) {
		end = DECORATION.lastIndex;
		const text = match[1]!.trim();
		const [, number = '', unit = ''] = /^(\d+(?:[.,]\d+)?)(ns|ms|s|)$/.exec(text) ?? [];
		const value = Number(number.replace(',', '.'));
		if (unit === 'ns') {
			nanoseconds.push(value);
		} else if (unit === 'ms' && value > LONGEST_UPTIME_MS) {
			epochMs = value;
		} else if (unit === 'ms' || unit === 's') {
			uptimeMs = unit === 's' ? Math.round(value * 1000) : value;
		} else if (number !== '') {
			threadId = value;
		} else if (/^\d{4}-\d\d-\d\dT/.test(text)) {
			const time = Date.parse(text.replace(',', '.'));
			epochMs = Number.isNaN(time) ? null : time;
		} else if (!LEVELS.has(text) && /^[a-z0-9]+(?:,[a-z0-9]+)*$/.test(text)) {
			tags = text;
		}
	}
	if (end === 0) {
		return null;
	}
	const [first = null, second = first] = nanoseconds;
	return {
		uptimeMs: second === null ? uptimeMs : second / 1e6,
		clockNs: nanoseconds.length > 1 ? first : null,
		epochMs,
		threadId,
		tags,
		message: line.slice(end).replace(/^ /, ''),
	};
}

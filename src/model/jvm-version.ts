/** The version line of a JVM as titles show it: without what it was built from, and when. */
export function shortVersion(line: string): string {
	return line.replace(/,? built on [\s\S]*/, '').replace(/ JRE \([\s\S]*/, '');
}

/** 25 of `OpenJDK 64-Bit Server VM (25.0.3+9-LTS) for linux-amd64 …`, 8 of `25.292-b10 … 1.8.0_292`; null where no version stands there. */
export function majorVersion(text: string): number | null {
	const [, version] = /\bJRE \(([^)]{0,200})\)/.exec(text) ?? /\(([^)]{0,200})\)/.exec(text) ?? [null, text];
	const [, first, second] = /^(\d+)(?:\.(\d+))?/.exec(version ?? '') ?? [];
	return first === undefined ? null : first === '1' && second !== undefined ? Number(second) : Number(first);
}

/** The version line of a JVM as titles show it: without what it was built from, and when. */
export function shortVersion(line: string): string {
	return line.replace(/,? built on [\s\S]*/, '').replace(/ JRE \([\s\S]*/, '');
}

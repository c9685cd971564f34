/**
 * Perf maps (`/tmp/perf-PID.map`; `jcmd PID Compiler.perfmap`, -XX:+DumpPerfMapAtExit): lines `START SIZE name` with hexadecimal
 * numbers, as `perf` reads them. They tell what lay where when they were written, without times or compile ids.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { type GeneratedCode, kindOfSymbol } from '../../model/generated-code.js';
import { type Problem, SkippedLines } from '../../model/problem.js';

const LINE = /^(?:0x)?([0-9a-f]{6,16}) (?:0x)?([0-9a-f]{1,16}) (\S.*)$/;

export function isPerfMap(head: string): boolean {
	const lines = head.split('\n', 20);
	// The head may end within its last line.
	const whole = lines.slice(0, -1).filter((line) => line !== '');
	const checked = whole.length > 0 ? whole : lines.filter((line) => line !== '');
	return checked.length > 0 && checked.every((line) => LINE.test(line));
}

/** Never throws on content. */
export function readPerfMap(source: Source): { code: GeneratedCode[]; problems: Problem[] } {
	const skipped = new SkippedLines(source.name, 'expected a line of a perf map: start and size in hexadecimal, name');
	const code: GeneratedCode[] = [];
	forEachLine(source, (line, offsetBytes, number) => {
		const [, startText = '', sizeText = '', name = ''] = LINE.exec(line) ?? [];
		const start = Number.parseInt(startText, 16);
		const sizeBytes = Number.parseInt(sizeText, 16);
		if (sizeBytes > 0) {
			const kind = kindOfSymbol(name);
			code.push({
				kind,
				name: kind === 'compilation' ? methodName(name) : name,
				signature: null,
				compileId: null,
				compiler: null,
				level: null,
				osrBci: null,
				start,
				end: start + sizeBytes,
				installedSeconds: null,
				notEntrant: null,
			});
		} else if (line !== '') {
			skipped.add(number, offsetBytes);
		}
	});
	return { code, problems: skipped.problems() };
}

/** `boolean java.lang.String.equals(java.lang.Object)` and `java.lang.String::equals` are java.lang.String.equals. */
function methodName(name: string): string {
	return name
		.replace(/\([\s\S]*/, '')
		.replace(/^.* /, '')
		.replace('::', '.');
}

/** `assay bias --profilers` as text: which profilers are biased by how they look at threads. */
import type { ProfilersAnswer } from '../answers/profilers.js';
import type { ProfilerBias } from '../bias/profilers.js';
import type { Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';
import { wrapped } from './wrapped.js';

export const BIAS_WORDS: Readonly<Record<ProfilerBias, string>> = {
	safepoints: 'BIASED: shows safepoints',
	'debug info': 'BIASED: shows the nearest debug information',
	'names only': 'coarse: compiled methods only',
	no: 'not by construction',
};

const STACKS_WORDS = { true: 'Walks stacks', false: 'No stacks' } as const;

export function writeProfilersText(writer: TextWriter, { rows, jdk, version }: Pick<ProfilersAnswer, 'rows' | 'jdk' | 'version'>, terminal: Terminal): void {
	const width = terminal.width ?? 80;
	if (version !== null) {
		writer.line(0, visible(version));
	}
	writer.line(0, jdk === null ? 'Profilers of HotSpot, all versions of the JDK:' : `Profilers of HotSpot on JDK ${jdk}:`);
	for (const { profiler, mode, fromJdk, toJdk, bias, reason, walksStacks, sources } of rows) {
		writer.line(0, '');
		const versions = jdk === null ? versionsOf(fromJdk, toJdk) : '';
		const isBiased = bias === 'safepoints' || bias === 'debug info';
		writer.line(
			0,
			`${terminal.paint('bold', profiler)}${versions === '' ? '' : `, ${versions}`}: ${terminal.paint(isBiased ? 'red' : 'green', BIAS_WORDS[bias])}`,
		);
		for (const line of [
			...wrapped(mode, width - 2),
			...wrapped(`${reason}. ${STACKS_WORDS[walksStacks ? 'true' : 'false']}. [${sources.join(', ')}]`, width - 2),
		]) {
			writer.line(0, `  ${line}`);
		}
	}
}

export function versionsOf(from: number | null, to: number | null): string {
	if (from === null) {
		return to === null ? '' : `up to JDK ${to}`;
	}
	return to === null ? `from JDK ${from}` : `JDK ${from} to ${to}`;
}

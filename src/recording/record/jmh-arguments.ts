/**
 * Puts flags into the JVMs that JMH forks. JMH 1.37 takes JVM arguments either as one line, split at blanks outside "…", or, when
 * the option is given several times, each value as one argument.
 */
import path from 'node:path';
import { jarMainClass } from './jar-main-class.js';
import type { JavaTarget } from './java-arguments.js';

const JMH_MAIN = 'org.openjdk.jmh.Main';
/** What stands here replaces what @Fork says of the same option: of the three, jvmArgsPrepend is the one that benchmarks use least. */
const OPTION = '-jvmArgsPrepend';

export function startsJmh(target: JavaTarget, folder: string): boolean {
	return target.kind === 'jar' ? jarMainClass(path.resolve(folder, target.name)) === JMH_MAIN : target.name.replace(/^[^/]*\//, '') === JMH_MAIN;
}

/** Whether the benchmarks run in the JVM that is started, and none is forked: `-f 0`. */
export function jmhForksNothing(jmhArguments: readonly string[]): boolean {
	return jmhArguments.some((argument, i) => /^--?f=?0$/.test(argument) || (/^--?f$/.test(argument) && jmhArguments[i + 1] === '0'));
}

/** JMH's arguments with the flags for its forks, which come before any that the user gave. */
export function withForkFlags(jmhArguments: readonly string[], flags: readonly string[]): string[] {
	const others: string[] = [];
	const given: string[] = [];
	for (let i = 0; i < jmhArguments.length; i++) {
		const argument = jmhArguments[i]!;
		const [, inline] = /^--?jvmArgsPrepend=(.*)$/s.exec(argument) ?? [];
		if (inline !== undefined) {
			given.push(inline);
		} else if (/^--?jvmArgsPrepend$/.test(argument) && i + 1 < jmhArguments.length) {
			given.push(jmhArguments[++i]!);
		} else {
			others.push(argument);
		}
	}
	const values = given.length > 1 ? [...flags, ...given] : [[...flags.map(quoted), ...given].join(' ')];
	return [...values.flatMap((value) => [OPTION, value]), ...others];
}

function quoted(flag: string): string {
	return /\s/.test(flag) ? `"${flag}"` : flag;
}

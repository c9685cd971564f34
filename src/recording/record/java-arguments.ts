/** Takes apart the arguments of the `java` launcher, as far as finding what it starts (JDK 25, man page of java). */

export interface JavaTarget {
	readonly kind: 'jar' | 'class' | 'module' | 'source';
	readonly name: string;
	/** How many arguments come before those of the program. */
	readonly argumentsFrom: number;
}

/** Options of the launcher whose value is the next argument. */
const WITH_VALUE = new Set([
	'-cp',
	'-classpath',
	'--class-path',
	'-p',
	'--module-path',
	'--upgrade-module-path',
	'--add-modules',
	'--enable-native-access',
	'--add-reads',
	'--add-exports',
	'--add-opens',
	'--limit-modules',
	'--patch-module',
	'--source',
	'-d',
	'--describe-module',
]);

/** Null when nothing is started (`java -version`), or an argument file hides what is. `args` are those after `java`. */
export function javaTarget(args: readonly string[]): JavaTarget | null {
	for (let i = 0; i < args.length; i++) {
		const argument = args[i]!;
		const next = args[i + 1];
		if (argument === '-jar') {
			return next === undefined ? null : { kind: 'jar', name: next, argumentsFrom: i + 2 };
		}
		if (argument === '-m' || argument === '--module') {
			return next === undefined ? null : { kind: 'module', name: next, argumentsFrom: i + 2 };
		}
		if (argument.startsWith('@')) {
			return null;
		}
		if (WITH_VALUE.has(argument)) {
			i++;
		} else if (!argument.startsWith('-')) {
			return { kind: argument.endsWith('.java') ? 'source' : 'class', name: argument, argumentsFrom: i + 1 };
		}
	}
	return null;
}

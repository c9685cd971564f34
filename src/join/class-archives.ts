/** What an archive of classes would do for a program's start, by the JVM's version and by what its command line names: JEP 350 (JDK 13), 483 (JDK 24) and 515 (JDK 25). */
import { majorVersion } from '../model/jvm-version.js';
import type { JoinedRun } from './joined-run.js';

/** The first with -XX:AOTCache. */
const CACHES_FROM = 24;
/** The first whose caches have profiles of methods. */
const PROFILES_FROM = 25;

type Jvm = JoinedRun['jvm'];

/** What a program that only starts is helped by where it loads many classes: a sentence, or several. */
export function classArchiveAdvice(jvm: Jvm): string {
	const major = majorOf(jvm);
	const named = namedArchive(jvm, 'AOTCache', 'SharedArchiveFile');
	if (isWithoutArchive(jvm)) {
		return "The JVM was started with -Xshare:off, so that even the JDK's own classes come from no archive: leave that out";
	}
	if (named !== null) {
		const log = major === null ? '-Xlog:aot or -Xlog:cds' : major < CACHES_FROM ? '-Xlog:cds' : '-Xlog:aot';
		return `The JVM was started with an archive of classes (${named}): ${log} tells whether it takes it, -Xlog:class+load which classes come from elsewhere`;
	}
	const flag =
		major === null ? `-XX:AOTCache from JDK ${CACHES_FROM} on, -XX:SharedArchiveFile before` : major < CACHES_FROM ? '-XX:SharedArchiveFile' : '-XX:AOTCache';
	return `A program that only starts is helped by an archive of its classes (${flag})`;
}

/** What an archive does for the time of the compilers, after a remedy; empty where none of that JVM does anything. */
export function profileArchiveAdvice(jvm: Jvm): string {
	const major = majorOf(jvm);
	if (major !== null && major < PROFILES_FROM) {
		return '';
	}
	const named = namedArchive(jvm, 'AOTCache');
	return named === null
		? `, or start with profiles of a run before (-XX:AOTCache${major === null ? `, from JDK ${PROFILES_FROM} on` : ''}), so that C2 need not wait for them`
		: `; the profiles of its archive (${named}) are those of the run that made it, which has to do the same work`;
}

function majorOf({ version = null }: Jvm): number | null {
	return version === null ? null : majorVersion(version);
}

/** `-XX:AOTCache=app.aot`, the last of several; null where none is named by these flags. */
function namedArchive(jvm: Jvm, ...flags: readonly string[]): string | null {
	const named = (jvm.arguments ?? '').split(/\s+/).filter((argument) => flags.some((flag) => argument.startsWith(`-XX:${flag}=`)));
	return named.at(-1) ?? null;
}

/** The last of several counts. */
function isWithoutArchive(jvm: Jvm): boolean {
	return (
		(jvm.arguments ?? '')
			.split(/\s+/)
			.filter((argument) => argument.startsWith('-Xshare:'))
			.at(-1) === '-Xshare:off'
	);
}

import { expect, test } from 'vitest';
import { classArchiveAdvice, profileArchiveAdvice } from './class-archives.js';

const jvm = (jdk: number | null, text: string | null = '-Xmx1g') => ({
	version: jdk === null ? null : `OpenJDK 64-Bit Server VM (${jdk}.0.1+9) for linux-amd64 JRE (${jdk}.0.1+9)`,
	arguments: text,
});

test('what the version has is advised', () => {
	expect(classArchiveAdvice(jvm(17))).toMatch(/an archive of its classes \(-XX:SharedArchiveFile\)$/);
	expect(classArchiveAdvice(jvm(23))).toMatch(/\(-XX:SharedArchiveFile\)$/);
	expect(classArchiveAdvice(jvm(24))).toMatch(/\(-XX:AOTCache\)$/);
	expect(classArchiveAdvice(jvm(null, null))).toMatch(/\(-XX:AOTCache from JDK 24 on, -XX:SharedArchiveFile before\)$/);
	expect(classArchiveAdvice({ arguments: null })).toBe(classArchiveAdvice(jvm(null)));
});

test('no archive before JDK 25 has profiles: none helps the compilers', () => {
	expect([profileArchiveAdvice(jvm(17)), profileArchiveAdvice(jvm(24)), profileArchiveAdvice(jvm(24, '-XX:AOTCache=a'))]).toEqual(['', '', '']);
	expect(profileArchiveAdvice(jvm(25))).toBe(', or start with profiles of a run before (-XX:AOTCache), so that C2 need not wait for them');
	expect(profileArchiveAdvice(jvm(null))).toContain('(-XX:AOTCache, from JDK 25 on)');
});

test('what the command line has is not advised', () => {
	expect(classArchiveAdvice(jvm(25, '-Xmx1g -XX:AOTCache=old.aot -XX:AOTCache=app.aot -XX:+UseG1GC'))).toBe(
		'The JVM was started with an archive of classes (-XX:AOTCache=app.aot): -Xlog:aot tells whether it takes it, -Xlog:class+load which classes come from elsewhere',
	);
	expect(classArchiveAdvice(jvm(17, '-XX:SharedArchiveFile=a.jsa'))).toContain('(-XX:SharedArchiveFile=a.jsa): -Xlog:cds tells');
	expect(classArchiveAdvice(jvm(null, '-XX:SharedArchiveFile=a.jsa'))).toContain(': -Xlog:aot or -Xlog:cds tells');
	expect(profileArchiveAdvice(jvm(25, '-XX:AOTCache=app.aot'))).toBe(
		'; the profiles of its archive (-XX:AOTCache=app.aot) are those of the run that made it, which has to do the same work',
	);
	// Only a cache has profiles.
	expect(profileArchiveAdvice(jvm(25, '-XX:SharedArchiveFile=a.jsa'))).toMatch(/^, or start with profiles/);
	// A part of another argument names nothing.
	expect(classArchiveAdvice(jvm(25, '-Da=-XX:AOTCache=app.aot'))).toMatch(/\(-XX:AOTCache\)$/);
});

test('an archive that is switched off', () => {
	expect(classArchiveAdvice(jvm(17, '-Xshare:off'))).toMatch(/^The JVM was started with -Xshare:off/);
	expect(classArchiveAdvice(jvm(17, '-Xshare:off -Xshare:auto'))).toMatch(/^A program that only starts/);
});

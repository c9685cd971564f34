/** Benchmarks of JMH 1.37, with its archives from Maven Central. */
import path from 'node:path';
import { compileProgram, findJdk } from './jdks.js';
import { downloadFromMaven } from './packages.js';

const ARCHIVES = [
	'org.openjdk.jmh:jmh-core:1.37',
	'org.openjdk.jmh:jmh-generator-annprocess:1.37',
	'net.sf.jopt-simple:jopt-simple:5.0.4',
	'org.apache.commons:commons-math3:3.6.1',
];

/** Compiles a program of `live/programs` into a folder; the result is the class path to run it by. javac of later JDKs runs processors of annotations only where it is told to. */
export function compileBenchmarks(folder: string, program: string): string {
	const archives = ARCHIVES.map((coordinates) => downloadFromMaven(folder, coordinates));
	compileProgram(findJdk(17), program, folder, ...archives);
	return [...archives, folder].join(path.delimiter);
}

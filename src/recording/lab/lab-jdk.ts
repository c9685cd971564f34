/** The JDK that the lab runs its programs with. */
import fs from 'node:fs';
import path from 'node:path';
import { InputError } from '../../model/problem.js';
import { findExecutable } from '../record/find-executable.js';
import { lastLine, runTool } from '../record/run-tool.js';

export function labFailure(file: string, message: string, action: string): InputError {
	return new InputError({ severity: 'error', file, message, action });
}

/** `java`: a JDK's home or a java program; null: JAVA_HOME, else PATH. */
export function findJava(java: string | null, environment: NodeJS.ProcessEnv, workingDirectory: string): string {
	const home = java ?? environment.JAVA_HOME ?? '';
	const asked = path.resolve(workingDirectory, home);
	const candidate =
		home === '' ? 'java' : fs.existsSync(asked) && fs.statSync(asked).isDirectory() ? path.join(asked, 'bin', 'java') : java === null ? 'java' : asked;
	const found = findExecutable(candidate, workingDirectory, environment.PATH);
	if (found === null) {
		throw labFailure(candidate, 'no java was found', 'give a JDK with --java HOME, or set JAVA_HOME');
	}
	return found;
}

/** With the compiler of the JVM's own module: a runtime without one cannot run the lab. */
export async function compileLab(javaPath: string, source: string, classes: string): Promise<void> {
	const javac = path.join(path.dirname(fs.realpathSync(javaPath)), 'javac');
	const program = fs.existsSync(javac) ? [javac] : [javaPath, '-m', 'jdk.compiler/com.sun.tools.javac.Main'];
	const { status, stderr, stdout } = await runTool([...program, '-g', '-d', classes, source], { timeoutMs: 120_000 });
	if (status !== 0) {
		throw labFailure(javaPath, `the programs cannot be compiled: ${lastLine(stderr) || lastLine(stdout)}`, 'take a JDK (with javac), not a runtime');
	}
}

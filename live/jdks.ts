/** Finds the JDKs that the live tests run. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export interface LiveJdk {
	readonly home: string;
	readonly java: string;
	readonly javac: string;
	/** As its `release` file has it. */
	readonly version: string;
}

/** Folders that hold a JDK each. */
const COLLECTIONS = ['/usr/lib/jvm', '/usr/java', '/opt', '/opt/java', '/usr/local', '/Library/Java/JavaVirtualMachines'];

/** A JDK of this major version: that of JAVA_HOME or PATH, or one that is installed. Throws when there is none. */
export function findJdk(major: number): LiveJdk {
	for (const home of candidates()) {
		const version = versionOf(home);
		const bin = (name: string): string => path.join(home, 'bin', name);
		if (version !== null && new RegExp(`^${major}(?:\\D|$)`).test(version) && fs.existsSync(bin('javac'))) {
			return { home, java: bin('java'), javac: bin('javac'), version };
		}
	}
	throw new Error(`JDK ${major} is missing: these tests need it. Install it (java, javac) below /usr/lib/jvm, or set JAVA_HOME or JAVA_HOME_${major}`);
}

/** Compiles programs of this folder into another; the result is that folder. `archives` are what the program is compiled against. */
export function compileProgram(jdk: LiveJdk, name: string, folder: string, ...archives: readonly string[]): string {
	execFileSync(jdk.javac, ['-cp', archives.join(path.delimiter), '-d', folder, path.join(import.meta.dirname, 'programs', `${name}.java`)], {
		stdio: ['ignore', 'inherit', 'inherit'],
	});
	return folder;
}

function* candidates(): Generator<string> {
	for (const [name, value] of Object.entries(process.env)) {
		if (/^JAVA_?HOME/.test(name) && value) {
			yield value;
		}
	}
	for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
		const java = path.join(folder, 'java');
		if (fs.existsSync(java)) {
			yield path.dirname(path.dirname(fs.realpathSync(java)));
		}
	}
	const own = path.join(process.env.HOME ?? '/', '.sdkman', 'candidates', 'java');
	for (const collection of [...COLLECTIONS, own]) {
		for (const name of fs.existsSync(collection) ? fs.readdirSync(collection).sort() : []) {
			yield path.join(collection, name);
			yield path.join(collection, name, 'Contents', 'Home');
		}
	}
}

function versionOf(home: string): string | null {
	try {
		return /^JAVA_VERSION="([^"]+)"/m.exec(fs.readFileSync(path.join(home, 'release'), 'utf8'))?.[1] ?? null;
	} catch {
		return null;
	}
}

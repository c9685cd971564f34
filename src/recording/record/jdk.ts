/** What JDK a `java` belongs to: its home and its `release` file. */
import fs from 'node:fs';
import path from 'node:path';
import type { RecordedJdk } from '../../model/recording-manifest.js';

/** The JDK (or JRE) that a java program is part of; links are followed. Null when the file is gone. */
export function jdkOfJava(javaPath: string): RecordedJdk | null {
	let real: string;
	try {
		real = fs.realpathSync(javaPath);
	} catch {
		return null;
	}
	const home = path.dirname(path.dirname(real));
	// JDK 8 keeps a JRE inside: jdk/jre/bin/java.
	const hasRelease = fs.existsSync(path.join(home, 'release'));
	return readJdk(!hasRelease && path.basename(home) === 'jre' ? path.dirname(home) : home);
}

function readJdk(home: string): RecordedJdk {
	let text = '';
	try {
		text = fs.readFileSync(path.join(home, 'release'), 'utf8');
	} catch {
		// A runtime of its own making: it has a home and no more.
	}
	const value = (key: string): string | null => new RegExp(`^${key}="([^"]*)"`, 'm').exec(text)?.[1] ?? null;
	return { home, version: value('JAVA_VERSION'), runtimeVersion: value('JAVA_RUNTIME_VERSION'), vendor: value('IMPLEMENTOR') };
}

/** 17 of `17.0.15`, 8 of `1.8.0_402`; null when unknown. */
export function majorVersion(jdk: RecordedJdk | null): number | null {
	const [, legacy, major] = /^(1\.)?(\d+)/.exec(jdk?.version ?? '') ?? [];
	return major === undefined || (legacy !== undefined && Number(major) > 8) ? null : Number(major);
}

/** The disassembler plug-in that this JDK's JVM would load; null without. */
export function findHsdis(jdk: RecordedJdk | null, libraryPath = process.env.LD_LIBRARY_PATH ?? ''): string | null {
	if (jdk === null) {
		return null;
	}
	const own = ['lib/server', 'lib', 'jre/lib/amd64/server', 'jre/lib/amd64'].map((folder) => path.join(jdk.home, folder));
	for (const folder of [...own, ...libraryPath.split(':').filter((entry) => entry !== '')]) {
		const name = listed(folder).find((entry) => /^hsdis-\w+\.(?:so|dylib|dll)$/.test(entry));
		if (name !== undefined) {
			return path.join(folder, name);
		}
	}
	return null;
}

function listed(folder: string): string[] {
	try {
		return fs.readdirSync(folder);
	} catch {
		return [];
	}
}

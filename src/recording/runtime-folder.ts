/** Where the C that runs in other programs is, the order runtime and the JVM agent, and the settings of Flight Recorder: in the package's folder. */
import fs from 'node:fs';
import path from 'node:path';

/** This file is src/recording/… in a checkout and dist/… or dist/chunks/… in a package. */
function findRuntime(): string {
	for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
		const runtime = path.join(folder, 'runtime');
		if (fs.existsSync(path.join(runtime, 'assay_order.c')) || path.dirname(folder) === folder) {
			return runtime;
		}
	}
}

export const RUNTIME_FOLDER = findRuntime();

/** Events of Flight Recorder that assay reads; JVMs are told of it by path. */
export const SETTINGS_FILE = path.join(RUNTIME_FOLDER, 'assay.jfc');

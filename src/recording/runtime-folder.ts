/** Where the C that runs in other programs is, the order runtime and the JVM agent: in the package's folder. */
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

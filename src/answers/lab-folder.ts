/** Where the programs of `assay lab` are. */
import fs from 'node:fs';
import path from 'node:path';

/** lab/ lies at the root of the package, above the bundle and above the sources. */
export function labFolder(): string {
	for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
		const lab = path.join(folder, 'lab');
		if (fs.existsSync(path.join(lab, 'BiasLab.java')) || folder === path.dirname(folder)) {
			return lab;
		}
	}
}

/** The licences of the packages that a bundle holds, gathered from the modules that went into it. */
import fs from 'node:fs';
import path from 'node:path';

/**
 * A plugin of Rolldown and Vite that notes the folders of packages.
 * @param {Map<string, string>} found name → folder
 */
export function licences(found) {
	return {
		name: 'licences',
		/** @param {unknown} _options @param {Record<string, { moduleIds?: readonly string[] }>} bundle */
		generateBundle(_options, bundle) {
			for (const { moduleIds = [] } of Object.values(bundle)) {
				for (const id of moduleIds) {
					const match = /^\0?(.*[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+))[/\\]/.exec(id);
					if (match) {
						found.set(match[2].replaceAll('\\', '/'), match[1]);
					}
				}
			}
		},
	};
}

/** @param {Map<string, string>} found @param {string} file */
export function writeLicences(found, file) {
	const sections = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, folder]) => section(folder));
	fs.writeFileSync(file, ['The code in this folder contains the following packages.\n', ...sections].join(`\n${'-'.repeat(80)}\n\n`));
}

/** @param {string} folder */
function section(folder) {
	const { name, version, license, author, repository } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
	const head = [
		`${name} ${version}, ${license}`,
		...(author === undefined ? [] : [`Author: ${typeof author === 'string' ? author : author.name}`]),
		...(repository === undefined ? [] : [`Source: ${typeof repository === 'string' ? repository : repository.url}`]),
	];
	const texts = fs
		.readdirSync(folder)
		.filter((entry) => /^(?:licen[cs]e|copying|notice)(?:\.(?:md|txt))?$/i.test(entry))
		.sort()
		.map((entry) => `\n${fs.readFileSync(path.join(folder, entry), 'utf8').replaceAll('\r\n', '\n').trim()}\n`);
	return `${head.join('\n')}\n${texts.join('')}`;
}

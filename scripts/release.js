/**
 * `npm run release:check`: whether this checkout can be released. Version, changelog and git are looked at here; the package itself is packed, listed, installed
 * and used by live/package.test.ts. Nothing is changed or sent; the last lines say what to do next.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const { name, version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
const tag = `v${version}`;

const failures = [changelog(), lockFile(), git(), thePackage()].flat();
for (const failure of failures) {
	console.error(`not yet: ${failure}`);
}
if (failures.length === 0) {
	console.log(`${name} ${version} can be released:

  npm test && npm run test:live   unless both have passed on this commit
  git tag -a ${tag} -m '${name} ${version}' && git push origin ${tag}
  npm publish`);
}
process.exitCode = failures.length === 0 ? 0 : 1;

/** The first section is of this version and has a date. */
function changelog() {
	const text = fs.readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
	const [, heading = '', date = ''] = /^## (\S+)(?: \(([^)]*)\))?$/m.exec(text) ?? [];
	return [
		...(heading === version ? [] : [`CHANGELOG.md begins with ${heading || 'no version'}, package.json has ${version}`]),
		...(/^\d{4}-\d\d-\d\d$/.test(date) ? [] : [`CHANGELOG.md: the heading of ${heading || version} needs a date, as in "## ${version} (2026-01-31)"`]),
	];
}

function lockFile() {
	const lock = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
	return lock.version === version ? [] : [`package-lock.json is of ${lock.version}: npm install`];
}

function git() {
	const changed = output('git', ['status', '--porcelain']);
	return [
		...(changed === '' ? [] : [`the working tree has changes:\n${changed}`]),
		...(output('git', ['tag', '--list', tag]) === '' ? [] : [`there is a tag ${tag} already: raise the version`]),
	];
}

function thePackage() {
	const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
	const { status } = spawnSync(process.execPath, [vitest, 'run', '-c', 'live/vitest.config.ts', 'live/package.test.ts'], { cwd: root, stdio: 'inherit' });
	return status === 0 ? [] : ['the package is not as it has to be: see above'];
}

/** @param {string} command @param {string[]} args */
function output(command, args) {
	return execFileSync(command, args, { cwd: root, encoding: 'utf8' }).trimEnd();
}

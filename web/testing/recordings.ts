/** Every recording of fixtures/ and examples/ that may open as a page: found by looking, so that a new one is not forgotten. */
import fs from 'node:fs';
import path from 'node:path';
import { GRAAL_FIXTURES } from '../../test/fixtures.js';
import { root } from './rendered-page.js';

/** Outputs, and what is no evidence; recordings of Graal are packed here, and lie unpacked elsewhere. */
const OTHERS = /^fixtures\/(?:golden|cli|completion|store|disassembly|graal)(?:\/|$)/;

/** Recordings of no more are looked at by the default tests. */
export const SMALL_BYTES = 100_000;

export interface Found {
	/** As it is named on the command line. */
	readonly name: string;
	/** Of all its files. */
	readonly sizeBytes: number;
}

/** Folders with files directly in them, the smallest first. */
export function foldersOfRecordings(): Found[] {
	const folders = ['fixtures', 'examples'].flatMap((top) => [top, ...below(path.join(root, top)).map((name) => `${top}/${name}`)]);
	const graal = below(GRAAL_FIXTURES).map((name) => path.join(GRAAL_FIXTURES, name));
	return [...folders.filter((name) => !OTHERS.test(name)), ...graal.filter(isOfGraal)]
		.filter((folder) => filesOf(folder).length > 0)
		.map((name) => ({ name, sizeBytes: sizeOf(name) }))
		.sort((a, b) => a.sizeBytes - b.sizeBytes || (a.name < b.name ? -1 : 1));
}

/** Each beside its profile, where it has one; of the repeats of one program, made for noise, one. */
function isOfGraal(folder: string): boolean {
	const inside = path.relative(GRAAL_FIXTURES, folder);
	return /^inputs\/.+\/log$|^inputs\/edge\/./.test(inside) || inside === 'repeats/poly-a1';
}

function below(folder: string): string[] {
	return fs
		.readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isDirectory())
		.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));
}

/** Directly in a folder. */
export function filesOf(folder: string): string[] {
	return fs
		.readdirSync(path.resolve(root, folder), { withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ name }) => `${folder}/${name}`);
}

function sizeOf(folder: string): number {
	const whole = path.resolve(root, folder);
	return fs
		.readdirSync(whole, { recursive: true, withFileTypes: true })
		.reduce((sum, entry) => sum + (entry.isFile() ? fs.statSync(path.join(entry.parentPath, entry.name)).size : 0), 0);
}

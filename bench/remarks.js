/**
 * Time and memory from LLVM's optimization remarks to a report, beside llvm-remarkutil in the same run: its count, and its conversion of YAML to bitstream.
 *
 *   npm run bench:remarks -- FILE.opt.yaml [FILE.opt.bitstream]      such as of sqlite3.c: clang-22 -O2 -g -fsave-optimization-record -c sqlite3.c
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const files = process.argv.slice(2);
const assay = path.join(import.meta.dirname, '..', 'bin', 'assay.js');
const tool = ['llvm-remarkutil-22', 'llvm-remarkutil'].find((name) => spawnSync(name, ['--help']).status === 0);
const RUNS = 3;
if (files.length === 0) {
	console.error('give files of remarks');
	process.exit(2);
}
for (const file of files) {
	console.log(`${file}  ${(fs.statSync(file).size / 1e6).toFixed(1)} MB`);
	const isYaml = fs.readFileSync(file).subarray(0, 3).toString() === '---';
	/** @type {[string, string[]][]} */
	const commands = [
		['assay report', [process.execPath, assay, 'report', file]],
		...(tool === undefined
			? []
			: /** @type {[string, string[]][]} */ ([
					[`${tool} count`, [tool, 'count', '--count-by=remark-name', '--group-by=function', file]],
					isYaml
						? [`${tool} yaml2bitstream`, [tool, 'yaml2bitstream', file, '-o', '/dev/null']]
						: [`${tool} bitstream2yaml`, [tool, 'bitstream2yaml', file, '-o', '/dev/null']],
				])),
	];
	for (let run = 0; run < RUNS; run++) {
		for (const [name, command] of commands) {
			console.log(`  ${name.padEnd(36)} ${measured(command)}`);
		}
	}
}

/** @param {string[]} command */
function measured(command) {
	const { stderr, status } = spawnSync('/usr/bin/time', ['-f', '%U %S %M', ...command], { encoding: 'utf8', maxBuffer: 1 << 30 });
	const [user = 0, system = 0, kilobytes = 0] = stderr.trimEnd().split('\n').at(-1)?.split(' ').map(Number) ?? [];
	return `${(user + system).toFixed(2)} s of processor time, ${(kilobytes / 1000).toFixed(0)} MB${status === 0 ? '' : `, status ${status}`}`;
}

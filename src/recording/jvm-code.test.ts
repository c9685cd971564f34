/** A JVM's log and the log of the agent that watched it: one of each process. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { agentLog, jvmRecord, Kind, loadRecord, methodRecord, record } from '../../test/agent-log.js';
import type { Problem } from '../model/problem.js';
import { findEvidence } from './find-evidence.js';
import { type JvmCode, readJvmCode } from './jvm-code.js';

const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-jvm-code-'));
afterAll(() => {
	fs.rmSync(temporary, { recursive: true, force: true });
});

const nmethod = (id: number, address: number): string =>
	`<nmethod compile_id='${id}' compiler='c2' level='4' entry='0x${address.toString(16)}' size='64' address='0x${(address - 32).toString(16)}' method='a.b.Main run ()V' stamp='0.250'/>\n`;
const hotspotLog = (process: number, ...elements: string[]): string =>
	`<?xml version='1.0' encoding='UTF-8'?>\n<hotspot_log version='160 1' process='${process}' time_ms='1700000000000'>\n${elements.join('')}</hotspot_log>\n`;

async function codeOf(name: string, files: Readonly<Record<string, string | Buffer>>): Promise<JvmCode[]> {
	const folder = path.join(temporary, name);
	fs.mkdirSync(folder);
	for (const [file, content] of Object.entries(files)) {
		fs.writeFileSync(path.join(folder, file), content);
	}
	const problems: Problem[] = [];
	const { files: found } = await findEvidence([{ name, filePath: folder }]);
	const result = await readJvmCode(found.assembly, found.agentLog, problems);
	expect(problems).toEqual([]);
	return result;
}

const START = 0x7f0000001000;
const records = (isAttached = false): Buffer[] => [
	jvmRecord(isAttached),
	methodRecord(),
	loadRecord({ start: START }),
	loadRecord({ start: START + 256, compileId: 13 }),
];

test('of one process: stamps of the log, bytes of the agent, and what only one of them knows', async () => {
	const all = await codeOf('both', {
		'hotspot.log': hotspotLog(4711, nmethod(12, START), nmethod(99, START + 512)),
		'agent.bin': agentLog(records()),
	});
	expect(all).toHaveLength(1);
	const jvm = all[0]!;
	const { code } = jvm.log;
	// The log's clock begins at 1700000000, the agent's file at 1700000003: what was told 1.5 s later was told at 4.5.
	expect(code.map(({ compileId, installedSeconds, textRanges }) => [compileId, installedSeconds, textRanges.length])).toEqual([
		['12', 0.25, 2],
		['99', 0.25, 0],
		['13', 4.5, 2],
	]);
	const read = await jvm.read(code);
	expect([...read.values()].map(({ instructions }) => instructions.text)).toEqual([
		['nop', 'ret'],
		['nop', 'ret'],
	]);
	expect(jvm.codeForm()).toBe('agent');
});

test('of two processes, and an agent alone that came later', async () => {
	const two = await codeOf('two', { 'hotspot.log': hotspotLog(1, nmethod(12, START)), 'agent.bin': agentLog(records(true)) });
	expect(two.map(({ log }) => [log.processId, log.code.length, log.isOlder === true])).toEqual([
		[1, 1, false],
		[4711, 2, true],
	]);
	expect(two[1]!.log.version).toContain('17.0.15+6');
	expect(two[1]!.log.code.map(({ installedSeconds }) => installedSeconds)).toEqual([null, null]);
	const [alone] = await codeOf('alone', {
		'agent.bin': agentLog([...records(true), record(Kind.CaughtUp, []), loadRecord({ compileId: 20, start: START + 1024 })]),
	});
	expect(alone?.log.code.map(({ installedSeconds }) => installedSeconds)).toEqual([null, null, 1.5]);
});

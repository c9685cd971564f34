/** Real runs whose code the JVM printed while the agent wrote it: both say the same. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { type AgentComparison, compareAgentWithPrint } from '../../test/agent-comparison.js';
import { readPacked } from '../../test/packed.js';
import { memorySource, type Source } from '../bytes/source.js';
import { readAgentLog } from '../formats/agent-log/read.js';
import { debugInfoOf, nameOfCall, traitOf } from '../formats/shared/hotspot/instruction-comments.js';
import { DebugInfo } from '../model/instructions.js';
import { agentCode } from './agent-code.js';

const RECORDINGS = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'agent');

function compared(jdk: string): Promise<AgentComparison> {
	const source = (file: string): Source => memorySource(file, readPacked(path.join(RECORDINGS, jdk, `${file}.zst`)));
	return compareAgentWithPrint(source('agent.bin'), source('hotspot.log'));
}

test('JDK 17, Serial', async () => {
	const { agree, patched, differences } = await compared('jdk17');
	expect(differences).toEqual([]);
	expect(Object.fromEntries(agree)).toEqual({
		compilations: 185,
		instructions: 27483,
		'described addresses': 2999,
		'described addresses behind data among code': 3,
		frames: 5905,
		'oop maps': 971,
		'oop maps of native wrappers': 13,
		'oop maps of native wrappers that the JVM prints': 0,
		runtime_call: 1802,
		static_call: 68,
		'optimized virtual_call': 86,
		virtual_call: 38,
		'calls in one unit with a relocation of data': 72,
		poll: 55,
		poll_return: 183,
		'polls told from the instructions': 238,
	});
	// What the JVM writes into code while it is installed, resolved and made not entrant.
	expect(Object.fromEntries(patched)).toEqual({
		'entry of code that was made not entrant': 1,
		'target of a call that was resolved': 12,
		'method and target of a static call stub': 6,
		'class or data of an inline cache': 1,
	});
});

test('JDK 25, G1', async () => {
	const { agree, patched, differences } = await compared('jdk25');
	expect(differences).toEqual([]);
	expect(Object.fromEntries(agree)).toEqual({
		compilations: 135,
		instructions: 20288,
		'described addresses': 2498,
		frames: 5021,
		'oop maps': 761,
		'oop maps of native wrappers': 13,
		'oop maps of native wrappers that the JVM prints': 1,
		runtime_call: 1569,
		static_call: 60,
		'optimized virtual_call': 56,
		virtual_call: 20,
		poll: 50,
		poll_return: 148,
		'polls told from the instructions': 198,
	});
	expect(Object.fromEntries(patched)).toEqual({
		'guard of the method entry barrier': 9,
		'target of a call that was resolved': 12,
		'method and target of a static call stub': 4,
	});
});

test.each(['jdk17', 'jdk25'])('%s: the bytecode of one instruction is that of all of them, and says what the polls do', async (jdk) => {
	const source = memorySource('agent.bin', readPacked(path.join(RECORDINGS, jdk, 'agent.bin.zst')));
	const agent = agentCode('agent.bin', source, readAgentLog(source));
	let described = 0;
	for (const { instructions } of (await agent.read(agent.code)).values()) {
		const all = Array.from({ length: instructions.length }, (_, i) => i);
		const frames = all.map((i) => instructions.frames(i));
		const texts = all.map((i) => instructions.textAt(i));
		const calledNames = all.map((i) => instructions.calledName(i));
		const runtimeCalls = all.map((i) => instructions.runtimeCalls(i));
		const { traits, debugInfo, positions, position, comments, flow } = instructions;
		expect(frames).toEqual([...position].map((number) => positions[number] ?? []));
		expect(texts).toEqual(instructions.text);
		expect([...traits]).toEqual(comments.map((own, i) => own.reduce((sum, comment) => sum | traitOf(comment, flow[i]!), 0)));
		const asPrinted = [...debugInfo].map((bits) => ((bits & DebugInfo.LateCall) === 0 ? bits : (bits & ~DebugInfo.LateCall) | DebugInfo.Frames));
		expect(asPrinted).toEqual(comments.map((own) => own.reduce((sum, comment) => sum | debugInfoOf(comment), 0)));
		expect(calledNames).toEqual(comments.map((own) => own.map(nameOfCall).find((name) => name !== null) ?? null));
		expect(runtimeCalls).toEqual(comments.map((own) => own.filter((comment) => comment.startsWith('{runtime_call'))));
		described += frames.filter(({ length }) => length > 0).length;
	}
	expect(described).toBeGreaterThan(10_000);
});

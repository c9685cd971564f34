import { expect, test } from 'vitest';
import { agentLog, jvmRecord, loadRecord, methodRecord } from '../../../test/agent-log.js';
import { memorySource } from '../../bytes/source.js';
import { classRanks, namesakesOfLoads } from './class-ranks.js';
import { readAgentLog } from './read.js';

const read = (...records: Buffer[]) => readAgentLog(memorySource('agent-4711.bin', agentLog([jvmRecord(), ...records])));
const UNKNOWN = 0xffffffff;

test('classes of one name are numbered as the agent met them; the others are not', () => {
	const log = read(
		methodRecord({ number: 0, classNumber: 3, holder: 'Lapp/Plugin;' }),
		methodRecord({ number: 1, classNumber: 9, holder: 'Lapp/Plugin;' }),
		methodRecord({ number: 2, classNumber: 4, holder: 'Lapp/Main;' }),
		methodRecord({ number: 3, classNumber: UNKNOWN, holder: 'Lapp/Plugin;', name: 'late' }),
		loadRecord({ compileId: 7, method: 1, start: 0x1000 }),
		loadRecord({ compileId: 8, method: 0, start: 0x2000 }),
		loadRecord({ compileId: 9, method: 2, start: 0x3000 }),
		loadRecord({ compileId: 10, method: 1, start: 0x4000, osrBci: 4 }),
		loadRecord({ compileId: 11, method: 3, start: 0x5000 }),
	);
	expect([...classRanks(log)]).toEqual([
		['7', 2],
		['8', 1],
		['10', 2],
	]);
	expect(namesakesOfLoads(log)).toEqual(['class 2', 'class 1', null, 'class 2', null]);
});

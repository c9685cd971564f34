import { expect, test } from 'vitest';
import { agentLog, jvmRecord, Kind, record } from '../../../test/agent-log.js';
import { memorySource } from '../../bytes/source.js';
import { interpretedMethods } from './interpreted.js';
import { readAgentLog } from './read.js';

const ADDRESS = 0x7fa3_c448_8768;
const told = (holder: string, ...methods: readonly (readonly [address: number, bytes: number, name: string])[]): Buffer =>
	record(Kind.Interpreted, [holder, [4, methods.length], ...methods.flatMap(([address, bytes, name]) => [[8, address] as const, [4, bytes] as const, name])]);
const read = (bytes: Uint8Array, ...addresses: readonly number[]) => {
	const source = memorySource('agent.bin', bytes);
	const log = readAgentLog(source);
	return { problems: log.problems.map(({ message }) => message), methods: Object.fromEntries(interpretedMethods(source, log, new Set(addresses))) };
};

const FILE = agentLog([
	jvmRecord(),
	told('Lkafka/utils/Pool;', [ADDRESS, 120, 'get'], [ADDRESS + 8, 0, 'nativeOne'], [ADDRESS + 16, 5, '<init>']),
	told('Ljava/lang/invoke/LambdaForm$MH.0x000000005cdf5000;', [ADDRESS + 800, 4, 'invoke']),
]);

test('the methods at the addresses that are asked for', () => {
	expect(read(FILE, ADDRESS, ADDRESS + 8, ADDRESS + 800, ADDRESS + 1)).toEqual({
		problems: ['the agent log does not end: the JVM was killed'].slice(1),
		methods: {
			[ADDRESS]: { name: 'kafka.utils.Pool.get', bytecodeBytes: 120 },
			[ADDRESS + 8]: { name: 'kafka.utils.Pool.nativeOne', bytecodeBytes: 0 },
			[ADDRESS + 800]: { name: 'java.lang.invoke.LambdaForm$MH/0x000000005cdf5000.invoke', bytecodeBytes: 4 },
		},
	});
	expect(read(FILE).methods).toEqual({});
});

test('of a damaged record those before the damage', () => {
	const whole = told('LA;', [ADDRESS, 1, 'a'], [ADDRESS + 8, 2, 'b']);
	const names = (bytes: Buffer): string[] => Object.values(read(agentLog([jvmRecord(), bytes]), ADDRESS, ADDRESS + 8).methods).map(({ name }) => name);
	expect(names(whole)).toEqual(['A.a', 'A.b']);
	const damaged = (at: number, value: number): Buffer => {
		const bytes = Buffer.from(whole);
		bytes.writeUInt32LE(value, at);
		return bytes;
	};
	// Behind the head of 16 bytes: the holder with its length, the count, a row of 16 bytes and its name, the next row.
	expect(names(damaged(16, 0xffff_ffff))).toEqual([]);
	expect(names(damaged(23, 0xffff_ffff))).toEqual(['A.a', 'A.b']);
	expect(names(damaged(27 + 12, 0xffff_ffff))).toEqual([]);
	expect(names(damaged(27 + 16 + 1 + 12, 0x7fff_ffff))).toEqual(['A.a']);
});

import { expect, test } from 'vitest';
import { piece } from '../../test/code.js';
import type { CodeHeat, HotReport, Region } from './hot-results.js';
import { stubWork } from './stub-work.js';

const COPY = piece(0x100, 0x200, { kind: 'stub', name: 'jbyte_arraycopy', compileId: null });
const TABLE = piece(0x200, 0x240, { kind: 'stub', name: 'itable stub', compileId: null });
const OTHER = piece(0x300, 0x340, { kind: 'stub', name: 'forward exception', compileId: null });

const heat = (code: CodeHeat['code'], samples: number): CodeHeat => ({ code, samples }) as CodeHeat;
const region = (handle: string, of: CodeHeat, samples: number): Region => ({ handle, heat: of, method: of.code.name, samples }) as Region;
const row = (method: string, compileId: string, samples: number) => ({ method, bci: 3, line: 7, compileId, samples });

function work(rows: ReadonlyMap<CodeHeat['code'], readonly ReturnType<typeof row>[]>) {
	const [copies, lookups, others] = [heat(COPY, 100), heat(TABLE, 40), heat(OTHER, 500)];
	const regions = [region('r1', others, 500), region('r2', copies, 70), region('r3', lookups, 40), region('r4', copies, 30)];
	const stubs = new Map([...rows].map(([code, of]) => [code, { samples: of.reduce((sum, { samples }) => sum + samples, 0), rows: of }]));
	return stubWork({ regions, codeCallers: stubs } as unknown as HotReport);
}

test('copies and dispatch, each with the compilation that calls most, and where in it most comes from', () => {
	const copies = [row('a.B.once', '1', 40), row('a.B.first', '2', 25), row('a.B.second', '2', 35)];
	expect(
		work(
			new Map([
				[COPY, copies],
				[TABLE, [row('a.B.dispatch', '3', 40)]],
			]),
		),
	).toEqual([
		{ kind: 'copy', stub: 'jbyte_arraycopy', regions: ['r2', 'r4'], samples: 100, caller: copies[2], share: 0.6 },
		{ kind: 'dispatch', stub: 'itable stub', regions: ['r3'], samples: 40, caller: row('a.B.dispatch', '3', 40), share: 1 },
	]);
});

test('nothing of stubs most of whose callers were not seen, nor of other stubs', () => {
	expect(
		work(
			new Map([
				[COPY, [row('a.B.once', '1', 49)]],
				[OTHER, [row('a.B.c', '4', 500)]],
			]),
		),
	).toEqual([]);
	expect(stubWork({ regions: [] } as unknown as HotReport)).toEqual([]);
});

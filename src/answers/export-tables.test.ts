/** Columns of exported tables say what they hold. */
import { expect, test } from 'vitest';
import type { HotReport } from '../hot/hot-results.js';
import type { CompilationHistory } from '../model/jit-compilation.js';
import type { StackedSamples } from '../model/stacked-samples.js';
import { arenasTable, compilationsTable, inliningTable, memoryTable, regionsTable, safepointsTable, samplesTable } from './export-tables.js';
import { TABLE_NAMES } from './table-names.js';

test('each column has a meaning', () => {
	const none = { compilations: [] } as unknown as CompilationHistory;
	const stacked = { frames: [], threads: [], timeSeconds: null, periods: null, length: 0 } as unknown as StackedSamples;
	const tables = [
		compilationsTable(none, null),
		inliningTable(none, () => []),
		samplesTable(stacked),
		regionsTable({ regions: [] } as unknown as HotReport),
		safepointsTable([]),
		memoryTable([]),
		arenasTable([]),
	];
	expect(tables.map(({ name }) => name)).toEqual([...TABLE_NAMES]);
	for (const { name, columns } of tables) {
		expect(
			columns.filter(({ meaning = '' }) => meaning === '').map((column) => column.name),
			name,
		).toEqual([]);
	}
});

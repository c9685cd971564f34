import { defineConfig } from 'vitest/config';

/** Compilers and linkers, pages in a browser, code and decisions of JVMs: nothing of which times or shares of samples are compared. Two of these run at once; not `package`, which builds dist/ anew. */
const ORDER = ['blocks', 'cc', 'decode', 'instrument', 'layout', 'link-maps', 'macho', 'report', 'run'].map((name) => `live/order-${name}.test.ts`);
const PAGE = ['', '-bias-startup', '-everywhere', '-find', '-range', '-samples'].map((name) => `live/page${name}.test.ts`);
const JVM = [
	'agent',
	'allocations',
	'async-profiler',
	'compilations',
	'disassembly',
	'export',
	'flight-recorder-decisions',
	'flight-recorder-versions',
	'graal',
	'inlining',
	'loop-shapes',
	'memory',
	'never-reached',
	'perf-data',
	'recipes',
	'record-jfr',
	'record-pid',
	'store-trino',
].map((name) => `live/${name}.test.ts`);
const TOGETHER = [...ORDER, ...PAGE, ...JVM, 'web/page-numbers.live.ts'];

export default defineConfig({
	test: {
		root: `${import.meta.dirname}/..`,
		testTimeout: 300_000,
		hookTimeout: 300_000,
		projects: [
			{ extends: true, test: { name: 'together', include: TOGETHER, maxWorkers: 2, sequence: { groupOrder: 0 } } },
			{ extends: true, test: { name: 'alone', include: ['live/**/*.test.ts'], exclude: TOGETHER, maxWorkers: 1, sequence: { groupOrder: 1 } } },
		],
	},
});

import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Compilers and linkers, pages in a browser, code and decisions of JVMs: nothing of which times or shares of samples are compared. Two of these run at once; not `package`, which builds dist/ anew. */
const ORDER = ['blocks', 'cc', 'decode', 'instrument', 'layout', 'link-maps', 'macho', 'report', 'run', 'runtime'].map((name) => `live/order-${name}.test.ts`);
const PAGE = ['', '-bias-startup', '-everywhere', '-find', '-live', '-range', '-samples'].map((name) => `live/page${name}.test.ts`);
const JVM = [
	'agent',
	'allocations',
	'async-profiler',
	'bisect',
	'callers',
	'compilations',
	'disassembly',
	'export',
	'flight-recorder',
	'flight-recorder-decisions',
	'flight-recorder-versions',
	'graal',
	'inlining',
	'jitdump',
	'jmh',
	'loop-shapes',
	'memory',
	'native',
	'native-work',
	'never-reached',
	'perf-data',
	'recipes',
	'record',
	'record-jfr',
	'record-killed',
	'record-pid',
	'report',
	'store-trino',
	'thread-classes',
	'truffle',
].map((name) => `live/${name}.test.ts`);
const TOGETHER = [...ORDER, ...PAGE, ...JVM, 'web/page-numbers.live.ts'];

/** Those that take longest begin first, so that the two that run at once also end at once. */
const LONGEST = [
	'order-blocks',
	'order-layout',
	'record-pid',
	'page-numbers',
	'order-cc',
	'store-trino',
	'never-reached',
	'loop-shapes',
	'order-instrument',
	'order-run',
	'bisect',
	'record',
];

class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const place = ({ moduleId }: TestSpecification): number => {
			const at = LONGEST.indexOf(path.basename(moduleId).split('.')[0] ?? '');
			return at < 0 ? LONGEST.length : at;
		};
		return files.sort((a, b) => place(a) - place(b) || (a.moduleId < b.moduleId ? -1 : 1));
	}
}

export default defineConfig({
	test: {
		root: `${import.meta.dirname}/..`,
		testTimeout: 300_000,
		hookTimeout: 300_000,
		sequence: { sequencer: LongestFirst },
		projects: [
			{ extends: true, test: { name: 'together', include: TOGETHER, maxWorkers: 2, sequence: { groupOrder: 0 } } },
			{ extends: true, test: { name: 'alone', include: ['live/**/*.test.ts'], exclude: TOGETHER, maxWorkers: 1, sequence: { groupOrder: 1 } } },
		],
	},
});

import { expect, test } from 'vitest';
import { isCompilerClass, THREAD_CLASSES, threadClassOf, threadClassOfName } from './thread-class.js';

test('threads that compile', () => {
	expect(THREAD_CLASSES.filter(isCompilerClass)).toEqual(['c1', 'c2', 'jvmci']);
});

test('classes by their names', () => {
	expect(THREAD_CLASSES.map(threadClassOf)).toEqual([...THREAD_CLASSES]);
	expect(['', 'C1', 'Java', 'c3'].map(threadClassOf)).toEqual([null, null, null, null]);
});

test.each([
	['c1', ['C1 CompilerThre', 'C1 CompilerThread0']],
	['c2', ['C2 CompilerThre', 'C2 CompilerThread12']],
	['jvmci', ['JVMCI CompilerT', 'JVMCI-native Co', 'TruffleCompiler', 'TruffleCompilerThread-3']],
	[
		'gc',
		[
			...['GC Thread#12', 'G1 Conc#0', 'ParGC Thread#0', 'PSGC x', 'GC task thread#', 'Concurrent Mark', 'CMS Thread', 'Shenandoah GC T'],
			...['ZDriver', 'ZDirector', 'ZWorker#1', 'ZStat', 'ZUncommitter', 'ZUnmapper', 'XWorker#1', 'ZCollect', 'RuntimeWorker#0', 'GC Daemon'],
		],
	],
	[
		'jvm',
		[
			...['VM Thread', 'VM Periodic Tas', 'Signal Dispatch', 'Service Thread', 'Monitor Deflati', 'Notification Th', 'Attach Listener'],
			...[
				'Sweeper thread',
				'StatSampler',
				'String Dedup',
				'StringDedupProc',
				'Watcher',
				'ArchiveWorker',
				'Cleaner Thread',
				'Training Replay',
				'Surrogate Lock',
			],
		],
	],
	['recording', ['JFR Recorder Th', 'Async-profiler', 'async-profiler']],
	['java', ['main', 'Reference Handl', 'Finalizer', 'Common-Cleaner', 'process reaper', 'ForkJoinPool.com', 'pool-1-thread-1', 'Thread-0', 'VirtualThread-u']],
	[
		null,
		['mainly', 'my main', 'a VM Thread', 'GC Thread', 'ZStatistics', 'ZStats', 'pool-x', 'Thread-x', 'worker', 'my JFR ', 'C3 Compiler', 'A C1 Compiler', ''],
	],
] as const)('%s: %j', (threadClass, names) => {
	expect(names.map(threadClassOfName)).toEqual(names.map(() => threadClass));
});

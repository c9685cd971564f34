import { expect, test } from 'vitest';
import { piece } from '../../test/code.js';
import { codeMap } from '../model/code-map.js';
import { SamplesBuilder, type SampleThreads } from '../model/samples.js';
import { THREAD_CLASSES, threadClassOfName } from '../model/thread-class.js';
import { attributeSamples, onlyThreads } from './attribute.js';
import { classifyThreads } from './thread-classes.js';
import { threadTime } from './thread-time.js';

type Row = readonly [name: string, id: number, where: string];

const JVM = '/jdk/lib/server/libjvm.so';
const IN_JAVA = 0x1000n;

/** Samples of threads: `java` in compiled code, `kernel`, `libc`, `libc:memset`, or a function of the JVM. */
function sampled(rows: readonly Row[], hasAgent = false) {
	const builder = new SamplesBuilder();
	const threads: { name: string; id: number }[] = [];
	const of: number[] = [];
	rows.forEach(([name, id, where], i) => {
		const library =
			where === 'java' || where === 'generated'
				? null
				: where === 'kernel'
					? '[kernel.kallsyms]'
					: where.startsWith('lib')
						? `/usr/lib/${where.split(':')[0]}.so`
						: JVM;
		const symbol = library === JVM || where === 'kernel' ? where : (where.split(':')[1] ?? null);
		const place = builder.placeNumber(where, () => ({ symbol, library }));
		builder.add(i, where === 'java' ? IN_JAVA : where === 'kernel' ? -5n : 0x7000_0000n, builder.eventNumber('cpu'), place);
		const known = threads.findIndex((one) => one.name === name && one.id === id);
		of.push(known >= 0 ? known : threads.push({ name, id }) - 1);
	});
	const map = codeMap([piece(0x1000, 0x1100)]);
	const window = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
	const attribution = attributeSamples(builder.build(), map, {
		event: 0,
		processId: null,
		window,
		clock: { startSeconds: -1, uncertaintySeconds: 0, source: 'recorded' },
	});
	const all: SampleThreads = { of: Int32Array.from(of), threads };
	return { attribution, threads: all, classes: classifyThreads(attribution, all, { hasAgent }) };
}

function classOf(...rows: Row[]): string | undefined {
	return sampled([['main', 1, 'java'], ['VM Thread', 2, 'VMThread::loop'], ...rows]).classes?.ofThread.at(-1);
}

test.each([
	['C2 CompilerThre', 'c2'],
	['C2 CompilerThread12', 'c2'],
	['C1 CompilerThre', 'c1'],
	['JVMCI CompilerT', 'jvmci'],
	['GC Thread#0', 'gc'],
	['G1 Conc#0', 'gc'],
	['G1 Main Marker', 'gc'],
	['ZWorkerYoung#1', 'gc'],
	['ZDriverMajor', 'gc'],
	['Shenandoah GC T', 'gc'],
	['VM Thread', 'jvm'],
	['VM Periodic Tas', 'jvm'],
	['Monitor Deflati', 'jvm'],
	['Service Thread', 'jvm'],
	['JFR Thread Samp', 'recording'],
	['Reference Handl', 'java'],
	['ForkJoinPool-1-', 'java'],
	['Zookeeper', null],
	['Generator', null],
	['G1', null],
	['worker', null],
])('%s is called as %s threads are', (name, expected) => {
	expect(threadClassOfName(name)).toBe(expected);
});

test('a thread without a name of its own, by its samples', () => {
	const did = (...functions: string[]) => classOf(...functions.map((where): Row => ['x', 9, where]));
	expect(did('java', 'kernel')).toBe('java');
	expect(did('PhaseChaitin::Split', 'Node::dominates', 'Node::dominates')).toBe('c2');
	expect(did('LinearScan::walk', 'LinearScan::walk', 'LinearScan::walk')).toBe('c1');
	expect(did('G1ParScanThreadState::trim_queue', 'G1ParScanThreadState::trim_queue', 'G1ParScanThreadState::trim_queue')).toBe('gc');
	// Once or twice, a thread of Java may be there.
	expect(did('G1ParScanThreadState::trim_queue', 'G1ParScanThreadState::trim_queue', 'kernel')).toBe('java');
	// Half of it is no majority.
	expect(did('PhaseChaitin::Split', 'PhaseChaitin::Split', 'PhaseChaitin::Split', 'os::malloc', 'os::malloc', 'os::malloc')).toBe('java');
	expect(classOf(['x', 9, 'libc'], ['x', 9, 'libc'], ['x', 9, 'libc'])).toBe('native');
	// Threads of Java end and begin there.
	expect(classOf(['x', 9, 'libc'], ['x', 9, 'libc'], ['x', 9, 'kernel'])).toBe('java');
	expect(classOf(['x', 9, 'kernel'])).toBe('java');
	expect(classOf(['x', 9, 'jni_GetObjectField'], ['x', 9, 'libc'])).toBe('java');
	// Nothing but the JVM makes code here, whether a file names it or not.
	expect(classOf(['x', 9, 'generated'])).toBe('java');
	expect(classOf(['x', 9, 'generated'], ['x', 9, 'libc'])).toBe('java');
});

test('a thread that had another name before, and one of Java that is called like one of the JVM', () => {
	expect(
		sampled([
			['java', 7, 'kernel'],
			['C1 CompilerThre', 7, 'LinearScan::walk'],
			['java', 8, 'java'],
		]).classes?.ofThread,
	).toEqual(['c1', 'c1', 'java']);
	// The VM thread starts the collector's further threads, and a compiler's thread starts others.
	expect(
		sampled([
			['VM Thread', 6, 'VMThread::loop'],
			['VM Thread', 7, 'kernel'],
			['GC Thread#1', 7, 'PSPromotionManager::drain_stacks'],
			['C2 CompilerThre', 8, 'kernel'],
			['C1 CompilerThre', 8, 'LinearScan::walk'],
		]).classes?.ofThread,
	).toEqual(['jvm', 'gc', 'gc', 'c1', 'c1']);
	expect(classOf(['GC Thread#7', 9, 'java'], ['GC Thread#7', 9, 'java'])).toBe('gc');
	expect(classOf(['GC Thread#7', 9, 'java'], ['GC Thread#7', 9, 'java'], ['GC Thread#7', 9, 'java'])).toBe('java');
	// Graal runs as Java.
	expect(classOf(...[1, 2, 3, 4].map((): Row => ['JVMCI CompilerT', 9, 'java']))).toBe('jvmci');
});

test('by most of what it did in the JVM: more than half of it', () => {
	const did = (...functions: string[]) => classOf(...functions.flatMap((where): Row[] => [1, 2, 3].map(() => ['x', 9, where])));
	expect(did('LinearScan::walk', 'Node::dominates', 'Node::dominates')).toBe('c2');
	expect(did('LinearScan::walk', 'LinearScan::walk', 'Node::dominates')).toBe('c1');
	expect(did('LinearScan::walk', 'Node::dominates')).toBe('java');
	expect(did('Node::dominates', 'Node::dominates', 'os::malloc', 'kernel', 'libc', 'libc')).toBe('c2');
	expect(did('G1ParScanThreadState::trim_queue', 'os::malloc', 'os::malloc')).toBe('java');
	// Java code that ran in it says more.
	expect(did('Node::dominates', 'Node::dominates', 'java')).toBe('java');
	for (const function_ of [
		'GraphBuilder::x',
		'LIR_Op::x',
		'BlockBegin::x',
		'Interval::x',
		'ValueMap::x',
		'C1_MacroAssembler::x',
		'IR::x',
		'Canonicalizer::x',
	]) {
		expect(did(function_)).toBe('c1');
	}
	for (const function_ of [
		'Matcher::x',
		'ConnectionGraph::x',
		'GraphKit::x',
		'Compile::x',
		'IdealLoopTree::x',
		'RegMask::x',
		'IndexSet::x',
		'AddNode::x',
		'TypeInt::x',
	]) {
		expect(did(function_)).toBe('c2');
	}
});

test('a JVM whose library was not sampled is told by the threads of its compilers', () => {
	const kinds = (name: string) =>
		sampled([
			['main', 1, 'java'],
			[name, 2, 'libc'],
		]).classes?.ofThread ?? null;
	expect(kinds('C2 CompilerThre')).toEqual(['java', 'c2']);
	expect(kinds('C1 CompilerThre')).toEqual(['java', 'c1']);
	expect([kinds('C3 CompilerThre'), kinds('my C1 Compiler'), kinds('GC Thread#0')]).toEqual([null, null, null]);
});

test('names that the system has no number for are not those of other threads', () => {
	expect(sampled([['C1 CompilerThre', -1, 'LinearScan::walk'], ...[1, 2, 3].map((): Row => ['x', -1, 'libc']), ['java', 7, 'java']]).classes?.ofThread).toEqual(
		['c1', 'native', 'java'],
	);
	// Of threads of one name without numbers none was first.
	expect(
		sampled([
			['y', -1, 'kernel'],
			['VM Thread', 2, 'VMThread::loop'],
		]).classes?.ofThread,
	).toEqual(['java', 'jvm']);
});

test('the launcher waits for the thread in which main runs', () => {
	expect(
		sampled([
			['java', 10, 'kernel'],
			['java', 11, 'java'],
			['VM Thread', 12, 'VMThread::loop'],
		]).classes?.ofThread,
	).toEqual(['native', 'java', 'jvm']);
	// Whichever was sampled first; and only one that is not alone.
	expect(
		sampled([
			['java', 13, 'java'],
			['java', 11, 'kernel'],
			['java', 12, 'kernel'],
			['x', 5, 'kernel'],
			['VM Thread', 14, 'VMThread::loop'],
		]).classes?.ofThread,
	).toEqual(['java', 'native', 'java', 'java', 'jvm']);
});

test('what the recording cost is told by sample, and the service thread is its own where the agent was', () => {
	const rows: Row[] = [
		['main', 1, 'java'],
		['main', 1, 'fileStream::write'],
		['C2 CompilerThre', 2, 'CompileLog::begin_head'],
		['C2 CompilerThre', 2, 'Node::dominates'],
		['main', 1, 'libassay_agent'],
		['Service Thread', 3, 'ServiceThread::service_thread_entry'],
	];
	const names = (hasAgent: boolean) => [...(sampled(rows, hasAgent).classes?.ofSample ?? [])].map((number) => THREAD_CLASSES[number]);
	expect(names(false)).toEqual(['java', 'recording', 'recording', 'c2', 'recording', 'jvm']);
	expect(names(true)).toEqual(['java', 'recording', 'recording', 'c2', 'recording', 'recording']);
	// The compilers write their log through the C library, too, and use it for other things.
	const written = ['_IO_fwrite', '__vfprintf_internal', '__strchrnul_evex', '__GI___printf_fp_l', '_itoa_word'];
	const other = ['_int_malloc', '__memset_evex', 'pthread_mutex_lock', 'qsort_r', '__memcpy_evex'];
	const inLibrary = (thread: string, id: number, functions: readonly string[]) =>
		[...(sampled([...rows, ...functions.map((name): Row => [thread, id, `libc:${name}`])]).classes?.ofSample ?? [])]
			.slice(rows.length)
			.map((number) => THREAD_CLASSES[number]);
	expect(inLibrary('C2 CompilerThre', 2, [...written, ...other])).toEqual([...written.map(() => 'recording'), ...other.map(() => 'c2')]);
	expect(inLibrary('main', 1, written)).toEqual(written.map(() => 'java'));
	// Until it has its name it is called as the one that started it.
	rows.unshift(['VM Thread', 3, 'kernel']);
	expect(names(true)[0]).toBe('recording');
	expect(names(false)[0]).toBe('jvm');
	rows.shift();
	const others: Row[] = [
		...rows,
		['main', 1, 'libasyncProfiler'],
		['main', 1, 'libassay_agents'],
		['main', 1, 'libc'],
		...[1, 2, 3].map((): Row => ['my Service Thread', 4, 'libc']),
	];
	expect([...(sampled(others, true).classes?.ofSample ?? [])].slice(6).map((number) => THREAD_CLASSES[number])).toEqual([
		'recording',
		'java',
		'java',
		'native',
		'native',
		'native',
	]);
});

test('samples that are not of a JVM have no classes', () => {
	expect(
		sampled([
			['node', 1, 'java'],
			['node', 2, 'libc'],
		]).classes,
	).toBeNull();
});

test('time by class adds up, and so do its activities, threads and libraries', () => {
	const { attribution, threads, classes } = sampled([
		['main', 1, 'java'],
		['main', 1, 'java'],
		['main', 1, 'kernel'],
		['main', 1, 'ClassFileParser::parse_methods'],
		['C2 CompilerThre', 2, 'Node::dominates'],
		['C2 CompilerThre', 2, 'libc'],
		['C2 CompilerThre', 2, 'fileStream::write'],
	]);
	const time = threadTime(attribution, threads, classes ?? { ofThread: [], ofSample: new Uint8Array() });
	expect(time.counted).toBe(7);
	expect(time.classes.map((row) => [row.class, row.samples, row.threads, row.activities])).toEqual([
		[
			'java',
			4,
			1,
			[
				{ name: 'compiled code', samples: 2 },
				{ name: 'class loading', samples: 1 },
				{ name: 'kernel', samples: 1 },
			],
		],
		[
			'c2',
			2,
			1,
			[
				{ name: 'compiling', samples: 1 },
				{ name: 'libc.so', samples: 1 },
			],
		],
		['recording', 1, 1, [{ name: 'printing and logging', samples: 1 }]],
	]);
	expect(time.threads).toEqual([
		{ name: 'main', id: 1, class: 'java', samples: 4 },
		{ name: 'C2 CompilerThre', id: 2, class: 'c2', samples: 3 },
	]);
	expect(time.libraries.map(({ library, samples, symbols }) => [library, samples, symbols.map(({ symbol, activity }) => [symbol, activity])])).toEqual([
		[
			'libjvm.so',
			3,
			[
				['ClassFileParser::parse_methods', 'class loading'],
				['Node::dominates', 'compiling'],
				['fileStream::write', 'printing and logging'],
			],
		],
		['kernel', 1, [['kernel', null]]],
		['libc.so', 1, [[null, null]]],
	]);
});

test('a part of the threads: of the others the reason says so', () => {
	const { attribution, threads } = sampled([
		['main', 1, 'java'],
		['main', 1, 'kernel'],
		['C2 CompilerThre', 2, 'Node::dominates'],
	]);
	const only = onlyThreads(attribution, (i) => threads.of[i] === 0);
	expect({ counted: only.counted, total: only.total, byReason: Object.fromEntries(only.byReason) }).toEqual({
		counted: 2,
		total: 3,
		byReason: { kernel: 1, 'other thread': 1 },
	});
	expect([...attribution.byReason]).not.toContain('other thread');
});

test('samples whose thread is not told are of Java where Java code ran, else of nobody of the JVM', () => {
	const { attribution, threads } = sampled([
		['main', 1, 'java'],
		['VM Thread', 2, 'VMThread::loop'],
		['main', 1, 'libc'],
		['main', 1, 'generated'],
	]);
	const cut = { ...threads, of: Int32Array.of(-1, 1, -1, -1) };
	const classes = classifyThreads(attribution, cut, { hasAgent: false }) ?? { ofThread: [], ofSample: new Uint8Array() };
	expect([...classes.ofSample].map((number) => THREAD_CLASSES[number])).toEqual(['java', 'jvm', 'native', 'java']);
	expect(threadTime(attribution, cut, classes).classes.map((row) => [row.class, row.samples, row.threads])).toEqual([
		['java', 2, 0],
		['jvm', 1, 1],
		['native', 1, 0],
	]);
});

test("a compiler's thread of another process makes no JVM of what Node's samples are", () => {
	const { attribution, threads } = sampled([
		['node', 1, 'libc'],
		['C2 CompilerThre', 2, 'kernel'],
	]);
	expect(classifyThreads(attribution, threads, { hasAgent: false })).not.toBeNull();
	const ofNode = onlyThreads(attribution, (i) => threads.of[i] === 0);
	expect(classifyThreads(ofNode, threads, { hasAgent: false })).toBeNull();
});

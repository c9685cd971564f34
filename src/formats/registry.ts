/**
 * The formats that assay reads: one row each. The finder tells files by these rows, in this order; doctor, report, library and JSON speak of what the rows say.
 * docs/adding-a-format.md tells how to add one.
 */
import { MANIFEST_NAME } from '../model/recording-manifest.js';
import { isAgentLog } from './agent-log/read.js';
import { isAsyncProfilerCollapsed, readAsyncProfilerCollapsed } from './async-profiler-collapsed/read.js';
import { isAsyncProfilerText } from './async-profiler-text/read.js';
import { isChromeTrace, readChromeTrace } from './chrome-trace/read.js';
import { isClangOrderMap } from './clang-order-buffer/read-map.js';
import { isCollapsedStacks as isSurelyCollapsedStacks } from './collapsed-stacks/detect.js';
import { isCollapsedStacks, readCollapsed } from './collapsed-stacks/read.js';
import { isCpuProfile, readCpuProfile } from './cpu-profile/read.js';
import { isDtraceCalls } from './dtrace-calls/read.js';
import { isDTraceProfile, readDTraceProfile } from './dtrace-profile/read.js';
import { isInstructionList } from './executed-instructions/read.js';
import { isFirefoxProfile, readFirefoxProfile } from './firefox-profile/read.js';
import {
	tracesOfDtrace,
	tracesOfInstructions,
	tracesOfList,
	tracesOfPerf,
	tracesOfPerfData,
	tracesOfSimpleperf,
	tracesOfUftrace,
	tracesOfXray,
} from './first-executions.js';
import { isFootprintEvents } from './footprint-events/detect.js';
import type { Format } from './format.js';
import { isFunctionList } from './function-list/read.js';
import { isGraalOptimizationLog } from './graal-optimization-log/detect.js';
import { isCompilationLog } from './hotspot-compilation-log/detect.js';
import { isDeoptimizationLog } from './hotspot-deoptimization-log/read.js';
import { isHotspotLog, isPrintAssembly } from './hotspot-log/detect.js';
import { isSafepointLog } from './hotspot-safepoint-log/read.js';
import { isHprofText } from './hprof-text/read.js';
import { isJfr, readJfr } from './jfr/read.js';
import { isJfrPrintJson, readJfrPrintJson } from './jfr-print/json.js';
import { isJfrPrintText, readJfrPrintText } from './jfr-print/text.js';
import { isJitdump } from './jitdump/read.js';
import { isJmhStack } from './jmh-stack/read.js';
import { isIndexedProfile, readIndexedProfile } from './llvm-profile/read-indexed.js';
import { isRawProfile, readRawProfile } from './llvm-profile/read-raw.js';
import { isTextProfile, readTextProfile } from './llvm-profile/read-text.js';
import { isTemporalTracesText, readTemporalTracesText } from './llvm-profile/read-traces-text.js';
import { isBitstreamRemarks } from './llvm-remarks/read-bitstream.js';
import { isYamlRemarks } from './llvm-remarks/read-yaml.js';
import { isNativeSymbols } from './native-symbols/read.js';
import { isNmListing } from './nm-listing/read.js';
import { profileOfAsyncProfilerText, profileOfDumps, profileOfHprofText, profileOfJfr, profileOfJmhStack } from './observed-stacks.js';
import { isOrderMap } from './order-map/read.js';
import { isOtlpProfiles, readOtlpProfiles } from './otlp-profiles/read.js';
import { isPerfData } from './perf-data/header.js';
import { readPerfData } from './perf-data/read.js';
import { isPerfMap } from './perf-map/read.js';
import { isPerfOrder } from './perf-order/read.js';
import { isPerfScript, readPerfScript } from './perf-script/read.js';
import { isPprof, readPprof } from './pprof/read.js';
import { isPrintCompilation } from './print-compilation/read.js';
import { isPrintInlining } from './print-inlining/read.js';
import { isProftoolProfile } from './proftool-profile/detect.js';
import { isReadelfListing } from './readelf-listing/read.js';
import { isRecordingNote } from './recording-manifest/read.js';
import { isSimpleperfSamples } from './simpleperf/read.js';
import { isSpeedscope, readSpeedscope } from './speedscope/read.js';
import { isDump, isLinkedElf, isLinkMap, isPageFaultScript, isSurelyInstructionList, mayBeFunctionList, mayBeOrderBuffer, ofListing } from './startup-marks.js';
import { isThreadDumpJson, readThreadDumpJson } from './thread-dump/json.js';
import { isThreadDump, readThreadDumps } from './thread-dump/text.js';
import { isUftraceText } from './uftrace/read-text.js';
import { isXctraceTable, readXctraceTable } from './xctrace/read.js';
import { isXctraceContents } from './xctrace/read-contents.js';
import { isXperfDump, readXperfDump } from './xperf-dump/read.js';
import { isXrayYaml } from './xray-log/read.js';

export const FORMATS: readonly Format[] = [
	// Files with a mark that nothing else begins with.
	{
		name: 'perf-data',
		title: 'samples, perf.data',
		kinds: ['samples'],
		place: 'file',
		is: isPerfData,
		flag: 'perf record',
		samples: { format: 'perf', hasAddressesOnly: true, read: readPerfData },
		traces: { words: 'perf.data', read: tracesOfPerfData },
	},
	{
		name: 'native-symbols',
		title: 'symbols of native code',
		kinds: ['nativeSymbols'],
		place: 'file',
		is: isNativeSymbols,
		flag: 'assay record',
	},
	{
		name: 'linked-program',
		title: 'linked program',
		kinds: ['program'],
		place: 'file',
		is: isLinkedElf,
	},
	{
		name: 'llvm-remarks',
		title: 'optimization remarks of LLVM',
		kinds: ['remarks'],
		place: 'file',
		is: (head) => isYamlRemarks(head) || isBitstreamRemarks(head),
		flag: 'clang -fsave-optimization-record',
	},
	{
		name: 'order-trace',
		title: 'trace of first executions',
		kinds: ['orderTraces'],
		place: 'file',
		is: isDump,
		flag: 'assay order instrument, or assay-cc',
	},
	{
		name: 'order-trace',
		title: 'trace of first executions',
		kinds: ['orderTraces'],
		place: 'file',
		is: isRawProfile,
		flag: 'clang -fprofile-generate -mllvm -profile-temporal-instrumentation',
		traces: { words: 'LLVM raw profile', read: readRawProfile },
	},
	{
		name: 'order-trace',
		title: 'trace of first executions',
		kinds: ['orderTraces'],
		place: 'file',
		is: isIndexedProfile,
		traces: { words: 'LLVM indexed profile', read: readIndexedProfile },
	},
	{ name: 'order-map', title: 'map of an instrumented build', kinds: ['orderMap'], place: 'file', is: (head) => isOrderMap(head) || isClangOrderMap(head) },
	{
		name: 'flight-recording',
		title: 'recording of Flight Recorder',
		kinds: ['stacks', 'flightRecorder'],
		place: 'file',
		is: isJfr,
		flag: '-XX:StartFlightRecording:filename=rec.jfr',
		stacks: { format: 'flight-recording', words: 'a recording of Flight Recorder', read: (source) => profileOfJfr(readJfr(source)) },
	},
	{
		name: 'jfr-print',
		title: 'output of jfr print',
		kinds: ['stacks'],
		place: 'file',
		is: isJfrPrintJson,
		flag: 'jfr print --json rec.jfr',
		stacks: { format: 'jfr-print', words: 'jfr print --json', read: (source) => profileOfJfr(readJfrPrintJson(source)) },
	},
	{
		name: 'jfr-print',
		title: 'output of jfr print',
		kinds: ['stacks'],
		place: 'file',
		is: isJfrPrintText,
		flag: 'jfr print rec.jfr',
		stacks: { format: 'jfr-print', words: 'jfr print', read: (source) => profileOfJfr(readJfrPrintText(source)) },
	},
	{
		name: 'thread-dumps',
		title: 'thread dumps',
		kinds: ['stacks'],
		place: 'file',
		is: isThreadDumpJson,
		flag: 'jcmd PID Thread.dump_to_file -format=json FILE',
		stacks: { format: 'thread-dumps', words: 'thread dumps (JSON)', read: (source) => profileOfDumps(readThreadDumpJson(source)) },
	},
	{
		name: 'graal-optimization-log',
		title: 'Graal optimization log',
		kinds: ['graalLog'],
		place: 'file',
		is: isGraalOptimizationLog,
		flag: '-Djdk.graal.OptimizationLog=Directory',
	},
	{
		name: 'proftool-profile',
		title: 'proftool profile',
		kinds: ['proftoolProfile'],
		place: 'file',
		is: isProftoolProfile,
		flag: 'mx profjson',
	},
	// Profiles of any language.
	{
		name: 'speedscope',
		title: 'profile of speedscope',
		kinds: ['stacks'],
		place: 'file',
		is: isSpeedscope,
		flag: 'assay export --to speedscope, py-spy --format speedscope',
		stacks: { format: 'speedscope', words: 'a profile of speedscope', read: readSpeedscope },
	},
	{
		name: 'firefox-profile',
		title: 'profile of Firefox Profiler',
		kinds: ['stacks'],
		place: 'file',
		is: isFirefoxProfile,
		flag: 'assay export --to firefox, samply record --save-only',
		stacks: { format: 'firefox-profile', words: 'a profile of the Firefox Profiler', read: readFirefoxProfile },
	},
	{
		name: 'cpu-profile',
		title: 'CPU profile of V8',
		kinds: ['stacks'],
		place: 'file',
		is: isCpuProfile,
		flag: 'node --cpu-prof',
		stacks: { format: 'cpu-profile', words: 'a CPU profile of V8', read: readCpuProfile },
	},
	{
		name: 'chrome-trace',
		title: 'trace of Chrome',
		kinds: ['stacks'],
		place: 'file',
		is: isChromeTrace,
		flag: 'Performance panel of DevTools',
		stacks: { format: 'chrome-trace', words: 'a trace of Chrome', read: readChromeTrace },
	},
	{
		name: 'pprof',
		title: 'profile of pprof',
		kinds: ['stacks'],
		place: 'file',
		is: isPprof,
		flag: 'assay export --to pprof, /debug/pprof/profile',
		stacks: { format: 'pprof', words: 'a profile of pprof', read: readPprof },
	},
	{
		name: 'otlp-profiles',
		title: 'OTLP profiles',
		kinds: ['stacks'],
		place: 'file',
		is: isOtlpProfiles,
		flag: 'assay export --to otlp',
		stacks: { format: 'otlp-profiles', words: 'OTLP profiles', read: readOtlpProfiles },
	},
	{
		name: 'manifest',
		title: 'manifest',
		kinds: ['manifest'],
		place: 'file',
		is: (head) => isRecordingNote(head) && head.includes('"assayRecording"'),
		isNamed: (name) => name === MANIFEST_NAME,
		flag: 'assay record',
	},
	// The window of a run of JMH: no evidence that anybody asks for.
	{ name: 'other', title: 'unknown', kinds: ['manifest'], place: 'file', is: isRecordingNote },
	{
		name: 'memory-statistics',
		title: 'memory of compilers',
		kinds: ['compilerMemory'],
		place: 'file',
		is: isFootprintEvents,
	},
	{
		name: 'agent-log',
		title: 'log of the JVM agent',
		kinds: ['agentLog'],
		place: 'file',
		is: isAgentLog,
		flag: 'assay record -- COMMAND',
	},
	{
		name: 'jitdump',
		title: 'jitdump',
		kinds: ['jitdump'],
		place: 'file',
		is: isJitdump,
		flag: 'node --perf-prof app.js, under perf record -k mono',
	},
	// What a JVM writes.
	{
		name: 'hotspot-log',
		title: 'log of a JVM',
		kinds: ['logCompilation', 'assembly', 'compilerMemory'],
		place: 'file',
		is: isHotspotLog,
		marks: ['<hotspot_log version='],
		flag: '-XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation -XX:LogFile=hotspot.log',
	},
	{
		name: 'compiler-thread-log',
		title: 'log of a compiler thread',
		kinds: ['logCompilation', 'compilerMemory'],
		place: 'file',
		is: isCompilationLog,
	},
	{
		name: 'xctrace-table',
		title: 'samples, xctrace',
		kinds: ['samples'],
		place: 'file',
		is: isXctraceTable,
		flag: 'xctrace export',
		samples: { format: 'xctrace', read: readXctraceTable },
	},
	{
		name: 'xctrace-contents',
		title: 'table of contents, xctrace',
		kinds: ['samplesStart'],
		place: 'file',
		is: isXctraceContents,
		flag: 'xctrace export --toc',
	},
	{
		name: 'dtrace-profile',
		title: 'samples, DTrace',
		kinds: ['samples'],
		place: 'file',
		is: isDTraceProfile,
		flag: "dtrace -n 'profile-1001'",
		samples: { format: 'dtrace', read: readDTraceProfile },
	},
	{
		name: 'xperf-dump',
		title: 'samples, xperf',
		kinds: ['samples'],
		place: 'file',
		is: isXperfDump,
		flag: 'xperf -i trace.etl -symbols -a dumper',
		samples: { format: 'xperf', read: readXperfDump },
	},
	{
		name: 'async-profiler-collapsed',
		title: 'samples, async-profiler',
		kinds: ['samples'],
		place: 'file',
		is: isAsyncProfilerCollapsed,
		flag: 'asprof --features pcaddr -o collapsed',
		samples: { format: 'async-profiler', read: readAsyncProfilerCollapsed },
	},
	{
		name: 'perf-script',
		title: 'samples, perf script',
		kinds: ['samples'],
		place: 'file',
		is: isPerfScript,
		flag: 'perf record; perf script',
		samples: { format: 'perf', read: readPerfScript },
	},
	// What may stand between a program's own output, several together.
	{
		name: 'print-assembly',
		title: 'PrintAssembly output',
		kinds: ['assembly'],
		place: 'output',
		is: isPrintAssembly,
		alongside: ['compiler-thread-log'],
		marks: ['[MachCode]', '-compiled nmethod =', 'Compiled method (c'],
		flag: '-XX:+UnlockDiagnosticVMOptions -XX:+PrintAssembly',
	},
	{
		name: 'safepoint-log',
		title: 'log of safepoints',
		kinds: ['safepoints'],
		place: 'output',
		is: isSafepointLog,
		isNamed: (name, head) => head === '' && SAFEPOINT_LOG_NAME.test(name),
		alongside: ['hotspot-log', 'compiler-thread-log'],
		marks: [
			'Safepoint "',
			'SafepointSynchronize::begin: Timeout',
			'application threads were stopped',
			'Maximum sync time  ',
			'initially_running wait_to_block',
		],
		flag: '-Xlog:safepoint*=info:file=safepoint.log:uptimenanos,timenanos,tags',
	},
	{
		name: 'deoptimization-log',
		title: 'log of deoptimizations',
		kinds: ['deoptimizations'],
		place: 'output',
		is: isDeoptimizationLog,
		marks: [' trap_bci='],
		flag: '-Xlog:deoptimization=debug',
	},
	{
		name: 'print-compilation',
		title: 'PrintCompilation',
		kinds: ['printCompilation'],
		place: 'output',
		is: isPrintCompilation,
		marks: [' bytes)'],
		flag: '-XX:+PrintCompilation',
	},
	{
		name: 'print-inlining',
		title: 'PrintInlining',
		kinds: ['printInlining'],
		place: 'output',
		is: isPrintInlining,
		marks: [' bytes) '],
		flag: '-XX:+UnlockDiagnosticVMOptions -XX:+PrintInlining',
	},
	{
		name: 'jmh-stack',
		title: 'JMH -prof stack',
		kinds: ['stacks'],
		place: 'output',
		is: isJmhStack,
		marks: ['[Thread state: '],
		flag: 'JMH -prof stack',
		stacks: { format: 'jmh-stack', words: 'output of JMH -prof stack', read: profileOfJmhStack },
	},
	{
		name: 'async-profiler-text',
		title: 'text of async-profiler',
		kinds: ['stacks'],
		place: 'output',
		is: isAsyncProfilerText,
		marks: ['Total samples'],
		flag: 'asprof -o traces,flat',
		stacks: { format: 'async-profiler-text', words: 'text of async-profiler', read: profileOfAsyncProfilerText },
	},
	{
		name: 'hprof-text',
		title: 'text of hprof',
		kinds: ['stacks'],
		place: 'output',
		is: isHprofText,
		marks: ['CPU SAMPLES BEGIN (total = '],
		flag: '-agentlib:hprof=cpu=samples (JDK 8)',
		stacks: { format: 'hprof-text', words: 'text of hprof', read: profileOfHprofText },
	},
	{
		name: 'thread-dumps',
		title: 'thread dumps',
		kinds: ['stacks'],
		place: 'output',
		is: isThreadDump,
		marks: ['Full thread dump ', 'java.lang.Thread.State: '],
		flag: 'jstack PID',
		stacks: { format: 'thread-dumps', words: 'thread dumps', read: (source) => profileOfDumps(readThreadDumps(source)) },
	},
	// Text of nothing that a JVM prints.
	{
		name: 'linked-program',
		title: 'linked program',
		kinds: ['program'],
		place: 'text',
		is: ofListing((text) => isLinkMap(text) || isReadelfListing(text) || isNmListing(text)),
		flag: 'nm -n --print-size PROGRAM',
	},
	{
		name: 'order-trace',
		title: 'trace of first executions',
		kinds: ['orderTraces'],
		place: 'text',
		is: ofListing(isTemporalTracesText),
		flag: 'llvm-profdata show --temporal-profile-traces',
		traces: { words: 'llvm-profdata traces', isLikely: isTemporalTracesText, read: readTemporalTracesText },
	},
	{
		name: 'order-trace',
		title: 'trace of first executions',
		kinds: ['orderTraces'],
		place: 'text',
		is: ofListing(isTextProfile),
		flag: 'llvm-profdata merge -text',
		traces: { words: 'LLVM text profile', isLikely: isTextProfile, read: readTextProfile },
	},
	{
		name: 'order-trace',
		title: 'trace of first executions',
		kinds: ['orderTraces'],
		place: 'text',
		is: ofListing(isUftraceText),
		flag: 'uftrace record',
		traces: { words: 'uftrace text', isLikely: isUftraceText, read: tracesOfUftrace },
	},
	{
		name: 'order-trace',
		title: 'trace of first executions',
		kinds: ['orderTraces'],
		place: 'text',
		is: ofListing(isDtraceCalls),
		flag: "dtrace -F -c PROGRAM -n 'pid$target:a.out::entry'",
		traces: { words: 'dtrace', isLikely: isDtraceCalls, read: tracesOfDtrace },
	},
	{
		name: 'order-trace',
		title: 'trace of first executions',
		kinds: ['orderTraces'],
		place: 'text',
		is: ofListing(isSimpleperfSamples),
		flag: 'simpleperf report-sample --show-callchain',
		traces: { words: 'simpleperf samples', isLikely: isSimpleperfSamples, read: tracesOfSimpleperf },
	},
	{
		name: 'order-trace',
		title: 'trace of first executions',
		kinds: ['orderTraces'],
		place: 'text',
		is: ofListing(isXrayYaml),
		flag: 'llvm-xray convert -f yaml -symbolize --no-demangle -instr_map=PROGRAM LOG',
		traces: { words: 'XRay log', isLikely: isXrayYaml, read: tracesOfXray },
	},
	{
		name: 'executed-instructions',
		title: 'executed instructions',
		kinds: ['instructionList'],
		place: 'text',
		is: ofListing(isSurelyInstructionList),
		flag: 'valgrind --tool=lackey --trace-mem=yes',
		traces: { words: 'executed instructions', isLikely: isInstructionList, read: tracesOfInstructions },
	},
	{ name: 'perf-map', title: 'perf map', kinds: ['perfMap'], place: 'text', is: isPerfMap, flag: 'jcmd PID Compiler.perfmap' },
	{
		name: 'collapsed-stacks',
		title: 'collapsed stacks',
		kinds: ['stacks'],
		place: 'text',
		is: isSurelyCollapsedStacks,
		flag: 'asprof -o collapsed',
		stacks: { format: 'collapsed-stacks', words: 'collapsed stacks', isLikely: isCollapsedStacks, read: readCollapsed },
	},
	// Any text may hold them: only reading it tells.
	{
		name: 'memory-statistics',
		title: 'memory of compilers',
		kinds: ['compilerMemory'],
		place: 'anywhere',
		is: (head) => !head.includes('\0') && !head.trimStart().startsWith('{'),
		flag: '-XX:CompileCommand=memstat,*.*,print (JDK 22 and later)',
	},
	// Told only by a program that lies beside it.
	{
		name: 'order-trace',
		title: 'trace of first executions',
		kinds: ['faultScript'],
		place: 'weak',
		is: isPageFaultScript,
		alongside: ['perf-script'],
		flag: 'perf record -e page-faults; perf script',
		traces: { words: 'perf script', isLikely: isPerfOrder, read: tracesOfPerf },
	},
	{
		name: 'order-trace',
		title: 'trace of first executions',
		kinds: ['functionList'],
		place: 'weak',
		is: mayBeFunctionList,
		traces: { words: 'function list', isLikely: isFunctionList, read: tracesOfList },
	},
	{ name: 'order-trace', title: 'trace of first executions', kinds: ['orderBuffer'], place: 'weak', is: mayBeOrderBuffer },
];

/** The rows that have a reader of stacks, of traces: each with it. */
export const STACK_FORMATS = FORMATS.flatMap((row) => (row.stacks === undefined ? [] : [{ ...row, ...row.stacks }]));
export const TRACE_FORMATS = FORMATS.flatMap((row) => (row.traces === undefined ? [] : [{ ...row, ...row.traces, is: row.traces.isLikely ?? row.is }]));

/** The files that `assay record` lets the JVM log its safepoints into. Those of a program that had none are empty. */
export const SAFEPOINT_LOG_NAME = /^safepoint(?:-(?:pid)?\d+)?\.log$/;

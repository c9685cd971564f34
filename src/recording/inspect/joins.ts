/** Which of the evidence fits together, and what is missing: with the exact flag for it. */
import type { CodeCounts, EvidenceJoin, InspectedFile, JitdumpCounts, MissingEvidence, RecordingInspection, SampleCounts } from '../../model/inspection.js';
import { SCRIPT_FIELDS } from '../record/perf.js';

interface Evidence {
	readonly files: readonly InspectedFile[];
	readonly clocks: NonNullable<RecordingInspection['manifest']>['clocks'];
}

const UNLOCK = '-XX:+UnlockDiagnosticVMOptions';
const LOG_FLAGS = `${UNLOCK} -XX:+LogCompilation -XX:LogFile=hotspot.log`;
const RECORD_SAMPLES = `perf record -k CLOCK_MONOTONIC -F 999 -e cpu-clock -o perf.data -- java …; perf script -i perf.data --fields ${SCRIPT_FIELDS} > perf.script.txt`;
const RECORD_NODE = `perf record -k mono -F 999 -e cpu-clock -o perf.data node --perf-prof app.js; perf script -i perf.data --fields ${SCRIPT_FIELDS} > perf.script.txt`;
/** Samples and log may start and end at somewhat different moments. */
const TOLERANCE_SECONDS = 1;

export function joinsOf(evidence: Evidence): EvidenceJoin[] {
	const codes = codesOf(evidence);
	const dumps = dumpsOf(evidence);
	if (codes.length === 0 && dumps.length > 0) {
		return joinsOfDumps(dumps, samplesOf(evidence));
	}
	const samples = samplesOf(evidence);
	const total = sum(samples, (counts) => counts.total);
	const inside = sum(samples, (counts) => counts.inCompilations ?? 0);
	// An agent tells of the same compilations as a log of the same run.
	const logged = evidence.files.reduce((total, { kind, code }) => total + (kind === 'agent-log' ? 0 : (code?.nmethods ?? 0)), 0);
	const nmethods = logged > 0 ? logged : sum(codes, (counts) => counts.nmethods);
	const hasCode = codes.some((counts) => counts.machCodeBlocks + counts.disassembledLines > 0);
	const share = total === 0 ? 0 : inside / total;
	const address: EvidenceJoin = {
		name: 'address',
		what: 'samples with instructions',
		works: hasCode && total > 0 && (nmethods === 0 || inside > 0),
		why:
			total === 0
				? 'there are no samples'
				: !hasCode
					? 'there is no code'
					: nmethods === 0
						? 'by address; no <nmethod says where the code of a method lies'
						: inside === 0
							? `none of ${total} samples lies in logged code: are they of one run?`
							: `${inside} of ${total} samples (${(100 * share).toFixed(1)} %) lie in logged code`,
	};
	const method: EvidenceJoin = {
		name: 'method',
		what: 'code with methods and compilations',
		works: nmethods > 0,
		why: logged > 0 ? `${logged} <nmethod name it` : nmethods > 0 ? `the agent names ${nmethods}` : 'no log has an <nmethod',
	};
	return [address, method, timeJoin(evidence, codes, samples)];
}

/** Of code of another JIT compiler than a JVM's. */
function joinsOfDumps(dumps: readonly JitdumpCounts[], samples: readonly SampleCounts[]): EvidenceJoin[] {
	const total = sum(samples, (counts) => counts.total);
	const inside = sum(samples, (counts) => counts.inCompilations ?? 0);
	const pieces = sum(dumps, (counts) => counts.pieces);
	const address = {
		works: inside > 0,
		why:
			total === 0
				? 'there are no samples'
				: inside === 0
					? `none of ${total} samples lies in code of a jitdump: are they of one run?`
					: `${inside} of ${total} samples (${((100 * inside) / total).toFixed(1)} %) lie in code of a jitdump`,
	};
	const method = {
		works: pieces > 0,
		why: pieces > 0 ? `a jitdump names ${pieces} pieces, ${sum(dumps, (counts) => counts.withLines)} with lines of source` : 'no jitdump holds code',
	};
	return [
		{ name: 'address', what: 'samples with instructions', ...address },
		{ name: 'method', what: 'code with functions', ...method },
		{ name: 'time', what: "samples' times with stamps of code", ...timeOfDumps(dumps, samples) },
	];
}

function timeOfDumps(dumps: readonly JitdumpCounts[], [sample]: readonly SampleCounts[]): Pick<EvidenceJoin, 'works' | 'why'> {
	const starts = dumps.flatMap(({ firstSeconds }) => firstSeconds ?? []);
	if (sample?.firstSeconds == null || sample.lastSeconds === null) {
		return { works: false, why: 'there are no samples with times' };
	}
	if (starts.length === 0) {
		return { works: false, why: 'the stamps of the jitdump are not of CLOCK_MONOTONIC' };
	}
	const start = Math.min(...starts);
	return sample.lastSeconds < start || sample.firstSeconds > Math.max(start, EPOCH_SECONDS)
		? { works: false, why: 'the samples are of another time, or of another clock: perf record -k mono' }
		: { works: true, why: `the first code came ${start.toFixed(3)} s after CLOCK_MONOTONIC began, which perf record -k mono has too` };
}

/** Later times count from 1970. */
const EPOCH_SECONDS = 1e9;

function timeJoin({ clocks }: Evidence, codes: readonly CodeCounts[], samples: readonly SampleCounts[]): EvidenceJoin {
	const join = (works: boolean, why: string): EvidenceJoin => ({ name: 'time', what: "samples' times with the JVM's stamps", works, why });
	const log = codes.find(({ startMs }) => startMs !== null);
	const [sample] = samples;
	if (sample !== undefined && sample.total > 0 && sample.firstSeconds === null) {
		return join(false, 'the samples have no times');
	}
	if (log?.startMs == null || sample?.firstSeconds == null || sample.lastSeconds === null) {
		return join(false, 'a log that says when it began and samples are both needed');
	}
	if (clocks === null) {
		return join(false, 'no manifest says how the two clocks differ: code that replaced other code at one address cannot be told apart by time');
	}
	const start = log.startMs / 1000 + clocks.monotonicMinusRealtimeSeconds;
	const end = start + (log.lastStampSeconds ?? 0);
	if (sample.lastSeconds < start - TOLERANCE_SECONDS || sample.firstSeconds > end + TOLERANCE_SECONDS) {
		return join(false, 'by the clocks of the manifest the samples are of another time than the log');
	}
	return join(true, `stamp 0 is ${start.toFixed(3)} s of CLOCK_MONOTONIC, to the millisecond of the log`);
}

/** Of Flight Recorder; they are no samples. */
const COMPILER_EVENTS: readonly string[] = ['jdk.Compilation', 'jdk.CompilerInlining'];

export function missingOf(evidence: Evidence): MissingEvidence[] {
	const codes = codesOf(evidence);
	const isOfDump = codes.length === 0 && dumpsOf(evidence).length > 0;
	const samples = samplesOf(evidence);
	const missing: MissingEvidence[] = [];
	const need = (isThere: boolean, what: string, without: string, remedy: string): void => {
		if (!isThere) {
			missing.push({ what, without, remedy });
		}
	};
	const total = sum(samples, (counts) => counts.total);
	const hasData = evidence.files.some(({ kind }) => kind === 'perf-data');
	const script = `perf script -i perf.data --fields ${SCRIPT_FIELDS} > perf.script.txt`;
	const hasProfile = evidence.files.some(({ profile }) => profile?.events.some(({ name }) => !COMPILER_EVENTS.includes(name)));
	need(
		total > 0,
		'samples',
		hasProfile ? 'only another profiler says where the time went, and not at which instructions' : 'nothing says where the time went',
		hasData ? script : isOfDump ? RECORD_NODE : RECORD_SAMPLES,
	);
	if (isOfDump) {
		return missing;
	}
	need(sum(codes, (counts) => counts.nmethods) > 0, 'log of compilations', 'generated code has no names and no lifetimes', LOG_FLAGS);
	need(
		sum(codes, (counts) => counts.machCodeBlocks + counts.disassembledLines) > 0,
		'generated code',
		'samples are told by method at best, not by instruction',
		`${UNLOCK} -XX:+PrintAssembly (without hsdis: code in hex, which is read too)`,
	);
	need(
		sum(codes, (counts) => counts.codelets) > 0,
		'interpreter and stubs',
		"samples in the JVM's own routines have no names",
		`${UNLOCK} -XX:+PrintInterpreter -XX:+PrintStubCode`,
	);
	need(
		codes.length === 0 || codes.every(({ isWhole, startMs }) => isWhole || startMs === null),
		'end of the log',
		'the JVM was killed: what it had not written is missing; notes of compiler threads are in files of their own, if at all',
		'end the program by itself or with SIGTERM',
	);
	need(
		evidence.clocks !== null || total === 0,
		'clocks',
		'code at an address that was used twice is told apart by order, not by time',
		'record with assay record, or perf record -k CLOCK_MONOTONIC and a manifest',
	);
	need(
		codes.length === 0 || evidence.files.some(({ kind }) => kind === 'safepoint-log'),
		'log of safepoints',
		'assay bias --ttsp cannot tell who delays them',
		'-Xlog:safepoint*=info:file=safepoint.log:uptimenanos,timenanos,tags (JDK 9 and later; assay record does it)',
	);
	return missing;
}

function codesOf({ files }: Evidence): CodeCounts[] {
	return files.map(({ code }) => code).filter((code) => code !== null);
}

function dumpsOf({ files }: Evidence): JitdumpCounts[] {
	return files.map(({ jitdump }) => jitdump).filter((counts) => counts !== null);
}

function samplesOf({ files }: Evidence): SampleCounts[] {
	return files.map(({ samples }) => samples).filter((samples) => samples !== null);
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
	return items.reduce((total, item) => total + value(item), 0);
}

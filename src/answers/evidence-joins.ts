/** Which of the evidence of a recording was joined, and the flag for what was not: for `assay doctor`. */

import { type EvidenceKind, tellsCompilations } from '../model/evidence.js';
import type { EvidenceJoin, InspectedFile } from '../model/inspection.js';
import type { RecordingReport } from './joined-report.js';
import type { OpenedStartup, StartupFile } from './startup.js';

/** How the clock of the samples and the JVM's stamps lie to each other, where no manifest tells. */
export function timeOf({ clock, evidence, recording }: RecordingReport): Partial<EvidenceJoin> {
	if (clock?.source !== 'recorded' || !evidence.samples.present) {
		return {};
	}
	return {
		works: true,
		why: `stamp 0 is ${clock.startSeconds.toFixed(3)} s on the samples' clock, by ${recording?.samplesStart == null ? 'a log that has both' : `the start that ${recording.samplesStart.file} tells`}, within ${(1000 * clock.uncertaintySeconds).toFixed(1)} ms`,
	};
}

export function joinsOfReport(report: RecordingReport): EvidenceJoin[] {
	const { evidence } = report;
	const joins: EvidenceJoin[] = [memoryJoin(report), safepointsJoin(report)];
	if (evidence.graalLog.present) {
		joins.push(joinById(report, 'graal', 'graalLog', "Graal's decisions with compilations"));
	}
	return joins;
}

/** null: there is nothing to join; libraries may lie beside any recording. */
export function startupJoin({ files, program, traces, simulation, leftOut }: OpenedStartup, hasJvm: boolean): EvidenceJoin | null {
	const join = (works: boolean, why: string): EvidenceJoin => ({ name: 'startup', what: 'start-up with the program', works, why });
	const has = (...kinds: StartupFile['kind'][]): boolean => files.some(({ kind }) => kinds.includes(kind));
	if (simulation !== null && program !== null) {
		const functions = simulation.traces.reduce((sum, one) => sum + one.functions, 0);
		const [first] = leftOut;
		const more =
			first === undefined
				? ''
				: leftOut.length === 1
					? `; left out: ${first.file}: ${first.why}`
					: `; ${leftOut.length} files are left out: assay report tells why`;
		return join(true, `${traces.length} ${traces.length === 1 ? 'trace' : 'traces'} with ${functions} functions on ${program.file}${more}`);
	}
	if (has('orderTrace', 'instructionList')) {
		return join(
			false,
			has('program')
				? 'the traces are of none of the programs: put the one beside them that ran, before strip'
				: 'the program is missing: the ELF file before strip, or the output of nm -n --print-size of it',
		);
	}
	const [unread] = leftOut;
	if (unread !== undefined) {
		return join(false, `${unread.file} ${unread.why}`);
	}
	return hasJvm || !has('program', 'orderMap')
		? null
		: join(false, 'a trace is missing: what a build of assay-cc writes with ASSAY_ORDER_FILE=run.dump, or any that assay order decode reads');
}

const STARTUP_KINDS: Record<StartupFile['kind'], string> = {
	program: 'linked-program',
	orderTrace: 'order-trace',
	instructionList: 'executed-instructions',
	orderMap: 'order-map',
};

/** With kinds and counts of what the reading of a start-up found; a folder of uftrace is one file. */
export function withStartupFiles(files: readonly InspectedFile[], startup: OpenedStartup): InspectedFile[] {
	const owners = new Map(startup.files.map((own) => [own.name, own]));
	const folders = startup.files.filter(({ name, kind }) => kind === 'orderTrace' && !files.some((file) => file.name === name));
	const inFolders = new Map(folders.map((folder) => [folder, files.filter(({ name }) => name.startsWith(`${folder.name.replace(/\/$/, '')}/`))]));
	const inside = new Set([...inFolders.values()].flat());
	const rows = files.filter((file) => !inside.has(file)).map((file) => withOwner(file, owners.get(file.name)));
	for (const [folder, parts] of inFolders) {
		const [first] = parts;
		if (first !== undefined) {
			const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
			rows.push(withOwner({ ...first, name: folder.name, sizeBytes, code: null, samples: null }, folder));
		}
	}
	return rows.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function withOwner(file: InspectedFile, own: StartupFile | undefined): InspectedFile {
	return own === undefined
		? file
		: { ...file, kind: STARTUP_KINDS[own.kind], startup: own.kind === 'instructionList' ? { instructions: own.count } : { functions: own.count } };
}

function memoryJoin(report: RecordingReport): EvidenceJoin {
	return report.evidence.compilerMemory.present
		? joinById(report, 'memory', 'compilerMemory', 'compiler memory with compilations')
		: {
				name: 'memory',
				what: 'compiler memory with compilations',
				works: false,
				why: 'no statistic; JDK 22 and later print it with -XX:CompileCommand=memstat,*.*,print (assay record --memory)',
			};
}

function joinById({ compilations, evidence }: RecordingReport, name: EvidenceJoin['name'], kind: EvidenceKind, what: string): EvidenceJoin {
	const rows = compilations.filter((row) => row.evidence.includes(kind));
	const joined = rows.filter((row) => row.evidence.some((other) => other !== kind && (other === 'samples' || tellsCompilations(other))));
	const { records } = evidence[kind];
	return {
		name,
		what,
		works: joined.length > 0,
		why:
			joined.length > 0
				? `${joined.length} of ${records} by compile id and method`
				: evidence.logCompilation.present
					? `none of ${records} is of a compilation in the log: are they of one run?`
					: 'no log of compilations: -XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation -XX:LogFile=hotspot.log',
	};
}

function safepointsJoin({ delays, evidence, clock }: RecordingReport): EvidenceJoin {
	const join = (works: boolean, why: string): EvidenceJoin => ({ name: 'safepoints', what: 'safepoints with samples', works, why });
	if (!evidence.safepoints.present) {
		return join(false, 'no safepoints; -Xlog:safepoint*=info:file=safepoint.log:uptimenanos,timenanos,tags logs them (JDK 9 and later)');
	}
	if (evidence.safepoints.records === 0) {
		return join(false, 'the log of safepoints has none: the program had none');
	}
	const aligned = delays.filter((delay) => delay.clock === 'samples').length;
	if (aligned > 0) {
		return join(true, `${aligned} of ${delays.length} lie on the samples' clock${clock?.source === 'none' ? '' : ' and on that of the stamps'}`);
	}
	return join(
		false,
		evidence.samples.present
			? "no time of them is on the samples' clock: timenanos among the decorations of -Xlog, and perf record -k CLOCK_MONOTONIC"
			: 'there are no samples',
	);
}

/** What a file is that only the reading tells: output of a JVM with statistics of compilers' memory. null: it has none. */
export function kindInReport(file: string, { evidence }: RecordingReport): string | null {
	return evidence.compilerMemory.files.includes(file) ? MEMORY_KIND : null;
}

/** The name of the format of printed statistics in the registry. */
const MEMORY_KIND = 'memory-statistics';

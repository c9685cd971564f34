/**
 * SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0): findings of a tool with the places in the source that they are about, as code hosts and editors show
 * them. Files are told as javac has them by the name of the class, below the base `SRCROOT`, which who reads it has to know.
 */
import type { RecordingFinding } from '../../model/joined-recording.js';
import { type ProfileOrigin, sourceFileOf } from '../../model/stacked-samples.js';

/** What each kind of finding is, in a sentence. */
const RULES: Record<RecordingFinding['kind'], string> = {
	biased: 'A profiler at safepoints tells of another method',
	'not-inlined': 'A hot call was not inlined',
	safepoint: 'Threads were slow to stop for the JVM',
	memory: 'A compilation took much memory',
	'deoptimization-storm': 'Code was given up and compiled again and again',
	'deoptimized-hot': 'Hot code was given up',
	'recompiled-hot': 'Hot code was compiled again',
	failed: 'A hot method could not be compiled',
	interpreter: 'Much time was in the interpreter',
	compilers: 'Much time was in compilers',
	'slow-compilation': 'A compilation took long',
	'huge-method': 'A method is too large to be compiled',
	excluded: 'A method is excluded from compilation',
	'osr-only': 'A loop ran in code of on-stack replacement only',
	'code-cache': 'The code cache was full',
	contention: 'Threads waited for locks',
	'stub-work': 'Stubs took much time',
	'native-work': 'Native code took much time',
	'slow-instructions': 'Slow instructions took much time',
	'not-vectorized': 'A hot loop over arrays was not vectorized',
	'not-hoisted': 'A load in a hot loop was not moved out of it',
	spills: 'Registers are spilled in a hot loop',
	'cold-inlined': 'Code that does not run was inlined into hot code',
	exceptions: 'Exceptions took much time',
	collector: 'Much time was in the garbage collector',
	'class-loading': 'Much time was in loading classes',
	'compile-queue': 'Methods waited long to be compiled',
	'startup-inlining': 'Much of the code that starts up was inlined',
	startup: 'A start-up touches more pages than it has to',
};

/** From this share of the run on, in percent, a finding is a warning; below it is a note. */
const WARNING_PERCENT = 5;

/** `findings`: most worth first. */
export function writeSarif(findings: readonly RecordingFinding[], { title, producer }: ProfileOrigin, write: (text: string) => void): void {
	const [name = '', version = ''] = producer.split(' ');
	const kinds = [...new Set(findings.map(({ kind }) => kind))];
	const log = {
		$schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
		version: '2.1.0',
		runs: [
			{
				tool: { driver: { name, version, rules: kinds.map((id) => ({ id, shortDescription: { text: RULES[id] } })) } },
				automationDetails: { description: { text: title } },
				originalUriBaseIds: { SRCROOT: { description: { text: 'The folder of the Java sources, with the packages in it' } } },
				columnKind: 'utf16CodeUnits',
				results: findings.map((finding) => resultOf(finding, kinds.indexOf(finding.kind))),
			},
		],
	};
	write(`${JSON.stringify(log, null, '\t')}\n`);
}

function resultOf({ kind, text, place = null, handles, evidence, command, worth }: RecordingFinding, ruleIndex: number): object {
	return {
		ruleId: kind,
		ruleIndex,
		level: worth >= WARNING_PERCENT ? 'warning' : 'note',
		message: { text: command === null ? text : `${text}\n${command}` },
		rank: Math.min(100, Math.max(0, worth)),
		...(place === null ? {} : { locations: [locationOf(place)], partialFingerprints: { 'assayFinding/v1': `${kind} ${place.method}` } }),
		properties: { handles, evidence, ...(command === null ? {} : { command }) },
	};
}

function locationOf({ method, line, bci }: NonNullable<RecordingFinding['place']>): object {
	const file = sourceFileOf({ name: method, kind: method.startsWith('(') ? 'native' : 'method' });
	const region = line !== null && line > 0 ? { region: { startLine: line } } : {};
	return {
		...(file === null ? {} : { physicalLocation: { artifactLocation: { uri: encodeURI(file), uriBaseId: 'SRCROOT' }, ...region } }),
		logicalLocations: [{ fullyQualifiedName: method, kind: 'function' }],
		...(bci === null || bci < 0 ? {} : { properties: { bci } }),
	};
}

/** Reads of a manifest what can be read: whoever wrote it, nothing in it is taken for granted. */
import { readRange, type Source } from '../../bytes/source.js';
import type { RecordingInspection } from '../../model/inspection.js';
import type { Problem } from '../../model/problem.js';
import type { RecordedJdk } from '../../model/recording-manifest.js';

export type ManifestFacts = NonNullable<RecordingInspection['manifest']>;

const LARGEST_BYTES = 16 << 20;

/** Content never makes it throw. */
export function readManifest(source: Source): { facts: ManifestFacts | null; problems: Problem[] } {
	const { name } = source;
	const problem = (severity: Problem['severity'], message: string, action: string): Problem => ({ severity, file: name, message, action });
	if (source.sizeBytes > LARGEST_BYTES) {
		return { facts: null, problems: [problem('error', 'is too large for a manifest', 'it is left out')] };
	}
	let content: unknown;
	try {
		content = JSON.parse(Buffer.from(readRange(source, 0, source.sizeBytes)).toString('utf8'));
	} catch (error) {
		return { facts: null, problems: [problem('error', `is no JSON (${(error as Error).message})`, 'it is left out')] };
	}
	const version = field(content, 'assayRecording');
	if (version !== 1) {
		return { facts: null, problems: [problem('error', `expected "assayRecording": 1, not ${JSON.stringify(version) ?? 'nothing'}`, 'it is left out')] };
	}
	const state = text(field(content, 'state')) ?? 'unknown';
	const command = field(content, 'command');
	const clocks = field(content, 'clocks');
	const offset = field(clocks, 'monotonicMinusRealtimeSeconds');
	const uncertainty = field(clocks, 'uncertaintySeconds');
	const hasClocks = field(clocks, 'perf') === 'CLOCK_MONOTONIC' && typeof offset === 'number' && typeof uncertainty === 'number';
	const facts: ManifestFacts = {
		state,
		command: Array.isArray(command) ? command.filter((word) => typeof word === 'string') : [],
		jdk: jdkOf(field(content, 'jdk')),
		clocks: hasClocks ? { monotonicMinusRealtimeSeconds: offset, uncertaintySeconds: uncertainty } : null,
	};
	const cut = problem('warning', `the recording was not completed (state "${state}")`, 'assay was killed, or is still recording; what is there is read');
	return { facts, problems: [...(state === 'complete' ? [] : [cut]), ...recordedProblems(content, name)] };
}

/** What `assay record` had to say. */
function recordedProblems(content: unknown, name: string): Problem[] {
	const problems = field(content, 'problems');
	return (Array.isArray(problems) ? problems : []).flatMap((item: unknown) => {
		const message = text(field(item, 'message'));
		const action = text(field(item, 'action'));
		const severity = field(item, 'severity') === 'error' ? 'error' : 'warning';
		return message === null || action === null ? [] : [{ severity, file: text(field(item, 'file')) ?? name, message, action }];
	});
}

function jdkOf(value: unknown): RecordedJdk | null {
	const home = text(field(value, 'home'));
	const of = (key: string): string | null => text(field(value, key));
	return home === null ? null : { home, version: of('version'), runtimeVersion: of('runtimeVersion'), vendor: of('vendor') };
}

function field(value: unknown, key: string): unknown {
	return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

function text(value: unknown): string | null {
	return typeof value === 'string' ? value : null;
}

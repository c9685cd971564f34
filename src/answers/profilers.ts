/** Which profilers are biased by construction, in general or on the JVM of a recording. */
import { type ProfilerRow, profilersOf } from '../bias/profilers.js';
import { majorVersion } from '../model/jvm-version.js';
import type { Problem } from '../model/problem.js';
import type { Evidence } from '../recording/evidence.js';
import type { BiasProfilersResult } from './results.js';
import type { Streamed } from './streamed.js';

export interface ProfilersAnswer {
	readonly rows: readonly ProfilerRow[];
	/** Major version of the JDK that they are of; null: all. */
	readonly jdk: number | null;
	/** What the JVM of the recording says of itself; null: it does not, or there is no recording. */
	readonly version: string | null;
	readonly problems: readonly Problem[];
	result(): Streamed<BiasProfilersResult>;
}

/** Of a version of the JDK; null: of all. */
export function answerProfilers(jdk: number | null): ProfilersAnswer {
	return answer(jdk, null, []);
}

/** Of the JVM that was recorded; of all versions where no log tells its own. */
export async function answerProfilersOf(evidence: Evidence): Promise<ProfilersAnswer> {
	const version = (await evidence.recording())?.log?.version ?? null;
	const jdk = version === null ? null : majorVersion(version);
	const problem: Problem = {
		severity: 'warning',
		file: evidence.name,
		message: "no log tells the JVM's version",
		action: 'all versions are shown; --for-jdk N chooses one',
	};
	return answer(jdk, version, jdk === null ? [problem] : []);
}

function answer(jdk: number | null, version: string | null, problems: readonly Problem[]): ProfilersAnswer {
	const rows = profilersOf(jdk);
	return { rows, jdk, version, problems, result: () => ({ jdk, version, profilers: rows }) };
}

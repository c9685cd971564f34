/** What of a native program's evidence was joined, and the compiler's flag for what was not: for `assay doctor`. */
import type { EvidenceJoin, MissingEvidence } from '../model/inspection.js';
import type { RecordingReport } from './joined-report.js';

export function nativeJoins({ hot, recording, remarkMatch, evidence }: RecordingReport): EvidenceJoin[] {
	const counted = hot?.attribution.counted ?? 0;
	const inside = hot?.code.reduce((sum, { samples }) => sum + samples, 0) ?? 0;
	const libraries = recording?.native?.libraries ?? [];
	const described = libraries.filter(({ hasDebugInformation }) => hasDebugInformation);
	const joins: EvidenceJoin[] = [
		{
			name: 'address',
			what: 'samples with instructions',
			works: inside > 0,
			why: `${inside} of ${counted} samples lie in the code of ${libraries.length} executables and libraries that are at hand`,
		},
		{
			name: 'method',
			what: 'instructions with lines',
			works: described.length > 0,
			why: described.length > 0 ? `debug information of ${described.map(({ name }) => fileName(name)).join(', ')}` : 'no executable has debug information',
		},
	];
	if (remarkMatch !== null && evidence.remarks.present) {
		const { inlined, found, untold } = remarkMatch;
		joins.push({
			name: 'remarks',
			what: 'inlined code with remarks',
			works: found > 0 || inlined === 0,
			why: `of ${inlined} samples in inlined code ${found} have the remark of the call; ${untold} are in functions of which no remark tells`,
		});
	}
	return joins;
}

export function nativeMissing({ recording, evidence }: RecordingReport): MissingEvidence[] {
	const libraries = recording?.native?.libraries ?? [];
	const missing: MissingEvidence[] = [];
	if (!evidence.remarks.present) {
		missing.push({
			what: 'remarks',
			without: 'decisions of the compiler',
			remedy: 'compile with -fsave-optimization-record (clang; of rustc: -Zremark-dir=DIR -Cremark=all), and give the .opt.yaml files too',
		});
	}
	const [bare] = libraries.filter(({ hasDebugInformation }) => !hasDebugInformation);
	if (!libraries.some(({ hasDebugInformation }) => hasDebugInformation) && bare !== undefined) {
		missing.push({
			what: 'debug information',
			without: 'lines of source and inlined functions',
			remedy: `compile ${fileName(bare.name)} with -g, or -gmlt, which is smaller and tells the same here`,
		});
	}
	return missing;
}

function fileName(file: string): string {
	return file.slice(file.lastIndexOf('/') + 1);
}

/** Samples summed by compilation: what proftool makes of perf's samples, for those who rank compilations by time. */
import { methodWithParameters } from '../model/java-descriptor.js';
import type { Profile, ProfileEntry } from '../model/profile.js';
import type { HotReport } from './hot-results.js';

/**
 * `periodOfSample`: what a sample stands for, nanoseconds or cycles; 1 to count. Entries add up to the counted samples; native code
 * and the like have no compile id.
 */
export function profileOfSamples(report: HotReport, executionId: string | null, periodOfSample: number): Profile {
	const entries: ProfileEntry[] = [];
	for (const { code, samples } of report.code) {
		if (code.compileId !== null) {
			entries.push({
				compileId: code.compileId.replace('%', ''),
				name: methodWithParameters(code.name, code.signature, true),
				level: code.level,
				period: samples * periodOfSample,
			});
		}
	}
	const others = new Map<string, number>();
	for (const { heat, method, samples } of report.regions) {
		if (heat?.code.compileId == null) {
			const name = method.replace(/^\((.*)\)$/, '$1');
			others.set(name, (others.get(name) ?? 0) + samples);
		}
	}
	for (const [name, samples] of others) {
		entries.push({ compileId: null, name, level: null, period: samples * periodOfSample });
	}
	return { kind: 'JIT', executionId, totalPeriod: report.attribution.counted * periodOfSample, entries };
}

/** CPU profiles of V8 in files of their own: `node --cpu-prof`, Chrome's JavaScript profiler (`.cpuprofile`). The format is that of ../shared/cpu-profile.ts. */
import type { Source } from '../../bytes/source.js';
import type { Problem } from '../../model/problem.js';
import type { ReadProfile } from '../format.js';
import { CallNodes } from '../shared/cpu-profile.js';
import { NamedStacks } from '../shared/named-stacks.js';
import { readWholeJson } from '../shared/whole-json.js';

/** Whether the first bytes of a file are those of this format. */
export function isCpuProfile(head: string): boolean {
	return /^\s*\{\s*"(?:nodes"\s*:\s*\[\s*\{\s*"(?:id|callFrame)"|typeId"\s*:\s*"CPU)/.test(head) && head.includes('"callFrame"');
}

/** Never throws on content. */
export function readCpuProfile(source: Source): ReadProfile {
	const { value, problems: unreadable } = readWholeJson(source);
	const problems: Problem[] = [...unreadable];
	const { nodes, samples, timeDeltas } = (value ?? {}) as { nodes?: unknown; samples?: unknown; timeDeltas?: unknown };
	const stacks = new NamedStacks();
	const calls = new CallNodes(stacks, stacks.thread(null));
	calls.add(nodes);
	if (unreadable.length === 0 && !Array.isArray(samples)) {
		problems.push({ severity: 'error', file: source.name, message: 'expected samples, an array of ids of nodes', action: 'nothing is read' });
	}
	let lost = 0;
	let timeUs = 0;
	for (const [i, id] of (Array.isArray(samples) ? (samples as unknown[]) : []).entries()) {
		const delta = Array.isArray(timeDeltas) ? (timeDeltas as unknown[])[i] : 0;
		timeUs += typeof delta === 'number' ? delta : 0;
		lost += calls.sample(id, timeUs) ? 0 : 1;
	}
	if (lost > 0) {
		problems.push({ severity: 'warning', file: source.name, message: `${lost} samples are of nodes that are not in the profile`, action: 'they are left out' });
	}
	return stacks.build(problems);
}

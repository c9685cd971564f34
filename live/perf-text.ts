/** What perf itself prints of a recording. */
import { spawnSync } from 'node:child_process';

/** The text of `perf script`, a line a sample or with its stack; `fields` as perf takes them. */
export function perfText(dataFile: string, fields = 'comm,pid,tid,time,event,ip,sym,dso', hasStacks = false): string {
	const stacks = hasStacks ? [] : ['--hide-call-graph'];
	const { status, stdout, stderr } = spawnSync('perf', ['script', '--ns', ...stacks, '-i', dataFile, '--fields', fields], {
		encoding: 'utf8',
		maxBuffer: 1 << 30,
	});
	if (status !== 0) {
		throw new Error(`perf script: ${stderr}`);
	}
	return stdout;
}

/** What perf itself prints of a recording. */
import { spawnSync } from 'node:child_process';

/** The text of `perf script`; `fields` as perf takes them. */
export function perfText(dataFile: string, fields = 'comm,pid,tid,time,event,ip,sym,dso'): string {
	const { status, stdout, stderr } = spawnSync('perf', ['script', '--ns', '-i', dataFile, '--fields', fields], { encoding: 'utf8', maxBuffer: 1 << 30 });
	if (status !== 0) {
		throw new Error(`perf script: ${stderr}`);
	}
	return stdout;
}

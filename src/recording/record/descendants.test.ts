import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { descendantsOf } from './descendants.js';

test('processes that a process started, and those of these', async () => {
	const script = 'sh -c "sleep 60 & echo \\$!; wait" & echo $!; wait';
	const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
	try {
		let said = '';
		for await (const text of child.stdout.setEncoding('utf8')) {
			said += text;
			if (said.split('\n').length === 3) {
				break;
			}
		}
		const started = said.trim().split('\n').map(Number);
		expect(descendantsOf(child.pid ?? -1)).toEqual(started.sort((a, b) => a - b));
		expect(descendantsOf(started.at(-1) ?? -1)).toEqual([]);
		expect(descendantsOf(process.pid)).toEqual(expect.arrayContaining([child.pid, ...started]));
	} finally {
		process.kill(-(child.pid ?? 0), 'SIGKILL');
		await once(child, 'exit');
	}
});

/** The processes that a process started, and those that they did: workers of a server, compilers of a build. Our own is none of them: a shell's number may be asked for. */
import fs from 'node:fs';
import { appendTo } from '../../model/append.js';

/** Ascending; empty where the system has no /proc. */
export function descendantsOf(processId: number): number[] {
	const children = new Map<number, number[]>();
	for (const name of processNames()) {
		const parent = parentOf(name);
		if (parent !== null) {
			appendTo(children, parent, Number(name));
		}
	}
	const found = new Set<number>();
	const open = [processId];
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		for (const child of children.get(next) ?? []) {
			// A number that came up again meanwhile could make a circle.
			if (child !== processId && child !== process.pid && !found.has(child)) {
				found.add(child);
				open.push(child);
			}
		}
	}
	return [...found].sort((a, b) => a - b);
}

function processNames(): string[] {
	try {
		return fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
	} catch {
		return [];
	}
}

/** proc(5): behind the name, in parentheses, which may hold anything, are the state and the parent. */
function parentOf(name: string): number | null {
	try {
		const stat = fs.readFileSync(`/proc/${name}/stat`, 'latin1');
		const [, parent] = /^ \w (\d+) /.exec(stat.slice(stat.lastIndexOf(')') + 1)) ?? [];
		return parent === undefined ? null : Number(parent);
	} catch {
		return null;
	}
}

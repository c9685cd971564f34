/**
 * What `jcmd Thread.dump_to_file -format=json` writes (JDK 21 and later; states and times since 24), one or many after the other:
 *   {"threadDump": {"time": "…Z", "threadContainers": [{"container": "<root>", "threads": [{"name": "main", "state": "WAITING", "stack": ["…"]}]}]}}
 */
import { forEachJsonObject } from '../../bytes/json-objects.js';
import type { Source } from '../../bytes/source.js';
import type { Problem } from '../../model/problem.js';
import { ThreadDumpBuilder, type ThreadDumps } from './series.js';

/** Whether the first bytes of a file are those of this format. */
export function isThreadDumpJson(head: string): boolean {
	return /^\s*\{\s*"threadDump"\s*:/.test(head);
}

/** Never throws on content. */
export function readThreadDumpJson(source: Source): ThreadDumps {
	const builder = new ThreadDumpBuilder();
	const problems: Problem[] = [];
	const problem = (offsetBytes: number, message: string): void => {
		problems.push({ severity: 'warning', file: source.name, offsetBytes, message, action: 'the dump is skipped' });
	};
	const cut = forEachJsonObject(source, 0, (text, offset) => {
		try {
			takeDump(builder, JSON.parse(text));
		} catch {
			problem(offset, 'is no JSON');
		}
	});
	if (cut !== null) {
		problem(cut, 'the file ends inside a dump');
	}
	return builder.build(problems);
}

function takeDump(builder: ThreadDumpBuilder, document: unknown): void {
	const dump = member(document, 'threadDump');
	builder.dumps++;
	for (const container of list(member(dump, 'threadContainers'))) {
		for (const thread of list(member(container, 'threads'))) {
			const frames = list(member(thread, 'stack'))
				.map((frame) => (typeof frame === 'string' ? builder.frame(frame) : -1))
				.filter((frame) => frame >= 0);
			const name = text(member(thread, 'name'));
			builder.thread(name === '' ? null : name, -1, text(member(thread, 'state')), frames, text(member(thread, 'time')) ?? text(member(dump, 'time')));
		}
	}
}

function member(value: unknown, name: string): unknown {
	return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function list(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}

function text(value: unknown): string | null {
	return typeof value === 'string' ? value : null;
}

/**
 * What `xctrace export --toc` writes: the table of contents of an Instruments recording, in XML. Its `<start-date>`, with milliseconds and zone, is when the
 * recording began, from which the times of exported samples count.
 */
import type { Source } from '../../bytes/source.js';
import type { Problem } from '../../model/problem.js';
import { parseXml } from './xml.js';

/** Whether the first bytes of a file are those of a table of contents. */
export function isXctraceContents(head: string): boolean {
	return head.includes('<trace-toc');
}

/** null: it does not tell, or of several runs. */
export function readXctraceStart(source: Source): { readonly startedEpochMs: number | null; readonly problems: readonly Problem[] } {
	const starts: number[] = [];
	let text = '';
	const problem = parseXml(source, {
		open: () => {
			text = '';
		},
		text: (part) => {
			text += part;
		},
		close: (name) => {
			const date = text.trim();
			if (name === 'start-date' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)$/.test(date)) {
				const epochMs = Date.parse(date);
				if (!Number.isNaN(epochMs)) {
					starts.push(epochMs);
				}
			}
			text = '';
		},
	});
	const problems = problem === null ? [] : [problem];
	const [start = null] = starts;
	if (starts.length !== 1) {
		const message = starts.length === 0 ? 'no run tells when it began' : `holds ${starts.length} runs with a start`;
		problems.push({ severity: 'warning', file: source.name, message, action: 'the clock of the samples is taken from the samples' });
	}
	return { startedEpochMs: starts.length === 1 ? start : null, problems };
}

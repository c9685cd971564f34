/** Which samples were counted, where it is not all of them. */
import type { SampleWindow } from '../model/sample-window.js';

export function sampleWindowText({ delayMs, lengthMs, measured }: SampleWindow): string {
	if (measured === null) {
		return `the window from ${delayMs} ms after the first sample${lengthMs === null ? ' on' : `, ${lengthMs} ms long`}`;
	}
	const length = lengthMs === null ? '' : `, ${(lengthMs / 1000).toFixed(2)} s`;
	return `${measured}${length} from ${(delayMs / 1000).toFixed(2)} s after the first sample on; --window all counts the whole run`;
}

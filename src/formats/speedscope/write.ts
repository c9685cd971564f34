/**
 * speedscope's own format: https://www.speedscope.app/file-format-schema.json. A sampled profile for each thread; a sample is its whole stack,
 * so it is written as it goes. Each is a row of its own, so that who reads it back can count them.
 */
import {
	framesOfNode,
	nanosecondsOf,
	type ProfileOrigin,
	rowsByThread,
	type StackedSamples,
	sourceFileOf,
	threadName,
	weightOf,
} from '../../model/stacked-samples.js';

/** Weights are nanoseconds where the profile tells what a sample stands for, else numbers of samples. */
export function writeSpeedscope(stacked: StackedSamples, { title, producer }: ProfileOrigin, write: (text: string) => void): void {
	const { numbers, shared } = sharedFrames(stacked);
	const inNanoseconds = stacked.length > 0 && nanosecondsOf(stacked, 0) !== null;
	const unit = inNanoseconds ? 'nanoseconds' : stacked.unit === 'bytes' ? 'bytes' : 'none';
	const byThread = rowsByThread(stacked).sort((a, b) => b.rows.length - a.rows.length);
	const head = {
		$schema: 'https://www.speedscope.app/file-format-schema.json',
		exporter: producer,
		name: title,
		activeProfileIndex: 0,
		shared: { frames: shared },
	};
	write(`${JSON.stringify(head).slice(0, -1)},"profiles":[`);
	for (const [i, { thread, rows }] of byThread.entries()) {
		const weights: number[] = [];
		const profile = { type: 'sampled', name: `${threadName(thread)}${thread.id < 0 ? '' : ` (${thread.id})`}`, unit };
		write(`${i === 0 ? '' : ','}${JSON.stringify(profile).slice(0, -1)},"samples":[`);
		let total = 0;
		for (const row of rows) {
			const node = stacked.node[row]!;
			const weight = inNanoseconds ? nanosecondsOf(stacked, row)! : weightOf(stacked, row);
			total += weight;
			write(
				`${weights.length === 0 ? '' : ','}[${framesOfNode(stacked, node)
					.map((frame) => numbers[frame])
					.join(',')}]`,
			);
			weights.push(weight);
		}
		write('],"weights":[');
		for (let from = 0; from < weights.length; from += 4096) {
			write(`${from === 0 ? '' : ','}${weights.slice(from, from + 4096).join(',')}`);
		}
		write(`],"startValue":0,"endValue":${total}}`);
	}
	// A profile without samples is one still.
	write(byThread.length > 0 ? ']}\n' : '{"type":"sampled","name":"no samples","unit":"none","samples":[],"weights":[],"startValue":0,"endValue":0}]}\n');
}

interface SharedFrame {
	readonly name: string;
	file?: string;
	line?: number;
}

/** A frame there is a function, here a place in one: of its lines the first that was seen in a sample. */
function sharedFrames({ frames }: StackedSamples): { numbers: number[]; shared: SharedFrame[] } {
	const shared: SharedFrame[] = [];
	const known = new Map<string, number>();
	const numbers = frames.map((frame) => {
		const { name, library, line } = frame;
		const key = `${library} ${name}`;
		let number = known.get(key);
		if (number === undefined) {
			const file = library ?? sourceFileOf(frame);
			number = shared.push({ name, ...(file === null ? {} : { file }) }) - 1;
			known.set(key, number);
		}
		const own = shared[number]!;
		if (line !== null && line > 0) {
			own.line = Math.min(own.line ?? line, line);
		}
		return number;
	});
	return { numbers, shared };
}

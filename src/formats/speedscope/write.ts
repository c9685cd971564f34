/**
 * speedscope's own format: https://www.speedscope.app/file-format-schema.json. A sampled profile for each thread; a sample is its whole stack,
 * so it is written as it goes. Samples of one stack that follow each other in a thread are one row with their weights added.
 */
import { framesOfNode, nanosecondsOf, type ProfileOrigin, rowsByThread, type StackedSamples, threadName } from '../../model/stacked-samples.js';

/** Weights are nanoseconds where the profile tells what a sample stands for, else numbers of samples. */
export function writeSpeedscope(stacked: StackedSamples, { title, producer }: ProfileOrigin, write: (text: string) => void): void {
	const { numbers, shared } = sharedFrames(stacked);
	const inNanoseconds = stacked.length > 0 && nanosecondsOf(stacked, 0) !== null;
	const weightOf = (sample: number): number => (inNanoseconds ? nanosecondsOf(stacked, sample)! : 1);
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
		const profile = { type: 'sampled', name: `${threadName(thread)}${thread.id < 0 ? '' : ` (${thread.id})`}`, unit: inNanoseconds ? 'nanoseconds' : 'none' };
		write(`${i === 0 ? '' : ','}${JSON.stringify(profile).slice(0, -1)},"samples":[`);
		let last = -1;
		let total = 0;
		for (const row of rows) {
			const node = stacked.node[row]!;
			const weight = weightOf(row);
			total += weight;
			if (node === last) {
				weights[weights.length - 1] = weights.at(-1)! + weight;
			} else {
				write(
					`${weights.length === 0 ? '' : ','}[${framesOfNode(stacked, node)
						.map((frame) => numbers[frame])
						.join(',')}]`,
				);
				weights.push(weight);
				last = node;
			}
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

/** A frame there is a function, here a place in one. */
function sharedFrames({ frames }: StackedSamples): { numbers: number[]; shared: { name: string; file?: string }[] } {
	const shared: { name: string; file?: string }[] = [];
	const known = new Map<string, number>();
	const numbers = frames.map(({ name, library }) => {
		const key = `${library} ${name}`;
		let number = known.get(key);
		if (number === undefined) {
			number = shared.push({ name, ...(library === null ? {} : { file: library }) }) - 1;
			known.set(key, number);
		}
		return number;
	});
	return { numbers, shared };
}

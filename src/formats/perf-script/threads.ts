/** The threads of samples of `perf script`: what stands before the time, `comm pid/tid [cpu]`. */
import type { SampledThread, SampleThreads } from '../../model/samples.js';

/** Up to the first time; names of threads may hold blanks, colons and numbers. */
const HEAD = /^\s*(\S.*?)\s+(?:(\d+)\/)?(\d+)\s+(?:\[\d+\]\s+)?\d+\.\d+: /;
/** A head without process and thread is a time alone. */
const TIME_ONLY = /^\s*\d+\.\d+: /;
/** Characters; the system's names of threads have 15 bytes. */
const MAX_HEAD = 200;

export class ThreadColumn {
	private readonly of: number[] = [];
	private readonly threads: SampledThread[] = [];
	private readonly numbers = new Map<string, number>();
	private current = 0;

	/** After each line: how many samples there are now. A sample with a stack is complete only at its first frame, a line later. */
	take(whole: string, samples: number): void {
		const line = whole.slice(0, MAX_HEAD);
		const match = HEAD.exec(line);
		if (match !== null || TIME_ONLY.test(line)) {
			this.current = this.numberOf(match?.[1] ?? '', Number(match?.[3] ?? -1));
		}
		while (this.of.length < samples) {
			this.of.push(this.current);
		}
	}

	build(): SampleThreads {
		return { of: Int32Array.from(this.of), threads: this.threads };
	}

	private numberOf(name: string, id: number): number {
		const key = `${id} ${name}`;
		let number = this.numbers.get(key);
		if (number === undefined) {
			number = this.threads.push({ name, id }) - 1;
			this.numbers.set(key, number);
		}
		return number;
	}
}

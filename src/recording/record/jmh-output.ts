/**
 * When JMH's forks measure, told from what JMH prints as it prints it: `# Fork: 1 of 5`, `# Warmup Iteration   1: 12.3 ns/op`, `Iteration   1: 11.9 ns/op`, … Of an
 * iteration the words before the colon are printed when it begins, the result when it has ended (JMH 1.37, TextReportFormat).
 */
import type { MeasuredIterations } from '../../model/recording-manifest.js';

const ITERATION = /^Iteration +\d+: /;
/** Such as `<failure>` and `<forked VM failed with exit code 137>`. */
const FAILED = /^Iteration +\d+: +</;
/** What is looked at of a line. */
const LONGEST_LINE = 1000;

interface Iterations {
	readonly benchmark: string | null;
	readonly parameters: string | null;
	readonly fork: string | null;
	readonly fromSeconds: number;
	iterations: number;
	toSeconds: number | null;
}

export class JmhOutput {
	private readonly decoder = new TextDecoder();
	private line = '';
	/** The line is one of a measured iteration. */
	private isMeasuring = false;
	private benchmark: string | null = null;
	private parameters: string | null = null;
	private fork: string | null = null;
	private readonly forks: Iterations[] = [];
	/** That of the fork which runs. */
	private current: Iterations | null = null;

	/** Bytes in the order in which they were printed, with the time of CLOCK_MONOTONIC at which they came. */
	take(bytes: Uint8Array, seconds: number): void {
		const [first = '', ...others] = this.decoder.decode(bytes, { stream: true }).split('\n');
		this.add(first, seconds);
		for (const text of others) {
			this.endLine(seconds);
			this.add(text, seconds);
		}
	}

	/** Of each fork that ended an iteration. */
	measured(): readonly MeasuredIterations[] {
		return this.forks.flatMap(({ toSeconds, ...rest }) => (toSeconds === null ? [] : [{ ...rest, toSeconds }]));
	}

	private add(text: string, seconds: number): void {
		this.line = (this.line + text).slice(0, LONGEST_LINE);
		if (!this.isMeasuring && ITERATION.test(this.line)) {
			this.isMeasuring = true;
			if (this.current === null) {
				const { benchmark, parameters, fork } = this;
				this.current = { benchmark, parameters, fork, iterations: 0, fromSeconds: seconds, toSeconds: null };
				this.forks.push(this.current);
			}
		}
	}

	private endLine(seconds: number): void {
		const { line, current } = this;
		if (this.isMeasuring && current !== null && !FAILED.test(line)) {
			current.toSeconds = seconds;
			current.iterations++;
		}
		const [, name, value = ''] = /^# (Benchmark|Parameters|Fork): (.*)$/.exec(line) ?? [];
		if (name === 'Benchmark') {
			this.benchmark = value.trim();
			this.parameters = null;
			this.fork = null;
		} else if (name === 'Parameters') {
			this.parameters = value.trim().replace(/^\((.*)\)$/, '$1');
		} else if (name === 'Fork') {
			this.fork = value.trim();
		}
		if (name !== undefined) {
			this.current = null;
		}
		this.line = '';
		this.isMeasuring = false;
	}
}

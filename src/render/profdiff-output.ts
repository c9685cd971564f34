/** The two forms of a whole profdiff report: text as the reference prints it, and JSON. */
import { formatProblem, type Problem } from '../model/problem.js';
import type { Experiment } from '../profdiff/experiment.js';
import type { ProfdiffOptions } from '../profdiff/options.js';
import type { ExperimentSummary, ProfdiffSink } from '../profdiff/results.js';
import { beginEnvelope, endEnvelope } from './envelope.js';
import type { JsonStream } from './json-stream.js';
import { ProfdiffJson } from './profdiff-json.js';
import { ProfdiffText, writeExperimentSummary } from './profdiff-text.js';
import type { TextWriter } from './text-writer.js';

export interface ProfdiffOutput {
	/** Something was skipped; the report goes on. */
	warning(problem: Problem): void;
	experiment(summary: ExperimentSummary): void;
	/** The experiments are told; what takes the sections of methods. */
	beginSections(experiments: readonly Experiment[]): ProfdiffSink;
	/** The report is over; `failure` is what ended it early. */
	end(failure: Problem | null): void;
}

export interface TextLayout {
	/** The explanation at the top. */
	readonly explanation: string;
	/** The reference leaves an empty line before the first summary in most commands, before the sections in comparisons. */
	readonly emptyLineAfterExplanation: boolean;
	readonly emptyLineBeforeSections: boolean;
}

export function textOutput(writer: TextWriter, options: ProfdiffOptions, layout: TextLayout, fail: (message: string) => void): ProfdiffOutput {
	let wantsEmptyLine = layout.emptyLineAfterExplanation;
	const emptyLine = (): void => {
		if (wantsEmptyLine) {
			writer.line(0, '');
		}
		wantsEmptyLine = false;
	};
	writer.raw(layout.explanation);
	emptyLine();
	return {
		warning(problem) {
			emptyLine();
			writer.line(0, `Warning: ${formatProblem(problem)}`);
		},
		experiment(summary) {
			emptyLine();
			writeExperimentSummary(writer, summary);
			wantsEmptyLine = true;
		},
		beginSections(experiments) {
			wantsEmptyLine = layout.emptyLineBeforeSections;
			emptyLine();
			return new ProfdiffText(writer, options, experiments);
		},
		end(failure) {
			if (failure !== null) {
				emptyLine();
			}
			writer.flush();
			if (failure !== null) {
				fail(formatProblem(failure));
			}
		},
	};
}

export function jsonOutput(writer: TextWriter, version: string, command: string, options: ProfdiffOptions, fail: (message: string) => void): ProfdiffOutput {
	const json: JsonStream = beginEnvelope(writer, version, command);
	const sink = new ProfdiffJson(json, options);
	const problems: Problem[] = [];
	return {
		warning: (problem) => problems.push(problem),
		experiment: (summary) => sink.experiment(summary),
		beginSections() {
			sink.beginSections();
			return sink;
		},
		end(failure) {
			endEnvelope(json, writer, failure === null ? problems : [...problems, failure]);
			writer.flush();
			if (failure !== null) {
				fail(formatProblem(failure));
			}
		},
	};
}

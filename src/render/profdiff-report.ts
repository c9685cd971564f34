/** A whole profdiff report as the reference prints it: what its parts mean, the experiments, the sections of methods. */
import type { ProfdiffAnswer } from '../answers/profdiff.js';
import { formatProblem } from '../model/problem.js';
import type { ProfdiffOptions } from '../profdiff/options.js';
import { ProfdiffText, writeExperimentSummary } from './profdiff-text.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

export interface ProfdiffLayout {
	/** The explanation at the top. */
	readonly explanation: string;
	/** The reference leaves an empty line before the first summary in most commands, before the sections in comparisons. */
	readonly emptyLineAfterExplanation: boolean;
	readonly emptyLineBeforeSections: boolean;
}

export function writeProfdiffReport(writer: TextWriter, { steps, experiments, tell }: ProfdiffAnswer, options: ProfdiffOptions, layout: ProfdiffLayout): void {
	writer.raw(layout.explanation);
	if (layout.emptyLineAfterExplanation) {
		writer.line(0, '');
	}
	let wantsEmptyLine = false;
	const emptyLine = (): void => {
		if (wantsEmptyLine) {
			writer.line(0, '');
		}
		wantsEmptyLine = false;
	};
	for (const step of steps) {
		emptyLine();
		if (step.kind === 'warning') {
			writer.line(0, `Warning: ${visible(formatProblem(step.problem))}`);
		} else {
			writeExperimentSummary(writer, step.summary);
			wantsEmptyLine = true;
		}
	}
	if (experiments === null) {
		emptyLine();
		return;
	}
	wantsEmptyLine = layout.emptyLineBeforeSections;
	emptyLine();
	tell(new ProfdiffText(writer, options, experiments));
}

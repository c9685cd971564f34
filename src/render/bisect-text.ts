/** The text of `assay bisect`: the revision, how sure it is, and what every step saw. */
import type { BisectAnswer, BisectStep, Revision } from '../answers/bisect/bisect.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

/** A step, as it is told while it is looked for. */
export function bisectStepText({ revision, verdict, observations, left }: BisectStep): string {
	const runs = observations.length === 1 ? '' : `, ${observations.length} runs`;
	return `${nameOf(revision)}: ${verdict}${runs} (${visible(observations.at(-1)?.seen ?? 'not run')}); ${left} left`;
}

/** `compare`: the command that tells what else is different between the neighbours; null where nothing is. */
export function writeBisectText(writer: TextWriter, answer: BisectAnswer, compare: string | null): void {
	const { found, revisions, builds, runs, contradicting, when, steps } = answer;
	if (found === null) {
		writer.line(0, `no answer: the first revision has to be good, and of the last one ${visible(when)} has to hold`);
	} else if (found.skipped.length > 0) {
		writer.line(0, `${visible(when)} first holds at one of ${found.skipped.length + 1} revisions, of which ${found.skipped.length} cannot be judged:`);
		for (const one of [...found.skipped, found.firstBad]) {
			writer.line(2, nameAndTitle(one));
		}
	} else {
		writer.line(0, `${visible(when)} first holds at ${nameAndTitle(found.firstBad)}`);
	}
	if (found !== null) {
		writer.line(1, `not yet at ${nameAndTitle(found.lastGood)}`);
	}
	const runsOf = (revision: Revision): string => {
		const told = steps.find((step) => step.revision === revision)?.observations.filter(({ holds }) => holds !== null) ?? [];
		return `${told.filter(({ holds }) => holds === true).length} of ${told.length} runs`;
	};
	if (found !== null) {
		writer.line(1, `it holds in ${runsOf(found.firstBad)} there, in ${runsOf(found.lastGood)} of the one before`);
		writer.line(1, contradicting === 0 ? `all ${runs} runs agree with that` : `${contradicting} of ${runs} runs say otherwise`);
	}
	writer.line(1, `${revisions.length} revisions, ${builds} of them built and looked at`);
	for (const step of steps) {
		writer.line(2, `${step.verdict.padEnd(8)}${nameOf(step.revision)}  ${visible(step.observations.at(-1)?.seen ?? '')}`);
	}
	if (compare !== null) {
		writer.line(1, `→ ${compare}`);
	}
}

function nameOf({ name, title }: Revision): string {
	return /^[0-9a-f]{40}$/.test(name) ? `${name.slice(0, 12)} ${visible(title ?? '').slice(0, 60)}`.trim() : visible(name);
}

function nameAndTitle({ name, title }: Revision): string {
	return title === null ? visible(name) : `${visible(name)}  ${visible(title)}`;
}

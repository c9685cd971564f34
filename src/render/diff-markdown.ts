/** A comment for a pull request: the headline, the findings, the changes that matter. */
import type { DiffReport } from '../answers/diff-report.js';
import type { Change } from '../profdiff/changes.js';
import { beforeAfter, countChanges } from '../profdiff/results.js';
import { storeVerdict } from './diff-evidence.js';
import { callsiteState, categoryWords, moreRunsText, percent, placeText, runsText, shiftCounts, shiftText, topChanges, verdictText } from './diff-view.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

const ROWS = 10;

export function writeDiffMarkdown(writer: TextWriter, report: DiffReport): void {
	const { comparison, runsA, runsB, findings, changeHandles } = report;
	const counts = countChanges(comparison.changes);
	const { changed, inTheirOwnRight, noise } = counts;
	const line = (text: string): void => writer.line(0, text);
	line(`### assay diff: ${code(runsA[0]?.name ?? '')} → ${code(runsB[0]?.name ?? '')}`);
	line('');
	const { noiseTest, shifts } = comparison;
	const sizes = { a: runsA.length, b: runsB.length };
	if (report.store !== undefined) {
		line(`${storeVerdict(report.store, comparison)}.`);
		line('');
	} else if (noiseTest?.verdict === 'within chance') {
		line(`**${verdictText(noiseTest, sizes)}.** ${moreRunsText(sizes)}.`);
		line('');
	} else if (noiseTest?.verdict === 'changed') {
		line(`${verdictText(noiseTest, sizes)}.`);
		line('');
	}
	for (const { side, finding } of report.causes.slice(0, ROWS)) {
		line(`- only in ${side}: ${code(finding.text)}`);
	}
	if (report.causes.length > 0) {
		line('');
	}
	const kinds = categoryWords(counts)
		.map(([word, count]) => `${count} ${word}`)
		.join(', ');
	const along = changed - inTheirOwnRight;
	const more = along === 0 ? '' : ` ${along} more came along with them.`;
	line(`**${inTheirOwnRight} decisions changed**${kinds === '' ? '' : `: ${kinds}`}.${more} ${noiseSentence(report, noise)}`);
	if (shifts.length > 0) {
		line('');
		for (const shift of shifts.slice(0, ROWS)) {
			line(`- more in ${shift.isMoreInA ? 'A' : 'B'}: ${code(shiftText(shift))}, ${shiftCounts(shift)} in the runs`);
		}
	}
	if (findings.length > 0) {
		line('');
		line(`**${findings.length} findings** of ${[...new Set(findings.map(({ condition }) => `\`${condition.what}\``))].join(', ')}:`);
		line('');
		for (const { condition, change, method } of findings) {
			line(`- \`${condition.what}\` ${change === null ? code(method?.name ?? '') : `${changeHandles.get(change)} ${changeText(change)}`}`);
		}
	}
	const top = topChanges(
		comparison.changes.filter((change) => report.isShownChange(change)),
		() => false,
	).slice(0, ROWS);
	if (top.length === 0) {
		return;
	}
	line('');
	line('| | method | decision | share A → B | runs A → B |');
	line('| --- | --- | --- | --- | --- |');
	for (const change of top) {
		const share = `${percent(change.periodShareA)} → ${percent(change.periodShareB)} %`;
		line(`| ${changeHandles.get(change)} | ${code(change.methodName)} | ${changeText(change)} | ${share} | ${runsText(change)} |`);
	}
}

function noiseSentence({ runsA, runsB, runsNeeded, store, comparison }: DiffReport, noise: number): string {
	if (store !== undefined) {
		return `${store.differing - countChanges(comparison.changes).changed} more differ by no more than chance.`;
	}
	if (runsA.length + runsB.length === 2) {
		return `Without repeats the noise is unknown: ${runsNeeded} runs a side tell it from change.`;
	}
	return `${noise} more differ by no more than chance.`;
}

function changeText(change: Change): string {
	if (change.kind === 'callsite') {
		return `${callsiteState(change)} ${code(placeText(change.where.slice(-1)))}`;
	}
	const { before, after } = beforeAfter(change);
	return `${before === null ? 'new' : 'lost'} ${code(before ?? after ?? '')}${change.where.length === 0 ? '' : ` ${code(placeText(change.where.slice(-1)))}`}`;
}

/** Text from a log as inline code that cannot end its table cell or itself. */
function code(text: string): string {
	const shown = visible(text.length > 300 ? `${text.slice(0, 100)}…${text.slice(-200)}` : text);
	return `\`${shown.replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}

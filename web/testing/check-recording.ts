/** Every view of the page of a recording, or of two that are compared, held against what the commands print. */
import type { DiffResult } from '../../src/answers/results.js';
import type { PageHotPairs } from '../../src/page/data.js';
import { bestSource } from '../stacks.js';
import { checkCompare, checkStartup } from './compared.js';
import { asking, choicesOf, factsOf, openedOnce } from './facts.js';
import { checkInlining } from './inlining.js';
import { checkBias, checkMemory, checkMemoryOf, checkPhases, checkSamples, collapsedStacks, inlinedStacks } from './panes.js';
import { type Found, filesOf } from './recordings.js';
import { renderedPage } from './rendered-page.js';
import { checkCompilation, checkCompilations, checkOverview } from './tables.js';

/** So many of the compilations with most samples, and as many of those with most memory, are opened. */
const MOST_OPENED = 2;

/** What lies in a folder that is not one recording is looked at file by file. How many there were. */
export async function checkRecordings(folders: readonly Found[]): Promise<number> {
	let recordings = 0;
	for (const { name } of folders) {
		if (await checkRecording(name)) {
			recordings++;
			continue;
		}
		for (const file of filesOf(name)) {
			recordings += (await checkRecording(file)) ? 1 : 0;
		}
	}
	return recordings;
}

/** False: the recording has nothing for a page. */
async function checkRecording(name: string): Promise<boolean> {
	const io = openedOnce();
	const page = await renderedPage(['report', name], io);
	if (page === null) {
		await io.close();
		return false;
	}
	const facts = await factsOf(name, io);
	await io.close();
	const sources = page.main.sides[0]!.stackSources;
	const inlining = sources.findIndex(({ isInlining }) => isInlining);
	const { compilations, startup } = facts.report;
	const byMemory = [...compilations].sort((a, b) => (b.memoryBytes ?? 0) - (a.memoryBytes ?? 0)).slice(0, MOST_OPENED);
	const opened = new Set([...compilations.slice(0, MOST_OPENED), ...byMemory]);
	for (const choice of choicesOf(facts)) {
		const show = (view: string, more = ''): Element => page.show(`#/${view}?${[choice.query, more].filter((part) => part !== '').join('&')}`);
		const at = `${name} ${choice.query}`;
		const isAll = choice.query === '';
		checkOverview(show('overview'), facts, choice);
		checkCompilations(show('compilations'), facts, choice);
		if (inlining >= 0) {
			checkSamples(show('samples', `source=${inlining}`), at, inlinedStacks(choice));
		}
		if (isAll && facts.collapsed !== null && sources[bestSource(sources)]?.isInlining === false) {
			checkSamples(show('samples'), at, collapsedStacks(facts.collapsed));
		}
		checkBias(show('bias'), facts, choice);
		checkMemory(show('memory'), facts, choice);
		if (isAll && startup !== null) {
			checkStartup(show, at, startup);
		}
		for (const one of opened) {
			const box = show(`compilation/${encodeURIComponent(one.handle)}`);
			checkCompilation(box, facts, choice, one);
			checkInlining(box, facts, choice, one.handle);
			checkMemoryOf(box, facts, one.handle);
			checkPhases(box, facts, one.handle);
		}
	}
	page.close();
	return true;
}

export async function checkComparison(a: string, b: string): Promise<void> {
	const page = await renderedPage(['diff', a, b]);
	const ask = asking({});
	const diff = await ask<DiffResult>('diff', a, b);
	if (page === null || diff === null) {
		throw new Error(`${a} and ${b} cannot be compared`);
	}
	checkCompare(page.show('#/compare'), `${a} and ${b}`, diff, await ask<PageHotPairs>('hot', a, '--compare', b));
	page.close();
}

/**
 * Plugin of Stryker that runs a random sample of the mutants: the reporter sees the plan of all mutants before any runs and writes down which are
 * drawn, the checker (another process) lets these pass and no others. The folder, the size and the seed come by environment variables.
 */
import fs from 'node:fs';
import path from 'node:path';

const folder = process.env.ASSAY_MUTANTS_FOLDER ?? '.';
const size = Number(process.env.ASSAY_MUTANTS_SAMPLE ?? Number.POSITIVE_INFINITY);
const seed = Number(process.env.ASSAY_MUTANTS_SEED ?? 1);
const drawnFile = path.join(folder, 'drawn.json');

export const strykerPlugins = [
	{ kind: 'Reporter', name: 'draw', factory: drawingReporter },
	{ kind: 'Checker', name: 'drawn', factory: drawnChecker },
];

function drawingReporter() {
	return {
		/** @param {{ mutantPlans: { plan: string, mutant: { id: string } }[] }} event */
		onMutationTestingPlanReady({ mutantPlans }) {
			// What is ignored (static, strings) has its result already.
			const ids = mutantPlans.filter(({ plan }) => plan === 'Run').map(({ mutant }) => mutant.id);
			fs.writeFileSync(drawnFile, JSON.stringify({ of: ids.length, ids: draw(ids) }));
		},
	};
}

function drawnChecker() {
	/** @type {Set<string> | undefined} */
	let drawn;
	return {
		async init() {},
		/** @param {{ id: string }[]} mutants */
		async group(mutants) {
			return [mutants.map(({ id }) => id)];
		},
		/** @param {{ id: string }[]} mutants */
		async check(mutants) {
			drawn ??= new Set(JSON.parse(fs.readFileSync(drawnFile, 'utf8')).ids);
			const known = drawn;
			return Object.fromEntries(mutants.map(({ id }) => [id, known.has(id) ? { status: 'passed' } : { status: 'compileError', reason: 'not drawn' }]));
		},
	};
}

/**
 * The first part of a Fisher-Yates shuffle. Ids number the mutants in the order of the files, so the same sources and seed give the same sample.
 * @param {string[]} ids
 */
function draw(ids) {
	const left = [...ids];
	const random = generator(seed);
	const count = Math.min(size, left.length);
	for (let index = 0; index < count; index++) {
		const other = index + Math.floor(random() * (left.length - index));
		[left[index], left[other]] = [left[other], left[index]];
	}
	return left.slice(0, count);
}

/**
 * splitmix32, in [0, 1).
 * @param {number} state
 */
function generator(state) {
	let current = state | 0;
	return () => {
		current = (current + 0x9e3779b9) | 0;
		let mixed = current ^ (current >>> 16);
		mixed = Math.imul(mixed, 0x21f0aaad);
		mixed ^= mixed >>> 15;
		mixed = Math.imul(mixed, 0x735a2d97);
		return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
	};
}

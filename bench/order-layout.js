/**
 * Time of `assay order optimize` and `simulate` on made-up programs: functions with sizes, executed parts and traces drawn with a fixed seed. With folders of source of
 * real programs: pages, windows, faults and milliseconds of what other tools and assay make of them (linked-layouts.js). That needs clang, lld, llvm and bolt 22, clang
 * and lld 19, valgrind and perf; programs.js says where sources can be had.
 *
 *   npm run bench:order-layout [-- sqlite=FOLDER quickjs=FOLDER lua=FOLDER]
 */
import fs from 'node:fs';
import { inferLayout, layTrace, memorySource, optimizeOrder, readNmListing, simulate } from '../dist/index.js';
import { compareLayouts } from './linked-layouts.js';
import { STARTUP_PROGRAMS } from './programs/startup/programs.js';

report('optimize', 3000, 3, 2);
report('optimize', 100_000, 20, 60);
report('simulate', 100_000, 1, 1);
for (const argument of process.argv.slice(2)) {
	const [, name = '', folder = ''] = /^(\w+)=(.+)$/.exec(argument) ?? [];
	const program = STARTUP_PROGRAMS[name];
	if (program === undefined) {
		throw new Error(`${argument}: give NAME=FOLDER, of ${Object.keys(STARTUP_PROGRAMS).join(', ')}`);
	}
	if (!program.files(folder).every((file) => fs.existsSync(file))) {
		throw new Error(`${folder}: is not the source that is meant: ${program.source}`);
	}
	compareLayouts(name, program, folder);
}

/** @param {'optimize' | 'simulate'} what @param {number} functions @param {number} traceCount @param {number} limitSeconds */
function report(what, functions, traceCount, limitSeconds) {
	const random = randomNumbers(42);
	const bytes = Buffer.from(listing(functions, random));
	const traces = recordedRuns(inferLayout(readNmListing(memorySource('nm', bytes)).table, 'program'), traceCount, random);
	const start = performance.now();
	const layout = inferLayout(readNmListing(memorySource('nm', bytes)).table, 'program');
	let result = '';
	if (what === 'optimize') {
		const laid = traces.map((trace) => layTrace(trace, layout));
		const order = optimizeOrder(layout, laid, { method: 'pages', objective: 'pages' });
		result = `${order.sections} sections in ${order.classes} classes: ${order.unitedScore.pages} → ${order.score.pages} pages, ${order.unitedScore.windows} → ${order.score.windows} windows`;
	} else {
		const order = [...layout.functionNames].reverse();
		const { layouts } = simulate([layout], [{ name: 'reversed', symbols: order }], traces, layout);
		result = layouts.map(({ counts }) => `${counts.execPages} pages`).join(', ');
	}
	const seconds = (performance.now() - start) / 1000;
	console.log(
		`${what} ${functions.toLocaleString('en')} functions, ${traceCount} trace${traceCount === 1 ? '' : 's'}: ${seconds.toFixed(2)} s (at most ${limitSeconds} s); ${result}`,
	);
	if (seconds > limitSeconds) {
		process.exitCode = 1;
	}
}

/** @param {number} functions @param {() => number} random */
function listing(functions, random) {
	let position = 0x401000;
	let text = '';
	for (let i = 0; i < functions; i++) {
		const size = Math.max(1, Math.round(Math.exp(4 + 3 * random() * random() * 1.4)));
		text += `${position.toString(16).padStart(16, '0')} ${size.toString(16).padStart(16, '0')} ${i % 3 === 0 ? 't' : 'T'} function_${i}\n`;
		position = Math.ceil((position + size) / 16) * 16;
	}
	return text;
}

/**
 * Runs that share a core and differ beyond it; of each function an own part is executed.
 * @param {import('../dist/index.js').TextLayout} layout @param {number} count @param {() => number} random
 * @returns {import('../dist/index.js').ExecutionTrace[]}
 */
function recordedRuns(layout, count, random) {
	const functions = layout.functionNames.length;
	/** How many of the runs reach a function, at most. */
	const reach = Float64Array.from({ length: functions }, () => random() ** 2);
	return Array.from({ length: count }, (_value, run) => {
		/** @type {number[]} */
		const addresses = [];
		for (let i = 0; i < functions; i++) {
			// Pseudo-random order of execution.
			const f = (i * 7919 + run * 13) % functions;
			if (random() > reach[f] * 0.8) {
				continue;
			}
			const start = layout.sectionStarts[layout.functionSections[f]];
			const executed = Math.ceil(layout.functionSizes[f] * random());
			for (let offset = 0; offset < executed; offset += 8) {
				addresses.push(start + offset);
			}
		}
		return {
			name: `run${run}`,
			weight: 1,
			instructions: { addresses: Float64Array.from(addresses), sizes: new Uint8Array(addresses.length).fill(4) },
			functions: null,
		};
	});
}

/** @param {number} seed @returns {() => number} from 0 to 1 (mulberry32) */
function randomNumbers(seed) {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let t = Math.imul(state ^ (state >>> 15), 1 | state);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}

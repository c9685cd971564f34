/** A program of a user of the library, compiled against its declarations with the strictest settings and run. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** `folder` has `assay` in its node_modules; the result is what the program prints. Throws what tsc says. */
export function runUserProgram(folder: string, name: string, text: string): string {
	fs.writeFileSync(path.join(folder, `${name}.ts`), text);
	const tsconfig = {
		compilerOptions: {
			...{ strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, isolatedModules: true },
			...{ module: 'nodenext', target: 'es2022', lib: ['es2023'], types: ['node'], typeRoots: [path.join(root, 'node_modules', '@types')], rootDir: '.' },
		},
		files: [`${name}.ts`],
	};
	fs.writeFileSync(path.join(folder, `${name}.tsconfig.json`), JSON.stringify(tsconfig));
	try {
		execFileSync(process.execPath, [path.join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', `${name}.tsconfig.json`], {
			cwd: folder,
			encoding: 'utf8',
		});
	} catch (error) {
		throw new Error((error as { stdout: string }).stdout);
	}
	return execFileSync(process.execPath, [`${name}.js`], { cwd: folder, encoding: 'utf8' });
}

/** Uses commands as functions and the parts that they are made of. */
export const HOTTEST_METHOD = `import { createExperiment, openOptimizationLog, openProftoolProfile, DEFAULT_OPTIONS, selectHotUnits, report, type Experiment, type ReportResult } from 'assay';
const log = await openOptimizationLog('node_modules/assay/examples/a/log');
const profile = await openProftoolProfile('node_modules/assay/examples/a/prof.json');
const experiment: Experiment = createExperiment(1, log.compilations, profile, 'JIT');
const [unit] = selectHotUnits(experiment, DEFAULT_OPTIONS);
const result: ReportResult = await report('node_modules/assay/examples/a');
console.log(unit?.methodName, unit?.readTrees().inlining.children.length, result.compilations.length);
`;

/** Collects runs into a store of the folder, and asks it. */
export const STORE_OF_RUNS = `import { collect, compact, diffStore, query, type CollectResult, type QueryResult } from 'assay';
const collected: CollectResult = await collect('node_modules/assay/examples/a', 'runs', { labels: { build: '1' } });
await collect('node_modules/assay/examples/b', 'runs', { labels: { build: '2' } });
const { runs } = await compact('runs', 'compacted');
const counted: QueryResult = await query('compacted', 'SELECT build, count(*) AS decisions FROM decisions d JOIN runs r ON r.run = d.run GROUP BY build ORDER BY build');
const { summary } = await diffStore('compacted', ['build=1'], ['build=2']);
console.log(collected.runs.length, runs, counted.rows.flat().join(' '), summary.changed);
`;

/** Prints what is declared as a value and is none, or the other way round. */
export function exportsProgram(names: readonly string[]): string {
	const exact = `type Declared = keyof typeof assay;
type Exported = ${names.map((name) => `'${name}'`).join(' | ')};
const missing: [Exclude<Declared, Exported>, Exclude<Exported, Declared>] extends [never, never] ? [] : [Exclude<Declared, Exported>, Exclude<Exported, Declared>] = [];
console.log(missing.length, typeof assay.main);
`;
	return `import * as assay from 'assay';\n${exact}`;
}

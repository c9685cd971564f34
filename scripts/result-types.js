/**
 * Writes src/answers/results.ts: the types of what the commands print with --json, made from docs/schema. `--check` writes nothing and fails where the
 * file is another one.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { compile } from 'json-schema-to-typescript';

const root = path.resolve(import.meta.dirname, '..');
const file = path.join(root, 'src', 'answers', 'results.ts');

/** Schema, name of the type, what it is, fields that may be missing. */
const RESULTS = [
	['report', 'ReportResult', 'What {@link report} gives: one recording, every kind of evidence joined.', ['allocations', 'decisions', 'hotMethods']],
	['hot', 'HotspotsResult', 'What {@link hotspots} gives: hottest regions, methods and compilations, instruction by instruction.'],
	['compilations', 'CompilationsResult', 'What {@link compilations} gives: the life of every compilation, and the decisions at its calls.'],
	['bias', 'BiasResult', 'What {@link bias} gives: what a profiler at safepoints would have said.'],
	['bias-ttsp', 'TimeToSafepointResult', 'What {@link timeToSafepoint} gives: safepoints, and who delayed them.'],
	['bias-profilers', 'BiasProfilersResult', 'What `assay bias --profilers` gives: which profilers are biased by construction.'],
	['lab-bias', 'LabBiasResult', 'What `assay lab bias` gives: how far every profiler is from the known truth.'],
	['lab-problems', 'LabProblemsResult', 'What `assay lab problems` gives: at which rank the first screen names each known fault.'],
	['memory', 'MemoryResult', 'What {@link memory} gives: what compilations cost the compiler.'],
	['diff', 'DiffResult', 'What {@link diff} gives: decisions that changed between two runs.'],
	['diff-stacks', 'DiffStacksResult', 'What `assay diff` gives of two profiles without compilations: methods whose share changed.'],
	['diff-store', 'DiffStoreResult', 'What {@link diffStore} gives: decisions that changed between two sides of a store.'],
	['bisect', 'BisectResult', 'What `assay bisect` gives: the first revision of which a fact holds, and how sure that is.'],
	['profdiff', 'ProfdiffResult', "What {@link profdiff} gives: the report of Graal's profdiff.", ['help']],
	['doctor', 'DoctorResult', 'What {@link doctor} gives: which evidence is there, and the flag for the rest.', ['machine']],
	...['decode', 'merge', 'optimize', 'simulate', 'lint'].map((command) => [
		`order-${command}`,
		`Order${command[0].toUpperCase()}${command.slice(1)}Result`,
		`What {@link order} gives for \`${command}\`.`,
	]),
	['order-measure', 'OrderMeasureResult', 'What `assay order measure` prints: page faults of a command, run by run.'],
	['order-run', 'OrderRunResult', 'What `assay order run` prints: what an order won, measured, and how to keep it.'],
	['order-instrument', 'OrderInstrumentResult', 'What `assay order instrument` prints: modules, and where they went.'],
	['collect', 'CollectResult', 'What `assay collect` prints: the runs that went into a store.'],
	['query', 'QueryResult', 'What `assay query` prints: the rows that answer a question about a store.'],
	['compact', 'CompactResult', 'What `assay compact` prints: what went from a store into a new one.'],
	['export', 'ExportResult', 'What {@link exportTables} gives: the tables of a recording.'],
];

const FUNCTIONS = { HotspotsResult: 'compareHotspots', MemoryResult: 'compareMemory' };

async function typesOf(type, what, schema, $defs) {
	const text = await compile({ ...schema, $defs, title: type }, type, { bannerComment: '', additionalProperties: false, format: false });
	return named(text, type, what);
}

export async function resultTypes() {
	const parts = [];
	for (const [name, type, what, optional = []] of RESULTS) {
		const schema = JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', `${name}.json`), 'utf8'));
		const { result } = schema.properties;
		// What a command that failed prints is no result: the library throws.
		const [first, second] = (result.anyOf ?? [result]).filter((variant) => result.anyOf === undefined || (variant.required ?? []).length > 0);
		const required = Object.keys(first.properties).filter((field) => !optional.includes(field));
		const whole = result.anyOf === undefined ? { ...first, required } : first;
		parts.push(await typesOf(type, what, whole, schema.$defs));
		if (second !== undefined) {
			const comparison = `Compare${type}`;
			parts.push(await typesOf(comparison, `The same of two recordings: {@link ${FUNCTIONS[type]}}.`, second, schema.$defs));
		}
	}
	const text = `/** Types of the results of the commands: made from docs/schema by scripts/result-types.js. Times, sizes and the like have their units in their names; docs/json.md explains each field. */\n\n${parts.join('\n\n')}\n`;
	const biome = path.join(root, 'node_modules', '.bin', 'biome');
	return execFileSync(biome, ['format', `--stdin-file-path=${file}`], { input: text, encoding: 'utf8', cwd: root });
}

/** Definitions of two schemas may be called the same: each gets the name of its result before its own. */
function named(text, type, what) {
	const prefix = type.replace(/Result$/, '');
	const names = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name).filter((name) => name !== type);
	let result = text;
	for (const name of new Set(names)) {
		result = result.replace(new RegExp(`(?<![\\w'"])${name}\\b(?!\\??:)`, 'g'), prefix + name);
	}
	return result
		.replace(/\/\*\*\n(?: \*[^\n]*\n)*? \*\/\n/g, '')
		.replace(new RegExp(`^export (?=(?:interface|type) (?!${type}\\b))`, 'gm'), '')
		.replace(new RegExp(`^export (interface|type) ${type}\\b`, 'm'), `/** ${what} */\nexport $1 ${type}`)
		.trim();
}

if (import.meta.filename === process.argv[1]) {
	const text = await resultTypes();
	if (process.argv.includes('--check')) {
		const isSame = fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text;
		if (!isSame) {
			console.error('src/answers/results.ts is not what docs/schema says: node scripts/result-types.js');
		}
		process.exit(isSame ? 0 : 1);
	}
	fs.writeFileSync(file, text);
}

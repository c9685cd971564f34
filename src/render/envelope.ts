/** What every command prints with `--json`: one object, versioned; see docs/json.md. */
import type { Problem } from '../model/problem.js';
import { writeJsonValue } from './result-json.js';
import type { TextWriter } from './text-writer.js';

/** Raised when a field changes its meaning or goes away; new fields do not raise it. */
const JSON_SCHEMA_VERSION = 1;

/** The whole envelope, with a result that may be given item by item. */
export function writeEnvelope(writer: TextWriter, version: string, command: string, result: object, problems: readonly Problem[]): void {
	writer.raw(`{"assay":${JSON.stringify({ version, schema: JSON_SCHEMA_VERSION })},"command":${JSON.stringify(command)},"result":`);
	writeJsonValue(writer, result);
	writer.raw(`,"problems":${JSON.stringify(problems.map(problemFields))}}\n`);
}

function problemFields({ severity, file, line, offsetBytes, message, action }: Problem): Problem {
	return { severity, file, ...(line === undefined ? {} : { line }), ...(offsetBytes === undefined ? {} : { offsetBytes }), message, action };
}

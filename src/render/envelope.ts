/** What every command prints with `--json`: one object, versioned; see docs/json.md. */
import type { Problem } from '../model/problem.js';
import { JsonStream } from './json-stream.js';
import { writeJsonValue } from './result-json.js';
import type { TextWriter } from './text-writer.js';

/** Raised when a field changes its meaning or goes away; new fields do not raise it. */
const JSON_SCHEMA_VERSION = 1;

/** How many containers are open while fields of the result are written. */
const RESULT_DEPTH = 2;

/** Opens the envelope and its result, an object. */
export function beginEnvelope(writer: TextWriter, version: string, command: string): JsonStream {
	const json = new JsonStream(writer);
	json.beginObject();
	json.field('assay', { version, schema: JSON_SCHEMA_VERSION });
	json.field('command', command);
	json.beginObject('result');
	return json;
}

/** The whole envelope, with a result that may be given item by item. */
export function writeEnvelope(writer: TextWriter, version: string, command: string, result: object, problems: readonly Problem[]): void {
	writer.raw(`{"assay":${JSON.stringify({ version, schema: JSON_SCHEMA_VERSION })},"command":${JSON.stringify(command)},"result":`);
	writeJsonValue(writer, result);
	writer.raw(`,"problems":${JSON.stringify(problems.map(problemFields))}}\n`);
}

function problemFields({ severity, file, line, offsetBytes, message, action }: Problem): Problem {
	return { severity, file, ...(line === undefined ? {} : { line }), ...(offsetBytes === undefined ? {} : { offsetBytes }), message, action };
}

/** Closes whatever of the result is open, and the envelope. */
export function endEnvelope(json: JsonStream, writer: TextWriter, problems: readonly Problem[]): void {
	json.closeTo(RESULT_DEPTH - 1);
	json.field(
		'problems',
		problems.map(({ severity, file, line, offsetBytes, message, action }) => ({ severity, file, line, offsetBytes, message, action })),
	);
	json.closeTo(0);
	writer.raw('\n');
}

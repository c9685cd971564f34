/** What every command prints with `--json`: one object, versioned; see docs/json.md. */
import type { Problem } from '../model/problem.js';
import { JsonStream } from './json-stream.js';
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

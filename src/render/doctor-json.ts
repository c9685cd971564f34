/** The result of `assay doctor` as JSON: see docs/json.md. */
import type { MachineInspection, RecordingInspection } from '../model/inspection.js';
import type { JsonStream } from './json-stream.js';

export function writeRecordingInspectionJson(json: JsonStream, { name, files, manifest, joins, missing }: RecordingInspection): void {
	json.field('recording', { name, manifest, files, joins });
	json.field('missing', missing);
}

export function writeMachineInspectionJson(json: JsonStream, { missing, ...machine }: MachineInspection): void {
	json.field('machine', machine);
	json.field('missing', missing);
}

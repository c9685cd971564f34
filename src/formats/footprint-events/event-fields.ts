/** The fields of an event, whichever it is. One object is filled again for each line. */
import type { Address } from '../../model/footprint-events.js';

export interface EventFields {
	event: string;
	thread: string;
	compileId: string | null;
	seconds: number | null;
	compiler: string | null;
	level: number | null;
	osrBci: number | null;
	method: string;
	signature: string | null;
	limitBytes: number | null;
	result: string | null;
	phase: string | null;
	/** -1: not told. */
	bytes: number;
	nodes: number;
	chunk: Address | null;
	arena: string | null;
	arenaAddress: Address | null;
	allocatedInPhase: string | null;
}

export function noFields(): EventFields {
	return {
		event: '',
		thread: '',
		compileId: null,
		seconds: null,
		compiler: null,
		level: null,
		osrBci: null,
		method: '',
		signature: null,
		limitBytes: null,
		result: null,
		phase: null,
		bytes: -1,
		nodes: -1,
		chunk: null,
		arena: null,
		arenaAddress: null,
		allocatedInPhase: null,
	};
}

/** Without a call for each field: this is done a million times a second. */
export function clearFields(fields: EventFields): void {
	fields.event = '';
	fields.thread = '';
	fields.compileId = null;
	fields.seconds = null;
	fields.compiler = null;
	fields.level = null;
	fields.osrBci = null;
	fields.method = '';
	fields.signature = null;
	fields.limitBytes = null;
	fields.result = null;
	fields.phase = null;
	fields.bytes = -1;
	fields.nodes = -1;
	fields.chunk = null;
	fields.arena = null;
	fields.arenaAddress = null;
	fields.allocatedInPhase = null;
}

/** The keys that mean something; all others are read over. */
export const KEYS = [
	'event',
	'thread',
	'compileId',
	't',
	'compiler',
	'level',
	'osrBci',
	'method',
	'signature',
	'limitBytes',
	'result',
	'phase',
	'bytes',
	'nodes',
	'chunk',
	'arena',
	'arenaAddress',
	'allocatedInPhase',
] as const;

type Key = (typeof KEYS)[number];
type Scalar = string | number | null;

/** Sets a field; false when the value cannot be one. */
export function setField(fields: EventFields, key: Key, value: Scalar): boolean {
	switch (key) {
		case 't':
			fields.seconds = value === null || value === '' ? null : finite(Number(value));
			return true;
		case 'event':
		case 'thread':
		case 'method':
			fields[key] = value === null ? '' : String(value);
			return true;
		case 'compileId':
		case 'compiler':
		case 'signature':
		case 'result':
		case 'phase':
		case 'arena':
		case 'allocatedInPhase':
			fields[key] = value === null ? null : String(value);
			return true;
		case 'level':
		case 'osrBci':
		case 'limitBytes':
			fields[key] = typeof value === 'number' ? value : null;
			return value === null || typeof value === 'number';
		case 'bytes':
		case 'nodes':
			fields[key] = typeof value === 'number' ? value : -1;
			return value === null || typeof value === 'number';
		default:
			fields[key] = typeof value === 'string' ? addressOf(value) : value;
			return true;
	}
}

/** `0x7f52c0019690` as a number where it is exact; any other text names itself. */
function addressOf(text: string): Address {
	return /^0x[0-9a-f]{1,13}$/.test(text) ? Number(text) : text;
}

function finite(value: number): number | null {
	return Number.isFinite(value) ? value : null;
}

/** The plain way: any JSON object; null for any other text. */
export function fieldsOfObject(text: string): EventFields | null {
	// What is no object, and most damaged lines, is told at once, without an exception.
	const trimmed = text.trim();
	if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) {
		return null;
	}
	let parsed: Readonly<Record<string, unknown>>;
	try {
		parsed = JSON.parse(text) as Readonly<Record<string, unknown>>;
	} catch {
		return null;
	}
	const fields = noFields();
	for (const key of KEYS) {
		const value = Object.hasOwn(parsed, key) ? parsed[key] : undefined;
		if (value === undefined) {
			continue;
		}
		const isScalar = value === null || typeof value === 'string' || typeof value === 'number';
		if (!isScalar || !setField(fields, key, value)) {
			return null;
		}
	}
	return fields;
}

/** Reads assay's map of an instrumented program (`assay order instrument --map`, docs/order-formats.md). */
import { ExactJsonReader, JsonSyntaxError, type JsonValue } from '../../bytes/exact-json.js';
import { readRange, type Source } from '../../bytes/source.js';
import type { Linkage, OmissionReason, OmittedFunction, OrderMap, OrderMapFunction, OrderMapModule } from '../../model/order-map.js';
import { combineHashes } from '../../model/order-map.js';
import { InputError, type Problem } from '../../model/problem.js';
import { ORDER_MAP_FORMAT, ORDER_MAP_VERSION } from './version.js';

const LINKAGES: readonly string[] = [
	'external',
	'internal',
	'private',
	'weak',
	'weak_odr',
	'linkonce',
	'linkonce_odr',
	'available_externally',
	'extern_weak',
	'common',
];
const REASONS: readonly string[] = ['available_externally', 'naked', 'ifunc-resolver', 'noprofile', 'annotated', 'not-selected', 'skipped'];
const MAX_MAP_BYTES = 1 << 30;
const HASH = /^[0-9a-f]{16}$/;

/** Whether a file is a map of assay, by its first bytes. */
export function isOrderMap(head: string): boolean {
	return /^\s*\{\s*"format"\s*:\s*"assay-order-map"/.test(head);
}

/**
 * Reads a map. A map that is damaged in any place is refused (InputError): a number that led to the wrong name would be worse than no map.
 */
export function readOrderMap(source: Source): OrderMap {
	if (source.sizeBytes > MAX_MAP_BYTES) {
		throw unusable(source, `the map has ${source.sizeBytes} bytes, at most ${MAX_MAP_BYTES} are read`);
	}
	let document: JsonValue;
	try {
		document = new ExactJsonReader().reset(readRange(source, 0, source.sizeBytes)).document();
	} catch (error) {
		if (error instanceof JsonSyntaxError) {
			throw unusable(source, error.reason === 'end' ? 'the map ends too early' : `the map is not JSON: ${error.message}`, error.offset);
		}
		throw error;
	}
	const check = (condition: boolean, message: string): void => {
		if (!condition) {
			throw unusable(source, message);
		}
	};
	const map = fields(document);
	check(map?.get('format') === ORDER_MAP_FORMAT, `"format": "${ORDER_MAP_FORMAT}" is expected`);
	const version = map?.get('version');
	check(version === ORDER_MAP_VERSION, `the map has version ${shown(version)}, this assay reads ${ORDER_MAP_VERSION}`);
	const list = map?.get('modules');
	check(Array.isArray(list), '"modules" is expected to be a list');
	const modules = (list as JsonValue[]).map((item, index) => readModule(item, (condition, what) => check(condition, `modules[${index}]: ${what}`)));
	const ids = new Set(modules.map(({ id }) => id));
	check(ids.size === modules.length, 'two modules have the same id');
	const bufferEntries = map?.get('bufferEntries');
	const isRing = map?.get('ring');
	check(isCount(bufferEntries) && typeof isRing === 'boolean', '"bufferEntries" and "ring" are expected');
	const buildId = map?.get('buildId');
	check(buildId === combineHashes(modules.map(({ hash }) => hash)), '"buildId" is not that of the modules: the map was changed or is incomplete');
	return { buildId: buildId as string, bufferEntries: bufferEntries as number, isRing: isRing as boolean, modules };
}

type Check = (condition: boolean, message: string) => void;

function readModule(value: JsonValue, check: Check): OrderMapModule {
	const module = fields(value);
	const id = module?.get('id');
	check(isCount(id) && (id as number) > 0 && (id as number) < 2 ** 32, '"id" is expected to be a number of 32 bits, not 0');
	const [name, source, hash] = ['name', 'source', 'hash'].map((key) => module?.get(key));
	check(typeof name === 'string' && typeof source === 'string', '"name" and "source" are expected to be texts');
	check(typeof hash === 'string' && HASH.test(hash), '"hash" is expected to have 16 hexadecimal digits');
	const objects = module?.get('objects') ?? 'elf';
	check(objects === 'elf' || objects === 'mach-o', '"objects" is expected to be elf or mach-o');
	const functions = module?.get('functions');
	check(Array.isArray(functions), '"functions" is expected to be a list');
	const omitted = module?.get('omitted') ?? [];
	check(Array.isArray(omitted), '"omitted" is expected to be a list');
	return {
		id: id as number,
		name: name as string,
		source: source as string,
		hash: hash as string,
		...(objects === 'mach-o' ? { isMachO: true } : {}),
		functions: (functions as JsonValue[]).map((item, index) =>
			readFunction(item, index, (condition, what) => check(condition, `functions[${index}]: ${what}`)),
		),
		omitted: (omitted as JsonValue[]).map((item, index) => readOmitted(item, (condition, what) => check(condition, `omitted[${index}]: ${what}`))),
	};
}

function readFunction(value: JsonValue, index: number, check: Check): OrderMapFunction {
	const found = fields(value);
	check(found?.get('id') === index, `"id" is expected to be ${index}`);
	const [symbol, linkage, comdat = null, file = null, line = null] = ['symbol', 'linkage', 'comdat', 'file', 'line'].map((key) => found?.get(key));
	check(typeof symbol === 'string' && symbol !== '', '"symbol" is expected to be a text');
	check(LINKAGES.includes(linkage as string), `"linkage" is expected to be one of ${LINKAGES.join(', ')}`);
	check((comdat === null || typeof comdat === 'string') && (file === null || typeof file === 'string'), '"comdat" and "file" are expected to be texts');
	check(line === null || isCount(line), '"line" is expected to be a number');
	return {
		symbol: symbol as string,
		linkage: linkage as Linkage,
		comdat: comdat as string | null,
		file: file as string | null,
		line: line as number | null,
	};
}

function readOmitted(value: JsonValue, check: Check): OmittedFunction {
	const found = fields(value);
	const [symbol, reason] = ['symbol', 'reason'].map((key) => found?.get(key));
	check(typeof symbol === 'string' && REASONS.includes(reason as string), `"symbol" and "reason" are expected, a reason is one of ${REASONS.join(', ')}`);
	return { symbol: symbol as string, reason: reason as OmissionReason };
}

function fields(value: JsonValue | undefined): Map<string, JsonValue> | undefined {
	return value instanceof Map ? value : undefined;
}

function isCount(value: JsonValue | undefined): boolean {
	return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function shown(value: JsonValue | undefined): string {
	return typeof value === 'number' || typeof value === 'string' ? `${value}` : 'unknown';
}

function unusable(source: Source, message: string, offsetBytes?: number): InputError {
	const problem: Problem = {
		severity: 'error',
		file: source.name,
		...(offsetBytes === undefined ? {} : { offsetBytes }),
		message,
		action: 'nothing can be decoded with it; take the map that assay order instrument or assay order cc wrote for this build',
	};
	return new InputError(problem);
}

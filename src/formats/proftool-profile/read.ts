/**
 * Profiles as Graal's proftool writes them (`mx profjson`, one JSON object):
 *   {"compilationKind":"JIT","totalPeriod":2730000000,"executionId":"12856","code":[
 *    {"compileId":"1242%","name":"1242%: Escape.main(java.lang.String[])","level":3,"period":88000000}]}
 * AOT profiles have name and period only.
 */
import { ExactJsonReader, isJsonDouble, JsonSyntaxError, type JsonValue } from '../../bytes/exact-json.js';
import { readRange, type Source } from '../../bytes/source.js';
import type { CompilationKind } from '../../model/compilation.js';
import { InputError } from '../../model/problem.js';
import type { Profile, ProfileEntry } from '../../model/profile.js';

const MAX_PROFILE_BYTES = 1 << 30;
const NAME_SEPARATOR = ': ';

/** Reads a whole profile. Throws an {@link InputError} that names the place when it is not one. */
export function readProftoolProfile(source: Source): Profile {
	if (source.sizeBytes > MAX_PROFILE_BYTES) {
		throw notAProfile(source, `it is ${source.sizeBytes} bytes long, and a proftool profile has at most ${MAX_PROFILE_BYTES}`);
	}
	const bytes = readRange(source, 0, source.sizeBytes);
	const at = (path: string): Place => ({ source, path });
	try {
		const root = asObject(new ExactJsonReader().reset(bytes).document(), at('the file'));
		const kind = compilationKind(asStringOrNull(root.get('compilationKind'), at('compilationKind')), source);
		const executionId = asStringOrNull(root.get('executionId'), at('executionId'));
		const totalPeriod = asPeriod(root.get('totalPeriod'), at('totalPeriod'));
		const code = root.get('code');
		if (!Array.isArray(code)) {
			throw wrongType(code, at('code'), 'a list');
		}
		const entries = code.map((item, index): ProfileEntry => {
			const entry = asObject(item, at(`code[${index}]`));
			const compileId = asStringOrNull(entry.get('compileId'), at(`code[${index}].compileId`));
			const name = entry.get('name');
			if (typeof name !== 'string') {
				throw wrongType(name, at(`code[${index}].name`), 'a string');
			}
			const level = entry.get('level') ?? null;
			if (level !== null && (typeof level !== 'number' || Math.abs(level) > 0x7fffffff)) {
				throw wrongType(level, at(`code[${index}].level`), 'an integer');
			}
			const separator = name.indexOf(NAME_SEPARATOR);
			return {
				compileId: compileId?.endsWith('%') ? compileId.slice(0, -1) : compileId,
				name: separator < 0 ? name : name.slice(separator + NAME_SEPARATOR.length),
				level,
				period: asPeriod(entry.get('period'), at(`code[${index}].period`)),
			};
		});
		return { kind, executionId, totalPeriod, entries };
	} catch (error) {
		if (error instanceof JsonSyntaxError) {
			throw notAProfile(source, error.message, error.offset);
		}
		throw error;
	}
}

interface Place {
	readonly source: Source;
	readonly path: string;
}

function compilationKind(text: string | null, source: Source): CompilationKind {
	if (text === null || text === 'JIT') {
		return 'JIT';
	}
	if (text === 'AOT') {
		return 'AOT';
	}
	throw notAProfile(source, `expected "JIT" or "AOT" as compilationKind, found ${JSON.stringify(text)}`);
}

function asObject(value: JsonValue, place: Place): Map<string, JsonValue> {
	if (!(value instanceof Map)) {
		throw wrongType(value, place, 'an object');
	}
	return value;
}

function asStringOrNull(value: JsonValue | undefined, place: Place): string | null {
	if (value === undefined || value === null || typeof value === 'string') {
		return value ?? null;
	}
	throw wrongType(value, place, 'a string');
}

/** A number, its fraction cut off. */
function asPeriod(value: JsonValue | undefined, place: Place): number {
	if (typeof value === 'number' || typeof value === 'bigint') {
		return Number(value);
	}
	if (value !== undefined && isJsonDouble(value)) {
		const LONG_MAX = 2 ** 63;
		return Math.max(-LONG_MAX, Math.min(LONG_MAX, Math.trunc(value.double)));
	}
	throw wrongType(value, place, 'a number');
}

function wrongType(value: JsonValue | undefined, place: Place, expected: string): InputError {
	const found =
		value === undefined
			? 'nothing'
			: value === null
				? 'null'
				: Array.isArray(value)
					? 'a list'
					: value instanceof Map
						? 'an object'
						: `a ${typeof value === 'object' ? 'fraction' : typeof value}`;
	return notAProfile(place.source, `expected ${expected} as ${place.path}, found ${found}`);
}

function notAProfile(source: Source, message: string, offsetBytes?: number): InputError {
	return new InputError({
		severity: 'error',
		file: source.name,
		...(offsetBytes === undefined ? {} : { offsetBytes }),
		message: `this is no proftool profile: ${message}`,
		action: 'give the JSON file that `mx profjson -E EXPERIMENT -o FILE` wrote',
	});
}

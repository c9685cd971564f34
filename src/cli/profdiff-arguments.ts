/**
 * The command line of `assay profdiff`: the grammar of Graal's profdiff. Options come before the command, each with a value
 * (`--name=value` or `--name value`); the command takes positional arguments only. Numbers are read as Java reads them.
 */
import { DEFAULT_OPTIONS, type ProfdiffOptions } from '../profdiff/options.js';

type ProfdiffCommandName = 'report' | 'jit-vs-jit' | 'jit-vs-aot' | 'aot-vs-aot' | 'aot-vs-aot-jit-profile' | 'compare-replayed' | 'help';

interface Positional {
	readonly name: string;
	readonly isOptional: boolean;
	readonly help: string;
}

export interface CommandGrammar {
	readonly name: ProfdiffCommandName;
	readonly summary: string;
	readonly positionals: readonly Positional[];
}

type OptionType = 'boolean' | 'integer' | 'number';

export interface OptionGrammar {
	readonly name: string;
	readonly field: keyof ProfdiffOptions;
	readonly type: OptionType;
	readonly help: string;
}

function file(name: string, help: string): Positional {
	return { name, isOptional: false, help };
}

const LOG_DIRECTORY = 'directory with the optimization log';
const PROFILE_FILE = 'profile of the same run, a JSON file from `mx profjson`';

export const COMMANDS: readonly CommandGrammar[] = [
	{
		name: 'report',
		summary: 'Print one experiment: all compilations, or the hot ones when there is a profile.',
		positionals: [file('optimization_log', LOG_DIRECTORY), { name: 'proftool_output', isOptional: true, help: PROFILE_FILE }],
	},
	{
		name: 'jit-vs-jit',
		summary: 'Compare two runs of a just-in-time compiler.',
		positionals: [
			file('optimization_log_1', `${LOG_DIRECTORY} of the first run`),
			file('proftool_output_1', `${PROFILE_FILE}, for the first log`),
			file('optimization_log_2', `${LOG_DIRECTORY} of the second run`),
			file('proftool_output_2', `${PROFILE_FILE}, for the second log`),
		],
	},
	{
		name: 'jit-vs-aot',
		summary: 'Compare a run of a just-in-time compiler with a native image.',
		positionals: [
			file('jit_optimization_log', `${LOG_DIRECTORY} of the run`),
			file('jit_proftool_output', PROFILE_FILE),
			file('aot_optimization_log', `${LOG_DIRECTORY} of the image build`),
			{ name: 'aot_proftool_output', isOptional: true, help: 'profile of a run of the image; without it, what is hot in the first run is compared' },
		],
	},
	{
		name: 'aot-vs-aot',
		summary: 'Compare two native images, each with a profile of a run.',
		positionals: [
			file('optimization_log_1', `${LOG_DIRECTORY} of the first image build`),
			file('proftool_output_1', 'profile of a run of the first image'),
			file('optimization_log_2', `${LOG_DIRECTORY} of the second image build`),
			file('proftool_output_2', 'profile of a run of the second image'),
		],
	},
	{
		name: 'aot-vs-aot-jit-profile',
		summary: 'Compare two native images where a run of a just-in-time compiler says what is hot.',
		positionals: [
			file('jit_optimization_log', `${LOG_DIRECTORY} of the run`),
			file('jit_proftool_output', PROFILE_FILE),
			file('optimization_log_1', `${LOG_DIRECTORY} of the first image build`),
			file('optimization_log_2', `${LOG_DIRECTORY} of the second image build`),
		],
	},
	{
		name: 'compare-replayed',
		summary: 'Compare two replays of the same recorded compilations, by compile id.',
		positionals: [file('optimization_log_1', `${LOG_DIRECTORY} of the first replay`), file('optimization_log_2', `${LOG_DIRECTORY} of the second replay`)],
	},
	{
		name: 'help',
		summary: 'Explain profdiff, or one of its commands.',
		positionals: [{ name: 'command', isOptional: true, help: 'the command to explain' }],
	},
];

export const OPTIONS: readonly OptionGrammar[] = [
	{ name: '--hot-min-limit', field: 'hotMinLimit', type: 'integer', help: 'at least so many compilations are hot' },
	{ name: '--hot-max-limit', field: 'hotMaxLimit', type: 'integer', help: 'at most so many compilations are hot' },
	{
		name: '--hot-percentile',
		field: 'hotPercentile',
		type: 'number',
		help: 'hot compilations together make up at most this share of the compiled period, 0 to 1',
	},
	{
		name: '--optimization-context-tree',
		field: 'optimizationContextTree',
		type: 'boolean',
		help: 'show one tree, the optimizations under the calls that enclose them, instead of two',
	},
	{ name: '--diff-compilations', field: 'diffCompilations', type: 'boolean', help: 'compare hot compilations in pairs; false prints each of them' },
	{ name: '--long-bci', field: 'longBci', type: 'boolean', help: 'show positions as all methods with their bytecode indices' },
	{ name: '--sort-inlining-tree', field: 'sortInliningTree', type: 'boolean', help: 'sort calls by bytecode index and name' },
	{ name: '--sort-unordered-phases', field: 'sortUnorderedPhases', type: 'boolean', help: 'sort the optimizations of phases whose order means nothing' },
	{ name: '--remove-detailed-phases', field: 'removeDetailedPhases', type: 'boolean', help: 'leave out canonicalization and dead-code elimination' },
	{ name: '--prune-identities', field: 'pruneIdentities', type: 'boolean', help: 'leave out of differences what is the same on both sides' },
	{ name: '--create-fragments', field: 'createFragments', type: 'boolean', help: 'compare a method where it was inlined with itself compiled alone' },
	{ name: '--inliner-reasoning', field: 'inlinerReasoning', type: 'boolean', help: 'show why the inliner decided as it did' },
];

export interface ProfdiffArguments {
	readonly options: ProfdiffOptions;
	/** `--json`: assay's own, not part of the reference's grammar. */
	readonly json: boolean;
	readonly command: CommandGrammar;
	readonly positionals: readonly string[];
}

/** A command line that is not of this grammar; the message is for the user. */
export class ArgumentError extends Error {}

export function parseProfdiffArguments(argv: readonly string[]): ProfdiffArguments {
	const options: Record<string, unknown> = { ...DEFAULT_OPTIONS };
	let json = false;
	let command: CommandGrammar | undefined;
	const positionals: string[] = [];
	for (let i = 0; i < argv.length; i++) {
		const token = argv[i]!;
		if (command !== undefined) {
			if (token.startsWith('--') || positionals.length === command.positionals.length) {
				throw new ArgumentError(
					token.startsWith('--')
						? `Unknown option '${token}': options stand before the command, and '${command.name}' takes none.`
						: `Unknown option '${token}': '${command.name}' takes at most ${command.positionals.length} arguments.`,
				);
			}
			positionals.push(token);
		} else if (token === '--json') {
			json = true;
		} else if (token.startsWith('--')) {
			const equals = token.indexOf('=');
			const name = equals < 0 ? token : token.slice(0, equals);
			const option = OPTIONS.find((candidate) => candidate.name === name);
			if (option === undefined) {
				throw new ArgumentError(`Unknown option '${token}'.`);
			}
			const value = equals < 0 ? argv[++i] : token.slice(equals + 1);
			options[option.field] = parseValue(option, value);
		} else {
			command = COMMANDS.find((candidate) => candidate.name === token);
			if (command === undefined) {
				throw new ArgumentError(`The argument 'command' could not be parsed: invalid command name: ${token}`);
			}
		}
	}
	if (command === undefined) {
		throw new ArgumentError("The argument 'command' is required.");
	}
	const missing = command.positionals[positionals.length];
	if (missing !== undefined && !missing.isOptional) {
		throw new ArgumentError(`The argument '${missing.name}' is required: ${missing.help}.`);
	}
	checkRanges(options as unknown as ProfdiffOptions);
	return { options: options as unknown as ProfdiffOptions, json, command, positionals };
}

function checkRanges({ hotPercentile, hotMinLimit, hotMaxLimit }: ProfdiffOptions): void {
	if (hotPercentile < 0 || hotPercentile > 1) {
		throw new ArgumentError('The hot method percentile must be in the range [0;1].');
	}
	if (hotMinLimit < 0 || hotMinLimit > hotMaxLimit) {
		throw new ArgumentError('The condition 0 <= --hot-min-limit <= --hot-max-limit must be satisfied.');
	}
}

function parseValue(option: OptionGrammar, text: string | undefined): boolean | number {
	if (text === undefined) {
		throw new ArgumentError(`The argument '${option.name}' could not be parsed: No value was provided.`);
	}
	const value = option.type === 'boolean' ? javaBoolean(text) : option.type === 'integer' ? javaParseInt(text) : javaParseDouble(text);
	if (value === null) {
		const expected = { boolean: 'expected true or false', integer: 'expected an integer of 32 bits', number: 'expected a number' }[option.type];
		throw new ArgumentError(`The argument '${option.name}' could not be parsed: ${expected}, found "${text}".`);
	}
	return value;
}

function javaBoolean(text: string): boolean | null {
	const lower = text.toLowerCase();
	return lower === 'true' ? true : lower === 'false' ? false : null;
}

/** Integer.parseInt; null where it throws. */
export function javaParseInt(text: string): number | null {
	if (!/^[+-]?[0-9]+$/.test(text)) {
		return null;
	}
	const value = Number(text);
	return value >= -2147483648 && value <= 2147483647 ? value : null;
}

/** Double.parseDouble; null where it throws. Surrounding blanks, a suffix f or d, hexadecimal, NaN and Infinity are fine. */
export function javaParseDouble(text: string): number | null {
	const trimmed = text.replace(/^[\x00-\x20]+|(?<![\x00-\x20])[\x00-\x20]+$/g, '');
	const words = /^([+-]?)(NaN|Infinity)$/.exec(trimmed);
	if (words !== null) {
		return words[2] === 'NaN' ? Number.NaN : words[1] === '-' ? -Infinity : Infinity;
	}
	if (/^[+-]?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]?$/.test(trimmed)) {
		return Number(trimmed.replace(/[fFdD]$/, ''));
	}
	const hex = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)[fFdD]?$/.exec(trimmed);
	if (hex === null || (hex[2] === '' && (hex[3] ?? '') === '')) {
		return null;
	}
	const [, sign = '', integer = '', fraction = '', exponent = '0'] = hex;
	const digits = (integer + fraction).replace(/^0+/, '') || '0';
	// 60 significant bits and a sticky one round to a double exactly once.
	const kept = digits.slice(0, 15);
	const sticky = /[1-9a-fA-F]/.test(digits.slice(15)) ? 1n : 0n;
	const mantissa = (BigInt(`0x${kept}`) << 1n) | sticky;
	const scale = Number(exponent) - 4 * fraction.length + 4 * (digits.length - kept.length) - 1;
	const magnitude = Number(mantissa) * 2 ** Math.max(scale, -1022) * 2 ** Math.min(scale + 1022, 0);
	return sign === '-' ? -magnitude : magnitude;
}

/** Command lines of the commands that are our own: options anywhere, `--name value` or `--name=value`. */
import { parseArgs } from 'node:util';
import { UsageError } from '../model/problem.js';
import { nearestName } from './nearest-name.js';

export interface OptionSpec {
	readonly name: string;
	/** One letter that stands for it. */
	readonly short?: string;
	/** What its value is called; without one it is a switch. */
	readonly value?: string;
	readonly isMultiple?: boolean;
	/** The values it takes, for completion and docs. */
	readonly choices?: readonly string[];
	/** Whether its value is a path, for completion. */
	readonly isFile?: boolean;
	readonly help: string;
}

export interface ParsedOptions {
	readonly positionals: readonly string[];
	isSet(name: string): boolean;
	/** The last value given. */
	value(name: string): string | undefined;
	values(name: string): readonly string[];
	/** Values and positionals as they stood on the command line; `option` is null for a positional. */
	readonly given: readonly { readonly option: string | null; readonly value: string }[];
	/** What stands behind `--`, of a command that takes a command line; null: there is no `--`. */
	readonly command: readonly string[] | null;
}

export function parseOptions(argv: readonly string[], specs: readonly OptionSpec[], takesCommand = false): ParsedOptions {
	const end = takesCommand ? argv.indexOf('--') : -1;
	const command = end < 0 ? null : argv.slice(end + 1);
	const options = Object.fromEntries(
		specs.map(({ name, short, value }) => [
			name,
			{ ...(short === undefined ? {} : { short }), ...(value === undefined ? { type: 'boolean' as const } : { type: 'string' as const, multiple: true }) },
		]),
	);
	try {
		const { values, positionals, tokens } = parseArgs({
			args: end < 0 ? [...argv] : argv.slice(0, end),
			options,
			allowPositionals: true,
			strict: true,
			tokens: true,
		});
		const list = (name: string): string[] => (values[name] as string[] | undefined) ?? [];
		const given = tokens.flatMap((token): { option: string | null; value: string }[] => {
			if (token.kind === 'positional') {
				return [{ option: null, value: token.value }];
			}
			return token.kind === 'option' && token.value !== undefined ? [{ option: token.name, value: token.value }] : [];
		});
		return { positionals, isSet: (name) => values[name] !== undefined, value: (name) => list(name).at(-1), values: list, given, command };
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		const unknown = code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? /^Unknown option '(--?([^']*))'/.exec(message) : null;
		if (unknown !== null) {
			const [, given = '', name = ''] = unknown;
			const near = nearestName(
				name,
				specs.map((spec) => spec.name),
			);
			throw new UsageError(`Unknown option '${given}'${near === null ? '' : `; is --${near} meant?`}`);
		}
		// Of several lines, ended by a full stop, where Node explains.
		throw new UsageError(message.replaceAll('\n', ' ').replace(/\.$/, ''));
	}
}

/** A whole number from 1 on. */
export function positiveInteger(parsed: ParsedOptions, name: string): number | undefined {
	const text = parsed.value(name);
	if (text === undefined) {
		return undefined;
	}
	if (!/^[1-9][0-9]{0,8}$/.test(text)) {
		throw new UsageError(`--${name} takes a whole number from 1 on, not "${text}"`);
	}
	return Number(text);
}

/** A number from 0 on. */
export function nonNegativeNumber(parsed: ParsedOptions, name: string): number | undefined {
	const text = parsed.value(name);
	if (text !== undefined && (!/^(?:\d+|\d*\.\d+)$/.test(text) || Number(text) > 1e12)) {
		throw new UsageError(`--${name} takes a number from 0 on, not "${text}"`);
	}
	return text === undefined ? undefined : Number(text);
}

/** The options, a line or two each, for the help. */
export function describeOptions(specs: readonly OptionSpec[]): string {
	const width = 24;
	return specs
		.map(({ name, short, value, help }) => {
			const head = `  ${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
			const [first = '', ...rest] = help.split('\n');
			const indent = ' '.repeat(width);
			const lines = head.length < width ? [head.padEnd(width) + first] : [head, indent + first];
			return [...lines, ...rest.map((line) => indent + line)].join('\n');
		})
		.join('\n');
}

/** Tools of the Model Context Protocol from the descriptions of commands: their arguments as a JSON schema, and a call as a command line. */
import { UsageError } from '../../model/problem.js';
import type { CommandDescription, CommandEntry } from '../command.js';
import { isGroup } from '../command-group.js';
import type { CommandTool, ToolInput } from '../command-tool.js';
import type { OptionSpec } from '../options.js';
import type { Roots } from './roots.js';

interface PropertySchema {
	readonly type: 'string' | 'number' | 'boolean' | 'array' | 'integer';
	readonly description: string;
	readonly enum?: readonly string[];
	readonly items?: { readonly type: 'string' };
	readonly minimum?: number;
	readonly maximum?: number;
}

export type ToolArguments = Readonly<Record<string, unknown>>;

export interface AnsweringTool {
	readonly name: string;
	readonly description: string;
	readonly properties: Readonly<Record<string, PropertySchema>>;
	readonly required: readonly string[];
	readonly tool: CommandTool;
	/** Words behind `assay`. Throws a {@link UsageError} for arguments that it does not take, and for paths outside the roots. */
	words(given: ToolArguments, roots: Roots): string[];
}

/** What every tool takes beside what its command takes. */
export const ANSWER_PROPERTIES: Readonly<Record<string, PropertySchema>> = {
	field: { type: 'string', description: 'only this part of result: regions[0].lines' },
	from: { type: 'integer', minimum: 0, description: 'with field, of a list: its first item' },
	bytes: { type: 'integer', minimum: 2000, maximum: 200_000, description: 'most bytes of the answer (20000)' },
};

/** Of all commands that have any, and of those below them, in the order in which the help lists them. */
export async function toolsOf(entries: readonly CommandEntry[]): Promise<AnsweringTool[]> {
	const tools: AnsweringTool[] = [];
	for (const entry of entries) {
		for (const description of await descriptionsOf(entry)) {
			tools.push(...(description.tools ?? []).map((tool) => answeringTool(description, tool)));
		}
	}
	return tools;
}

async function descriptionsOf(entry: CommandEntry): Promise<readonly CommandDescription[]> {
	if (entry.forms !== undefined) {
		return entry.forms();
	}
	const command = await entry.load();
	if (typeof command === 'function' || 'runWords' in command) {
		return [];
	}
	return isGroup(command) ? Promise.all(command.commands.map((one) => one.load())) : [command];
}

function answeringTool(description: CommandDescription, tool: CommandTool): AnsweringTool {
	const options = tool.options.map((name) => optionOf(description, name));
	const properties: Record<string, PropertySchema> = {};
	for (const input of tool.inputs) {
		properties[input.name] = inputProperty(input);
	}
	for (const option of options) {
		properties[propertyName(option)] = propertyOf(option, tool);
	}
	const all = { ...properties, ...ANSWER_PROPERTIES };
	const required = tool.inputs.filter(({ isOptional }) => isOptional !== true).map(({ name }) => name);
	return {
		name: tool.name,
		description: tool.question,
		properties: all,
		required,
		tool,
		words: (given, roots) => {
			refuseOthers(given, all, required, tool.name);
			return wordsOf(description, tool, options, given, roots);
		},
	};
}

function inputProperty({ kind, choices, help }: ToolInput): PropertySchema {
	return kind === 'path' || kind === 'choice'
		? { type: 'string', description: help, ...(choices === undefined ? {} : { enum: choices }) }
		: { type: 'array', items: { type: 'string' }, description: help };
}

function optionOf({ name: command, options }: CommandDescription, name: string): OptionSpec {
	const option = options.find((one) => one.name === name);
	if (option === undefined) {
		throw new Error(`assay ${command} has no option --${name}, which its tool names`);
	}
	return option;
}

/** Clients know no hyphens. */
function propertyName({ name }: OptionSpec): string {
	return name.replaceAll('-', '_');
}

function propertyOf({ name, value, isMultiple, choices, help }: OptionSpec, tool: CommandTool): PropertySchema {
	const description = help.replaceAll('\n', ' ');
	if (value === undefined) {
		return { type: 'boolean', description };
	}
	const allowed = tool.choices?.[name] ?? choices;
	if (isMultiple === true) {
		return { type: 'array', items: { type: 'string' }, description };
	}
	return /^(?:N|MS|PID|SECONDS)$/.test(value)
		? { type: 'number', description }
		: { type: 'string', description, ...(allowed === undefined ? {} : { enum: allowed }) };
}

/** Arguments are checked here: clients need not. */
function refuseOthers(given: ToolArguments, properties: Readonly<Record<string, PropertySchema>>, required: readonly string[], tool: string): void {
	for (const [name, value] of Object.entries(given)) {
		const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
		if (schema === undefined) {
			throw new UsageError(`${tool} has no argument "${name}"; it takes ${Object.keys(properties).join(', ')}`);
		}
		if (!isOfType(value, schema)) {
			const kind = schema.enum === undefined ? (schema.type === 'array' ? 'a list of texts' : `a ${schema.type}`) : `one of ${schema.enum.join(', ')}`;
			const limits = schema.maximum === undefined ? '' : ` from ${schema.minimum} to ${schema.maximum}`;
			throw new UsageError(`"${name}" of ${tool} is ${kind}${limits}`);
		}
	}
	const missing = required.find((name) => given[name] === undefined);
	if (missing !== undefined) {
		throw new UsageError(`"${missing}" is missing: ${properties[missing]?.description}`);
	}
}

function isOfType(value: unknown, { type, enum: choices, minimum = -Infinity, maximum = Infinity }: PropertySchema): boolean {
	switch (type) {
		case 'array':
			return Array.isArray(value) && value.length <= 1000 && value.every((one) => typeof one === 'string');
		case 'integer':
			return typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum;
		case 'string':
			return typeof value === 'string' && (choices === undefined || choices.includes(value));
		default:
			return typeof value === type;
	}
}

function wordsOf(description: CommandDescription, tool: CommandTool, options: readonly OptionSpec[], given: ToolArguments, roots: Roots): string[] {
	const words = [...description.name.split(' ').filter((word) => !word.startsWith('-')), ...(tool.always ?? [])];
	const command: string[] = [];
	for (const input of tool.inputs) {
		const value = given[input.name];
		const list = typeof value === 'string' ? [value] : ((value ?? []) as readonly string[]);
		if (list.length === 0 && input.isOptional !== true) {
			throw new UsageError(`"${input.name}" of ${tool.name} is empty: ${input.help}`);
		}
		(input.kind === 'words' ? command : words).push(...list.map((one) => inputWord(input, one, roots)));
	}
	for (const option of options) {
		words.push(...optionWords(option, given[propertyName(option)], tool, roots));
	}
	if (command.length > 0) {
		return [...words, '--', ...command];
	}
	return description.options.some(({ name }) => name === 'json') ? [...words, '--json'] : words;
}

const HANDLE = /^(?:[dlmr][1-9]\d{0,8}|c[\w-]{1,60}[%!]?(?:@\d{1,6})?)$/;

function inputWord({ kind, name }: ToolInput, text: string, roots: Roots): string {
	if (kind === 'words' || kind === 'choice') {
		return text;
	}
	if (kind !== 'handles') {
		return roots.readable(text);
	}
	if (!HANDLE.test(text)) {
		throw new UsageError(`"${name}" takes handles as the answers name them (c12, r3, m7), not "${text}"`);
	}
	return text;
}

/** Values stand in the word of their option, so that none is taken for another. */
function optionWords(option: OptionSpec, value: unknown, tool: CommandTool, roots: Roots): string[] {
	if (value === undefined || value === false) {
		return [];
	}
	if (value === true) {
		return [`--${option.name}`];
	}
	const texts = Array.isArray(value) ? (value as readonly string[]) : [String(value)];
	return texts.map((text) => {
		const isOutput = tool.isRun === true && option.name === 'output';
		return `--${option.name}=${isOutput ? roots.writable(text) : option.isFile === true && tool.isRun !== true ? roots.readable(text) : text}`;
	});
}

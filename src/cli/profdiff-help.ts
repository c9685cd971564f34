/** What profdiff says about itself: the help, and the explanation at the top of a report. All in our own words. */
import { DEFAULT_OPTIONS, type ProfdiffOptions } from '../profdiff/options.js';
import { COMMANDS, type CommandGrammar, OPTIONS } from './profdiff-arguments.js';

const PROGRAM = 'assay profdiff';
const WIDTH = 80;
const NAME_WIDTH = 30;

export function generalHelp(): string {
	return [
		`usage: ${PROGRAM} ${optionUsage()} command ...`,
		'',
		'Shows what the Graal compiler inlined and optimized in the hot methods of a',
		'program, and how two runs or builds differ. Takes the options and prints the',
		"report of Graal's `mx profdiff`. Try:",
		'',
		`  ${PROGRAM} jit-vs-jit a/log a/prof.json b/log b/prof.json`,
		'',
		'options, each with a value and before the command:',
		...OPTIONS.map((option) => listed(`${option.name}=${valueName(option.type)}`, `${option.help} (default: ${DEFAULT_OPTIONS[option.field]})`)),
		'',
		'commands:',
		...COMMANDS.map((command) => listed(command.name, command.summary)),
		'',
	].join('\n');
}

export function commandHelp(command: CommandGrammar): string {
	const usage = command.positionals.map(({ name, isOptional }) => (isOptional ? `[${name.toUpperCase()}]` : name.toUpperCase()));
	return [
		`usage: ${[PROGRAM, optionUsage(), command.name, ...usage].join(' ')}`,
		'',
		command.summary,
		'',
		'arguments:',
		...command.positionals.map(({ name, isOptional, help }) => listed(isOptional ? `[${name.toUpperCase()}]` : name.toUpperCase(), help)),
		'',
	].join('\n');
}

export function unknownCommandHelp(name: string): string {
	return [`${PROGRAM}: unknown command ${name}`, '', 'commands:', ...COMMANDS.map((command) => listed(command.name, command.summary)), ''].join('\n');
}

function optionUsage(): string {
	return '[--option=value ...]';
}

export function valueName(type: string): string {
	return { boolean: 'true|false', integer: 'N', number: 'P' }[type] ?? 'VALUE';
}

/** `%-30s` after two blanks, then the help, as the reference lists them. */
function listed(name: string, help: string): string {
	const [first = '', ...rest] = wrapped(help, WIDTH - NAME_WIDTH - 3);
	const indent = ' '.repeat(NAME_WIDTH + 3);
	const lines = name.length <= NAME_WIDTH ? [`  ${name.padEnd(NAME_WIDTH)} ${first}`] : [`  ${name}`, indent + first];
	return [...lines, ...rest.map((line) => indent + line)].join('\n');
}

/** Breaks a text between words. */
function wrapped(text: string, width: number): string[] {
	const lines: string[] = [];
	for (const word of text.split(' ')) {
		const last = lines[lines.length - 1];
		if (last === undefined || last.length + 1 + word.length > width) {
			lines.push(word);
		} else {
			lines[lines.length - 1] = `${last} ${word}`;
		}
	}
	return lines;
}

/** Which compilations of two experiments a report compares: none, as it has one experiment; those that are hot; those of one id. */
export type Pairing = 'none' | 'hot' | 'id';

const PAIRED: Record<Exclude<Pairing, 'none'>, string> = {
	hot: 'Each hot compilation of experiment 1 is compared with each one of the same method in experiment 2.',
	id: 'Each compilation of experiment 1 is compared with the one of the same method and id in experiment 2.',
};

/** The text at the top of a report: what its parts mean, as far as the options let them appear. */
export function explanation(options: ProfdiffOptions, pairing: Pairing, hasProfile: boolean): string {
	const lines: string[] = [];
	if (hasProfile) {
		lines.push(
			'Every number is a sum of profiler samples; "of Graal execution" counts only code that Graal compiled, "of total" everything that ran.',
			`Hot are the ${options.hotMinLimit} to ${options.hotMaxLimit} compilations with the most samples, as long as they stay within ${options.hotPercentile * 100} % of Graal execution.`,
		);
	}
	if (pairing === 'id' || (pairing === 'hot' && options.diffCompilations)) {
		lines.push(PAIRED[pairing], 'Marks: `-` only in experiment 1, `+` only in experiment 2, `*` the same call handled differently, `.` the same in both.');
		if (options.pruneIdentities) {
			lines.push('What is the same in both is left out, unless something below it differs (--prune-identities).');
		}
	}
	if (pairing === 'hot' && options.createFragments) {
		lines.push('A compilation fragment `ID#N` is the part of compilation ID that came from inlining the method; its share is that of the whole compilation.');
	}
	if (options.optimizationContextTree) {
		lines.push(
			'Optimization-context tree: the calls of the method with, under each, the optimizations in its code. A bci counts in the method it is printed under.',
			'Where several inlined calls cannot be told apart, an optimization is shown under each of them, and a warning says so.',
		);
	} else {
		lines.push(
			'Inlining tree: the calls of the compiled method, and of what was inlined into it.',
			'Optimization tree: phases of the compiler in their order, and the optimizations they made.',
		);
	}
	lines.push('Calls are (inlined), still there as (direct) or (indirect), gone with their code (deleted), or (devirtualized) into the calls below them.');
	if (options.longBci) {
		lines.push('Positions list each method with its bytecode index (bci), innermost first.');
	} else if (!options.optimizationContextTree) {
		lines.push('A bci is the bytecode index in the compiled method, also for code that was inlined (--long-bci=true shows all).');
	}
	if (options.inlinerReasoning) {
		lines.push('`|_ reasoning` gives the decisions of the inliner in the order in which it made them.');
	}
	lines.push('`|_ receiver-type profile` gives the classes seen at a virtual call and how often.');
	if (options.removeDetailedPhases) {
		lines.push('Canonicalization and dead-code elimination are left out (--remove-detailed-phases=false shows them).');
	}
	if (options.sortUnorderedPhases) {
		lines.push('Optimizations of phases without a meaningful order are sorted (--sort-unordered-phases).');
	}
	return [
		'How to read the output',
		...lines.flatMap((line) => wrapped(line, WIDTH - 8).map((part, index) => `${index === 0 ? '  - ' : '    '}${part}`)),
		'',
	].join('\n');
}

/** A question that a command answers, as a tool of the Model Context Protocol: what `assay mcp` makes of the command's description. */

export interface CommandTool {
	/** As clients call it: `hot_code`. */
	readonly name: string;
	/** What it answers, for those who choose among tools: a sentence or two. */
	readonly question: string;
	/** Positional arguments, in their order. */
	readonly inputs: readonly ToolInput[];
	/** Options of the command that it takes, by name; what they are is in the description. */
	readonly options: readonly string[];
	/** Words that always stand there: `--ttsp`. */
	readonly always?: readonly string[];
	/** Of an option that takes only some of its values here. */
	readonly choices?: Readonly<Record<string, readonly string[]>>;
	/** Parts of the result that are left out unless they are asked for, as another tool gives them or few want them; `[]` stands for all items of a list. */
	readonly leavesOut?: readonly string[];
	/** Lists that get room before all others, the most important first. */
	readonly first?: readonly string[];
	/** A list of the result that is not in the order of importance: items with most of a number come first. */
	readonly largestFirst?: { readonly list: string; readonly by: string };
	/** It prints text, not JSON. */
	readonly isText?: boolean;
	/** It runs a program: only with --allow-record. */
	readonly isRun?: boolean;
}

export interface ToolInput {
	readonly name: string;
	/** `words` is a command line, behind `--`; `choice` one of `choices`. */
	readonly kind: 'path' | 'paths' | 'handles' | 'words' | 'choice';
	readonly choices?: readonly string[];
	readonly isOptional?: boolean;
	readonly help: string;
}

/** What most of them read. */
export const RECORDING_INPUT: ToolInput = {
	name: 'recording',
	kind: 'paths',
	help: 'the folder of a recording, or its files, as the tool recordings names them',
};

/** `assay mcp`: a server of the Model Context Protocol on standard input and output. */
import { UsageError } from '../model/problem.js';
import { type CommandContext, type CommandDescription, type CommandEntry, EXIT } from './command.js';
import type { OptionSpec, ParsedOptions } from './options.js';

const OPTIONS: readonly OptionSpec[] = [
	{
		name: 'root',
		value: 'DIR',
		isMultiple: true,
		isFile: true,
		help: 'only files below this folder are read (the working\ndirectory); may be given several times',
	},
	{ name: 'allow-record', help: 'offer the tool record, which runs programs that a client\nnames; without it nothing is run or written' },
	{ name: 'list', help: 'print the tools and what they answer, and end' },
	{ name: 'help', help: 'print this' },
];

export function mcpCommand(commands: readonly CommandEntry[]): CommandDescription {
	return {
		name: 'mcp',
		usage: ['[--root DIR]... [options]'],
		about: `Answers assistants and other programs through the Model Context Protocol, on
standard input and output: the client starts it. Its tools are the questions of
the other commands: which recordings there are, report, decisions, hot, code,
compilations, call sites, diff, bias, safepoints, memory, orders, tables. An
answer has at most 20 kB unless more is asked for; it says what was cut, how to
get it, and the command that proves it. Read only: files below the roots alone,
nothing is run without --allow-record. docs/mcp.md tells how clients are set up.`,
		options: OPTIONS,
		examples: ['assay mcp --list', 'assay mcp --root examples'],
		exitStatus: '0 the client closed the input, 2 wrong use',
		run: (parsed, context) => run(parsed, context, commands),
	};
}

async function run(parsed: ParsedOptions, context: CommandContext, commands: readonly CommandEntry[]): Promise<number> {
	if (parsed.positionals.length > 0) {
		throw new UsageError(`"${parsed.positionals[0]}" is no option: folders stand behind --root`);
	}
	const [{ openRoots }, { toolsOf }] = await Promise.all([import('./mcp/roots.js'), import('./mcp/tools.js')]);
	const tools = await toolsOf(commands);
	const allowRecord = parsed.isSet('allow-record');
	if (parsed.isSet('list')) {
		for (const { name, description, tool } of tools) {
			if (allowRecord || tool.isRun !== true) {
				context.writer.line(0, `${name.padEnd(16)}${description}`);
			}
		}
		return EXIT.done;
	}
	const names = parsed.values('root');
	const roots = openRoots(names.length === 0 ? ['.'] : names, context.workingDirectory);
	const [{ createServer }, { StdioServerTransport }] = await Promise.all([import('./mcp/server.js'), import('@modelcontextprotocol/sdk/server/stdio.js')]);
	const server = createServer({ tools, roots, allowRecord, commands });
	const closed = new Promise<void>((resolve) => {
		server.onclose = resolve;
		process.stdin.once('end', resolve);
	});
	await server.connect(new StdioServerTransport());
	context.io.err(`assay mcp: ${tools.length} tools for ${roots.folders.join(', ')}, read only${allowRecord ? ', and record' : ''}\n`);
	await closed;
	return EXIT.done;
}

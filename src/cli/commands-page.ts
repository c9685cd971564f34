/** docs/commands.md: the help of every command, from the descriptions. Written by scripts/commands-page.js. */

import { RUNTIME_FOLDER } from '../recording/runtime-folder.js';
import { type Command, type CommandEntry, helpOf } from './command.js';
import { groupHelp, isGroup } from './command-group.js';
import { COMMANDS } from './commands.js';

interface Section {
	readonly name: string;
	readonly help: string;
}

const EXIT_STATUSES = `| exit status | meaning |
| --- | --- |
| 0 | done |
| 1 | done, and the answer is no: what each command says below (\`profdiff\` ends so for anything that is wrong, as the reference does) |
| 2 | wrong use: the arguments |
| 3 | unusable input |
| 4 | standard output cannot be written, on a full disk for example; a reader that is gone (\`\\| head\`) is no error |

\`record\` and \`order cc\` end with the status of the program that they run.`;

/** The page, in Markdown. */
export async function commandsPage(entries: readonly CommandEntry[] = COMMANDS): Promise<string> {
	const table = entries.map(({ name, summary }) => `| [\`${name}\`](#assay-${name}) | ${summary.join(' ').replaceAll('|', '\\|')} |`);
	const parts: string[] = [];
	for (const entry of entries) {
		const [own, ...below] = await sectionsOf(entry.name, await entry.load());
		parts.push(`## assay ${entry.name}\n\n${fenced(own.help)}`, ...below.map(({ name, help }) => `### assay ${name}\n\n${fenced(help)}`));
	}
	return `# Commands

This page is made from the descriptions of the commands (\`npm run docs:commands\`): it is what \`assay COMMAND --help\` prints.

| command | what it does |
| --- | --- |
${table.join('\n')}

${EXIT_STATUSES}

What \`--json\` prints is explained in [json.md](json.md).

${parts.join('\n')}`;
}

/** A command, then its own commands. */
async function sectionsOf(name: string, command: Command): Promise<[Section, ...Section[]]> {
	if (typeof command === 'function') {
		const help: string[] = [];
		await command(['--help'], { workingDirectory: '.', isTerminal: false, out: (text) => help.push(text), err: () => {} });
		return [{ name, help: help.join('') }];
	}
	if (isGroup(command)) {
		const own: Section[] = [];
		for (const entry of command.commands) {
			own.push({ name: `${name} ${entry.name}`, help: helpOf(await entry.load()) });
		}
		return [{ name, help: groupHelp(command) }, ...own];
	}
	if ('runWords' in command) {
		return [{ name, help: command.help }, ...command.commands.map((one) => ({ name: `${name} ${one.name}`, help: one.help }))];
	}
	return [{ name, help: helpOf(command) }];
}

/** Where assay is installed differs. */
function fenced(help: string): string {
	return `\`\`\`text\n${help.trimEnd().replaceAll(RUNTIME_FOLDER, 'node_modules/assay/runtime')}\n\`\`\`\n`;
}

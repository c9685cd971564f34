/** The completion script for fish: https://fishshell.com/docs/current/completions.html */
import type { CompletedCommand } from './completed.js';
import { helpLine } from './option-words.js';

export function fishCompletion(commands: readonly CompletedCommand[]): string {
	const places = commands.map(({ at }) => at).filter((at) => at !== '');
	const lines = commands.flatMap(({ at, commands: own, options, completes, choices, takesCommand }) => {
		const complete = `complete -c assay -n ${quoted(`__assay_at ${quoted(at)}`)}`;
		return [
			...own.map(({ name, summary }) => `${complete} -a ${name} -d ${quoted(summary)}`),
			...(choices.length === 0 ? [] : [`${complete} -a ${quoted(choices.join(' '))}`]),
			...(completes === 'files' || takesCommand ? [`${complete} -F`] : []),
			...(completes === 'programs' || takesCommand ? [`${complete} -a '(__fish_complete_command)'`] : []),
			...options.map((option) => {
				const { name, short, value, choices: values, isFile } = option;
				const taken = value === undefined ? '' : values !== undefined ? ` -x -a ${quoted(values.join(' '))}` : isFile === true ? ' -r -F' : ' -x';
				return `${complete}${short === undefined ? '' : ` -s ${short}`} -l ${name}${taken} -d ${quoted(helpLine(option))}`;
			}),
		];
	});
	return `# Completion of assay for fish. In ~/.config/fish/config.fish: assay completion fish | source

function __assay_at
	set -l at ''
	set -l tokens (commandline -opc)
	set -e tokens[1]
	for token in $tokens
		set -l next (string trim -- "$at $token")
		if contains -- $next ${places.map(quoted).join(' ')}
			set at $next
		end
	end
	test "$at" = "$argv[1]"
end

complete -c assay -f
${lines.join('\n')}
`;
}

/** In single quotes, in which fish knows two escapes. */
function quoted(text: string): string {
	return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

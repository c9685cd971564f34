/** The completion script for zsh: https://zsh.sourceforge.io/Doc/Release/Completion-System.html. A file _assay on $fpath, or read after compinit. */
import type { CompletedCommand } from './completed.js';
import { helpLine, optionsWithValue, shellQuoted, wordsOf } from './option-words.js';

const HEAD = `#compdef assay
# Completion of assay for zsh. Write it into a file _assay in a folder of $fpath, or in ~/.zshrc behind compinit: source <(assay completion zsh)
`;

const TAIL = `
_assay() {
	local place='' word flag values kind dashes
	local -i i behind=0
	local -a names flags valued
	_assay_at ''
	for ((i = 2; i < CURRENT; i++)); do
		word=$words[i]
		if [[ $word == -- && -n $dashes ]]; then
			behind=$i
			break
		elif [[ $word == -* ]]; then
			(( $valued[(Ie)$word] )) && ((i++))
		elif (( $names[(I)$word:*] )); then
			place="\${place:+$place }$word"
			_assay_at "$place"
		fi
	done
	if ((behind > 0)); then
		if ((CURRENT == behind + 1)); then
			_command_names -e
		else
			_files
		fi
		return
	fi
	flag=$words[CURRENT-1]
	if [[ $PREFIX == --*=* ]]; then
		flag=\${PREFIX%%=*}
		compset -P '*='
	fi
	if [[ $flag == -* ]] && (( $valued[(Ie)$flag] )); then
		values=''
		_assay_values "$place" "$flag"
		if [[ $values == files ]]; then
			_files
		elif [[ -n $values ]]; then
			compadd -- \${=values#=}
		fi
	elif [[ $PREFIX == -* ]]; then
		_describe -o option flags
	else
		(( $#names )) && _describe command names
		if [[ $kind == programs ]]; then
			_command_names -e
		elif [[ -n $kind ]]; then
			_files
		fi
	fi
}

if [[ $funcstack[1] == _assay ]]; then
	_assay "$@"
else
	compdef _assay assay
fi
`;

export function zshCompletion(commands: readonly CompletedCommand[]): string {
	const at = commands.map(({ at: place, commands: own, options, completes, choices, takesCommand }) => {
		const names = [...own.map(({ name, summary }) => described(name, summary)), ...choices.map((choice) => described(choice, choice))];
		const flags = options.flatMap((option) => wordsOf(option).map((word) => described(word, helpLine(option))));
		const fields = [
			`names=(${names.join(' ')})`,
			`flags=(${flags.join(' ')})`,
			`valued=(${optionsWithValue(options).flatMap(wordsOf).join(' ')})`,
			`kind=${completes ?? "''"}`,
			`dashes=${takesCommand ? 'yes' : "''"}`,
		];
		return `\t('${place}')\n${fields.map((field) => `\t\t${field}\n`).join('')}\t\t;;\n`;
	});
	const values = commands.flatMap(({ at: place, options }) =>
		optionsWithValue(options).flatMap((option) => {
			const value = option.choices !== undefined ? `'=${option.choices.join(' ')}'` : option.isFile === true ? 'files' : null;
			return value === null
				? []
				: [
						`\t(${wordsOf(option)
							.map((word) => `'${place} ${word}'`)
							.join('|')}) values=${value} ;;\n`,
					];
		}),
	);
	return `${HEAD}
_assay_at() {
	case "$1" in
${at.join('')}	esac
}

_assay_values() {
	case "$1 $2" in
${values.join('')}	esac
}
${TAIL}`;
}

/** `name:what it is`, in which a colon of the name is escaped. */
function described(name: string, summary: string): string {
	return shellQuoted(`${name.replaceAll(':', '\\:')}:${summary}`);
}

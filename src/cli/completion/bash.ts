/** The completion script for bash (3.2 and later), which needs nothing but bash: https://www.gnu.org/software/bash/manual/html_node/Programmable-Completion.html */
import type { CompletedCommand } from './completed.js';
import { optionsWithValue, wordsOf } from './option-words.js';

const HEAD = `# Completion of assay for bash. In ~/.bashrc: source <(assay completion bash)
`;

const TAIL = `
_assay() {
	local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at= behind= word i
	local commands options valued arguments dashes values
	COMPREPLY=()
	# bash takes --by=method apart at the equals sign.
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=\${COMP_WORDS[COMP_CWORD-2]}
	fi
	_assay_at ''
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=\${COMP_WORDS[i]}
		if [[ $word == -- && $dashes ]]; then
			behind=$i
			break
		elif [[ $word == -* ]]; then
			if [[ " $valued " == *" $word "* ]]; then
				[[ \${COMP_WORDS[i+1]} == = ]] && ((i++))
				((i++))
			fi
		elif [[ " $commands " == *" $word "* ]]; then
			at="\${at:+$at }$word"
			_assay_at "$at"
		fi
	done
	if [[ $behind ]]; then
		if ((COMP_CWORD == behind + 1)); then
			_assay_reply "$(compgen -c -- "$cur")"
		else
			_assay_files
		fi
	elif [[ $prev == -* && " $valued " == *" $prev "* ]]; then
		values=
		_assay_values "$at" "$prev"
		if [[ $values == files ]]; then
			_assay_files
		elif [[ $values ]]; then
			_assay_reply "$(compgen -W "\${values#=}" -- "$cur")"
		fi
	elif [[ $cur == -* ]]; then
		_assay_reply "$(compgen -W "$options" -- "$cur")"
	else
		[[ $commands ]] && _assay_reply "$(compgen -W "$commands" -- "$cur")"
		if [[ $arguments == programs ]]; then
			_assay_reply "$(compgen -c -- "$cur")"
		elif [[ $arguments ]]; then
			_assay_files
		fi
	fi
}

_assay_reply() {
	local IFS=$'\\n'
	COMPREPLY+=($1)
}

_assay_files() {
	compopt -o filenames 2>/dev/null
	_assay_reply "$(compgen -f -- "$cur")"
}

complete -F _assay assay
`;

export function bashCompletion(commands: readonly CompletedCommand[]): string {
	const at = commands.map(({ at: place, commands: own, options, completes, choices, takesCommand }) => {
		const fields = [
			`commands='${[...own.map(({ name }) => name), ...choices].join(' ')}'`,
			`options='${options.flatMap(wordsOf).join(' ')}'`,
			`valued='${optionsWithValue(options).flatMap(wordsOf).join(' ')}'`,
			`arguments=${completes ?? ''}`,
			`dashes=${takesCommand ? 'yes' : ''}`,
		];
		return `\t'${place}') ${fields.join(' ')} ;;`;
	});
	const values = commands.flatMap(({ at: place, options }) =>
		optionsWithValue(options).flatMap((option) => {
			const value = option.choices !== undefined ? `'=${option.choices.join(' ')}'` : option.isFile === true ? 'files' : null;
			return value === null
				? []
				: [
						`\t${wordsOf(option)
							.map((word) => `'${place} ${word}'`)
							.join(' | ')}) values=${value} ;;`,
					];
		}),
	);
	const functions = [
		['_assay_at', '"$1"', at],
		['_assay_values', '"$1 $2"', values],
	] as const;
	const tables = functions.map(([name, subject, lines]) => `${name}() {\n\tcase ${subject} in\n${lines.map((line) => `${line}\n`).join('')}\tesac\n}\n`);
	return `${HEAD}\n${tables.join('\n')}${TAIL}`;
}

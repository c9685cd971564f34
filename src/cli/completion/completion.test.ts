import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from '../../../test/run-assay.js';
import { COMMANDS } from '../commands.js';
import { bashCompletion } from './bash.js';
import { type CompletedCommand, completedCommands } from './completed.js';
import { fishCompletion } from './fish.js';
import { optionsWithValue, wordsOf } from './option-words.js';
import { zshCompletion } from './zsh.js';

const goldens = path.resolve(import.meta.dirname, '..', '..', '..', 'fixtures', 'completion');
let folder = '';
let commands: readonly CompletedCommand[] = [];

beforeAll(async () => {
	commands = await completedCommands(COMMANDS);
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-completion-'));
	fs.writeFileSync(path.join(folder, 'run 1.log'), '');
	fs.writeFileSync(path.join(folder, 'assay.bash'), bashCompletion(commands));
}, 120_000);

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** What bash offers for the last word of each line. */
function bashOffers(lines: readonly (readonly string[])[]): string[][] {
	const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
	const asked = lines.map(
		(words) => `COMP_WORDS=(${words.map(quoted).join(' ')}); COMP_CWORD=${words.length - 1}; _assay; printf '%s\\n' "\${COMPREPLY[@]}"; echo ----`,
	);
	const script = `set -u\nsource ./assay.bash\nset +u\n${asked.join('\n')}\n`;
	const printed = execFileSync('bash', ['--norc', '--noprofile'], { cwd: folder, input: script, encoding: 'utf8' });
	return printed
		.split('----\n')
		.slice(0, -1)
		.map((text) => text.split('\n').filter((word) => word !== ''));
}

const typed = (at: string): string[] => ['assay', ...at.split(' ').filter((word) => word !== '')];

test('bash completes every command and every option of each', () => {
	const places = commands.flatMap((command) => [
		{ words: [...typed(command.at), ''], offered: [...command.commands.map(({ name }) => name), ...command.choices] },
		{ words: [...typed(command.at), '-'], offered: command.options.flatMap(wordsOf) },
		...command.options.map((option) => ({ words: [...typed(command.at), `--${option.name}`], offered: [`--${option.name}`] })),
	]);
	const offers = bashOffers(places.map(({ words }) => words));
	for (const [i, { words, offered }] of places.entries()) {
		expect(offers[i], words.join(' ')).toEqual(expect.arrayContaining(offered));
	}
	expect(commands.map(({ at }) => at)).toEqual(expect.arrayContaining(['', 'hot', ...COMMANDS.map(({ name }) => name)]));
});

test('bash completes the values of options, also behind an equals sign, and files', () => {
	const valued = commands.flatMap(({ at, options }) =>
		optionsWithValue(options).map((option) => ({ at, name: option.name, offered: option.choices ?? (option.isFile === true ? ['run 1.log'] : []) })),
	);
	const offers = bashOffers(
		valued.flatMap(({ at, name, offered: [first = ''] }) => [
			[...typed(at), `--${name}`, ''],
			[...typed(at), `--${name}`, '=', first.slice(0, 1)],
		]),
	);
	for (const [i, { at, name, offered }] of valued.entries()) {
		const all = offers[2 * i]!;
		expect(offered.length === 0 ? all : all.filter((word) => offered.includes(word)), `${at} --${name}`).toEqual(offered);
		expect(offers[2 * i + 1], `${at} --${name}=`).toEqual(expect.arrayContaining(offered.slice(0, 1)));
	}
	expect(bashOffers([['assay', 'hot', 'run']])).toEqual([['run 1.log']]);
});

test('the value of an option is not taken for a command, and a command line behind -- is one', () => {
	const fake: readonly CompletedCommand[] = [
		{
			at: '',
			commands: [{ name: 'order', summary: 'orders' }],
			options: [{ name: 'with', value: 'X', help: 'x' }],
			completes: null,
			choices: [],
			takesCommand: false,
		},
		{ at: 'order', commands: [], options: [{ name: 'deep', help: 'x' }], completes: null, choices: [], takesCommand: true },
	];
	fs.writeFileSync(path.join(folder, 'assay.bash'), bashCompletion(fake));
	try {
		expect(
			bashOffers([
				['assay', '--with', 'order', '-'],
				['assay', '--with', '=', 'order', '-'],
				['assay', '--with', 'order', 'order', '-'],
				['assay', 'order', '--', 'bash', 'run'],
			]),
		).toEqual([['--with'], ['--with'], ['--deep'], ['run 1.log']]);
		expect(bashOffers([['assay', 'order', '--', 'bas']])[0]).toContain('bash');
	} finally {
		fs.writeFileSync(path.join(folder, 'assay.bash'), bashCompletion(commands));
	}
});

/** A few commands with everything that a description can say. */
const FEW: readonly CompletedCommand[] = [
	{
		at: '',
		commands: [
			{ name: 'hot', summary: "the JVM's hottest code: where" },
			{ name: 'order', summary: 'orders' },
		],
		options: [{ name: 'help', help: 'explain' }],
		completes: null,
		choices: [],
		takesCommand: false,
	},
	{
		at: 'hot',
		commands: [],
		options: [
			{ name: 'by', value: 'WHAT', choices: ['method', 'c++:x'], help: "fold the JVM's\nsamples" },
			{ name: 'output', short: 'o', value: 'FILE', isFile: true, help: 'a file' },
			{ name: 'top', value: 'N', help: 'rows' },
		],
		completes: 'files',
		choices: [],
		takesCommand: false,
	},
	{ at: 'order', commands: [{ name: 'measure', summary: 'measure' }], options: [], completes: null, choices: [], takesCommand: false },
	{ at: 'order measure', commands: [], options: [{ name: 'json', help: 'JSON' }], completes: null, choices: ['here', 'there'], takesCommand: true },
];

test.each([
	['bash', bashCompletion],
	['zsh', zshCompletion],
	['fish', fishCompletion],
])('the script for %s is that of the golden', async (shell, script) => {
	await expect(script(FEW)).toMatchFileSnapshot(path.join(goldens, `few.${shell}`));
});

test.each(['zsh', 'fish'])('%s can read the script, where it is installed', (shell) => {
	const file = path.join(folder, `assay.${shell}`);
	fs.writeFileSync(file, shell === 'zsh' ? zshCompletion(commands) : fishCompletion(commands));
	const isInstalled = (process.env.PATH ?? '').split(path.delimiter).some((one) => fs.existsSync(path.join(one, shell)));
	expect(isInstalled ? execFileSync(shell, ['-n', file], { encoding: 'utf8' }) : '').toBe('');
});

test('each shell has every command and option', () => {
	for (const script of [bashCompletion(commands), zshCompletion(commands), fishCompletion(commands)]) {
		for (const { commands: own, options } of commands) {
			for (const { name } of [...own, ...options]) {
				expect(script).toContain(name);
			}
		}
	}
});

test('the command prints the scripts, and says which shells there are', async () => {
	expect((await runAssay(['completion', 'bash'], '/')).stdout).toBe(bashCompletion(commands));
	expect((await runAssay(['completion', 'zsh'], '/')).stdout).toBe(zshCompletion(commands));
	expect((await runAssay(['completion', 'fish'], '/')).stdout).toBe(fishCompletion(commands));
	expect(await runAssay(['completion'], '/')).toEqual({
		stdout: '',
		stderr: 'assay completion: expected: bash, zsh or fish. See assay completion --help.\n',
		exit: 2,
	});
	expect(await runAssay(['completion', 'csh'], '/')).toMatchObject({ stdout: '', exit: 2 });
});

/** What is bisected: commits, JDKs, or values of a flag, from good to bad; each with how it is made ready and run. */
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Revision } from '../../answers/bisect/bisect.js';
import { UsageError } from '../../model/problem.js';
import { endOf } from '../../recording/child-end.js';
import type { RunnableSide } from '../recorded-runs.js';

export interface Revisions {
	readonly all: readonly Revision[];
	/** Where programs are built and run. */
	readonly folder: string;
	/** A sentence when it cannot be made ready. */
	build(revision: Revision): Promise<string | null>;
	runnable(revision: Revision, command: readonly string[]): RunnableSide;
	/** Takes away what was made for it. */
	close(): Promise<void>;
}

const run = promisify(execFile);

/** The commits behind `good` up to `bad`, in a work tree of their own: that of the user is left alone. */
export async function commitRevisions(
	good: string,
	bad: string,
	build: string | null,
	place: { readonly repository: string; readonly tree: string },
): Promise<Revisions> {
	const { repository, tree } = place;
	const git = async (...words: string[]): Promise<string> => {
		try {
			return (await run('git', words, { cwd: repository, maxBuffer: 1 << 28 })).stdout;
		} catch (error) {
			const { stderr, message } = error as { stderr?: string; message: string };
			throw new UsageError(`git ${words[0]}: ${(stderr ?? message).trim().split('\n').at(-1)}`);
		}
	};
	for (const name of [good, bad]) {
		if (name.startsWith('-')) {
			throw new UsageError(`"${name}" is no revision`);
		}
	}
	const [first = ''] = (await git('rev-parse', '--verify', `${good}^{commit}`)).split('\n');
	const listed = await git('log', '--first-parent', '--reverse', '--format=%H %s', `${first}..${bad}`, '--');
	const own = await git('log', '-1', '--format=%H %s', first, '--');
	const all = `${own}${listed}`
		.split('\n')
		.filter((line) => line !== '')
		.map((line): Revision => ({ name: line.slice(0, line.indexOf(' ')), title: line.slice(line.indexOf(' ') + 1) }));
	if (all.length < 2) {
		throw new UsageError(`no commit leads from ${good} to ${bad}: --good has to be the older one`);
	}
	// One that was stopped in the middle has left its tree behind, of which git knows when the folder is gone.
	await git('worktree', 'add', '--force', '--detach', '--quiet', tree, first);
	return {
		all,
		folder: tree,
		build: async ({ name }) => {
			await run('git', ['checkout', '--detach', '--quiet', '--force', name], { cwd: tree });
			return build === null ? null : shell(build, tree);
		},
		runnable: (_, command) => ({ command, jdkHome: null, flags: [] }),
		close: async () => {
			await git('worktree', 'remove', '--force', tree);
		},
	};
}

/** JDKs, or folders of them by name, oldest first. */
export function jdkRevisions(names: readonly string[], workingDirectory: string): Revisions {
	const homes = names.flatMap((name) => {
		const folder = path.resolve(workingDirectory, name);
		return isJdk(folder) ? [name] : jdksIn(folder).map((one) => path.join(name, one));
	});
	if (homes.length < 2) {
		throw new UsageError(`two JDKs or more are expected in --jdks, ${homes.length} found: folders that hold bin/java`);
	}
	return {
		all: homes.map((name) => ({ name, title: releaseOf(path.resolve(workingDirectory, name)) })),
		folder: workingDirectory,
		build: async () => null,
		runnable: ({ name }, command) => ({ command, jdkHome: name, flags: [] }),
		close: async () => {},
	};
}

/** `-XX:MaxInlineLevel=%` and `0..15` or `a,b,c`: what stands for `%`, from good to bad. */
export function flagRevisions(flag: string, values: string, workingDirectory: string): Revisions {
	const [, from, to] = /^(-?\d{1,9})\.\.(-?\d{1,9})$/.exec(values) ?? [];
	const list = from === undefined || to === undefined ? values.split(',') : numbers(Number(from), Number(to));
	if (!flag.includes('%') || list.length < 2) {
		throw new UsageError('--flag takes a flag with % for its value (--flag=-XX:MaxInlineLevel=%), and --values at least two: 15..1 or a,b,c');
	}
	return {
		all: list.map((name) => ({ name, title: flag.replaceAll('%', name) })),
		folder: workingDirectory,
		build: async () => null,
		runnable: ({ name }, command) => ({ command, jdkHome: null, flags: [flag.replaceAll('%', name)] }),
		close: async () => {},
	};
}

const MOST_VALUES = 100_000;

function numbers(from: number, to: number): string[] {
	const count = Math.abs(to - from) + 1;
	if (count > MOST_VALUES) {
		throw new UsageError(`--values takes at most ${MOST_VALUES} values`);
	}
	return Array.from({ length: count }, (_, i) => String(from < to ? from + i : from - i));
}

function isJdk(folder: string): boolean {
	return fs.existsSync(path.join(folder, 'bin', 'java'));
}

function jdksIn(folder: string): string[] {
	try {
		return fs
			.readdirSync(folder)
			.filter((name) => isJdk(path.join(folder, name)))
			.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
	} catch {
		return [];
	}
}

function releaseOf(home: string): string | null {
	try {
		return /^JAVA_(?:RUNTIME_)?VERSION="([^"]+)"/m.exec(fs.readFileSync(path.join(home, 'release'), 'utf8'))?.[1] ?? null;
	} catch {
		return null;
	}
}

const LAST_CHARACTERS = 400;

/** Runs a build; its output goes nowhere but into the sentence of its failure. */
async function shell(command: string, folder: string): Promise<string | null> {
	const child = spawn('/bin/sh', ['-c', command], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
	let said = '';
	const listen = (bytes: Buffer): void => {
		said = `${said}${bytes.toString()}`.slice(-LAST_CHARACTERS);
	};
	child.stdout.on('data', listen);
	child.stderr.on('data', listen);
	try {
		const { status } = await endOf(child);
		return status === 0 ? null : `the build ended with status ${status}: ${said.trim().split('\n').at(-1)}`;
	} catch (error) {
		return (error as Error).message;
	}
}

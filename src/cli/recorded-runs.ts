/** Recordings that a command makes for itself: `assay record` in processes of their own, into numbered folders of one folder. */
import fs from 'node:fs';
import path from 'node:path';
import { InputError, UsageError } from '../model/problem.js';
import { runAssay } from './own-process.js';

/** How the program of a side is run. */
export interface RunnableSide {
	readonly command: readonly string[];
	/** null: as the command says. */
	readonly jdkHome: string | null;
	/** Flags of the JVM. */
	readonly flags: readonly string[];
}

/** `assay-diff-20261124-164200`, new. */
export function makeRunsFolder(named: string | undefined, kind: string, workingDirectory: string): string {
	const name = named ?? `assay-${kind}-${new Date().toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}`;
	const folder = path.resolve(workingDirectory, name);
	if (fs.existsSync(folder) && fs.readdirSync(folder).length > 0) {
		throw new UsageError(`--keep ${name} holds something: name a new folder`);
	}
	fs.mkdirSync(folder, { recursive: true });
	return name;
}

/** Where and with what a program is recorded. */
export interface RunPlace {
	/** The recording, as results name it. */
	readonly output: string;
	/** Where assay runs: relative names start here. */
	readonly workingDirectory: string;
	/** Where the program runs; left out: there, too. */
	readonly programFolder?: string;
	/** Options of assay record. */
	readonly options?: readonly string[];
}

/** The exit status of the program. Throws an {@link InputError} when nothing was recorded. */
export async function recordRun({ command, jdkHome, flags }: RunnableSide, place: RunPlace): Promise<number> {
	const { output, workingDirectory, programFolder = workingDirectory, options = [] } = place;
	const [first = '', ...rest] = command;
	const isJava = /(?:^|\/)java$/.test(first);
	const words = isJava ? [first, ...flags, ...rest] : command;
	const environment =
		isJava || flags.length === 0 ? process.env : { ...process.env, JAVA_TOOL_OPTIONS: [process.env.JAVA_TOOL_OPTIONS, ...flags].filter(Boolean).join(' ') };
	const target = path.resolve(workingDirectory, output);
	const jdk = jdkHome === null ? [] : [`--jdk=${path.resolve(workingDirectory, jdkHome)}`];
	const { status, said, printed } = await runAssay(['record', `--output=${target}`, ...jdk, ...options, '--', ...words], programFolder, environment);
	if (!fs.existsSync(path.join(target, 'assay-recording.json'))) {
		throw new InputError({ severity: 'error', file: output, message: `was not recorded: ${lastLines(said)}`, action: 'assay record -- COMMAND tells more' });
	}
	fs.writeFileSync(path.join(target, 'program-output.txt'), printed);
	return status;
}

/** `-XX:A=1 "-Dx=a b"`, as a shell splits words; quotes of either kind keep blanks. */
export function splitFlags(text: string): string[] {
	return [...text.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) =>
		word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
	);
}

function lastLines(text: string): string {
	return text.trim().split('\n').slice(-3).join('; ');
}

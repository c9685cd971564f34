/** Runs a command for a program: the same arguments, the same numbers, its JSON as an object. */
import path from 'node:path';
import { collected, type Streamed } from '../answers/streamed.js';
import type { CommandIo } from '../cli/io.js';
import { InputError, type Problem } from '../model/problem.js';
import { type Evidence, type EvidenceOptions, openEvidence } from '../recording/evidence.js';
import type { LogFile } from '../recording/log-file.js';
import type { RecordingInput } from './recording.js';

export type Command = (argv: readonly string[], io: CommandIo) => Promise<number>;

/** What every function of the library takes. */
export interface CallOptions {
	/** Told of everything that was wrong with an input and did not keep the function from its result. */
	readonly onProblem?: ((problem: Problem) => void) | undefined;
}

/** A value of an option: null and undefined leave it out, true is a switch, lists give it several times. */
type OptionValue = string | number | boolean | readonly string[] | null | undefined;

export function optionArguments(options: Readonly<Record<string, OptionValue>>): string[] {
	return Object.entries(options).flatMap(([name, value]) => {
		if (value === null || value === undefined || value === false) {
			return [];
		}
		return value === true ? [`--${name}`] : (Array.isArray(value) ? value : [value]).map((one) => `--${name}=${one}`);
	});
}

/** Absolute names: nothing of a file can be taken for an option. */
export function pathsOf(input: RecordingInput): string[] {
	if (typeof input === 'string') {
		return [path.resolve(input)];
	}
	return 'paths' in input ? [...input.paths] : input.map((one) => path.resolve(one));
}

export function processOf(input: RecordingInput): number | null {
	return typeof input !== 'string' && 'paths' in input ? input.processId : null;
}

/** What the command prints as `result`. Throws the {@link InputError} that made it fail. */
export async function resultOf<T>(command: Command, argv: readonly string[], { onProblem }: CallOptions): Promise<T> {
	const pieces: string[] = [];
	const exit = await command([...argv, '--json'], silentIo({ out: (text) => void pieces.push(text) }));
	const { result, problems } = JSON.parse(pieces.join('')) as { result: T; problems: Problem[] };
	const failure = problems.at(-1);
	if (exit === 3 && failure !== undefined) {
		throw new InputError(failure);
	}
	for (const problem of problems) {
		onProblem?.(problem);
	}
	return result;
}

function silentIo(io: Partial<CommandIo>): CommandIo {
	return { workingDirectory: process.cwd(), isTerminal: false, out: () => {}, err: () => {}, ...io };
}

/** The result of an answer on a recording that is open for it. Tells of the problems, and throws the {@link InputError} that leaves no result. */
export async function answered<T>(
	input: RecordingInput,
	callOptions: CallOptions,
	options: EvidenceOptions,
	answer: (evidence: Evidence) => Promise<{ result(): Streamed<T>; readonly problems: readonly Problem[] }>,
): Promise<T> {
	return withEvidence(input, options, async (evidence) => told(await answer(evidence), callOptions));
}

/** Closes it when `use` is done. */
export async function withEvidence<T>(input: RecordingInput, options: EvidenceOptions, use: (evidence: Evidence) => Promise<T>): Promise<T> {
	return withLazyEvidence(input, options, async (evidence) => use(await evidence()));
}

/** The same for those who may do without: it is opened when they first ask. */
export async function withLazyEvidence<T>(input: RecordingInput, options: EvidenceOptions, use: (evidence: () => Promise<Evidence>) => Promise<T>): Promise<T> {
	let found: Promise<Evidence> | null = null;
	try {
		return await use(() => {
			found ??= openEvidence(filesOf(input), { processId: processOf(input), ...options });
			return found;
		});
	} finally {
		await closed(found);
	}
}

/** What could not be opened was told to who asked for it. */
async function closed(found: Promise<Evidence> | null): Promise<void> {
	const [opened] = await Promise.allSettled([found]);
	if (opened.status === 'fulfilled') {
		opened.value?.close();
	}
}

/** Absolute paths are their names. */
export function filesOf(input: RecordingInput): LogFile[] {
	return pathsOf(input).map((filePath) => ({ filePath, name: filePath }));
}

/** The same of several, each a recording of its own. */
export async function withEvidences<T>(
	inputs: readonly RecordingInput[],
	options: EvidenceOptions,
	use: (evidences: readonly Evidence[]) => Promise<T>,
): Promise<T> {
	const [first, ...rest] = inputs;
	return first === undefined ? use([]) : withEvidence(first, options, (evidence) => withEvidences(rest, options, (others) => use([evidence, ...others])));
}

/** The whole result, when the problems were told. */
export function told<T>({ result, problems }: { result(): Streamed<T>; readonly problems: readonly Problem[] }, { onProblem }: CallOptions): T {
	const whole = collected(result());
	for (const problem of problems) {
		onProblem?.(problem);
	}
	return whole;
}

import type { Problem } from '../model/problem.js';
import type { Evidence, openEvidence } from '../recording/evidence.js';

/** What a command may touch of the world around it. Tests and library users give their own. */
export interface CommandIo {
	/** Folder that relative paths start from. */
	readonly workingDirectory: string;
	/** Whether results go to a person's terminal rather than to a file or a pipe. */
	readonly isTerminal: boolean;
	/** Columns of that terminal; 80 is assumed without. */
	readonly columns?: number | undefined;
	/** Whether results may be coloured: by default on a terminal only. */
	readonly hasColour?: boolean | undefined;
	/** Shows how far a long job is; null takes the line away again. Left out: nobody watches. */
	readonly progress?: ((text: string | null) => void) | undefined;
	/** Standard input, for commands that follow it; left out: there is none. */
	readonly input?: AsyncIterable<Uint8Array> | undefined;
	/** @internal Evidence that is kept for several commands, and not closed by one; null: the command opens its own, as where this is left out. */
	readonly keptEvidence?: ((...wanted: Parameters<typeof openEvidence>) => Promise<Evidence> | null) | undefined;
	/** @internal Takes the result of `--json` in place of its text, while its lists can be taken; an input that leaves none gives `{}` and the problem. */
	readonly takeResult?: ((result: object, problems: readonly Problem[]) => void) | undefined;
	out(text: string): void;
	/** Results that are no text; left out: they can only go into a file. */
	readonly outBytes?: ((bytes: Uint8Array) => void) | undefined;
	err(text: string): void;
}

/** Standard output cannot be written: a full disk, say. */
export class OutputFailed extends Error {}

/** The reader of our output is gone (`| head`): nothing more to do. */
export class OutputClosed extends Error {}

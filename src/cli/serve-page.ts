/** Serves a page on this machine as long as a command runs, and shows it in the browser. */
import { spawn } from 'node:child_process';
import { InputError, UsageError } from '../model/problem.js';
import { createOpener } from '../page/opener.js';
import { type PageServer, type ServedPage, servePage, type TakeDropped } from '../page/server.js';
import type { CommandContext } from './command.js';
import { type ParsedOptions, positiveInteger } from './options.js';

/** Details are read when the page asks for them. */
export const SERVED_LIMITS = { details: 0, instructions: 0 };

/** 0: any that is free. */
export function portOf(parsed: ParsedOptions): number {
	const port = positiveInteger(parsed, 'port') ?? 0;
	if (port > 65_535) {
		throw new UsageError(`--port takes a number up to 65535, not "${port}"`);
	}
	return port;
}

export async function listen(page: ServedPage, port: number, takeDropped: TakeDropped): Promise<PageServer> {
	try {
		return await servePage(page, port, takeDropped);
	} catch (error) {
		throw new InputError({
			severity: 'error',
			file: `port ${port}`,
			message: `cannot be listened on: ${(error as Error).message}`,
			action: 'take another --port',
		});
	}
}

/** Prints the address, and waits until Ctrl-C. */
export async function showUntilInterrupted({ url }: PageServer, parsed: ParsedOptions, { io, atEnd }: CommandContext): Promise<void> {
	io.out(`${url}\n`);
	io.err('the page is there until Ctrl-C\n');
	if (!parsed.isSet('no-browser') && io.isTerminal) {
		const opener = createOpener(url);
		atEnd(() => opener.remove());
		openBrowser(opener.file);
	}
	await interrupted();
}

/** Until Ctrl-C, or until the terminal or whoever started the command ends it. */
function interrupted(): Promise<void> {
	return new Promise((resolve) => {
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
			process.once(signal, () => resolve());
		}
	});
}

/** A machine without a browser has the address on the terminal. */
function openBrowser(file: string): void {
	const [command, ...args] =
		process.platform === 'darwin' ? ['open', file] : process.platform === 'win32' ? ['cmd', '/c', 'start', '', file] : ['xdg-open', file];
	const child = spawn(command as string, args, { stdio: 'ignore', detached: true });
	child.on('error', () => {});
	child.unref();
}

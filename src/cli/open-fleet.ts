/** `assay open STORE`: the page of many runs; a run's own page is served beside it when somebody goes there. */
import path from 'node:path';
import { InputError, UsageError } from '../model/problem.js';
import { gatherPage } from '../page/file.js';
import { FleetPage } from '../page/fleet.js';
import { LivePage } from '../page/live-page.js';
import type { PageServer } from '../page/server.js';
import { pageShell } from '../page/shell.js';
import { openEvidence } from '../recording/evidence.js';
import type { LogFile } from '../recording/log-file.js';
import { type CommandContext, EXIT } from './command.js';
import type { ParsedOptions } from './options.js';
import { listen, portOf, SERVED_LIMITS, showUntilInterrupted } from './serve-page.js';

const FOR_RECORDINGS = ['compare', 'sources', 'follow', 'pid'] as const;

export async function openFleet(store: LogFile, parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const wrong = FOR_RECORDINGS.find((name) => parsed.isSet(name));
	if (wrong !== undefined) {
		throw new UsageError(`--${wrong} is for a recording, and ${store.name} is a store of many`);
	}
	const port = portOf(parsed);
	const servers: PageServer[] = [];
	const shell = pageShell();
	const openRun = async (recording: LogFile, processId: number | null): Promise<string> => {
		const evidence = await openEvidence([recording], { processId, details: 'all' });
		context.atEnd(() => evidence.close());
		const page = await gatherPage({ sides: [evidence], sources: null }, SERVED_LIMITS, { isServed: true, isFollowed: false, revision: 1 }, context.progress);
		context.progress.end();
		const server = await listen(new LivePage(shell, { page, evidence: [] }), 0, refuseDropped);
		servers.push(server);
		return server.url;
	};
	// Where they were collected, or beside the store.
	const folders = [context.workingDirectory, path.dirname(store.filePath)];
	const page = await FleetPage.open(shell, { store, folders, openRun });
	context.tell(page.problems);
	const server = await listen(page, port, refuseDropped);
	servers.push(server);
	try {
		await showUntilInterrupted(server, parsed, context);
	} finally {
		await Promise.all(servers.map((one) => one.close()));
	}
	return EXIT.done;
}

function refuseDropped(name: string): Promise<void> {
	throw new InputError({ severity: 'error', file: name, message: 'cannot be shown here: this is the page of a store', action: `assay open ${name}` });
}

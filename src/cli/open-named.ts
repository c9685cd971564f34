/** The evidence of the files that a user named, for as long as the command runs. */
import { type Evidence, type EvidenceOptions, openEvidence } from '../recording/evidence.js';
import type { CommandContext } from './command.js';

/** What the caller of the command keeps open stays open. */
export async function openNamed(context: CommandContext, names: readonly string[], options: EvidenceOptions = {}): Promise<Evidence> {
	const files = context.files(names);
	if (context.io.openEvidence !== undefined) {
		return context.io.openEvidence(files, options);
	}
	const evidence = await openEvidence(files, options);
	context.atEnd(() => evidence.close());
	return evidence;
}

/** The evidence of the files that a user named, for as long as the command runs. */
import { type Evidence, type EvidenceOptions, openEvidence } from '../recording/evidence.js';
import type { CommandContext } from './command.js';

/** What the caller of the command keeps open stays open. */
export async function openNamed(context: CommandContext, names: readonly string[], options: EvidenceOptions = {}): Promise<Evidence> {
	const files = context.files(names);
	const kept = context.io.keptEvidence?.(files, options) ?? null;
	if (kept !== null) {
		return kept;
	}
	const evidence = await openEvidence(files, options);
	context.atEnd(() => evidence.close());
	return evidence;
}

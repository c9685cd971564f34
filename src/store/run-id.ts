/** The id of a run: a hash of what its files hold, whatever they are called and wherever they lie. */
import { createHash } from 'node:crypto';
import { digestOf } from '../recording/digest.js';
import type { Evidence } from '../recording/evidence.js';
import { isFolder, openLogFile } from '../recording/log-file.js';

/** `processId` where the files are of several. */
export async function runId(evidence: Evidence, processId: number | null): Promise<bigint> {
	const digests: string[] = [];
	for (const file of evidence.all) {
		// The manifest is about the evidence.
		if (file.formats.every(({ kinds }) => kinds.every((kind) => kind === 'manifest')) || isFolder(file)) {
			continue;
		}
		const { source } = await openLogFile(file);
		digests.push(digestOf(source));
		source.close();
	}
	const all = createHash('sha256').update([...new Set(digests)].sort().join('\n'));
	return all
		.update(`\n${processId ?? ''}`)
		.digest()
		.readBigInt64BE(0);
}

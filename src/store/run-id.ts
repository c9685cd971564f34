/** The id of a run: a hash of what its files hold, whatever they are called and wherever they lie. */
import { createHash } from 'node:crypto';
import { RangeReader } from '../bytes/source.js';
import type { Evidence } from '../recording/evidence.js';
import { isFolder, openLogFile } from '../recording/log-file.js';

const PIECE_BYTES = 1 << 20;

/** `processId` where the files are of several. */
export async function runId(evidence: Evidence, processId: number | null): Promise<bigint> {
	const digests: string[] = [];
	const ranges = new RangeReader();
	for (const file of evidence.all) {
		// The manifest is about the evidence.
		if (file.formats.every(({ kinds }) => kinds.every((kind) => kind === 'manifest')) || isFolder(file)) {
			continue;
		}
		const { source } = await openLogFile(file);
		const hash = createHash('sha256');
		for (let at = 0; at < source.sizeBytes; at += PIECE_BYTES) {
			hash.update(ranges.read(source, at, at + PIECE_BYTES));
		}
		source.close();
		digests.push(hash.digest('hex'));
	}
	const all = createHash('sha256').update([...new Set(digests)].sort().join('\n'));
	return all
		.update(`\n${processId ?? ''}`)
		.digest()
		.readBigInt64BE(0);
}

/** Writes a profile as proftool does (`mx profjson`): see read.ts for the form. */
import type { Profile } from '../../model/profile.js';

/** `isOsr` tells whether a compile id is that of an on-stack replacement, which proftool marks. */
export function proftoolJson({ kind, totalPeriod, executionId, entries }: Profile, isOsr: (compileId: string) => boolean): string {
	const code = entries.map(({ compileId, name, level, period }) => {
		const id = compileId !== null && isOsr(compileId) ? `${compileId}%` : compileId;
		return { compileId: id, name: id === null ? name : `${id}: ${name}`, level, period };
	});
	return `${JSON.stringify({ compilationKind: kind, totalPeriod, executionId, code }, null, '\t')}\n`;
}

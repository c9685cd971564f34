/**
 * Whether a profile and a log are of the same run. Compile ids start anew in every run, so a profile of another run links to
 * some compilations by accident: its ids are rare in the log, and the names behind them are others.
 */

import type { LoggedCompilation } from '../model/compilation.js';
import { TOP_TIER } from '../model/jit-compilation.js';
import { comparableMethodName } from '../model/method-name.js';
import type { Profile } from '../model/profile.js';

/** How many of a profile's entries are in a log. */
export interface ProfileMatch {
	/** Entries that should be in the log: of a JIT the top tier's, of an image those of compiled methods. */
	readonly entries: number;
	/** Those whose id (JIT) or name (image) is in the log. */
	readonly found: number;
	/** Of the found ones, those whose method is the log's. */
	readonly sameName: number;
	/** Compile ids that several entries have; the last one counts. */
	readonly duplicateEntries: number;
	readonly belongs: boolean;
}

/** Own profiles are found to 100 % and have over 93 % equal names; foreign ones 4 % and 0. */
const MIN_SHARE = 0.5;

/** Whether a profile is of the run that these compilations are of: by ids and names. */
export function matchProfile(compilations: readonly LoggedCompilation[], profile: Profile): ProfileMatch {
	return profile.kind === 'JIT' ? matchByCompileId(compilations, profile) : matchByName(compilations, profile);
}

function matchByCompileId(compilations: readonly LoggedCompilation[], profile: Profile): ProfileMatch {
	const nameById = new Map(compilations.map(({ compileId, methodName }) => [compileId, methodName]));
	const seen = new Set<string>();
	let entries = 0;
	let found = 0;
	let sameName = 0;
	for (const { level, compileId, name } of profile.entries) {
		if (level !== TOP_TIER || compileId === null) {
			continue;
		}
		entries++;
		seen.add(compileId);
		const loggedName = nameById.get(compileId);
		if (loggedName !== undefined) {
			found++;
			sameName += Number(comparableMethodName(loggedName) === comparableMethodName(name));
		}
	}
	const belongs = found >= MIN_SHARE * entries && sameName >= MIN_SHARE * found;
	return { entries, found, sameName, duplicateEntries: entries - seen.size, belongs };
}

/** Profiles of images have names only, those of the kernel and of libraries among them: one that is found will do. */
function matchByName(compilations: readonly LoggedCompilation[], profile: Profile): ProfileMatch {
	const names = new Set(compilations.map((compilation) => compilation.fullName));
	const found = profile.entries.filter(({ name }) => names.has(name)).length;
	const seen = new Set(profile.entries.map(({ name }) => name));
	return {
		entries: profile.entries.length,
		found,
		sameName: found,
		duplicateEntries: profile.entries.length - seen.size,
		belongs: profile.entries.length === 0 || found > 0,
	};
}

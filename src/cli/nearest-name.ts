/** The name that somebody meant who gave one that there is not. */
import leven from 'leven';

/** One that begins as the given one does, or is it but for a slip or two; null for none. */
export function nearestName(given: string, names: readonly string[]): string | null {
	if (given.length < 2) {
		return null;
	}
	const slips = given.length < 5 ? 1 : 2;
	const [nearest] = names
		.map((name) => ({ name, distance: name.startsWith(given) || (name.length > 2 && given.startsWith(name)) ? 0 : leven(given, name) }))
		.filter(({ distance }) => distance <= slips)
		.sort((a, b) => a.distance - b.distance);
	return nearest?.name ?? null;
}

/** The two names of each of HotSpot's arenas: in heads of tables, and in words (the legend, and `verbose=true` for C1). */
const DESCRIPTIONS: ReadonlyMap<string, string> = new Map([
	['ra', 'Resource areas'],
	['node', 'C2 Node arena'],
	['comp', 'C2 Compile arena'],
	['type', 'C2 Type arena'],
	['states', 'C2 Matcher States Arena'],
	['reglive', 'C2 Register Allocation Live Arenas'],
	['regsplit', 'C2 Register Allocation Split Arena'],
	['superword', 'C2 SuperWord Arenas'],
	['cienv', 'CI Env Arena'],
	['ha', 'Handle area'],
	['other', 'Other arenas'],
]);

const BY_DESCRIPTION: ReadonlyMap<string, string> = new Map([...DESCRIPTIONS].map(([name, description]) => [description, name]));

/** The short name; a description that is not known stays what it is. */
export function arenaOfDescription(description: string): string {
	return BY_DESCRIPTION.get(description) ?? description;
}

export function descriptionOfArena(arena: string): string {
	return DESCRIPTIONS.get(arena) ?? arena;
}

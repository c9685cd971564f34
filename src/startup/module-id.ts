/** Numbers of modules: 32 bits made of a name, so that they are the same in every build. */

/** FNV-1a over UTF-16 code units, mixed once more (the finalizer of MurmurHash3); never 0. */
export function moduleIdOf(name: string): number {
	let hash = 0x811c9dc5;
	for (let i = 0; i < name.length; i++) {
		const unit = name.charCodeAt(i);
		hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
		hash = Math.imul(hash ^ (unit >>> 8), 0x01000193);
	}
	hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
	hash = (hash ^ (hash >>> 16)) >>> 0;
	return hash === 0 ? 1 : hash;
}

/** What modules are called and numbered. */
export interface ModuleName {
	readonly name: string;
	readonly id: number;
}

/**
 * Names for modules that are built together: `source` alone where no other has the same, otherwise with the path. Where two names have the
 * same number, the one that is later in the order of names takes the next that is free.
 */
export function nameModules(modules: readonly { readonly source: string; readonly path: string }[]): ModuleName[] {
	const counts = new Map<string, number>();
	for (const { source } of modules) {
		counts.set(source, (counts.get(source) ?? 0) + 1);
	}
	const names = modules.map(({ source, path }) => (source === '' ? path : counts.get(source) === 1 ? source : `${source} (${path})`));
	const ids = new Map<string, number>();
	const taken = new Set<number>();
	for (const name of [...names].sort()) {
		let id = moduleIdOf(name);
		while (taken.has(id)) {
			id = id === 0xffff_ffff ? 1 : id + 1;
		}
		taken.add(id);
		ids.set(name, id);
	}
	return names.map((name) => ({ name, id: ids.get(name)! }));
}

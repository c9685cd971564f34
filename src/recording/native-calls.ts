/** Names of the JVM's own functions, and of other libraries', by the addresses at which compiled code calls them. */
import type { AgentMapping } from '../formats/agent-log/read.js';
import type { LibrarySymbols, NativeSymbols } from '../model/native-symbols.js';

/** null: it lies in no library that was mapped, or nothing is known of that. */
export function nativeNames(mappings: readonly AgentMapping[], symbols: NativeSymbols): (address: number) => string | null {
	// Finding the symbols of a library reads all of them.
	const known = new Map<string, LibrarySymbols | null>();
	return (address) => {
		const mapping = mappings.find(({ start, end }) => address >= start && address < end);
		if (mapping === undefined) {
			return null;
		}
		const key = `${mapping.inode} ${mapping.path}`;
		let library = known.get(key);
		if (library === undefined) {
			library = symbols.symbolsOf({ name: mapping.path, buildId: null, inode: mapping.inode, kernelText: null });
			known.set(key, library);
		}
		return library?.find(address - mapping.start + mapping.fileOffset)?.name ?? null;
	};
}

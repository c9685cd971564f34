/** What symbols of native programs mean in the source: demangled, without parameters, as perf names functions. Each is demangled once. */
import { openDemangler } from '../demangling/demangler.js';
import { withoutParameters } from '../demangling/function-name.js';
import { LINKAGE } from '../formats/shared/elf/native-symbols.js';

export async function openNativeNames(): Promise<(symbol: string) => string> {
	const demangle = await openDemangler();
	const names = new Map<string, string>();
	return (symbol) => {
		let name = names.get(symbol);
		if (name === undefined) {
			const linkage = symbol.endsWith(LINKAGE) ? LINKAGE : '';
			const meant = demangle(symbol.slice(0, symbol.length - linkage.length));
			name = meant === null ? symbol : `${withoutParameters(meant)}${linkage}`;
			names.set(symbol, name);
		}
		return name;
	};
}

/** Which native method a function of C is, by its address: each is looked up once. */
import type { LibrarySymbols } from '../../model/native-symbols.js';
import { methodOfJniFunction } from './jni-name.js';
import type { AddressSpace, Library } from './processes.js';

export class NativeMethods {
	/** By library and offset; null: of no native method. */
	private readonly known = new Map<Library, Map<number, string | null>>();
	private readonly symbolsOf: (library: Library) => LibrarySymbols | null;

	constructor(symbolsOf: (library: Library) => LibrarySymbols | null) {
		this.symbolsOf = symbolsOf;
	}

	/** null: none of a function lies there that is named like one. */
	at(space: AddressSpace, address: number): string | null {
		const mapping = space.find(address);
		if (mapping === null || !mapping.isExecutable) {
			return null;
		}
		const { library, shift } = mapping;
		let known = this.known.get(library);
		if (known === undefined) {
			known = new Map();
			this.known.set(library, known);
		}
		let method = known.get(address + shift);
		if (method === undefined) {
			method = methodOfJniFunction(this.symbolsOf(library)?.find(address + shift)?.name ?? '');
			known.set(address + shift, method);
		}
		return method;
	}
}

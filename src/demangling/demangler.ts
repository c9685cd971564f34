/** What mangled symbols of C++ and Rust mean in the source, by the demangler of the Firefox Profiler (WebAssembly). Loaded when it is asked for. */
import fs from 'node:fs';
import { createRequire } from 'node:module';

/** Null where a symbol is not mangled, or in a way that is not known. */
export type Demangle = (symbol: string) => string | null;

/** Longer names can take the demangler's memory; nobody reads what they mean. */
const LONGEST = 20_000;

let loading: Promise<Demangle> | null = null;

export function openDemangler(): Promise<Demangle> {
	loading ??= load();
	return loading;
}

async function load(): Promise<Demangle> {
	// The module's own entry imports WebAssembly as a bundler would; Node does not.
	const glue = await import('gecko-profiler-demangle/index_bg.js');
	const file = createRequire(import.meta.url).resolve('gecko-profiler-demangle/index_bg.wasm');
	const module = new WebAssembly.Module(fs.readFileSync(file));
	const functions = Object.fromEntries(Object.entries(glue).flatMap(([name, value]) => (typeof value === 'function' ? [[name, value]] : [])));
	const start = (): void => {
		const { exports } = new WebAssembly.Instance(module, { './index_bg.js': functions });
		glue.__wbg_set_wasm(exports);
		(exports.__wbindgen_start as (() => void) | undefined)?.();
	};
	start();
	return (symbol) => {
		if (symbol.length > LONGEST || !/^(?:_?_?_Z|_?_R|\?)/.test(symbol)) {
			return null;
		}
		try {
			const meaning = glue.demangle_any(symbol);
			// Of a C++ name that it does not know the first character is cut off.
			return meaning === '' || symbol.endsWith(meaning) ? null : meaning;
		} catch {
			// A symbol made up to break it, and it is: begin again for the next.
			start();
			return null;
		}
	};
}

/** The package declares its entry only, which needs a bundler. */
declare module 'gecko-profiler-demangle/index_bg.js' {
	export function __wbg_set_wasm(exports: WebAssembly.Exports): void;
	/** The symbol itself where it is not mangled. */
	export function demangle_any(symbol: string): string;
}

/** As far as it is used here; TypeScript has it among the types of browsers only. */
declare namespace WebAssembly {
	type Exports = Readonly<Record<string, unknown>>;
	class Module {
		constructor(bytes: Uint8Array);
	}
	class Instance {
		constructor(module: Module, imports: Record<string, Readonly<Record<string, unknown>>>);
		readonly exports: Exports;
	}
}

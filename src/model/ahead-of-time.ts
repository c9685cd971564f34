/** Compilers of native programs. What they made has one version, and no level. */
const COMPILERS: ReadonlySet<string> = new Set(['clang', 'gcc', 'go', 'llvm', 'native', 'rustc']);

export function isAheadOfTimeCompiler(name: string | null): boolean {
	return name !== null && COMPILERS.has(name);
}

/** Made when a test first asks, and kept: what runs while a file of tests is loaded belongs to no test, and mutation tests do not count it. */
export function once<T>(make: () => T): () => T {
	let made: { readonly value: T } | null = null;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}

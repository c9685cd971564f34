/** Files of shared libraries by their names: `libz.so`, `libz.so.1.3`, a plugin `mod.so`. */
const NAME = /^(?:lib(?<linked>.+?)|.*)\.so(?:\.|$)/;

export function isSharedLibrary(fileName: string): boolean {
	return NAME.test(fileName);
}

/** As the linker is asked for it: `z` of `libz.so.1.3`; null where it is called otherwise. */
export function linkedName(fileName: string): string | null {
	return NAME.exec(fileName)?.groups?.linked ?? null;
}

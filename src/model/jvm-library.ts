const JVM_LIBRARY = /(?:^|\/)(?:lib)?jvm\.(?:so|dylib|dll)$/;

/** Whether it is the library in which HotSpot lies. */
export function isJvmLibrary(library: string | null | undefined): boolean {
	return library != null && JVM_LIBRARY.test(library);
}

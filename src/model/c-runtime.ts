/** Code that programs do not call for its own sake: of a function of it, who called it first from outside tells what it works for. */

/** The libraries of C and C++ (GNU's, LLVM's, musl's), the dynamic loader, and allocators that take malloc's place. */
const LIBRARY =
	/(?:^|\/)(?:lib(?:c|m|dl|rt|pthread|gcc_s|stdc\+\+|c\+\+|c\+\+abi|unwind|mvec|resolv|jemalloc|tcmalloc(?:_minimal)?|mimalloc)(?:-[\d.]+)?\.so(?:\.[\d.]+)?|ld-[\w.-]+\.so(?:\.[\d.]+)?|libc\.musl-[\w.-]+|\[vdso\])$/;
/** Go's runtime and what calls the system are a part of each program. */
const GO_RUNTIME = /^(?:runtime|syscall)\.|^(?:runtime|sync|internal)\//;

/** `library`: as it is called, with folders or without; null where it is not known. */
export function isOfRuntime(library: string | null, symbol: string | null): boolean {
	return (library !== null && LIBRARY.test(library)) || (symbol !== null && GO_RUNTIME.test(symbol));
}

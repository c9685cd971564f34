/* Writes the buffer of clang's order-file instrumentation at exit, which clang's runtime leaves to the program. */
#include <stdlib.h>

int __llvm_orderfile_dump(void);

static void dump(void) {
	__llvm_orderfile_dump();
}

__attribute__((constructor)) static void start(void) {
	atexit(dump);
}
